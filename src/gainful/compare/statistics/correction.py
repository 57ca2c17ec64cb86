"""Corrections: what is a p worth among many?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import frozen

from gainful.formula import Array


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
    one.name: one
    for one in (
        Correction("holm", "Holm", holm),
        Correction("bh", "Benjamini–Hochberg", benjamini_hochberg),
        Correction("bonferroni", "Bonferroni", bonferroni),
        Correction("none", "no correction", lambda p: p),
    )
}
