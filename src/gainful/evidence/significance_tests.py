"""One test of many pairs of runs, by its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.errors import CannotCompare
from gainful.evidence.effect_size import constant_columns
from gainful.evidence.pairing import PairedValues
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.randomisation import randomisation_test
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.tukey import tukey_test
from gainful.types import Array, Ranks

TEST_NAMES = (*TESTS, TUKEY)


def apply_test(
    paired: PairedValues, pairs: Ranks, test: str, resampling: Resampling, names: Sequence[str]
) -> Outcome:
    """The p of each pair of runs (a row of two columns), and the interval of its difference."""
    differences = paired.values[:, pairs[:, 0]] - paired.values[:, pairs[:, 1]]
    if test == TUKEY:
        if len(names) == 2:  # to deal two values is to flip the sign of their difference
            return randomisation_test(differences, resampling)
        return tukey_test(paired.values, pairs, resampling)
    if TESTS[test].needs_variance:
        _refuse_constant(paired, differences, pairs, test, names)
    return TESTS[test].function(differences, resampling)


def _refuse_constant(
    paired: PairedValues, differences: Array, pairs: Ranks, test: str, names: Sequence[str]
) -> None:
    """Differences that are all alike, but not zero, have no variance to hold them against."""
    for at in np.flatnonzero(constant_columns(differences) & differences.any(axis=0)):
        first, second = (names[column] for column in pairs[at])
        raise CannotCompare(
            f"{paired.measure}: {first} and {second} differ by {differences[0, at]:g} "
            f"in every query; the {TESTS[test].words} needs differences that vary "
            "(randomisation, wilcoxon and sign do not)"
        )
