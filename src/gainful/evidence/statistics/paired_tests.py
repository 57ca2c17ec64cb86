"""Paired t, Wilcoxon's and the sign test, and the table of all paired tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.bootstrap import (
    bca_bootstrap,
    bca_of_clusters,
    percentile_bootstrap,
    percentile_of_clusters,
)
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.effect_size import constant_columns
from gainful.evidence.statistics.outcome import Outcome, p_for_alternative
from gainful.evidence.statistics.randomisation import randomisation_test, randomise_clusters
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.evidence.statistics.wilcoxon import wilcoxon_p
from gainful.types import Array

T_INTERVAL = "t"


def t_test(differences: Array, resampling: Resampling) -> Outcome:
    """Student's paired t test, and its interval.

    Examples:
        >>> outcome = t_test(np.array([[1.0], [2.0], [4.0]]), Resampling())
        >>> round(float(outcome.p[0]), 4)  # t = (7/3) / (1.5275 / √3) = 2.6458, two degrees
        0.1181
    """
    from scipy.stats import ttest_1samp  # noqa: PLC0415  (slow to load, and only tests need it)

    p = np.ones(differences.shape[1])
    nonzero = differences.any(axis=0)  # identical runs differ by nothing at all
    if nonzero.any():
        p[nonzero] = ttest_1samp(
            differences[:, nonzero], 0.0, alternative=resampling.alternative
        ).pvalue
    return Outcome(p, *t_interval(differences, resampling.alpha), T_INTERVAL)


def t_interval(differences: Array, alpha: float) -> tuple[Array, Array]:
    """Where the mean of each column is, by Student's t; nowhere to be told if all are alike.

    Examples:
        >>> low, high = t_interval(np.array([[1.0], [2.0], [4.0]]), 0.05)
        >>> round(float(low[0]), 4), round(float(high[0]), 4)  # 7/3 ± 4.3027 × 1.5275 / √3
        (-1.4612, 6.1279)
    """
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to load)

    number = len(differences)
    mean = differences.mean(axis=0)
    reach = -stdtrit(number - 1, alpha / 2) * differences.std(axis=0, ddof=1) / np.sqrt(number)
    constant = constant_columns(differences)
    reach[constant] = np.where(differences[0, constant] == 0, 0.0, np.inf)
    return mean - reach, mean + reach


def cluster_t_test(differences: UnitSums, resampling: Resampling) -> Outcome:
    """The t test of whole clusters: the mean by its cluster-robust error, clusters - 1 degrees.

    Of clusters of one size it is the t test of their means.

    Examples:
        >>> sums = UnitSums(np.array([[2.0], [4.0], [8.0]]), np.array([2.0, 2.0, 2.0]))
        >>> round(float(cluster_t_test(sums, Resampling()).p[0]), 4)  # means 1, 2, 4
        0.1181
    """
    from scipy.stats import t as student  # noqa: PLC0415  (slow to load)

    mean, error = differences.means(), differences.standard_errors()
    degrees = differences.number - 1
    p = np.ones(len(mean))
    varies = error > 0
    ratio = mean[varies] / error[varies]
    p[varies] = {
        "two-sided": 2 * student.sf(np.abs(ratio), degrees),
        "greater": student.sf(ratio, degrees),
        "less": student.cdf(ratio, degrees),
    }[resampling.alternative]
    reach = student.isf(resampling.alpha / 2, degrees) * error
    return Outcome(p, mean - reach, mean + reach, "t, cluster-robust")


def wilcoxon_test(differences: Array, resampling: Resampling) -> Outcome:
    """Wilcoxon's signed-rank test; differences of zero are left out of it.

    It asks about the middle of the differences, not their mean; the interval is of the mean, by t.
    """
    p = wilcoxon_p(differences, resampling.alternative)
    return Outcome(p, *t_interval(differences, resampling.alpha), T_INTERVAL)


def sign_test(differences: Array, resampling: Resampling) -> Outcome:
    """The sign test: how many queries are better, of those that differ at all?"""
    from scipy.special import bdtr  # noqa: PLC0415  (slow to load)

    better, worse = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    greater, less = (bdtr(up, better + worse, 0.5) for up in (worse, better))
    p = p_for_alternative(greater, less, resampling.alternative)
    return Outcome(p, *t_interval(differences, resampling.alpha), T_INTERVAL)


@frozen
class PairedTest:
    """One test of differences by query, a column for each pair of runs."""

    name: str
    words: str
    question: str
    function: Callable[[Array, Resampling], Outcome]
    resampled: bool = False  # does chance have a hand in p?
    needs_variance: bool = False  # does it need differences that are not all alike?
    note: str = ""  # what p says otherwise than the mean difference beside it
    clustered: Callable[[UnitSums, Resampling], Outcome] | None = None  # of whole clusters
    flips_signs: bool = False  # is no p below 2 of the 2ⁿ ways to flip n signs?


TESTS: Mapping[str, PairedTest] = {
    test.name: test
    for test in (
        PairedTest(
            "randomisation",
            "sign-flip randomisation test",
            "could the two runs be exchanged, query by query?",
            randomisation_test,
            resampled=True,
            clustered=randomise_clusters,
            flips_signs=True,
        ),
        PairedTest(
            "t",
            "paired t test",
            "is the mean difference zero, if differences are about normal?",
            t_test,
            needs_variance=True,
            clustered=cluster_t_test,
        ),
        PairedTest(
            "wilcoxon",
            "Wilcoxon signed-rank test",
            "are differences symmetric about zero, by their ranks?",
            wilcoxon_test,
            note="p asks whether differences are symmetric about zero, by their ranks; it is no p "
            "of the mean difference, nor of its interval (by t)",
            flips_signs=True,
        ),
        PairedTest(
            "sign",
            "sign test",
            "are as many queries better as are worse?",
            sign_test,
            note="p asks whether as many queries are better as are worse; it is no p of the mean "
            "difference, nor of its interval (by t)",
            flips_signs=True,
        ),
        PairedTest(
            "bootstrap",
            "bootstrap test (percentile)",
            "does the interval of the mean over drawn queries reach zero?",
            percentile_bootstrap,
            resampled=True,
            needs_variance=True,
            clustered=percentile_of_clusters,
        ),
        PairedTest(
            "bca",
            "bootstrap test (BCa)",
            "the same, corrected for bias and skewness",
            bca_bootstrap,
            resampled=True,
            needs_variance=True,
            clustered=bca_of_clusters,
        ),
    )
}
TEST_NAMES = (*TESTS, TUKEY)
