"""How large is a difference, beside how sure one can be of it?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadValue
from gainful.evidence.statistics.power import POWER, detectable_effect
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Flags

SKEWED = 0.75  # from this skewness on, limits of means are lenient (docs/error-rates.md, margins)
_SMALLEST_LEVEL = 1e-9  # levels below it have no digits

_detectable_dz = lru_cache(maxsize=64)(detectable_effect)


def detectable_difference(
    queries: int, alpha: float, spread: float, power: float = POWER
) -> float | None:
    """The smallest true difference that is found; None where so few find nothing at all."""
    try:
        return _detectable_dz(queries, alpha, power) * spread
    except BadValue:
        return None


@frozen
class EffectSize:
    """The size of a difference; None where the differences do not vary, or nobody could show it."""

    dz: float | None  # Cohen's: the mean difference in standard deviations of the differences
    wins: int
    ties: int
    losses: int
    detectable: float | None  # the smallest true difference that is found with power 0.8

    def reverse(self) -> EffectSize:
        """The effect seen from the other side."""
        dz = None if self.dz is None else -self.dz
        return evolve(self, dz=dz, wins=self.losses, losses=self.wins)


def effect_size(differences: Array, alpha: float, units: UnitSums | None = None) -> EffectSize:
    """The effect size of paired differences, and what so many of them can show.

    Where they are of clusters, `units` has the sums of these: so many clusters, as far apart as
    their cluster-robust error says, show less than so many independent differences would.

    Examples:
        >>> effect = effect_size(np.array([0.1, 0.2, 0.0, 0.3]), 0.05)
        >>> round(effect.dz, 4), effect.wins, effect.ties, effect.losses
        (1.1619, 3, 1, 0)
    """
    varies = not constant_columns(differences[:, None])[0]
    spread = float(differences.std(ddof=1)) if varies else 0.0
    varies = varies and np.isfinite(spread) and spread > 0  # values can be too large or small
    dz = float(differences.mean()) / spread if varies else None
    has_power = varies and _SMALLEST_LEVEL < alpha < POWER  # else no power can be told
    number = len(differences)
    if units is not None:
        number = units.number
        spread = float(units.standard_errors()[0]) * number**0.5
    return EffectSize(
        dz=dz,
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
        detectable=detectable_difference(number, alpha, spread) if has_power else None,
    )


def skewness_of_changes(differences: Array) -> float:
    """The skewness of the differences that are not 0; below 0 where losses are rare and large.

    Examples:
        >>> round(skewness_of_changes(np.array([0.1, 0.0, 0.1, -0.4, 0.1, 0.1])), 4)
        -1.5
    """
    changed = differences[differences != 0]
    if not changed.size or constant_columns(changed[:, None])[0]:
        return 0.0
    deviations = (changed - changed.mean()) / np.abs(changed).max()
    return float((deviations**3).mean() / (deviations**2).mean() ** 1.5)


def constant_columns(differences: Array) -> Flags:
    """Which columns vary by rounding alone?"""
    largest = np.abs(differences).max(axis=0)
    flags: Flags = np.ptp(differences, axis=0) <= COARSE_ROUNDING * largest
    return flags
