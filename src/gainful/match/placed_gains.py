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
from functools import partial

import numpy as np
from attrs import evolve, frozen

from gainful.errors import Tied
from gainful.match.rank_order import find_cells, search_stretches, take_by_row
from gainful.match.ties import TIE_POLICIES, TieBlocks, place_ties
from gainful.types import Array, Flags, Ranks

_COUNTING_SHARE = 1 / 8  # counting beats sorting up to about this share of documents worth anything
_SELECTION_SHARE = 8  # selecting beats sorting where rows have so many times the ranks looked at


@frozen(eq=False)
class OrderedGains:
    """Rankings that are in order already: the gain at rank 1, 2, … of each row."""

    gain: Array

    def gains_by_rank(self, depth: int) -> Array:
        """The gain at ranks 1 … depth, as a matrix."""
        missing_ranks = depth - self.gain.shape[1]
        if missing_ranks > 0:
            return np.pad(self.gain, ((0, 0), (0, missing_ranks)))
        return self.gain[:, :depth]

    @property
    def last_rank(self) -> int:
        """The last rank there is."""
        return int(self.gain.shape[1])

    def cut(self, depth: Ranks) -> OrderedGains:
        """Only the first documents of each row, as many as a column of depths says."""
        return OrderedGains(np.where(np.arange(self.gain.shape[1]) < depth, self.gain, 0.0))

    def sum_with_weights(self, weights: Array) -> Array:
        """The sum of each row, the gain at rank i weighted by weights[i - 1]."""
        depth = min(len(weights), self.gain.shape[1])
        return self.gain[:, :depth] @ weights[:depth]


@frozen(eq=False)
class PlacedGains:
    """Documents that are worth something, each at a rank, or spread evenly over a block of them."""

    row_count: int
    row: Ranks
    column: Ranks
    gain: Array
    first: Ranks
    last: Ranks

    def gains_by_rank(self, depth: int) -> Array:
        """The (expected) gain at ranks 1 … depth, as a matrix."""
        alone = self.first == self.last
        width = depth + 1  # one column more, for all that falls below
        share = self.gain / (self.last - self.first + 1)
        start = self.row * width + np.minimum(self.first - 1, depth)
        gains = self._sum_cells(start[alone], share[alone], width)
        if not alone.all():
            end = self.row * width + np.minimum(self.last, depth)
            steps = self._sum_cells(start[~alone], share[~alone], width)
            steps -= self._sum_cells(end[~alone], share[~alone], width)
            gains += np.cumsum(steps, axis=1)
        return gains[:, :depth]

    @property
    def last_rank(self) -> int:
        """The last rank there is."""
        return int(self.last.max(initial=1))

    def cut(self, depth: Ranks) -> PlacedGains:
        """Only the first documents of each row, as many as a column of depths says."""
        kept = self.first <= np.broadcast_to(depth[:, 0], self.row_count)[self.row]
        return evolve(self, gain=np.where(kept, self.gain, 0.0))

    def sum_with_weights(self, weights: Array) -> Array:
        """The (expected) sum of each row, the gain at rank i weighted by weights[i - 1]."""
        depth = len(weights)
        weight = np.append(weights, 0.0)[np.minimum(self.first - 1, depth)]
        block = np.nonzero(self.first < self.last)[0]
        if block.size:
            first, last = self.first[block], self.last[block]
            # Weights of deep ranks are small.
            total = np.append(0.0, np.cumsum(weights, dtype=np.longdouble))
            block_weight = total[np.minimum(last, depth)] - total[np.minimum(first - 1, depth)]
            weight[block] = block_weight / (last - first + 1)
        return self._sum_cells(self.row, self.gain * weight, 1)[:, 0]

    def _sum_cells(self, cell: Ranks, gain: Array, width: int) -> Array:
        flat = np.bincount(cell, gain, minlength=self.row_count * width)
        return flat.astype(np.float64, copy=False).reshape(self.row_count, width)


def rank_gains(
    gain: Array, score: Array | None, ties: str, last_rank: int = sys.maxsize
) -> OrderedGains | PlacedGains:
    """Rank documents by score; `ties` says where equal scores stand in their block.

    Args:
        gain: what each document is worth, one row per ranking.
        score: what each document is ranked by; None where the rows are in order already.
        ties: a policy of the tie table; if it needs ids, ties are an error.
        last_rank: the last rank that is looked at; ties below it do not matter.

    Examples:
        >>> gain, score = np.array([[3.0, 0, 2]]), np.array([[0.1, 0.5, 0.5]])
        >>> rank_gains(gain, score, "worst").gains_by_rank(3).tolist()
        [[0.0, 2.0, 3.0]]
        >>> rank_gains(gain, score, "average").gains_by_rank(3).tolist()
        [[1.0, 1.0, 3.0]]
    """
    if score is None:
        return OrderedGains(gain)
    if np.count_nonzero(worth := gain != 0) < _COUNTING_SHARE * gain.size:
        best, edge = _select_best(score, last_rank)
        if edge is not None:
            worth &= score > edge
        return _place_gains(gain, score, ties, last_rank, partial(_count_ranks, best), worth=worth)
    ordered, has_ties = _order_gains(gain, score, last_rank)
    if has_ties.all() or (has_ties.any() and TIE_POLICIES[ties].needs == "ids"):
        return _place_gains(gain, score, ties, last_rank, _sort_ranks)
    if has_ties.any():
        tied_rows = _place_gains(gain[has_ties], score[has_ties], ties, last_rank, _sort_ranks)
        ordered[has_ties] = tied_rows.gains_by_rank(ordered.shape[1])
    return OrderedGains(ordered)


def _select_best(score: Array, last_rank: int) -> tuple[Array, Array | None]:
    """The scores of the first ranks alone, and those next below; all where ties go across."""
    if _SELECTION_SHARE * last_rank < score.shape[1]:
        best = np.partition(score, -last_rank - 1, axis=1)[:, -last_rank - 1 :]
        if (best[:, 1:] > best[:, :1]).all():
            return best[:, 1:], best[:, :1]
    return score, None


def _order_gains(gain: Array, score: Array, last_rank: int) -> tuple[Array, Flags]:
    """The gains by score, and which rows have scores that are equal but for their last bits.

    Whole numbers that hold the score, but for its last bits, and the column are sorted several
    times faster than an argsort; where few ranks of many are looked at, they are selected before.
    """
    bits = (score.shape[1] - 1).bit_length()
    key = np.subtract(0.0, score, dtype=np.float64).view(np.int64)  # minus zero is zero
    key ^= (key < 0) * np.iinfo(np.int64).max  # whole numbers in the order of the floats
    key &= -(1 << bits)
    key |= np.arange(score.shape[1])
    if _SELECTION_SHARE * last_rank < score.shape[1]:
        key.partition(last_rank, axis=1)
        key = key[:, : last_rank + 1]
    key.sort(axis=1)
    has_ties = (key[:, 1:] >> bits == key[:, :-1] >> bits).any(axis=1)
    return take_by_row(gain, key[:, :last_rank] & ((1 << bits) - 1)), has_ties


def _place_gains(
    gain: Array,
    score: Array,
    ties: str,
    last_rank: int,
    find_blocks: Callable[[Array, Ranks, Ranks], tuple[Ranks, Ranks]],
    *,
    worth: Flags | None = None,
) -> PlacedGains:
    """What is worth something at its rank, equal scores as the policy of the tie table has them."""
    row, column = find_cells(gain != 0 if worth is None else worth)
    first, last = find_blocks(score, row, column)
    placed = PlacedGains(len(gain), row, column, gain[row, column], first, last)
    if TIE_POLICIES[ties].needs == "ids":
        _refuse_ties(placed, score, last_rank)
        ties = "worst"  # as good as any, where the order does not matter
    by_input = _rank_by_input(placed, score) if TIE_POLICIES[ties].needs == "order" else first
    first, last = place_ties(ties, TieBlocks(row, first, last, first, by_input), placed.gain)
    return evolve(placed, first=first, last=last)


def _sort_ranks(score: Array, row: Ranks, column: Ranks) -> tuple[Ranks, Ranks]:
    order = np.argsort(-score, axis=1)
    ordered = take_by_row(score, order)
    starts: Flags = np.ones(ordered.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    rank = np.arange(1, starts.shape[1] + 1)
    first = np.maximum.accumulate(np.where(starts, rank, 0), axis=1)
    ends = np.ones_like(starts)
    ends[:, :-1] = starts[:, 1:]
    backwards = np.where(ends, rank, rank[-1])[:, ::-1]
    last = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    first, last = (_restore_input_order(order, edge)[row, column] for edge in (first, last))
    return first, last


def _count_ranks(best: Array, score: Array, row: Ranks, column: Ranks) -> tuple[Ranks, Ranks]:
    """First and last rank of some of the best documents, by counting those above, and not below."""
    own_score = score[row, column]
    width = best.shape[1]
    ordered = np.sort(best, axis=1).ravel()
    start = row * width
    at_most = search_stretches(ordered, start, start + width, own_score, np.less_equal)
    below = at_most - 1  # right unless the next lower score is the same
    tied = below > start
    tied[tied] = ordered[below[tied] - 1] == own_score[tied]
    if tied.any():
        begin, score_here = start[tied], own_score[tied]
        below[tied] = search_stretches(ordered, begin, begin + width, score_here, np.less)
    end = start + width
    return end - at_most + 1, end - below


def _restore_input_order(order: Ranks, values: Ranks) -> Ranks:
    back = np.empty_like(order)
    np.put_along_axis(back, order, values, axis=1)
    return back


def _refuse_ties(placed: PlacedGains, score: Array, last_rank: int) -> None:
    """Ties are an error where their order matters."""
    tied = np.nonzero((placed.first < placed.last) & (placed.first <= last_rank))[0]
    if not tied.size:
        return
    keys = np.stack((placed.row[tied], placed.first[tied], placed.gain[tied]))
    _, inverse, count = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    size = placed.last[tied] - placed.first[tied] + 1
    if (count[inverse.ravel()] != size).any():  # not all of a block are worth the same
        row, column = int(placed.row[tied[0]]), int(placed.column[tied[0]])
        raise Tied(
            f"scores are tied: ranking {row}, document {column}, score {score[row, column]:g}; "
            "arrays have no document ids to break ties by, so set ties to "
            f"{', '.join(name for name, policy in TIE_POLICIES.items() if policy.needs != 'ids')}"
        )


def _rank_by_input(placed: PlacedGains, score: Array) -> Ranks:
    rank, tied = placed.first.copy(), placed.first < placed.last
    rows, row = np.unique(placed.row[tied], return_inverse=True)
    order = np.argsort(-score[rows], axis=1, kind="stable")
    every = np.broadcast_to(np.arange(1, score.shape[1] + 1), order.shape)
    rank[tied] = _restore_input_order(order, every)[row, placed.column[tied]]
    return rank
