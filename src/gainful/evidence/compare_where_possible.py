"""Runs compared as far as they can be, and why not in the rest: for whoever shows all there is."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.compare_runs import checked, compare_results
from gainful.evidence.comparison import Comparison
from gainful.evidence.pairing import baseline_of, side_by_side
from gainful.evidence.significance_tests import NAMES
from gainful.evidence.statistics.correction import correction_for
from gainful.evidence.statistics.resampling import How
from gainful.measure.results import Results


def compare_possible(
    results: Sequence[Results],
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str | None = None,
    resampling: How | None = None,
) -> tuple[Comparison | None, list[str]]:
    """The comparison in all measures that allow one, and what is said of the others.

    Examples:
        >>> from gainful import evaluate
        >>> runs = {"a": {"1": ["x"], "2": ["x"]}, "b": {"1": ["y"], "2": ["y"]}}
        >>> found = evaluate({"1": {"z": 1}, "2": {"z": 1}}, measures="RR", runs=runs)
        >>> compare_possible(list(found.values()))[1]
        ['RR is 0 for every query of every run: there is nothing to compare']
    """
    names = [one.name for one in results]
    baseline_of(baseline, names, "run")
    correction_for(test, correct, NAMES)
    if len(results) < 2:
        return None, []
    kept, reasons = [], []
    for measure in results[0].values:
        try:
            checked(side_by_side(results, measure), names)
        except (BadValue, CannotCompare) as refused:
            reasons.append(str(refused))
        else:
            kept.append(measure)
    if not kept:
        return None, reasons
    some = [
        evolve(
            one,
            values={name: one.values[name] for name in kept},
            recipes={name: one.recipes[name] for name in kept},
        )
        for one in results
    ]
    try:
        found = compare_results(
            some, baseline=baseline, test=test, correct=correct, resampling=resampling
        )
    except CannotCompare as refused:
        return None, [*reasons, str(refused)]
    return found, reasons
