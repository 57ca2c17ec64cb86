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

from gainful.evidence.unjudged.gradable_run import Gradings, Pair, cut_of
from gainful.formula import Array
from gainful.match import Placed
from gainful.match.matched import Ranks
from gainful.measure.cumulated_gain import ideal_depth, weights
from gainful.measure.grade_gains import Find, worth
from gainful.measure.recipe import Recipe

_MOST = 100  # steps; a handful is enough, for each one finds a better ratio
_NOTHING = 1e-13


@frozen(eq=False)
class _Levels:
    """The gains of a query, best first, with what assigning them does to gain and ideal."""

    gain: Array
    grade: Array  # that has this gain; not a number where it may not be assigned
    earned: Array  # Σ of the weights of the first j open documents
    ends: Array  # by level and j: the ideal's discounts down to the last of this gain
    begins: Array  # and before the first
    sign: float  # 1 for the largest value, -1 for the smallest
    gained: float  # by the judged documents
    barren: bool  # is there no ideal until a document gets a gain above zero?

    def best(self, of_gain: float, of_ideal: float) -> Ranks:
        """How many documents get each gain, so that this mixture of both is largest."""
        size = len(self.earned)
        reached = np.full(size, -np.inf)
        reached[0] = 0.0
        came: list[Ranks] = []
        for level, gain in enumerate(self.gain.tolist()):
            if self.barren and gain <= 0:
                reached[0] = -np.inf
            own = self.sign * of_gain * gain * self.earned
            end = own + self.sign * of_ideal * max(gain, 0.0) * self.ends[level]
            begin = own + self.sign * of_ideal * max(gain, 0.0) * self.begins[level]
            left = reached - begin
            source = np.arange(size)
            if not np.isnan(self.grade[level]):
                top = np.maximum.accumulate(left)
                fresh = np.append(True, left[1:] > top[:-1])
                source = np.maximum.accumulate(np.where(fresh, source, 0))
                left = top
            reached = left + end
            came.append(source)
        counts = np.zeros(len(self.gain), dtype=np.intp)
        at = size - 1
        for level in range(len(self.gain) - 1, -1, -1):
            counts[level] = at - came[level][at]
            at = int(came[level][at])
        return counts

    def parts(self, counts: Ranks) -> tuple[float, float]:
        """What a multiset of grades gains, and what its ideal does."""
        until = np.cumsum(counts)
        since = until - counts
        every = np.arange(len(counts))
        gained = self.gained + float(self.gain @ (self.earned[until] - self.earned[since]))
        worth_ = np.maximum(self.gain, 0.0)
        ideal = float(worth_ @ (self.ends[every, until] - self.begins[every, since]))
        return gained, ideal

    def extreme(self, *, normalised: bool, of_ideal: bool) -> Ranks:
        """The multiset of grades under which the measure is largest, or smallest."""
        if not normalised:
            return self.best(0.0, 1.0) if of_ideal else self.best(1.0, 0.0)
        found = self.best(1.0, 0.0)
        gained, ideal = self.parts(found)
        for _ in range(_MOST):
            if ideal <= 0:
                break  # nothing is ever worth anything
            ratio = gained / ideal
            counts = self.best(1.0, -ratio)
            gained, ideal = self.parts(counts)
            better = self.sign * (gained - ratio * ideal)
            if ideal <= 0 or better <= _NOTHING * (abs(gained) + abs(ratio * ideal)):
                break
            found = counts
        return found


class IdealBounds:
    """The gradings under which cumulated gain is smallest and largest, query by query."""

    def __init__(self, held: Gradings, recipe: Recipe, grades: Array) -> None:
        self.how, self.grades = recipe, grades
        self.gains = worth_of(recipe, grades)
        view = held.view(recipe.convention)
        rows = view.grade.astype(np.intp)
        cut = cut_of(recipe)
        depth = max(1, int(view.retrieved.max(initial=1)))
        depth = depth if cut is None else min(cut, depth)
        block = recipe.convention.ties == "average"
        first, last = (view.first, view.last) if block else (view.rank, view.rank)
        every = np.arange(len(rows))
        alone = Placed(len(rows), every, every, np.ones(len(rows)), first, last)
        each = alone.weighted(weights(recipe, depth)) if len(rows) else np.zeros(0)
        self.weight = np.bincount(rows, each, minlength=len(held.known)).astype(np.float64)
        self.retrieved = np.zeros(len(held.known), dtype=bool)
        self.retrieved[rows] = True
        self.of_query = view.retrieved
        self.worths = np.zeros(len(held.known))
        judged = ~np.isnan(held.known)
        kept = judged & ~(
            (recipe.convention.negative == "remove") & (np.nan_to_num(held.known) < 0)
        )
        self.worths[kept] = worth_of(recipe, held.known[kept])

    def gradings(self, query: int, held: Pair) -> Array:
        """A few gradings of the open documents, among them the best and the worst."""
        asked = np.flatnonzero(self.retrieved[held.row[held.open]])
        if self.how.convention.ideal != "list":  # what is not retrieved may stand in the ideal
            asked = np.arange(len(held.open))
        lowest, highest = self.grades[np.argmin(self.gains)], self.grades[np.argmax(self.gains)]
        found = np.full((4, len(held.open)), lowest)
        found[1] = highest
        for at, sign in ((2, -1.0), (3, 1.0)):
            order = asked[np.argsort(-sign * self.weight[held.row[held.open[asked]]])]
            levels = self._levels(query, held, order, sign)
            entry = self.how.measure.entry
            counts = levels.extreme(normalised=entry.normalised, of_ideal=entry.of == "ideal")
            found[at, order] = np.repeat(levels.grade, counts)
        return found

    def _levels(self, query: int, held: Pair, order: Ranks, sign: float) -> _Levels:
        row = held.row
        judged = np.setdiff1d(np.arange(len(row)), held.open)
        source = judged
        if self.how.convention.ideal == "list":
            source = judged[self.retrieved[row[judged]]]
        pool = self.worths[row[source]]
        pool = pool[pool > 0]
        gain = np.unique(np.append(pool, self.gains))[::-1]
        grade = np.full(len(gain), np.nan)
        grade[np.searchsorted(-gain, -self.gains)] = self.grades
        steps = np.arange(len(order) + 1)
        ascending = np.sort(pool)
        above = len(pool) - np.searchsorted(ascending, gain, side="right")
        until = len(pool) - np.searchsorted(ascending, gain, side="left")
        deepest = int(ideal_depth(self.how, self.of_query[query : query + 1])[0, 0])
        longest = max(1, len(pool) + len(order))
        left = weights(self.how, min(longest, max(1, deepest)))
        total = np.append(0.0, np.cumsum(left))
        last = min(deepest, len(left))
        return _Levels(
            gain=gain,
            grade=grade,
            earned=np.append(0.0, np.cumsum(self.weight[row[held.open[order]]])),
            ends=total[np.minimum(until[:, None] + steps, last)],
            begins=total[np.minimum(above[:, None] + steps, last)],
            sign=sign,
            gained=float(self.worths[row[judged]] @ self.weight[row[judged]]),
            barren=self.how.measure.entry.normalised and not len(pool) and gain[0] > 0,
        )


def worth_of(recipe: Recipe, grades: Array) -> Array:
    """What grades are worth, as the measure has it."""
    return worth(grades, recipe.gain, recipe.convention, of_grades(grades), None)


def of_grades(grades: Array) -> Find:
    """Says of flagged grades, for a message, which the first one is."""
    return lambda flags: ("grades", float(grades[np.flatnonzero(flags)[0]]))
