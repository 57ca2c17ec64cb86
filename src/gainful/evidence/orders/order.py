"""Do measures agree on which run is better, and which of them tells runs apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Unpack

import numpy as np
from attrs import evolve

from gainful.convention import Convention
from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.orders.agreement import Agreement, Order, check_run_count, order_means
from gainful.evidence.orders.discriminative_power import (
    Criterion,
    DiscriminativePower,
    discriminative_power,
    significant_pairs,
)
from gainful.evidence.orders.swaps import Swap
from gainful.evidence.pairing import (
    NOT_A_MEAN,
    PairedValues,
    describe_left_out,
    pair_values,
    values_by_query,
)
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.rank_correlation import (
    PERSISTENCE,
    check_persistence,
    kendall_tau,
    rbo,
    tau_ap,
)
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, Resampling
from gainful.measure.evaluate import EvaluationSettings, Measures, evaluate
from gainful.measure.results import Results, aggregate
from gainful.read.inputs import AnyQrels, AnyRun


def order(
    qrels: AnyQrels,
    runs: Mapping[str, AnyRun],
    measures: Measures | None = None,
    *,
    alpha: float = ALPHA,
    test: str = TUKEY,
    correct: str | None = None,
    p: float = PERSISTENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Order:
    """Do measures agree on which run is better, and which of them tells runs apart?

    Args:
        qrels: whatever `evaluate` takes.
        runs: at least three of them, by name.
        measures: names such as "nDCG@10", or one measure with several parameters, such as
            "nDCG(discount=jk2008, b=2)@10" and "nDCG(discount=jk2008, b=10)@10".
        alpha: from which p on two runs are not told apart.
        test: "tukey", the randomised Tukey HSD of all pairs at once, or a test of one pair at a
            time: randomisation, t, wilcoxon, sign, bootstrap, bca.
        correct: how such a test is corrected for the number of pairs: holm, bh, bonferroni, none.
        p: the persistence of RBO.
        resamples: how many, of tests that resample.
        seed: where chance begins; the same seed gives the same numbers.
        like: the tool whose habits to follow.
        settings: single habits, such as `ties="average"`.

    Returns:
        `Order`: the order by each measure, their agreement, and the power of each.

    Examples:
        >>> judged = {"1": {"a": 3, "b": 1}, "2": {"c": 2, "d": 1}}
        >>> runs = {
        ...     "x": {"1": ["a"], "2": ["e", "c"]},
        ...     "y": {"1": ["b", "a"], "2": ["d", "c"]},
        ...     "z": {"1": ["e", "b"], "2": ["e", "d"]},
        ... }
        >>> order(judged, runs, ["RR", "nDCG@1"])
        Order of 3 runs by RR, nDCG@1
        RR: 0 of 3 pairs told apart
        nDCG@1: 0 of 3 pairs told apart
        RR and nDCG@1: tau 0.3333, tau_AP 0.0000, RBO 0.9000, 1 swapped
    """
    criterion = Criterion.from_name(
        test, correct, Resampling(alpha=alpha, resamples=resamples, seed=seed)
    )
    check_persistence(p)
    if not isinstance(runs, Mapping):
        raise WrongType("runs", runs, "{name: run}")
    check_run_count(len(runs))
    results = evaluate(qrels, runs=runs, measures=measures, like=like, **settings)
    return order_results(list(results.values()), criterion, p)


def order_results(
    results: Sequence[Results], criterion: Criterion | None = None, p: float = PERSISTENCE
) -> Order:
    """The same of runs that are evaluated already, all by the same measures."""
    check_run_count(len(results))
    criterion = criterion or Criterion.from_name()
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
        mean_kind = recipe.measure.entry.aggregation
        means[measure] = {
            name: aggregate(paired_values.values[:, at], mean_kind) for at, name in enumerate(names)
        }
        reasons = _why_no_test(paired_values, mean_kind)
        flags = None if reasons else significant_pairs(paired_values, pairs, criterion, names)
        notes += reasons
        power.append(discriminative_power(paired_values, pairs, flags))
        flags_by_measure[measure] = flags
    means_order = order_means(means, p, flags_by_measure)
    return evolve(
        means_order,
        power=tuple(power),
        criterion=criterion,
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


__all__ = [
    "Agreement",
    "Criterion",
    "DiscriminativePower",
    "Order",
    "Swap",
    "kendall_tau",
    "order",
    "order_means",
    "order_results",
    "rbo",
    "tau_ap",
]
