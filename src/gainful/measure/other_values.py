"""Results out of values that another tool computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import GAINFUL
from gainful.errors import BadValue, GainfulError
from gainful.measure.discount import DISCOUNTS
from gainful.measure.entry import Entry, Recipe
from gainful.measure.gain import GAINS
from gainful.measure.language import parse
from gainful.measure.results import QueryResults
from gainful.measure.values import Results
from gainful.text import count_noun
from gainful.types import Array

_CONVENTION = evolve(GAINFUL, name="another tool")
_COUNTS = dict.fromkeys(("missing", "extra", "unjudged_at_10", "tied", "duplicates"), 0.0)


@frozen
class NamedValue:
    """A measure of which only its name is known."""

    name: str
    k: None = None

    def __str__(self) -> str:
        return self.name


@frozen(eq=False, repr=False, kw_only=True)
class GivenValues(QueryResults):
    """Values of a run by query, of which nothing is known but where they are from."""

    @staticmethod
    def list_counts(results: Sequence[Results], *, verbose: bool) -> list[str]:  # noqa: ARG004
        """How many queries have a value in all runs, and how many in one or more."""
        first, *others = ({*run.ids} for run in results)
        common, known = first.intersection(*others), first.union(*others)
        among = "" if common == known else f"{len(common)} of "
        return [f"values of another tool · {among}{count_noun(len(known), results[0].unit)}"]


def build_results(frame: pl.DataFrame, notes: tuple[str, ...] = ()) -> dict[str, QueryResults]:
    """Results of each run out of run, query, measure and value; a query without one is left out."""
    measures = frame["measure"].unique(maintain_order=True).cast(pl.String).to_list()
    recipes = {name: _describe_measure(name, frame) for name in measures}
    results: dict[str, QueryResults] = {}
    for (run,), part in frame.group_by("run", maintain_order=True):
        ids = part["query"].unique(maintain_order=True)
        place = ids.to_frame().with_row_index("place")
        by_measure: dict[str, Array] = {}
        for name in measures:
            rows = part.filter(pl.col("measure") == name).join(place, on="query")
            values = np.full(len(ids), np.nan)
            values[rows["place"].to_numpy()] = rows["value"].fill_null(np.nan).to_numpy()
            by_measure[name] = np.ma.masked_invalid(values)
        results[str(run)] = GivenValues(
            name=str(run),
            ids=ids.to_list(),
            values=by_measure,
            recipes=recipes,
            convention=_CONVENTION,
            counts=_COUNTS,
            notes=notes,
        )
    return results


def _describe_measure(name: str, frame: pl.DataFrame) -> Recipe:
    """What its name says of a measure if gainful knows it; else what its values show."""
    values = frame.filter(pl.col("measure") == name)["value"]
    lowest: Any = values.min()
    highest: Any = values.max()
    entry = Entry(
        name=name,
        question="",
        definition="computed by another tool",
        function=_refuse_to_compute,
        normalised=False,
        bounded=highest is None or highest <= 1,
        signed=lowest is not None and lowest < 0,
        settings=(),
        cutoff_kind="none",
        registered=True,
    )
    try:
        known = parse(name).entry
        entry = evolve(entry, direction=known.direction, aggregation=known.aggregation)
    except GainfulError:  # a measure of that tool alone
        pass
    return Recipe(
        entry=entry,
        measure=NamedValue(name),
        k=None,
        gain=GAINS["linear"],
        discount=DISCOUNTS["none"],
        convention=_CONVENTION,
        explicit={},
    )


def _refuse_to_compute(*_: Any, **__: Any) -> Array:
    raise BadValue("measure", "values of another tool", "a measure that gainful computes itself")
