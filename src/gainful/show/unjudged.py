"""How far unjudged documents could move the values of runs, as rows and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gainful.evidence.unjudged.bounds import Bounds
from gainful.show import results
from gainful.show.rows import Rows

_BOUND_KINDS = {True: "exact", False: "outer"}
_COLUMNS = ("bounds", "low", "value", "high")


def build_run_rows(bounds: Sequence[Bounds]) -> Rows:
    """A row for each run and measure."""
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
    return Rows(("run", "measure", *_COLUMNS, "condensed", "unjudged"), rows, label_columns=3)


def build_query_rows(bounds: Sequence[Bounds]) -> Rows:
    """A row for each run, measure and query."""
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
    return Rows(("run", "measure", "query", *_COLUMNS, "unjudged"), rows, label_columns=4)


def list_footnotes(bounds: Sequence[Bounds], *, per_query: bool = False) -> list[str]:
    """What the columns mean, what was assumed, and what one should know."""
    kinds = {exact for run_bounds in bounds for exact in run_bounds.exact.values()}
    kind_words = {
        True: "exact: some grading gives just that",
        False: "outer: no grading passes that",
    }
    meaning = "; ".join(kind_words[exact] for exact in (True, False) if exact in kinds)
    bounds_note = (
        f"low and high: the smallest and the largest {'value' if per_query else 'mean'} if every "
        f"unjudged document had one of the {format_grades(bounds[0].grades)}, the ideal changing with them "
        f"({meaning})"
    )
    condensed_note = (
        "condensed: the mean if unjudged documents are taken out and the others move up · "
    )
    unjudged_note = "unjudged: documents, as far down as the measure looks"
    extra_notes = [
        f"Note: {run_bounds.name}: {note}"
        for run_bounds in bounds
        for note in run_bounds.notes
        if note not in run_bounds.results.notes
    ]
    result_notes = results.list_footnotes([run_bounds.results for run_bounds in bounds])
    return [
        bounds_note,
        unjudged_note if per_query else condensed_note + unjudged_note,
        *result_notes,
        *extra_notes,
    ]


def format_grades(grades: Sequence[float]) -> str:
    """The grades that may be given, in words."""
    text = ", ".join(f"{grade:g}" for grade in grades)
    return f"grades {text}" if len(grades) > 1 else f"grade {text}"


def to_dict(bounds: Sequence[Bounds]) -> dict[str, Any]:
    """All of it as data."""
    return {"runs": [run_bounds.to_dict() for run_bounds in bounds]}
