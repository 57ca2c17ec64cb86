"""Wilcoxon's signed-rank test: are differences symmetric about zero, by their ranks?

If they are, each rank could as well have had the other sign. Twice a rank is a whole number even
where ties share ranks, so the sums of all 2**n ways to give signs can be counted one rank after
the other, without going through the ways themselves.
"""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.exact_sums import drop_rounding_noise
from gainful.evidence.statistics.outcome import p_for_alternative
from gainful.evidence.statistics.resampling import Alternative
from gainful.types import Array

MAX_EXACT_RANKS = 50  # differences whose 2**n ways a floating-point number still counts exactly


def wilcoxon_p(differences: Array, alternative: Alternative = "two-sided") -> Array:
    """The p of each column; differences of zero are left out of it.

    Up to 50 differences that are not zero p is exact, ties or not; beyond, the sum of ranks is
    taken for normal, its variance corrected for ties.

    Examples:
        >>> wilcoxon_p(np.array([[1.0], [2.0], [3.0], [3.0]])).tolist()  # 2 of 16 ways
        [0.125]
    """
    from scipy.stats import norm, rankdata  # noqa: PLC0415  (slow to load, only tests need it)

    sizes = drop_rounding_noise(np.abs(differences).T).T
    nonzero = sizes > 0
    ranks = np.where(nonzero, rankdata(sizes, axis=0) - (~nonzero).sum(axis=0), 0.0)
    positive = np.where(differences > 0, ranks, 0.0).sum(axis=0)
    deviation = np.sqrt((ranks**2).sum(axis=0)) / 2
    z = (positive - ranks.sum(axis=0) / 2) / np.where(deviation > 0, deviation, 1.0)
    greater, less = norm.sf(z), norm.cdf(z)
    counts: dict[bytes, Array] = {}
    for at in np.flatnonzero(nonzero.sum(axis=0) <= MAX_EXACT_RANKS):
        doubled = np.sort(np.rint(2 * ranks[nonzero[:, at], at]).astype(np.intp))
        if doubled.tobytes() not in counts:  # without ties all columns have the same
            counts[doubled.tobytes()] = count_rank_sums(doubled)
        ways = counts[doubled.tobytes()]
        place = int(np.rint(2 * positive[at]))
        greater[at], less[at] = ways[place:].sum(), ways[: place + 1].sum()
    return p_for_alternative(greater, less, alternative)


def count_rank_sums(doubled_ranks: Array) -> Array:
    """The share of all ways to give signs in which the positive ranks, doubled, sum to 0, 1, ….

    Examples:
        >>> count_rank_sums(np.array([2, 4])).tolist()  # nothing, the first, the second, both
        [0.25, 0.0, 0.25, 0.0, 0.25, 0.0, 0.25]
    """
    ways = np.zeros(int(np.sum(doubled_ranks)) + 1)
    ways[0] = 1.0
    for rank in doubled_ranks.tolist():
        ways[rank:] += ways[: ways.size - rank].copy()
    return np.asarray(ways / 2.0 ** len(doubled_ranks))
