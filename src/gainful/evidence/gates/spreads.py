"""How much does a measure of one query change from build to build? Seen, remembered or assumed."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from gainful.evidence.gates.error_rates import ASSUMED_SHARE, Spread
from gainful.evidence.pairing import PairedValues, values_by_query
from gainful.measure.run_values import RunValues
from gainful.read.baseline import Baseline
from gainful.types import Array


def find_spreads(
    results: RunValues, pairs: Mapping[str, PairedValues], baseline: Baseline | None
) -> tuple[list[Spread], list[str]]:
    """Of each measure that is a mean over queries; and the names of those that do not vary."""
    spreads, flat = [], []
    for name in results.measures:
        if results.recipes[name].entry.aggregation != "mean":
            continue
        spread = _find_spread(results, name, pairs.get(name), baseline)
        if spread is None:
            flat.append(name)
        else:
            spreads.append(spread)
    return spreads, flat


def _find_spread(
    results: RunValues, name: str, pair: PairedValues | None, baseline: Baseline | None
) -> Spread | None:
    if pair is not None:
        changes = pair.differences((0, 1))
        seen = _deviation(changes)
        if seen:
            return Spread(
                measure=name, queries=len(changes), value=seen, source="seen", changes=changes
            )
    values = np.array(list(values_by_query(results, name).values()))
    history = [] if baseline is None else _list_past_spreads(baseline, name)
    if history:
        value = sqrt(sum(past**2 for past in history) / len(history))
        return Spread(measure=name, queries=len(values), value=value, source="history")
    assumed = ASSUMED_SHARE * _deviation(values)
    if not assumed:
        return None
    return Spread(measure=name, queries=len(values), value=assumed, source="assumed")


def _list_past_spreads(baseline: Baseline, name: str) -> list[float]:
    return [save["spread"][name] for save in baseline.history if save["spread"].get(name)]


def _deviation(values: Array) -> float:
    """Zero where there are too few values to vary."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
