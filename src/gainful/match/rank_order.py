"""Orders: rows of a run by score, equal scores by input and by document id; the ideal ranking."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from gainful.match.ties import TieBlocks, find_ties, reduce_precision, tie_blocks
from gainful.types import Array, Flags, Ranks

if TYPE_CHECKING:
    import polars as pl


@frozen(eq=False)
class RankOrder:
    """A run in rank order: which row stands where, and where each query begins."""

    rows: Ranks | None  # row at each place; None where the run is in order as it is
    score: Array  # by place
    start: Ranks  # by query
    retrieved: Ranks  # by query
    tied: Ranks  # the places whose score equals the one before

    def rank_rows(self, row: Ranks, query: Ranks, docs: pl.Series | None) -> TieBlocks:
        """The ranks of some rows of these queries; without all names, ties by id stay as given."""
        position = row if self.rows is None else invert_order(self.rows)[row]
        first, last, block = tie_blocks(position, self.start[query], self.tied)
        by_input = position - self.start[query] + 1
        ranks = TieBlocks(query, first, last, by_input, by_input)
        return ranks if docs is None else self._sort_ties(ranks, position, block, docs)

    def _sort_ties(
        self, ranks: TieBlocks, position: Ranks, block: Ranks, docs: pl.Series
    ) -> TieBlocks:
        """The ranks with ties broken by document id: only blocks with one of them are sorted."""
        import polars as pl  # noqa: PLC0415  (slow, and arrays have no ids)

        inside = np.flatnonzero(block >= 0)
        if not inside.size:
            return ranks
        numbers, first_index = np.unique(block[inside], return_index=True)
        tied = ranks.select(inside[first_index])
        sizes = tied.last - tied.first + 1
        opens = position[inside[first_index]] - (tied.by_input - tied.first)
        offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = np.repeat(opens, sizes) + offset
        ordered = (
            pl.DataFrame({"block": np.repeat(numbers, sizes), "place": places})
            .with_columns(
                docs.gather(places if self.rows is None else self.rows[places]).alias("doc")
            )
            .sort("block", "doc", descending=[False, True], maintain_order=True)
        )
        rank_of = np.empty(len(ordered), dtype=np.intp)  # by place among these, which ascend
        rank_of[np.searchsorted(places, ordered["place"].to_numpy())] = offset
        by_id = ranks.by_input.copy()
        by_id[inside] = ranks.first[inside] + rank_of[np.searchsorted(places, position[inside])]
        return evolve(ranks, by_id=by_id)


def order_by_score(score: Array, query: Ranks, lengths: Ranks, size: int, bits: int) -> RankOrder:
    """A run in rank order.

    Args:
        score: of each row.
        query: the number of each stretch of rows of one query.
        lengths: how many rows each stretch has.
        size: how many queries there are.
        bits: how precise scores are.
    """
    score = reduce_precision(score, bits)
    lengths = lengths.astype(np.intp)
    retrieved = np.bincount(query, lengths, minlength=size).astype(np.intp)
    begin = np.cumsum(lengths) - lengths
    rising = score[1:] > score[:-1]
    rising[begin[1:] - 1] = False
    if len(query) == int((retrieved > 0).sum()) and not rising.any():
        start = np.zeros(size, dtype=np.intp)
        start[query] = begin
        return RankOrder(None, score, start, retrieved, find_ties(score, start, retrieved))
    rows = np.lexsort((-score, np.repeat(query, lengths)))
    score, start = score[rows], np.cumsum(retrieved) - retrieved
    return RankOrder(rows, score, start, retrieved, find_ties(score, start, retrieved))


@frozen(eq=False)
class IdealRanking:
    """The documents of all queries in ideal order, query by query."""

    query: Ranks
    gain: Array
    rank: Ranks  # from 1 on in each query


def invert_order(order: Ranks) -> Ranks:
    """Where each item of an order stands."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def ideal_order(query: Ranks, gain: Array, grade: Array | None = None) -> Ranks:
    """The order by query, the highest gain first, and of equal gains the best grade."""
    return np.lexsort((-gain, query) if grade is None else (-grade, -gain, query))


def rank_ideally(query: Ranks, gain: Array) -> IdealRanking:
    """Documents by query, the most valuable at rank 1.

    Examples:
        >>> ideal = rank_ideally(np.array([1, 0, 1]), np.array([1.0, 5.0, 3.0]))
        >>> ideal.gain.tolist(), ideal.rank.tolist()
        ([5.0, 3.0, 1.0], [1, 1, 2])
    """
    order = ideal_order(query, gain)
    ordered = query[order]
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered) + 1
    return IdealRanking(ordered, gain[order], rank)


def search_stretches(
    ordered: NDArray[Any],
    start: Ranks,
    end: Ranks,
    own: NDArray[Any],
    holds: Callable[[NDArray[Any], NDArray[Any]], Flags],
) -> Ranks:
    """Where in its own stretch of `ordered` a condition stops holding: one search for all."""
    position = start.copy()
    step = 1 << int(np.max(end - start, initial=1)).bit_length()
    while step := step >> 1:
        ahead = position + step
        still_holds = holds(ordered[np.minimum(ahead, end) - 1], own) & (ahead <= end)
        position = np.where(still_holds, ahead, position)
    return position


def find_cells(flags: Flags) -> tuple[Ranks, Ranks]:
    """Row and column of each flagged cell of a matrix: several times quicker than np.nonzero."""
    return np.divmod(np.flatnonzero(flags), flags.shape[1])


def take_by_row(matrix: NDArray[Any], columns: Ranks) -> NDArray[Any]:
    """Some columns of each row, as np.take_along_axis has them, and three times as quick."""
    begin = np.arange(0, matrix.size, matrix.shape[1])[:, None]
    return matrix.reshape(-1).take(columns + begin)


def sort_rows_ideally(
    gains: Array, wanted: Flags | None = None, last_rank: int = sys.maxsize
) -> Array:
    """The wanted gains of each row of a matrix, the highest first, and zeros behind them.

    Args:
        gains: what each document is worth.
        wanted: those that the ideal is made of; without it those above zero.
        last_rank: the last rank that is looked at.

    Examples:
        >>> sort_rows_ideally(np.array([[1.0, 0.0, 3.0], [2.0, -1.0, 0.0]])).tolist()
        [[3.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    """
    chosen = gains > 0 if wanted is None else wanted
    behind = 0.0 if wanted is None else -np.inf
    if np.count_nonzero(chosen) * 4 > gains.size:
        packed = np.maximum(gains, 0.0) if wanted is None else np.where(wanted, gains, -np.inf)
    else:  # few are worth anything: sort only those
        row, column = find_cells(chosen)
        count = np.bincount(row, minlength=len(gains))
        position = np.arange(row.size) - (np.cumsum(count) - count)[row]
        packed = np.full((len(gains), max(1, int(count.max()))), behind)
        packed[row, position] = gains[row, column]
    if last_rank < packed.shape[1]:
        packed.partition(packed.shape[1] - last_rank, axis=1)
        packed = packed[:, -last_rank:]
    packed.sort(axis=1)
    ideal = np.ascontiguousarray(packed[:, ::-1])
    return ideal if wanted is None else np.where(np.isinf(ideal), 0.0, ideal)
