"""How large is a difference, beside how sure one can be of it?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadValue
from gainful.evidence.statistics.power import detectable_effect
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Flags

SKEWED = 0.75  # from this skewness on, limits of means are lenient (docs/error-rates.md, margins)
_SMALLEST_LEVEL = 1e-9  # levels below it have no digits

_detectable_dz = lru_cache(maxsize=64)(detectable_effect)


def detectable_difference(queries: int, spread: float, alpha: float, power: float) -> float | None:
    """The smallest true difference that is found; None where nothing varies or can be found."""
    if not spread or not _SMALLEST_LEVEL < alpha < power:
        return None
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
    detectable: float | None = None  # the smallest true difference that is found, mostly

    def reverse(self) -> EffectSize:
        """The effect seen from the other side."""
        dz = None if self.dz is None else -self.dz
        return evolve(self, dz=dz, wins=self.losses, losses=self.wins)


def effect_size(differences: Array) -> EffectSize:
    """The effect size of paired differences.

    Examples:
        >>> effect = effect_size(np.array([0.1, 0.2, 0.0, 0.3]))
        >>> round(effect.dz, 4), effect.wins, effect.ties, effect.losses
        (1.1619, 3, 1, 0)
    """
    spread = find_spread(differences)
    return EffectSize(
        dz=float(differences.mean()) / spread if spread else None,
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
    )


def find_spread(differences: Array) -> float:
    """Their standard deviation; 0 where they vary by rounding alone, or beyond all numbers."""
    spread = 0.0 if constant_columns(differences[:, None])[0] else float(differences.std(ddof=1))
    return spread if np.isfinite(spread) else 0.0


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
