"""Intervals of means: how much does a mean depend on the queries that happen to be asked?

Two answers. The interval in which the mean would be with other queries of the same kind: they are
drawn again with replacement (bootstrap, BCa), or, where there are too few of them to draw from,
Student's t tells it. And how far the mean moves if a single query is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from attrs import frozen

from gainful.errors import BadValue, WrongType
from gainful.evidence.clusters import describe_turns
from gainful.evidence.pairing import values_by_query
from gainful.evidence.statistics.bootstrap import INTERVALS, bca_bootstrap
from gainful.evidence.statistics.paired_tests import T_INTERVAL, t_interval
from gainful.evidence.statistics.resampling import DEFAULT_LEVEL, RESAMPLES, SEED, Resampling
from gainful.measure.entry import Aggregation, Entry
from gainful.measure.run_values import RunValues, aggregate
from gainful.page.page import Page, Section
from gainful.page.plain_data import to_plain_data
from gainful.page.shown import Shown, ShownByRun
from gainful.page.table import Table
from gainful.rounding import ROUNDING
from gainful.text import shorten
from gainful.types import Array, is_number

_LOWEST_LEVEL, _HIGHEST_LEVEL = 1.0, 99.99
_NUMBER_FIELDS = ("low", "high", "loo_low", "loo_high")
_QUERY_FIELDS = ("query_low", "query_high")
_LONGEST = 30  # characters of a query's name
FEWEST_DRAWN = 25  # queries; intervals that draw from fewer hold too little (docs/error-rates.md)


@frozen
class Interval:
    """One mean (or sum, or geometric mean): its interval, and what it is with one query left out.

    `query_low` is the query without which the mean is smallest, `query_high` that without which
    it is largest. What cannot be told is None, and `MeanIntervals.notes` say why.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    loo_low: float | None = None
    loo_high: float | None = None
    query_low: str | None = None
    query_high: str | None = None
    kind: Aggregation = "mean"
    method: str | None = None  # how the interval was found; None where there is none to find

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
        data = to_plain_data(self)
        return {"kind": data.pop("kind"), **data, "moved_by": self.influential_query}


@frozen(eq=False, repr=False)
class MeanIntervals(Shown):
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
            "method": self.method,
            "resamples": self.resamples,
            "seed": self.seed,
            "measures": {name: interval.to_dict() for name, interval in self.intervals.items()},
            "notes": list(self.notes),
        }

    @property
    def method(self) -> str:
        """How intervals were found: by t below 25 queries, else by drawing queries again."""
        methods = {interval.method for interval in self.intervals.values() if interval.method}
        return " and ".join(sorted(methods)) or INTERVALS["BCa"]

    def page(self, *, verbose: bool = False) -> Page:
        """A table of intervals."""
        return mean_intervals_page([self], verbose=verbose)


class RunMeanIntervals(ShownByRun[MeanIntervals]):
    """The intervals of several runs by name."""

    def page(self, *, verbose: bool = False) -> Page:
        """The intervals of all runs."""
        return mean_intervals_page(list(self.values()), verbose=verbose)


@overload
def mean_intervals(
    results: RunValues, level: float = ..., *, resamples: int = ..., seed: int = ...
) -> MeanIntervals: ...


@overload
def mean_intervals(
    results: Mapping[str, RunValues], level: float = ..., *, resamples: int = ..., seed: int = ...
) -> RunMeanIntervals: ...


def mean_intervals(
    results: RunValues | Mapping[str, RunValues],
    level: float = DEFAULT_LEVEL,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> MeanIntervals | RunMeanIntervals:
    """How much does each mean depend on the queries that happen to be asked?

    Args:
        results: what `evaluate` returned, of a run or of several.
        level: of the interval, in per cent: 1 to 99.99.
        resamples: how often queries are drawn again.
        seed: where chance begins; the same seed gives the same interval.

    Returns:
        `MeanIntervals`: by measure the interval of the mean and its range with one query left out.
        A geometric mean is treated as the mean of logarithms that it is; a sum has an interval, but
        no range. Of several runs `RunMeanIntervals`, which is a dict of them by name.

    Examples:
        >>> from gainful import evaluate
        >>> judged = {"1": ["a"], "2": ["b"], "3": ["c"]}
        >>> run = {"1": ["a"], "2": ["x", "b"], "3": ["x", "y", "c"]}
        >>> interval = mean_intervals(evaluate(judged, run, "RR")).intervals["RR"]
        >>> round(interval.mean, 4), round(interval.loo_low, 4), round(interval.loo_high, 4)
        (0.6111, 0.4167, 0.75)
        >>> interval.influential_query
        '1'
    """
    resampling = resampling_for_level(level, resamples=resamples, seed=seed)
    if isinstance(results, Mapping) and results:
        all_intervals = {
            name: mean_intervals(run, level, resamples=resamples, seed=seed)
            for name, run in results.items()
        }
        return RunMeanIntervals(all_intervals)
    if not isinstance(results, RunValues):
        raise WrongType("results", results, "what gainful.evaluate returned")
    intervals, notes = {}, []
    for name, recipe in results.recipes.items():
        values = values_by_query(results, name)
        intervals[name], reason = _mean_interval(values, recipe.entry, resampling)
        notes += [f"{name}: {reason}"] if reason else []
    turns = describe_turns(results.queries, takes_clusters=False)
    notes += [] if turns is None else [turns]
    return MeanIntervals(results.name, float(level), resamples, seed, intervals, tuple(notes))


def resampling_for_level(level: Any, *, resamples: int = RESAMPLES, seed: int = SEED) -> Resampling:
    """How queries are drawn again; a level that is none is refused."""
    if not is_number(level):
        raise WrongType("the level of the interval", level, "a number from 1 to 99.99")
    if not _LOWEST_LEVEL <= float(level) <= _HIGHEST_LEVEL:
        raise BadValue("the level of the interval", level, "1 to 99.99 (per cent), such as 95")
    return Resampling(alpha=1 - float(level) / 100, resamples=resamples, seed=seed)


def _mean_interval(
    query_values: Mapping[str, float], entry: Entry, resampling: Resampling
) -> tuple[Interval, str]:
    """The interval of one mean, and why it is not all there."""
    values, kind = np.array(list(query_values.values())), entry.aggregation
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
        method, reason = None, "every query has the same value, so the interval is a point"
    else:
        by_t = len(values) < FEWEST_DRAWN
        ends = _t_ends(values, entry, resampling) if by_t else _bootstrap_ends(values, resampling)
        low, high = _aggregate_ends(ends, kind, len(values))
        method, reason = T_INTERVAL if by_t else INTERVALS["BCa"], ""
    if kind == "sum":
        reason = reason or "a sum is less without a query anyway: no range"
        return Interval(mean, low, high, kind=kind, method=method), reason
    without_one = _leave_one_out(values, kind, list(query_values))
    return Interval(mean, low, high, *without_one, kind=kind, method=method), reason


def _t_ends(values: Array, entry: Entry, resampling: Resampling) -> tuple[float, float]:
    """The t interval of the mean, but not beyond what values can be."""
    scale = _nearest_power(values)
    low, high = (end[0] * scale for end in t_interval(values[:, None] / scale, resampling.alpha))
    is_positive = not (entry.signed or entry.registered or entry.aggregation == "geometric")
    if is_positive and values.min() >= 0:
        low = max(low, 0.0)
    most = 0.0 if entry.aggregation == "geometric" else 1.0  # the logarithm of 1 is 0
    if entry.bounded and values.max() <= most:
        high = min(high, most)
    return float(low), float(high)


def _bootstrap_ends(values: Array, resampling: Resampling) -> tuple[float, float]:
    scale = _nearest_power(values)
    outcome = bca_bootstrap(values[:, None] / scale, resampling)
    # No mean of drawn queries is beyond them all, but for rounding.
    low, high = sorted(
        float(np.clip(end[0] * scale, values.min(), values.max()))
        for end in (outcome.low, outcome.high)
    )
    return low, high


def _nearest_power(values: Array) -> float:
    """A scale near the largest: of numbers near 1 no power is too large or too small.

    It is a power of two, which changes no digit.
    """
    return float(np.exp2(np.ceil(np.log2(np.abs(values).max()))))


def _aggregate_ends(
    ends: tuple[float, float], kind: Aggregation, number: int
) -> tuple[float, float]:
    """The interval of a sum or of a geometric mean, from that of the mean that it is made of."""
    if kind == "sum":
        return ends[0] * number, ends[1] * number
    if kind == "geometric":
        return float(np.exp(ends[0])), float(np.exp(ends[1]))
    return ends


def _leave_one_out(
    values: Array, kind: Aggregation, names: list[str]
) -> tuple[float, float, str, str]:
    """The smallest and largest mean without one query, and which query that is.

    The mean is smallest without the largest value, so two means are all that is to be computed.
    """
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    low, high = (aggregate(np.delete(values, at), kind) for at in (best, worst))
    return low, high, names[best], names[worst]


def mean_intervals_page(all_intervals: Sequence[MeanIntervals], *, verbose: bool = False) -> Page:
    """The intervals of one run or of several."""
    return Page(
        answer=describe_interval(all_intervals),
        sections=[Section(table=build_table(all_intervals))],
        notes=list_footnotes(all_intervals, verbose=verbose),
        rows=lambda: _list_rows(all_intervals),
        data=lambda: {
            run_intervals.run: run_intervals.to_dict() for run_intervals in all_intervals
        },
    )


def _list_rows(all_intervals: Sequence[MeanIntervals]) -> Table:
    """A row for each run and measure, at full precision."""
    rows = [
        (
            run_intervals.run,
            name,
            *(data[part] for part in ("mean", *_NUMBER_FIELDS, *_QUERY_FIELDS)),
        )
        for run_intervals in all_intervals
        for name, data in run_intervals.to_dict()["measures"].items()
    ]
    return Table(("run", "measure", "mean", *_NUMBER_FIELDS, *_QUERY_FIELDS), rows, numeric=True)


def build_table(all_intervals: Sequence[MeanIntervals]) -> Table:
    """A row for each run and measure."""
    level = f"{all_intervals[0].level:g} %"
    heads = (
        *("run", "measure", "mean"),
        *(f"{level}\nlow", f"{level}\nhigh"),
        *("without one\nlow", "without one\nhigh", "moved most\nby"),
    )
    rows = [
        (run_intervals.run, measure, *_format_row(interval))
        for run_intervals in all_intervals
        for measure, interval in run_intervals.intervals.items()
    ]
    return Table(
        heads,
        rows,
        numeric=True,
        label_columns=2,
        text_columns=(len(heads) - 1,),
        expendable=heads[:4:-1],
    )


def _format_row(interval: Interval) -> list[str]:
    numbers = (interval.mean, interval.low, interval.high, interval.loo_low, interval.loo_high)
    query = (
        "–" if interval.influential_query is None else shorten(interval.influential_query, _LONGEST)
    )
    decimals = 0 if interval.kind == "sum" else 4
    return [*("–" if value is None else f"{value:.{decimals}f}" for value in numbers), query]


def list_columns(run_intervals: MeanIntervals) -> list[str]:
    """The names of the columns that `list_cells` fills."""
    fields = (*_NUMBER_FIELDS, *_QUERY_FIELDS)
    return [f"{name} {part}" for name in run_intervals.intervals for part in fields]


def list_cells(run_intervals: MeanIntervals) -> list[float | str | None]:
    """The intervals of a run in one row for a program."""
    return [
        getattr(interval, part)
        for interval in run_intervals.intervals.values()
        for part in (*_NUMBER_FIELDS, *_QUERY_FIELDS)
    ]


def describe_interval(all_intervals: Sequence[MeanIntervals]) -> str:
    """How sure is the mean of the first measure? Of one run only: others stand in a table."""
    if len(all_intervals) > 1:
        return ""
    (run_intervals,) = all_intervals
    for measure, interval in run_intervals.intervals.items():
        if interval.low is not None and interval.high is not None and interval.kind != "sum":
            ends = f"{interval.low:.3f} and {interval.high:.3f}"
            return (
                f"With {run_intervals.level:g} % confidence, its mean {measure} is between {ends}."
            )
    return ""


def list_footnotes(
    all_intervals: Sequence[MeanIntervals], *, with_ranges: bool = True, verbose: bool = False
) -> list[str]:
    """How the intervals were found, and why some were not."""
    if not all_intervals:
        return []
    first = all_intervals[0]
    method = (
        f"{first.level:g} % intervals of means: {describe_methods(all_intervals, verbose=verbose)}"
    )
    if with_ranges:
        method += " · without one: the smallest and the largest mean with one query left out"
    return [
        method,
        *(
            f"Note: {run_intervals.run}: {note}"
            for run_intervals in all_intervals
            for note in run_intervals.notes
        ),
    ]


def describe_methods(all_intervals: Sequence[MeanIntervals], *, verbose: bool) -> str:
    """How intervals were found; with how many resamples from which seed if `verbose`."""
    first = all_intervals[0]
    methods = {interval.method for item in all_intervals for interval in item.intervals.values()}
    drawing = "queries drawn again (bootstrap, BCa"
    drawing += f", {first.resamples} resamples, seed {first.seed})" if verbose else ")"
    by_t = f"Student's t, as there are fewer than {FEWEST_DRAWN} queries"
    if T_INTERVAL not in methods:
        return drawing
    return f"{drawing}; {by_t} in some" if INTERVALS["BCa"] in methods else by_t
