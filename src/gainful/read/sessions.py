"""`Sessions`: what searchers were shown, query after query, one row for each result.

Tables of any make become one; what is not as it should be is told with the row it stands in, or,
if the caller asks for it, the session is left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import polars as pl
from attrs import field, frozen

from gainful.errors import BadInput, BadValue, counted, shown
from gainful.read.named_columns import DOC, Head, Table, as_number, as_text
from gainful.read.session_layout import Layout, laid, sound
from gainful.read.session_problems import Problem, disordered, given, lacking, listed, refused

SESSION = ("session", "session_id", "sessionid", "conversation", "conversation_id")
# Where there are a position by its own name and a column query, the latter is the text.
POSITION = (
    *("query_position", "query_number", "query_no", "qno", "query", "turn", "iteration"),
    "interaction",
)
RANK = ("rank", "position", "pos")
# What a session may tell besides: its name here, how else it is called, what it holds.
BESIDE: Mapping[str, tuple[tuple[str, ...], Literal["text", "number", "flag"]]] = {
    "topic": (("topic", "topic_id", "recall_base"), "text"),
    "system": (("system", "system_id", "engine"), "text"),
    "searcher": (("searcher", "searcher_id", "user", "user_id", "userid"), "text"),
    "scenario": (("scenario", "task", "task_id", "scenario_id"), "text"),
    "text": (("text", "query_text", "querytext", "query"), "text"),
    "clicked": (("clicked", "click"), "flag"),
    "scanned": (("scanned", "depth_scanned"), "number"),
    "grade": (("grade", "relevance", "rel", "usefulness"), "number"),
    "seconds": (("seconds", "time", "dwell"), "number"),
}
OF_RESULTS = ("clicked", "grade", "seconds")  # the others are the same for a whole query
# What sessions cannot be grouped by.
OF_QUERIES = ("session", "query", "rank", "doc", "text", "scanned", "current_query", *OF_RESULTS)

Bad = Literal["error", "skip"]
Wrong = list[tuple[pl.Series, Callable[[int], str], str]]  # where, how it is told, what is right


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
    wrong: Sequence[tuple[str, str]] = field(default=(), repr=False)  # place and words, if left out
    lost: int = 0  # sessions that were left out
    held: Layout | None = field(default=None, repr=False)  # where queries begin, if that is known

    @property
    def layout(self) -> Layout:
        """Where in the rows each session and each query begins."""
        return laid(self.frame) if self.held is None else self.held

    @property
    def columns(self) -> list[str]:
        """What sessions can be grouped by."""
        return [name for name in self.frame.columns if name not in OF_QUERIES]


def of_table(table: Table, bad: Bad = "error") -> Sessions:
    """Sessions from a table with columns such as session, query, rank, doc."""
    frame, wrong, ranked = rows_of(table)
    return checked(frame, table.name, table.where, bad=bad, ranked=ranked, wrong=wrong)


def rows_of(table: Table) -> tuple[pl.DataFrame, list[Problem], bool]:
    """The rows of a table, what in them is not of its kind, and whether they have ranks."""
    head = table.head
    wrong: Wrong = []
    found = {
        "session": as_text(table, head.needed(SESSION, "session")),
        "query": _whole(table, head.needed(POSITION, "position of the query"), "query", wrong),
        "rank": pl.Series([None], dtype=pl.Int64).new_from_index(0, len(table.frame)),
        "doc": as_text(table, head.needed(DOC, "document")),
    }
    rank = head.column(RANK)
    if rank is not None:
        found["rank"] = _whole(table, rank, "rank", wrong)
        alone = found["rank"].is_not_null() & (found["doc"].is_null() | (found["doc"] == ""))
        words = "there is a rank, but no document"
        wrong.append((alone, lambda _: words, "neither, where a query returned nothing"))
    taken = {head.column(names) for names in (SESSION, POSITION, DOC, RANK)}
    for name, (known, kind) in BESIDE.items():
        column = head.column(tuple(one for one in known if head.column((one,)) not in taken))
        if column is not None:
            found[name] = _beside(table, column, kind, wrong)
            taken.add(column)
    for name in table.frame.columns:
        if name not in taken and name not in found:
            found[name] = table.frame[name]
    frame = pl.DataFrame(found)
    problems = [given(frame, *one) for one in wrong]
    return frame, [one for one in problems if len(one.rows)], rank is not None


def checked(
    frame: pl.DataFrame,
    name: str,
    where: Callable[[int], str],
    *,
    bad: Bad = "error",
    ranked: bool = True,
    per_turn: bool = False,
    notes: Sequence[str] = (),
    wrong: Sequence[Problem] = (),
) -> Sessions:
    """Sessions from rows, in order and found to be sound.

    Args:
        frame: session, query, rank, doc and whatever else.
        name: what it is called in messages.
        where: the place of a row, for messages.
        bad: refuse sessions that are not as they should be, or leave them out and say so.
        ranked: are there ranks, or is the order of rows the ranking?
        per_turn: has every query judgments of its own?
        notes: what one should know of how it was read.
        wrong: what the reader has found to be wrong with rows.
    """
    if bad not in ("error", "skip"):
        raise BadValue("bad", bad, "error or skip")
    if not len(frame):
        raise BadInput(name, "there is not one session in it")
    if not ranked and not frame["doc"].null_count():
        frame = frame.with_columns(rank=_counted_up(laid(frame)))
    layout = None if wrong else sound(frame)
    if layout is not None:
        return Sessions(frame, name, per_turn, notes, held=layout)
    frame, problems = looked_into(frame, ranked=ranked, wrong=wrong)
    if problems and bad == "error":
        raise refused(problems, where)
    if problems:
        first = refused(problems, where)
        lost = {one.session(n) or "" for one in problems for n in range(len(one.rows))}
        frame = frame.filter(~frame["session"].is_in(pl.Series(sorted(lost)).implode()))
        if not len(frame):
            raise BadInput(name, f"not one sound session is left; {first.where}: {first.problem}")
        told = f"{counted(len(lost), 'session')} left out: {first.where}: {first.problem}"
        wrong_ = listed(problems, where)
        return Sessions(frame, name, per_turn, (*notes, told), wrong_, len(lost))
    return Sessions(frame, name, per_turn, notes)


def looked_into(
    frame: pl.DataFrame, *, ranked: bool, wrong: Sequence[Problem] = ()
) -> tuple[pl.DataFrame, list[Problem]]:
    """The rows that lack nothing in order, and everything that is wrong with any."""
    frame = frame.with_columns(doc=pl.when(pl.col("doc") != "").then(pl.col("doc")))
    if not ranked:
        frame = frame.with_columns(rank=pl.int_range(1, pl.len() + 1).over("session", "query"))
    told = np.zeros(len(frame), dtype=bool)
    for one in wrong:
        told[one.rows] = True
    problems = [*wrong, *(one for one in lacking(frame) if not told[one.rows].all())]
    lost = {one.session(n) or "" for one in problems for n in range(len(one.rows))}
    names = frame["session"].fill_null("")
    rest = frame.with_row_index("_row")
    if lost:
        rest = rest.filter(~names.is_in(pl.Series(sorted(lost)).implode()))
    if not len(rest):
        return rest.drop("_row"), problems
    first = rest["session"].unique(maintain_order=True).to_frame().with_row_index("_session")
    rest = rest.join(first, on="session", how="left", maintain_order="left").sort(
        "_session", "query", "rank", nulls_last=False, maintain_order=True
    )
    rows = rest["_row"].to_numpy().astype(np.intp)
    rest = rest.drop("_row", "_session")
    return rest, [*problems, *disordered(rest, rows, ranked=ranked)]


def _counted_up(layout: Layout) -> pl.Series:
    """The ranks of results that stand in the order of their ranks."""
    return pl.Series(np.arange(1, layout.size + 1) - np.repeat(layout.queries, layout.lengths))


def _whole(table: Table, column: str, called: str, wrong: Wrong) -> pl.Series:
    """Whole numbers; what is none is remembered as wrong."""
    values = table.frame[column]
    if values.dtype.is_integer():
        return values.cast(pl.Int64, strict=False)
    hint = " (the text of a query is the column text)" if called == "query" else ""
    numbers = as_number(table, column)
    whole = numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() < 2**53)
    whole = whole.fill_null(value=False)
    flags = ~whole & ~_blank(values)
    wrong.append(
        (
            flags,
            lambda row: f"{called} {shown(values[row])} is not a whole number",
            f"1, 2, 3 …{hint}",
        )
    )
    return pl.select(pl.when(whole).then(numbers)).to_series().cast(pl.Int64)


def _beside(table: Table, column: str, kind: str, wrong: Wrong) -> pl.Series:
    values = table.frame[column]
    if kind == "text":
        return as_text(table, column)
    if kind == "flag" and values.dtype == pl.Boolean:
        return values.fill_null(value=False)
    if kind == "flag" and values.dtype == pl.String:
        plain = values.str.strip_chars().str.to_lowercase()
        flags = ~_blank(values) & ~plain.is_in([*_YES, *_NO])
        words = f"{column} {{}} is neither yes nor no"
        wrong.append((flags, lambda row: words.format(shown(values[row])), "1 or 0, true or false"))
        return plain.is_in(_YES).fill_null(value=False)
    numbers = as_number(table, column)
    flags = ~numbers.is_finite().fill_null(value=False) & ~_blank(values)
    words = f"{column} {{}} is not a finite number"
    wrong.append((flags, lambda row: words.format(shown(values[row])), "a number, or nothing"))
    if kind == "flag":
        told = f"{column} {{}} is neither 1 nor 0"
        odd = numbers.is_finite() & ~numbers.is_in([0.0, 1.0])
        wrong.append((odd, lambda row: told.format(shown(values[row])), "1 or 0, true or false"))
        return numbers.fill_null(0.0) != 0
    return numbers.fill_nan(None)


_YES, _NO = ["1", "true", "yes", "y", "t"], ["0", "false", "no", "n", "f"]


def _blank(values: pl.Series) -> pl.Series:
    """Where is nothing? pandas says NaN."""
    if values.dtype == pl.String:
        return (values.str.strip_chars() == "").fill_null(value=True)
    return values.is_null() | values.is_nan() if values.dtype.is_float() else values.is_null()


def head_is_sessions(names: Sequence[str]) -> bool:
    """Are these the columns of sessions?"""
    head = Head(names, "")
    return all(head.column(known) is not None for known in (SESSION, POSITION, DOC))
