"""Pairs of runs or systems weighed together: p corrected over a family, intervals that go with it.

The family is the pairs of one measure, or those of all measures. Whatever the correction, no
interval leaves out 0 where the corrected p is above alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, TypeVar

import numpy as np
from attrs import Factory, evolve, frozen

from gainful.errors import BadValue
from gainful.evidence.pairing import PairedValues, apply_test, number_units
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    MAX_T,
    RANDOMISATION,
    TUKEY,
    Family,
    ample_resamples,
    smallest_resamples,
)
from gainful.evidence.statistics.max_t import INTERVAL, flip_families
from gainful.evidence.statistics.outcome import widen_to_zero
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.randomisation import MAX_EXACT_DIFFERENCES
from gainful.evidence.statistics.resampling import MAX_RESAMPLES, Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.types import Array, Ranks


@frozen(eq=False, kw_only=True)
class PairOutcomes:
    """What a test says: a row for each measure, a column for each pair of systems."""

    difference: Array
    p: Array
    low: Array
    high: Array
    interval: str
    exact: bool
    resampled: bool
    test_words: str
    corrected: Array = Factory(lambda self: self.p, takes_self=True)  # p among its family


WeighingT = TypeVar("WeighingT", bound="Weighing")


@frozen
class Weighing:
    """By which test pairs are weighed, how p is corrected over which family, with which resamples.

    `resamples_given` is whether a user asked for so many; if not, they grow with the family.
    """

    test: str
    correction: str
    family: Family = "measure"
    resampling: Resampling = Factory(Resampling)
    resamples_given: bool = False

    def count_comparisons(self, measures: int, pairs: int) -> int:
        """How many comparisons are corrected together; tukey takes care of the pairs itself."""
        return (measures if self.family == "all" else 1) * (1 if self.test == TUKEY else pairs)

    def uses_max_t(self, measures: int, pairs: int) -> bool:
        """Is p corrected by resamples of the whole family? One comparison needs none."""
        return self.correction == MAX_T and self.count_comparisons(measures, pairs) > 1

    def fit_resamples(self, measures: int, pairs: int, sides: int = 1) -> Self:
        """As many resamples as the family needs for its smallest p to be significant.

        A number that the user gave is not changed: one that is too small is refused.
        """
        comparisons = self.count_comparisons(measures, pairs)
        if self.correction in (MAX_T, "none") or comparisons == 1:
            return self
        alpha, resamples = self.resampling.alpha, self.resampling.resamples
        least = smallest_resamples(comparisons, alpha, sides)
        if least > (resamples if self.resamples_given else MAX_RESAMPLES):
            words = CORRECTIONS[self.correction].words
            allowed = (
                f"at least {least}: with fewer, no p that {words} corrects over {comparisons} "
                f"comparisons can be {alpha:g} (or correct {MAX_T}, the default of randomisation)"
            )
            raise BadValue("resamples", resamples, allowed)
        if self.resamples_given:
            return self
        ample = min(max(resamples, ample_resamples(comparisons, alpha, sides)), MAX_RESAMPLES)
        return evolve(self, resampling=evolve(self.resampling, resamples=ample))


def weigh_pairs(
    paired: Sequence[PairedValues], pairs: Ranks, weighing: Weighing, names: Sequence[str]
) -> PairOutcomes:
    """The test of pairs of runs (rows of two columns) in every measure, p corrected by family."""
    if weighing.uses_max_t(len(paired), len(pairs)):
        return _apply_max_t(paired, pairs, weighing)

    def weigh(resampling: Resampling) -> PairOutcomes:
        outcomes = [apply_test(item, pairs, weighing.test, resampling, names) for item in paired]
        is_tukey = weighing.test == TUKEY
        return PairOutcomes(
            difference=_mean_differences(paired, pairs),
            p=np.stack([outcome.p for outcome in outcomes]),
            low=np.stack([outcome.low for outcome in outcomes]),
            high=np.stack([outcome.high for outcome in outcomes]),
            interval=outcomes[0].interval_method,
            exact=all(outcome.exact for outcome in outcomes),
            resampled=is_tukey or TESTS[weighing.test].resampled,
            test_words="randomised Tukey HSD test" if is_tukey else TESTS[weighing.test].words,
        )

    return correct_outcomes(weigh, len(paired), len(pairs), weighing)


def fit_resamples(weighing: WeighingT, paired: Sequence[PairedValues], pairs: Ranks) -> WeighingT:
    """As many resamples as the family needs, if the test of so many queries takes any."""
    is_exact = weighing.test == RANDOMISATION and all(
        len({*item.units}) <= MAX_EXACT_DIFFERENCES for item in paired
    )
    takes_resamples = weighing.test != TUKEY and TESTS[weighing.test].resampled
    if is_exact or not takes_resamples:
        return weighing
    return weighing.fit_resamples(len(paired), len(pairs))


def _apply_max_t(paired: Sequence[PairedValues], pairs: Ranks, weighing: Weighing) -> PairOutcomes:
    """All pairs of a family flipped together."""
    if weighing.family == "all":
        numbers = number_units(paired)
        total = 1 + max(int(number.max()) for number in numbers)
        units = [
            UnitSums.from_values(item.values, number, total)
            for item, number in zip(paired, numbers, strict=True)
        ]
        families = [flip_families(units, pairs, weighing.resampling)]
    else:
        families = [
            flip_families([item.sum_units(item.values)], pairs, weighing.resampling)
            for item in paired
        ]
    return PairOutcomes(
        difference=_mean_differences(paired, pairs),
        p=np.concatenate([outcome.p for outcome in families]),
        corrected=np.concatenate([outcome.corrected for outcome in families]),
        low=np.concatenate([outcome.low for outcome in families]),
        high=np.concatenate([outcome.high for outcome in families]),
        interval=INTERVAL,
        exact=all(outcome.exact for outcome in families),
        resampled=True,
        test_words=TESTS[weighing.test].words,
    )


def _mean_differences(paired: Sequence[PairedValues], pairs: Ranks) -> Array:
    return np.array([[item.differences((a, b)).mean() for a, b in pairs] for item in paired])


def correct_outcomes(
    weigh: Callable[[Resampling], PairOutcomes], measures: int, pairs: int, weighing: Weighing
) -> PairOutcomes:
    """What a test says, with p corrected over its families, and intervals of the level they ask.

    Args:
        weigh: applies the test; its p depends on the resamples and the seed, its intervals on
            alpha.
        measures: how many there are.
        pairs: how many there are.
        weighing: the correction, the family, the level.
    """
    correction, resampling = CORRECTIONS[weighing.correction], weighing.resampling
    families = _list_families(measures, pairs, weighing)
    # Most corrections ask for one level, whatever p is: the test is applied once then.
    guess = correction.interval_alpha(np.ones(families[0][0].size), resampling.alpha)
    outcomes = weigh(evolve(resampling, alpha=guess))
    by_level = {guess: outcomes}
    corrected, low, high = outcomes.p.copy(), outcomes.low.copy(), outcomes.high.copy()
    for family in families:
        corrected[family] = correction.function(outcomes.p[family])
        level = correction.interval_alpha(outcomes.p[family], resampling.alpha)
        if level not in by_level:
            by_level[level] = weigh(evolve(resampling, alpha=level))
        low[family], high[family] = by_level[level].low[family], by_level[level].high[family]
    low, high = widen_to_zero(low, high, corrected > resampling.alpha)
    return evolve(outcomes, corrected=corrected, low=low, high=high)


def _list_families(measures: int, pairs: int, weighing: Weighing) -> list[tuple[Ranks, Ranks]]:
    """The comparisons that are corrected together: rows and columns of each family."""
    rows, columns = np.indices((measures, pairs))
    by_measure = rows if weighing.family == "measure" else np.zeros_like(rows)
    by_pair = columns if weighing.test == TUKEY else np.zeros_like(columns)
    key = by_measure * pairs + by_pair
    return [(rows[key == at], columns[key == at]) for at in np.unique(key)]
