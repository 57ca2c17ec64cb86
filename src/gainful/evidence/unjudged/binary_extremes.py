"""The extremes of measures that see of a grade only whether it is relevant.

How many open documents are relevant is tried out, from none to all of them: for the largest
value those that stand highest, for the smallest those that stand lowest.
"""

from __future__ import annotations

import numpy as np
from attrs import define, field

from gainful.evidence.unjudged.gradable_run import GradableRun
from gainful.measure.recipe import Recipe
from gainful.rounding import ROUNDING
from gainful.types import Array, Flags, Ranks, slices

_FIRST_COUNTS = 5  # counts that are looked at to begin with, besides none, one and all
_BATCH_GRADES = 200_000  # grades that are laid out together


@define(eq=False)
class _CountSearch:
    """One end of one query: counts that were tried, and what came of them."""

    query: int
    order: Ranks  # open documents, in the order in which they become relevant
    judged_relevant: int  # relevant documents of the pool
    sign: float  # 1 for the largest value, -1 for the smallest
    values: dict[int, float] = field(factory=dict)

    def best_value(self) -> float:
        """The largest (smallest) value so far."""
        signed_values = [self.sign * value for value in self.values.values() if not np.isnan(value)]
        return self.sign * max(signed_values) if signed_values else float("nan")

    def next_counts(self) -> list[int]:
        """Counts between two that were tried, where there could be something better.

        What was reached and what was possible both grow with the count, the latter no faster than
        the number of relevant documents: so between two counts no value passes what the one end
        reaches of what is possible at the other.
        """
        tried = np.array(sorted(self.values))
        value = np.array([self.values[count] for count in tried.tolist()])
        low, high = tried[:-1], tried[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = (self.judged_relevant + high) / (self.judged_relevant + low)
            bound = value[1:] * growth if self.sign > 0 else value[:-1] / growth
        best = self.best_value()
        better = self.sign * (bound - best) > ROUNDING * abs(best)
        promising = (high > low + 1) & (better | np.isnan(bound))
        counts: list[int] = ((low + high) // 2)[promising].tolist()
        return counts

    def build_gradings(self, counts: list[int], high: float, low: float) -> Array:
        """The gradings in which so many are relevant."""
        size = len(self.order)
        gradings = np.full((len(counts), size), low)
        gradings[:, self.order] = np.where(np.arange(size) < np.array(counts)[:, None], high, low)
        return gradings


@define(eq=False)
class BinaryExtremes:
    """All queries of a run, and a measure that only asks what is relevant."""

    gradable: GradableRun
    recipe: Recipe
    relevant: tuple[float, ...]  # a grade that is, if one may be given
    nonrelevant: tuple[float, ...]  # a grade that is not, if one may be given
    blind: bool  # is a useless document the same to the measure as one without a judgment?
    rel: float

    def extremes(self, queries: Ranks, steps: str) -> dict[int, Array]:
        """For each query the values among which the smallest and the largest are.

        Args:
            queries: which ones.
            steps: which counts are tried: the `ends` only, `every` one, or those that a `share`
                needs, whose possible part grows with the relevant documents.
        """
        rank = self.gradable.doc_ranks(self.recipe.convention)
        searches = [search for query in queries.tolist() for search in self._searches(query, rank)]
        pending = [(search, self._first_counts(search, steps)) for search in searches]
        while pending:
            self._try_counts(pending)
            pending = (
                [(search, search.next_counts()) for search, _ in pending]
                if steps == "share"
                else []
            )
            pending = [(search, counts) for search, counts in pending if counts]
        values_by_query: dict[int, list[float]] = {}
        for search in searches:
            values_by_query.setdefault(search.query, []).extend(search.values.values())
        return {query: np.array(values) for query, values in values_by_query.items()}

    def _searches(self, query: int, rank: Ranks) -> list[_CountSearch]:
        docs = self.gradable.query_docs(query)
        order = np.argsort(rank[docs.row[docs.open]], kind="stable")
        judged_relevant = int(self._is_relevant(docs.grade[~np.isnan(docs.grade)]).sum())
        return [
            _CountSearch(query, order, judged_relevant, 1.0),
            _CountSearch(query, order[::-1], judged_relevant, -1.0),
        ]

    def _first_counts(self, search: _CountSearch, steps: str) -> list[int]:
        size = len(search.order)
        if not self.relevant:
            return [0]
        if not self.nonrelevant:
            return [size]
        if steps == "every":
            return list(range(size + 1))
        counts = [0, size]
        if steps == "share":
            counts += [1, *np.geomspace(1, max(1, size), _FIRST_COUNTS).astype(int).tolist()]
        return sorted({*counts})

    def _try_counts(self, pending: list[tuple[_CountSearch, list[int]]]) -> None:
        high, low = (*self.relevant, *self.nonrelevant)[0], (*self.nonrelevant, *self.relevant)[0]
        parts = [part for search, counts in pending for part in _split_counts(search, counts)]
        gradings = (
            (search.query, search.build_gradings(counts, high, low)) for search, counts in parts
        )
        grade_filter = self._sees_grade if self.blind else None
        for (search, counts), values in zip(
            parts, self.gradable.values(self.recipe, gradings, grade_filter), strict=True
        ):
            search.values.update(zip(counts, values.tolist(), strict=True))

    def _is_relevant(self, grades: Array) -> Flags:
        grade_values = (
            np.trunc(grades) if self.recipe.convention.fractional == "truncate" else grades
        )
        flags: Flags = grade_values >= self.rel
        return flags

    def _sees_grade(self, grades: Array) -> Flags:
        """What the measure sees: relevant documents, and those that are taken out."""
        flags = self._is_relevant(grades)
        if self.recipe.convention.negative == "remove":
            flags |= grades < 0
        return flags


def _split_counts(search: _CountSearch, counts: list[int]) -> list[tuple[_CountSearch, list[int]]]:
    """The counts in parts, no larger than memory likes."""
    parts = slices(len(counts), _BATCH_GRADES // len(search.order))
    return [(search, counts[part]) for part in parts]
