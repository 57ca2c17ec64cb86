"""Is one run really better than another? Runs compared query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from attrs import evolve

from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.clusters import ClusterChoice, Clusters, read_clusters
from gainful.evidence.comparisons.assemble_comparison import (
    ComparisonOptions,
    Method,
    Systems,
    build_method,
)
from gainful.evidence.comparisons.compare_paired import (
    Measured,
    compare_paired,
    refuse_incomparable,
)
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.pairing import choose_baseline, pair_results
from gainful.evidence.statistics.paired_tests import TEST_NAMES
from gainful.measure.footnotes import list_footnotes
from gainful.measure.run_values import RunValues
from gainful.text import number_doubles


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
    paired = {measure: pair_results(results, measure) for measure in results[0].values}
    return compare_paired(
        paired,
        Systems.from_method(names, method, "run"),
        method,
        Measured.from_results(
            results[0], list_footnotes(results), list_footnotes(results, verbose=True)
        ),
        clusters,
    )


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
            refuse_incomparable(pair_results(results, measure), names)
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
