"""Any table of a search log in lazy polars, DuckDB or Spark → its events, which stay there.

Columns are found by their usual names or as the user maps them, as of a table in memory; what they
hold is counted in the engine, and each becomes an expression of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput
from gainful.read.column_names import SESSION_ROLES, ColumnMapping
from gainful.read.engines import Engine
from gainful.read.event_table import (
    IDS,
    NAMES,
    assign_columns,
    assign_others,
    describe_names,
    refuse_kinds,
    require_columns,
)
from gainful.read.event_words import (
    EVENT_OF_WORD,
    LOG_COLUMNS,
    MAX_KINDS,
    MILLISECONDS,
    EventWords,
    read_event_words,
)
from gainful.read.lazy import open_columns
from gainful.read.lazy_event_times import (
    EXPECTED,
    TIME,
    add_times,
    ask_for_form,
    find_wrong_times,
)
from gainful.read.lazy_run import as_narwhals
from gainful.read.lazy_sessions import has_order
from gainful.read.lazy_values import (
    LazyValues,
    Reader,
    blank_to_null,
    read_flags,
    read_ids,
    read_numbers,
    read_text,
    read_whole_numbers,
)
from gainful.read.named_columns import Header
from gainful.read.session_events import ASKED, EVENT_COLUMNS, SHOWN
from gainful.read.sessions import POSITION, RESULT_COLUMNS, SESSION
from gainful.text import quote

ROW = "gainful_row"  # the number of a row, where rows have an order
OPENS = "gainful_opens"  # does a row show a result or ask a query?
_GIVEN, _WRONG = (
    "gainful_given_",
    "gainful_wrong_",
)  # before a role: what stands there, if it is wrong
_OF_RESULTS = {*EVENT_COLUMNS, *RESULT_COLUMNS} - {"user", "text"}
_WRITTEN = "gainful_written"
_MAX_SPELLINGS = 10 * MAX_KINDS
_WHOLE = r"^\s*[0-9]+([.][0-9]*)?\s*$"
_READERS: Mapping[str, Reader] = {"text": read_text, "number": read_numbers, "flag": read_flags}


@frozen(eq=False)
class LazyTable:
    """A frame of an engine whose columns are called as they are looked for."""

    frame: nw.LazyFrame[Any]
    schema: Mapping[str, Any]
    header: Header
    engine: Engine

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self.header.name

    def collect(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        """A few rows, here."""
        return self.engine.collect(frame.to_native())

    def count(self, **counts: nw.Expr) -> dict[str, int]:
        """Numbers of the whole table, in one pass."""
        row = self.collect(self.frame.select(**counts)).row(0, named=True)
        return {name: int(value or 0) for name, value in row.items()}


@frozen(eq=False)
class LazyMistake:
    """Something that can be wrong with a row: where it is, how it is told, and what is right."""

    flags: nw.Expr
    words: Callable[[Mapping[str, Any]], str]  # of such a row
    expected: str


@frozen(eq=False)
class LazyEvents:
    """Events of searches that stay in the engine of their owner."""

    rows: nw.LazyFrame[Any]  # columns of EVENT_COLUMNS, as far as they are there; time in µs
    table: LazyTable
    counts: Mapping[str, int]  # of values, by role; of rank: in rows that show results
    row_count: int
    actions: Sequence[str]  # what searchers did, as rows of its own
    query_columns: Sequence[str]  # what else is told, and should be so of all results of a query
    result_columns: Sequence[str]
    notes: Sequence[str] = field(default=())
    mistakes: Sequence[LazyMistake] = field(default=())

    def has(self, role: str) -> bool:
        """Is it told in any row?"""
        return self.counts.get(role, 0) > 0


def open_table(native: Any, engine: Engine, name: str, columns: ColumnMapping) -> LazyTable:
    """A frame of an engine, and what its columns are called and hold."""
    frame, own_names = open_columns(native, engine, columns, SESSION_ROLES, name)
    if isinstance(native, pl.LazyFrame):  # whose columns of nothing have no kind
        kinds = frame.to_native().collect_schema().items()
        frame = frame.drop(*(column for column, kind in kinds if kind == pl.Null))
    schema = dict(frame.collect_schema())
    if engine.ordered:
        numbered: Any = frame.to_native()
        frame = as_narwhals(numbered.with_row_index(ROW)).with_columns(nw.col(ROW).cast(nw.Int64))
    return LazyTable(frame, schema, Header(list(schema), name, own_names), engine)


def is_lazy_event_log(table: LazyTable, position: str | None) -> bool:
    """Has a table to be read event by event, as its queries are not numbered within sessions?

    Args:
        table: of an engine.
        position: its column of the positions of queries, if there is one.
    """
    if table.header.find_column(SESSION) is None or position is None:
        return True
    return _find_event_column(table, {}) is not None


def extract_lazy_events(
    table: LazyTable, position: str | None, events: EventWords | None = None
) -> LazyEvents:
    """The events of a table of an engine.

    Args:
        table: a row for each result that was shown, or for each event.
        position: its column of the positions of queries, if there is one.
        events: what words of the log mean, beside the usual ones.
    """
    words = read_event_words(events)
    event = _find_event_column(table, words)
    taken = assign_columns(table.header, position, event)
    forms: dict[str, str] = {}
    milliseconds = table.header.find_column(MILLISECONDS)
    if "seconds" not in taken and milliseconds is not None:
        taken["seconds"], forms["seconds"] = milliseconds, "in milliseconds"
    require_columns(table.header, taken)
    others = assign_others(table.header, taken)
    kinds = {} if event is None else _list_kinds(table, event, words)
    values = _read_columns(table, taken, others)
    values["event"] = _read_events(event, kinds, words)
    table, counts = _count_values(table, values, taken.get("time"))
    if "time" in taken:
        table, values["time"], forms["time"], counts["time"] = _read_times(
            table, taken["time"], counts
        )
    if "seconds" in forms:
        values["seconds"] = _change(values["seconds"], lambda ms: ms / 1000)
    if counts.get("rank") and counts["lowest_rank"] == 0:
        values["rank"] = _change(values["rank"], lambda rank: rank + 1)
        forms["rank"] = "counted from 0 there, from 1 here"
    if event is not None and "clicked" not in values:  # a log of events would tell a click
        values["clicked"], counts["clicked"] = LazyValues(nw.lit(value=False)), counts["rows"]
    own_columns = {
        name: column
        for name, (column, kind) in others.items()
        if kind is None and has_order(table.schema[column])
    }
    note = describe_names(table.header, taken, forms)
    filled = [name for name in values if counts.get(name)]
    return LazyEvents(
        rows=_select_rows(table.frame, values, taken, own_columns),
        table=table,
        counts=counts,
        row_count=counts["rows"],
        actions=sorted({words.get(kind, kind) for kind in kinds} - {SHOWN, ASKED}),
        query_columns=[name for name in (*filled, *own_columns) if name not in _OF_RESULTS],
        result_columns=[name for name in RESULT_COLUMNS if name in filled],
        notes=[note] if note else [],
        mistakes=[
            _describe_wrong(role, values[role]) for role in taken if values[role].wrong is not None
        ],
    )


def find_lazy_position(table: LazyTable) -> str | None:
    """The column of the positions of queries; a column query may hold their texts instead."""
    for alias in POSITION:
        column = table.header.find_column((alias,))
        if column is None:
            continue
        may_be_text = alias == "query" or column in table.header.own_names
        if not (may_be_text and table.schema[column] == nw.String and _holds_texts(table, column)):
            return column
    return None


def _holds_texts(table: LazyTable, column: str) -> bool:
    """Are most values of a column texts that are no whole numbers?"""
    text = blank_to_null(nw.col(column).str.strip_chars())
    counts = table.count(given=text.count(), numbers=text.str.contains(_WHOLE).cast(nw.Int64).sum())
    return counts["numbers"] * 2 < counts["given"]


def _find_event_column(table: LazyTable, words: Mapping[str, str]) -> str | None:
    """The column that says what happened, by its name; of a vaguer name, if it has such words."""
    for alias in LOG_COLUMNS["event"]:
        column = table.header.find_column((alias,))
        if column is None or table.schema[column] != nw.String:
            continue
        if column in table.header.own_names or (words and alias.startswith("event")):
            return column
        known = _plain_words(column).is_in([*(words or EVENT_OF_WORD)])
        if len(table.collect(table.frame.filter(known).select(column).head(1))):
            return column
    return None


def _plain_words(column: str) -> nw.Expr:
    plain = nw.col(column).str.strip_chars().str.to_lowercase().str.replace_all("[- ]", "_")
    return blank_to_null(plain)


def _list_kinds(table: LazyTable, column: str, words: Mapping[str, str]) -> dict[str, list[str]]:
    """The different words of a log for what happened, each with all ways that it is written."""
    counted = table.frame.group_by(column).agg(nw.len().alias(_WRITTEN)).select(column)
    spellings = counted.with_columns(_plain_words(column).alias(_WRITTEN))
    rows = table.collect(spellings.head(_MAX_SPELLINGS)).sort(_WRITTEN, column)
    kinds: dict[str, list[str]] = {}
    for written, word in rows.select(column, _WRITTEN).iter_rows():
        if word is not None:
            kinds.setdefault(word, []).append(written)
    refuse_kinds(table.header, column, list(kinds), words)
    if len(rows) == _MAX_SPELLINGS:
        problem = f"column {quote(table.header.own_name(column))} has words in too many spellings"
        raise BadInput(table.name, problem, "words such as click, in one spelling each")
    return kinds


def _read_events(
    column: str | None, kinds: Mapping[str, Sequence[str]], words: Mapping[str, str]
) -> LazyValues:
    """What happened in each row: shown, query, clicked, purchased, or the log's own word."""
    if column is None:
        return LazyValues(nw.lit(SHOWN))
    meanings: dict[str, list[str]] = {}
    for word, spellings in kinds.items():
        meanings.setdefault(words.get(word, word), []).extend(spellings)
    event: Any = nw.lit(SHOWN)
    for kind, spellings in meanings.items():
        event = nw.when(nw.col(column).is_in(spellings)).then(nw.lit(kind)).otherwise(event)
    every = [spelling for spellings in kinds.values() for spelling in spellings]
    missing = ~nw.col(column).is_in(every).fill_null(value=False)
    return LazyValues(event, missing, "there is no event", f"one of {', '.join(kinds)}")


def _read_columns(
    table: LazyTable, taken: Mapping[str, str], others: Mapping[str, tuple[str, str | None]]
) -> dict[str, LazyValues]:
    """What is read as what it should be, by role; times and events are not."""
    readers: dict[str, Reader] = {
        **dict.fromkeys(IDS, read_ids),
        **{role: read_whole_numbers(NAMES.get(role, role)) for role in ("rank", "position")},
        **dict.fromkeys(("clicked", "purchased"), read_flags),
        "seconds": read_numbers,
        **{role: _READERS[kind] for role, (_, kind) in others.items() if kind is not None},
    }
    return {
        role: readers[role](column, table.schema[column], table.name)
        for role, column in taken.items()
        if role not in ("time", "event")
    }


def _describe_wrong(role: str, entry: LazyValues) -> LazyMistake:
    return LazyMistake(
        nw.col(_WRONG + role),
        lambda row: entry.words.replace("{}", quote(row[_GIVEN + role])),
        entry.expected,
    )


def _change(values: LazyValues, function: Callable[[nw.Expr], nw.Expr]) -> LazyValues:
    return evolve(values, values=function(values.values))


def _count_values(
    table: LazyTable, values: Mapping[str, LazyValues], time: str | None
) -> tuple[LazyTable, dict[str, int]]:
    """How many rows there are, in how many each role is told, and of what form times are.

    The table comes back with a column TIME, if its times are points in time.
    """
    opens = values["event"].values.is_in([SHOWN, ASKED])
    counts = {role: entry.values.count() for role, entry in values.items() if role != "event"}
    if "rank" in values:
        rank = values["rank"].values
        counts["rank"] = nw.when(opens).then(rank).count()
        counts["lowest_rank"] = rank.min().fill_null(1)
    if time is not None:
        kind = table.schema[time]
        counts |= ask_for_form(time, kind, f"{table.name}, column {quote(time)}")
        if kind in (nw.Datetime, nw.Date):
            native = table.engine.add_microseconds(table.frame.to_native(), time, TIME)
            table = evolve(table, frame=as_narwhals(native))
    return table, table.count(rows=nw.len(), **counts)


def _read_times(
    table: LazyTable, column: str, counts: Mapping[str, int]
) -> tuple[LazyTable, LazyValues, str, int]:
    """The table with a column TIME, its values, of what form they are, and how many."""
    kind = table.schema[column]
    frame, form, count = add_times(table.frame, column, kind, counts)
    words = f"{table.header.own_name(column)} {{}} is no time as others are"
    values = LazyValues(nw.col(TIME), find_wrong_times(column, kind), words, EXPECTED)
    return evolve(table, frame=frame), values, form, count


def _select_rows(
    frame: nw.LazyFrame[Any],
    values: Mapping[str, LazyValues],
    taken: Mapping[str, str],
    own_columns: Mapping[str, str],
) -> nw.LazyFrame[Any]:
    """The events: what is known, the columns of the user's own, and what was given in vain."""
    wrong = {role: entry.wrong for role, entry in values.items() if entry.wrong is not None}
    return frame.select(
        *([ROW] if ROW in frame.columns else []),
        *(entry.values.alias(role) for role, entry in values.items()),
        *(nw.col(column).alias(name) for name, column in own_columns.items()),
        *(flags.alias(_WRONG + role) for role, flags in wrong.items()),
        *(nw.col(taken[role]).alias(_GIVEN + role) for role in wrong),
    ).with_columns(nw.col("event").is_in([SHOWN, ASKED]).alias(OPENS))
