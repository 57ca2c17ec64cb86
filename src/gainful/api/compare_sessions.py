"""Is one system really better than another, by the sessions of a study? And a page about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from gainful.api.session_options import (
    SessionCompareOptions,
    SessionReportOptions,
    answer_session_options,
)
from gainful.api.sessions import evaluate
from gainful.convention.session import SessionConvention
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.study import check_method, compare_session_results
from gainful.evidence.method import split_method
from gainful.measure.build_recipes import Measures
from gainful.measure.cost import Cost
from gainful.measure.sessions.results import SessionResults
from gainful.read.inputs import AnyQrels
from gainful.read.session_inputs import AnySessions
from gainful.read.several_systems import SYSTEM

if TYPE_CHECKING:
    from gainful.show.pages.report import Report


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


@answer_session_options(SessionReportOptions)
def report(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    by: str | None = None,
    block: str | Sequence[str] | None = None,
    title: str | None = None,
    values_file: str | None = None,
    like: str | SessionConvention | None = None,
    cost: Cost | None = None,
    **options: Unpack[SessionReportOptions],
) -> Report:
    """A page about whole sessions, as HTML in one file: to open from disk, to send, to print.

    Which system is better and how sure that is, means with their intervals, what sessions bring
    query after query, who wins for which searcher, and every session or conversation.

    Args:
        sessions: whatever `evaluate` takes, of one system or of several; or what it returned.
        qrels: whatever `evaluate` takes.
        measures: whatever `evaluate` takes. What each query brought is shown by the first that
            cumulates gain.
        by: the column that names the system; system, if there is such a column.
        block: as `compare` has it.
        title: what the page is called.
        values_file: what the page calls a file beside it with all values, where it has a part.
        like: whose settings to follow.
        cost: what searching costs, as `evaluate` takes it.
        **options: how systems are tested (`stats.SignificanceOptions`); how sessions are read,
            which count and what gains (`sessions.ReadingOptions`, `sessions.GainOptions`), and
            single settings, such as `duplicates="first"`.

    Returns:
        The page, a text. It loads nothing, and has at most 10,000 conversations or sessions; where
        that is not all, its `values_csv` has the values of all of them.

    Examples:
        >>> from gainful.sessions import simulate_study
        >>> study = simulate_study(7)
        >>> page = report(study.sessions, study.qrels, "sDCG@10", resamples=999)
        >>> page[:15], "2 systems, 120 sessions" in page
        ('<!doctype html>', True)
    """
    from gainful.api import build_session_report as page  # noqa: PLC0415  (what draws is slow to load)

    page.require_extra()
    weighing, reading = split_method(options)
    method = check_method(**weighing)
    results = sessions
    if not isinstance(results, SessionResults):
        results = evaluate(sessions, qrels, measures, like=like, cost=cost, **reading)
    return page.build_session_report(
        results, by, block, weighing, method.resampling, title=title, values_file=values_file
    )
