"""Paired t, Wilcoxon's and the sign test, as scipy has them."""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.bootstrap import bca
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.resampling import How
from gainful.formula import Array


def student(differences: Array, resampling: How) -> Outcome:
    """Student's paired t test, and its interval.

    Examples:
        >>> found = student(np.array([[1.0], [2.0], [4.0]]), How())
        >>> round(float(found.p[0]), 4)  # t = (7/3) / (1.5275 / √3) = 2.6458, two degrees
        0.1181
    """
    from scipy.stats import ttest_1samp  # noqa: PLC0415  (slow to load, and only tests need it)

    p = np.ones(differences.shape[1])
    low, high = np.zeros_like(p), np.zeros_like(p)
    some = differences.any(axis=0)  # identical runs differ by nothing at all
    if some.any():
        p[some] = ttest_1samp(differences[:, some], 0.0, alternative=resampling.alternative).pvalue
        both_sides = ttest_1samp(differences[:, some], 0.0)
        low[some], high[some] = both_sides.confidence_interval(1 - resampling.alpha)
    return Outcome(p, low, high, "t")


def wilcoxon(differences: Array, resampling: How) -> Outcome:
    """Wilcoxon's signed-rank test; differences of zero are left out of it.

    It asks about the middle of the differences, not their mean; so the interval of the mean is
    bootstrapped.
    """
    from scipy.stats import wilcoxon as scipys  # noqa: PLC0415  (slow to load)

    p = np.ones(differences.shape[1])
    some = differences.any(axis=0)
    if some.any():
        p[some] = scipys(differences[:, some], alternative=resampling.alternative, axis=0).pvalue
    found = bca(differences, resampling)
    return Outcome(p, found.low, found.high, found.interval)


def sign(differences: Array, resampling: How) -> Outcome:
    """The sign test: how many queries are better, of those that differ at all?"""
    from scipy.stats import binomtest  # noqa: PLC0415  (slow to load)

    better, worse = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    p = [
        binomtest(int(up), int(up + down), alternative=resampling.alternative).pvalue
        if up + down
        else 1.0
        for up, down in zip(better, worse, strict=True)
    ]
    found = bca(differences, resampling)
    return Outcome(np.array(p), found.low, found.high, found.interval)
