"""Discriminative power: which measure tells runs apart (Sakai 2006)?

The share of pairs of runs that a measure finds significantly different. It says nothing of whether
the measure is right; one that cannot tell runs apart is of little use, though.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from gainful.errors import BadValue
from gainful.evidence.method import Method, weigh_pairs
from gainful.evidence.pairing import PairedValues
from gainful.evidence.statistics.correction import RANDOMISATION, TUKEY, correction_for
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.evidence.statistics.resampling import Resampling
from gainful.types import Flags, Ranks


def build_criterion(
    name: str = RANDOMISATION,
    correct: str | None = None,
    resampling: Resampling | None = None,
    *,
    resamples_given: bool = False,
) -> Method:
    """When are two runs different? By the test of this name; misspelt ones are refused.

    Examples:
        >>> build_criterion("t").correction
        'holm'
        >>> build_criterion("sing")
        Traceback (most recent call last):
        ...
        gainful.errors.UnknownName: no test 'sing'; did you mean sign?
    """
    if name == TUKEY and correct not in (None, "none"):
        raise BadValue("correct", correct, "none: tukey takes care of the pairs itself")
    correction = correction_for(name, correct, TEST_NAMES)
    return Method(
        name,
        correction,
        resampling=resampling or Resampling(),
        resamples_given=resamples_given,
    )


@frozen
class DiscriminativePower:
    """How many pairs of runs a measure tells apart, and by how little they may differ.

    `share` and `smallest` are None where nothing can be said; `smallest` also where no pair
    is significant.
    """

    measure: str
    pairs: int
    significant: int | None
    smallest: float | None  # difference of means that was found significant
    queries: int
    clusters: int | None = None  # where queries belong to some

    @property
    def share(self) -> float | None:
        """The discriminative power: the share of pairs that are significant."""
        return None if self.significant is None else self.significant / self.pairs

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.measure,
            "power": self.share,
            "significant": self.significant,
            "pairs": self.pairs,
            "smallest_difference": self.smallest,
            "queries": self.queries,
            "clusters": self.clusters,
        }


def significant_pairs(
    paired: PairedValues, pairs: Ranks, criterion: Method, names: list[str]
) -> Flags:
    """Which pairs of runs (a row of two columns each) are significantly different?"""
    corrected = weigh_pairs([paired], pairs, criterion, names).p_corrected
    return np.asarray(corrected[0] <= criterion.resampling.alpha)


def discriminative_power(
    paired: PairedValues, pairs: Ranks, flags: Flags | None
) -> DiscriminativePower:
    """What the flags of its pairs say of a measure; None where there are no flags."""
    means = paired.values.mean(axis=0)
    differences = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    significant = None if flags is None else differences[flags]
    return DiscriminativePower(
        measure=paired.measure,
        pairs=len(pairs),
        significant=None if significant is None else len(significant),
        smallest=None if significant is None or not len(significant) else float(significant.min()),
        queries=len(paired.queries),
        clusters=None if paired.clusters is None else len({*paired.clusters}),
    )
