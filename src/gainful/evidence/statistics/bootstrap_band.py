"""A band around a mean vector: where would it be with other sessions of the same kind?

Sessions are drawn again with replacement, whole, so that queries of a session stay together; the
band lies between percentiles, at each place by itself.
"""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.resampling import Resampling
from gainful.types import Array

_AT_ONCE = 1 << 23  # numbers held at a time


def bootstrap_band(total: Array, counts: Array, resampling: Resampling) -> tuple[Array, Array]:
    """The percentiles of the sums of `total`, divided by those of `number`, at each place.

    Args:
        total: a row for each session, a column for each place.
        counts: likewise: how much each session counts there; 0 where it does not.
        resampling: the level, the resamples and the seed.

    Examples:
        >>> low, high = bootstrap_band(
        ...     np.array([[1.0], [3.0]]), np.ones((2, 1)), Resampling(resamples=999)
        ... )
        >>> low.tolist(), high.tolist()
        ([1.0], [3.0])
    """
    places = total.shape[1]
    ends = np.empty((2, places))
    step = max(1, _AT_ONCE // resampling.resamples)
    for begin in range(0, places, step):
        part = slice(begin, begin + step)
        resampled_means = _resample_means(total[:, part], counts[:, part], resampling)
        ends[:, part] = _percentiles(resampled_means, resampling.alpha)
    return ends[0], ends[1]


def _resample_means(total: Array, counts: Array, resampling: Resampling) -> Array:
    """What each draw gives: draws × places; the same draws for all places."""
    size, generator = len(total), resampling.random_generator()
    means = np.full((resampling.resamples, total.shape[1]), np.nan)
    step = max(1, _AT_ONCE // size)
    for begin in range(0, resampling.resamples, step):
        part = means[begin : begin + step]
        draws = generator.multinomial(size, np.full(size, 1 / size), len(part)).astype(np.float64)
        weight = draws @ counts
        np.divide(draws @ total, weight, out=part, where=weight > 0)
    return means


def _percentiles(resampled_means: Array, alpha: float) -> Array:
    """Of each column; not a number where nothing was ever drawn."""
    levels = (alpha / 2, 1 - alpha / 2)
    ends = np.full((2, resampled_means.shape[1]), np.nan)
    defined = ~np.isnan(resampled_means).all(axis=0)
    if defined.any():
        ends[:, defined] = np.nanquantile(resampled_means[:, defined], levels, axis=0)
    return ends
