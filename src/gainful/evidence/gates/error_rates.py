"""How often would a gate stop a build that is no worse, and which drop would it catch?

The operating characteristics of rules, for a number of queries and the spread of changes by query.
Means of changes are taken as normal, tests as t tests; queries that fall by themselves are counted
by the normal distribution of their changes, or by those that were seen, of either sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import sqrt
from typing import Literal

import numpy as np
from attrs import evolve, frozen

from gainful.evidence.gates.baseline import smallest_p
from gainful.evidence.gates.rules import Check, Rules
from gainful.evidence.pairing import PairedValues, values_by_query
from gainful.evidence.statistics.effect_size import POWER
from gainful.measure.entry import Direction
from gainful.measure.values import Results
from gainful.page.table import Column
from gainful.read.baseline import Baseline
from gainful.types import Array

USUAL_DROP, USUAL_LEVEL = 0.01, 0.05  # rules that are shown where none was named
ASSUMED_SHARE = 0.25  # of the spread of values: how much changes vary where no change was seen
_FALSE_ALARMS = 0.05  # of neutral builds: what the bound that is proposed stops
_LARGEST_DROP = 64.0  # spreads; beyond it nothing is looked for
_STEPS = 60  # of halving, to find a drop

Source = Literal["seen", "history", "assumed"]


@frozen(kw_only=True)
class ErrorRate:
    """Of one rule: the share of neutral builds it stops, and the drop it catches in 80 %."""

    rule: str  # in words
    measure: str
    queries: int
    spread: float  # the standard deviation of changes by query
    spread_source: Source
    neutral_stopped: float
    caught_drop: float | None  # None where no drop is caught so often


@frozen(eq=False)
class Spread:
    """How changes of a measure vary between queries, and where that is known from."""

    measure: str
    queries: int
    value: float
    source: Source
    changes: Array | None = None  # those that were seen


def find_error_rates(
    checks: list[Check],
    spreads: list[Spread],
    rules: Rules,
    means: Mapping[str, float],
    directions: Mapping[str, Direction],
) -> Iterator[ErrorRate]:
    """The error rates of each rule that was applied; of the usual ones where none was."""
    for spread in spreads:
        if checks:
            applied = [check for check in checks if check.measure == spread.measure]
            tested = sum(check.rule == "significant" for check in checks)
        else:
            applied, tested = _propose_checks(spread, means[spread.measure]), len(spreads)
            applied = [evolve(check, direction=directions[spread.measure]) for check in applied]
        for check in applied:
            chance = stop_chance(check, spread, rules, max(tested, 1))
            yield ErrorRate(
                rule=check.rule_words,
                measure=check.measure,
                queries=spread.queries,
                spread=spread.value,
                spread_source=spread.source,
                neutral_stopped=chance(0.0),
                caught_drop=_find_drop(chance, spread.value),
            )


def _propose_checks(spread: Spread, mean: float) -> list[Check]:
    from scipy.stats import norm  # noqa: PLC0415  (slow to load)

    usual = USUAL_DROP if abs(mean) <= 1 else USUAL_DROP * abs(mean)
    fitting = float(norm.isf(_FALSE_ALARMS)) * spread.value / sqrt(spread.queries)
    bounds = [float(f"{bound:.2g}") for bound in (usual, fitting)]
    drops = [Check("max_drop", spread.measure, mean, bound, ok=True) for bound in bounds]
    return [*drops, Check("significant", spread.measure, mean, USUAL_LEVEL, ok=True)]


def stop_chance(
    check: Check, spread: Spread, rules: Rules, tested: int = 1
) -> Callable[[float], float]:
    """By the true drop of the mean: the chance that the rule stops a build.

    So many measures are `tested` together, by Holm's method.
    """
    from scipy.stats import norm  # noqa: PLC0415  (slow to load)

    error = spread.value / sqrt(spread.queries)
    if check.rule in ("floor", "ceiling", "max_drop"):
        margin = check.value - check.bound
        room = {"floor": margin, "ceiling": -margin, "max_drop": check.bound}[check.rule]
        return lambda drop: float(norm.sf((room - drop) / error))
    if check.rule == "per_query":
        return lambda drop: _count_chance(check, spread, drop)
    if check.rule == "no_worse_than":
        return lambda drop: 1 - one_sided_power((check.bound - drop) / error, spread, rules.alpha)
    level = check.bound / tested
    if smallest_p(spread.queries, rules) > level:
        return lambda _: 0.0
    return lambda drop: one_sided_power(drop / error, spread, level)


def one_sided_power(noncentrality: float, spread: Spread, level: float) -> float:
    """The chance that a one-sided t test finds an effect of so many standard errors."""
    from scipy.stats import nct, norm, t  # noqa: PLC0415  (slow to load)

    degrees = spread.queries - 1
    critical = float(t.isf(level, degrees))
    power = float(nct.sf(critical, degrees, noncentrality))
    if np.isfinite(power):
        return power
    return float(norm.sf(critical - noncentrality))  # far out, where the series does not converge


def _count_chance(check: Check, spread: Spread, drop: float) -> float:
    """The chance that more queries than may fall do, if all of them fall by so much on average."""
    from scipy.stats import binom, norm  # noqa: PLC0415  (slow to load)

    if spread.changes is None:
        share = float(norm.sf((check.bound - drop) / spread.value))
    else:
        centred = spread.changes - spread.changes.mean()
        falls = np.concatenate((centred, -centred)) + drop
        share = float((falls > check.bound).mean())
    return float(binom.sf(check.most or 0, spread.queries, share))


def _find_drop(chance: Callable[[float], float], spread: float) -> float | None:
    low, high = 0.0, _LARGEST_DROP * spread
    if chance(high) < POWER:
        return None
    if chance(low) >= POWER:
        return 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) >= POWER else (middle, high)
    return high


def describe_spreads(spreads: list[Spread]) -> list[str]:
    """Where the spreads are known from, in a line for each source."""
    lines = {
        "seen": "the spread is that of the changes between the run and the baseline",
        "history": "the spread is the mean spread of changes in the chain of baselines",
        "assumed": "no changes observed yet: their spread is assumed to be a quarter of the spread "
        "of the values; drops caught in 80 % are proportional to it",
    }
    return [words for source, words in lines.items() if any(s.source == source for s in spreads)]


# A row for each rule: what it does to neutral builds, and from which drop on it is sure.
RATE_COLUMNS = (
    Column("measure"),
    Column("spread", show=".4f", drop=1),
    Column("rule", is_text=True),
    Column(
        "neutral stopped",
        "neutral_stopped",
        lambda share: f"{100 * share:.0f} %" if share >= 0.01 or not share else "<1 %",
    ),
    Column(
        "caught in 80 %",
        lambda rate: "none" if rate.caught_drop is None else f"{rate.caught_drop:.4f}",
    ),
)


def find_spreads(
    results: Results, pairs: Mapping[str, PairedValues], baseline: Baseline | None
) -> tuple[list[Spread], list[str]]:
    """Of each measure that is a mean over queries; and the names of those that do not vary."""
    spreads = {
        name: _find_spread(results, name, pairs.get(name), baseline)
        for name in results.measures
        if results.recipes[name].entry.aggregation == "mean"
    }
    known = [spread for spread in spreads.values() if spread is not None]
    return known, [name for name, spread in spreads.items() if spread is None]


def _find_spread(
    results: Results, name: str, pair: PairedValues | None, baseline: Baseline | None
) -> Spread | None:
    if pair is not None:
        changes = pair.differences((0, 1))
        if seen := _deviation(changes):
            return Spread(name, len(changes), seen, "seen", changes)
    values = np.array(list(values_by_query(results, name).values()))
    saves = () if baseline is None else baseline.history
    names = str(results.measures[name]), name  # older files have the name that was asked for
    known = [save["spread"].get(key) for save in saves for key in dict.fromkeys(names)]
    if history := [spread for spread in known if spread]:
        value = sqrt(sum(past**2 for past in history) / len(history))
        return Spread(name, len(values), value, "history")
    assumed = ASSUMED_SHARE * _deviation(values)
    return Spread(name, len(values), assumed, "assumed") if assumed else None


def _deviation(values: Array) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
