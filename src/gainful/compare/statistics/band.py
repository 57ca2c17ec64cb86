"""A band around a mean vector: where would it be with other sessions of the same kind?

Sessions are drawn again with replacement, whole, so that queries of a session stay together; the
band lies between percentiles, at each place by itself.
"""

from __future__ import annotations

import numpy as np

from gainful.compare.statistics.how import How
from gainful.formula import Array
from gainful.match.matched import Flags

_AT_ONCE = 1 << 23  # numbers held at a time


def band(total: Array, number: Array, how: How) -> tuple[Array, Array]:
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
    size, places = total.shape
    draws = how.random().multinomial(size, np.full(size, 1 / size), how.resamples).astype(float)
    ends = np.empty((2, places))
    step = max(1, _AT_ONCE // how.resamples)
    for begin in range(0, places, step):
        part = slice(begin, begin + step)
        weight = draws @ number[:, part]
        some = weight > 0
        drawn = np.divide(
            draws @ total[:, part], weight, out=np.full(weight.shape, np.nan), where=some
        )
        ends[:, part] = _percentiles(drawn, some, how.alpha)
    return ends[0], ends[1]


def _percentiles(drawn: Array, some: Flags, alpha: float) -> Array:
    """Of each column; not a number where nothing was ever drawn."""
    levels = (alpha / 2, 1 - alpha / 2)
    found = np.full((2, drawn.shape[1]), np.nan)
    there = some.any(axis=0)
    if there.any():
        found[:, there] = np.nanquantile(drawn[:, there], levels, axis=0)
    return found
