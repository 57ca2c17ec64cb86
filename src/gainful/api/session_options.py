"""How sessions are read, which of them count, what gains: options of all that takes sessions.

One set of typed keywords serves `sessions.evaluate`, `compare`, `report`, `sweep`,
`explore` and `calibrate`; editors complete them, `help` shows them, and each is documented once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, TypedDict, cast

from attrs import field, fields_dict, frozen

from gainful.api.keywords import Function, answer_options
from gainful.api.run_options import GroupChoice
from gainful.convention.session import (
    SESSION_SETTINGS,
    Repeats,
    SessionConvention,
    SessionIdeal,
    Statistic,
    SubtopicGrades,
)
from gainful.errors import BadValue, WrongType
from gainful.evidence.method import METHOD_SETS
from gainful.formula import NamedFormula
from gainful.match.behaviour_gains import ESTIMATE, GainRule, gain_from_behaviour, list_behaviour
from gainful.match.sessions import MatchedSessions, match_sessions
from gainful.measure.build_recipes import Measures
from gainful.measure.build_session_recipes import Cost, build_session_recipes
from gainful.measure.entry import SessionRecipe
from gainful.read.anonymise import anonymise_errors, anonymise_sessions, choose_salt
from gainful.read.column_names import ColumnNames
from gainful.read.engines import find_engine
from gainful.read.inputs import AnyQrels, AnyRun, as_qrels, as_qrels_columns, as_run, as_run_columns
from gainful.read.propensities import AnyPropensities
from gainful.read.qrels_and_run import Qrels
from gainful.read.query_columns import AnyQueries
from gainful.read.read_options import AnyTopics, ReadOptions
from gainful.read.session_events import EventWords
from gainful.read.session_inputs import AnySessions, as_sessions
from gainful.read.session_layout import BadPolicy
from gainful.read.sessions import SessionChoice, Sessions, filter_sessions


class CheckOptions(TypedDict, total=False):
    """Those of `ReadingOptions` by which `gainful.check` reads sessions."""

    sessions_format: str | None
    topics: AnyTopics | None
    pages: str | None
    tool: str | Sequence[str] | None
    gap: str | float | timedelta | None
    events: EventWords | None


class ReadingOptions(CheckOptions, total=False):
    """How sessions are read, and which of them count; all options are optional.

    Args:
        where: only sessions that have these values in their columns.
        min_queries: only sessions with at least this many queries.
        first_queries: only the first N queries of each session.
        sessions_format: table, trec-session, conversation, dd, ubi, openinference, chat, turns or
            ikat; by content if it is not named.
        bad: refuse malformed sessions ("error"), or leave them out with a note ("skip"). By default
            they are refused; only sessions that `topics` does not name are left out.
        ties: of conversations: by document id (doc_descending, the default) or as given (input).
        topics: a file of lines `session topic`, or {session: topic}; these topics count instead.
        pages: of the Session Track: does a further page continue the list (merge, the default) or
            count as a query?
        columns: how columns of the sessions are called, such as {"session": "visit", "query":
            "step"}, if not as usual; of traces and transcripts, paths such as
            {"doc": "metadata.source"}; with judgments, "grade" is their column.
        tool: for traces and transcripts: the tool, or tools, whose calls are searches.
        gap: for a log: the pause that ends a session, such as "30m".
        events: for a log: the names of its events, such as {"shown": "view"}.
        anonymise: True replaces users, session ids and personal columns in all output with salted
            hashes; a text is the salt, which makes them reproducible.
    """

    where: Mapping[str, str] | None
    min_queries: int | None
    first_queries: int | None
    bad: BadPolicy | None
    ties: str | None
    columns: ColumnNames | None
    anonymise: bool | str


class GainOptions(ReadingOptions, total=False):
    """What counts as gain, and how sessions are read.

    Args:
        qrels_format: format of the judgments; by default recognised by content.
        gain_from: without judgments, what counts as gain: "clicked" (default), "purchased",
            "dwell>=30s", or weights such as {"clicked": 1, "purchased": 5}, of which the highest
            counts.
        propensity: probability of looking at each rank, which corrects gains from behaviour:
            a file of rank and propensity, a dict or list, or "estimate" from the clicks.
        last_run: for the Session Track: a run with the results of each session's last query.
    """

    qrels_format: str | None
    gain_from: GainRule | None
    propensity: AnyPropensities | None
    last_run: AnyRun | None


class SessionOptions(GainOptions, total=False):
    """Those of reading and gaining, and single settings of a convention of sessions.

    Args:
        like: whose settings to follow: jk2008 (default), kanoulas2011, trec_dd_2015, …
    """

    like: str | SessionConvention | None
    gain: str | Mapping[float, float] | NamedFormula | None
    rel: float | None
    discount: str | NamedFormula | None
    query_discount: str | NamedFormula | None
    rank_discount: Literal["restart", "concatenated"] | None
    duplicates: Repeats | None
    ideal: SessionIdeal | None
    lists: str | None
    at: str | None
    hold: Literal["held", "growing"] | None
    normalise: Literal["session", "query", "concatenated"] | None
    average: Literal["ratios", "vectors"] | None
    average_over: Literal["own", "common"] | None
    statistic: Statistic | None
    negative: Literal["zero", "keep", "error"] | None
    empty: Literal[0, 1, "skip", "error"] | None
    unjudged: Literal["auto", "zero", "drop", "error"] | None
    subtopic_grades: SubtopicGrades | None


class EvaluationOptions(SessionOptions, total=False):
    """All of these, and the settings that a sweep goes through by itself."""

    b: float | None
    bq: float | None
    depth: Literal["assumed", "scanned"] | None


class GroupedSessionOptions(EvaluationOptions, total=False):
    """What searching costs and how sessions are grouped, beside how they are read and measured.

    Args:
        cost: what searching costs, such as {"query": 50, "result": 200} or {"result": "tokens"}, a
            column: the measure Cost, and beside every mean its gain per cost.
        group: tell values and differences by group of sessions too: a column of the sessions or of
            `queries`, {session: group}, or a function of the session's id.
        queries: a table of the sessions or conversations: a file or frame with a column session, or
            {session: {attribute: value}}.
    """

    cost: Cost | None
    group: GroupChoice | None
    queries: AnyQueries | None


def answer_session_options(options: type, name: str = "") -> Callable[[Function], Function]:
    """Let a function that takes these options show them, and answer those that are misspelt.

    It answers by the `name` that it has in `gainful.sessions`, if it has another here.
    """
    sets = (*METHOD_SETS, ReadingOptions, GainOptions, SessionOptions, GroupedSessionOptions)
    answer: Callable[[Function], Function] = answer_options(options, sets, SESSION_SETTINGS)

    def rename(function: Function) -> Function:
        if name:
            function.__name__, function.__qualname__ = name, name
            function.__module__ = "gainful.sessions"
        return answer(function)

    return rename


_IN_ENGINE = (  # what can be done where sessions are, some whole ones at a time
    *("where", "min_queries", "first_queries", "bad", "columns", "gap", "events"),
    *("qrels_format", "gain_from"),
)


def list_others_in_parts(options: GainOptions) -> list[str]:
    """The options that need all sessions in memory, so that an engine cannot add them up."""
    return [
        name
        for name, value in options.items()
        if name not in _IN_ENGINE and (name, value) != ("sessions_format", "table")
        if value is not None and value is not False
        if not isinstance(value, (str, Sequence)) or value
    ]


@frozen(kw_only=True)
class SessionReading:
    """What these options say, as one value: it reads sessions, and builds recipes."""

    options: GainOptions  # how sessions are read, and what gains
    like: str | SessionConvention | None = None
    cost: Cost | None = None
    settings: Mapping[str, Any] = field(factory=dict)

    @classmethod
    def from_options(cls, options: Mapping[str, Any], cost: Cost | None = None) -> SessionReading:
        """Single settings apart from all else; the cost is an option of some functions only.

        Examples:
            >>> reading = SessionReading.from_options({"gap": "30m", "duplicates": "first"})
            >>> reading.options, reading.settings
            ({'gap': '30m'}, {'duplicates': 'first'})
        """
        given = dict(options)
        names = GainOptions.__annotations__
        reading = {name: given.pop(name) for name in options if name in names}
        like = given.pop("like", None)
        return cls(options=cast("GainOptions", reading), like=like, cost=cost, settings=given)

    def build_recipes(
        self, measures: Measures | None, gain_event: str = ""
    ) -> tuple[SessionConvention, dict[str, SessionRecipe]]:
        """The convention, and how each measure is computed."""
        return build_session_recipes(measures, self.like, self.settings, self.cost, gain_event)

    def read(
        self,
        sessions: AnySessions,
        qrels: AnyQrels | None = None,
        *,
        whole: bool = False,
        gains: bool = True,
    ) -> tuple[Qrels | None, Sessions]:
        """The judgments, if there are any, and the sessions that count.

        Of a frame in an engine, only the results that the judgments or the searchers say anything
        about are fetched, unless the whole is asked for.
        """
        options: dict[str, Any] = dict(self.options)
        salt = choose_salt(options.pop("anonymise", False))
        judgments, options["columns"] = read_session_qrels(
            qrels, options.pop("qrels_format", None), options.get("columns")
        )
        with anonymise_errors(salt):
            chosen = _choose_sessions(sessions, judgments, options, whole=whole, gains=gains)
        return (judgments, chosen) if salt is None else anonymise_sessions(judgments, chosen, salt)


def _choose_sessions(
    sessions: AnySessions, qrels: Qrels | None, options: dict[str, Any], *, whole: bool, gains: bool
) -> Sessions:
    """Those that are wanted, with gains if there are no judgments."""
    choice = choose_by(options)
    reading = {name: options[name] for name in fields_dict(ReadOptions) if name in options}
    gain_from, propensity = options.get("gain_from"), options.get("propensity")
    asked = {"gain_from": gain_from, "propensity": propensity}
    gain_from_actions((), judged=gains and qrels is not None, **asked)  # which refuses mistakes
    behaviour = None if gain_from is None else list_behaviour(gain_from)
    if isinstance(propensity, str) and propensity == ESTIMATE:
        _refuse_to_estimate(sessions)
    format_name = options.get("sessions_format")
    all_sessions = as_sessions(
        sessions,
        format_name,
        qrels=qrels,
        whole=whole,
        behaviour=behaviour,
        choice=choice,
        **reading,
    )
    if options.get("last_run") is not None:
        from gainful.read.trec_sessions import join_last_query  # noqa: PLC0415  (seldom asked for)

        run = as_run_columns(as_run(options["last_run"]))
        all_sessions = join_last_query(all_sessions, run)
    chosen = filter_sessions(all_sessions, choice)
    if gains and gain_from_actions(chosen.frame.columns, judged=qrels is not None, **asked):
        return gain_from_behaviour(chosen, gain_from, propensity)
    return chosen


def gain_from_actions(columns: Collection[str], *, judged: bool, **asked: Any) -> bool:
    """Is gain what searchers did: without judgments, if it is asked for or there are no grades?"""
    given = {name: value for name, value in asked.items() if value is not None}
    if judged:
        for name, value in given.items():
            raise BadValue(name, value, "nothing with judgments: they define the gain")
    return not judged and (bool(given) or ("grade" not in columns and "clicked" in columns))


def choose_by(options: Mapping[str, Any]) -> SessionChoice:
    """Which sessions count, by these options."""
    where = options.get("where")
    return SessionChoice(
        {} if where is None else where, options.get("min_queries"), options.get("first_queries")
    )


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


def read_session_qrels(
    qrels: AnyQrels | None, qrels_format: str | None = None, columns: ColumnNames | None = None
) -> tuple[Qrels | None, ColumnNames | None]:
    """The judgments as columns, and the names of columns that are left for the sessions.

    The grade is that of the judgments, or without judgments that of the searchers themselves.
    """
    if qrels is None:
        return None, columns
    if not isinstance(columns, Mapping | None):
        raise WrongType("columns", columns, '{"session": "visit", "query": "step"}')
    names = {str(role): name for role, name in (columns or {}).items()}
    own = {role: names.pop(role) for role in [*names] if role == "grade" or "qrels." in role}
    return as_qrels_columns(as_qrels(qrels, qrels_format, own)), names or None


def match_for(recipe: SessionRecipe, sessions: Sessions, qrels: Qrels | None) -> MatchedSessions:
    """Sessions as they are matched for a measure."""
    convention = recipe.convention
    return match_sessions(sessions, qrels, convention.unjudged, convention.subtopic_grades)
