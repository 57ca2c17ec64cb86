"""The bootstrap: what would a statistic be with other queries, or sessions, of the same kind?

Units are drawn again with replacement, clusters of them (conversations, searchers) as a whole.
Intervals are percentiles of what is drawn, or corrected for bias and skewness (BCa, Efron 1987).
The p of the hypothesis that a statistic is zero is the level at which its interval ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import sqrt
from typing import Literal

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.outcome import (
    Outcome,
    Resampling,
    UnitSums,
    p_for_alternative,
    round_to_grid,
)
from gainful.progress import report_work
from gainful.rounding import ROUNDING
from gainful.types import Array, Ranks, slices

_BATCH_NUMBERS = 1 << 21
_BATCH_DRAWS = 1 << 16  # so few that counting them stays near the processor
_BATCH_BAND_NUMBERS = 1 << 23
_MAX_LEFT_OUT = 2000  # clusters that are left out one at a time; of more, percentiles are as good
_SMALLEST_LEVEL = 1e-9  # where two clusters ask for all that was drawn
BootstrapKind = Literal["percentile", "BCa"]
INTERVALS = {"percentile": "bootstrap, percentile", "BCa": "bootstrap, BCa"}


def bootstrap_test(
    differences: Array | UnitSums, resampling: Resampling, method: BootstrapKind = "BCa"
) -> Outcome:
    """The interval of each column's mean over resampled units; none for constant columns."""
    units = UnitSums.from_values(differences)
    varying = np.flatnonzero(np.ptp(units.unit_means, axis=0) > 0)
    first = units.sums[0]
    high = np.where(first == 0, 0.0, np.inf)
    low = -high
    below = np.where(first < 0, 1.0, np.where(first > 0, 0.0, 0.5))
    above = 1 - below
    for part, means in _resample_means(units.sums[:, varying], units.sizes[:, None], resampling):
        for at, column in zip(varying[part].tolist(), means.T, strict=True):
            left_out = units.select(np.array([at])).jackknife_means()
            drawn = _correct(column[0], column[1:], left_out if method == "BCa" else np.empty(0))
            low[at], high[at] = _find_ends(*drawn, resampling.alpha)
            below[at], above[at] = _levels_at_zero(*drawn)
    smallest = 1 / (resampling.resamples + 1)  # no smaller share can be seen
    p = np.maximum(p_for_alternative(below, above, resampling.alternative), smallest)
    return Outcome(p, low, high, INTERVALS[method])


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
    number: int, resampling: Resampling, batch: int = 0
) -> Iterator[tuple[slice, Array]]:
    """How often each of so many units is drawn, some resamples (`batch` of them) at a time.

    Whatever the batch, the draws are the same.
    """
    generator = resampling.random_generator()
    for part in slices(resampling.resamples, batch or _BATCH_DRAWS // number):
        draws = generator.integers(number, size=(part.stop - part.start, number))
        draws += number * np.arange(len(draws))[:, None]  # each resample counts for itself
        counts = np.bincount(draws.ravel(), minlength=draws.size)
        yield part, counts.reshape(draws.shape).astype(np.float64)
        report_work("resampling", part.stop / resampling.resamples)


def run_bootstrap(
    statistic: Callable[[Array], Array], cluster: Ranks, resampling: Resampling
) -> Bootstrap:
    """The statistic, which maps weights (samples × units) to values (samples × statistics)."""
    units, clusters = len(cluster), int(cluster.max()) + 1
    estimate = statistic(np.ones((1, units)))[0]
    resampled = np.empty((resampling.resamples, len(estimate)))
    batch = max(1, _BATCH_NUMBERS // (units * len(estimate)))
    for part, weights in draw_weights(clusters, resampling, batch):
        resampled[part] = statistic(weights[:, cluster])
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
    return _find_ends(*_correct(estimate, resampled, left_out), alpha)


def widen_level(alpha: float, clusters: int) -> float:
    """The alpha at which a bootstrap of few clusters keeps what it promises (Hesterberg 2015).

    Drawn again, n clusters vary less than those they came from by (n - 1) / n, and their spread is
    itself an estimate: the interval is made as wide as one by the t distribution.

    Examples:
        >>> round(widen_level(0.05, 50), 4), round(widen_level(0.05, 5000), 4)
        (0.0424, 0.0499)
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415  (slow to load)

    level = ndtr(sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, alpha / 2))
    return max(2 * float(level), _SMALLEST_LEVEL)


def bootstrap_p(estimate: float, resampled: Array, left_out: Array) -> float:
    """Two-sided: the level at which the interval of the statistic ends at zero."""
    drawn = _correct(estimate, resampled, left_out)
    return max(2 * min(_levels_at_zero(*drawn)), 1 / (len(drawn[0]) + 1))


def _correct(estimate: float, resampled: Array, left_out: Array) -> tuple[Array, float, float]:
    """What is defined of what was drawn, its bias, and its acceleration.

    The acceleration is the skewness of what leaving one out changes.
    """
    drawn, known = resampled[np.isfinite(resampled)], left_out[np.isfinite(left_out)]
    if not known.size:
        return drawn, 0.0, 0.0
    changes = known.mean() - known
    spread = float((changes**2).sum())
    acceleration = float((changes**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    return drawn, float(ndtri(_share_sides(drawn, estimate)[0])), acceleration


def _share_sides(drawn: Array, threshold: float) -> tuple[float, float]:
    """The shares that are below and above, what is just there counted half.

    A share of nothing cannot be seen. Both are divided once, so that a p is a count by a count.
    """
    slack = ROUNDING * np.abs(drawn).max()
    below = np.count_nonzero(drawn < threshold - slack)
    twice_below = below + np.count_nonzero(drawn <= threshold + slack)
    smallest = 1 / (len(drawn) + 1)
    shares = np.array([twice_below, 2 * len(drawn) - twice_below]) / (2 * len(drawn))
    below_share, above_share = np.clip(shares, smallest, 1 - smallest).tolist()
    return below_share, above_share


def _find_ends(drawn: Array, bias: float, acceleration: float, alpha: float) -> tuple[float, float]:
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    z = bias + ndtri([alpha / 2, 1 - alpha / 2])
    low, high = np.quantile(drawn, ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


def _levels_at_zero(drawn: Array, bias: float, acceleration: float) -> tuple[float, float]:
    """The levels at which an interval ends at zero, from below and from above."""
    sides = _share_sides(drawn, 0.0)
    if not (bias or acceleration):
        return sides
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    z = float(ndtri(sides[0])) - bias
    level = z / (1 + acceleration * z) - bias
    return float(ndtr(level)), float(ndtr(-level))


def bootstrap_band(total: Array, counts: Array, resampling: Resampling) -> Array:
    """A band around a mean vector: where would it be with other sessions of the same kind?

    Sessions are drawn again with replacement, whole, so that queries of a session stay together.
    The band lies between percentiles of the sums of `total` divided by those of `counts`, at each
    place by itself; it is not a number where nothing was ever drawn. Both have a row for each
    session, a column for each place; `counts` say how much each session counts there.
    """
    ends = np.full((2, total.shape[1]), np.nan)
    levels = (resampling.alpha / 2, 1 - resampling.alpha / 2)
    for part, means in _resample_means(total, counts, resampling):
        defined = ~np.isnan(means[1:]).all(axis=0)
        if defined.any():
            ends[:, part][:, defined] = np.nanquantile(means[1:, defined], levels, axis=0)
    return ends


def _resample_means(
    sums: Array, counts: Array, resampling: Resampling
) -> Iterator[tuple[slice, Array]]:
    """Some columns at a time: their means, then those of each resample, a row for each.

    All columns have the same draws. Sums are exact, so that no number of threads changes them.
    """
    grid_sums, steps = round_to_grid(sums, len(sums))
    for part in slices(sums.shape[1], _BATCH_BAND_NUMBERS // resampling.resamples):
        counted = counts if counts.shape[1] == 1 else counts[:, part]
        table = np.hstack([counted, grid_sums[:, part]])
        means = np.full((resampling.resamples + 1, part.stop - part.start), np.nan)
        once = (slice(-1, 0), np.ones((1, len(sums))))
        for rows, weights in chain([once], draw_weights(len(sums), resampling)):
            weight, total = np.split(weights @ table, [counted.shape[1]], axis=1)
            drawn = means[rows.start + 1 : rows.stop + 1]
            np.divide(total, weight * steps[part], out=drawn, where=weight > 0)
        yield part, means
