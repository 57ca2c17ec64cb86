"""The bootstrap: what would a statistic be with other queries, or sessions, of the same kind?

Units are drawn again with replacement, clusters of them (conversations, searchers) as a whole.
Intervals are percentiles of what is drawn, or corrected for bias and skewness (BCa, Efron 1987).
The p of the hypothesis that a statistic is zero is the level at which its interval ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.progress import report_work
from gainful.types import Array, Ranks, slices

_BATCH_NUMBERS = 1 << 21
_BATCH_BAND_NUMBERS = 1 << 23
_MAX_LEFT_OUT = 2000  # clusters that are left out one at a time; of more, percentiles are as good
BootstrapKind = Literal["percentile", "BCa"]
INTERVALS = {"percentile": "bootstrap, percentile", "BCa": "bootstrap, BCa"}


def bootstrap_test(
    differences: Array | UnitSums, resampling: Resampling, method: BootstrapKind = "BCa"
) -> Outcome:
    """The mean of each column over drawn units; of those that are all alike nothing is told."""
    units = UnitSums.from_values(differences)
    varying = np.ptp(units.unit_means, axis=0) > 0
    first = units.sums[0]
    high = np.where(first == 0, 0.0, np.inf)
    low = -high
    below = np.where(first < 0, 1.0, np.where(first > 0, 0.0, 0.5))
    if varying.any():
        chosen = units.select(varying)
        result = _scipy_bootstrap(chosen, resampling, method)
        low[varying], high[varying] = result.confidence_interval
        drawn = result.bootstrap_distribution
        below[varying] = (
            _share_below(drawn, np.zeros(len(drawn)))
            if method == "percentile"
            else _level_at_zero(
                drawn, _bias(chosen.means(), drawn), _acceleration(chosen.deviations().T)
            )
        )
    p = {"two-sided": 2 * np.minimum(below, 1 - below), "greater": below, "less": 1 - below}
    smallest = 1 / (resampling.resamples + 1)  # no smaller share can be seen
    clipped = np.clip(p[resampling.alternative], smallest, 1.0)
    return Outcome(clipped, low, high, INTERVALS[method])


def _scipy_bootstrap(units: UnitSums, resampling: Resampling, method: BootstrapKind) -> Any:
    from scipy.stats import bootstrap  # noqa: PLC0415  (slow to load, and only tests need it)

    sums, sizes = units.sums, np.broadcast_to(units.sizes[:, None], units.sums.shape)
    return bootstrap(
        (sums, sizes) if units.is_clustered else (sums,),
        _mean_of_sums if units.is_clustered else np.mean,
        axis=0,
        n_resamples=resampling.resamples,
        batch=max(1, 2 * _BATCH_NUMBERS // sums.size),
        confidence_level=1 - resampling.alpha,
        method=method,
        rng=resampling.random_generator(),
        paired=units.is_clustered,
    )


def _mean_of_sums(sums: Array, sizes: Array, axis: int) -> Array:
    return np.asarray(sums.sum(axis=axis) / sizes.sum(axis=axis))


@frozen(eq=False)
class Bootstrap:
    """What a statistic is: as seen, in each resample, and with each cluster left out.

    A row for each resample, a column for each statistic. `left_out` is empty where there are too
    many clusters.
    """

    estimate: Array
    resampled: Array
    left_out: Array


def draw_weights(
    cluster: Ranks, resampling: Resampling, *, columns: int = 1
) -> Iterator[tuple[slice, Array]]:
    """How often each unit is drawn, some resamples at a time.

    Args:
        cluster: the number of each unit's cluster, from 0 on.
        resampling: how many resamples, from which seed.
        columns: how many numbers of each unit are worked on, so that batches stay small.
    """
    number = int(cluster.max()) + 1
    generator = resampling.random_generator()
    for part in slices(resampling.resamples, max(1, _BATCH_NUMBERS // (len(cluster) * columns))):
        draws = generator.multinomial(number, np.full(number, 1 / number), part.stop - part.start)
        yield part, draws.astype(np.float64)[:, cluster]
        report_work("resampling", part.stop / resampling.resamples)


def run_bootstrap(
    statistic: Callable[[Array], Array], cluster: Ranks, resampling: Resampling
) -> Bootstrap:
    """The statistic, which maps weights (samples × units) to values (samples × statistics)."""
    units, clusters = len(cluster), int(cluster.max()) + 1
    estimate = statistic(np.ones((1, units)))[0]
    resampled = np.empty((resampling.resamples, len(estimate)))
    for part, weights in draw_weights(cluster, resampling, columns=len(estimate)):
        resampled[part] = statistic(weights)
    numbers = np.arange(clusters if clusters <= _MAX_LEFT_OUT else 0)[:, None]
    without = [
        statistic((cluster[None, :] != numbers[part]).astype(np.float64))
        for part in slices(len(numbers), max(1, _BATCH_NUMBERS // units))
    ]
    return Bootstrap(estimate, resampled, np.concatenate([np.empty((0, len(estimate))), *without]))


def name_interval(clusters: int) -> str:
    """How an interval of so many clusters is found."""
    return "BCa" if clusters <= _MAX_LEFT_OUT else "percentile"


def bootstrap_interval(
    estimate: float, resampled: Array, left_out: Array, alpha: float
) -> tuple[float, float]:
    """The interval of one statistic; resamples in which it is not defined are left out."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    drawn, bias, acceleration = _correct(estimate, resampled, left_out)
    z = bias + ndtri([alpha / 2, 1 - alpha / 2])
    levels = ndtr(bias + z / (1 - acceleration * z))
    low, high = np.quantile(drawn, np.clip(levels, 0.0, 1.0))
    return float(low), float(high)


def bootstrap_p(estimate: float, resampled: Array, left_out: Array) -> float:
    """Two-sided: the level at which the interval of the statistic ends at zero."""
    drawn, bias, acceleration = _correct(estimate, resampled, left_out)
    below = float(_level_at_zero(drawn, bias, acceleration))
    return max(2 * min(below, 1 - below), 1 / (len(drawn) + 1))


def _correct(
    estimate: float, resampled: Array, left_out: Array
) -> tuple[Array, Array | float, Array | float]:
    """What is defined of what was drawn, its bias, and its acceleration."""
    drawn, known = resampled[np.isfinite(resampled)], left_out[np.isfinite(left_out)]
    if not known.size:
        return drawn, 0.0, 0.0
    return drawn, _bias(np.asarray(estimate), drawn), _acceleration(known.mean() - known)


def _share_below(drawn: Array, threshold: Array) -> Array:
    """How many drawn values (of each row) are below, those just there counted half."""
    level = threshold[..., None]
    return np.asarray(((drawn < level).mean(axis=-1) + (drawn <= level).mean(axis=-1)) / 2)


def _bias(threshold: Array, drawn: Array) -> Array:
    """The normal quantile of the share that is below; a share of nothing cannot be seen."""
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    smallest = 1 / (drawn.shape[-1] + 1)
    return np.asarray(ndtri(np.clip(_share_below(drawn, threshold), smallest, 1 - smallest)))


def _acceleration(deviations: Array) -> Array:
    """The skewness of what leaving one out changes, along the last axis; 0 where it is nothing."""
    spread = (deviations**2).sum(axis=-1)
    cubes = (deviations**3).sum(axis=-1)
    return np.asarray(np.where(spread > 0, cubes / np.where(spread > 0, 6 * spread**1.5, 1), 0.0))


def _level_at_zero(drawn: Array, bias: Array | float, acceleration: Array | float) -> Array:
    """The level at which a one-sided interval, from its lower end on, begins at zero."""
    from scipy.special import ndtr  # noqa: PLC0415  (slow to load)

    z = _bias(np.zeros(drawn.shape[:-1]), drawn) - bias
    return np.asarray(ndtr(z / (1 + acceleration * z) - bias))


def bootstrap_band(total: Array, counts: Array, resampling: Resampling) -> tuple[Array, Array]:
    """A band around a mean vector: where would it be with other sessions of the same kind?

    Sessions are drawn again with replacement, whole, so that queries of a session stay together.
    The band lies between percentiles of the sums of `total` divided by those of `counts`, at each
    place by itself; it is not a number where nothing was ever drawn.

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
    ends = np.full((2, total.shape[1]), np.nan)
    levels = (resampling.alpha / 2, 1 - resampling.alpha / 2)
    for part in slices(total.shape[1], _BATCH_BAND_NUMBERS // resampling.resamples):
        means = _resample_means(total[:, part], counts[:, part], resampling)
        defined = ~np.isnan(means).all(axis=0)
        if defined.any():
            ends[:, part][:, defined] = np.nanquantile(means[:, defined], levels, axis=0)
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
