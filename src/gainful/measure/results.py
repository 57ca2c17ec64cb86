"""`Results`: the values of one run, with the convention and the counts that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import field, frozen

from gainful.convention import Convention
from gainful.errors import counted
from gainful.formula import Array
from gainful.measure.entry import Mean
from gainful.measure.measure import Measure
from gainful.measure.notebook import Shown
from gainful.measure.recipe import Recipe


@frozen(eq=False, repr=False)
class Results:
    """A value for every query and measure.

    `mean` is one number for each measure, `per_query` a frame with a row for each query,
    `to_dict()` all of it as plain data.

    Examples:
        >>> from gainful import evaluate
        >>> found = evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, ["RR", "P@1"])
        >>> found.mean
        {'RR': 0.5, 'P@1': 0.0}
        >>> found
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
        return {name: recipe.measure for name, recipe in self.recipes.items()}

    @property
    def mean(self) -> dict[str, float]:
        """One number for each measure: the mean over queries, or the sum of what is counted."""
        return {name: self._one(name) for name in self.values}

    def _one(self, name: str) -> float:
        values = np.ma.compressed(np.ma.asarray(self.values[name]))
        return as_one(values, self.recipes[name].measure.entry.mean)

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each query, a column for each measure; null where a query is left out."""
        columns = {
            name: pl.Series(name, _plain(values), dtype=pl.Float64, strict=False)
            for name, values in self.values.items()
        }
        return pl.DataFrame({"query": pl.Series("query", list(self.queries)), **columns})

    def by_query(self) -> dict[str, dict[str, float | None]]:
        """{query: {measure: value}}."""
        columns = [_plain(values) for values in self.values.values()]
        names = list(self.values)
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(self.queries, zip(*columns, strict=True), strict=True)
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        mean = {name: None if np.isnan(value) else value for name, value in self.mean.items()}
        found: dict[str, Any] = {
            "mean": mean,
            "per_query": self.by_query(),
            "convention": {
                "like": self.convention.name,
                **self.convention.settings(),
                "measures": {name: str(measure) for name, measure in self.measures.items()},
            },
            "counts": dict(self.counts),
        }
        return found | ({"notes": list(self.notes)} if self.notes else {})

    def counted(self) -> str:
        """What was missing, unjudged, tied and duplicated, in a line."""
        counts = self.counts
        told = [f"{counts['missing']:g} missing"]
        told += [f"{counts['extra']:g} without judgments"] if counts["extra"] else []
        told.append(f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged")
        told += [f"{counts['tied']:g} tied", counted(int(counts["duplicates"]), "duplicate")]
        return " · ".join(told)

    def __repr__(self) -> str:
        wide = max(map(len, self.values), default=0)
        lines = [f"{name:<{wide}}  {value:.4f}" for name, value in self.mean.items()]
        return "\n".join((self._head(), *lines, self.counted(), *self.notes))

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _repr_latex_(self) -> str:
        return self._shown().latex()

    def _shown(self) -> Shown:
        kinds = {name: recipe.measure.entry.mean for name, recipe in self.recipes.items()}
        rows = [
            (name, "–" if np.isnan(value) else f"{value:.{0 if kinds[name] == 'sum' else 4}f}")
            for name, value in self.mean.items()
        ]
        notes = (self.counted(), *self.notes)
        return Shown(self._head(), ("measure", "mean"), rows, notes=notes)

    def _head(self) -> str:
        queries = counted(len(self.queries), "query")
        return f"Results of {self.name}, {queries}, like {self.convention.name}"


def as_one(values: Array, how: Mean) -> float:
    """One number for all queries that count; not a number where none does."""
    if how == "sum":
        return float(values.sum())
    if not values.size:
        return float("nan")
    mean = float(values.mean())
    return float(np.exp(mean)) if how == "geometric" else mean


def _plain(values: Array) -> list[float | None]:
    return list(np.ma.asarray(values).tolist())
