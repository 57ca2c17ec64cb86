"""`SessionEvents`: what happened in searches, one row for each event, however it was logged.

Click logs, traces of agents, chat transcripts and UBI become this shape, and `build_sessions` makes
sessions of it. A reader gives the columns of `EVENT_COLUMNS` that its format knows (the others
are null) and may add columns of its own, which sessions can be grouped by.

A list that was shown is one row `shown` for each of its results. What searchers did to a result
may stand in that row (`clicked`, `seconds`, `purchased`), or come as later rows of its own, whose
`event` is `clicked`, `purchased` or any other word. A row `query` says that a query was asked: with
no result after it, it returned nothing. Where lists come whole, as traces have them, each is one
row `query`, and its results are some of the `docs` of all lists together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import field, frozen

from gainful.errors import UnknownName, WrongType
from gainful.read.column_names import LOG_COLUMNS, SESSION_COLUMNS, normalise_name
from gainful.read.session_problems import COLUMNS, Mistake, Problem, flag_problem
from gainful.text import join_words, quote

SHOWN, ASKED = "shown", "query"  # all other words of `event` are things that searchers did
DWELL = "dwell"  # says nothing but its `seconds`
FIRST, LENGTH = "\0first", "\0length"  # of a whole list: which of `docs` are its results
SHOWN_TWICE = (  # singular|plural
    "result repeats a document of its list, and is left out|results repeat documents of their "
    "lists, and are left out"
)
TIME = pl.Datetime("us", "UTC")
EVENT_COLUMNS: Mapping[str, pl.DataType] = {
    "session": pl.String(),  # null in all rows, if sessions are made of users and a gap
    "user": pl.String(),
    "time": TIME,  # null in all rows, if the order of rows is all that is known
    "query_id": pl.String(),  # rows of a session with the same one are of one query
    "position": pl.Int64(),  # of the query in its session, from 1, if it is told
    "text": pl.String(),  # of the query
    "event": pl.String(),  # shown, query, clicked, purchased, …
    "rank": pl.Int64(),  # from 1; null in all rows, if the order of rows is the ranking
    "doc": pl.String(),
    "clicked": pl.Boolean(),  # of a result that was shown; null where it is not known
    "purchased": pl.Boolean(),
    "seconds": pl.Float64(),  # how long the searcher stayed with the document
}


@frozen(eq=False)
class SessionEvents:
    """Events of searches as they stood in a file, and what a reader found to be wrong with them."""

    frame: pl.DataFrame  # the columns of EVENT_COLUMNS, and others of the user's own
    name: str  # of the file, for messages
    locate: Callable[[int], str]  # the place of a row, for messages
    notes: Sequence[str] = field(default=())  # what was taken for what
    problems: Sequence[Problem] = field(default=())  # rows that cannot be read
    docs: pl.Series | None = None  # where each row is a whole list
    grades: pl.Series | None = None  # of these documents, if the log carries any
    judged_by: str = "session"  # whose judgments count where there is no column topic
    known: Mapping[str, bool] = field(default={})  # of a part: which columns the log tells at all
    unordered: str = ""  # where rows have no order: the engine that they are in

    def tells(self, column: str) -> bool:
        """Is it told in any row of the log?"""
        return self.known.get(column, tells(self.frame, column))


def tells(frame: pl.DataFrame, column: str) -> bool:
    """Is something told in any row?"""
    return frame[column].null_count() < len(frame)


def make_events(
    columns: Mapping[str, pl.Series] | pl.DataFrame,
    name: str,
    locate: Callable[[int], str],
    *,
    notes: Sequence[str] = (),
    problems: Sequence[Problem] = (),
    docs: pl.Series | None = None,
    grades: pl.Series | None = None,
    judged_by: str = "session",
) -> SessionEvents:
    """Events from the columns that a reader knows; where it tells no event, results were shown.

    Examples:
        >>> events = make_events({"session": pl.Series(["s"]), "doc": pl.Series(["a"])}, "log", str)
        >>> events.frame.select("session", "event", "doc", "rank").row(0)
        ('s', 'shown', 'a', None)
    """
    frame = pl.DataFrame(columns)
    usual = [
        (pl.col(column) if column in frame.columns else pl.lit(None)).cast(kind).alias(column)
        for column, kind in EVENT_COLUMNS.items()
    ]
    others = [column for column in frame if column.name not in EVENT_COLUMNS]
    frame = frame.select(*usual, *others).with_columns(pl.col("event").fill_null(SHOWN))
    return SessionEvents(frame, name, locate, notes, problems, docs, grades, judged_by)


EventWords = Mapping[str, str | Sequence[str]]  # what an event is → the word of the log

MAX_KINDS = 50  # words of events; more are ids

_WORDS: Mapping[str, tuple[str, ...]] = {
    SHOWN: (
        *("shown", "show", "impression", "impressions", "imp", "exposure", "display"),
        *("displayed", "result", "results", "serp", "serp_view", "result_impression"),
    ),
    ASKED: ("query", "search", "searched", "query_submitted", "submit_query", "search_query"),
    "clicked": (
        *("clicked", "click", "click_through", "clickthrough", "item_click", "result_click"),
        *("product_click", "select", "select_item", "open", "opened"),
    ),
    "purchased": (
        *("purchased", "purchase", "buy", "bought", "order", "ordered", "transaction"),
        *("conversion", "converted"),
    ),
    DWELL: ("dwell", "dwelt", "dwell_time"),
}
EVENT_OF_WORD: Mapping[str, str] = {word: kind for kind, words in _WORDS.items() for word in words}
# Columns of sessions that no event may be called.
_TAKEN = {
    name
    for name, column in {**SESSION_COLUMNS, **LOG_COLUMNS}.items()
    if column.kind != "flag" and name not in EVENT_OF_WORD.values()
} - {"scanned"} | {"position", "query_position", "query_text"}


def read_event_words(events: EventWords | None) -> dict[str, str]:
    """What each word of a log means: the usual words, and those that the user names.

    Examples:
        >>> read_event_words({"shown": "view"})["view"]
        'shown'
    """
    if events is None:
        return dict(EVENT_OF_WORD)
    if not isinstance(events, Mapping):
        raise WrongType("events", events, '{"shown": "view", "clicked": "open"}')
    words: dict[str, str] = {}
    for kind, given in events.items():
        if kind not in _WORDS:
            raise UnknownName("event", str(kind), list(_WORDS))
        names: tuple[Any, ...] = (given,) if isinstance(given, str) else tuple(given)
        if not names or not all(isinstance(name, str) and name for name in names):
            raise WrongType(f"events[{quote(kind)}]", given, "a word of the log, or several")
        words |= {normalise_name(name): kind for name in names}
    return {**EVENT_OF_WORD, **words}


def name_event(word: str, words: Mapping[str, str]) -> str:
    """What an event is, in the words of sessions; never the name of another column of theirs.

    Examples:
        >>> name_event("buy", EVENT_OF_WORD), name_event("rank", EVENT_OF_WORD)
        ('purchased', 'rank_event')
    """
    kind = words.get(word, word)
    return f"{kind}_event" if kind in _TAKEN else kind


def find_behaviour(name: str, columns: Sequence[str]) -> str | None:
    """The column that says whether something was done, by that name or the usual one; or None.

    Examples:
        >>> find_behaviour("buy", ["doc", "purchased"])
        'purchased'
    """
    usual = name_event(normalise_name(name), EVENT_OF_WORD)
    either = (usual, name) if name in _TAKEN else (name, usual)
    column = next((each for each in either if each in columns), None)
    return None if column in ("session", "query", "rank", "doc") else column


def list_shown_words() -> str:
    """The usual words for a result that was shown."""
    return ", ".join(_WORDS[SHOWN][:4])


def find_event_problems(events: SessionEvents, owner: str) -> list[Problem]:
    """Events that cannot be placed: of nobody, of no time, of no query, of no document.

    Those that the reader has found already are not told again. Kinds of which there are none are
    listed, too: parts of a log are counted together.
    """
    frame = events.frame
    fresh = np.ones(len(frame), dtype=bool)
    for problem in events.problems:
        fresh[problem.rows] = False
    opens = frame["event"].is_in([SHOWN, ASKED])
    has_text, no_doc = frame["text"].is_not_null(), frame["doc"].is_null()
    no_query_id = frame["query_id"].is_null() & opens
    unasked = no_query_id & frame["position"].is_null() & ~has_text
    unshown = (frame["event"] == SHOWN) & no_doc & frame["rank"].is_not_null()
    mistakes: list[Mistake] = [
        (frame[owner].is_null(), lambda _: f"the {owner} is null", f"a {owner} in every row"),
        (unasked, lambda _: "an event without a query", COLUMNS),
        (
            ~opens & no_doc,
            lambda row: f"the event {quote(frame['event'][row])} has no document",
            "the document of the event",
        ),
        (
            unshown,
            lambda _: "there is a rank, but no document",
            "neither, where a query returned nothing",
        ),
    ]
    if events.tells("query_id") and not events.tells("position"):
        expected = "an id of the query in every row, or no such column"
        words = "there is no query id, though others have one"
        mistakes.append((no_query_id & has_text, lambda _: words, expected))
    if events.tells("time"):
        untimed = "there is no time, though others have one"
        mistakes.append((frame["time"].is_null(), lambda _: untimed, "a time in every row"))
    placed = pl.Series(fresh)
    problems = [
        flag_problem(frame, placed & flags, words, right) for flags, words, right in mistakes
    ]
    return [*problems, _find_shared_sessions(frame)] if owner == "session" else problems


def _find_shared_sessions(frame: pl.DataFrame) -> Problem:
    """Events of sessions that two users have: one of their ids is not what it says."""
    users = frame.lazy().group_by("session").agg(pl.col("user").drop_nulls().unique().sort())
    shared = users.filter(pl.col("user").list.len() > 1).collect()
    names = dict(shared.iter_rows())

    def describe(row: int) -> str:
        users = names[frame["session"][row]]
        number = "two users" if len(users) == 2 else f"{len(users)} users, such as"
        # Each is called a user, so that `anonymise` finds it.
        return f"it has {number}, {join_words([f'user {quote(name)}' for name in users[:2]])}"

    flags = frame["session"].is_in(shared["session"].implode())
    return flag_problem(frame, flags, describe, "one user for a session")


def find_spans(frame: pl.DataFrame, row: str) -> pl.DataFrame:
    """From when to when each session of a user lasted, and where it first appears."""
    lasts = (pl.col("time").min().alias("start"), pl.col("time").max().alias("end"))
    timed = frame.lazy().filter(pl.col("user").is_not_null() & pl.col("time").is_not_null())
    return timed.group_by("user", "session").agg(*lasts, pl.col(row).min().alias("row")).collect()


def describe_overlaps(spans: pl.DataFrame, locate: Callable[[int], str]) -> list[str]:
    """Sessions of one user at the same time: perhaps they are one, perhaps there were two tabs."""
    overlapping = (
        spans.sort("user", "start", "end", "session")
        .with_columns(last=pl.col("end").cum_max().shift(1).over("user"))
        .filter(pl.col("start") < pl.col("last"))
        .sort("start", "session")
    )
    if not len(overlapping):
        return []
    session, user, first_row = (overlapping[name][0] for name in ("session", "user", "row"))
    count = len(overlapping)
    number = "1 session overlaps" if count == 1 else f"{count:,} sessions overlap"
    first = "" if count == 1 else "first "
    words = f"{first}{locate(first_row)}: session {quote(session)} of user {quote(user)}"
    return [f"{number} another of the same user in time, and counts separately: {words}"]
