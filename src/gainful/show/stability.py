"""How sure a mean is: a table of intervals, and the columns that programs read."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.errors import short
from gainful.evidence.stability import Interval, Stability
from gainful.show.table import Table

_NUMBERS = ("low", "high", "loo_low", "loo_high")
_QUERIES = ("query_low", "query_high")
_LONGEST = 30  # characters of a query's name


def table(stable: Sequence[Stability]) -> Table:
    """A row for each run and measure."""
    level = f"{stable[0].level:g} %"
    heads = (
        *("run", "measure", "mean"),
        *(f"{level}\nlow", f"{level}\nhigh"),
        *("without one\nlow", "without one\nhigh", "moved most\nby"),
    )
    rows = [
        (one.run, measure, *_row(interval))
        for one in stable
        for measure, interval in one.intervals.items()
    ]
    return Table(heads, rows, numbers=True, words=2, text=(len(heads) - 1,))


def _row(one: Interval) -> list[str]:
    numbers = (one.mean, one.low, one.high, one.loo_low, one.loo_high)
    query = "–" if one.moved_by is None else short(one.moved_by, _LONGEST)
    decimals = 0 if one.kind == "sum" else 4
    return [*("–" if value is None else f"{value:.{decimals}f}" for value in numbers), query]


def columns(stable: Sequence[Stability]) -> list[str]:
    """What the columns of `cells` are called; nothing where there is nothing."""
    names = stable[0].intervals if stable else ()
    return [f"{name} {part}" for name in names for part in (*_NUMBERS, *_QUERIES)]


def cells(one: Stability) -> list[str]:
    """The intervals of a run for a program; what is not there is empty."""
    told = [interval.to_dict() for interval in one.intervals.values()]
    return [
        _exact(interval[part]) if part in _NUMBERS else interval[part] or ""
        for interval in told
        for part in (*_NUMBERS, *_QUERIES)
    ]


def _exact(value: float | None) -> str:
    return "" if value is None else repr(value)


def said(stable: Sequence[Stability], *, ranges: bool = True) -> list[str]:
    """How the intervals were found, and why some were not."""
    if not stable:
        return []
    first = stable[0]
    how = (
        f"{first.level:g} % intervals of means: queries drawn again (bootstrap, BCa, "
        f"{first.resamples} resamples, seed {first.seed})"
    )
    if ranges:
        how += " · without one: the smallest and the largest mean with one query left out"
    return [how, *(f"Note: {one.run}: {note}" for one in stable for note in one.notes)]
