"""Cumulated gain: grades → gains → the sum over ranks, discounted and normalised or not.

The one place where CG, DCG, the ideal and their ratio are computed, for all rankings at once.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from gainful.convention import Empty
from gainful.errors import BadValue
from gainful.formula import Array
from gainful.match import Listed, Placed, place
from gainful.measure.recipe import Recipe
from gainful.read import Rows

_DEEPEST = int(np.iinfo(np.intp).max)
_LONGEST_VECTOR = 10_000_000
_ROUNDING = 1e-13


@frozen(eq=False)
class Ranked:
    """What a measure sees: gains at their ranks, and those of the ideal ranking."""

    grades: Rows  # the rankings that count
    source: Rows  # the documents that the ideal is made of
    placed: Listed | Placed
    ideal: Array  # descending; one row per ranking, or one for all of them
    lengths: NDArray[np.intp]  # how many documents each ranking has
    filling: Rows | None  # the lowest grade of each ranking, if short ones are filled up to k
    fill: Array  # what that grade is worth, as a column

    def gain_by_rank(self, depth: int) -> Array:
        """The gain at ranks 1 … depth of each ranking, as a matrix."""
        gain = self.placed.by_rank(depth)
        if not self.fill.any():
            return gain
        return np.where(np.arange(depth) >= self.lengths[:, None], self.fill, gain)


def ranked(recipe: Recipe, grades: Rows, scores: Rows | None, judged: Rows | None) -> Ranked:
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
    return Ranked(grades, source, placed, ideal, grades.lengths, filling, fill)


def gains(recipe: Recipe, grades: Rows, argument: str) -> Array:
    """What each document is worth, negative and fractional grades as the convention has it."""
    habits, formula, values = recipe.convention, recipe.gain, grades.values
    if habits.fractional != "keep":
        whole = np.trunc(values) + 0.0  # no minus zero
        if habits.fractional == "error" and (whole != values).any():
            place_, value = grades.find(whole != values)
            allowed = f"whole numbers (fractional=error{_by(recipe)})"
            raise BadValue(argument + place_, value, allowed)
        values = whole
    negative = values < 0
    some = bool(negative.any())
    if some and habits.negative == "error":
        place_, value = grades.find(negative)
        allowed = f"grades from 0 on (negative=error{_by(recipe)})"
        raise BadValue(argument + place_, value, allowed)
    present = grades.present
    if formula.grades:
        unknown = ~np.isin(values, formula.grades)
        unknown = unknown if present is None else unknown & present
        if unknown.any():
            place_, value = grades.find(unknown)
            known = ", ".join(f"{grade:g}" for grade in formula.grades)
            raise BadValue(argument + place_, value, f"grades in the gain table: {known}")
    elif habits.grade_bits == 32:
        with np.errstate(over="ignore"):  # an infinite gain is refused below
            values = values.astype(np.float32).astype(np.float64)
    worth = formula.at(values)
    if some and habits.negative == "zero" and not formula.signed:
        worth = np.where(negative, 0.0, worth)
    if present is not None:
        worth = np.where(present, worth, 0.0)
    if not np.isfinite(worth).all():
        place_, value = grades.find(~np.isfinite(worth))
        raise BadValue(argument + place_, value, f"grades whose {formula.name} gain is finite")
    return worth


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
        deep = seen.ideal.shape[1]
        within = np.arange(deep) < ideal_depth(recipe, seen.lengths)
        best = np.where(within, seen.ideal, 0.0) @ weights(recipe, deep)
    return _finite(actual), np.broadcast_to(_finite(best), actual.shape)


def curve(recipe: Recipe, seen: Ranked) -> tuple[Array, Array]:
    """The cumulated gain of each ranking and of its ideal, rank by rank."""
    depth = _vector_depth(recipe, seen)
    discounts = weights(recipe, depth)
    actual = cumulated_gain(seen.gain_by_rank(depth) * discounts)
    with np.errstate(over="ignore", invalid="ignore"):
        if recipe.convention.ideal_depth == "all":
            best = (seen.ideal @ weights(recipe, seen.ideal.shape[1]))[:, None]
        else:
            ideal = Listed(seen.ideal).by_rank(depth)
            within = np.arange(depth) < ideal_depth(recipe, seen.lengths)
            best = np.cumsum(np.where(within, ideal, 0.0) * discounts, axis=1)
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


def share(recipe: Recipe, actual: Array, ideal: Array) -> Array:
    """The normalised value, as the convention has it."""
    found = ratio(actual, ideal, recipe.convention.empty)
    decimals = recipe.convention.decimals
    return found if decimals is None else found.round(decimals)


def ratio(actual: Array, ideal: Array, empty: Empty) -> Array:
    """Actual over ideal; where the ideal is not above zero, what the convention's `empty` says.

    Under `skip` those places are masked, so that a mean leaves them out.
    """
    some = ideal > 0
    if empty == "error" and not some.all():
        where = "".join(f"[{int(index[0])}]" for index in np.nonzero(~some))
        value = float(ideal[~some][0])
        raise BadValue(f"ideal{where}", value, "an ideal above zero (empty=error)")
    fill = float(empty) if empty in (0, 1) else 0.0
    with np.errstate(over="ignore"):  # a huge gain over a tiny ideal
        found = np.divide(actual, ideal, out=np.full(actual.shape, fill), where=some)
    if not np.isfinite(found).all():
        raise BadValue("ideal", float(ideal[~np.isfinite(found)][0]), "a larger ideal")
    found[np.abs(found - 1) < _ROUNDING] = 1.0  # the sums were added in different orders
    return np.ma.masked_array(found, mask=~some) if empty == "skip" else found


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
    if recipe.convention.score_bits == 32:
        largest = float(np.finfo(np.float32).max)  # stays above what is no document
        values = np.clip(values, -largest, largest).astype(np.float32).astype(np.float64)
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


def _by(recipe: Recipe) -> str:
    name = recipe.convention.name
    return f", like {name}" if name != "gainful" else ""
