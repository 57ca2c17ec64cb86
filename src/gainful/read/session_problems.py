"""What is wrong with sessions: found for all rows at once, told of one row at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from gainful.errors import BadInput
from gainful.read.session_layout import RowIndices, find_odd_depths, mark_changes
from gainful.text import quote
from gainful.types import Flags

COLUMNS = "session, query (from 1), rank, doc"
_POSITIONS = "query positions 1, 2, 3 …, each once"
_MAX_DESCRIPTIONS = 20  # mistakes that are put in words at once
_RANKS = "ranks 1, 2, 3 …, each once"


@frozen(eq=False)
class Problem:
    """One kind of mistake: the rows of the file it is in, and how it is told of one of them."""

    rows: RowIndices
    session_at: Callable[[int], str | None]  # of the n-th of these rows
    words_at: Callable[[int], str]
    expected: str

    def describe(self, number: int) -> str:
        """The n-th of them, in words."""
        session = self.session_at(number)
        if session:
            return f"session {quote(session)}: {self.words_at(number)}"
        return self.words_at(number)


def flag_problem(
    frame: pl.DataFrame, flags: pl.Series, words: Callable[[int], str], expected: str = ""
) -> Problem:
    """A mistake in rows as they were given; the words are of a row."""
    rows = flags.fill_null(value=False).arg_true().to_numpy().astype(np.intp)
    return Problem(
        rows,
        lambda number: frame["session"][int(rows[number])],
        lambda number: words(int(rows[number])),
        expected or COLUMNS,
    )


def flag_problems(
    frame: pl.DataFrame, *mistakes: tuple[pl.Series, Callable[[int], str], str]
) -> list[Problem]:
    """Those kinds of mistakes that any row has; of each the rows, its words, what is expected."""
    problems = (flag_problem(frame, *mistake) for mistake in mistakes)
    return [problem for problem in problems if len(problem.rows)]


def find_missing_values(frame: pl.DataFrame) -> list[Problem]:
    """Rows without what every row needs."""
    session, query, rank = frame["session"], frame["query"], frame["rank"]
    no_session = session.is_null() | (session == "")
    no_doc = frame["doc"].is_null()
    no_query = query.is_null() & ~no_session
    problems = flag_problems(
        frame,
        (no_session, lambda _: "there is no session", COLUMNS),
        (no_query, lambda row: f"there is no query{'' if no_doc[row] else ' position'}", COLUMNS),
        (query < 1, lambda row: f"query position {query[row]} is below 1", _POSITIONS),
        (rank.is_null() & ~no_doc, lambda _: "there is no rank", COLUMNS),
        (~no_doc & (rank < 1), lambda row: f"rank {rank[row]} is below 1", _RANKS),
    )
    if "scanned" in frame.columns:
        scanned = frame["scanned"]
        problems += flag_problems(
            frame,
            (
                find_odd_depths(scanned),
                lambda row: f"scanned {scanned[row]:g} is not a number of results",
                "0, 1, 2 …",
            ),
        )
    if "topic" in frame.columns:
        no_topic = frame["topic"].is_null() | (frame["topic"] == "")
        words = "there is no topic, though others have one"
        expected = "a topic in every row, or no such column"
        problems += flag_problems(frame, (no_topic, lambda _: words, expected))
    return problems


def find_order_problems(frame: pl.DataFrame, rows: RowIndices, *, ranked: bool) -> list[Problem]:
    """What is wrong with sessions whose rows lack nothing.

    Args:
        frame: the rows by session, query and rank.
        rows: which row of the file each of them was.
        ranked: were there ranks, or is the order of rows the ranking?
    """
    new_session = mark_changes(frame["session"])
    new_query = new_session | mark_changes(frame["query"])
    empty = frame["doc"].is_null().to_numpy()
    query = frame["query"].to_numpy()
    rank = np.where(empty, 0, frame["rank"].fill_null(0).to_numpy())

    def flag_rows(flags: Flags, words: Callable[[int], str], expected: str) -> Problem:
        positions = np.flatnonzero(flags)
        return Problem(
            rows[positions],
            lambda number: frame["session"][int(positions[number])],
            lambda number: words(int(positions[number])),
            expected,
        )

    step = _count_steps(rank, new_query)
    repeated_rank = ~empty & ~new_query & (step == 0) & ranked
    reopened, in_second_list = _find_second_lists(
        frame, rows, new_query, repeated_rank if ranked else np.ones_like(repeated_rank)
    )
    only_row = new_query & np.append(new_query[1:], [True])
    problems = [
        flag_rows(
            _find_first_gaps(_count_steps(query, new_session), new_session),
            lambda row: _describe_missing_query(query, new_session, row),
            _POSITIONS,
        ),
        flag_rows(
            reopened,
            lambda row: f"query position {query[row]} is repeated: its list starts again here",
            _POSITIONS,
        ),
        flag_rows(
            repeated_rank & ~in_second_list,
            lambda row: f"query {query[row]}: rank {rank[row]} comes twice",
            _RANKS,
        ),
        flag_rows(
            _find_first_gaps(step, new_query),
            lambda row: f"query {query[row]}: {_describe_missing_rank(rank, new_query, row)}",
            _RANKS,
        ),
        flag_rows(
            empty & ~only_row,
            lambda row: f"query {query[row]} has a row without a document among others",
            "a row without a document only where a query returned nothing",
        ),
        flag_rows(
            _find_duplicates(frame["doc"], new_query) & ~empty,
            lambda row: f"query {query[row]}: document {quote(frame['doc'][row])} comes twice",
            "each document once in a list",
        ),
    ]
    if "topic" in frame.columns:
        topic = frame["topic"]
        problems.append(
            flag_rows(
                mark_changes(topic) & ~new_query,
                lambda row: (
                    f"query {query[row]} has two topics, "
                    f"{quote(topic[row - 1])} and {quote(topic[row])}"
                ),
                "one topic for all results of a query",
            )
        )
    return [entry for entry in problems if len(entry.rows)]


def _count_steps(numbers: NDArray[Any], restarts: Flags) -> NDArray[np.int64]:
    steps = np.diff(numbers, prepend=0)
    steps[restarts] = numbers[restarts]
    return steps


def _find_first_gaps(steps: NDArray[np.int64], restarts: Flags) -> Flags:
    gaps = np.flatnonzero(steps > 1)
    _, firsts = np.unique(np.cumsum(restarts)[gaps], return_index=True)
    flags = np.zeros(len(steps), dtype=bool)
    flags[gaps[firsts]] = True
    return flags


def _describe_missing_query(query: NDArray[Any], new_session: Flags, row: int) -> str:
    before = 0 if new_session[row] else int(query[row - 1])
    after = f"after {before}" if before else "at the beginning"
    return f"query {before + 1} is missing: {after} comes {query[row]}"


def _describe_missing_rank(rank: NDArray[Any], new_query: Flags, row: int) -> str:
    before = 0 if new_query[row] else int(rank[row - 1])
    after = f"after {before}" if before else "at the top"
    return f"rank {before + 1} is missing: {after} comes {rank[row]}"


def _find_second_lists(
    frame: pl.DataFrame, rows: RowIndices, new_query: Flags, collides: Flags
) -> tuple[Flags, Flags]:
    """Which rows open a list a second time, and which rows belong to such a second list?

    Rows of one query that stand apart, with another query of the session between them, are a
    second list only if some of them collide with the first.
    """
    number = np.cumsum(new_query)
    session = np.cumsum(mark_changes(frame["session"]))
    order = np.lexsort((rows, session))  # each session as its rows stood in the file
    new_block = np.diff(number[order], prepend=-1) != 0
    block = np.empty(len(rows), dtype=np.intp)
    block[order] = np.cumsum(new_block)
    first = np.full(int(number[-1]) + 1, len(rows) + 1)
    np.minimum.at(first, number, block)
    in_second_list = block > first[number]
    in_second_list &= (np.bincount(block, collides) > 0)[block]
    opens_block = np.empty(len(rows), dtype=bool)
    opens_block[order] = new_block
    return opens_block & in_second_list, in_second_list


def _find_duplicates(doc: pl.Series, new_query: Flags) -> Flags:
    numbered = pl.DataFrame({"number": np.cumsum(new_query), "doc": doc})
    return ~numbered.select(pl.struct("number", "doc").is_first_distinct()).to_series().to_numpy()


def first_error(problems: Sequence[Problem], locate: Callable[[int], str]) -> BadInput:
    """The first of all mistakes, in the order of the file."""
    first = min(problems, key=lambda problem: int(problem.rows.min()))
    number = int(first.rows.argmin())
    return BadInput(locate(int(first.rows[number])), first.describe(number), first.expected)


def list_problems(
    problems: Sequence[Problem], locate: Callable[[int], str]
) -> list[tuple[str, str]]:
    """Place and words of mistakes in the order of the file; words only of the first of them."""
    each = sorted(
        (int(row), kind, number)
        for kind, problem in enumerate(problems)
        for number, row in enumerate(problem.rows.tolist())
    )
    descriptions = [
        (locate(row), problems[kind].describe(number))
        for row, kind, number in each[:_MAX_DESCRIPTIONS]
    ]
    return [*descriptions, *[("", "")] * (len(each) - len(descriptions))]
