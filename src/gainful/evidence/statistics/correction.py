"""Corrections: what is a p worth among many, and how wide is an interval beside it?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import ceil
from typing import Literal

import numpy as np
from attrs import frozen

from gainful.errors import BadValue, check_name
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array

TUKEY = "tukey"  # tests of all pairs at once take care of the pairs themselves
RANDOMISATION = "randomisation"
FREEDMAN_LANE = "freedman-lane"
PERMUTATION = "permutation"
BY_DESIGN = "by design"  # of a study, which chooses the test
MAX_T = "max-t"
STUDY_TESTS: Mapping[str, str] = {
    PERMUTATION: "permutation of searchers' whole assignments",
    FREEDMAN_LANE: "linear model, residuals permuted within searchers (Freedman–Lane)",
    TUKEY: "permutation of searchers' whole assignments, the largest difference (Tukey)",
}
Family = Literal["measure", "all"]
FAMILIES: Mapping[str, str] = {
    "measure": "the pairs of one measure are corrected together",
    "all": "the pairs of all measures are corrected together",
}
_MAX_T_TESTS = (RANDOMISATION, FREEDMAN_LANE)  # that give all pairs anew from one draw
_ACROSS_MEASURES = ("bonferroni", "none")


@frozen
class Correction:
    """A correction by its name: p among many, and the level of an interval that goes with it."""

    name: str
    words: str
    function: Callable[[Array], Array]
    interval_alpha: Callable[[Array, float], float]  # of the p of a family, and alpha
    interval_words: str = ""  # how an interval of one comparison was widened
    interval_kind: str = ""  # what intervals hold for together
    steps_down: bool = False  # can it reject what a simultaneous interval does not?
    holds_down_any: bool = True  # the chance of any mistake, not the share of mistakes


def bonferroni(p: Array) -> Array:
    """Each p times the number of comparisons.

    Examples:
        >>> bonferroni(np.array([0.01, 0.4])).tolist()
        [0.02, 0.8]
    """
    return np.minimum(p * p.size, 1.0)


def holm(p: Array) -> Array:
    """Holm's step-down: the smallest p times the number of comparisons, the next times one less.

    Examples:
        >>> holm(np.array([0.04, 0.01, 0.03])).tolist()
        [0.06, 0.03, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p: Array) -> Array:
    """Benjamini and Hochberg's: the share of false discoveries instead of the chance of any."""
    from scipy.stats import false_discovery_control  # noqa: PLC0415  (slow to load)

    return np.asarray(false_discovery_control(p))


def _share_alpha(p: Array, alpha: float) -> float:
    return alpha / p.size


def _select_alpha(p: Array, alpha: float) -> float:
    """Benjamini and Yekutieli's (2005): as many times alpha's share as there are discoveries.

    So an interval leaves out 0 just where p is significant.

    Examples:
        >>> _select_alpha(np.array([0.001, 0.02, 0.5, 0.9]), 0.05)  # two of four
        0.025
    """
    discoveries = int((benjamini_hochberg(p) <= alpha).sum())
    return alpha * max(discoveries, 1) / p.size


_SIMULTANEOUS = "simultaneous intervals"

CORRECTIONS: Mapping[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction(  # by resamples of all comparisons; what it does to one p alone is nothing
            *(MAX_T, "step-down max-T", lambda p: p, lambda _, alpha: alpha),
            interval_kind=_SIMULTANEOUS,
            steps_down=True,
        ),
        Correction(
            *("holm", "Holm", holm, _share_alpha, "simultaneous (Bonferroni)"),
            interval_kind=_SIMULTANEOUS,
            steps_down=True,
        ),
        Correction(
            *("bh", "Benjamini–Hochberg", benjamini_hochberg, _select_alpha),
            "false coverage rate (Benjamini–Yekutieli)",
            "intervals by false coverage rate",
            holds_down_any=False,
        ),
        Correction(
            *("bonferroni", "Bonferroni", bonferroni, _share_alpha, "simultaneous (Bonferroni)"),
            interval_kind=_SIMULTANEOUS,
        ),
        Correction(
            *("none", "no correction", lambda p: p, lambda _, alpha: alpha), holds_down_any=False
        ),
    )
}


def correction_for(
    test: str, correct: str | None, tests: Collection[str], family: str = "measure"
) -> str:
    """The correction that goes with a test; both are names of our tables.

    Examples:
        >>> tests = ["randomisation", "t", "tukey"]
        >>> [correction_for(test, None, tests) for test in tests]
        ['max-t', 'holm', 'none']
        >>> correction_for("tukey", None, tests, "all")
        'bonferroni'
    """
    check_name("test", test, tests)
    check_name("family", family, FAMILIES)
    if correct is None:
        usual = {
            **dict.fromkeys(_MAX_T_TESTS, MAX_T),
            TUKEY: "bonferroni" if family == "all" else "none",
        }
        return usual.get(test, "holm")
    check_name("correction", correct, CORRECTIONS)
    if test == TUKEY and correct not in _ACROSS_MEASURES:
        allowed = "bonferroni or none: tukey corrects over pairs itself, so only measures remain"
        raise BadValue("correct", correct, allowed)
    if correct == MAX_T and test not in (*_MAX_T_TESTS, PERMUTATION):
        others = [name for name in CORRECTIONS if name != MAX_T]
        allowed = f"{', '.join(others)}: {MAX_T} applies to {' and '.join(_MAX_T_TESTS)}"
        raise BadValue("correct", correct, allowed)
    return correct


def smallest_resamples(comparisons: int, alpha: float, sides: int = 1) -> int:
    """The resamples with which the smallest p, times the comparisons, is alpha at most.

    `sides` is 2 where p is twice the smaller of both sides, each of which has what was seen.

    Examples:
        >>> smallest_resamples(600, 0.05)  # 1 / (11999 + 1) × 600 = 0.05
        11999
    """
    return ceil(sides * comparisons / alpha - COARSE_ROUNDING) - 1
