"""`Sessions`: what searchers were shown, query after query, one row for each result.

Tables of any make become one; a mistake is reported with its row or, if the caller asks for it, the
session is left out and counted. `SessionChoice` takes only some of the sessions, or the beginning
of each.

Systems that were tried on the same conversations, or agents on the same tasks, have sessions of
the same names in their files. Together these are separated by the system, and the column
`conversation` has the name that they share.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput, BadValue, WrongType, check_name
from gainful.read.column_names import (
    DOC,
    OPTIONAL_COLUMNS,
    POSITION,
    RANK,
    SESSION,
    SESSION_COLUMNS,
)
from gainful.read.named_columns import Header, InputTable, number_column, text_column
from gainful.read.session_layout import (
    BadPolicy,
    Mistake,
    Problem,
    RowIndices,
    SessionLayout,
    drop_repeated_docs,
    find_layout,
    find_missing_values,
    find_order_problems,
    first_error,
    flag_problems,
    has_repeats,
    list_problems,
    note_shown_twice,
    order_rows,
)
from gainful.text import count_noun, join_words, quote
from gainful.types import is_whole_number

# The others are the same for a whole query.
RESULT_COLUMNS = ("clicked", "purchased", "grade", "seconds")
LENGTH_COLUMNS = ("words", "chars")  # how long a document is
_ORDER = "\0order"  # of rows
LIST_LENGTH = "\0list_length"  # how many results a query has, where not all of them are rows
# What sessions cannot be grouped by.
UNGROUPABLE_COLUMNS = (
    *("session", "query", "rank", "doc", "text", "scanned", "current_query", "query_id", "time"),
    *(LIST_LENGTH, *RESULT_COLUMNS),
)
_SKIP_SESSIONS = "or --bad skip (bad='skip'), which leaves such sessions out"


@frozen(eq=False)
class Sessions:
    """Sessions of queries, each with the results that were shown.

    Rows are ordered by session, query and rank; a query that returned nothing is a row without a
    document.
    """

    frame: pl.DataFrame  # session, query (from 1), rank (from 1), doc; what else was told
    name: str = "sessions"
    per_turn: bool = False  # has every query judgments of its own, as turns of conversations do?
    notes: Sequence[str] = field(default=())
    # Place and words of what was left out.
    problems: Sequence[tuple[str, str]] = field(default=(), repr=False)
    dropped_count: int = 0  # sessions that were left out
    judged_by: str = "session"  # whose judgments count where there is no column topic
    gain_event: str = ""  # the action that gives grades, such as clicked
    # Of an engine: columns in which results of one query differ, each with such a session; and how
    # many results there are of each action.
    not_fetched: Mapping[str, str] = {}
    action_counts: Mapping[str, int] | None = None
    # Where queries begin, if that is known.
    known_layout: SessionLayout | None = field(default=None, repr=False)

    @property
    def layout(self) -> SessionLayout:
        """Where in the rows each session and each query begins."""
        return find_layout(self.frame) if self.known_layout is None else self.known_layout

    @property
    def columns(self) -> list[str]:
        """What sessions can be grouped by."""
        return [name for name in self.frame.columns if name not in UNGROUPABLE_COLUMNS]


def extract_session_rows(
    table: InputTable, position: str | None
) -> tuple[pl.DataFrame, list[Problem], bool]:
    """The rows of a table, what in them is not of its kind, and whether they have ranks."""
    header = table.header
    mistakes: list[Mistake] = []
    taken = name_columns(header, position or header.find_column(POSITION))
    queries = taken.get("position") or header.require(SESSION_COLUMNS["query"])
    columns = {
        "session": text_column(table, header.require(SESSION_COLUMNS["session"])),
        "query": read_whole_numbers(table, queries, "query", mistakes),
        "rank": pl.Series([None], dtype=pl.Int64).new_from_index(0, len(table.frame)),
        "doc": text_column(table, header.require(SESSION_COLUMNS["doc"])),
    }
    if "rank" in taken:
        columns["rank"] = read_whole_numbers(table, taken["rank"], "rank", mistakes)
        alone = columns["rank"].is_not_null() & (columns["doc"].is_null() | (columns["doc"] == ""))
        words = "there is a rank, but no document"
        mistakes.append((alone, lambda _: words, "neither, where a query returned nothing"))
    for name, column in OPTIONAL_COLUMNS.items():
        if name in taken:
            columns[name] = read_optional_column(table, taken[name], column.kind, mistakes)
    for name in table.frame.columns:
        if name not in taken.values() and name not in columns:
            columns[name] = table.frame[name]
    frame = pl.DataFrame(columns)
    return frame, flag_problems(frame, *mistakes), "rank" in taken


def name_columns(header: Header, position: str | None) -> dict[str, str]:
    """What the columns of a table of sessions are taken for: by that, the column.

    Which is that of the positions of queries depends on what it holds.
    """
    find = header.find_column
    known = {"session": find(SESSION), "position": position, "rank": find(RANK), "doc": find(DOC)}
    for name, column in OPTIONAL_COLUMNS.items():
        known[name] = find_free_column(header, column.names, known)
    return {name: column for name, column in known.items() if column is not None}


def find_free_column(
    header: Header, aliases: Sequence[str], taken: Mapping[str, str | None]
) -> str | None:
    """The column of one of these names that nothing else is taken for."""
    used = {*taken.values()}
    return header.find_column([each for each in aliases if header.find_column((each,)) not in used])


def check_sessions(
    frame: pl.DataFrame,
    name: str,
    locate: Callable[[int], str],
    *,
    bad: BadPolicy = "error",
    ranked: bool = True,
    first_counts: bool = False,
    per_turn: bool = False,
    notes: Sequence[str] = (),
    reader_problems: Sequence[Problem] = (),
) -> Sessions:
    """Sessions from rows, in order and found to be sound; `first_counts` as in `check_rows`."""
    if not len(frame):
        raise BadInput(name, "it has no sessions")
    checked = check_rows(
        frame, ranked=ranked, first_counts=first_counts, reader_problems=reader_problems
    )
    notes = (*notes, *note_shown_twice(checked.shown_twice))
    sound = Sessions(checked.frame, name, per_turn, notes, known_layout=checked.layout)
    if not checked.problems:
        return sound
    dropped_count, is_any_sound = len(checked.bad_sessions), len(sound.frame) > 0
    _, first = first_error(checked.problems, locate)
    note = tell_bad_sessions(first, dropped_count, name, bad, is_any_sound=is_any_sound)
    descriptions = list_problems(checked.problems, locate)
    return evolve(sound, notes=(*notes, note), problems=descriptions, dropped_count=dropped_count)


def tells_actions(frame: pl.DataFrame) -> bool:
    """Is this a log of pages, on which a document can be an advertisement and a result as well?"""
    return "clicked" in frame.columns or "purchased" in frame.columns


@frozen(eq=False)
class CheckedRows:
    """The rows of sound sessions in order, and what is wrong with the others."""

    frame: pl.DataFrame
    layout: SessionLayout
    problems: Sequence[Problem]
    bad_sessions: Collection[str]
    shown_twice: int = 0  # results whose document stands further up in their list


def check_rows(
    frame: pl.DataFrame,
    *,
    ranked: bool = True,
    first_counts: bool = False,
    reader_problems: Sequence[Problem] = (),
) -> CheckedRows:
    """The sound sessions of rows, and all that is wrong with any.

    A document twice in a list is a mistake; if `first_counts`, the first of them counts.
    """
    if (frame["doc"] == "").any():
        frame = frame.with_columns(doc=pl.when(pl.col("doc") != "").then(pl.col("doc")))
    if not ranked:
        frame = frame.with_columns(rank=pl.lit(1, dtype=pl.Int64))
    problems, kept = [*reader_problems, *find_missing_values(frame, reader_problems)], None
    bad_sessions = list_sessions(problems)
    if bad_sessions:
        kept = ~_are_in(frame["session"].fill_null(""), bad_sessions)
        frame = frame.filter(kept)
    frame, rows = order_rows(frame)
    layout = find_layout(frame)
    if not ranked:
        before = np.repeat(layout.query_starts, layout.query_lengths)
        frame = frame.with_columns(rank=pl.Series(np.arange(1, layout.row_count + 1) - before))
    if kept is not None:
        rows = kept.arg_true().to_numpy().astype(np.intp)[rows]
    order_problems = find_order_problems(
        frame, layout, rows, ranked=ranked, first_counts=first_counts
    )
    if order_problems:
        problems += order_problems
        bad_sessions = list_sessions(problems)
        frame = frame.filter(~_are_in(frame["session"], bad_sessions))
        layout = find_layout(frame)
    shown_twice = 0
    if first_counts and has_repeats(layout.doc_hashes, layout.query_starts):
        frame, shown_twice = drop_repeated_docs(frame.with_row_index(_ORDER), _ORDER)
        frame, layout = frame.drop(_ORDER), find_layout(frame)
    return CheckedRows(frame, layout, problems, bad_sessions, shown_twice)


def _are_in(sessions: pl.Series, some: Collection[str]) -> pl.Series:
    return sessions.is_in(pl.Series(sorted(some)).implode())


def tell_bad_sessions(
    first: BadInput, count: int, name: str, bad: BadPolicy, *, is_any_sound: bool
) -> str:
    """How many sessions are left out, and the first mistake; an error, unless that is asked for."""
    if bad == "error":
        raise BadInput(first.where, first.problem, f"{first.expected}; {_SKIP_SESSIONS}")
    if not is_any_sound:
        raise BadInput(name, f"no valid session is left; {first.where}: {first.problem}")
    return f"{count_noun(count, 'session')} left out: {first.where}: {first.problem}"


def count_actions(frame: pl.DataFrame) -> dict[str, int]:
    """To how many results each thing was done that searchers can do."""
    kinds = frame.schema.items()
    names = [name for name, kind in kinds if kind == pl.Boolean or name == "seconds"]
    return {name: int((frame[name].cast(pl.Float64) > 0).sum()) for name in names}


def count_results(frame: pl.DataFrame, layout: SessionLayout) -> RowIndices:
    """How many results each query has."""
    if LIST_LENGTH in frame.columns:
        lengths = frame[LIST_LENGTH].gather(layout.query_starts)
        return lengths.to_numpy().astype(np.intp)
    empty = frame["doc"].is_null()
    if not empty.any():
        return layout.query_lengths
    return np.asarray(layout.query_lengths - empty.gather(layout.query_starts).to_numpy(), np.intp)


def list_sessions(problems: Sequence[Problem]) -> set[str]:
    """The sessions that anything is wrong with."""
    return {each.session_at(at) or "" for each in problems for at in range(len(each.rows))}


def choose_position(header: Header, holds_texts: Callable[[str], bool]) -> str | None:
    """The first column of the usual names that holds no texts."""
    for alias in POSITION:
        column = header.find_column((alias,))
        if column is None:
            continue
        may_be_text = alias == "query" or column in header.own_names
        if not (may_be_text and holds_texts(column)):
            return column
    return None


def read_whole_numbers(
    table: InputTable, column: str, role: str, mistakes: list[Mistake]
) -> pl.Series:
    """Whole numbers; what is none is remembered as wrong."""
    values = table.frame[column]
    if values.dtype.is_integer() and values.dtype not in (pl.Int128, pl.UInt64):
        return values.cast(pl.Int64)
    hint = " (the text of a query is the column text)" if role == "query" else ""
    numbers = number_column(table, column)
    whole = numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() < 2**53)
    whole = whole.fill_null(value=False)
    flags = ~whole & ~is_blank(values)

    def describe(row: int) -> str:
        is_large = 2**53 <= abs(numbers[row] or 0) < inf
        return f"{role} {quote(values[row])} is {'too large' if is_large else 'not a whole number'}"

    mistakes.append((flags, describe, f"1, 2, 3 …{hint}"))
    return pl.select(pl.when(whole).then(numbers)).to_series().cast(pl.Int64)


def read_optional_column(
    table: InputTable, column: str, kind: str, mistakes: list[Mistake]
) -> pl.Series:
    """Texts, numbers or flags; what is not of its kind is remembered as wrong."""
    values = table.frame[column]
    if kind == "text":
        return text_column(table, column)
    if kind == "flag" and values.dtype == pl.Boolean:
        return values.fill_null(value=False)

    def refuse(wrong: pl.Series, words: str, expected: str) -> None:
        mistakes.append((wrong, lambda row: f"{column} {quote(values[row])} {words}", expected))

    if kind == "flag" and values.dtype == pl.String:
        plain = values.str.strip_chars().str.to_lowercase()
        odd = ~is_blank(values) & ~plain.is_in([*YES, *NO])
        refuse(odd, "is neither yes nor no", "1 or 0, true or false")
        return plain.is_in(YES).fill_null(value=False)
    numbers = number_column(table, column)
    no_number = ~numbers.is_finite().fill_null(value=False) & ~is_blank(values)
    refuse(no_number, "is not a finite number", "a number, or nothing")
    if kind == "flag":
        odd = numbers.is_finite() & ~numbers.is_in([0.0, 1.0])
        refuse(odd, "is neither 1 nor 0", "1 or 0, true or false")
        return numbers.fill_null(0.0) != 0
    return numbers.fill_nan(None)


YES, NO = ["1", "true", "yes", "y", "t"], ["0", "false", "no", "n", "f"]


def is_blank(values: pl.Series) -> pl.Series:
    """Which values are missing: null, blank, or NaN as pandas has it."""
    if values.dtype == pl.String:
        return (values.str.strip_chars() == "").fill_null(value=True)
    return values.is_null() | values.is_nan() if values.dtype.is_float() else values.is_null()


_MANY = 1 << 60  # queries; beyond it no column can count


@frozen
class SessionChoice:
    """Which sessions are wanted: with these values and numbers of queries; and how much of each."""

    where: Mapping[str, str] = {}
    min_queries: int | None = None
    first_queries: int | None = None

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.where, Mapping):
            raise WrongType("where", self.where, "{column: value}")
        for name in ("min_queries", "first_queries"):
            number = getattr(self, name)
            if number is not None and not (is_whole_number(number) and number >= 1):
                raise BadValue(name, number, "a whole number of at least 1")

    def choose(self, sessions: Sessions) -> Sessions:
        """What is asked for of these sessions, which may be nothing."""
        if not self.where and self.min_queries is None and self.first_queries is None:
            return sessions
        frame = sessions.frame
        for column, value in self.where.items():
            if column in sessions.not_fetched:
                raise _refuse_varying(sessions.name, column)
            check_name("column", column, ("session", *sessions.columns))
            text = str(value).encode(errors="backslashreplace").decode()  # polars takes UTF-8 only
            plain = frame[column].alias("").cast(pl.String)  # a name may be a pattern
            fits = (plain == text).fill_null(value=False)
            kept = frame["session"].is_in(frame["session"].filter(fits).unique().implode())
            if int(kept.sum()) != int(fits.sum()):
                raise _refuse_varying(sessions.name, column)
            frame = frame.filter(kept)
        if self.min_queries is not None:
            enough = pl.col("query").max().over("session") >= min(self.min_queries, _MANY)
            frame = frame.filter(enough)
        if self.first_queries is not None:
            frame = frame.filter(pl.col("query") <= min(self.first_queries, _MANY))
        return evolve(sessions, frame=frame, known_layout=None)


def _refuse_varying(name: str, column: str) -> BadInput:
    problem = f"some sessions have more than one {column}"
    return BadInput(name, problem, "a column that is the same for a whole session")


def filter_sessions(sessions: Sessions, choice: SessionChoice) -> Sessions:
    """Only some of the sessions, or the beginning of each; refused if none is left."""
    chosen = choice.choose(sessions)
    if not len(chosen.frame):
        raise nothing_chosen(sessions.name)
    return chosen


def nothing_chosen(name: str) -> BadInput:
    """A choice of sessions that leaves none."""
    return BadInput(name, "no session matches", "less restrictive conditions")


CONVERSATION, SYSTEM = "conversation", "system"
_SEPARATORS = ("/", ":", "|", "\x1f")  # the first that no name of a system has


def combine_systems(systems: Mapping[str, Sessions]) -> Sessions:
    """The sessions of several systems, by their names, as one.

    Examples:
        >>> first = pl.DataFrame({"session": ["s"], "query": [1], "rank": [1], "doc": ["a"]})
        >>> both = combine_systems({"bm25": Sessions(first), "dense": Sessions(first)})
        >>> both.frame.select("session", "system", "conversation").rows()
        [('bm25/s', 'bm25', 's'), ('dense/s', 'dense', 's')]
    """
    _refuse_mixtures(systems)
    separator = next(mark for mark in _SEPARATORS if not any(mark in name for name in systems))
    own = pl.col("session")
    parts = [
        sessions.frame.with_columns(
            own.alias(CONVERSATION),
            pl.lit(name).alias(SYSTEM),
            session=pl.concat_str(pl.lit(f"{name}{separator}"), own),
        )
        for name, sessions in systems.items()
    ]
    if any(LIST_LENGTH in part.columns for part in parts):  # of some, not all results are rows
        count = pl.col("doc").count().over("session", "query").cast(pl.Int64).alias(LIST_LENGTH)
        parts = [
            part if LIST_LENGTH in part.columns else part.with_columns(count) for part in parts
        ]
    frame = pl.concat(parts, how="diagonal_relaxed")
    notes = [f"{name}: {note}" for name, entry in systems.items() for note in entry.notes]
    pairs = frame.select(CONVERSATION, SYSTEM).unique()
    counts = pairs.group_by(CONVERSATION).len()["len"]
    judged_by = next(iter(systems.values())).judged_by
    if (counts < 2).all():  # no conversation is shared
        is_own = judged_by == "session" and "topic" not in frame.columns
        topic = [pl.col(CONVERSATION).alias("topic")] if is_own else []
        frame = frame.with_columns(topic).drop(CONVERSATION)
    else:
        if partial := int((counts < len(systems)).sum()):
            words = count_noun(partial, "conversation")
            notes.append(f"{words} occurred in only some of {len(systems)} systems")
        judged_by = CONVERSATION if judged_by == "session" else judged_by
    return Sessions(
        frame,
        join_words(list(systems)),
        per_turn=all(sessions.per_turn for sessions in systems.values()),
        notes=notes,
        problems=[problem for sessions in systems.values() for problem in sessions.problems],
        dropped_count=sum(sessions.dropped_count for sessions in systems.values()),
        judged_by=judged_by,
        not_fetched={
            column: f"{name}{separator}{own}"
            for name, entry in systems.items()
            for column, own in entry.not_fetched.items()
        },
    )


def _refuse_mixtures(systems: Mapping[str, Sessions]) -> None:
    """Sessions that are judged otherwise cannot be set beside others."""
    by_whole = [name for name, entry in systems.items() if not entry.per_turn]
    without = [name for name, entry in systems.items() if "topic" not in entry.frame.columns]
    for names, problem in (
        (by_whole, "its sessions are judged as a whole, those of another file turn by turn"),
        (without, "it has no topics, though another file has"),
    ):
        if 0 < len(names) < len(systems):
            raise BadInput(names[0], problem, "files of one kind")
