"""Stability: how much does a mean depend on the queries that happen to be asked?

Two answers. The interval in which the mean would be with other queries of the same kind: they are
drawn again with replacement (bootstrap, BCa). And how far the mean moves if a single query is left
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import asdict, frozen

from gainful.errors import BadValue, WrongType
from gainful.evidence.pairing import values_by_query
from gainful.evidence.stability_page import stability_page
from gainful.evidence.statistics.bootstrap import bca_bootstrap
from gainful.evidence.statistics.resampling import RESAMPLES, SEED, Resampling
from gainful.measure.entry import Aggregation
from gainful.measure.results import Results, aggregate
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.rounding import ROUNDING
from gainful.types import Array, is_number

DEFAULT_LEVEL = 95.0
_LOWEST_LEVEL, _HIGHEST_LEVEL = 1.0, 99.99


@frozen
class Interval:
    """One mean (or sum, or geometric mean): its interval, and what it is with one query left out.

    `query_low` is the query without which the mean is smallest, `query_high` that without which
    it is largest. What cannot be told is None, and `Stability.notes` say why.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    loo_low: float | None = None
    loo_high: float | None = None
    query_low: str | None = None
    query_high: str | None = None
    kind: Aggregation = "mean"

    @property
    def influential_query(self) -> str | None:
        """The query that moves the mean most when it is left out; None where none moves it."""
        if self.mean is None or self.loo_low is None or self.loo_high is None:
            return None
        down, up = self.mean - self.loo_low, self.loo_high - self.mean
        if max(down, up) <= ROUNDING * abs(self.mean):
            return None
        return self.query_low if down >= up else self.query_high

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data = asdict(self)
        return {"kind": data.pop("kind"), **data, "moved_by": self.influential_query}


@frozen(repr=False)
class Stability(Shown):
    """The intervals of all means of a run, and how they were found."""

    run: str
    level: float  # per cent
    resamples: int
    seed: int
    intervals: Mapping[str, Interval]  # by measure
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "level": self.level,
            "method": "bootstrap, BCa",
            "resamples": self.resamples,
            "seed": self.seed,
            "measures": {name: interval.to_dict() for name, interval in self.intervals.items()},
            "notes": list(self.notes),
        }

    def page(self) -> Page:
        """A table of intervals."""
        return stability_page([self])


def stability(
    results: Results, level: float = DEFAULT_LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Stability:
    """How much does each mean depend on the queries that happen to be asked?

    Args:
        results: what `evaluate` returned.
        level: of the interval, in per cent: 1 to 99.99.
        resamples: how often queries are drawn again.
        seed: where chance begins; the same seed gives the same interval.

    Returns:
        `Stability`: by measure the interval of the mean and its range with one query left out. A
        geometric mean is treated as the mean of logarithms that it is; a sum has an interval, but
        no range.

    Examples:
        >>> from gainful import evaluate
        >>> judged = {"1": ["a"], "2": ["b"], "3": ["c"]}
        >>> run = {"1": ["a"], "2": ["x", "b"], "3": ["x", "y", "c"]}
        >>> interval = stability(evaluate(judged, run, "RR")).intervals["RR"]
        >>> round(interval.mean, 4), round(interval.loo_low, 4), round(interval.loo_high, 4)
        (0.6111, 0.4167, 0.75)
        >>> interval.influential_query
        '1'
    """
    resampling = resampling_for_level(level, resamples=resamples, seed=seed)
    if not isinstance(results, Results):
        raise WrongType("results", results, "what gainful.evaluate returned for one run")
    intervals, notes = {}, []
    for name, recipe in results.recipes.items():
        values = values_by_query(results, name)
        intervals[name], reason = _mean_interval(values, recipe.entry.aggregation, resampling)
        notes += [f"{name}: {reason}"] if reason else []
    return Stability(results.name, float(level), resamples, seed, intervals, tuple(notes))


def resampling_for_level(level: Any, *, resamples: int = RESAMPLES, seed: int = SEED) -> Resampling:
    """How queries are drawn again; a level that is none is refused."""
    if not is_number(level):
        raise WrongType("the level of the interval", level, "a number from 1 to 99.99")
    if not _LOWEST_LEVEL <= float(level) <= _HIGHEST_LEVEL:
        raise BadValue("the level of the interval", level, "1 to 99.99 (per cent), such as 95")
    return Resampling(alpha=1 - float(level) / 100, resamples=resamples, seed=seed)


def _mean_interval(
    query_values: Mapping[str, float], kind: Aggregation, resampling: Resampling
) -> tuple[Interval, str]:
    """The interval of one mean, and why it is not all there."""
    values = np.array(list(query_values.values()))
    if not values.size:
        return Interval(None, kind=kind), "no query counts, so there is no mean"
    mean = aggregate(values, kind)
    if values.size == 1:
        return Interval(
            mean, kind=kind
        ), "one query tells nothing of how others would do: no interval"
    if not np.isfinite(values).all():
        return Interval(None, kind=kind), "not every query has a finite value: no mean, no interval"
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        low = high = mean
        reason = "every query has the same value, so the interval is a point"
    else:
        low, high = _bootstrap_interval(values, kind, resampling)
        reason = ""
    if kind == "sum":
        reason = reason or "a sum is less without a query anyway: no range"
        return Interval(mean, low, high, kind=kind), reason
    return Interval(
        mean, low, high, *_leave_one_out(values, kind, list(query_values)), kind=kind
    ), reason


def _bootstrap_interval(
    values: Array, kind: Aggregation, resampling: Resampling
) -> tuple[float, float]:
    # Of numbers near 1 no power is too large or too small; a power of two changes no digit.
    scale = float(np.exp2(np.ceil(np.log2(np.abs(values).max()))))
    outcome = bca_bootstrap(values[:, None] / scale, resampling)
    # No mean of drawn queries is beyond them all, but for rounding.
    ends = sorted(
        float(np.clip(end[0] * scale, values.min(), values.max()))
        for end in (outcome.low, outcome.high)
    )
    if kind == "sum":
        return ends[0] * len(values), ends[1] * len(values)
    if kind == "geometric":
        return float(np.exp(ends[0])), float(np.exp(ends[1]))
    return ends[0], ends[1]


def _leave_one_out(
    values: Array, kind: Aggregation, names: list[str]
) -> tuple[float, float, str, str]:
    """The smallest and largest mean without one query, and which query that is.

    The mean is smallest without the largest value, so two means are all that is to be computed.
    """
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    low, high = (aggregate(np.delete(values, at), kind) for at in (best, worst))
    return low, high, names[best], names[worst]
