"""Runs compared as far as they can be, and why not in the rest: for whoever shows all there is."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.compare_runs import check_comparable, compare_results
from gainful.evidence.comparison import Comparison
from gainful.evidence.pairing import TEST_NAMES, choose_baseline, pair_results
from gainful.evidence.statistics.correction import correction_for
from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.results import Results


def compare_where_possible(
    results: Sequence[Results],
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    resampling: Resampling | None = None,
) -> tuple[Comparison | None, list[str]]:
    """The comparison in all measures that allow one, and what is said of the others.

    Examples:
        >>> from gainful import evaluate
        >>> runs = {"a": {"1": ["x"], "2": ["x"]}, "b": {"1": ["y"], "2": ["y"]}}
        >>> results = evaluate({"1": {"z": 1}, "2": {"z": 1}}, measures="RR", runs=runs)
        >>> compare_where_possible(list(results.values()))[1]
        ['RR is 0 for every query of every run: there is nothing to compare']
    """
    names = [result.name for result in results]
    choose_baseline(baseline, names, "run")
    correction_for(test, correct, TEST_NAMES)
    if len(results) < 2:
        return None, []
    comparable, reasons = [], []
    for measure in results[0].values:
        try:
            check_comparable(pair_results(results, measure), names)
        except (BadValue, CannotCompare) as error:
            reasons.append(str(error))
        else:
            comparable.append(measure)
    if not comparable:
        return None, reasons
    comparable_results = [
        evolve(
            result,
            values={name: result.values[name] for name in comparable},
            recipes={name: result.recipes[name] for name in comparable},
        )
        for result in results
    ]
    try:
        comparison = compare_results(
            comparable_results, baseline=baseline, test=test, correct=correct, resampling=resampling
        )
    except CannotCompare as error:
        return None, [*reasons, str(error)]
    return comparison, reasons
