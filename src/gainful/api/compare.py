"""Is one run really better than another? Or one system, by the sessions of a study?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from attrs import evolve

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_matched
from gainful.api.run_options import (
    GroupOptions,
    RunOptions,
    RunReading,
    Runs,
    answer_run_options,
    holds_results,
    separate_runs,
    take_results,
)
from gainful.api.session_options import GroupedSessionOptions, answer_session_options
from gainful.api.sessions import evaluate_once
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.study import check_method, compare_results
from gainful.evidence.method import METHOD_SETS, MethodOptions, build_method, split_method
from gainful.evidence.pairing import choose_baseline
from gainful.evidence.reasons.largest_changes import find_largest_changes
from gainful.measure.build_recipes import Measures
from gainful.measure.notes import require_qrels_overlap
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import Results
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.session_inputs import AnySessions
from gainful.read.sessions import SYSTEM


class CompareOptions(MethodOptions, GroupOptions, total=False):
    """How runs are compared, and how they are read."""


class SessionCompareOptions(MethodOptions, GroupedSessionOptions, total=False):
    """How systems are compared, and how sessions are read and measured."""


@answer_run_options(CompareOptions, (*METHOD_SETS, GroupOptions, RunOptions))
def compare(
    qrels: AnyQrels | Results | Mapping[str, Results] | Sequence[Results],
    runs: Runs | AnyRun | Results | None = None,
    *more: AnyRun | Results | Measures,
    measures: Measures | None = None,
    per_query: bool = False,
    by: str | None = None,
    block: str | Sequence[str] | None = None,
    interactions: Any = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Is one run really better than another, and by how much?

    Args:
        qrels: whatever `evaluate` takes; or what `evaluate` returned for two runs or more,
            together or one after the other; or what `sessions.evaluate` returned for systems.
        runs: two runs or more: by name, in a list, or one after the other.
        *more: further runs, and after the runs the measures.
        measures: whatever `evaluate` takes; the runs are compared in each.
        per_query: find the queries that changed most by the first measure, and what moved there.
        by: for sessions: the column of systems.
        block: for sessions: the columns whose effects are removed.
        interactions: for Novelty: who interacted with which item; a table of users and items.
        **options: how runs are compared (`stats.MethodOptions`) and read (`RunOptions`).

    Returns:
        `Comparison`: means, differences with intervals and p, groups without a significant
        difference.

    Examples:
        >>> qrels = {str(q): {"a": 1} for q in range(8)}
        >>> better = {str(q): ["a", "b"] for q in range(8)}
        >>> worse = {str(q): ["b", "a"] if q else ["a", "b"] for q in range(8)}
        >>> compare(qrels, {"worse": worse, "better": better}, "RR")
        better is better than worse in RR, by 0.438 (95 % interval 0.250 to 0.500, p = 0.016).
        ...
        >>> compare(qrels, worse, better, "RR").systems
        ('run 1', 'run 2')
    """
    method_options, inputs = split_method(options)
    if holds_results(qrels):
        beside = {**inputs, "per_query": per_query or None, "interactions": interactions}
        results = take_results((qrels, runs, *more), measures, beside)
        return compare_results(results, by, block, **method_options)
    method = build_method(**method_options)
    named_runs, measures = separate_runs((runs, *more), measures)
    choose_baseline(method.baseline, list(named_runs), "run")  # before anything is read
    reading = RunReading.from_options({**inputs, "interactions": interactions})
    clusters = find_clusters(method.cluster, reading, qrels, *named_runs.values())
    evaluated = [*evaluate_matched(qrels, named_runs, measures, reading, with_rows=per_query)]
    results = [run for run, _ in evaluated]
    require_qrels_overlap(results)
    comparison = compare_results(results, by, block, clusters, **method_options)
    if not per_query:
        return comparison
    base, matched = comparison.systems.index(comparison.baseline), [run for _, run in evaluated]
    changes, _ = find_largest_changes(matched, results, next(iter(results[0].recipes)), base=base)
    return evolve(comparison, largest_changes=tuple(changes.values()))


@answer_session_options(SessionCompareOptions, "compare")
def compare_sessions(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    **options: Unpack[SessionCompareOptions],
) -> Comparison:
    """Is one system really better than another, by the sessions of a study?

    The test permutes searchers' whole assignments (which system on which scenario), so a Latin
    square remains one. More than two systems, each tried once by a searcher, are compared by a
    linear model whose residuals are permuted within searchers. Several systems that had the same
    conversations are paired by conversation, as runs are by query.

    Args:
        sessions: whatever `evaluate` takes; or what it returned.
        qrels: whatever `evaluate` takes.
        measures: whatever `evaluate` takes; systems are compared in each.
        by: the column that names the system.
        block: the columns whose effects are removed; by default searcher and scenario, if present.
            The first names who is exchanged, the others the tasks.
        **options: how systems are compared (`stats.MethodOptions`), how sessions are read and what
            counts as gain (`sessions.GainOptions`), and single settings, such as
            `duplicates="first"`.

    Returns:
        `Comparison`: the differences with block effects removed, their intervals and p.

    Examples:
        >>> from gainful import sessions
        >>> study = sessions.simulate_study(7)
        >>> sessions.compare(study.sessions, study.qrels, "sDCG@10", resamples=999)
        System 2 ...
    """
    method_options, reading = split_method(options)
    check_method(**method_options)
    results = evaluate_once(sessions, qrels, measures, **reading)
    return compare_results([results], by, block, **method_options)
