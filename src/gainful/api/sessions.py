"""How good are whole search sessions, of several queries each?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from gainful.api.run_options import refuse_beside_results, select_measures
from gainful.api.session_options import (
    EvaluationOptions,
    GainOptions,
    GroupedSessionOptions,
    answer_session_options,
    split_options,
)
from gainful.convention.session import SessionConvention
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.match import click_judgments
from gainful.match.behaviour_gains import ESTIMATE, GainRule, gain_from_behaviour, list_behaviour
from gainful.match.click_judgments import LEAST_IMPRESSIONS, LEAST_USERS, ClickJudgments
from gainful.match.sessions import match_sessions
from gainful.measure.build_recipes import Measures
from gainful.measure.build_session_recipes import Cost, build_session_recipes
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.sessions.results import SessionResults
from gainful.read.anonymise import anonymise_errors, anonymise_sessions, choose_salt
from gainful.read.column_names import ColumnNames
from gainful.read.engines import find_engine
from gainful.read.inputs import (
    AnyQrels,
    AnyRun,
    as_qrels,
    as_qrels_columns,
    as_run_columns,
    as_run_in_memory,
)
from gainful.read.propensities import AnyPropensities
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_inputs import AnySessions, as_sessions, name_systems
from gainful.read.sessions import SessionChoice, Sessions, filter_sessions
from gainful.text import name_way

if TYPE_CHECKING:
    from gainful.measure.contributions import Contributions


@answer_session_options(GroupedSessionOptions)
def evaluate(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    like: str | SessionConvention | None = None,
    cost: Cost | None = None,
    **options: Unpack[GroupedSessionOptions],
) -> SessionResults:
    """How good are these sessions, of several queries each?

    Args:
        sessions: a file, a frame, a list of dicts or `Sessions`: a row for each result that was
            shown, or for each event of a log; traces, transcripts and other logs; or several
            systems, in a list or by name.
        qrels: whatever `gainful.evaluate` takes; a session's topic is whose judgments count.
            Without them, what the searchers said themselves (the column grade) or did (clicks).
        measures: names such as "nsDCG(b=2, bq=4)@10"; sDCG@10 and nsDCG@10 if none is named,
            sDCG@10 alone where gain comes from actions.
        like: whose settings to follow: jk2008 (default), kanoulas2011, trec_dd_2015, …
        cost: what searching costs, such as {"query": 50, "result": 200} or {"result": "tokens"}, a
            column: the measure Cost, and beside every mean its gain per cost.
        **options: how sessions are read, which count and what gains (`sessions.ReadingOptions`,
            `sessions.GainOptions`), and single settings, such as `duplicates="first"` or
            `b=10`.

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
    reading, settings = split_options(options)
    build = partial(build_session_recipes, measures, like, settings, cost)
    build()  # which refuses mistakes before anything is read
    judgments, chosen_sessions = read_judged_sessions(sessions, qrels, reading)
    convention, recipes = build(chosen_sessions.observed)
    matching = next(iter(recipes.values())).convention
    matched_sessions = match_sessions(
        chosen_sessions, judgments, matching.unjudged, matching.subtopic_grades
    )
    name = chosen_sessions.name
    results = SessionResults.from_matched(name, matched_sessions, recipes, convention)
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
    *,
    like: str | SessionConvention | None = None,
    **options: Unpack[EvaluationOptions],
) -> Contributions:
    """How does one session come by its value, query by query and rank by rank?

    Args:
        sessions: whatever `sessions.evaluate` takes.
        session: its id; may be left out if there is one session.
        qrels: whatever `sessions.evaluate` takes.
        measure: one measure of sessions, such as "sDCG(b=2, bq=4)@10".
        like: whose settings to follow: jk2008 (default), kanoulas2011, trec_dd_2015, …
        **options: as `sessions.evaluate` has them.

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
    from gainful.measure.contributions import explain_session  # noqa: PLC0415  (few ask for it)

    reading, settings = split_options(options)
    (recipe,) = build_session_recipes(parse(measure), like, settings)[1].values()
    judgments, chosen = read_judged_sessions(sessions, qrels, reading)
    names = chosen.frame["session"].unique(maintain_order=True).to_list()
    if session is None and len(names) > 1:
        way = name_way(f"--session {names[0]}", f"session={names[0]!r}")
        raise BadValue("session", None, f"one of {len(names)} sessions, such as {way}")
    wanted = names[0] if session is None else str(session)
    if wanted not in names:
        raise UnknownName("session", wanted, names, lists_all=True)
    chosen = filter_sessions(chosen, SessionChoice({"session": wanted}))
    convention = recipe.convention
    matched = match_sessions(chosen, judgments, convention.unjudged, convention.subtopic_grades)
    return explain_session(recipe, matched)


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

    The grade of a document is its gain (by clicks, if `gain_from` says nothing else), weighted by
    one over the `propensity` of its rank if that is given, for each time that it was seen. See the
    [page on logs](logs.md) for what such judgments are worth.

    Args:
        sessions: a log, as `sessions.evaluate` takes it.
        grades: "0-3" for whole grades: 1 from a gain of 0.02, 2 from 0.1, 3 from 0.3 on.
        least_impressions: how often a query must have been asked to be judged.
        least_users: and by how many searchers.
        **options: how sessions are read, which count and what gains (`sessions.ReadingOptions`,
            `sessions.GainOptions`).

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
    _, chosen = read_judged_sessions(sessions, None, options, whole=True)
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


def read_judged_sessions(
    sessions: AnySessions,
    qrels: AnyQrels | None,
    options: GainOptions,
    *,
    whole: bool = False,
    gains: bool = True,
) -> tuple[Qrels | None, Sessions]:
    """The judgments, if there are any, and the sessions that count, as the options have it."""
    salt = choose_salt(options.pop("anonymise", False))
    judgments, names = read_session_qrels(
        qrels, options.pop("qrels_format", None), options.get("columns")
    )
    options["columns"] = names
    with anonymise_errors(salt):
        chosen = _choose_sessions(sessions, judgments, whole=whole, gains=gains, **options)
    return (judgments, chosen) if salt is None else anonymise_sessions(judgments, chosen, salt)


def _choose_sessions(
    sessions: AnySessions,
    qrels: Qrels | None = None,
    *,
    whole: bool = False,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    gain_from: GainRule | None = None,
    propensity: AnyPropensities | None = None,
    gains: bool = True,
    last_run: AnyRun | None = None,
    sessions_format: str | None = None,
    **reading: Any,
) -> Sessions:
    """Which sessions are judged: read, only those that are wanted, and with gains if none judged.

    Of a frame in an engine, only the results that the judgments or the searchers say anything
    about are fetched, unless the whole is asked for. Options are those of `GainOptions`.
    """
    behaviour = None if gain_from is None else list_behaviour(gain_from)
    if isinstance(propensity, str) and propensity == ESTIMATE:
        _refuse_to_estimate(sessions)
    all_sessions = as_sessions(
        sessions, sessions_format, qrels=qrels, whole=whole, behaviour=behaviour, **reading
    )
    if last_run is not None:
        from gainful.read.trec_sessions import join_last_query  # noqa: PLC0415  (seldom asked for)

        run = as_run_columns(as_run_in_memory(last_run))
        all_sessions = join_last_query(all_sessions, run)
    choice = SessionChoice({} if where is None else where, min_queries, first_queries)
    chosen = filter_sessions(all_sessions, choice)
    if gains:
        chosen = _add_gains(chosen, gain_from, propensity, judged=qrels is not None)
    return chosen


def _refuse_to_estimate(sessions: AnySessions) -> None:
    """Refuse to estimate propensities of a log that stays in an engine: that needs all of it."""
    values = sessions.values() if isinstance(sessions, Mapping) else (sessions,)
    engine = next((each for value in values if (each := find_engine(value))), None)
    if engine is not None:
        allowed = (
            f"propensities of ranks, as numbers or a file, for a log in {engine.name}; estimate "
            "them from a sample in memory"
        )
        raise BadValue("propensity", ESTIMATE, allowed)


def _add_gains(
    sessions: Sessions,
    gain_from: GainRule | None,
    propensity: AnyPropensities | None,
    *,
    judged: bool,
) -> Sessions:
    """Without judgments and grades, gains from what searchers did, if anything is known of it."""
    if judged:
        for name, value in (("gain_from", gain_from), ("propensity", propensity)):
            if value is not None:
                raise BadValue(name, value, "nothing with judgments: they define the gain")
        return sessions
    columns = sessions.frame.columns
    asked = gain_from is not None or propensity is not None
    if asked or ("grade" not in columns and "clicked" in columns):
        return gain_from_behaviour(sessions, gain_from, propensity)
    return sessions


def holds_systems(sessions: AnySessions, sessions_format: str | None = None) -> bool:
    """Are these the sessions of several systems, and not two files of one log?"""
    return name_systems(sessions, sessions_format) is not None


def read_session_qrels(
    qrels: AnyQrels | None, qrels_format: str | None = None, columns: ColumnNames | None = None
) -> tuple[Qrels | None, ColumnNames | None]:
    """The judgments as columns, and the names of columns that are left for the sessions.

    The grade is that of the judgments, or without judgments that of the searchers themselves.
    """
    if qrels is None:
        return None, columns
    names = dict(columns or {})
    own = {role: names.pop(role) for role in [*names] if role == "grade" or "qrels." in role}
    return as_qrels_columns(as_qrels(qrels, qrels_format, own)), names or None
