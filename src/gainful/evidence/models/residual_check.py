"""Are the errors of a model what it takes them for: about normal, of one spread?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from gainful.types import Array, Ranks, finite_or_none

DOUBT = 0.05  # p from which on errors are not what the model takes them for
_MIN_VALUES = 20  # for a test of normality


@frozen
class ResidualCheck:
    """How residuals are distributed; p is None where there are too few of them to test."""

    skewness: float
    kurtosis: float  # beyond that of a normal distribution
    normal_p: float | None  # D'Agostino and Pearson's test
    smallest_sd: float  # by system
    largest_sd: float
    spread_p: float | None  # Brown and Forsythe's test of equal spread
    largest: float  # residual, in standard deviations
    largest_label: str  # whose it is

    def describe(self, kind: str) -> str:
        """What it says, in a sentence."""
        normal = _describe_p(self.normal_p)
        shape = f"skewness {self.skewness:+.2f}, excess kurtosis {self.kurtosis:+.2f}{normal}"
        spread = f"sd by {kind} {self.smallest_sd:.4f} to {self.largest_sd:.4f}"
        text = f"{shape}; {spread}{_describe_p(self.spread_p)}"
        return f"{text}; largest {abs(self.largest):.1f} sd ({self.largest_label})"

    @property
    def doubts(self) -> list[str]:
        """What the model takes errors for, and they are not."""
        tests = (("normal", self.normal_p), ("of one spread", self.spread_p))
        return [words for words, p in tests if p is not None and p <= DOUBT]


def _describe_p(p: float | None) -> str:
    if p is None:
        return ""
    return " (p < 0.001)" if p < 0.001 else f" (p = {p:.3f})"


def _find_p(test: Callable[..., Any], *samples: Array) -> float | None:
    """The p of a test; None where samples leave nothing to test, as if all were as far off."""
    with np.errstate(all="ignore"):
        return finite_or_none(test(*samples).pvalue)


def check_residuals(residuals: Array, system: Ranks, labels: Sequence[str]) -> ResidualCheck:
    """The shape of residuals, and whether systems have the same spread of them.

    Args:
        residuals: one for each value.
        system: of each.
        labels: of each: query and run, or session.
    """
    from scipy import stats  # noqa: PLC0415  (slow to load)

    groups = [residuals[system == at] for at in range(int(system.max()) + 1)]
    spreads = [float(np.sqrt((group**2).mean())) for group in groups]
    enough = min(map(len, groups)) > 2
    largest = int(np.argmax(np.abs(residuals)))
    sd = float(np.sqrt((residuals**2).mean()))
    return ResidualCheck(
        skewness=float(stats.skew(residuals)),
        kurtosis=float(stats.kurtosis(residuals)),
        normal_p=_find_p(stats.normaltest, residuals) if len(residuals) >= _MIN_VALUES else None,
        smallest_sd=min(spreads),
        largest_sd=max(spreads),
        spread_p=_find_p(stats.levene, *groups) if enough else None,
        largest=float(residuals[largest]) / sd,
        largest_label=labels[largest],
    )
