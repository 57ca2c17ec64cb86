"""Paired t, Wilcoxon's and the sign test, and the table of all paired tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.bootstrap import bca_bootstrap, percentile_bootstrap
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.randomisation import randomisation_test
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


@frozen
class PairedTest:
    """One test of differences by query, a column for each pair of runs."""

    name: str
    words: str
    question: str
    function: Callable[[Array, Resampling], Outcome]
    resampled: bool = False  # does chance have a hand in p?
    needs_variance: bool = False  # does it need differences that are not all alike?


TESTS: Mapping[str, PairedTest] = {
    test.name: test
    for test in (
        PairedTest(
            "randomisation",
            "sign-flip randomisation test",
            "could the two runs be exchanged, query by query?",
            randomisation_test,
            resampled=True,
        ),
        PairedTest(
            "t",
            "paired t test",
            "is the mean difference zero, if differences are about normal?",
            t_test,
            needs_variance=True,
        ),
        PairedTest(
            "wilcoxon",
            "Wilcoxon signed-rank test",
            "are differences symmetric about zero, by their ranks?",
            wilcoxon_test,
        ),
        PairedTest("sign", "sign test", "are as many queries better as are worse?", sign_test),
        PairedTest(
            "bootstrap",
            "bootstrap test (percentile)",
            "does the interval of the mean over drawn queries reach zero?",
            percentile_bootstrap,
            resampled=True,
            needs_variance=True,
        ),
        PairedTest(
            "bca",
            "bootstrap test (BCa)",
            "the same, corrected for bias and skewness",
            bca_bootstrap,
            resampled=True,
            needs_variance=True,
        ),
    )
}
TEST_NAMES = (*TESTS, TUKEY)
