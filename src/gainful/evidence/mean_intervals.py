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
from gainful.evidence.find_interval import (
    FEWEST_DRAWN,
    MANY_INTERVAL,
    Averaged,
    Interval,
    find_intervals,
)
from gainful.evidence.pairing import values_by_query
from gainful.evidence.statistics.bootstrap import INTERVALS
from gainful.evidence.statistics.paired_tests import T_INTERVAL
from gainful.evidence.statistics.resampling import DEFAULT_LEVEL, RESAMPLES, SEED, Resampling
from gainful.measure.run_values import RunValues
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, ShownByRun
from gainful.page.table import Table
from gainful.text import pluralise, shorten
from gainful.types import is_number

_LOWEST_LEVEL, _HIGHEST_LEVEL = 1.0, 99.99
_NUMBER_FIELDS = ("low", "high", "loo_low", "loo_high")
_QUERY_FIELDS = ("query_low", "query_high")
_LONGEST = 30  # characters of a query's name


@frozen(eq=False, repr=False)
class MeanIntervals(Shown):
    """The intervals of all means of a run, and how they were found."""

    run: str
    level: float  # per cent
    resamples: int
    seed: int
    intervals: Mapping[str, Interval]  # by measure
    notes: tuple[str, ...] = ()
    kind: str = "run"  # whose means they are
    unit: str = "query"  # what has a value
    drawn: str = "query"  # what is drawn again: units, or what these belong to, such as searchers

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
    averaged = [
        Averaged(np.array(list(values.values())), list(values), recipe.entry)
        for name, recipe in results.recipes.items()
        for values in [values_by_query(results, name)]
    ]
    intervals, reasons = zip(*find_intervals(averaged, resampling), strict=True)
    by_measure = dict(zip(results.recipes, intervals, strict=True))
    notes = [f"{name}: {why}" for name, why in zip(by_measure, reasons, strict=True) if why]
    turns = describe_turns(results.queries, takes_clusters=False)
    notes += [] if turns is None else [turns]
    return MeanIntervals(results.name, float(level), resamples, seed, by_measure, tuple(notes))


def resampling_for_level(level: Any, *, resamples: int = RESAMPLES, seed: int = SEED) -> Resampling:
    """How queries are drawn again; a level that is none is refused."""
    if not is_number(level):
        raise WrongType("the level of the interval", level, "a number from 1 to 99.99")
    if not _LOWEST_LEVEL <= float(level) <= _HIGHEST_LEVEL:
        raise BadValue("the level of the interval", level, "1 to 99.99 (per cent), such as 95")
    return Resampling(alpha=1 - float(level) / 100, resamples=resamples, seed=seed)


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
        *(all_intervals[0].kind, "measure", "mean"),
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
        most = f"the smallest and the largest mean with one {first.unit} left out"
        method += f" · without one: {most}"
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
    drawn = pluralise(first.drawn)
    whole = "" if first.drawn == first.unit else "whole "
    drawing = f"{whole}{drawn} drawn again (bootstrap, BCa"
    drawing += f", {first.resamples} resamples, seed {first.seed})" if verbose else ")"
    student = "Student's t, as there are"
    words = {
        INTERVALS["BCa"]: drawing,
        T_INTERVAL: f"{student} fewer than {FEWEST_DRAWN} {drawn}",
        MANY_INTERVAL: f"{student} so many {drawn}",
    }
    methods = {interval.method for item in all_intervals for interval in item.intervals.values()}
    used = [words[method] for method in words if method in methods] or [drawing]
    return "; ".join([used[0], *(f"{other} in some" for other in used[1:])])
