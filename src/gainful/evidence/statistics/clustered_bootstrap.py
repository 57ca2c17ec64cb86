"""Bootstrap of any statistic of weighted units, drawn one by one or in clusters.

Clusters (searchers, queries) are drawn whole, as their units are not independent. Intervals are
corrected for bias and skewness (BCa, Efron 1987) with one cluster left out at a time; where there
are very many clusters, percentiles are as good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.resampling import Resampling
from gainful.progress import report_work
from gainful.types import Array, Ranks, slices

_BATCH_NUMBERS = 1 << 21
_MAX_LEFT_OUT = 2000  # clusters that are left out one at a time


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
    size = max(1, _BATCH_NUMBERS // (len(cluster) * columns))
    for part in slices(resampling.resamples, size):
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
    left_out = np.empty((0, len(estimate)))
    if clusters <= _MAX_LEFT_OUT:
        rows = slices(clusters, max(1, _BATCH_NUMBERS // units))
        without = [
            statistic((cluster[None, :] != np.arange(clusters)[part, None]).astype(np.float64))
            for part in rows
        ]
        left_out = np.concatenate(without)
    return Bootstrap(estimate, resampled, left_out)


def name_interval(clusters: int) -> str:
    """How an interval of so many clusters is found."""
    return "BCa" if clusters <= _MAX_LEFT_OUT else "percentile"


def bootstrap_interval(
    estimate: float, resampled: Array, left_out: Array, alpha: float
) -> tuple[float, float]:
    """The interval of one statistic; resamples in which it is not defined are left out."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    drawn = resampled[np.isfinite(resampled)]
    bias, acceleration = _bias_and_acceleration(estimate, drawn, left_out)
    z = ndtri([alpha / 2, 1 - alpha / 2])
    levels = ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))
    low, high = np.quantile(drawn, np.clip(levels, 0.0, 1.0))
    return float(low), float(high)


def bootstrap_p(estimate: float, resampled: Array, left_out: Array) -> float:
    """Two-sided: the level at which the interval of the statistic ends at zero."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    drawn = resampled[np.isfinite(resampled)]
    bias, acceleration = _bias_and_acceleration(estimate, drawn, left_out)
    smallest = 1 / (len(drawn) + 1)
    z = ndtri(np.clip(_share_below(drawn, 0.0), smallest, 1 - smallest)) - bias
    below = float(ndtr(z / (1 + acceleration * z) - bias))
    return max(2 * min(below, 1 - below), smallest)


def _share_below(drawn: Array, threshold: float) -> float:
    """How many are below, those just there counted half."""
    return float(((drawn < threshold).mean() + (drawn <= threshold).mean()) / 2)


def _bias_and_acceleration(estimate: float, drawn: Array, left_out: Array) -> tuple[float, float]:
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    smallest = 1 / (len(drawn) + 1)
    bias = float(ndtri(np.clip(_share_below(drawn, estimate), smallest, 1 - smallest)))
    known = left_out[np.isfinite(left_out)]
    deviations = known.mean() - known if known.size else known
    spread = float((deviations**2).sum())
    if not spread:
        return (0.0 if not known.size else bias), 0.0
    return bias, float((deviations**3).sum() / (6 * spread**1.5))
