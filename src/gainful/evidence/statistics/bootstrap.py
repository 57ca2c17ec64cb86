"""The bootstrap: what would the mean difference be with other queries of the same kind?

Queries are drawn again with replacement; scipy does it and finds the interval, by percentiles or
corrected for bias and skewness (BCa, Efron 1987). The p of the hypothesis that the mean is zero is
the level at which such an interval ends just at zero.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.resampling import How
from gainful.formula import Array

_AT_ONCE = 1 << 22
INTERVALS = {"percentile": "bootstrap, percentile", "BCa": "bootstrap, BCa"}


def percentile(differences: Array, resampling: How) -> Outcome:
    """The percentile bootstrap."""
    return _bootstrapped(differences, resampling, "percentile")


def bca(differences: Array, resampling: How) -> Outcome:
    """The bias-corrected and accelerated bootstrap."""
    return _bootstrapped(differences, resampling, "BCa")


def _bootstrapped(
    differences: Array, resampling: How, method: Literal["percentile", "BCa"]
) -> Outcome:
    """Of differences that are all alike every drawn mean is the same, which tells nothing."""
    some = np.ptp(differences, axis=0) > 0
    high = np.where(differences[0] == 0, 0.0, np.inf)
    low = -high
    below = np.where(differences[0] < 0, 1.0, np.where(differences[0] > 0, 0.0, 0.5))
    if some.any():
        found = _scipys(differences[:, some], resampling, method)
        low[some], high[some] = found.confidence_interval
        below[some] = _below_zero(differences[:, some], found.bootstrap_distribution, method)
    floor = 1 / (resampling.resamples + 1)  # no smaller share can be seen
    chance = {"two-sided": 2 * np.minimum(below, 1 - below), "greater": below, "less": 1 - below}
    p = np.clip(chance[resampling.alternative], floor, 1.0)
    return Outcome(p, low, high, INTERVALS[method])


def _scipys(differences: Array, resampling: How, method: Literal["percentile", "BCa"]) -> Any:
    from scipy.stats import bootstrap  # noqa: PLC0415  (slow to load, and only tests need it)

    return bootstrap(
        (differences,),
        np.mean,
        axis=0,
        n_resamples=resampling.resamples,
        batch=max(1, _AT_ONCE // differences.size),
        confidence_level=1 - resampling.alpha,
        method=method,
        rng=resampling.random(),
    )


def _below_zero(differences: Array, drawn: Array, method: str) -> Array:
    """The level at which a one-sided interval, from its lower end on, begins at zero."""
    below = _share(drawn, 0.0)
    if method == "percentile":
        return below
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (slow to load)

    away = differences - differences.mean(axis=0)
    skewed = (away**3).sum(axis=0) / (6 * (away**2).sum(axis=0) ** 1.5)
    bias = ndtri(_share(drawn, differences.mean(axis=0)))
    some = 1 / (drawn.shape[1] + 1)
    beyond = ndtri(np.clip(below, some, 1 - some)) - bias
    return np.asarray(ndtr(beyond / (1 + skewed * beyond) - bias))


def _share(drawn: Array, at: float | Array) -> Array:
    """How many drawn means are below, those just there counted half."""
    level = np.broadcast_to(np.asarray(at), drawn.shape[:1])[:, None]
    return np.asarray(((drawn < level).mean(axis=1) + (drawn <= level).mean(axis=1)) / 2)
