"""`Sessions`: what searchers were shown, query after query, one row for each result.

Tables of any make become one; what is not as it should be is told with the row it stands in, or,
if the caller asks for it, the session is left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from gainful.errors import BadInput, counted, shown
from gainful.read.table import DOC, Head, Table, as_number, as_text

SESSION = ("session", "session_id", "sessionid", "conversation", "conversation_id")
POSITION = (
    *("query", "query_position", "query_number", "query_no", "qno", "turn", "iteration"),
    "interaction",
)
RANK = ("rank", "position", "pos")
# What a session may tell besides: its name here, how else it is called, what it holds.
BESIDE: Mapping[str, tuple[tuple[str, ...], Literal["text", "number", "flag"]]] = {
    "topic": (("topic", "topic_id", "recall_base"), "text"),
    "system": (("system", "system_id", "engine"), "text"),
    "searcher": (("searcher", "searcher_id", "user", "user_id", "userid"), "text"),
    "scenario": (("scenario", "task", "task_id", "scenario_id"), "text"),
    "text": (("text", "query_text", "querytext"), "text"),
    "clicked": (("clicked", "click"), "flag"),
    "scanned": (("scanned", "depth_scanned"), "number"),
    "grade": (("grade", "relevance", "rel", "usefulness"), "number"),
    "seconds": (("seconds", "time", "dwell"), "number"),
}
OF_RESULTS = ("clicked", "grade", "seconds")  # the others are the same for a whole query

Bad = Literal["error", "skip"]


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

    @property
    def columns(self) -> list[str]:
        """What sessions can be grouped by."""
        fixed = ("session", "query", "rank", "doc", "text", "scanned", *OF_RESULTS)
        return [name for name in self.frame.columns if name not in fixed]


def of_table(table: Table, bad: Bad = "error") -> Sessions:
    """Sessions from a table with columns such as session, query, rank, doc."""
    head = table.head
    session = as_text(table, head.needed(SESSION, "session"))
    position = _whole(table, head.needed(POSITION, "position of the query"), "query")
    doc = as_text(table, head.needed(DOC, "document"))
    rank_name = head.column(RANK)
    taken = {head.column(names) for names in (SESSION, POSITION, DOC, RANK)}
    columns: dict[str, pl.Series] = {}
    for name, (known, kind) in BESIDE.items():
        found = head.column(tuple(one for one in known if head.column((one,)) not in taken))
        if found is not None:
            columns[name] = _beside(table, found, kind)
            taken.add(found)
    for name in table.frame.columns:
        if name not in taken and name not in columns:
            columns[name] = table.frame[name]
    rank = None if rank_name is None else _whole(table, rank_name, "rank")
    frame = pl.DataFrame(
        {
            "session": session,
            "query": position,
            "rank": pl.Series([None], dtype=pl.Int64).new_from_index(0, len(session))
            if rank is None
            else rank,
            "doc": doc,
            **columns,
        }
    )
    return checked(frame, table.name, table.where, bad=bad, ranked=rank is not None)


def checked(
    frame: pl.DataFrame,
    name: str,
    where: Callable[[int], str],
    *,
    bad: Bad = "error",
    ranked: bool = True,
    per_turn: bool = False,
    notes: Sequence[str] = (),
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
    """
    if not len(frame):
        raise BadInput(name, "there is not one session in it")
    checking = _Checking(name, where, bad)
    frame = checking.without(frame, _lacking(frame))
    frame, rows = _in_order(frame, ranked=ranked)
    empty = frame["doc"].is_null().to_numpy()
    starts = _starts(frame)
    checking.look(frame, rows, starts, empty)
    frame = checking.left(frame)
    told = [f"{counted(len(checking.skipped), 'session')} left out: {checking.first}"]
    return Sessions(frame, name, per_turn, (*notes, *(told if checking.skipped else ())))


def _lacking(frame: pl.DataFrame) -> list[tuple[pl.Series, str]]:
    session, query = frame["session"], frame["query"]
    return [
        (session.is_null() | (session == ""), "there is no session"),
        (query.is_null(), "there is no query position"),
        (query < 1, "the query position is below 1"),
    ]


def _in_order(
    frame: pl.DataFrame, *, ranked: bool
) -> tuple[pl.DataFrame, NDArray[np.int64] | None]:
    """By session (as they first appear), query and rank; and which row each was, if any moved."""
    if not ranked:
        frame = frame.with_columns(rank=pl.int_range(1, pl.len() + 1).over("session", "query"))
    frame = frame.with_columns(doc=pl.when(pl.col("doc") == "").then(None).otherwise(pl.col("doc")))
    number = frame["session"].rle_id()
    apart = int(number[-1]) + 1 == frame["session"].n_unique()
    key = number.cast(pl.Int64) * (2**40) + frame["query"] * (2**20) + frame["rank"].fill_null(0)
    if apart and bool((key.diff().drop_nulls() >= 0).all()):
        return frame, None
    first = frame["session"].unique(maintain_order=True).to_frame().with_row_index("_session")
    ordered = (
        frame.with_row_index("_row")
        .join(first, on="session", how="left", maintain_order="left")
        .sort("_session", "query", "rank", nulls_last=False, maintain_order=True)
    )
    return ordered.drop("_row", "_session"), ordered["_row"].to_numpy().astype(np.int64)


def _starts(frame: pl.DataFrame) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where a session begins, and where a query does."""
    session = (frame["session"] != frame["session"].shift(1)).fill_null(value=True).to_numpy()
    query = (frame["query"] != frame["query"].shift(1)).fill_null(value=True).to_numpy()
    return session, session | query


class _Checking:
    """Finds what is wrong with sessions: refuses the first of it, or leaves those sessions out."""

    def __init__(self, name: str, where: Callable[[int], str], bad: Bad) -> None:
        self.name, self.where, self.bad = name, where, bad
        self.skipped: set[str] = set()
        self.first = ""

    def told(self, row: int, problem: str, expected: str, session: str | None) -> None:
        """Refuse it; or remember the session, and the first of all problems."""
        if self.bad == "error":
            raise BadInput(self.where(row), problem, expected)
        self.first = self.first or f"{self.where(row)}: {problem}"
        if session is not None:
            self.skipped.add(session)

    def without(self, frame: pl.DataFrame, problems: list[tuple[pl.Series, str]]) -> pl.DataFrame:
        """Without the sessions of rows that lack what every row needs."""
        for flags, problem in problems:
            for row in flags.fill_null(value=False).arg_true().to_list():
                session = frame["session"][row]
                self.told(row, problem, "session, query (from 1), rank, doc", session or "")
        if not self.skipped:
            return frame
        return self.left(frame)

    def left(self, frame: pl.DataFrame) -> pl.DataFrame:
        """What is left; nothing at all is an error."""
        if not self.skipped:
            return frame
        names = pl.Series(sorted(self.skipped)).implode()
        kept = frame.filter(~frame["session"].fill_null("").is_in(names))
        if not len(kept):
            raise BadInput(self.name, f"not one sound session is left; {self.first}")
        return kept

    def look(
        self,
        frame: pl.DataFrame,
        rows: NDArray[np.int64] | None,
        starts: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        empty: NDArray[np.bool_],
    ) -> None:
        """All that can be wrong with sessions in order."""
        opens, begins = starts
        query = frame["query"].to_numpy()
        step = np.diff(query, prepend=0)
        step[opens] = query[opens]
        self._each(
            frame,
            rows,
            (step > 1) | (opens & (query != 1)),
            lambda at: (
                f"query {_before(query, opens, at) + 1} is missing: after "
                f"{_before(query, opens, at) or 'the beginning'} comes {query[at]}"
            ),
            "query positions 1, 2, 3 …",
        )
        rank = frame["rank"].fill_null(0).to_numpy()
        down = np.diff(rank, prepend=0)
        down[begins] = rank[begins]
        some = ~empty
        self._each(
            frame,
            rows,
            some & (down != 1),
            lambda at: (
                f"query {query[at]}: rank {rank[at]} "
                + ("stands twice" if down[at] == 0 and not begins[at] else "comes too early")
            ),
            "ranks 1, 2, 3 …, each once",
        )
        self._each(
            frame,
            rows,
            empty & ~(begins & np.append(begins[1:], [True])),
            lambda at: f"query {query[at]} has a row without a document among others",
            "a row without a document only where a query returned nothing",
        )
        number = np.cumsum(begins).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        pairs = frame["doc"].hash(1).to_numpy() ^ number
        if len(np.unique(pairs)) < len(pairs):
            numbered = frame.select("doc").with_columns(number=pl.Series(np.cumsum(begins)))
            twice = numbered.select(pl.struct("number", "doc").is_duplicated()).to_series()
            later = numbered.with_columns(pl.int_range(pl.len()).over("number", "doc").alias("n"))
            again = (twice & (later["n"] > 0)).to_numpy() & some
            self._each(
                frame,
                rows,
                again,
                lambda at: f"document {shown(frame['doc'][at])} stands twice in query {query[at]}",
                "each document once in a list",
            )

    def _each(
        self,
        frame: pl.DataFrame,
        rows: NDArray[np.int64] | None,
        flags: NDArray[np.bool_],
        problem: Callable[[int], str],
        expected: str,
    ) -> None:
        for at in np.flatnonzero(flags).tolist():
            session = frame["session"][at]
            if session in self.skipped:
                continue
            row = at if rows is None else int(rows[at])
            self.told(row, f"session {shown(session)}: {problem(at)}", expected, session)


def _before(query: NDArray[Any], opens: NDArray[np.bool_], at: int) -> int:
    return 0 if opens[at] else int(query[at - 1])


def _whole(table: Table, column: str, called: str) -> pl.Series:
    """Whole numbers; the first row that holds something else is told."""
    values = table.frame[column]
    if values.dtype.is_integer():
        return values.cast(pl.Int64)
    numbers = as_number(table, column)
    wrong = values.is_not_null() & (numbers.is_null() | (numbers != numbers.floor()))
    if values.dtype == pl.String:
        wrong = wrong & (values.str.strip_chars() != "")
    bad = wrong.fill_null(value=True).arg_true()
    if len(bad):
        row = int(bad[0])
        raise BadInput(
            table.where(row),
            f"{called} {shown(values[row])} is not a whole number",
            "1, 2, 3 …"
            + (" (the text of a query is the column text)" if called == "query" else ""),
        )
    return numbers.cast(pl.Int64)


def _beside(table: Table, column: str, kind: str) -> pl.Series:
    values = table.frame[column]
    if kind == "text":
        return as_text(table, column)
    if kind == "flag":
        if values.dtype == pl.String:
            plain = values.str.strip_chars().str.to_lowercase()
            return plain.is_in(["1", "true", "yes", "y"]).fill_null(value=False)
        return values.cast(pl.Float64, strict=False).fill_null(0.0) != 0
    return as_number(table, column)


def head_is_sessions(names: Sequence[str]) -> bool:
    """Are these the columns of sessions?"""
    head = Head(names, "")
    return all(head.column(known) is not None for known in (SESSION, POSITION, DOC))
