"""How sessions are read, which of them count, what gains: options of all that takes sessions.

One set of typed keywords serves `sessions.evaluate`, `compare`, `report`, `sweep`,
`explore` and `calibrate`; editors complete them, `help` shows them, and each is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, TypedDict, cast

from gainful.api.keywords import Function, answer_options
from gainful.api.run_options import GroupChoice
from gainful.convention.session import (
    SESSION_SETTINGS,
    Repeats,
    SessionIdeal,
    Statistic,
    SubtopicGrades,
)
from gainful.evidence.method import MethodOptions, SignificanceOptions
from gainful.formula import NamedFormula
from gainful.match.behaviour_gains import GainRule
from gainful.read.column_names import ColumnNames
from gainful.read.inputs import AnyRun
from gainful.read.propensities import AnyPropensities
from gainful.read.query_columns import AnyQueries
from gainful.read.read_options import AnyTopics
from gainful.read.session_events import EventWords
from gainful.read.session_problems import BadPolicy


class ReadingOptions(TypedDict, total=False):
    """How sessions are read, and which of them count; each option may be left out.

    Args:
        where: only sessions that have these values in their columns.
        min_queries: only sessions with at least this many queries.
        first_queries: only the first N queries of each session.
        sessions_format: table, trec-session, conversation, dd, ubi, openinference, chat, turns or
            ikat; by content if it is not named.
        bad: refuse sessions that are not as they should be ("error"), or leave them out and say so
            ("skip"). If it is not named they are refused; only sessions that `topics` does not name
            are left out.
        ties: of conversations: by document id (doc_descending, the default) or as given (input).
        topics: a file of lines `session topic`, or {session: topic}; these topics count instead.
        pages: of the Session Track: does a further page continue the list (merge, the default) or
            count as a query?
        columns: how columns of the sessions are called, such as {"session": "visit", "query":
            "step"}, if not as usual; of traces and transcripts, paths such as
            {"doc": "metadata.source"}; with judgments, "grade" is their column.
        tool: of traces and transcripts: the tool, or several, whose calls are searches.
        gap: of a log: the pause after which a session of the user ends, such as "30m".
        events: of a log: what its words for events mean, such as {"shown": "view"}.
        anonymise: True for salted hashes in place of users, session ids and personal columns in
            all that is written; a text is the salt, by which they are the same next time.
    """

    where: Mapping[str, str] | None
    min_queries: int | None
    first_queries: int | None
    sessions_format: str | None
    bad: BadPolicy | None
    ties: str | None
    topics: AnyTopics | None
    pages: str | None
    columns: ColumnNames | None
    tool: str | Sequence[str] | None
    gap: str | float | timedelta | None
    events: EventWords | None
    anonymise: bool | str


class GainOptions(ReadingOptions, total=False):
    """What gains, beside how sessions are read: judgments, or what searchers did.

    Args:
        qrels_format: how a file of judgments is written; by content if it is not named.
        gain_from: without judgments, what gains: "clicked" (default), "purchased", "dwell>=30s", or
            weights such as {"clicked": 1, "purchased": 5}, of which the highest counts.
        propensity: how likely each rank is looked at, by which gains from behaviour are corrected:
            a file of rank and propensity, a dict or list, or "estimate" from the clicks.
        last_run: of the Session Track: a run by session, which answers the last query of each.
    """

    qrels_format: str | None
    gain_from: GainRule | None
    propensity: AnyPropensities | None
    last_run: AnyRun | None


class SessionOptions(GainOptions, total=False):
    """Those of reading and gaining, and single settings of a convention of sessions."""

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
    """How sessions are grouped, beside how they are read and measured.

    Args:
        group: tell values and differences by group of sessions too: a column of the sessions or of
            `queries`, {session: group}, or a function of the session's id.
        queries: a table of the sessions or conversations: a file or frame with a column session, or
            {session: {attribute: value}}.
    """

    group: GroupChoice | None
    queries: AnyQueries | None


def answer_session_options(options: type, name: str = "") -> Callable[[Function], Function]:
    """Let a function that takes these options show them, and answer those that are misspelt.

    It answers by the `name` that it has in `gainful.sessions`, if it has another here.
    """
    names = options.__annotations__.keys()
    all_sets = (
        *(SignificanceOptions, MethodOptions, ReadingOptions, GainOptions, GroupedSessionOptions),
    )
    sets = [some for some in all_sets if some.__annotations__.keys() <= names]
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


def can_be_in_parts(options: GainOptions) -> bool:
    """Can sessions in an engine be added up there, under these options?"""
    return not list_others_in_parts(options)


def list_others_in_parts(options: GainOptions) -> list[str]:
    """The options that need all sessions in memory."""
    return [
        name
        for name, value in options.items()
        if name not in _IN_ENGINE and not _is_left_out(value)
        if (name, value) != ("sessions_format", "table")
    ]


def _is_left_out(value: object) -> bool:
    return value is None or value is False or (isinstance(value, (str, Sequence)) and not value)


def split_options(options: SessionOptions) -> tuple[GainOptions, dict[str, Any]]:
    """Those that say how sessions are read and what gains, and single settings.

    Examples:
        >>> split_options({"gap": "30m", "duplicates": "first"})
        ({'gap': '30m'}, {'duplicates': 'first'})
    """
    named: Mapping[str, Any] = options
    reading = {name: value for name, value in named.items() if name in GainOptions.__annotations__}
    settings = {name: value for name, value in named.items() if name not in reading}
    return cast("GainOptions", reading), settings
