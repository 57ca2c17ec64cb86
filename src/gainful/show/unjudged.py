"""How far unjudged documents could move the values of runs, as rows and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gainful.evidence.unjudged.bounds import Bounds
from gainful.show import results
from gainful.show.rows import Rows

_BOUNDS = {True: "exact", False: "outer"}
_COLUMNS = ("bounds", "low", "value", "high")


def by_run(found: Sequence[Bounds]) -> Rows:
    """A row for each run and measure."""
    rows = [
        (
            one.name,
            name,
            _BOUNDS[one.exact[name]],
            *ends,
            one.condensed[name],
            int(one.unjudged[name].sum()),
        )
        for one in found
        for name, ends in one.mean.items()
    ]
    return Rows(("run", "measure", *_COLUMNS, "condensed", "unjudged"), rows, words=3)


def per_query(found: Sequence[Bounds]) -> Rows:
    """A row for each run, measure and query."""
    rows = [
        (
            one.name,
            row["measure"],
            row["query"],
            _BOUNDS[row["exact"]],
            row["low"],
            row["value"],
            row["high"],
            row["unjudged"],
        )
        for one in found
        for row in one.per_query.iter_rows(named=True)
    ]
    return Rows(("run", "measure", "query", *_COLUMNS, "unjudged"), rows, words=4)


def said(found: Sequence[Bounds], *, per_query: bool = False) -> list[str]:
    """What the columns mean, what was assumed, and what one should know."""
    kinds = {exact for one in found for exact in one.exact.values()}
    words = {True: "exact: some grading gives just that", False: "outer: no grading passes that"}
    meaning = "; ".join(words[exact] for exact in (True, False) if exact in kinds)
    ends = (
        f"low and high: the smallest and the largest {'value' if per_query else 'mean'} if every "
        f"unjudged document had one of the {grades(found[0].grades)}, the ideal changing with them "
        f"({meaning})"
    )
    condensed = "condensed: the mean if unjudged documents are taken out and the others move up · "
    down = "unjudged: documents, as far down as the measure looks"
    odd = [
        f"Note: {one.name}: {note}"
        for one in found
        for note in one.notes
        if note not in one.results.notes
    ]
    known = results.said([one.results for one in found])
    return [ends, down if per_query else condensed + down, *known, *odd]


def grades(given: Sequence[float]) -> str:
    """The grades that may be given, in words."""
    told = ", ".join(f"{grade:g}" for grade in given)
    return f"grades {told}" if len(given) > 1 else f"grade {told}"


def to_dict(found: Sequence[Bounds]) -> dict[str, Any]:
    """All of it as data."""
    return {"runs": [one.to_dict() for one in found]}
