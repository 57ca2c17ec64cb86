"""Randomisation by plain loops: what tests of signs must give."""

from itertools import product

import numpy as np

from gainful.evidence.statistics.paired_tests import sign_flips


def flip_signs(differences, alternative="two-sided"):
    """The p of all ways to flip signs."""
    observed, hits = sum(differences), 0
    for signs in product((1, -1), repeat=len(differences)):
        total = sum(sign * value for sign, value in zip(signs, differences, strict=True))
        hits += {
            "two-sided": abs(total) >= abs(observed) - 1e-9,
            "greater": total >= observed - 1e-9,
            "less": total <= observed + 1e-9,
        }[alternative]
    return hits / 2 ** len(differences)


def draw_signs(units, resampling):
    """The signs that a seed gives."""
    return (1 - 2 * np.concatenate(list(sign_flips(units, resampling)))).tolist()
