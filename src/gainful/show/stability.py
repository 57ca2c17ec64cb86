"""How sure a mean is: a table of intervals, and the columns that programs read."""

from __future__ import annotations

from collections.abc import Sequence

from gainful.evidence.stability import Interval, Stability
from gainful.show.table import Table
from gainful.text import shorten

_NUMBER_FIELDS = ("low", "high", "loo_low", "loo_high")
_QUERY_FIELDS = ("query_low", "query_high")
_LONGEST = 30  # characters of a query's name


def build_table(stabilities: Sequence[Stability]) -> Table:
    """A row for each run and measure."""
    level = f"{stabilities[0].level:g} %"
    heads = (
        *("run", "measure", "mean"),
        *(f"{level}\nlow", f"{level}\nhigh"),
        *("without one\nlow", "without one\nhigh", "moved most\nby"),
    )
    rows = [
        (stability.run, measure, *_format_row(interval))
        for stability in stabilities
        for measure, interval in stability.intervals.items()
    ]
    return Table(heads, rows, numeric=True, label_columns=2, text_columns=(len(heads) - 1,))


def _format_row(interval: Interval) -> list[str]:
    numbers = (interval.mean, interval.low, interval.high, interval.loo_low, interval.loo_high)
    query = (
        "–" if interval.influential_query is None else shorten(interval.influential_query, _LONGEST)
    )
    decimals = 0 if interval.kind == "sum" else 4
    return [*("–" if value is None else f"{value:.{decimals}f}" for value in numbers), query]


def list_columns(stabilities: Sequence[Stability]) -> list[str]:
    """What the columns of `format_cells` are called; nothing where there is nothing."""
    names = stabilities[0].intervals if stabilities else ()
    return [f"{name} {part}" for name in names for part in (*_NUMBER_FIELDS, *_QUERY_FIELDS)]


def format_cells(stability: Stability) -> list[str]:
    """The intervals of a run for a program; what is not there is empty."""
    interval_dicts = [interval.to_dict() for interval in stability.intervals.values()]
    return [
        _format_exact(interval[part]) if part in _NUMBER_FIELDS else interval[part] or ""
        for interval in interval_dicts
        for part in (*_NUMBER_FIELDS, *_QUERY_FIELDS)
    ]


def _format_exact(value: float | None) -> str:
    return "" if value is None else repr(value)


def list_footnotes(stabilities: Sequence[Stability], *, with_ranges: bool = True) -> list[str]:
    """How the intervals were found, and why some were not."""
    if not stabilities:
        return []
    first = stabilities[0]
    method = (
        f"{first.level:g} % intervals of means: queries drawn again (bootstrap, BCa, "
        f"{first.resamples} resamples, seed {first.seed})"
    )
    if with_ranges:
        method += " · without one: the smallest and the largest mean with one query left out"
    return [
        method,
        *(
            f"Note: {stability.run}: {note}"
            for stability in stabilities
            for note in stability.notes
        ),
    ]
