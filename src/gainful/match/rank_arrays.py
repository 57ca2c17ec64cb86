"""Gains and scores → the gain at each rank, for all rankings at once.

A document's rank is one plus the number of documents above it. Where few documents are worth
anything, as in most judgments, only those are placed: they are counted in a copy of the scores
sorted by value alone, which is several times faster than an argsort. Either way ties come out
as the block of ranks `[first, last]` that equal scores share, and every tie policy is a choice
made afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from gainful.errors import Tied

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ranks = NDArray[np.intp]

_FEW = 1 / 8  # counting beats sorting up to about this share of documents worth anything


@frozen(eq=False)
class Listed:
    """Rankings that are in order already: the gain at rank 1, 2, … of each row."""

    gain: Array

    def by_rank(self, depth: int) -> Array:
        """The gain at ranks 1 … depth, as a matrix."""
        lacking = depth - self.gain.shape[1]
        return np.pad(self.gain, ((0, 0), (0, lacking))) if lacking > 0 else self.gain[:, :depth]

    @property
    def deepest(self) -> int:
        """The last rank there is."""
        return int(self.gain.shape[1])

    def cut(self, depth: Ranks) -> Listed:
        """Only the first documents of each row, as many as a column of depths says."""
        return Listed(np.where(np.arange(self.gain.shape[1]) < depth, self.gain, 0.0))

    def weighted(self, weights: Array) -> Array:
        """The sum of each row, the gain at rank i weighted by weights[i - 1]."""
        depth = min(len(weights), self.gain.shape[1])
        return self.gain[:, :depth] @ weights[:depth]


@frozen(eq=False)
class Placed:
    """Documents that are worth something, each at a rank, or spread evenly over a block of them."""

    rows: int
    row: Ranks
    column: Ranks
    gain: Array
    first: Ranks
    last: Ranks

    def by_rank(self, depth: int) -> Array:
        """The (expected) gain at ranks 1 … depth, as a matrix."""
        alone = self.first == self.last
        wide = depth + 1  # one column more, for all that falls below
        share = self.gain / (self.last - self.first + 1)
        start = self.row * wide + np.minimum(self.first - 1, depth)
        earned = self._summed(start[alone], share[alone], wide)
        if not alone.all():
            after = self.row * wide + np.minimum(self.last, depth)
            steps = self._summed(start[~alone], share[~alone], wide)
            steps -= self._summed(after[~alone], share[~alone], wide)
            earned += np.cumsum(steps, axis=1)
        return earned[:, :depth]

    @property
    def deepest(self) -> int:
        """The last rank there is."""
        return int(self.last.max(initial=1))

    def cut(self, depth: Ranks) -> Placed:
        """Only the first documents of each row, as many as a column of depths says."""
        kept = self.first <= np.broadcast_to(depth[:, 0], self.rows)[self.row]
        return evolve(self, gain=np.where(kept, self.gain, 0.0))

    def weighted(self, weights: Array) -> Array:
        """The (expected) sum of each row, the gain at rank i weighted by weights[i - 1]."""
        depth = len(weights)
        weight = np.append(weights, 0.0)[np.minimum(self.first - 1, depth)]
        block = np.nonzero(self.first < self.last)[0]
        if block.size:
            first, last = self.first[block], self.last[block]
            until = np.append(0.0, np.cumsum(weights, dtype=np.longdouble))  # deep ranks are small
            over = until[np.minimum(last, depth)] - until[np.minimum(first - 1, depth)]
            weight[block] = over / (last - first + 1)
        return self._summed(self.row, self.gain * weight, 1)[:, 0]

    def _summed(self, cell: Ranks, gain: Array, width: int) -> Array:
        flat = np.bincount(cell, gain, minlength=self.rows * width)
        return flat.astype(np.float64, copy=False).reshape(self.rows, width)


def place(
    gain: Array, score: Array | None, ties: str, deepest: int = sys.maxsize
) -> Listed | Placed:
    """Rank documents by score; `ties` says where equal scores stand in their block.

    Args:
        gain: what each document is worth, one row per ranking.
        score: what each document is ranked by; None where the rows are in order already.
        ties: a policy of the table below, or `average`; with any other, ties are an error.
        deepest: the last rank that is looked at; ties below it do not matter.

    Examples:
        >>> gain, score = np.array([[3.0, 0, 2]]), np.array([[0.1, 0.5, 0.5]])
        >>> place(gain, score, "worst").by_rank(3).tolist()
        [[0.0, 2.0, 3.0]]
        >>> place(gain, score, "average").by_rank(3).tolist()
        [[1.0, 1.0, 3.0]]
    """
    if score is None:
        return Listed(gain)
    row, column = np.nonzero(gain)
    if row.size < _FEW * gain.size:
        first, last = _counted(score, row, column)
    else:
        order = np.argsort(-score, axis=1, kind="stable")
        starts = _starts(np.take_along_axis(score, order, axis=1))
        if ties == "input" or starts.all():
            return Listed(np.take_along_axis(gain, order, axis=1))
        first, last = (_returned(order, edge)[row, column] for edge in _edges(starts))
    placed = Placed(len(gain), row, column, gain[row, column], first, last)
    if ties == "average":
        return placed
    if ties not in _POLICIES:
        _refuse_ties(placed, score, deepest)
        ties = "worst"  # as good as any, where the order does not matter
    rank = _POLICIES[ties](placed, score)
    return evolve(placed, first=rank, last=rank)


def _counted(score: Array, row: Ranks, column: Ranks) -> tuple[Ranks, Ranks]:
    """First and last rank of some documents, by counting those above and those not below."""
    own = score[row, column]
    width = score.shape[1]
    ordered = np.sort(score, axis=1).ravel()
    start = row * width
    at_most = _upper(ordered, start, width, own, np.less_equal)
    below = at_most - 1  # right unless the next lower score is the same
    tied = below > start
    tied[tied] = ordered[below[tied] - 1] == own[tied]
    if tied.any():
        below[tied] = _upper(ordered, start[tied], width, own[tied], np.less)
    end = start + width
    return end - at_most + 1, end - below


def _upper(
    ordered: Array, start: Ranks, width: int, own: Array, holds: Callable[[Array, Array], Flags]
) -> Ranks:
    """Where in its own stretch of `ordered` the condition stops holding: one search for all."""
    position = start.copy()
    end = start + width
    step = 1 << (width.bit_length() - 1)
    while step:
        ahead = position + step
        held = holds(ordered[np.minimum(ahead, end) - 1], own) & (ahead <= end)
        position = np.where(held, ahead, position)
        step >>= 1
    return position


def _starts(ordered: Array) -> Flags:
    """Where in descending scores a new score begins."""
    starts = np.ones(ordered.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return starts


def _edges(starts: Flags) -> tuple[Ranks, Ranks]:
    """The first and last rank of the block that each rank belongs to."""
    rank = np.arange(1, starts.shape[1] + 1)
    first = np.maximum.accumulate(np.where(starts, rank, 0), axis=1)
    ends = np.ones_like(starts)
    ends[:, :-1] = starts[:, 1:]
    backwards = np.where(ends, rank, rank[-1])[:, ::-1]
    return first, np.minimum.accumulate(backwards, axis=1)[:, ::-1]


def _returned(order: Ranks, values: Ranks) -> Ranks:
    """Values by rank, put back to where their documents stand in the input."""
    back = np.empty_like(order)
    np.put_along_axis(back, order, values, axis=1)
    return back


def _refuse_ties(placed: Placed, score: Array, deepest: int) -> None:
    """Ties are an error where their order matters."""
    tied = np.nonzero((placed.first < placed.last) & (placed.first <= deepest))[0]
    if tied.size and not _all_alike(placed, tied):
        row, column = int(placed.row[tied[0]]), int(placed.column[tied[0]])
        raise Tied(
            f"scores are tied: ranking {row}, document {column}, score {score[row, column]:g}; "
            "arrays have no document ids to break ties by, so set ties to "
            f"{', '.join((*_POLICIES, 'average'))}"
        )


def _all_alike(placed: Placed, tied: Ranks) -> bool:
    """Are all documents of each tied block worth the same, so that any order will do?"""
    alike = np.stack((placed.row[tied], placed.first[tied], placed.gain[tied]))
    _, inverse, count = np.unique(alike, axis=1, return_inverse=True, return_counts=True)
    size = placed.last[tied] - placed.first[tied] + 1
    return bool((count[inverse.ravel()] == size).all())


def _tied_before(placed: Placed, score: Array) -> Ranks:
    """How many documents of the same score stand earlier in the input."""
    before = np.zeros_like(placed.first)
    tied = placed.first < placed.last
    rows, row = np.unique(placed.row[tied], return_inverse=True)
    order = np.argsort(-score[rows], axis=1, kind="stable")
    place = np.broadcast_to(np.arange(1, score.shape[1] + 1), order.shape)
    before[tied] = _returned(order, place)[row, placed.column[tied]] - placed.first[tied]
    return before


def _in_input_order(placed: Placed, score: Array) -> Ranks:
    return placed.first + _tied_before(placed, score)


def _reversed(placed: Placed, score: Array) -> Ranks:
    return placed.last - _tied_before(placed, score)


def _mean_rank(placed: Placed, score: Array) -> Ranks:
    return (placed.first + placed.last) // 2


def _best(placed: Placed, score: Array) -> Ranks:
    return by_gain(placed, best=True)


def _worst(placed: Placed, score: Array) -> Ranks:
    return by_gain(placed, best=False)


def by_gain(placed: Placed, *, best: bool) -> Ranks:
    """Within a block the best (or worst) first; what is worth nothing stands in the middle."""
    order = -placed.gain if best else placed.gain
    sequence = np.lexsort((order, placed.first, placed.row))
    row, first = placed.row[sequence], placed.first[sequence]
    starts = np.ones(len(row), dtype=bool)
    starts[1:] = (np.diff(row) != 0) | (np.diff(first) != 0)
    begin = np.nonzero(starts)[0]
    block = np.cumsum(starts) - 1
    size = np.diff(np.append(begin, len(row)))
    place = np.arange(len(row)) - begin[block]
    from_top = first + place
    from_bottom = placed.last[sequence] - (size[block] - 1 - place)
    rank = np.empty_like(placed.first)
    rank[sequence] = np.where(order[sequence] < 0, from_top, from_bottom)
    return rank


_POLICIES: dict[str, Callable[[Placed, Array], Ranks]] = {
    "input": _in_input_order,
    "reversed": _reversed,
    "best": _best,
    "worst": _worst,
    "mean_rank": _mean_rank,
}
