"""The extremes of measures that see of a grade only whether it is relevant.

How many open documents are relevant is tried out, from none to all of them: for the largest
value those that stand highest, for the smallest those that stand lowest.
"""

from __future__ import annotations

import numpy as np
from attrs import define, field

from gainful.evidence.unjudged.gradable_run import Gradings
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.measure.recipe import Recipe

_FIRST = 5  # counts that are looked at to begin with, besides none, one and all
_ROUNDING = 1e-12
_AT_ONCE = 200_000  # grades that are laid out together


@define(eq=False)
class _Search:
    """One end of one query: counts that were tried, and what came of them."""

    query: int
    order: Ranks  # open documents, in the order in which they become relevant
    known: int  # relevant documents of the pool
    sign: float  # 1 for the largest value, -1 for the smallest
    values: dict[int, float] = field(factory=dict)

    def best(self) -> float:
        """The largest (smallest) value so far."""
        found = [self.sign * value for value in self.values.values() if not np.isnan(value)]
        return self.sign * max(found) if found else float("nan")

    def between(self) -> list[int]:
        """Counts between two that were tried, where there could be something better.

        What was reached and what was possible both grow with the count, the latter no faster than
        the number of relevant documents: so between two counts no value passes what the one end
        reaches of what is possible at the other.
        """
        tried = np.array(sorted(self.values))
        value = np.array([self.values[count] for count in tried.tolist()])
        low, high = tried[:-1], tried[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            wider = (self.known + high) / (self.known + low)
            bound = value[1:] * wider if self.sign > 0 else value[:-1] / wider
        best = self.best()
        better = self.sign * (bound - best) > _ROUNDING * abs(best)
        middle = (high > low + 1) & (better | np.isnan(bound))
        found: list[int] = ((low + high) // 2)[middle].tolist()
        return found

    def grades(self, counts: list[int], high: float, low: float) -> Array:
        """The gradings in which so many are relevant."""
        size = len(self.order)
        found = np.full((len(counts), size), low)
        found[:, self.order] = np.where(np.arange(size) < np.array(counts)[:, None], high, low)
        return found


@define(eq=False)
class ByCount:
    """All queries of a run, and a measure that only asks what is relevant."""

    held: Gradings
    how: Recipe
    relevant: tuple[float, ...]  # a grade that is, if one may be given
    useless: tuple[float, ...]  # a grade that is not, if one may be given
    blind: bool  # is a useless document the same to the measure as one without a judgment?
    rel: float

    def extremes(self, queries: Ranks, steps: str) -> dict[int, Array]:
        """For each query the values among which the smallest and the largest are.

        Args:
            queries: which ones.
            steps: which counts are tried: the `ends` only, `every` one, or those that a `share`
                needs, whose possible part grows with the relevant documents.
        """
        rank = self.held.rank(self.how.convention)
        searches = [one for query in queries.tolist() for one in self._searches(query, rank)]
        asked = [(one, self._first(one, steps)) for one in searches]
        while asked:
            self._try(asked)
            asked = [(one, one.between()) for one, _ in asked] if steps == "share" else []
            asked = [(one, counts) for one, counts in asked if counts]
        found: dict[int, list[float]] = {}
        for one in searches:
            found.setdefault(one.query, []).extend(one.values.values())
        return {query: np.array(values) for query, values in found.items()}

    def _searches(self, query: int, rank: Ranks) -> list[_Search]:
        pair = self.held.pair(query)
        order = np.argsort(rank[pair.row[pair.open]], kind="stable")
        known = int(self._relevant(pair.grade[~np.isnan(pair.grade)]).sum())
        return [
            _Search(query, order, known, 1.0),
            _Search(query, order[::-1], known, -1.0),
        ]

    def _first(self, one: _Search, steps: str) -> list[int]:
        size = len(one.order)
        if not self.relevant:
            return [0]
        if not self.useless:
            return [size]
        if steps == "every":
            return list(range(size + 1))
        some = [0, size]
        if steps == "share":
            some += [1, *np.geomspace(1, max(1, size), _FIRST).astype(int).tolist()]
        return sorted({*some})

    def _try(self, asked: list[tuple[_Search, list[int]]]) -> None:
        high, low = (*self.relevant, *self.useless)[0], (*self.useless, *self.relevant)[0]
        parts = [part for one, counts in asked for part in _parts(one, counts)]
        gradings = ((one.query, one.grades(counts, high, low)) for one, counts in parts)
        worthy = self._worthy if self.blind else None
        for (one, counts), values in zip(
            parts, self.held.values(self.how, gradings, worthy), strict=True
        ):
            one.values.update(zip(counts, values.tolist(), strict=True))

    def _relevant(self, grades: Array) -> Flags:
        whole = np.trunc(grades) if self.how.convention.fractional == "truncate" else grades
        found: Flags = whole >= self.rel
        return found

    def _worthy(self, grades: Array) -> Flags:
        """What the measure sees: relevant documents, and those that are taken out."""
        seen = self._relevant(grades)
        if self.how.convention.negative == "remove":
            seen |= grades < 0
        return seen


def _parts(one: _Search, counts: list[int]) -> list[tuple[_Search, list[int]]]:
    """The same counts, no more at once than memory likes."""
    step = max(1, _AT_ONCE // len(one.order))
    return [(one, counts[begin : begin + step]) for begin in range(0, len(counts), step)]
