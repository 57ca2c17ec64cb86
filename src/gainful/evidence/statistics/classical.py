"""Paired t, Wilcoxon's and the sign test, as scipy has them."""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.bootstrap import bca_bootstrap
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.resampling import Resampling
from gainful.types import Array


def t_test(differences: Array, resampling: Resampling) -> Outcome:
    """Student's paired t test, and its interval.

    Examples:
        >>> outcome = t_test(np.array([[1.0], [2.0], [4.0]]), Resampling())
        >>> round(float(outcome.p[0]), 4)  # t = (7/3) / (1.5275 / √3) = 2.6458, two degrees
        0.1181
    """
    from scipy.stats import ttest_1samp  # noqa: PLC0415  (slow to load, and only tests need it)

    p = np.ones(differences.shape[1])
    low, high = np.zeros_like(p), np.zeros_like(p)
    nonzero = differences.any(axis=0)  # identical runs differ by nothing at all
    if nonzero.any():
        p[nonzero] = ttest_1samp(
            differences[:, nonzero], 0.0, alternative=resampling.alternative
        ).pvalue
        both_sides = ttest_1samp(differences[:, nonzero], 0.0)
        low[nonzero], high[nonzero] = both_sides.confidence_interval(1 - resampling.alpha)
    return Outcome(p, low, high, "t")


def wilcoxon_test(differences: Array, resampling: Resampling) -> Outcome:
    """Wilcoxon's signed-rank test; differences of zero are left out of it.

    It asks about the middle of the differences, not their mean; so the interval of the mean is
    bootstrapped.
    """
    from scipy.stats import wilcoxon as scipys  # noqa: PLC0415  (slow to load)

    p = np.ones(differences.shape[1])
    nonzero = differences.any(axis=0)
    if nonzero.any():
        p[nonzero] = scipys(
            differences[:, nonzero], alternative=resampling.alternative, axis=0
        ).pvalue
    bootstrap = bca_bootstrap(differences, resampling)
    return Outcome(p, bootstrap.low, bootstrap.high, bootstrap.interval_method)


def sign_test(differences: Array, resampling: Resampling) -> Outcome:
    """The sign test: how many queries are better, of those that differ at all?"""
    from scipy.stats import binomtest  # noqa: PLC0415  (slow to load)

    better, worse = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    p = [
        binomtest(int(up), int(up + down), alternative=resampling.alternative).pvalue
        if up + down
        else 1.0
        for up, down in zip(better, worse, strict=True)
    ]
    bootstrap = bca_bootstrap(differences, resampling)
    return Outcome(np.array(p), bootstrap.low, bootstrap.high, bootstrap.interval_method)
