"""How good are whole search sessions, of several queries each?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from gainful.api.run_options import refuse_beside_results, select_measures
from gainful.api.session_options import (
    EvaluationOptions,
    GainOptions,
    GroupedSessionOptions,
    SessionReading,
    answer_session_options,
    match_for,
)
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.match import click_judgments
from gainful.match.click_judgments import LEAST_IMPRESSIONS, LEAST_USERS, ClickJudgments
from gainful.measure.build_recipes import Measures
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.sessions.results import SessionResults
from gainful.read.inputs import AnyQrels
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_inputs import AnySessions, name_systems
from gainful.read.sessions import SessionChoice, filter_sessions
from gainful.text import name_way

if TYPE_CHECKING:
    from gainful.measure.explanation import Contributions


@answer_session_options(GroupedSessionOptions)
def evaluate(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    **options: Unpack[GroupedSessionOptions],
) -> SessionResults:
    """How good are these sessions, of several queries each?

    Args:
        sessions: a file, a frame, rows or columns as dicts, or `Sessions`: a row for each result
            that was shown, or for each event of a log; traces, transcripts and other logs; or
            several systems, in a list or by name.
        qrels: whatever `gainful.evaluate` takes; the topic of a session selects its judgments.
            Without them, searchers' own grades (the column grade) or clicks count.
        measures: names such as "nsDCG(b=2, bq=4)@10"; by default sDCG@10 and nsDCG@10, or sDCG@10
            alone if gain comes from actions.
        **options: how sessions are read and what counts as gain (`sessions.GainOptions`), and
            single settings, such as `duplicates="first"` or `b=10`.

    Returns:
        `SessionResults`: a value for every session and measure, group means, vectors.

    Examples:
        >>> import polars as pl
        >>> sessions = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["x", "a"]})
        >>> evaluate(sessions, {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10").mean
        {'sDCG(b=2, bq=4)@10': 2.0}
    """
    if isinstance(sessions, Qrels):
        raise WrongType("sessions", "judgments", "sessions first, then their judgments")
    group, queries = options.pop("group", None), options.pop("queries", None)
    reading = SessionReading.from_options(options, options.pop("cost", None))
    reading.build_recipes(measures)  # which refuses mistakes before anything is read
    judgments, chosen = reading.read(sessions, qrels)
    convention, recipes = reading.build_recipes(measures, chosen.gain_event)
    matched = match_for(next(iter(recipes.values())), chosen, judgments)
    results = SessionResults.from_matched(chosen.name, matched, recipes, convention)
    if group is None and queries is None:
        return results
    from gainful.api.clusters import group_sessions  # noqa: PLC0415  (few ask for it)

    return group_sessions(results, group, queries)


check_suffix = click_judgments.check_suffix  # of the file that they go into


@answer_session_options(EvaluationOptions)
def explain(
    sessions: AnySessions,
    session: str | None = None,
    qrels: AnyQrels | None = None,
    measure: str | Measure = "sDCG@10",
    **options: Unpack[EvaluationOptions],
) -> Contributions:
    """How is the value of a session computed, query by query and rank by rank?

    Args:
        sessions: whatever `sessions.evaluate` takes.
        session: its id; may be left out if there is one session.
        qrels: whatever `sessions.evaluate` takes.
        measure: one measure of sessions, such as "sDCG(b=2, bq=4)@10".
        **options: those of `sessions.evaluate`.

    Returns:
        `Contributions`: what each result adds; of sDCG and nsDCG with its gain, the discount of
        its rank and that of its query.

    Examples:
        >>> import polars as pl
        >>> shown = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["x", "a"]})
        >>> steps = explain(shown, "s", {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10").steps
        >>> [(step.query, step.doc, step.gain, step.contribution) for step in steps]
        [(1, 'x', 0.0, 0.0), (2, 'a', 3.0, 2.0)]
    """
    from gainful.measure.explanation import explain_session  # noqa: PLC0415  (few ask for it)

    reading = SessionReading.from_options(options)
    (recipe,) = reading.build_recipes(parse(measure))[1].values()
    judgments, chosen = reading.read(sessions, qrels)
    names = chosen.frame["session"].unique(maintain_order=True).to_list()
    if session is None and len(names) > 1:
        way = name_way(f"--session {names[0]}", f"session={names[0]!r}")
        raise BadValue("session", None, f"one of {len(names)} sessions, such as {way}")
    wanted = names[0] if session is None else str(session)
    if wanted not in names:
        raise UnknownName("session", wanted, names, lists_all=True)
    chosen = filter_sessions(chosen, SessionChoice({"session": wanted}))
    return explain_session(recipe, match_for(recipe, chosen, judgments))


@answer_session_options(GainOptions)
def judge_by_clicks(
    sessions: AnySessions,
    *,
    grades: str | None = None,
    least_impressions: int = LEAST_IMPRESSIONS,
    least_users: int = LEAST_USERS,
    **options: Unpack[GainOptions],
) -> ClickJudgments:
    """Which judgments follow from searchers' actions?

    The grade of a document is its mean gain per impression (clicks, unless `gain_from` is set),
    weighted by one over the `propensity` of its rank if that is given. See the [page on
    logs](logs.md) for what such judgments are worth.

    Args:
        sessions: a log, as `sessions.evaluate` takes it.
        grades: "0-3" for whole grades: 1 from a gain of 0.02, 2 from 0.1, 3 from 0.3 on.
        least_impressions: how often a query must have been asked to be judged.
        least_users: and by how many searchers.
        **options: how sessions are read and what counts as gain (`sessions.GainOptions`).

    Returns:
        `ClickJudgments`: `.qrels` for `gainful.evaluate`, `.write_qrels("qrels.csv")` for files.

    Examples:
        >>> import polars as pl
        >>> rows = {"session": ["s", "s", "t", "t"], "query": 1, "text": "soup"}
        >>> log = pl.DataFrame(rows | {"doc": ["a", "b", "a", "b"], "clicked": [1, 1, 0, 1]})
        >>> judged = judge_by_clicks(log, least_impressions=2, least_users=2)
        >>> judged.frame.select("query", "doc", "grade", "clicks", "impressions").rows()
        [('soup', 'a', 0.5, 1, 2), ('soup', 'b', 1.0, 2, 2)]
    """
    options.setdefault("gain_from", "clicked")
    weighted = options.get("propensity") is not None
    _, chosen = SessionReading.from_options(options).read(sessions, whole=True)
    return click_judgments.judge_by_clicks(
        chosen, grades, least_impressions, least_users, weighted=weighted
    )


def evaluate_once(
    sessions: AnySessions | SessionResults,
    qrels: AnyQrels | None,
    measures: Measures | None,
    **options: Any,
) -> SessionResults:
    """What `evaluate` gives for sessions; results are there already."""
    if isinstance(sessions, SessionResults):
        refuse_beside_results({"qrels": qrels, **options})
        return select_measures(sessions, measures)
    return evaluate(sessions, qrels, measures, **options)


def holds_systems(sessions: AnySessions, sessions_format: str | None = None) -> bool:
    """Are these the sessions of several systems, and not two files of one log?"""
    return name_systems(sessions, sessions_format) is not None
