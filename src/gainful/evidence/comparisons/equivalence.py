"""Which systems are practically the same, within a margin that is named?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from attrs import evolve

from gainful.evidence.comparisons.comparison_values import ComparisonValues, Equivalence, Pair
from gainful.evidence.method import Margins
from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.equivalence import posterior_t, tost_p
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.measure.measured_values import MeasuredValues
from gainful.types import Array

ComparisonT = TypeVar("ComparisonT", bound=ComparisonValues)


def add_equivalence(
    comparison: ComparisonT,
    results: MeasuredValues[Any, Any],
    equivalent: Margins | None,
    differences: Callable[[Pair], UnitSums | None],
) -> ComparisonT:
    """A comparison whose pairs know whether they are practically the same, where that was asked.

    p is corrected by Holm over the pairs of a measure, unless nothing is to be corrected.

    Args:
        comparison: of all pairs.
        results: of a run or of sessions, which know how their measures are spelt.
        equivalent: one margin for all measures, or one for each of some.
        differences: of a pair, added up over what is independent: queries, clusters, searchers;
            None where there are fewer than two.
    """
    evidence, added = comparison.evidence, {}
    for measure, margin in _margins_by_measure(results, equivalent).items():
        chosen = [at for at, pair in enumerate(comparison.pairs) if pair.measure == measure]
        sums = {at: differences(comparison.pairs[at]) for at in chosen}
        known = {at: units for at, units in sums.items() if units is not None}
        if not known:
            continue
        p = np.concatenate([tost_p(*_describe_units(units), margin) for units in known.values()])
        corrected = p if evidence.correction == "none" else holm(p)
        for (at, units), *both in zip(known.items(), p.tolist(), corrected.tolist(), strict=True):
            posterior = posterior_t(*_describe_units(units), margin)
            shares = [posterior.better, posterior.same, posterior.worse]
            if comparison.direction(measure).is_lower:
                shares.reverse()
            added[at] = Equivalence(margin, *both, *(float(share[0]) for share in shares))
    pairs = (evolve(pair, equivalence=added.get(at)) for at, pair in enumerate(comparison.pairs))
    return evolve(comparison, pairs=tuple(pairs))


def _margins_by_measure(
    results: MeasuredValues[Any, Any], equivalent: Margins | None
) -> dict[str, float]:
    """The margin of each measure that has one, by the name that the results have for it."""
    if equivalent is None:
        return {}
    if not isinstance(equivalent, Mapping):
        return dict.fromkeys(results.values, float(equivalent))
    return {results.find_name(name): float(margin) for name, margin in equivalent.items()}


def _describe_units(units: UnitSums) -> tuple[Array, Array, int]:
    """The mean, its standard error and degrees of freedom."""
    return units.means(), units.standard_errors(), units.number - 1
