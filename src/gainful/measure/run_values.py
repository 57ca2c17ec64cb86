"""`RunValues`: the values of one run, with the convention and the counts that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from gainful.convention import Convention
from gainful.measure.entry import Aggregation
from gainful.measure.measured_values import MeasuredValues
from gainful.measure.recipe import Recipe
from gainful.types import Array


@frozen(eq=False, repr=False, kw_only=True)
class RunValues(MeasuredValues[Recipe, Convention]):
    """A value for every query and measure."""

    UNIT: ClassVar[str] = "query"
    TITLE: ClassVar[str] = "Results"

    queries: Sequence[str]
    counts: Mapping[str, float]
    notes: Sequence[str] = ()
    numeric_queries: bool = False  # were queries whole numbers in the frame that they came from?

    @property
    def ids(self) -> Sequence[str]:
        """The queries."""
        return self.queries

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each query, a column for each measure; null where a query is left out.

        Queries that were whole numbers in a frame are so here, to be joined with it.
        """
        frame = self.tabulate()
        numbers = frame["query"].cast(pl.Int64, strict=False)
        whole = self.numeric_queries and not numbers.null_count()
        return frame.with_columns(numbers) if whole else frame

    def values_by_query(self) -> dict[str, dict[str, float | None]]:
        """{query: {measure: value}}; None where a query is left out."""
        return self.values_by_id()

    def mean_of(self, name: str) -> float:
        """The mean of a measure over queries, or the sum of what is counted."""
        values = np.ma.compressed(np.ma.asarray(self.values[name]))
        return aggregate(values, self.recipes[name].entry.aggregation)

    def recipe_data(self, name: str) -> str:
        """The measure in full."""
        return str(self.measures[name])

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data: dict[str, Any] = {
            "mean": self.mean_or_none(),
            "per_query": self.values_by_id(),
            "convention": self.convention_data(),
            "counts": dict(self.counts),
        }
        return data | ({"notes": list(self.notes)} if self.notes else {})


def aggregate(values: Array, aggregation: Aggregation) -> float:
    """One number for all queries that count; not a number where none does."""
    if aggregation == "sum":
        return float(values.sum())
    if not values.size:
        return float("nan")
    mean = float(values.mean())
    return float(np.exp(mean)) if aggregation == "geometric" else mean
