"""Rows of sessions: where sessions and queries begin, and what is wrong with them.

Nearly all rows come in order and nothing is wrong with them: then they are only looked at, and
never sorted. Mistakes are found for all rows at once, and told of one row at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from attrs import define, field, frozen
from numpy.typing import NDArray

from gainful.errors import BadInput
from gainful.text import count_noun, join_words, quote
from gainful.types import Flags, slices

RowIndices = NDArray[np.intp]
_BATCH_ROWS = 1 << 16  # rows looked at together: they stay in the processor's cache
_SHORT_LIST = 32  # lists of up to so many results are searched for repeats pair by pair
# Columns of our own beside the user's: no text can have such a name.
_ROW, _SESSION, _FIRST = "\0row", "\0session", "\0first_shown"
HASH_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads small numbers over 64 bits


@frozen(eq=False)
class SessionLayout:
    """Where in the rows each session and each query begins, and a number for each document."""

    session_starts: RowIndices
    query_starts: RowIndices
    doc_hashes: NDArray[np.uint64] = field(repr=False)  # equal documents have equal numbers
    row_count: int

    @property
    def query_lengths(self) -> RowIndices:
        """How many rows each query has."""
        return np.diff(self.query_starts, append=self.row_count)

    @property
    def queries_per_session(self) -> RowIndices:
        """How many queries each session has."""
        first = np.searchsorted(self.query_starts, self.session_starts)
        return np.diff(first, append=len(self.query_starts))

    def keep_queries(self, kept: Flags) -> SessionLayout:
        """The layout of the rows of some queries, of which every session has its first."""
        begins = np.zeros(len(kept), dtype=bool)
        begins[np.searchsorted(self.query_starts, self.session_starts)] = True
        lengths = self.query_lengths[kept]
        starts = np.cumsum(lengths) - lengths
        hashes = self.doc_hashes
        if len(hashes):  # rows of queries alone have none
            hashes = hashes[np.repeat(kept, self.query_lengths)]
        return SessionLayout(starts[begins[kept]], starts, hashes, int(lengths.sum()))


def find_layout(frame: pl.DataFrame) -> SessionLayout:
    """The layout of rows that are in order."""
    new_session = mark_changes(frame["session"])
    new_query = new_session | mark_changes(frame["query"])
    doc_hashes = frame["doc"].hash(1).to_numpy()
    return SessionLayout(
        np.flatnonzero(new_session), np.flatnonzero(new_query), doc_hashes, len(frame)
    )


def mark_changes(values: pl.Series) -> Flags:
    """Which rows are the first, or differ from the row before?"""
    changed = np.ones(len(values), dtype=bool)
    before = values.slice(0, max(len(values) - 1, 0))
    changed[1:] = values.slice(1).ne_missing(before).to_numpy()
    return changed


def find_odd_depths(scanned: pl.Series) -> pl.Series:
    """Which are no numbers of results that a searcher can have looked at?"""
    return (scanned < 0) | (scanned != scanned.floor())


def has_repeats(doc_hashes: NDArray[np.uint64], query_starts: RowIndices) -> bool:
    """Does a document (or, hardly ever, only its number) stand twice in one list?"""
    if not len(doc_hashes):
        return False
    lengths = np.diff(query_starts, append=len(doc_hashes))
    longest = int(lengths.max())
    if longest > _SHORT_LIST:
        number = np.repeat(np.arange(len(lengths), dtype=np.uint64) * HASH_MIX, lengths)
        mixed = pl.Series(doc_hashes ^ number)
        return mixed.n_unique() < len(mixed)
    for part in slices(len(doc_hashes), _BATCH_ROWS):
        docs = doc_hashes[part.start : part.stop + _SHORT_LIST]
        for lag in range(1, longest):
            same = np.flatnonzero(docs[lag:] == docs[:-lag]) + part.start + lag
            start = query_starts[np.searchsorted(query_starts, same, side="right") - 1]
            if (same - lag >= start).any():  # else the one further up is in the list before
                return True
    return False


SHOWN_TWICE = (  # singular|plural
    "result repeats a document of its list, and is left out|results repeat documents of their "
    "lists, and are left out"
)


def note_shown_twice(results: int) -> list[str]:
    """How many results repeat a document of their list, if any does."""
    return [count_noun(results, *SHOWN_TWICE.split("|"))] if results else []


def drop_repeated_docs(frame: pl.DataFrame, order: str) -> tuple[pl.DataFrame, int]:
    """Lists with each document once, where it stands first; and how many results are left out.

    An action on any of them is one on the document. Ranks behind a result that is left out
    are one less, as if it had not been shown. A column tells the order of equal ranks.
    """
    a_list, of_doc = ["session", "query"], ["session", "query", "doc"]
    flags = [name for name, kind in frame.schema.items() if kind == pl.Boolean]
    first = pl.col(order).sort_by("rank", order).first().over(of_doc)
    is_first = (pl.col(order) == first) | pl.col("doc").is_null()
    marked = frame.with_columns(
        is_first.alias(_FIRST), *(pl.col(name).max().over(of_doc) for name in flags)
    )
    if "seconds" in frame.columns:
        is_known = pl.col("seconds").count().over(of_doc) > 0
        total = pl.col("seconds").sum().over(of_doc)
        marked = marked.with_columns(pl.when(is_known).then(total))
    is_gone = ~pl.col(_FIRST).any().over(*a_list, "rank")
    is_gone &= pl.struct(*a_list, "rank").is_first_distinct()
    missing = is_gone.cast(pl.Int64).cum_sum().over(a_list, order_by="rank")
    kept = marked.with_columns(pl.col("rank") - missing).filter(_FIRST).drop(_FIRST)
    return kept, len(frame) - len(kept)


BadPolicy = Literal["error", "skip"]
COLUMNS = "session, query (from 1), rank, doc"
_POSITIONS = "query positions 1, 2, 3 …, each once"
_MAX_DESCRIPTIONS = 20  # mistakes that are put in words at once
_RANKS = "ranks 1, 2, 3 …, each once"
# Where it is, how it is told of a row, and what is right.
Mistake = tuple[pl.Series | Flags, Callable[[int], str], str]


@frozen(eq=False)
class Problem:
    """One kind of mistake: the rows of the file with it, and the message for one of them."""

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
    frame: pl.DataFrame,
    flags: pl.Series | Flags,
    words: Callable[[int], str],
    expected: str = COLUMNS,
    rows: RowIndices | None = None,
) -> Problem:
    """A mistake in some rows; `rows` are those of the file, if they stood otherwise there."""
    at = pl.Series(flags).fill_null(value=False).arg_true().to_numpy().astype(np.intp)
    return Problem(
        at if rows is None else rows[at],
        lambda number: frame["session"][int(at[number])],
        lambda number: words(int(at[number])),
        expected,
    )


def flag_problems(
    frame: pl.DataFrame, *mistakes: Mistake, rows: RowIndices | None = None
) -> list[Problem]:
    """Those kinds of mistakes that any row has."""
    problems = (flag_problem(frame, *mistake, rows) for mistake in mistakes)
    return [problem for problem in problems if len(problem.rows)]


def find_missing_values(frame: pl.DataFrame, known: Sequence[Problem]) -> list[Problem]:
    """Rows without what every row needs, if something else is not known to be wrong with them."""
    session, query, rank = frame["session"], frame["query"], frame["rank"]
    no_session = session.is_null() | (session == "")
    no_doc = frame["doc"].is_null()
    no_query = query.is_null() & ~no_session
    mistakes: list[Mistake] = [
        (no_session, lambda _: "there is no session", COLUMNS),
        (no_query, lambda row: f"there is no query{'' if no_doc[row] else ' position'}", COLUMNS),
        (query < 1, lambda row: f"query position {query[row]} is below 1", _POSITIONS),
        (rank.is_null() & ~no_doc, lambda _: "there is no rank", COLUMNS),
        (~no_doc & (rank < 1), lambda row: f"rank {rank[row]} is below 1", _RANKS),
    ]
    if "scanned" in frame.columns:
        scanned, words = frame["scanned"], "scanned {:g} is not a number of results"
        odd = find_odd_depths(scanned)
        mistakes.append((odd, lambda row: words.format(scanned[row]), "0, 1, 2 …"))
    if "topic" in frame.columns:
        no_topic = frame["topic"].is_null() | (frame["topic"] == "")
        expected = "a topic in every row, or no such column"
        mistakes.append((no_topic, lambda _: "there is no topic, though others have one", expected))
    reported = flag_rows(known, len(frame))
    return [each for each in flag_problems(frame, *mistakes) if not reported[each.rows].all()]


def flag_rows(problems: Sequence[Problem], size: int) -> Flags:
    """Which of so many rows anything is wrong with."""
    flags = np.zeros(size, dtype=bool)
    for problem in problems:
        flags[problem.rows] = True
    return flags


def order_rows(frame: pl.DataFrame) -> tuple[pl.DataFrame, RowIndices]:
    """Rows by session, as these first appear, query and rank; and where each of them stood."""
    numbers = frame["query"].to_numpy(), frame["rank"].fill_null(0).to_numpy()
    new_session = mark_changes(frame["session"])
    names = frame["session"].filter(pl.Series(new_session))
    step, rank_step = (np.diff(each, prepend=0) for each in numbers)
    rises = new_session | (step > 0) | ((step == 0) & (rank_step >= 0))
    if rises.all() and names.n_unique() == len(names):
        return frame, np.arange(len(frame))
    order = names.unique(maintain_order=True).to_frame().with_row_index(_SESSION)
    ordered = (
        frame.with_row_index(_ROW)
        .join(order, on="session", how="left", maintain_order="left")
        .sort(_SESSION, "query", "rank", nulls_last=False, maintain_order=True)
    )
    return ordered.drop(_ROW, _SESSION), ordered[_ROW].to_numpy().astype(np.intp)


def find_order_problems(
    frame: pl.DataFrame,
    layout: SessionLayout,
    rows: RowIndices,
    *,
    ranked: bool,
    first_counts: bool,
) -> list[Problem]:
    """What is wrong with sessions whose rows lack nothing, by session, query and rank.

    Of rows that nothing is wrong with, as nearly all are, each column is only looked at.
    """
    new_session, new_query = np.zeros((2, len(frame)), dtype=bool)
    new_session[layout.session_starts] = new_query[layout.query_starts] = True
    empty = frame["doc"].is_null().to_numpy()
    query = frame["query"].to_numpy()
    rank = frame["rank"].to_numpy()
    if empty.any():
        rank = np.where(empty, 0, frame["rank"].fill_null(0).to_numpy())
    step = _count_steps(rank, new_query)
    repeated_rank = ~empty & ~new_query & (step == 0) & ranked
    reopened = in_second_list = np.zeros_like(empty)
    if (np.diff(rows) < 0).any():
        reopened, in_second_list = _find_second_lists(
            frame, rows, new_query, repeated_rank if ranked else np.ones_like(repeated_rank)
        )
    only_row = new_query & np.append(new_query[1:], [True])
    repeated_doc = np.zeros_like(empty)
    if not first_counts and has_repeats(layout.doc_hashes, layout.query_starts):
        numbered = pl.DataFrame({"number": np.cumsum(new_query), "doc": frame["doc"]})
        is_first = numbered.select(pl.struct("number", "doc").is_first_distinct()).to_series()
        repeated_doc = ~is_first.to_numpy() & ~empty
    mistakes: list[Mistake] = [
        (
            _find_first_gaps(_count_steps(query, new_session), layout.session_starts),
            lambda row: _describe_gap("query", "at the beginning", query, new_session, row),
            _POSITIONS,
        ),
        (
            reopened,
            lambda row: f"query position {query[row]} is repeated: its list starts again here",
            _POSITIONS,
        ),
        (
            repeated_rank & ~in_second_list,
            lambda row: f"query {query[row]}: rank {rank[row]} comes twice",
            _RANKS,
        ),
        (
            _find_first_gaps(step, layout.query_starts),
            lambda row: (
                f"query {query[row]}: {_describe_gap('rank', 'at the top', rank, new_query, row)}"
            ),
            _RANKS,
        ),
        (
            empty & ~only_row,
            lambda row: f"query {query[row]} has a row without a document among others",
            "a row without a document only where a query returned nothing",
        ),
        (
            repeated_doc,
            lambda row: f"query {query[row]}: document {quote(frame['doc'][row])} comes twice",
            "each document once in a list",
        ),
    ]
    if "topic" in frame.columns:
        topic, words = frame["topic"], "query {} has two topics, {} and {}"
        mistakes.append(
            (
                mark_changes(topic) & ~new_query,
                lambda row: words.format(query[row], quote(topic[row - 1]), quote(topic[row])),
                "one topic for all results of a query",
            )
        )
    return flag_problems(frame, *mistakes, rows=rows)


def _count_steps(numbers: NDArray[Any], restarts: Flags) -> NDArray[np.int64]:
    steps = np.diff(numbers, prepend=0)
    steps[restarts] = numbers[restarts]
    return steps


def _find_first_gaps(steps: NDArray[np.int64], starts: RowIndices) -> Flags:
    gaps = np.flatnonzero(steps > 1)
    _, firsts = np.unique(np.searchsorted(starts, gaps, side="right"), return_index=True)
    flags = np.zeros(len(steps), dtype=bool)
    flags[gaps[firsts]] = True
    return flags


def _describe_gap(
    noun: str, at_first: str, numbers: NDArray[Any], restarts: Flags, row: int
) -> str:
    before = 0 if restarts[row] else int(numbers[row - 1])
    after = f"after {before}" if before else at_first
    return f"{noun} {before + 1} is missing: {after} comes {numbers[row]}"


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


def first_error(
    problems: Sequence[Problem], locate: Callable[[int], str], sessions: pl.Series | None = None
) -> tuple[int, BadInput]:
    """The row and the words of the first of all mistakes.

    It is the first in the order of the file, or that of these sessions by name and then by row.
    """
    rows = np.concatenate([problem.rows for problem in problems])
    row = int(rows.min())
    if sessions is not None:
        named = pl.DataFrame({"session": sessions.gather(rows), "row": rows})
        row = named.sort("session", "row")["row"][0]
    first = next(problem for problem in problems if row in problem.rows)
    number = int(np.flatnonzero(first.rows == row)[0])
    return row, BadInput(locate(row), first.describe(number), first.expected)


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


MAX_PLACES = 3  # that are named beside the first
SKIP = "or --bad skip (bad='skip'), which leaves these out"


@define(eq=False)
class Tally:
    """Mistakes of one kind, in all parts of a log: how many, and the first of them."""

    expected: str
    count: int = 0
    # Row, place, short place and words of each.
    examples: list[tuple[int, str, str, str]] = field(factory=list)

    def add(self, other: Tally) -> None:
        """Take the same mistakes in another part."""
        self.count += other.count
        self.examples = sorted(self.examples + other.examples)[: MAX_PLACES + 1]

    def describe(self) -> str:
        """The first of them in words, and where the next are."""
        (_, place, _, words), *rest = self.examples
        if self.count == 1:
            return f"{place}: {words}"
        places = [*dict.fromkeys(short for _, _, short, _ in rest if short)]
        places = places if len(places) == len(rest) else []
        others = self.count - 1 - len(places)
        more = [f"{others:,} more"] if others else []
        return f"{place}: {words}; also in {join_words([*places, *more])}"


def tally_problems(
    problems: Sequence[Problem], locate: Callable[[int], str], *, ordered: bool = True
) -> list[Tally]:
    """How many rows each problem has; a row counts for the first of its problems."""
    dropped: set[int] = set()
    tallies = []
    for problem in problems:
        rows = problem.rows.tolist()
        fresh = [number for number, row in enumerate(rows) if row not in dropped]
        dropped.update(rows)
        examples = []
        if not ordered:
            names = [*map(problem.session_at, range(len(rows)))]
            fresh.sort(key=lambda number: (names[number] or "", rows[number]))
        for number in fresh[: MAX_PLACES + 1]:
            place, session = locate(rows[number]), problem.session_at(number)
            named = f"session {quote(session)}" if session else ""
            short = _shorten_place(place) if ordered else named
            row = rows[number] if ordered else 0
            examples.append((row, place, short, problem.describe(number)))
        tallies.append(Tally(problem.expected, len(fresh), examples))
    return tallies


def tell_left_out(tallies: Sequence[Tally], bad: BadPolicy) -> list[str]:
    """What is to be said of events that are left out; an error, if that was not asked for."""
    tallied = [tally for tally in tallies if tally.count]
    if tallied and bad == "error":
        first = min(tallied, key=lambda tally: tally.examples[0][0])
        where, _, words = first.describe().partition(": ")
        expected = "; ".join(part for part in (first.expected, SKIP) if part)
        raise BadInput(where, words, expected)
    return [f"{count_noun(tally.count, 'event')} left out: {tally.describe()}" for tally in tallied]


def _shorten_place(place: str) -> str:
    file, colon, line = place.rpartition(":")
    if colon and file and line.isdigit():
        return f"line {line}"
    return place.rpartition(", ")[2]
