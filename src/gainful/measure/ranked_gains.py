"""Grades → gains at their ranks, and those of the ideal ranking: of arrays and of runs."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from gainful.match import OrderedGains, PlacedGains, rank_gains
from gainful.match.ideal import rank_ideally, sort_rows_ideally
from gainful.match.matched import reduce_precision
from gainful.match.ties import place_ties
from gainful.measure.grade_gains import grade_gains
from gainful.measure.ranked_run import RankedRun
from gainful.measure.recipe import Recipe
from gainful.read import RankingMatrix
from gainful.types import Array

_UNLIMITED = int(np.iinfo(np.intp).max)


@frozen(eq=False, kw_only=True)
class RankedGains:
    """What cumulated gain needs: gains at their ranks, and those of the ideal ranking."""

    actual: OrderedGains | PlacedGains
    ideal: OrderedGains | PlacedGains  # descending; one row per ranking, or one for all of them
    lengths: NDArray[np.intp]  # how many documents each ranking has
    fill: Array  # what a document is worth that fills a short ranking up to k, as a column

    def gain_by_rank(self, depth: int) -> Array:
        """The gain at ranks 1 … depth of each ranking, as a matrix."""
        gain = self.actual.gains_by_rank(depth)
        if not self.fill.any():
            return gain
        return np.where(np.arange(depth) >= self.lengths[:, None], self.fill, gain)


@frozen(eq=False, kw_only=True)
class RankedRows(RankedGains):
    """Gains of rankings that are arrays of grades, with the grades themselves."""

    grades: RankingMatrix  # the rankings that count
    source: RankingMatrix  # the documents that the ideal is made of
    filling: (
        RankingMatrix | None
    )  # the lowest grade of each ranking, if short ones are filled up to k


def rank_row_gains(
    recipe: Recipe,
    grades: RankingMatrix,
    scores: RankingMatrix | None,
    judged: RankingMatrix | None,
) -> RankedRows:
    """Turn grades into gains, put them in the order of their scores, and make the ideal."""
    if recipe.convention.negative == "remove":
        unwanted = grades.values < 0
        scores = None if scores is None else scores.drop(unwanted)
        grades = grades.drop(unwanted)
        judged = None if judged is None else judged.drop(judged.values < 0)
    gains = row_gains(recipe, grades, "grades")
    source = grades if judged is None or recipe.convention.ideal == "list" else judged
    pool_gains = gains if source is grades else row_gains(recipe, source, "judged")
    ideal = ideal_gains(pool_gains, source, with_negative=recipe.convention.negative == "in_ideal")
    sort_keys = None if recipe.entry.gain_of == "ideal" else _sort_keys(recipe, scores)
    deepest = _UNLIMITED if recipe.k is None else recipe.k
    actual = rank_gains(gains, sort_keys, recipe.convention.ties, deepest)
    filling, fill = None, np.zeros((1, 1))
    if recipe.convention.short == "minimum":
        filling = _lowest_grades(recipe, grades, judged)
        fill = row_gains(recipe, filling, "grades")
    return RankedRows(
        actual=actual,
        ideal=OrderedGains(ideal),
        lengths=grades.lengths,
        fill=fill,
        grades=grades,
        source=source,
        filling=filling,
    )


def rank_run_gains(recipe: Recipe, ranked: RankedRun) -> RankedGains:
    """The gains of a run's judged documents at their ranks, and the ideal from the judgments."""
    convention, formula = recipe.convention, recipe.gain
    gain = ranked.gains(formula)
    nonzero = gain != 0
    first, last = place_ties(convention.ties, ranked, gain)
    query = ranked.query[nonzero]
    actual = PlacedGains(ranked.size, query, query, gain[nonzero], first[nonzero], last[nonzero])
    fill = np.zeros((1, 1))
    if convention.short == "minimum":
        fill = _lowest_gain(recipe, ranked)[:, None]
    return RankedGains(
        actual=actual, ideal=_place_ideal(recipe, ranked, gain), lengths=ranked.retrieved, fill=fill
    )


def _place_ideal(recipe: Recipe, ranked: RankedRun, gain: Array) -> PlacedGains:
    """The most valuable documents first, of the pool or of the ranking itself."""
    convention = recipe.convention
    from_list = convention.ideal == "list"
    query = ranked.query if from_list else ranked.pool_query
    ideal_gain = gain if from_list else ranked.pool_gains(recipe.gain)
    wanted = (
        np.ones(len(ideal_gain), dtype=bool)
        if convention.negative == "in_ideal"
        else ideal_gain > 0
    )
    ideal = rank_ideally(query[wanted], ideal_gain[wanted])
    rank = ideal.rank
    if (
        from_list and convention.negative == "in_ideal"
    ):  # what is unjudged stands before what is bad
        unjudged = ranked.retrieved - np.bincount(ideal.query, minlength=ranked.size)
        rank = np.where(ideal.gain < 0, rank + unjudged[ideal.query], rank)
    return PlacedGains(ranked.size, ideal.query, ideal.query, ideal.gain, rank, rank)


def _lowest_gain(recipe: Recipe, ranked: RankedRun) -> Array:
    """What the lowest grade of each query is worth: that of the gain table, or 0, or less."""
    lowest_grade = np.zeros(ranked.size)
    if recipe.gain.grades:
        lowest_grade += min(recipe.gain.grades)
    else:
        np.minimum.at(lowest_grade, ranked.pool_query, ranked.pool_grade)
    all_queries = np.arange(ranked.size)
    return grade_gains(
        lowest_grade,
        recipe.gain,
        recipe.convention,
        ranked.grade_finder(all_queries, lowest_grade),
        None,
    )


def row_gains(recipe: Recipe, grades: RankingMatrix, argument: str) -> Array:
    """What each document is worth, negative and fractional grades as the convention has it."""

    def find(flags: NDArray[np.bool_]) -> tuple[str, float]:
        location, value = grades.find(flags)
        return argument + location, value

    return grade_gains(grades.values, recipe.gain, recipe.convention, find, grades.present)


def ideal_gains(gains: Array, pool: RankingMatrix, *, with_negative: bool) -> Array:
    """Gains of the ideal: the most valuable first; they end before the first worthless one.

    Gains below zero are left out, unless the convention wants the ideal to end with them.
    """
    wanted = gains > 0
    if with_negative:
        wanted = np.ones_like(wanted) if pool.present is None else pool.present
    return sort_rows_ideally(gains, wanted)


def _sort_keys(recipe: Recipe, scores: RankingMatrix | None) -> Array | None:
    """Scores as precise as the convention has them, what is no document at the very end."""
    if scores is None:
        return None
    values, present = scores.values, scores.present
    values = reduce_precision(values, recipe.convention.score_bits).astype(np.float64)
    lowest = np.finfo(np.float64).min  # above what is no document
    return values if present is None else np.where(present, np.maximum(values, lowest), -np.inf)


def _lowest_grades(
    recipe: Recipe, grades: RankingMatrix, judged: RankingMatrix | None
) -> RankingMatrix:
    """The lowest grade there is: that of the gain table, or 0, or less if lower ones occur."""
    if recipe.gain.grades:
        lowest = np.full(len(grades.values), min(recipe.gain.grades))
    else:
        lowest = np.minimum(grades.values.min(axis=1), 0.0)
        if judged is not None:
            lowest = np.minimum(lowest, judged.values.min(axis=1))
    return RankingMatrix(lowest[:, None], np.ones(len(lowest), dtype=np.intp), grades.shape)
