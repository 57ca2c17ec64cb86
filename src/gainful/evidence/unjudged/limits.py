"""How low and how high a measure can come out, and whether these ends are reached."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from attrs import define, field, frozen

from gainful.evidence.unjudged.gradable_run import GradableRun, QueryDocs
from gainful.match import PlacedGains
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.measure.functions.graded import ideal_depth, rank_discounts
from gainful.measure.ranked_run import apply_fractional, check_grades, grade_gains, round_values
from gainful.rounding import FINE_ROUNDING, ROUNDING
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
        signed_values = self.sign * value[~np.isnan(value)]
        best = self.sign * signed_values.max() if signed_values.size else np.nan
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


class BinaryExtremes:
    """All queries of a run, and a measure that only asks what is relevant."""

    def __init__(self, gradable: GradableRun, recipe: Recipe, grades: Array) -> None:
        self.gradable, self.recipe = gradable, recipe
        self.rel = float(recipe.function_arguments().get("rel", 1.0))
        refuse = check_grades(grades, lambda _: "grades")
        flags = apply_fractional(grades, recipe.convention, refuse) >= self.rel
        self.relevant = grades[flags][-1:].tolist()  # a grade that is, if one may be given
        self.nonrelevant = grades[~flags][-1:].tolist()

    def extremes(self, queries: Ranks, steps: str) -> dict[int, Array]:
        """For each query the values among which the smallest and the largest are.

        `steps` are the counts that are tried: the `ends` only, `every` one, or those that a `share`
        needs, whose possible part grows with the relevant documents.
        """
        rank = self.gradable.doc_ranks(self.recipe.convention)
        searches = []
        for query in queries.tolist():
            docs = self.gradable.query_docs(query)
            order = np.argsort(rank[docs.row[docs.open]], kind="stable")
            judged_relevant = int(self._is_relevant(docs.grade[~np.isnan(docs.grade)]).sum())
            searches.append(_CountSearch(query, order, judged_relevant, 1.0))
            searches.append(_CountSearch(query, order[::-1], judged_relevant, -1.0))
        pending = [(search, self._first_counts(search, steps)) for search in searches]
        while pending:
            self._try_counts(pending)
            pending = [(search, search.next_counts()) for search, _ in pending if steps == "share"]
            pending = [(search, counts) for search, counts in pending if counts]
        values_by_query: dict[int, list[float]] = {}
        for search in searches:
            values_by_query.setdefault(search.query, []).extend(search.values.values())
        return {query: np.array(values) for query, values in values_by_query.items()}

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
        parts = [
            (search, counts[part])
            for search, counts in pending
            for part in slices(len(counts), _BATCH_GRADES // len(search.order))
        ]
        gradings = (
            (search.query, search.build_gradings(counts, high, low)) for search, counts in parts
        )
        # Where a useless document is the same to the measure as one without a judgment.
        grade_filter = None if self.recipe.entry.sees_nonrelevant else self._sees_grade
        for (search, counts), values in zip(
            parts, self.gradable.values(self.recipe, gradings, grade_filter), strict=True
        ):
            search.values.update(zip(counts, values.tolist(), strict=True))

    def _is_relevant(self, grades: Array) -> Flags:
        if self.recipe.convention.fractional == "truncate":
            grades = np.trunc(grades)
        return np.asarray(grades >= self.rel)

    def _sees_grade(self, grades: Array) -> Flags:
        flags = self._is_relevant(grades)
        if self.recipe.convention.negative == "remove":
            flags |= grades < 0
        return flags


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
        discounts, known = rank_discounts(recipe, depth), gradable.known_grades
        weights = placed.sum_with_weights(discounts) if len(rows) else np.zeros(0)
        self.weight = np.bincount(rows, weights, len(known)).astype(np.float64)
        self.retrieved = np.zeros(len(known), dtype=bool)
        self.retrieved[rows] = True
        self.retrieved_counts = ranked.retrieved
        self.judged_gains = np.zeros(len(known))
        # Of documents that are in the pool; what is open compares with nothing
        kept = known >= (0 if recipe.convention.negative == "remove" else -np.inf)
        self.judged_gains[kept] = recipe_gains(recipe, known[kept])

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
    refuse = check_grades(grades, lambda _: "grades")
    return grade_gains(grades, recipe.gain, recipe.convention, refuse, None)


_MAX_GRADINGS = 4096  # gradings of a query that are all tried out

# Measures that count relevant documents, and which counts have to be tried.
_BY_COUNT = ("ends", "share", "every")


@frozen(eq=False)
class Limits:
    """The smallest and the largest value of each query; not a number where that is not known."""

    low: Array
    high: Array
    exact: Flags
    optional: Flags  # may the query be left out of the mean, or not, as the grades decide?
    reason: str = ""  # why some are not exact


def find_limits(  # noqa: PLR0917  (the values, and which of them can change)
    gradable: GradableRun, recipe: Recipe, grades: Array, values: Array, rows: Ranks, queries: Ranks
) -> Limits:
    """The limits of values over all gradings of open documents by these grades.

    The values of some rows can change: of these queries.
    """
    candidates = _candidate_values(gradable, recipe, grades, queries)
    low, high = values.copy(), values.copy()
    low[rows] = high[rows] = np.nan
    exact, optional = np.ones(len(values), dtype=bool), np.zeros(len(values), dtype=bool)
    reason = ""
    for row, query in zip(rows.tolist(), queries.tolist(), strict=True):
        possible = candidates.get(query)
        if possible is None:
            low[row], high[row] = _outer_bounds(gradable, recipe, grades)
            exact[row], reason = False, _explain_inexact(gradable, recipe, grades)
            continue
        excluded = np.isnan(possible)
        optional[row] = excluded.any() and not excluded.all()
        if not excluded.all():
            ends = np.array([np.nanmin(possible), np.nanmax(possible)])
            low[row], high[row] = round_values(recipe, ends)
    return Limits(low, high, exact, optional, reason)


def _candidate_values(
    gradable: GradableRun, recipe: Recipe, grades: Array, queries: Ranks
) -> dict[int, Array]:
    """Values among which the ends are, of the queries where that can be said."""
    entry = recipe.entry
    kind = entry.extremes if _only_grades_decide(gradable, recipe, grades) else None
    if kind in _BY_COUNT:
        return BinaryExtremes(gradable, recipe, grades).extremes(queries, kind)
    sizes = {query: len(gradable.query_docs(query).open) for query in queries.tolist()}
    gradings: dict[int, Array] = {}
    if kind == "gains":
        extremes = CumulatedExtremes(gradable, recipe, grades)
        gradings = {q: extremes.extreme_gradings(q, gradable.query_docs(q)) for q in sizes}
    elif kind == "uniform":
        gradings = _uniform_gradings(sizes, grades[[0, -1]])
    elif kind == "best_grade":
        gradings = _best_grade_gradings(gradable, recipe, grades, sizes)
    elif not (entry.needs_subtopics and gradable.has_subtopics):  # no grade for a subtopic is known
        gradings = {
            query: np.array(list(product(grades.tolist(), repeat=size)), dtype=np.float64)
            for query, size in sizes.items()
            if len(grades) ** size <= _MAX_GRADINGS
        }
    return dict(zip(gradings, gradable.values(recipe, gradings.items()), strict=True))


def _only_grades_decide(gradable: GradableRun, recipe: Recipe, grades: Array) -> bool:
    """Do only grades decide, and neither move nor fill up other ranks?"""
    convention, entry = recipe.convention, recipe.entry
    negative = bool((grades < 0).any())
    moved = negative and (convention.negative == "remove" or entry.sees_nonrelevant)
    below = convention.negative == "in_ideal" and _has_negative_gain(gradable, recipe, grades)
    filled = convention.short == "minimum" and (
        bool(recipe.gain.grades) or negative or bool((gradable.known_grades < 0).any())
    )
    return not (
        entry.registered
        or (entry.needs_subtopics and gradable.has_subtopics)
        or gradable.has_duplicates
        or TIE_POLICIES[convention.ties].needs == "grades"
        or moved
        or below
        or ("divisor" in entry.arguments and convention.divisor != "relevant")
        or (filled and entry.cumulated)
        or (entry.extremes == "best_grade" and _has_negative_gain(gradable, recipe, grades))
    )


def _has_negative_gain(gradable: GradableRun, recipe: Recipe, grades: Array) -> bool:
    judged_grades = gradable.known_grades[~np.isnan(gradable.known_grades)]
    all_grades = np.unique(np.append(judged_grades, grades))
    if not (all_grades < 0).any() and not recipe.gain.grades and not recipe.gain.signed:
        return False
    return bool((recipe_gains(recipe, all_grades) < 0).any())


def _uniform_gradings(sizes: Mapping[int, int], grades: Array) -> dict[int, Array]:
    return {query: np.repeat(grades[:, None], size, axis=1) for query, size in sizes.items()}


def _best_grade_gradings(
    gradable: GradableRun, recipe: Recipe, grades: Array, sizes: Mapping[int, int]
) -> dict[int, Array]:
    """Every grade as the best one: all documents have it, or only that which counts least."""
    grades = grades[np.argsort(recipe_gains(recipe, grades), kind="stable")]
    gradings_by_query = _uniform_gradings(sizes, grades)
    rank = gradable.doc_ranks(recipe.convention)
    for query, same in gradings_by_query.items():
        docs = gradable.query_docs(query)
        last = int(np.argmax(rank[docs.row[docs.open]]))
        single = np.full_like(same, grades[0])
        single[:, last] = grades
        gradings_by_query[query] = np.concatenate((same, single))
    return gradings_by_query


def _outer_bounds(gradable: GradableRun, recipe: Recipe, grades: Array) -> tuple[float, float]:
    """Ends that no value passes, if there are any."""
    entry, convention = recipe.entry, recipe.convention
    passes = gradable.has_duplicates or any(
        name in entry.arguments and getattr(convention, name) == value
        for name, value in (("first_rank", "as_is"), ("rbp_grades", "grade"))
    )
    negative = convention.negative in ("keep", "in_ideal") or recipe.gain.signed
    unbounded = entry.cumulated and negative and _has_negative_gain(gradable, recipe, grades)
    if not entry.bounded or entry.registered or passes or unbounded:
        return float("nan"), float("nan")
    return 0.0, 1.0


def _explain_inexact(gradable: GradableRun, recipe: Recipe, grades: Array) -> str:
    entry, convention = recipe.entry, recipe.convention
    if gradable.has_duplicates:
        return "a document listed twice counts twice"
    if TIE_POLICIES[convention.ties].needs == "grades":
        return f"ties={convention.ties} ranks documents by their grades"
    if entry.needs_subtopics:
        return "a grade would apply to an unknown subtopic"
    if entry.registered:
        return "nothing is known about a custom measure"
    if (grades < 0).any():
        return "grades below 0 are possible"
    return "too many gradings to try them all"
