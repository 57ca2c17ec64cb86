"""The ideal ranking: the most valuable documents of each query first."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.types import Array, Ranks


@frozen(eq=False)
class IdealRanking:
    """The documents of all queries in ideal order, query by query."""

    query: Ranks
    gain: Array
    rank: Ranks  # from 1 on in each query


def ideal_order(query: Ranks, gain: Array) -> Ranks:
    """The order that groups by query and puts the highest gain (or grade) first."""
    return np.lexsort((-gain, query))


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
