"""`Settlement`: which of two runs leads, whether that can still turn, and what to judge first."""

from __future__ import annotations

from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.evidence.unjudged.settlement_page import settlement_page, summary_page
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.page.page import Page
from gainful.page.shown import Shown


@frozen(eq=False, repr=False)
class Settlement(Shown):
    """Two runs by one measure: who leads, can it turn, how many judgments would settle it?

    `settled` is True where no grading of the unjudged documents takes the lead away, False where
    one does, None where neither is known. `needed` is how many documents to judge, if they turn
    out to be worth what they count for now; `exact` says whether that number is certain or an
    estimate. `documents` are those to judge, the most useful ones first.
    """

    names: tuple[str, str]
    sides: tuple[Results, Results]
    measure_name: str  # the caller's name of the measure
    means: tuple[float, float]  # over the queries that count in both runs
    queries: int
    grades: tuple[float, ...]
    low: float | None  # of the difference, over all gradings; None where that is not known
    high: float | None
    reached: bool  # is there a grading for either end?
    settled: bool | None
    needed: int | None  # None where neither run leads
    exact: bool
    unjudged: int  # documents of either run
    documents: pl.DataFrame  # query, doc, rank in either run, effect on the difference
    notes: tuple[str, ...] = field(default=())

    @property
    def recipe(self) -> Recipe:
        """The measure, everything settled."""
        return self.sides[0].recipes[self.measure_name]

    @property
    def difference(self) -> float:
        """How far the first run is ahead of the second."""
        return self.means[0] - self.means[1]

    @property
    def leader(self) -> str | None:
        """The run that leads by now; None where they are equal."""
        if self.needed is None:
            return None
        return self.names[0] if self.difference > 0 else self.names[1]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": self.recipe.label,
            "means": dict(zip(self.names, self.means, strict=True)),
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "reached": self.reached,
            "queries": self.queries,
            "leader": self.leader,
            "settled": self.settled,
            "needed": self.needed,
            "exact": self.exact,
            "unjudged": self.unjudged,
            "grades": list(self.grades),
            "convention": {
                "like": self.recipe.convention.name,
                **self.recipe.convention.settings(),
            },
            "documents": [
                {
                    "query": row["query"],
                    "doc": row["doc"],
                    "ranks": {
                        self.names[0]: row["rank_first"],
                        self.names[1]: row["rank_second"],
                    },
                    "effect": row["effect"],
                }
                for row in self.documents.to_dicts()
            ],
            "notes": list(self.notes),
        }

    def page(self, *, first: int = 20) -> Page:
        """The lead in sentences, and so many documents to judge first."""
        return settlement_page(self, first)

    def summary(self) -> Page:
        """The lead in a line, and the first documents."""
        return summary_page(self)
