"""Runs that are evaluated already, ordered by each measure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.method import Method, build_method, fit_resamples
from gainful.evidence.orders.order import (
    Order,
    check_run_count,
    discriminative_power,
    order_means,
    significant_pairs,
)
from gainful.evidence.pairing import (
    NOT_A_MEAN,
    Clusters,
    PairedValues,
    describe_left_out,
    describe_turns,
    pair_values,
    values_by_query,
)
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.correlation import PERSISTENCE
from gainful.evidence.statistics.paired_tests import TUKEY_NOTE
from gainful.measure.results import Results
from gainful.measure.values import aggregate


def order_results(
    results: Sequence[Results],
    criterion: Method | None = None,
    p: float = PERSISTENCE,
    *,
    clusters: Clusters | None = None,
) -> Order:
    """The order of the runs by each measure; all were evaluated by the same measures.

    Where `clusters` say what queries belong to, tests flip and draw these whole.
    """
    check_run_count(len(results))
    criterion = criterion or build_method()
    names = _run_names(results)
    pairs = np.array(list(combinations(range(len(names)), 2)))
    means, power, flags_by_measure = {}, [], {}
    notes: list[str] = []
    for measure, recipe in results[0].recipes.items():
        paired_values = pair_values(
            [values_by_query(result, measure) for result in results], measure
        )
        if not paired_values.queries:
            raise CannotCompare(f"{measure}: no query counts in all runs, so none can be compared")
        notes += describe_left_out(paired_values, names)
        if clusters is not None:
            paired_values = clusters.assign(paired_values)
        mean_kind = recipe.entry.aggregation
        means[measure] = {
            name: aggregate(paired_values.values[:, at], mean_kind) for at, name in enumerate(names)
        }
        reasons = _why_no_test(paired_values, mean_kind)
        if not reasons:
            criterion = fit_resamples(criterion, [paired_values], pairs)
        flags = None if reasons else significant_pairs(paired_values, pairs, criterion, names)
        notes += reasons
        power.append(discriminative_power(paired_values, pairs, flags))
        flags_by_measure[measure] = flags
    if criterion.test == TUKEY:
        notes.append(TUKEY_NOTE)
    turns = describe_turns(results[0].queries) if clusters is None else None
    notes += [] if turns is None else [turns]
    lower = [name for name, direction in results[0].directions.items() if direction.is_lower]
    means_order = order_means(means, p, flags_by_measure, lower)
    return evolve(
        means_order,
        power=tuple(power),
        criterion=criterion,
        cluster=None if clusters is None else clusters.source,
        notes=(*notes, *means_order.notes),
        results=tuple(results),
    )


def _run_names(results: Sequence[Results]) -> list[str]:
    """What the runs are called, if they can be held side by side."""
    first, names = results[0], [result.name for result in results]
    if len({*names}) < len(names):
        raise BadValue("results", names, "runs with a name each, none twice")
    for result in results:
        if result.convention != first.convention or result.recipes.keys() != first.recipes.keys():
            problem = "not evaluated by the same measures and convention"
            raise CannotCompare(f"{first.name} and {result.name} are {problem}")
    return names


def _why_no_test(paired_values: PairedValues, mean_kind: str) -> list[str]:
    """Why the pairs of runs cannot be tested, if they cannot."""
    if mean_kind in NOT_A_MEAN:
        problem = f"{paired_values.measure} is {NOT_A_MEAN[mean_kind]}"
        return [f"{problem}: no test of it; runs are only ordered by it"]
    if len(paired_values.queries) < 2:
        return [f"{paired_values.measure}: one query is not enough to tell runs apart"]
    return []
