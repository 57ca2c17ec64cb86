"""The bootstrap: what would the mean difference be with other queries of the same kind?

Queries are drawn again with replacement; scipy does it and finds the interval, by percentiles or
corrected for bias and skewness (BCa, Efron 1987). The p of the hypothesis that the mean is zero is
the level at which such an interval ends just at zero.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.types import Array, slices

_BATCH_NUMBERS = 1 << 22
_BATCH_BAND_NUMBERS = 1 << 23
INTERVALS = {"percentile": "bootstrap, percentile", "BCa": "bootstrap, BCa"}


def percentile_bootstrap(differences: Array, resampling: Resampling) -> Outcome:
    """The percentile bootstrap."""
    return percentile_of_clusters(UnitSums.from_values(differences), resampling)


def bca_bootstrap(differences: Array, resampling: Resampling) -> Outcome:
    """The bias-corrected and accelerated bootstrap."""
    return bca_of_clusters(UnitSums.from_values(differences), resampling)


def percentile_of_clusters(differences: UnitSums, resampling: Resampling) -> Outcome:
    """The percentile bootstrap of whole clusters: of those drawn, the mean over all queries."""
    return _run_bootstrap(differences, resampling, "percentile")


def bca_of_clusters(differences: UnitSums, resampling: Resampling) -> Outcome:
    """The bias-corrected and accelerated bootstrap of whole clusters."""
    return _run_bootstrap(differences, resampling, "BCa")


def _run_bootstrap(
    differences: UnitSums, resampling: Resampling, method: Literal["percentile", "BCa"]
) -> Outcome:
    """Of differences that are all alike every drawn mean is the same, which tells nothing."""
    means = differences.sums / differences.sizes[:, None]
    varying = np.ptp(means, axis=0) > 0
    high = np.where(means[0] == 0, 0.0, np.inf)
    low = -high
    below = np.where(means[0] < 0, 1.0, np.where(means[0] > 0, 0.0, 0.5))
    if varying.any():
        units = UnitSums(differences.sums[:, varying], differences.sizes)
        result = _scipy_bootstrap(units, resampling, method)
        low[varying], high[varying] = result.confidence_interval
        below[varying] = _share_below_zero(units, result.bootstrap_distribution, method)
    floor = 1 / (resampling.resamples + 1)  # no smaller share can be seen
    p_by_alternative = {
        "two-sided": 2 * np.minimum(below, 1 - below),
        "greater": below,
        "less": 1 - below,
    }
    p = np.clip(p_by_alternative[resampling.alternative], floor, 1.0)
    return Outcome(p, low, high, INTERVALS[method])


def _scipy_bootstrap(
    differences: UnitSums, resampling: Resampling, method: Literal["percentile", "BCa"]
) -> Any:
    from scipy.stats import bootstrap  # noqa: PLC0415  (slow to load, and only tests need it)

    sums, sizes = differences.sums, differences.sizes
    is_clustered = bool((sizes != 1).any())
    return bootstrap(
        (sums, np.broadcast_to(sizes[:, None], sums.shape)) if is_clustered else (sums,),
        _mean_of_sums if is_clustered else np.mean,
        axis=0,
        n_resamples=resampling.resamples,
        batch=max(1, _BATCH_NUMBERS // sums.size),
        confidence_level=1 - resampling.alpha,
        method=method,
        rng=resampling.random_generator(),
        paired=is_clustered,
    )


def _mean_of_sums(sums: Array, sizes: Array, axis: int) -> Array:
    return np.asarray(sums.sum(axis=axis) / sizes.sum(axis=axis))


def _share_below_zero(differences: UnitSums, resampled_means: Array, method: str) -> Array:
    """The level at which a one-sided interval, from its lower end on, begins at zero."""
    below = _share_below(resampled_means, 0.0)
    if method == "percentile":
        return below
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    deviations = differences.deviations()
    acceleration = (deviations**3).sum(axis=0) / (6 * (deviations**2).sum(axis=0) ** 1.5)
    bias = ndtri(_share_below(resampled_means, differences.means()))
    smallest = 1 / (resampled_means.shape[1] + 1)
    z = ndtri(np.clip(below, smallest, 1 - smallest)) - bias
    return np.asarray(ndtr(z / (1 + acceleration * z) - bias))


def _share_below(resampled_means: Array, threshold: float | Array) -> Array:
    """How many drawn means are below, those just there counted half."""
    level = np.broadcast_to(np.asarray(threshold), resampled_means.shape[:1])[:, None]
    return np.asarray(
        ((resampled_means < level).mean(axis=1) + (resampled_means <= level).mean(axis=1)) / 2
    )


def bootstrap_band(total: Array, counts: Array, resampling: Resampling) -> tuple[Array, Array]:
    """A band around a mean vector: where would it be with other sessions of the same kind?

    Sessions are drawn again with replacement, whole, so that queries of a session stay together.
    The band lies between percentiles of the sums of `total` divided by those of `counts`, at each
    place by itself.

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
    for part in slices(places, _BATCH_BAND_NUMBERS // resampling.resamples):
        resampled_means = _resample_means(total[:, part], counts[:, part], resampling)
        ends[:, part] = _percentiles(resampled_means, resampling.alpha)
    return ends[0], ends[1]


def _resample_means(total: Array, counts: Array, resampling: Resampling) -> Array:
    """What each draw gives: draws × places; the same draws for all places."""
    size, generator = len(total), resampling.random_generator()
    means = np.full((resampling.resamples, total.shape[1]), np.nan)
    for part in slices(resampling.resamples, _BATCH_BAND_NUMBERS // size):
        rows = means[part]
        draws = generator.multinomial(size, np.full(size, 1 / size), len(rows)).astype(np.float64)
        weight = draws @ counts
        np.divide(draws @ total, weight, out=rows, where=weight > 0)
    return means


def _percentiles(resampled_means: Array, alpha: float) -> Array:
    """Of each column; not a number where nothing was ever drawn."""
    levels = (alpha / 2, 1 - alpha / 2)
    ends = np.full((2, resampled_means.shape[1]), np.nan)
    defined = ~np.isnan(resampled_means).all(axis=0)
    if defined.any():
        ends[:, defined] = np.nanquantile(resampled_means[:, defined], levels, axis=0)
    return ends
