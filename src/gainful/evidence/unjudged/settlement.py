"""`Settlement`: which of two runs leads, whether that can still turn, and what to judge first."""

from __future__ import annotations

from typing import Any

import polars as pl
from attrs import field, frozen

from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.text import count_noun

_SHOWN_DOCS = 5  # documents in the short form


@frozen(eq=False, repr=False)
class Settlement:
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

    def __repr__(self) -> str:
        (a, b), (mine, theirs) = self.means, self.names
        head = f"{self.recipe.label} is {a:.4f} for {mine}, {b:.4f} for {theirs}: "
        lines = [
            f"{query} {doc}  {effect:+.4f}"
            for query, doc, *_, effect in self.documents.head(_SHOWN_DOCS).iter_rows()
        ]
        return "\n".join((head + self._verdict(), *lines, *self.notes))

    def _verdict(self) -> str:
        if not self.unjudged:
            return "nothing is unjudged"
        if self.leader is None:
            return "equal by now"
        if self.settled:
            return f"settled, {self.leader} leads"
        about = "" if self.exact else "about "
        state = {False: "can turn", None: "may turn"}[self.settled]
        return f"{state}, {about}{count_noun(self.needed or 0, 'judgment')} would settle it"
