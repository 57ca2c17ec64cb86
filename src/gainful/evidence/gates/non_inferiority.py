"""Is a run shown to be worse than a baseline by less than a margin? One-sided limits of changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, CannotCompare
from gainful.evidence.gates.check import Check
from gainful.evidence.gates.rules import Rules
from gainful.evidence.gates.significance import test_drop
from gainful.evidence.pairing import PairedValues
from gainful.evidence.statistics.effect_size import SKEWED, skewness_of_changes
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.measure.run_values import RunValues
from gainful.text import count_noun


def check_margins(
    pairs: Mapping[str, PairedValues],
    margins: Mapping[str, float],
    now_and_before: Mapping[str, tuple[float, float]],
    rules: Rules,
    results: RunValues,
) -> tuple[list[Check], list[str]]:
    """A check for each measure with a margin, how limits were found, and which are less sure.

    To pass, all must be shown; so no level is divided among them.
    """
    checks, skewed, method = [], [], ""
    for name, margin in margins.items():
        limit, method = _lower_limit(pairs[name], rules, results)
        now, then = now_and_before[name]
        direction = results.directions[name]
        check = Check("no_worse_than", name, now, margin, ok=limit > -margin, baseline=then)
        own_limit = direction.sign * limit
        checks.append(evolve(check, limit=own_limit, level=rules.alpha, direction=direction))
        changes = direction.sign * pairs[name].differences((0, 1))
        if check.ok and skewness_of_changes(changes) < -SKEWED:
            skewed.append(
                f"{name}: changes are skewed towards losses, and then too many builds pass that "
                "are worse by the margin (measured: 9 to 17 % instead of 5 %); --per-query "
                f"{name}=DROP:COUNT limits rare large losses"
            )
    confidence = f"{100 * (1 - rules.alpha):g} %"
    return checks, [f"limits of changes are one-sided, {confidence}: {method}", *skewed]


def _lower_limit(pair: PairedValues, rules: Rules, results: RunValues) -> tuple[float, str]:
    """What the mean change for the better is not below, at the rules' level; by which method."""
    if results.recipes[pair.measure].entry.aggregation != "mean":
        raise BadValue("no_worse_than", pair.measure, "a measure that is a mean over queries")
    outcome = test_drop(pair, rules, results, rules.resampling(2 * rules.alpha))
    limit = float(outcome.low[0])
    if not np.isfinite(limit):
        raise CannotCompare(
            f"with {count_noun(len({*pair.units}), pair.unit)} there is no one-sided limit of the "
            f"change of {pair.measure} at {rules.alpha:g} by the {TESTS[rules.test].words} "
            "(use --test t, more queries, or --max-drop)"
        )
    return limit, outcome.interval_method
