"""Do measures agree on which run is better, and which of them tells runs apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Unpack

import numpy as np
from attrs import evolve

from gainful.convention import Convention
from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.orders.agreement import Agreement, Order, check_number, of_means
from gainful.evidence.orders.discriminative_power import Criterion, Power, different, power_of
from gainful.evidence.orders.swaps import Swap
from gainful.evidence.pairing import NOT_A_MEAN, Paired, by_query, paired, told_left_out
from gainful.evidence.statistics.correction import TUKEY
from gainful.evidence.statistics.rank_correlation import (
    PERSISTENCE,
    check_persistence,
    kendall_tau,
    rbo,
    tau_ap,
)
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED, How
from gainful.measure.evaluate import Habits, Measures, evaluate
from gainful.measure.results import Results, as_one
from gainful.read.inputs import AnyJudgments, AnyRun


def order(
    qrels: AnyJudgments,
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
    **habits: Unpack[Habits],
) -> Order:
    """Do measures agree on which run is better, and which of them tells runs apart?

    Args:
        judgments: whatever `evaluate` takes.
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
        habits: single habits, such as `ties="average"`.

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
    criterion = Criterion.of(test, correct, How(alpha=alpha, resamples=resamples, seed=seed))
    check_persistence(p)
    if not isinstance(runs, Mapping):
        raise WrongType("runs", runs, "{name: run}")
    check_number(len(runs))
    found = evaluate(qrels, runs=runs, measures=measures, like=like, **habits)
    return of_results(list(found.values()), criterion, p)


def of_results(
    results: Sequence[Results], criterion: Criterion | None = None, p: float = PERSISTENCE
) -> Order:
    """The same of runs that are evaluated already, all by the same measures."""
    check_number(len(results))
    criterion = criterion or Criterion.of()
    names = _names(results)
    pairs = np.array(list(combinations(range(len(names)), 2)))
    means, power, told = {}, [], {}
    notes: list[str] = []
    for measure, recipe in results[0].recipes.items():
        values = paired([by_query(one, measure) for one in results], measure)
        if not values.queries:
            raise CannotCompare(f"{measure}: no query counts in all runs, so none can be compared")
        notes += told_left_out(values, names)
        how = recipe.measure.entry.mean
        means[measure] = {name: as_one(values.values[:, at], how) for at, name in enumerate(names)}
        why_not = _untested(values, how)
        flags = None if why_not else different(values, pairs, criterion, names)
        notes += why_not
        power.append(power_of(values, pairs, flags))
        told[measure] = flags
    found = of_means(means, p, told)
    return evolve(
        found,
        power=tuple(power),
        criterion=criterion,
        notes=(*notes, *found.notes),
        results=tuple(results),
    )


def _names(results: Sequence[Results]) -> list[str]:
    """What the runs are called, if they can be held side by side."""
    first, names = results[0], [one.name for one in results]
    if len({*names}) < len(names):
        raise BadValue("results", names, "runs with a name each, none twice")
    for one in results:
        if one.convention != first.convention or one.recipes.keys() != first.recipes.keys():
            problem = "not evaluated by the same measures and convention"
            raise CannotCompare(f"{first.name} and {one.name} are {problem}")
    return names


def _untested(values: Paired, how: str) -> list[str]:
    """Why the pairs of runs cannot be tested, if they cannot."""
    if how in NOT_A_MEAN:
        return [
            f"{values.measure} is {NOT_A_MEAN[how]}: no test of it; runs are only ordered by it"
        ]
    if len(values.queries) < 2:
        return [f"{values.measure}: one query is not enough to tell runs apart"]
    return []


__all__ = [
    "Agreement",
    "Criterion",
    "Order",
    "Power",
    "Swap",
    "kendall_tau",
    "of_means",
    "of_results",
    "order",
    "rbo",
    "tau_ap",
]
