"""The page of bounds: how far unjudged documents could move the values of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gainful.measure.results_page import list_footnotes as list_result_footnotes
from gainful.page.page import Page, Section
from gainful.page.table import Table
from gainful.text import count_noun

if TYPE_CHECKING:
    from gainful.evidence.unjudged.bounds import Bounds

_BOUND_KINDS = {True: "exact", False: "outer"}
_KIND_WORDS = {
    True: "exact: some grading gives just that",
    False: "outer: no grading passes that",
}
_COLUMNS = ("bounds", "low", "value", "high")


def bounds_page(
    bounds: Sequence[Bounds], data: Callable[[], Any], *, per_query: bool = False
) -> Page:
    """A row for each run and measure, or for each query of them."""
    table = _build_query_table(bounds) if per_query else _build_run_table(bounds)
    return Page(
        sections=[Section(table=table)],
        notes=_list_footnotes(bounds, per_query=per_query),
        rows=lambda: table,
        data=data,
    )


def summary_page(bounds: Bounds) -> Page:
    """One run in a few lines, for a prompt or a notebook."""
    queries, grades = count_noun(len(bounds.queries), "query"), _join_grades(bounds.grades)
    headline = f"Bounds of {bounds.name}, {queries}, "
    headline += f"like {bounds.convention.name}; grades that may be given: {grades}"
    width = max(map(len, bounds.limits), default=0)
    lines = [
        f"{name:<{width}}  {_format_value(value)}  in {_format_value(low)} … "
        f"{_format_value(high)} ({_BOUND_KINDS[bounds.exact[name]]})"
        for name, (low, value, high) in bounds.mean.items()
    ]
    return Page(
        sections=[
            Section(lines=(headline, *lines, *bounds.notes), forms=("table",)),
            Section(headline, _build_run_table([bounds]), list(bounds.notes), forms=("html",)),
        ]
    )


def describe_grades(grades: Sequence[float]) -> str:
    """The grades that may be given, in words."""
    return f"grade{'s' if len(grades) > 1 else ''} {_join_grades(grades)}"


def _join_grades(grades: Sequence[float]) -> str:
    return ", ".join(f"{grade:g}" for grade in grades)


def _build_run_table(bounds: Sequence[Bounds]) -> Table:
    rows = [
        (
            run_bounds.name,
            name,
            _BOUND_KINDS[run_bounds.exact[name]],
            *ends,
            run_bounds.condensed[name],
            int(run_bounds.unjudged[name].sum()),
        )
        for run_bounds in bounds
        for name, ends in run_bounds.mean.items()
    ]
    columns = ("run", "measure", *_COLUMNS, "condensed", "unjudged")
    return Table(columns, rows, numeric=True, label_columns=3)


def _build_query_table(bounds: Sequence[Bounds]) -> Table:
    rows = [
        (
            run_bounds.name,
            row["measure"],
            row["query"],
            _BOUND_KINDS[row["exact"]],
            row["low"],
            row["value"],
            row["high"],
            row["unjudged"],
        )
        for run_bounds in bounds
        for row in run_bounds.per_query.iter_rows(named=True)
    ]
    columns = ("run", "measure", "query", *_COLUMNS, "unjudged")
    return Table(columns, rows, numeric=True, label_columns=4)


def _list_footnotes(bounds: Sequence[Bounds], *, per_query: bool) -> list[str]:
    """What the columns mean, what was assumed, and what one should know."""
    kinds = {exact for run_bounds in bounds for exact in run_bounds.exact.values()}
    meaning = "; ".join(_KIND_WORDS[exact] for exact in (True, False) if exact in kinds)
    bounds_note = (
        f"low and high: the smallest and the largest {'value' if per_query else 'mean'} if every "
        f"unjudged document had one of the {describe_grades(bounds[0].grades)}, the ideal "
        f"changing with them ({meaning})"
    )
    condensed_note = (
        "condensed: the mean if unjudged documents are taken out and the others move up · "
    )
    unjudged_note = "unjudged: documents, as far down as the measure looks"
    own_notes = [
        f"Note: {run_bounds.name}: {note}"
        for run_bounds in bounds
        for note in run_bounds.notes
        if note not in run_bounds.results.notes
    ]
    return [
        bounds_note,
        unjudged_note if per_query else condensed_note + unjudged_note,
        *list_result_footnotes([run_bounds.results for run_bounds in bounds]),
        *own_notes,
    ]


def _format_value(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
