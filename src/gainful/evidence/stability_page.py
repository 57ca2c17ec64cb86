"""The page of stability: a table of intervals, and the columns that programs read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gainful.page.page import Page, Section
from gainful.page.table import Table
from gainful.text import shorten

if TYPE_CHECKING:
    from gainful.evidence.stability import Interval, Stability

_NUMBER_FIELDS = ("low", "high", "loo_low", "loo_high")
_QUERY_FIELDS = ("query_low", "query_high")
_LONGEST = 30  # characters of a query's name


def stability_page(stabilities: Sequence[Stability]) -> Page:
    """The intervals of one run or of several."""
    return Page(
        sections=[Section(table=build_table(stabilities))],
        notes=list_footnotes(stabilities),
        rows=lambda: _list_rows(stabilities),
        data=lambda: {stability.run: stability.to_dict() for stability in stabilities},
    )


def _list_rows(stabilities: Sequence[Stability]) -> Table:
    """A row for each run and measure, at full precision."""
    rows = [
        (stability.run, name, *(data[part] for part in ("mean", *_NUMBER_FIELDS, *_QUERY_FIELDS)))
        for stability in stabilities
        for name, data in stability.to_dict()["measures"].items()
    ]
    return Table(("run", "measure", "mean", *_NUMBER_FIELDS, *_QUERY_FIELDS), rows, numeric=True)


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


def list_columns(stability: Stability) -> list[str]:
    """The names of the columns that `list_cells` fills."""
    fields = (*_NUMBER_FIELDS, *_QUERY_FIELDS)
    return [f"{name} {part}" for name in stability.intervals for part in fields]


def list_cells(stability: Stability) -> list[float | str | None]:
    """The intervals of a run in one row for a program."""
    return [
        getattr(interval, part)
        for interval in stability.intervals.values()
        for part in (*_NUMBER_FIELDS, *_QUERY_FIELDS)
    ]


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
