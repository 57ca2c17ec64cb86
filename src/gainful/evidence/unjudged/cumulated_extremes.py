"""The extremes of cumulated gain over all gradings, the ideal changing with them.

A multiset of grades earns most if the better grades stand at the better ranks, and least the
other way round; its ideal is the same. So grades are walked through from the best to the worst,
and all that matters of the past is how many documents have got one. What c more documents add to
the gain and to the ideal is the difference of two numbers, one for where they begin and one for
where they end: a running maximum finds the best of all multisets. A ratio is made the most of by
asking for the most of gain − λ·ideal, λ being the best ratio so far, until it grows no more
(Dinkelbach 1967).
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.evidence.unjudged.gradable_run import GradableRun, QueryDocs
from gainful.match import PlacedGains
from gainful.match.ties import TIE_POLICIES
from gainful.measure.functions.cumulated_gain import ideal_depth, rank_discounts
from gainful.measure.grade_gains import GradeFinder, grade_gains
from gainful.measure.recipe import Recipe
from gainful.rounding import FINE_ROUNDING
from gainful.types import Array, Ranks

_MAX_STEPS = 100  # steps; a handful is enough, for each one finds a better ratio


@frozen(eq=False)
class _GainLevels:
    """The gains of a query, best first, with what assigning them does to gain and ideal."""

    gain: Array
    grade: Array  # that has this gain; not a number where it may not be assigned
    weight_sums: Array  # Σ of the weights of the first j open documents
    ideal_ends: Array  # by level and j: the ideal's discounts down to the last of this gain
    ideal_begins: Array  # and before the first
    sign: float  # 1 for the largest value, -1 for the smallest
    judged_gain: float  # by the judged documents
    lacks_ideal: bool  # is there no ideal until a document gets a gain above zero?

    def best_counts(self, gain_factor: float, ideal_factor: float) -> Ranks:
        """How many documents get each gain, so that this mixture of both is largest."""
        size = len(self.weight_sums)
        reached = np.full(size, -np.inf)
        reached[0] = 0.0
        sources: list[Ranks] = []
        for level, gain in enumerate(self.gain.tolist()):
            if self.lacks_ideal and gain <= 0:
                reached[0] = -np.inf
            from_gain = self.sign * gain_factor * gain * self.weight_sums
            end = from_gain + self.sign * ideal_factor * max(gain, 0.0) * self.ideal_ends[level]
            begin = from_gain + self.sign * ideal_factor * max(gain, 0.0) * self.ideal_begins[level]
            before = reached - begin
            source = np.arange(size)
            if not np.isnan(self.grade[level]):
                highest = np.maximum.accumulate(before)
                fresh = np.append(True, before[1:] > highest[:-1])
                source = np.maximum.accumulate(np.where(fresh, source, 0))
                before = highest
            reached = before + end
            sources.append(source)
        counts = np.zeros(len(self.gain), dtype=np.intp)
        at = size - 1
        for level in range(len(self.gain) - 1, -1, -1):
            counts[level] = at - sources[level][at]
            at = int(sources[level][at])
        return counts

    def gain_and_ideal(self, counts: Ranks) -> tuple[float, float]:
        """What a multiset of grades gains, and what its ideal does."""
        until = np.cumsum(counts)
        since = until - counts
        every = np.arange(len(counts))
        gain = self.judged_gain + float(
            self.gain @ (self.weight_sums[until] - self.weight_sums[since])
        )
        positive_gains = np.maximum(self.gain, 0.0)
        ideal = float(
            positive_gains @ (self.ideal_ends[every, until] - self.ideal_begins[every, since])
        )
        return gain, ideal

    def extreme_counts(self, *, normalised: bool, ideal_only: bool) -> Ranks:
        """The multiset of grades under which the measure is largest, or smallest."""
        if not normalised:
            return self.best_counts(0.0, 1.0) if ideal_only else self.best_counts(1.0, 0.0)
        best = self.best_counts(1.0, 0.0)
        gain, ideal = self.gain_and_ideal(best)
        for _ in range(_MAX_STEPS):
            if ideal <= 0:
                break  # nothing is ever worth anything
            ratio = gain / ideal
            counts = self.best_counts(1.0, -ratio)
            gain, ideal = self.gain_and_ideal(counts)
            better = self.sign * (gain - ratio * ideal)
            if ideal <= 0 or better <= FINE_ROUNDING * (abs(gain) + abs(ratio * ideal)):
                break
            best = counts
        return best


class CumulatedExtremes:
    """The gradings under which cumulated gain is smallest and largest, query by query."""

    def __init__(self, gradable: GradableRun, recipe: Recipe, grades: Array) -> None:
        self.recipe, self.grades = recipe, grades
        self.gains = recipe_gains(recipe, grades)
        ranked = gradable.rank_docs(recipe.convention)
        rows = ranked.grade.astype(np.intp)
        cutoff = recipe.depth
        depth = max(1, int(ranked.retrieved.max(initial=1)))
        depth = depth if cutoff is None else min(cutoff, depth)
        spreads = TIE_POLICIES[recipe.convention.ties].spreads
        first, last = (ranked.first, ranked.last) if spreads else (ranked.rank, ranked.rank)
        every = np.arange(len(rows))
        placed = PlacedGains(len(rows), every, every, np.ones(len(rows)), first, last)
        doc_weights = (
            placed.sum_with_weights(rank_discounts(recipe, depth)) if len(rows) else np.zeros(0)
        )
        self.weight = np.bincount(rows, doc_weights, minlength=len(gradable.known_grades)).astype(
            np.float64
        )
        self.retrieved = np.zeros(len(gradable.known_grades), dtype=bool)
        self.retrieved[rows] = True
        self.retrieved_counts = ranked.retrieved
        self.judged_gains = np.zeros(len(gradable.known_grades))
        judged = ~np.isnan(gradable.known_grades)
        kept = judged & ~(
            (recipe.convention.negative == "remove") & (np.nan_to_num(gradable.known_grades) < 0)
        )
        self.judged_gains[kept] = recipe_gains(recipe, gradable.known_grades[kept])

    def extreme_gradings(self, query: int, docs: QueryDocs) -> Array:
        """A few gradings of the open documents, among them the best and the worst."""
        candidates = np.flatnonzero(self.retrieved[docs.row[docs.open]])
        if self.recipe.convention.ideal != "list":  # what is not retrieved may stand in the ideal
            candidates = np.arange(len(docs.open))
        lowest, highest = self.grades[np.argmin(self.gains)], self.grades[np.argmax(self.gains)]
        gradings = np.full((4, len(docs.open)), lowest)
        gradings[1] = highest
        for at, sign in ((2, -1.0), (3, 1.0)):
            order = candidates[np.argsort(-sign * self.weight[docs.row[docs.open[candidates]]])]
            levels = self._levels(query, docs, order, sign)
            entry = self.recipe.entry
            counts = levels.extreme_counts(
                normalised=entry.normalised, ideal_only=entry.gain_of == "ideal"
            )
            gradings[at, order] = np.repeat(levels.grade, counts)
        return gradings

    def _levels(self, query: int, docs: QueryDocs, order: Ranks, sign: float) -> _GainLevels:
        row = docs.row
        judged = np.setdiff1d(np.arange(len(row)), docs.open)
        source = judged
        if self.recipe.convention.ideal == "list":
            source = judged[self.retrieved[row[judged]]]
        pool = self.judged_gains[row[source]]
        pool = pool[pool > 0]
        gain = np.unique(np.append(pool, self.gains))[::-1]
        grade = np.full(len(gain), np.nan)
        grade[np.searchsorted(-gain, -self.gains)] = self.grades
        steps = np.arange(len(order) + 1)
        ascending = np.sort(pool)
        above = len(pool) - np.searchsorted(ascending, gain, side="right")
        until = len(pool) - np.searchsorted(ascending, gain, side="left")
        deepest = int(ideal_depth(self.recipe, self.retrieved_counts[query : query + 1])[0, 0])
        longest = max(1, len(pool) + len(order))
        discounts = rank_discounts(self.recipe, min(longest, max(1, deepest)))
        discount_sums = np.append(0.0, np.cumsum(discounts))
        deepest_discount = min(deepest, len(discounts))
        return _GainLevels(
            gain=gain,
            grade=grade,
            weight_sums=np.append(0.0, np.cumsum(self.weight[row[docs.open[order]]])),
            ideal_ends=discount_sums[np.minimum(until[:, None] + steps, deepest_discount)],
            ideal_begins=discount_sums[np.minimum(above[:, None] + steps, deepest_discount)],
            sign=sign,
            judged_gain=float(self.judged_gains[row[judged]] @ self.weight[row[judged]]),
            lacks_ideal=self.recipe.entry.normalised and not len(pool) and gain[0] > 0,
        )


def recipe_gains(recipe: Recipe, grades: Array) -> Array:
    """What grades are worth, as the measure has it."""
    return grade_gains(grades, recipe.gain, recipe.convention, build_grade_finder(grades), None)


def build_grade_finder(grades: Array) -> GradeFinder:
    """Says of flagged grades, for a message, which the first one is."""
    return lambda flags: ("grades", float(grades[np.flatnonzero(flags)[0]]))
