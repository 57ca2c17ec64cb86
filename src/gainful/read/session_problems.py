"""What is wrong with sessions: found for all rows at once, told of one row at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from gainful.errors import BadInput, shown
from gainful.read.session_layout import Flags, Rows, changes

_COLUMNS = "session, query (from 1), rank, doc"
_POSITIONS = "query positions 1, 2, 3 …, each once"
_TOLD = 20  # mistakes that are put in words at once
_RANKS = "ranks 1, 2, 3 …, each once"


@frozen(eq=False)
class Problem:
    """One kind of mistake: the rows of the file it is in, and how it is told of one of them."""

    rows: Rows
    session: Callable[[int], str | None]  # of the n-th of these rows
    words: Callable[[int], str]
    expected: str

    def told(self, number: int) -> str:
        """The n-th of them, in words."""
        session = self.session(number)
        return f"session {shown(session)}: {self.words(number)}" if session else self.words(number)


def given(
    frame: pl.DataFrame, flags: pl.Series, words: Callable[[int], str], expected: str = ""
) -> Problem:
    """A mistake in rows as they were given; the words are of a row."""
    rows = flags.fill_null(value=False).arg_true().to_numpy().astype(np.intp)
    return Problem(
        rows,
        lambda number: frame["session"][int(rows[number])],
        lambda number: words(int(rows[number])),
        expected or _COLUMNS,
    )


def lacking(frame: pl.DataFrame) -> list[Problem]:
    """Rows without what every row needs."""
    session, query, rank = frame["session"], frame["query"], frame["rank"]
    nobody = session.is_null() | (session == "")
    nothing = frame["doc"].is_null()
    found = [
        given(frame, nobody, lambda _: "there is no session"),
        given(
            frame,
            query.is_null() & ~nobody,
            lambda at: "there is no query" if nothing[at] else "there is no query position",
        ),
        given(frame, query < 1, lambda at: f"query position {query[at]} is below 1", _POSITIONS),
        given(frame, rank.is_null() & ~nothing, lambda _: "there is no rank"),
        given(frame, ~nothing & (rank < 1), lambda at: f"rank {rank[at]} is below 1", _RANKS),
    ]
    if "scanned" in frame.columns:
        scanned = frame["scanned"]
        odd = (scanned < 0) | (scanned != scanned.floor())
        found.append(
            given(
                frame,
                odd,
                lambda at: f"scanned {scanned[at]:g} is no number of results",
                "0, 1, 2 …",
            )
        )
    if "topic" in frame.columns:
        topic = frame["topic"]
        none = topic.is_null() | (topic == "")
        words = "there is no topic, though others have one"
        found.append(given(frame, none, lambda _: words, "a topic in every row, or no such column"))
    return [one for one in found if len(one.rows)]


def disordered(frame: pl.DataFrame, rows: Rows, *, ranked: bool) -> list[Problem]:
    """What is wrong with sessions whose rows lack nothing.

    Args:
        frame: the rows by session, query and rank.
        rows: which row of the file each of them was.
        ranked: were there ranks, or is the order of rows the ranking?
    """
    opens = changes(frame["session"])
    begins = opens | changes(frame["query"])
    empty = frame["doc"].is_null().to_numpy()
    query = frame["query"].to_numpy()
    rank = np.where(empty, 0, frame["rank"].fill_null(0).to_numpy())

    def problem(flags: Flags, words: Callable[[int], str], expected: str) -> Problem:
        at = np.flatnonzero(flags)
        return Problem(
            rows[at],
            lambda number: frame["session"][int(at[number])],
            lambda number: words(int(at[number])),
            expected,
        )

    step = _steps(rank, begins)
    twice = ~empty & ~begins & (step == 0) & ranked
    again, later = _again(frame, rows, begins, twice if ranked else np.ones_like(twice))
    alone = begins & np.append(begins[1:], [True])
    found = [
        problem(
            _steps(query, opens) > 1,
            lambda at: _missing(query, opens, at),
            _POSITIONS,
        ),
        problem(
            again,
            lambda at: f"query position {query[at]} is repeated: its list begins anew here",
            _POSITIONS,
        ),
        problem(
            twice & ~later,
            lambda at: f"query {query[at]}: rank {rank[at]} stands twice",
            _RANKS,
        ),
        problem(
            ~empty & (step > 1),
            lambda at: f"query {query[at]}: {_gap(rank, begins, at)}",
            _RANKS,
        ),
        problem(
            empty & ~alone,
            lambda at: f"query {query[at]} has a row without a document among others",
            "a row without a document only where a query returned nothing",
        ),
        problem(
            _second(frame["doc"], begins) & ~empty,
            lambda at: f"query {query[at]}: document {shown(frame['doc'][at])} stands twice",
            "each document once in a list",
        ),
    ]
    if "topic" in frame.columns:
        topic = frame["topic"]
        found.append(
            problem(
                changes(topic) & ~begins,
                lambda at: (
                    f"query {query[at]} has two topics, "
                    f"{shown(topic[at - 1])} and {shown(topic[at])}"
                ),
                "one topic for all results of a query",
            )
        )
    return [one for one in found if len(one.rows)]


def _steps(numbers: NDArray[Any], begins: Flags) -> NDArray[np.int64]:
    """How much each number is above the one before; where a count begins, above 0."""
    found = np.diff(numbers, prepend=0)
    found[begins] = numbers[begins]
    return found


def _missing(query: NDArray[Any], opens: Flags, at: int) -> str:
    before = 0 if opens[at] else int(query[at - 1])
    after = f"after {before}" if before else "at the beginning"
    return f"query {before + 1} is missing: {after} comes {query[at]}"


def _gap(rank: NDArray[Any], begins: Flags, at: int) -> str:
    before = 0 if begins[at] else int(rank[at - 1])
    after = f"after {before}" if before else "at the top"
    return f"rank {before + 1} is missing: {after} comes {rank[at]}"


def _again(frame: pl.DataFrame, rows: Rows, begins: Flags, collides: Flags) -> tuple[Flags, Flags]:
    """Which rows open a list a second time, and which rows belong to such a second list?

    Rows of one query that stand apart, with another query of the session between them, are a
    second list only if some of them collide with the first.
    """
    number = np.cumsum(begins)
    session = np.cumsum(changes(frame["session"]))
    order = np.lexsort((rows, session))  # each session as its rows stood in the file
    new = np.diff(number[order], prepend=-1) != 0
    block = np.empty(len(rows), dtype=np.intp)
    block[order] = np.cumsum(new)
    first = np.full(int(number[-1]) + 1, len(rows) + 1)
    np.minimum.at(first, number, block)
    later = block > first[number]
    later &= (np.bincount(block, collides) > 0)[block]
    opens = np.empty(len(rows), dtype=bool)
    opens[order] = new
    return opens & later, later


def _second(doc: pl.Series, begins: Flags) -> Flags:
    """Which documents stand further up in the same list?"""
    numbered = pl.DataFrame({"number": np.cumsum(begins), "doc": doc})
    return ~numbered.select(pl.struct("number", "doc").is_first_distinct()).to_series().to_numpy()


def refused(problems: Sequence[Problem], where: Callable[[int], str]) -> BadInput:
    """The first of all mistakes, in the order of the file."""
    first = min(problems, key=lambda one: int(one.rows.min()))
    number = int(first.rows.argmin())
    return BadInput(where(int(first.rows[number])), first.told(number), first.expected)


def listed(problems: Sequence[Problem], where: Callable[[int], str]) -> list[tuple[str, str]]:
    """Place and words of mistakes in the order of the file; words only of the first of them."""
    each = sorted(
        (int(row), kind, number)
        for kind, one in enumerate(problems)
        for number, row in enumerate(one.rows.tolist())
    )
    told = [(where(row), problems[kind].told(number)) for row, kind, number in each[:_TOLD]]
    return [*told, *[("", "")] * (len(each) - len(told))]
