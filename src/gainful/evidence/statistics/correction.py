"""Corrections: what is a p worth among many?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from attrs import frozen

from gainful.errors import BadValue, UnknownName
from gainful.types import Array

TUKEY = "tukey"  # tests of all pairs at once take care of the pairs themselves
_ACROSS_MEASURES = ("bonferroni", "none")


@frozen
class Correction:
    """A correction by its name; `words` say what it holds down."""

    name: str
    words: str
    function: Callable[[Array], Array]


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


CORRECTIONS: Mapping[str, Correction] = {
    correction.name: correction
    for correction in (
        Correction("holm", "Holm", holm),
        Correction("bh", "Benjamini–Hochberg", benjamini_hochberg),
        Correction("bonferroni", "Bonferroni", bonferroni),
        Correction("none", "no correction", lambda p: p),
    )
}


def correction_for(test: str, correct: str | None, tests: Iterable[str]) -> str:
    """The correction that goes with a test; both are names of our tables.

    Examples:
        >>> correction_for("t", None, ["t", "tukey"]), correction_for("tukey", None, ["tukey"])
        ('holm', 'bonferroni')
    """
    if not isinstance(test, str) or test not in tests:
        raise UnknownName("test", str(test), tests)
    if correct is None:
        return "bonferroni" if test == TUKEY else "holm"
    if not isinstance(correct, str) or correct not in CORRECTIONS:
        raise UnknownName("correction", str(correct), CORRECTIONS)
    if test == TUKEY and correct not in _ACROSS_MEASURES:
        allowed = "bonferroni or none: tukey takes care of the pairs, only measures are left"
        raise BadValue("correct", correct, allowed)
    return correct


def correct_p_values(correct: str, p: Array, test: str) -> Array:
    """Measures × pairs, corrected together; tukey's are corrected for the pairs already."""
    if test != TUKEY:
        return CORRECTIONS[correct].function(p.ravel()).reshape(p.shape)
    by_pair = [CORRECTIONS[correct].function(pair_p) for pair_p in p.T]  # of each, all measures
    return np.stack(by_pair, axis=1)


def power_level(correct: str, test: str, p: Array, alpha: float) -> float:
    """The level at which one of these comparisons is sure to be significant.

    Where the chance of any mistake is held down, the smallest p is held to alpha divided by
    the number of comparisons.
    """
    if correct in ("holm", "bonferroni") or test == TUKEY:
        return alpha / p.size
    return alpha


def family_size(p: Array, test: str) -> int:
    """How many comparisons are corrected together."""
    return len(p) if test == TUKEY else p.size
