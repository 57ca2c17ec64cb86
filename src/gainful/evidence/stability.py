"""Stability: how much does a mean depend on the queries that happen to be asked?

Two answers. The interval in which the mean would be with other queries of the same kind: they are
drawn again with replacement (bootstrap, BCa). And how far the mean moves if a single query is left
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from attrs import frozen

from gainful.errors import BadValue, WrongType
from gainful.evidence.pairing import by_query
from gainful.evidence.statistics.bootstrap import bca
from gainful.evidence.statistics.resampling import RESAMPLES, SEED, How
from gainful.formula import Array
from gainful.measure.entry import Mean
from gainful.measure.results import Results, as_one
from gainful.measure.sessions.sweep_boundary import TIE

LEVEL = 95.0
_LEAST, _MOST = 1.0, 99.99


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
    kind: Mean = "mean"

    @property
    def moved_by(self) -> str | None:
        """The query that moves the mean most when it is left out; None where none moves it."""
        if self.mean is None or self.loo_low is None or self.loo_high is None:
            return None
        down, up = self.mean - self.loo_low, self.loo_high - self.mean
        if max(down, up) <= TIE * abs(self.mean):
            return None
        return self.query_low if down >= up else self.query_high

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "kind": self.kind,
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "loo_low": self.loo_low,
            "loo_high": self.loo_high,
            "query_low": self.query_low,
            "query_high": self.query_high,
            "moved_by": self.moved_by,
        }


@frozen
class Stability:
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
            "measures": {name: one.to_dict() for name, one in self.intervals.items()},
            "notes": list(self.notes),
        }


def stability(
    results: Results, level: float = LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
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
        >>> found = {"1": ["a"], "2": ["x", "b"], "3": ["x", "y", "c"]}
        >>> one = stability(evaluate(judged, found, "RR")).intervals["RR"]
        >>> round(one.mean, 4), round(one.loo_low, 4), round(one.loo_high, 4), one.moved_by
        (0.6111, 0.4167, 0.75, '1')
    """
    how = settled(level, resamples=resamples, seed=seed)
    if not isinstance(results, Results):
        raise WrongType("results", results, "what gainful.evaluate returned for one run")
    found, notes = {}, []
    for name, recipe in results.recipes.items():
        values = by_query(results, name)
        found[name], why = _of_values(values, recipe.measure.entry.mean, how)
        notes += [f"{name}: {why}"] if why else []
    return Stability(results.name, float(level), resamples, seed, found, tuple(notes))


def settled(level: Any, *, resamples: int = RESAMPLES, seed: int = SEED) -> How:
    """How queries are drawn again; a level that is none is refused."""
    if isinstance(level, bool) or not isinstance(level, Real):
        raise WrongType("the level of the interval", level, "a number from 1 to 99.99")
    if not _LEAST <= float(level) <= _MOST:
        raise BadValue("the level of the interval", level, "1 to 99.99 (per cent), such as 95")
    return How(alpha=1 - float(level) / 100, resamples=resamples, seed=seed)


def _of_values(by_name: Mapping[str, float], kind: Mean, resampling: How) -> tuple[Interval, str]:
    """The interval of one mean, and why it is not all there."""
    values = np.array(list(by_name.values()))
    if not values.size:
        return Interval(None, kind=kind), "no query counts, so there is no mean"
    mean = as_one(values, kind)
    if values.size == 1:
        return Interval(
            mean, kind=kind
        ), "one query tells nothing of how others would do: no interval"
    if not np.isfinite(values).all():
        return Interval(None, kind=kind), "not every query has a finite value: no mean, no interval"
    if np.ptp(values) <= TIE * np.abs(values).max():
        low = high = mean
        why = "every query has the same value, so the interval is a point"
    else:
        low, high = _bootstrapped(values, kind, resampling)
        why = ""
    if kind == "sum":
        why = why or "a sum is less without a query anyway: no range"
        return Interval(mean, low, high, kind=kind), why
    return Interval(mean, low, high, *_left_out(values, kind, list(by_name)), kind=kind), why


def _bootstrapped(values: Array, kind: Mean, resampling: How) -> tuple[float, float]:
    # Of numbers near 1 no power is too large or too small; a power of two changes no digit.
    size = float(np.exp2(np.ceil(np.log2(np.abs(values).max()))))
    outcome = bca(values[:, None] / size, resampling)
    # No mean of drawn queries is beyond them all, but for rounding.
    ends = sorted(
        float(np.clip(end[0] * size, values.min(), values.max()))
        for end in (outcome.low, outcome.high)
    )
    if kind == "sum":
        return ends[0] * len(values), ends[1] * len(values)
    if kind == "geometric":
        return float(np.exp(ends[0])), float(np.exp(ends[1]))
    return ends[0], ends[1]


def _left_out(values: Array, kind: Mean, names: list[str]) -> tuple[float, float, str, str]:
    """The smallest and largest mean without one query, and which query that is.

    The mean is smallest without the largest value, so two means are all that is to be computed.
    """
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    low, high = (as_one(np.delete(values, at), kind) for at in (best, worst))
    return low, high, names[best], names[worst]
