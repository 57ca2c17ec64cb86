"""Is one run really better than another? Runs compared query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.clusters import ClusterChoice, Clusters, read_clusters
from gainful.evidence.comparisons.assemble_comparison import (
    ComparisonOptions,
    IndexPair,
    Method,
    Sample,
    Systems,
    assemble_comparison,
    build_method,
)
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.comparison_notes import write_notes
from gainful.evidence.comparisons.comparison_values import Pair
from gainful.evidence.comparisons.equivalence import add_equivalence
from gainful.evidence.families import fit_resamples, weigh_pairs
from gainful.evidence.pairing import (
    PairedValues,
    choose_baseline,
    pair_results,
    refuse_extremes,
)
from gainful.evidence.standardise import standardise_values
from gainful.evidence.statistics.effect_size import EffectSize, effect_size
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.measure.convention_line import describe_convention
from gainful.measure.footnotes import list_footnotes
from gainful.measure.run_values import RunValues
from gainful.text import count_noun, number_doubles


def compare_results(
    results: Mapping[str, RunValues] | Sequence[RunValues],
    test: str = "randomisation",
    cluster: ClusterChoice | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Is one run really better than another, of runs that are evaluated already?

    Args:
        results: of runs by name, or a list of them; runs of one name are numbered.
        test: randomisation, t, wilcoxon, sign, bootstrap, bca, or tukey for all pairs.
        cluster: a pattern whose group names what a query belongs to, or {query: cluster}.
        **options: the baseline, the correction, the family, the pairs, the level, the resamples,
            the seed, and how scores are standardised.
    """
    method = build_method(TEST_NAMES, test, **options)
    if not isinstance(results, (Mapping, Sequence)) or isinstance(results, str):
        raise WrongType("results", results, "results by name, or a list of them")
    runs = list(results.values()) if isinstance(results, Mapping) else list(results)
    if not all(isinstance(run, RunValues) for run in runs):
        raise WrongType("results", runs, "what gainful.evaluate returned")
    names = list(results) if isinstance(results, Mapping) else [run.name for run in runs]
    distinct_names = number_doubles(names)
    return compare_run_results(
        [evolve(run, name=name) for run, name in zip(runs, distinct_names, strict=True)],
        distinct_names,
        method,
        None if cluster is None else read_clusters(cluster),
    )


def compare_run_results(
    results: Sequence[RunValues],
    names: Sequence[str],
    method: Method,
    clusters: Clusters | None = None,
) -> Comparison:
    """The comparison of runs that were evaluated alike, paired by query."""
    _refuse_unlike(results, names)
    systems = Systems.from_method(names, method, "run")
    paired = {
        measure: standardise_values(
            _refuse_incomparable(pair_results(results, measure), names), method.standardise
        )
        for measure in results[0].values
    }
    if clusters is not None:
        paired = {measure: clusters.assign(item) for measure, item in paired.items()}
    pairs = np.array(systems.pairs, dtype=np.intp)
    method = fit_resamples(method, list(paired.values()), pairs)
    comparison = assemble_comparison(
        systems,
        Sample(
            means={measure: item.values.mean(axis=0) for measure, item in paired.items()},
            units={measure: len(item.queries) for measure, item in paired.items()},
            unit="query",
            paired_by="query",
            convention=results[0].convention_data(),
            bounded=tuple(
                name for name, recipe in results[0].recipes.items() if recipe.entry.bounded
            ),
            convention_line=describe_convention(results[0]),
            footnotes=list_footnotes(results),
            all_footnotes=list_footnotes(results, verbose=True),
            clusters={}
            if clusters is None
            else {measure: len({*item.units}) for measure, item in paired.items()},
            cluster=None if clusters is None else clusters.source,
            effect=lambda measure, pair, level: _measure_effect(paired[measure], pair, level),
        ),
        weigh_pairs(list(paired.values()), pairs, method, names),
        method,
    )
    comparison = add_equivalence(
        comparison,
        results[0],
        method.equivalent,
        lambda pair: _sum_differences(paired[pair.measure], pair, names),
    )
    notes = write_notes(comparison, list(paired.values()), pairs)
    return evolve(comparison, notes=tuple(notes))


def _sum_differences(paired: PairedValues, pair: Pair, names: Sequence[str]) -> UnitSums:
    columns = (names.index(pair.system), names.index(pair.other))
    return paired.sum_units(paired.differences(columns)[:, None])


def compare_where_possible(
    results: Sequence[RunValues], method: Method, clusters: Clusters | None = None
) -> tuple[Comparison | None, list[str]]:
    """The comparison in all measures that allow one, and why not in the others.

    Examples:
        >>> from gainful import evaluate
        >>> from gainful.evidence.comparisons.assemble_comparison import build_method
        >>> runs = {"a": {"1": ["x"], "2": ["x"]}, "b": {"1": ["y"], "2": ["y"]}}
        >>> results = evaluate({"1": {"z": 1}, "2": {"z": 1}}, measures="RR", runs=runs)
        >>> compare_where_possible(list(results.values()), build_method(["t"], test="t"))[1]
        ['RR is 0 for every query of every run: there is nothing to compare']
    """
    names = [result.name for result in results]
    choose_baseline(method.baseline, names, "run")
    if len(results) < 2:
        return None, []
    comparable, reasons = [], []
    for measure in results[0].values:
        try:
            _refuse_incomparable(pair_results(results, measure), names)
        except (BadValue, CannotCompare) as error:
            reasons.append(str(error))
        else:
            comparable.append(measure)
    if not comparable:
        return None, reasons
    try:
        return compare_run_results(
            [result.select_measures(comparable) for result in results], names, method, clusters
        ), reasons
    except CannotCompare as error:
        return None, [*reasons, str(error)]


def _measure_effect(paired: PairedValues, pair: IndexPair, level: float) -> EffectSize:
    differences = paired.differences(pair)
    is_clustered = paired.clusters is not None
    units = paired.sum_units(differences[:, None]) if is_clustered else None
    return effect_size(differences, level, units)


def _refuse_unlike(results: Sequence[RunValues], names: Sequence[str]) -> None:
    """Only what was measured alike can be compared."""
    if len(results) < 2:
        raise BadValue("runs", len(results), "at least two")
    if len(set(names)) < len(names):
        raise BadValue("runs", list(names), "names that differ")
    for name, result in zip(names, results, strict=True):
        if {key: str(m) for key, m in result.measures.items()} != {
            key: str(m) for key, m in results[0].measures.items()
        }:
            raise CannotCompare(f"{name} and {names[0]} have not been given the same measures")
        differences = result.convention.differences(results[0].convention)
        if differences:
            raise CannotCompare(
                f"{name} and {names[0]} follow different conventions: {', '.join(differences)}"
            )


def _refuse_incomparable(paired: PairedValues, names: Sequence[str]) -> PairedValues:
    """Enough queries, and something to compare."""
    if len(paired.queries) < 2:
        common = f"{count_noun(len(paired.queries), 'query')} in common"
        raise CannotCompare(
            f"{paired.measure}: {', '.join(names)} have {common}; a comparison needs at least 2"
        )
    refuse_extremes(paired.values, paired.measure)
    if not paired.values.any():
        raise CannotCompare(
            f"{paired.measure} is 0 for every query of every run: there is nothing to compare"
        )
    return paired
