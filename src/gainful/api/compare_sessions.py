"""Is one system really better than another, by the sessions of a study?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from gainful.api.session_options import SessionCompareOptions, answer_session_options
from gainful.api.session_results import SessionResults
from gainful.api.sessions import evaluate
from gainful.convention.session import SessionConvention
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.study import check_method, compare_session_results
from gainful.evidence.method import split_method
from gainful.measure.build_recipes import Measures
from gainful.measure.cost import Cost
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions
from gainful.read.several_systems import SYSTEM


@answer_session_options(SessionCompareOptions)
def compare(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str = SYSTEM,
    block: str | Sequence[str] | None = None,
    like: str | SessionConvention | None = None,
    cost: Cost | None = None,
    **options: Unpack[SessionCompareOptions],
) -> Comparison:
    """Is one system really better than another, by the sessions of a study?

    Searchers' whole assignments (which system on which scenario) are exchanged, as chance could
    have dealt them, so that a Latin square stays one. More than two systems, each tried once by a
    searcher, are compared by a linear model whose residuals are permuted within searchers. Several
    systems that had the same conversations are paired by conversation, as runs are by query.

    Args:
        sessions: whatever `evaluate` takes; or what it returned.
        qrels: whatever `evaluate` takes.
        measures: whatever `evaluate` takes; systems are compared in each.
        by: the column that names the system.
        block: the columns whose effects are taken out: searcher and scenario, if they are there.
            The first says whose assignments are exchanged, the others what was done.
        like: whose settings to follow.
        cost: what searching costs, as `evaluate` takes it.
        **options: how systems are compared (`stats.MethodOptions`); how sessions are read, which
            count and what gains (`sessions.ReadingOptions`, `sessions.GainOptions`), and single
            settings, such as `duplicates="first"`.

    Returns:
        `Comparison`: the differences with blocks taken out, their intervals and p.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> compare(study.sessions, study.qrels, "sDCG@10", resamples=999)
        System 2 ...
    """
    weighing, reading = split_method(options)
    check_method(**weighing)
    results = sessions
    if not isinstance(results, SessionResults):
        results = evaluate(sessions, qrels, measures, like=like, cost=cost, **reading)
    return compare_session_results(results, by, block, **weighing)
