"""Values of several systems side by side, by query or by conversation, compared pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from attrs import evolve, frozen

from gainful.errors import CannotCompare
from gainful.evidence.clusters import Clusters
from gainful.evidence.comparisons.assemble_comparison import (
    IndexPair,
    Method,
    Sample,
    Systems,
    assemble_comparison,
)
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_notes import write_notes
from gainful.evidence.comparisons.comparison_values import Pair
from gainful.evidence.comparisons.equivalence import add_equivalence
from gainful.evidence.families import fit_resamples, weigh_pairs
from gainful.evidence.pairing import PairedValues, refuse_extremes
from gainful.evidence.standardise import standardise_values
from gainful.evidence.statistics.effect_size import EffectSize, effect_size
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.measure.convention_line import describe_convention
from gainful.measure.measured_values import MeasuredValues
from gainful.text import count_noun


@frozen(eq=False)
class Measured:
    """How values were measured, for whoever reads the comparison."""

    results: MeasuredValues[Any, Any]  # of the first of the systems, or of all
    convention: Mapping[str, Any]
    bounded: tuple[str, ...]  # the measures that cannot pass 1
    convention_line: str
    footnotes: Sequence[str]
    all_footnotes: Sequence[str]

    @classmethod
    def from_results(
        cls,
        results: MeasuredValues[Any, Any],
        footnotes: Sequence[str],
        all_footnotes: Sequence[str],
    ) -> Self:
        """What the results of a run, or of sessions, say of their measures."""
        bounded = [name for name, recipe in results.recipes.items() if recipe.entry.bounded]
        line = describe_convention(results)
        return cls(
            results, results.convention_data(), tuple(bounded), line, footnotes, all_footnotes
        )


def compare_paired(
    paired: Mapping[str, PairedValues],
    systems: Systems,
    method: Method,
    measured: Measured,
    clusters: Clusters | None = None,
) -> Comparison:
    """The comparison of systems whose values stand side by side, in each measure."""
    paired = {
        name: standardise_values(refuse_incomparable(item, systems.names), method.standardise)
        for name, item in paired.items()
    }
    if clusters is not None:
        paired = {name: clusters.assign(item) for name, item in paired.items()}
    items = list(paired.values())
    pairs = np.array(systems.pairs, dtype=np.intp)
    method = fit_resamples(method, items, pairs)
    comparison = assemble_comparison(
        systems,
        Sample(
            means={measure: item.values.mean(axis=0) for measure, item in paired.items()},
            units={measure: len(item.queries) for measure, item in paired.items()},
            unit=items[0].noun,
            paired_by=items[0].noun,
            convention=measured.convention,
            bounded=measured.bounded,
            directions=measured.results.directions,
            convention_line=measured.convention_line,
            footnotes=measured.footnotes,
            all_footnotes=measured.all_footnotes,
            clusters={}
            if clusters is None
            else {measure: len({*item.units}) for measure, item in paired.items()},
            cluster=None if clusters is None else clusters.source,
            effect=lambda measure, pair, level: _measure_effect(paired[measure], pair, level),
        ),
        weigh_pairs(items, pairs, method, systems.names),
        method,
    )
    comparison = add_equivalence(
        comparison,
        measured.results,
        method.equivalent,
        lambda pair: _sum_differences(paired[pair.measure], pair, systems.names),
    )
    return evolve(comparison, notes=tuple(write_notes(comparison, items, pairs)))


def _sum_differences(paired: PairedValues, pair: Pair, names: Sequence[str]) -> UnitSums:
    columns = (names.index(pair.system), names.index(pair.other))
    return paired.sum_units(paired.differences(columns)[:, None])


def _measure_effect(paired: PairedValues, pair: IndexPair, level: float) -> EffectSize:
    differences = paired.differences(pair)
    is_clustered = paired.clusters is not None
    units = paired.sum_units(differences[:, None]) if is_clustered else None
    return effect_size(differences, level, units)


def refuse_incomparable(paired: PairedValues, names: Sequence[str]) -> PairedValues:
    """Enough queries, and something to compare."""
    if len(paired.queries) < 2:
        common = f"{count_noun(len(paired.queries), paired.noun)} in common"
        raise CannotCompare(
            f"{paired.measure}: {', '.join(names)} have {common}; a comparison needs at least 2"
        )
    refuse_extremes(paired.values, paired.measure)
    if not paired.values.any():
        kind = "run" if paired.noun == "query" else "system"
        raise CannotCompare(
            f"{paired.measure} is 0 for every {paired.noun} of every {kind}: "
            "there is nothing to compare"
        )
    return paired
