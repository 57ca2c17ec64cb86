"""A band around a mean vector: where would it be with other sessions of the same kind?

Sessions are drawn again with replacement, whole, so that queries of a session stay together; the
band lies between percentiles, at each place by itself.
"""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.resampling import How
from gainful.formula import Array

_AT_ONCE = 1 << 23  # numbers held at a time


def band(total: Array, number: Array, resampling: How) -> tuple[Array, Array]:
    """The percentiles of the sums of `total`, divided by those of `number`, at each place.

    Args:
        total: a row for each session, a column for each place.
        number: likewise: how much each session counts there; 0 where it does not.
        how: the level, the resamples and the seed.

    Examples:
        >>> low, high = band(np.array([[1.0], [3.0]]), np.ones((2, 1)), How(resamples=999))
        >>> low.tolist(), high.tolist()
        ([1.0], [3.0])
    """
    places = total.shape[1]
    ends = np.empty((2, places))
    step = max(1, _AT_ONCE // resampling.resamples)
    for begin in range(0, places, step):
        part = slice(begin, begin + step)
        drawn = _drawn(total[:, part], number[:, part], resampling)
        ends[:, part] = _percentiles(drawn, resampling.alpha)
    return ends[0], ends[1]


def _drawn(total: Array, number: Array, resampling: How) -> Array:
    """What each draw gives: draws × places; the same draws for all places."""
    size, chance = len(total), resampling.random()
    found = np.full((resampling.resamples, total.shape[1]), np.nan)
    step = max(1, _AT_ONCE // size)
    for begin in range(0, resampling.resamples, step):
        part = found[begin : begin + step]
        times = chance.multinomial(size, np.full(size, 1 / size), len(part)).astype(np.float64)
        weight = times @ number
        np.divide(times @ total, weight, out=part, where=weight > 0)
    return found


def _percentiles(drawn: Array, alpha: float) -> Array:
    """Of each column; not a number where nothing was ever drawn."""
    levels = (alpha / 2, 1 - alpha / 2)
    found = np.full((2, drawn.shape[1]), np.nan)
    there = ~np.isnan(drawn).all(axis=0)
    if there.any():
        found[:, there] = np.nanquantile(drawn[:, there], levels, axis=0)
    return found
