"""`Results`: the values of one run, with the convention and the counts that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.convention import Convention
from gainful.measure.entry import Aggregation
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe
from gainful.measure.results_page import results_page, summary_page
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.text import count_noun
from gainful.types import Array


@frozen(eq=False, repr=False)
class Results(Shown):
    """A value for every query and measure.

    `mean` is one number for each measure, `per_query` a frame with a row for each query,
    `to_dict()` all of it as plain data.

    Examples:
        >>> from gainful import evaluate
        >>> results = evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, ["RR", "P@1"])
        >>> results.mean
        {'RR': 0.5, 'P@1': 0.0}
        >>> results
        Results of run, 1 query, like gainful
        RR   0.5000
        P@1  0.0000
        0 missing · 50.0 % of the top 10 unjudged · 0 tied · 0 duplicates
    """

    name: str
    queries: Sequence[str]
    values: Mapping[str, Array]  # by the caller's name of the measure; masked where left out
    recipes: Mapping[str, Recipe]
    convention: Convention
    counts: Mapping[str, float]
    notes: Sequence[str] = field(default=())  # what one should know before believing a value

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures by the caller's names for them."""
        return {name: Measure.from_recipe(recipe) for name, recipe in self.recipes.items()}

    @property
    def mean(self) -> dict[str, float]:
        """One number for each measure: the mean over queries, or the sum of what is counted."""
        return {name: self._aggregate(name) for name in self.values}

    def select_measures(self, names: Sequence[str]) -> Results:
        """Results of some of the measures alone."""
        return evolve(
            self,
            values={name: self.values[name] for name in names},
            recipes={name: self.recipes[name] for name in names},
        )

    def _aggregate(self, name: str) -> float:
        values = np.ma.compressed(np.ma.asarray(self.values[name]))
        return aggregate(values, self.recipes[name].entry.aggregation)

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each query, a column for each measure; null where a query is left out."""
        columns = {
            name: pl.Series(name, _as_list(values), dtype=pl.Float64, strict=False)
            for name, values in self.values.items()
        }
        return pl.DataFrame({"query": pl.Series("query", list(self.queries)), **columns})

    def values_by_query(self) -> dict[str, dict[str, float | None]]:
        """{query: {measure: value}}."""
        columns = [_as_list(values) for values in self.values.values()]
        names = list(self.values)
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(self.queries, zip(*columns, strict=True), strict=True)
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data: dict[str, Any] = {
            "mean": self.mean_or_none(),
            "per_query": self.values_by_query(),
            "convention": self.convention_data(),
            "counts": dict(self.counts),
        }
        return data | ({"notes": list(self.notes)} if self.notes else {})

    def mean_or_none(self) -> dict[str, float | None]:
        """One number for each measure; None where no query counts."""
        return {name: None if np.isnan(value) else value for name, value in self.mean.items()}

    def convention_data(self) -> dict[str, Any]:
        """The convention as plain data, and what the measures are called in full."""
        return {
            "like": self.convention.name,
            **self.convention.settings(),
            "measures": {name: str(measure) for name, measure in self.measures.items()},
        }

    def describe_counts(self) -> str:
        """What was missing, unjudged, tied and duplicated, in a line."""
        counts = self.counts
        parts = [f"{counts['missing']:g} missing"]
        parts += [f"{counts['extra']:g} without judgments"] if counts["extra"] else []
        parts.append(f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged")
        parts += [f"{counts['tied']:g} tied", count_noun(int(counts["duplicates"]), "duplicate")]
        return " · ".join(parts)

    def page(self, *, per_query: bool = False) -> Page:
        """The run by its means, or query by query."""
        return results_page([self], per_query=per_query)

    def summary(self) -> Page:
        """The run in a few lines."""
        return summary_page(self)


def aggregate(values: Array, aggregation: Aggregation) -> float:
    """One number for all queries that count; not a number where none does."""
    if aggregation == "sum":
        return float(values.sum())
    if not values.size:
        return float("nan")
    mean = float(values.mean())
    return float(np.exp(mean)) if aggregation == "geometric" else mean


def _as_list(values: Array) -> list[float | None]:
    return list(np.ma.asarray(values).tolist())
