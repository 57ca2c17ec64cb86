"""`Method`: by which test systems are compared, and how p is corrected over a family of pairs.

The family is the pairs of one measure, or those of all measures. Whatever the correction, no
interval leaves out 0 where the corrected p is above alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf
from typing import Any, Unpack, cast

import numpy as np
from attrs import Factory, evolve, frozen

from gainful.errors import BadValue, check_name, check_number
from gainful.evidence.options import PairOptions, ResamplingOptions
from gainful.evidence.pairing import (
    ClusterChoice,
    Clusters,
    PairChoice,
    PairedValues,
    apply_test,
    number_units,
    read_clusters,
)
from gainful.evidence.statistics.correction import (
    CORRECTIONS,
    MAX_T,
    RANDOMISATION,
    TUKEY,
    Family,
    correction_for,
    smallest_resamples,
)
from gainful.evidence.statistics.effect_size import POWER, check_power
from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.outcome import (
    MAX_RESAMPLES,
    Outcome,
    Resampling,
    UnitSums,
    join_outcomes,
    widen_to_zero,
)
from gainful.evidence.statistics.paired_tests import MAX_EXACT_DIFFERENCES, TEST_NAMES, TESTS
from gainful.measure.values import Results
from gainful.types import Ranks

Margins = float | Mapping[str, float]
_SPARE_RESAMPLES = 10  # times what it takes for the smallest p to be significant at all


class SignificanceOptions(PairOptions, total=False):
    """The baseline and the family of comparisons, and how a difference is tested.

    Args:
        baseline: the run or system to compare with; by default the first.
        family: "measure", the pairs of one measure are corrected together; or "all", those of all
            measures.
    """

    baseline: str | None
    family: Family


class MethodOptions(SignificanceOptions, total=False):
    """How systems are compared, and how differences are tested.

    Args:
        pairs: compare "all" pairs of systems, or each with the "baseline".
        equivalent: also ask whether systems are practically the same, within this margin of the
            mean difference: of all measures, or {"nDCG@10": 0.01} of some. Two one-sided t tests
            (TOST), and the probabilities that a system is better, the same, worse.
        power: how often the detectable difference, which is printed, would be found.
        standardise: for runs: first standardise the scores of each query over all runs: normal;
            needs three runs.
    """

    pairs: PairChoice
    equivalent: Margins | None
    power: float
    standardise: str | None


METHOD_SETS = (PairOptions, SignificanceOptions, MethodOptions)  # whose docstrings have them all


@frozen
class Method:
    """How systems are compared: by which test, corrected how, which pairs, at which level."""

    test: str
    correction: str
    family: Family = "measure"
    resampling: Resampling = Factory(Resampling)
    resamples_given: bool = False  # did a user ask for so many? If not, they grow with the family
    correction_given: bool = False  # was it asked for, or does it go with the test?
    baseline: str | None = None
    pairs: PairChoice = "all"
    standardise: str | None = None
    equivalent: Margins | None = None
    power: float = POWER  # of the detectable difference
    cluster: ClusterChoice | None = None

    def to_dict(self) -> dict[str, Any]:
        """Options that data name as they were asked for."""
        return {"family_scope": self.family, "power": self.power}

    def margins(self, results: Results) -> dict[str, float]:
        """Within which systems are practically the same, by measure, where that is asked."""
        if isinstance(self.equivalent, Mapping):
            return {results.find_name(name): float(to) for name, to in self.equivalent.items()}
        return dict.fromkeys(results.values, float(self.equivalent)) if self.equivalent else {}

    @property
    def takes_resamples(self) -> bool:
        """Does its test draw resamples?"""
        return self.test not in TESTS or TESTS[self.test].resampled

    def read_clusters(self) -> Clusters | None:
        """What queries belong to, by a pattern or a dict."""
        return None if self.cluster is None else read_clusters(self.cluster)

    def count_comparisons(self, measures: int, pairs: int) -> int:
        """How many comparisons are corrected together; tukey corrects the pairs itself."""
        return (measures if self.family == "all" else 1) * (1 if self.test == TUKEY else pairs)

    def uses_max_t(self, measures: int, pairs: int) -> bool:
        """Is p corrected by resamples of the whole family? One comparison needs none."""
        return self.correction == MAX_T and self.count_comparisons(measures, pairs) > 1

    def power_level(self, measures: int, pairs: int) -> float:
        """The level at which one of these comparisons is sure to be significant.

        Where the chance of any mistake is held down, the smallest p is held to alpha divided by
        the number of comparisons.
        """
        if CORRECTIONS[self.correction].holds_down_any or self.test == TUKEY:
            return self.resampling.alpha / (pairs * (measures if self.family == "all" else 1))
        return self.resampling.alpha

    def fit_to_queries(self, paired: Sequence[PairedValues], pairs: Ranks) -> Method:
        """As many resamples as the family needs, if the test uses any for these queries."""
        is_exact = self.test == RANDOMISATION and all(
            len({*item.units}) <= MAX_EXACT_DIFFERENCES for item in paired
        )
        if is_exact or self.test == TUKEY or not self.takes_resamples:
            return self
        return self.fit_resamples(len(paired), len(pairs))

    def fit_resamples(self, measures: int, pairs: int, sides: int = 1) -> Method:
        """As many resamples as the family needs for a single smallest p to be significant.

        A number that the user gave is not changed: one with which nothing could be is refused. By
        Benjamini-Hochberg p that are all the smallest are corrected to that.
        """
        comparisons = self.count_comparisons(measures, pairs)
        if self.correction in (MAX_T, "none") or comparisons == 1:
            return self
        alpha, resamples = self.resampling.alpha, self.resampling.resamples
        holds_down_any = CORRECTIONS[self.correction].holds_down_any
        least = smallest_resamples(comparisons if holds_down_any else 1, alpha, sides)
        if least > (resamples if self.resamples_given else MAX_RESAMPLES):
            words = CORRECTIONS[self.correction].words
            allowed = (
                f"at least {least}: with fewer, no p corrected by {words} over {comparisons} "
                f"comparisons can be {alpha:g} (or correct {MAX_T}, the default of randomisation)"
            )
            raise BadValue("resamples", resamples, allowed)
        if self.resamples_given:
            return self
        # More than the clearest difference is to be found.
        needed = smallest_resamples(comparisons, alpha, sides)
        ample = min(max(resamples, _SPARE_RESAMPLES * (needed + 1) - 1), MAX_RESAMPLES)
        return evolve(self, resampling=evolve(self.resampling, resamples=ample))


def build_method(tests: Collection[str] = TEST_NAMES, **options: Unpack[MethodOptions]) -> Method:
    """A method whose test and correction exist and go together; others are refused."""
    chance, given = split_method(options, ResamplingOptions)
    test, correct = given.pop("test", None), given.pop("correct", None)
    standardise = given.get("standardise")
    if standardise is not None:
        check_name("standardisation", standardise, ["normal"], "the others were removed")
    equivalent = given.get("equivalent")
    margins = equivalent.values() if isinstance(equivalent, Mapping) else [equivalent]
    for margin in () if equivalent is None else margins:
        allowed = "a margin above 0, or {measure: margin}"
        check_number("equivalent", margin, allowed, lambda number: 0 < number < inf)
    power, resampling = given.get("power", POWER), Resampling.from_options(chance)
    if power != POWER:  # a large alpha alone is no mistake
        check_power(power, resampling.alpha)
    test = RANDOMISATION if test is None else test
    return Method(
        test=test,
        correction=correction_for(test, correct, tests, given.get("family", "measure")),
        resampling=resampling,
        resamples_given=chance.get("resamples") is not None,
        correction_given=correct is not None,
        **given,
    )


def split_method(
    options: Mapping[str, Any], known: type = MethodOptions
) -> tuple[MethodOptions, dict[str, Any]]:
    """Those that say how systems are compared, of a set that is known; and all others."""
    method = {name: options[name] for name in options if name in known.__annotations__}
    others = {name: value for name, value in options.items() if name not in method}
    return cast("MethodOptions", method), others


def test_pairs(
    paired: Sequence[PairedValues], pairs: Ranks, method: Method, names: Sequence[str]
) -> Outcome:
    """The test of pairs of runs (rows of two columns) in every measure, p corrected by family."""
    means = [[item.differences((a, b)).mean() for a, b in pairs] for item in paired]
    if not method.uses_max_t(len(paired), len(pairs)):
        outcome = correct_outcome(
            lambda resampling: join_outcomes(
                [apply_test(item, pairs, method.test, resampling, names) for item in paired]
            ),
            (len(paired), len(pairs)),
            method,
        )
    elif method.family == "all":
        numbers = number_units(paired)
        total = 1 + max(int(number.max()) for number in numbers)
        units = [
            UnitSums.from_values(item.values, number, total)
            for item, number in zip(paired, numbers, strict=True)
        ]
        outcome = flip_families(units, pairs, method.resampling)
    else:
        families = [
            flip_families([item.sum_units(item.values)], pairs, method.resampling)
            for item in paired
        ]
        outcome = join_outcomes(families, np.concatenate)
    return evolve(outcome, estimate=np.array(means))


def correct_outcome(
    apply: Callable[[Resampling], Outcome], shape: tuple[int, int], method: Method
) -> Outcome:
    """What a test says, with p corrected over its families, and intervals of the level they ask.

    The test is applied to measures × pairs (`shape`); of it, intervals alone depend on alpha.
    """
    correction, resampling = CORRECTIONS[method.correction], method.resampling
    rows, columns = np.indices(shape)
    by_measure = rows if method.family == "measure" else np.zeros_like(rows)
    by_pair = columns if method.test == TUKEY else np.zeros_like(columns)
    key = by_measure * shape[1] + by_pair  # what is corrected together has the same
    families = [(rows[key == at], columns[key == at]) for at in np.unique(key)]
    # Most corrections ask for one level, whatever p is: the test is applied once then.
    guess = correction.interval_alpha(np.ones(families[0][0].size), resampling.alpha)
    outcome = apply(evolve(resampling, alpha=guess))
    by_level = {guess: outcome}
    corrected, low, high = outcome.p.copy(), outcome.low.copy(), outcome.high.copy()
    for family in families:
        corrected[family] = correction.function(outcome.p[family])
        level = correction.interval_alpha(outcome.p[family], resampling.alpha)
        if level not in by_level:
            by_level[level] = apply(evolve(resampling, alpha=level))
        low[family], high[family] = by_level[level].low[family], by_level[level].high[family]
    low, high = widen_to_zero(low, high, corrected > resampling.alpha)
    return evolve(outcome, p_corrected=corrected, low=low, high=high)
