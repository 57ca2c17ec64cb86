"""Is this run good enough to ship?"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from attrs import evolve

from gainful.api.clusters import find_clusters
from gainful.api.evaluate import evaluate_run
from gainful.api.run_options import GroupOptions, RunOptions, RunReading, answer_run_options
from gainful.errors import GainfulError, WrongType
from gainful.evidence.gates.apply_rules import apply_rules
from gainful.evidence.gates.baseline import make_baseline
from gainful.evidence.gates.rules import MeasureBounds, RuleOptions, Rules
from gainful.evidence.gates.verdict import Verdict
from gainful.evidence.options import ClusterOptions, PairOptions
from gainful.evidence.pairing import ClusterChoice
from gainful.measure.build_recipes import Measures
from gainful.page.render import write_atomically
from gainful.read.baseline import read_baseline
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.qrels_and_run import NestedDict, Qrels


class GateOptions(RuleOptions, ClusterOptions, GroupOptions, total=False):
    """Options of a gate: its rules, how the run is read, and what is saved. All are optional.

    Args:
        baseline: the file of an earlier run, which `save_baseline` wrote.
        measures: what to evaluate besides those that have a rule; if none has one or all are
            tested for significance, those of the baseline.
        error_rates: show how often the rules stop a build that is no worse, and which drop they
            catch in 80 % of cases. Saving a baseline always shows this.
        save_to: the file in which the run becomes a baseline, if it passes.
        name: the name of the run.
    """

    baseline: str | PathLike[str] | None
    measures: Measures | None
    error_rates: bool
    save_to: str | PathLike[str] | None
    name: str | None


@answer_run_options(GateOptions, (RuleOptions, GateOptions, PairOptions, GroupOptions, RunOptions))
def gate(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    floors: MeasureBounds | None = None,
    **options: Unpack[GateOptions],
) -> Verdict:
    """Is this run good enough to ship, by itself and against a baseline?

    Args:
        qrels: whatever `evaluate` takes.
        run: whatever `evaluate` takes; leave it out if qrels contains both.
        floors: the lowest allowed mean of each measure; with `group`, "faq:R@5" is that of a
            group of queries, "*:R@5" of every group.

    Returns:
        `Verdict`: whether the run passed, the rules, and the queries to look at first.

    Examples:
        >>> gate({"1": {"a": 1}}, {"1": ["b", "a"]}, floors={"RR": 0.6}).checks[0].message
        'RR 0.5000 is below its floor 0.6'
    """
    given: dict[str, Any] = {"floors": floors, **options}
    names = [name for name in ("floors", *RuleOptions.__annotations__) if name in given]
    rules = Rules(**{name: given.pop(name) for name in names})
    verdict = judge_run(qrels, run, rules, **given)
    verdict.save_baseline()
    return verdict


def judge_run(
    qrels: AnyQrels,
    run: AnyRun | None,
    rules: Rules,
    *,
    baseline: str | PathLike[str] | None = None,
    save_to: str | PathLike[str] | None = None,
    measures: Measures | None = None,
    error_rates: bool = False,
    cluster: ClusterChoice | None = None,
    name: str | None = None,
    **options: Unpack[GroupOptions],
) -> Verdict:
    """The verdict on a run by these rules; nothing is saved before its `save_baseline`."""
    if not isinstance(save_to, str | PathLike | None):
        raise WrongType("save_to", save_to, "the path of a file")
    reading = RunReading.from_options(options)
    if reading.settings:  # of which one may be a rule by another name
        reading.build_recipes(measures)
    rules.refuse_idle(has_baseline=baseline is not None, saving=save_to is not None)
    old_baseline = None if baseline is None else read_baseline(baseline)
    known = () if old_baseline is None else old_baseline.measures
    wanted = rules.measures_to_evaluate(measures, known)
    run = reading.require_run(qrels, run)
    clusters = find_clusters(cluster, reading, qrels, run)
    results, matched = evaluate_run(qrels, run, wanted, reading, name)
    verdict = apply_rules(
        results,
        rules,
        qrels=matched.qrels,
        baseline=old_baseline,
        saving=save_to is not None,
        error_rates=error_rates,
        clusters=clusters,
    )
    return verdict if save_to is None else _note_saving(verdict, matched.qrels, fspath(save_to))


@answer_run_options()
def save_baseline(
    qrels: AnyQrels,
    run: AnyRun,
    path: str | PathLike[str],
    measures: Measures | None = None,
    **options: Unpack[RunOptions],
) -> None:
    """Save what a run scores in a file to compare later runs with.

    Args:
        qrels: whatever `evaluate` takes.
        run: whatever `evaluate` takes.
        path: the file.
        measures: whatever `evaluate` takes.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from gainful.testing import assert_ranking_quality
        >>> judged, run = {"1": {"a": 2, "b": 1}}, {"1": ["a", "b"]}
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "baseline.json")
        ...     save_baseline(judged, run, path, "nDCG@10")
        ...     drop = {"nDCG@10": 0.01}
        ...     verdict = assert_ranking_quality(judged, run, baseline=path, max_drop=drop)
        >>> verdict.checks[0].message
        'nDCG@10 did not drop: from 1.0000 to 1.0000'
    """
    results, matched = evaluate_run(qrels, run, measures, RunReading.from_options(options))
    write_atomically(path, make_baseline(results, matched.qrels).to_text())


def _note_saving(verdict: Verdict, qrels: Qrels | NestedDict, path: str) -> Verdict:
    """Make the run a baseline if it passed, with a note in both cases."""
    if not verdict.passed:
        return evolve(verdict, notes=[*verdict.notes, f"{path} is not written, as the run failed"])
    made = make_baseline(verdict.results, qrels, verdict.baseline)
    notes = [f"the run is saved as a baseline in {path}"] if verdict.checks else []
    if not made.anchor and verdict.baseline is not None:
        notes.append("a new chain of baselines starts: the old one is not comparable")
    elif not made.anchor and (lost := _count_saves(path)) > 1:
        chain = f"the chain of {lost} baselines in {path}"
        notes.append(f"{chain} ends, and a new one starts, as --baseline did not name it")
    return evolve(verdict, saved=path, new_baseline=made, notes=[*verdict.notes, *notes])


def _count_saves(path: str) -> int:
    if not Path(path).exists():
        return 0
    try:
        return len(read_baseline(path).history)
    except GainfulError:  # it is written over, whatever it was
        return 0
