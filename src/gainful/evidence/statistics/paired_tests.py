"""The table of paired tests: a name, what it asks, and the function that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from gainful.evidence.statistics.bootstrap import bca, percentile
from gainful.evidence.statistics.classical import sign, student, wilcoxon
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.randomisation import randomisation
from gainful.evidence.statistics.resampling import How
from gainful.formula import Array


@frozen
class PairedTest:
    """One test of differences by query, a column for each pair of runs."""

    name: str
    words: str
    asks: str
    function: Callable[[Array, How], Outcome]
    resampled: bool = False  # does chance have a hand in p?
    varied: bool = False  # does it need differences that are not all alike?


TESTS: Mapping[str, PairedTest] = {
    one.name: one
    for one in (
        PairedTest(
            "randomisation",
            "sign-flip randomisation test",
            "could the two runs be exchanged, query by query?",
            randomisation,
            resampled=True,
        ),
        PairedTest(
            "t",
            "paired t test",
            "is the mean difference zero, if differences are about normal?",
            student,
            varied=True,
        ),
        PairedTest(
            "wilcoxon",
            "Wilcoxon signed-rank test",
            "are differences symmetric about zero, by their ranks?",
            wilcoxon,
        ),
        PairedTest("sign", "sign test", "are as many queries better as are worse?", sign),
        PairedTest(
            "bootstrap",
            "bootstrap test (percentile)",
            "does the interval of the mean over drawn queries reach zero?",
            percentile,
            resampled=True,
            varied=True,
        ),
        PairedTest(
            "bca",
            "bootstrap test (BCa)",
            "the same, corrected for bias and skewness",
            bca,
            resampled=True,
            varied=True,
        ),
    )
}
