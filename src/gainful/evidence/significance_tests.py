"""One test of many pairs of runs, by its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.errors import CannotCompare
from gainful.evidence.effect_size import constant
from gainful.evidence.pairing import Paired
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.outcome import Outcome
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.randomisation import randomisation
from gainful.evidence.statistics.resampling import How
from gainful.evidence.statistics.tukey import tukey
from gainful.formula import Array
from gainful.match.matched import Ranks

NAMES = (*TESTS, TUKEY)


def tested(held: Paired, pairs: Ranks, test: str, resampling: How, names: Sequence[str]) -> Outcome:
    """The p of each pair of runs (a row of two columns), and the interval of its difference."""
    differences = held.values[:, pairs[:, 0]] - held.values[:, pairs[:, 1]]
    if test == TUKEY:
        if len(names) == 2:  # to deal two values is to flip the sign of their difference
            return randomisation(differences, resampling)
        return tukey(held.values, pairs, resampling)
    if TESTS[test].varied:
        _refuse_constant(held, differences, pairs, test, names)
    return TESTS[test].function(differences, resampling)


def _refuse_constant(
    held: Paired, differences: Array, pairs: Ranks, test: str, names: Sequence[str]
) -> None:
    """Differences that are all alike, but not zero, have no variance to hold them against."""
    for at in np.flatnonzero(constant(differences) & differences.any(axis=0)):
        one, other = (names[column] for column in pairs[at])
        raise CannotCompare(
            f"{held.measure}: {one} and {other} differ by {differences[0, at]:g} in every query; "
            f"the {TESTS[test].words} needs differences that vary (randomisation, wilcoxon and "
            "sign do not)"
        )
