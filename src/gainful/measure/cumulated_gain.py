"""Cumulated gain: grades → gains → the sum over ranks, discounted and normalised or not.

The one place where CG, DCG, the ideal and their ratio are computed, for all rankings at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from gainful.errors import BadValue
from gainful.formula import Array
from gainful.match import Listed, Placed, by_gain, place
from gainful.match.matched import as_precise
from gainful.measure.grade_gains import worth
from gainful.measure.normalise import ratio
from gainful.measure.ranked_run import Seen
from gainful.measure.recipe import Recipe
from gainful.read import Rows

_DEEPEST = int(np.iinfo(np.intp).max)
_LONGEST_VECTOR = 10_000_000


@frozen(eq=False, kw_only=True)
class Ranked:
    """What cumulated gain needs: gains at their ranks, and those of the ideal ranking."""

    placed: Listed | Placed
    ideal: Listed | Placed  # descending; one row per ranking, or one for all of them
    lengths: NDArray[np.intp]  # how many documents each ranking has
    fill: Array  # what a document is worth that fills a short ranking up to k, as a column

    def gain_by_rank(self, depth: int) -> Array:
        """The gain at ranks 1 … depth of each ranking, as a matrix."""
        gain = self.placed.by_rank(depth)
        if not self.fill.any():
            return gain
        return np.where(np.arange(depth) >= self.lengths[:, None], self.fill, gain)


@frozen(eq=False, kw_only=True)
class RankedRows(Ranked):
    """The same of rankings that are arrays of grades, with the grades themselves."""

    grades: Rows  # the rankings that count
    source: Rows  # the documents that the ideal is made of
    filling: Rows | None  # the lowest grade of each ranking, if short ones are filled up to k


def ranked(recipe: Recipe, grades: Rows, scores: Rows | None, judged: Rows | None) -> RankedRows:
    """Turn grades into gains, put them in the order of their scores, and make the ideal."""
    if recipe.convention.negative == "remove":
        unwanted = grades.values < 0
        scores = None if scores is None else scores.without(unwanted)
        grades = grades.without(unwanted)
        judged = None if judged is None else judged.without(judged.values < 0)
    worth = gains(recipe, grades, "grades")
    source = grades if judged is None or recipe.convention.ideal == "list" else judged
    pool = worth if source is grades else gains(recipe, source, "judged")
    ideal = ideal_gains(pool, source, with_negative=recipe.convention.negative == "in_ideal")
    order = None if recipe.measure.entry.of == "ideal" else _sortable(recipe, scores)
    deepest = _DEEPEST if recipe.k is None else recipe.k
    placed = place(worth, order, recipe.convention.ties, deepest)
    filling, fill = None, np.zeros((1, 1))
    if recipe.convention.short == "minimum":
        filling = _lowest_grades(recipe, grades, judged)
        fill = gains(recipe, filling, "grades")
    return RankedRows(
        placed=placed,
        ideal=Listed(ideal),
        lengths=grades.lengths,
        fill=fill,
        grades=grades,
        source=source,
        filling=filling,
    )


def ranked_seen(recipe: Recipe, ranked: Seen) -> Ranked:
    """The same of a run: its judged documents at their ranks, and the ideal from the judgments."""
    habits, formula = recipe.convention, recipe.gain
    gain = ranked.gains(formula)
    some = gain != 0
    rank = ranked.rank[some]
    placed = Placed(ranked.size, ranked.query[some], ranked.query[some], gain[some], rank, rank)
    if habits.ties in _OVER_BLOCKS:
        placed = evolve(placed, first=ranked.first[some], last=ranked.last[some])
        if habits.ties != "average":
            rank = _OVER_BLOCKS[habits.ties](placed)
            placed = evolve(placed, first=rank, last=rank)
    fill = np.zeros((1, 1))
    if habits.short == "minimum":
        fill = _lowest(recipe, ranked)[:, None]
    return Ranked(
        placed=placed,
        ideal=_ideal_placed(recipe, ranked, gain),
        lengths=ranked.retrieved,
        fill=fill,
    )


_OVER_BLOCKS: Mapping[str, Callable[[Placed], NDArray[np.intp]]] = {
    "average": lambda placed: placed.first,
    "best": lambda placed: by_gain(placed, best=True),
    "worst": lambda placed: by_gain(placed, best=False),
    "mean_rank": lambda placed: (placed.first + placed.last) // 2,
}


def _ideal_placed(recipe: Recipe, ranked: Seen, gain: Array) -> Placed:
    """The most valuable documents first, of the pool or of the ranking itself."""
    habits = recipe.convention
    of_list = habits.ideal == "list"
    query = ranked.query if of_list else ranked.pool_query
    worths = gain if of_list else ranked.pool_gains(recipe.gain)
    wanted = np.ones(len(worths), dtype=bool) if habits.negative == "in_ideal" else worths > 0
    query, worths = query[wanted], worths[wanted]
    order = np.lexsort((-worths, query))
    query, worths = query[order], worths[order]
    begin = np.searchsorted(query, np.arange(ranked.size))
    rank = np.arange(len(query)) - begin[query] + 1
    if of_list and habits.negative == "in_ideal":  # what is unjudged stands before what is bad
        unjudged = ranked.retrieved - np.bincount(query, minlength=ranked.size)
        rank = np.where(worths < 0, rank + unjudged[query], rank)
    return Placed(ranked.size, query, query, worths, rank, rank)


def _lowest(recipe: Recipe, ranked: Seen) -> Array:
    """What the lowest grade of each query is worth: that of the gain table, or 0, or less."""
    lowest = np.zeros(ranked.size)
    if recipe.gain.grades:
        lowest += min(recipe.gain.grades)
    else:
        np.minimum.at(lowest, ranked.pool_query, ranked.pool_grade)
    everyone = np.arange(ranked.size)
    return worth(lowest, recipe.gain, recipe.convention, ranked.find(everyone, lowest), None)


def gains(recipe: Recipe, grades: Rows, argument: str) -> Array:
    """What each document is worth, negative and fractional grades as the convention has it."""

    def find(flags: NDArray[np.bool_]) -> tuple[str, float]:
        place_, value = grades.find(flags)
        return argument + place_, value

    return worth(grades.values, recipe.gain, recipe.convention, find, grades.present)


def ideal_gains(worth: Array, pool: Rows, *, with_negative: bool) -> Array:
    """The same documents, the most valuable first; they end before the first worthless one.

    Gains below zero are left out, unless the convention wants the ideal to end with them.
    """
    wanted = worth > 0
    if with_negative:
        wanted = np.ones_like(wanted) if pool.present is None else pool.present
    row, column = np.nonzero(wanted)
    if row.size * 4 > worth.size:
        packed = np.where(wanted, -worth, np.inf)
    else:  # few are worth anything: sort only those
        count = np.bincount(row, minlength=len(worth))
        position = np.arange(row.size) - (np.cumsum(count) - count)[row]
        packed = np.full((len(worth), max(1, int(count.max()))), np.inf)
        packed[row, position] = -worth[row, column]
    packed.sort(axis=1)
    return np.where(np.isinf(packed), 0.0, -packed)


def weights(recipe: Recipe, depth: int) -> Array:
    """What is left of a gain at ranks 1 … depth."""
    left = recipe.discount.at(np.arange(1, depth + 1))
    if not np.isfinite(left).all():
        raise BadValue("discount", recipe.discount.name, "a discount that is finite at every rank")
    return left


def total(recipe: Recipe, seen: Ranked) -> tuple[Array, Array]:
    """The gain of each ranking and of its ideal, as one number each."""
    with np.errstate(over="ignore", invalid="ignore"):
        if seen.fill.any():
            depth = _vector_depth(recipe, seen)
            actual = seen.gain_by_rank(depth) @ weights(recipe, depth)
        else:  # below the last document nothing is gained
            depth = min(_depth(recipe, seen), _longest(seen))
            actual = seen.placed.weighted(weights(recipe, depth))
        ideal = seen.ideal.cut(ideal_depth(recipe, seen.lengths))
        best = ideal.weighted(weights(recipe, ideal.deepest))
    return _finite(actual), np.broadcast_to(_finite(best), actual.shape)


def curve(recipe: Recipe, seen: Ranked) -> tuple[Array, Array]:
    """The cumulated gain of each ranking and of its ideal, rank by rank."""
    depth = _vector_depth(recipe, seen)
    discounts = weights(recipe, depth)
    actual = cumulated_gain(seen.gain_by_rank(depth) * discounts)
    with np.errstate(over="ignore", invalid="ignore"):
        if recipe.convention.ideal_depth == "all":
            best = seen.ideal.weighted(weights(recipe, seen.ideal.deepest))[:, None]
        else:
            ideal = seen.ideal.cut(ideal_depth(recipe, seen.lengths)).by_rank(depth)
            best = np.cumsum(ideal * discounts, axis=1)
    return actual, np.broadcast_to(_finite(best), actual.shape)


def cumulated_gain(gain: Array) -> Array:
    """The sum of the gains down to each rank; a sum beyond all bounds is refused."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(np.cumsum(gain, axis=-1))


def outcome(recipe: Recipe, actual: Array, ideal: Array) -> Array:
    """What the measure asks for: the ranking's gain, the ideal's, or the one over the other."""
    entry = recipe.measure.entry
    if entry.normalised:
        return share(recipe, actual, ideal)
    return np.array(ideal) if entry.of == "ideal" else actual


def computed(recipe: Recipe, ranked: Seen, known: dict[object, Ranked] | None = None) -> Array:
    """The value of any measure of the catalogue, for every query that is seen.

    Args:
        recipe: the measure, everything settled.
        seen: what it is computed of.
        known: gains and ideals that were made before, for measures that differ in depth alone.
    """
    function = recipe.measure.entry.function
    if function is None:
        habits = recipe.convention
        key = (recipe.gain, habits.ideal, habits.short, habits.negative, habits.ties)
        known = {} if known is None else known
        if key not in known:
            known[key] = ranked_seen(recipe, ranked)
        found: Array | tuple[Array, Array] = outcome(recipe, *total(recipe, known[key]))
    else:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = function(ranked, **recipe.settings())
    values = share(recipe, *found) if isinstance(found, tuple) else found
    wild = ~np.isfinite(np.ma.filled(values, 0.0))
    if wild.any():
        place = f"{recipe.measure} of query {ranked.queries[int(np.flatnonzero(wild)[0])]!r}"
        raise BadValue(place, float("inf"), "a finite value; the numbers are too large for it")
    decimals = recipe.convention.decimals
    return values if decimals is None else values.round(decimals)


def share(recipe: Recipe, actual: Array, ideal: Array) -> Array:
    """The normalised value, as the convention has it."""
    found = ratio(actual, ideal, recipe.convention.empty)
    decimals = recipe.convention.decimals
    return found if decimals is None else found.round(decimals)


def ideal_depth(recipe: Recipe, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """How deep each ideal goes, as a column."""
    habit = recipe.convention.ideal_depth
    cut = _DEEPEST if recipe.k is None or habit == "all" else min(recipe.k, _DEEPEST)
    own = lengths if habit == "retrieved" else np.full(1, _DEEPEST, dtype=np.intp)
    return np.minimum(own, cut)[:, None]


def _longest(seen: Ranked) -> int:
    return max(1, int(seen.lengths.max()))


def _depth(recipe: Recipe, seen: Ranked) -> int:
    return recipe.k if recipe.k is not None else _longest(seen)


def _vector_depth(recipe: Recipe, seen: Ranked) -> int:
    depth = _depth(recipe, seen)
    if depth > _LONGEST_VECTOR:
        raise BadValue("k", depth, f"at most {_LONGEST_VECTOR} where every rank is computed")
    return depth


def _finite(cumulated: Array) -> Array:
    if not np.isfinite(cumulated).all():
        raise BadValue("cumulated gain", np.inf, "a finite sum; the grades are too large")
    return cumulated


def _sortable(recipe: Recipe, scores: Rows | None) -> Array | None:
    """Scores as precise as the convention has them, what is no document at the very end."""
    if scores is None:
        return None
    values, present = scores.values, scores.present
    values = as_precise(values, recipe.convention.score_bits).astype(np.float64)
    return values if present is None else np.where(present, values, -np.inf)


def _lowest_grades(recipe: Recipe, grades: Rows, judged: Rows | None) -> Rows:
    """The lowest grade there is: that of the gain table, or 0, or less if lower ones occur."""
    if recipe.gain.grades:
        lowest = np.full(len(grades.values), min(recipe.gain.grades))
    else:
        lowest = np.minimum(grades.values.min(axis=1), 0.0)
        if judged is not None:
            lowest = np.minimum(lowest, judged.values.min(axis=1))
    return Rows(lowest[:, None], np.ones(len(lowest), dtype=np.intp), grades.shape)
