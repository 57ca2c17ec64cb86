"""Discriminative power: which measure tells runs apart (Sakai 2006)?

The share of pairs of runs that a measure finds significantly different. It says nothing of whether
the measure is right; one that cannot tell runs apart is of little use, though.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from gainful.compare.pairing import Paired
from gainful.compare.statistics.correction import CORRECTIONS
from gainful.compare.statistics.how import How
from gainful.compare.statistics.paired import TESTS
from gainful.compare.statistics.tukey import tukey
from gainful.errors import BadValue, UnknownName
from gainful.match.matched import Flags
from gainful.measure.sessions.boundary import TIE

TUKEY = "tukey"
CORRECTED = "holm"  # how a test of one pair at a time is corrected for their number


@frozen
class Criterion:
    """When are two runs different? By which test, corrected how for the number of pairs.

    Examples:
        >>> Criterion.of("t").correct
        'holm'
        >>> Criterion.of("tukey", "holm")
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: correct is 'holm'; allowed: none, as tukey takes all pairs at once
    """

    name: str
    correct: str | None
    how: How

    @classmethod
    def of(cls, name: str = TUKEY, correct: str | None = None, how: How | None = None) -> Criterion:
        """The test of this name; misspelt ones are refused."""
        if name not in (TUKEY, *TESTS):
            raise UnknownName("test", str(name), (TUKEY, *TESTS))
        if correct is not None and correct not in CORRECTIONS:
            raise UnknownName("correction", str(correct), CORRECTIONS)
        if name == TUKEY and correct is not None:
            raise BadValue("correct", correct, "none, as tukey takes all pairs at once")
        correct = None if name == TUKEY else correct or CORRECTED
        return cls(name, correct, how or How())


@frozen
class Power:
    """How many pairs of runs a measure tells apart, and by how little they may differ.

    `share` and `smallest` are None where nothing can be said; `smallest` also where no pair
    is significant.
    """

    measure: str
    pairs: int
    significant: int | None
    smallest: float | None  # difference of means that was found significant
    queries: int

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
        }


def different(found: Paired, pairs: Any, test: Criterion, names: list[str]) -> Flags:
    """Which pairs of runs (a row of two columns each) are significantly different?"""
    if test.name == TUKEY:
        p = tukey(found.values, pairs, test.how).p
    else:
        differences = found.values[:, pairs[:, 0]] - found.values[:, pairs[:, 1]]
        if TESTS[test.name].varied:
            _refuse_constant(differences, pairs, test, names, found.measure)
        p = TESTS[test.name].function(differences, test.how).p
        p = CORRECTIONS[str(test.correct)].function(p)
    return np.asarray(p <= test.how.alpha)


def _refuse_constant(
    differences: Any, pairs: Any, test: Criterion, names: list[str], measure: str
) -> None:
    """Where all queries differ by the same, a test that asks how they vary has no answer."""
    far = np.abs(differences).max(axis=0)
    same = (np.ptp(differences, axis=0) <= TIE * far) & (far > 0)
    if same.any():
        one, other = (names[at] for at in pairs[int(np.argmax(same))])
        raise BadValue(
            "test",
            test.name,
            f"tukey, randomisation, wilcoxon or sign, as {one} and {other} differ by the same "
            f"{measure} in every query",
        )


def power_of(found: Paired, pairs: Any, flags: Flags | None) -> Power:
    """What the flags of its pairs say of a measure; None where there are no flags."""
    if flags is None:
        return Power(found.measure, len(pairs), None, None, len(found.queries))
    means = found.values.mean(axis=0)
    apart = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])[flags]
    least = float(apart.min()) if apart.size else None
    return Power(found.measure, len(pairs), int(flags.sum()), least, len(found.queries))
