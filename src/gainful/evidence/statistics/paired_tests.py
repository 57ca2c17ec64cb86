"""The table of paired tests: a name, what it asks, and the function that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from gainful.evidence.statistics.bootstrap import bca_bootstrap, percentile_bootstrap
from gainful.evidence.statistics.classical import sign_test, t_test, wilcoxon_test
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.randomisation import randomisation_test
from gainful.evidence.statistics.resampling import Resampling
from gainful.types import Array


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
