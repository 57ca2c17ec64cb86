"""Cumulated gain: grades → gains → the sum over ranks, discounted and normalised or not.

The one place where CG, DCG, the ideal and their ratio are computed, for all rankings at once.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from gainful.convention import Empty
from gainful.errors import BadValue
from gainful.match import Listed, Placed, place
from gainful.measure.recipe import Recipe
from gainful.read import Rows

Array = NDArray[np.float64]


@frozen(eq=False)
class Ranked:
    """What a measure sees: gains at their ranks, and those of the ideal ranking."""

    placed: Listed | Placed
    ideal: Array  # descending; one row per ranking, or one for all of them
    lengths: NDArray[np.intp]  # how many documents each ranking has
    lowest_grade: float | None  # of the documents that fill short lists up to k, if any do
    lowest: float  # what those are worth


def ranked(recipe: Recipe, grades: Rows, scores: Rows | None, judged: Rows | None) -> Ranked:
    """Turn grades into gains, put them in the order of their scores, and make the ideal."""
    worth = gains(recipe, grades, "grades")
    source = ideal_source(recipe, grades, judged)
    pool = worth if source is grades else gains(recipe, source, "judged")
    ideal = ideal_gains(pool, source, recipe.convention.negative == "in_ideal")
    placed = place(worth, _sortable(scores), recipe.convention.ties)
    grade, lowest = None, 0.0
    if recipe.convention.short == "minimum":
        grade = _lowest_grade(recipe, grades, judged)
        one = Rows(np.array([[grade]]), np.ones(1, dtype=np.intp), ())
        lowest = float(gains(recipe, one, "grades")[0, 0])
    return Ranked(placed, ideal, grades.lengths, grade, lowest)


def ideal_source(recipe: Recipe, grades: Rows, judged: Rows | None) -> Rows:
    """The documents that the ideal ranking is made of."""
    return grades if judged is None or recipe.convention.ideal == "list" else judged


def gains(recipe: Recipe, grades: Rows, argument: str) -> Array:
    """What each document is worth, negative and fractional grades as the convention has it."""
    habits, formula, values = recipe.convention, recipe.gain, grades.values
    if habits.grade_bits == 32:
        with np.errstate(over="ignore"):  # an infinite gain is refused below
            values = values.astype(np.float32).astype(np.float64)
    if habits.fractional != "keep":
        whole = np.trunc(values)
        if habits.fractional == "error" and (whole != values).any():
            place, value = grades.find(whole != values)
            raise BadValue(
                argument + place, value, f"whole numbers (fractional=error{_by(recipe)})"
            )
        values = whole
    negative = values < 0
    some = bool(negative.any())
    if some and habits.negative == "error":
        place, value = grades.find(negative)
        raise BadValue(argument + place, value, f"grades from 0 on (negative=error{_by(recipe)})")
    present = grades.present
    if formula.grades:
        unknown = ~np.isin(values, formula.grades)
        unknown = unknown if present is None else unknown & present
        if unknown.any():
            place, value = grades.find(unknown)
            known = ", ".join(f"{grade:g}" for grade in formula.grades)
            raise BadValue(argument + place, value, f"grades in the gain table: {known}")
    worth = formula.at(values)
    if some and habits.negative == "zero" and not formula.signed:
        worth = np.where(negative, 0.0, worth)
    if present is not None:
        worth = np.where(present, worth, 0.0)
    if not np.isfinite(worth).all():
        place, value = grades.find(~np.isfinite(worth))
        raise BadValue(argument + place, value, f"grades whose {formula.name} gain is finite")
    return worth


def ideal_gains(worth: Array, pool: Rows, with_negative: bool) -> Array:
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
        place = np.arange(row.size) - (np.cumsum(count) - count)[row]
        packed = np.full((len(worth), max(1, int(count.max()))), np.inf)
        packed[row, place] = -worth[row, column]
    packed.sort(axis=1)
    return np.where(np.isinf(packed), 0.0, -packed)


def weights(recipe: Recipe, depth: int) -> Array:
    """What is left of a gain at ranks 1 … depth."""
    return recipe.discount.at(np.arange(1, depth + 1))


def total(recipe: Recipe, seen: Ranked) -> tuple[Array, Array]:
    """The gain of each ranking and of its ideal, as one number each."""
    depth = _depth(recipe, seen)
    discounts = weights(recipe, depth)
    actual = seen.placed.weighted(discounts)
    if seen.lowest:
        actual = actual + np.where(_lacking(seen, depth), seen.lowest, 0.0) @ discounts
    deep = seen.ideal.shape[1]
    within = np.arange(deep) < ideal_depth(recipe, seen.lengths)
    best = np.where(within, seen.ideal, 0.0) @ weights(recipe, deep)
    return actual, np.broadcast_to(best, actual.shape)


def curve(recipe: Recipe, seen: Ranked) -> tuple[Array, Array]:
    """The cumulated gain of each ranking and of its ideal, rank by rank."""
    depth = _depth(recipe, seen)
    discounts = weights(recipe, depth)
    gain = seen.placed.by_rank(depth)
    if seen.lowest:
        gain = np.where(_lacking(seen, depth), seen.lowest, gain)
    actual = np.cumsum(gain * discounts, axis=1)
    if recipe.convention.ideal_depth == "all":
        best = (seen.ideal @ weights(recipe, seen.ideal.shape[1]))[:, None]
    else:
        ideal = Listed(seen.ideal).by_rank(depth)
        within = np.arange(depth) < ideal_depth(recipe, seen.lengths)
        best = np.cumsum(np.where(within, ideal, 0.0) * discounts, axis=1)
    return actual, np.broadcast_to(best, actual.shape)


def _depth(recipe: Recipe, seen: Ranked) -> int:
    return recipe.k if recipe.k is not None else int(seen.lengths.max())


def _lacking(seen: Ranked, depth: int) -> NDArray[np.bool_]:
    """The ranks that a ranking is too short to fill."""
    return np.arange(depth) >= seen.lengths[:, None]


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
        raise BadValue(f"ideal{where}", 0.0, "an ideal above zero (empty=error)")
    fill = float(empty) if empty in (0, 1) else 0.0
    share = np.divide(actual, ideal, out=np.full(actual.shape, fill), where=some)
    return np.ma.masked_array(share, mask=~some) if empty == "skip" else share


def ideal_depth(recipe: Recipe, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """How deep each ideal goes, as a column."""
    deepest = np.iinfo(np.intp).max
    habit = recipe.convention.ideal_depth
    cut = deepest if recipe.k is None or habit == "all" else recipe.k
    own = lengths if habit == "retrieved" else np.full(1, deepest, dtype=np.intp)
    return np.minimum(own, cut)[:, None]


def _sortable(scores: Rows | None) -> Array | None:
    """Scores with what is no document at the very end."""
    if scores is None:
        return None
    present = scores.present
    return scores.values if present is None else np.where(present, scores.values, -np.inf)


def _lowest_grade(recipe: Recipe, grades: Rows, judged: Rows | None) -> float:
    """The lowest grade there is: that of the gain table, or 0, or less if lower ones occur."""
    if recipe.gain.grades:
        return min(recipe.gain.grades)
    pools = [rows.values.min() for rows in (grades, judged) if rows is not None]
    return float(min(0.0, *pools))


def _by(recipe: Recipe) -> str:
    name = recipe.convention.name
    return f", like {name}" if name != "gainful" else ""
