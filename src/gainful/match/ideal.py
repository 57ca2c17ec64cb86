"""The ideal ranking: the most valuable documents of each query first."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.types import Array, Flags, Ranks


@frozen(eq=False)
class IdealRanking:
    """The documents of all queries in ideal order, query by query."""

    query: Ranks
    gain: Array
    rank: Ranks  # from 1 on in each query


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


def sort_rows_ideally(gains: Array, wanted: Flags) -> Array:
    """The wanted gains of each row of a matrix, the highest first, and zeros behind them.

    Examples:
        >>> gains = np.array([[1.0, 0.0, 3.0], [2.0, -1.0, 0.0]])
        >>> sort_rows_ideally(gains, gains > 0).tolist()
        [[3.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    """
    row, column = np.nonzero(wanted)
    if row.size * 4 > gains.size:
        packed = np.where(wanted, -gains, np.inf)
    else:  # few are worth anything: sort only those
        count = np.bincount(row, minlength=len(gains))
        position = np.arange(row.size) - (np.cumsum(count) - count)[row]
        packed = np.full((len(gains), max(1, int(count.max()))), np.inf)
        packed[row, position] = -gains[row, column]
    packed.sort(axis=1)
    return np.where(np.isinf(packed), 0.0, -packed)
