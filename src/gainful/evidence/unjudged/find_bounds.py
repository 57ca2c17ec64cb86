"""How much could documents that nobody judged change?

Every retrieved document without a judgment could have any grade; if it has one, it joins the
judged documents, of which the ideal is made. Over all such gradings each value has a smallest and
a largest one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, WrongType
from gainful.evidence.unjudged.bounds import Bounds, describe_outside
from gainful.evidence.unjudged.gradable_run import GradableRun
from gainful.evidence.unjudged.limits import Limits, find_limits, refuse_higher_grades
from gainful.match.rankings import MatchedRun
from gainful.measure.evaluate import measure_run
from gainful.measure.recipe import Recipe
from gainful.measure.run_values import RunValues
from gainful.read.qrels_and_run import Qrels
from gainful.types import Array, Flags, Ranks, is_number

_GRADES = "grades as numbers, such as 0, 1, 2"


def find_bounds(
    results: RunValues,
    gradable: GradableRun,
    grades: Array,
    condensed: Mapping[str, float | None],
) -> Bounds:
    """The bounds of one run.

    Args:
        results: its values as they are.
        gradable: its documents, those included that nobody judged.
        grades: those that may be given, ascending.
        condensed: the mean of each measure, unjudged documents being taken out.
    """
    limits_by_measure = {
        name: find_result_limits(gradable, recipe, results, name, grades)
        for name, recipe in results.recipes.items()
    }
    bounds = Bounds(
        results=results,
        grades=tuple(grades.tolist()),
        limits=limits_by_measure,
        unjudged={
            name: _count_open_docs(gradable, recipe, results)
            for name, recipe in results.recipes.items()
        },
        condensed=condensed,
        gradable=gradable,
    )
    outside_notes = [describe_outside(name, ends) for name, ends in bounds.mean.items()]
    inexact_notes = [
        f"{name} is not exact: {limits.reason}"
        for name, limits in limits_by_measure.items()
        if limits.reason
    ]
    return evolve(
        bounds, notes=[*results.notes, *inexact_notes, *(note for note in outside_notes if note)]
    )


def possible_grades(
    qrels: Qrels, grades: Iterable[float] | None, recipes: Mapping[str, Recipe]
) -> Array:
    """The grades that may be given, ascending; what these measures cannot take is refused."""
    judged_grades = qrels.frame["grade"].to_numpy()
    allowed = np.unique(np.append(judged_grades, 0.0)) if grades is None else _check_grades(grades)
    refuse_higher_grades(allowed, recipes, float(judged_grades.max()))
    return allowed


def _check_grades(grades: Iterable[float]) -> Array:
    if isinstance(grades, (str, bytes)) or not isinstance(grades, Iterable):
        raise WrongType("grades", grades, _GRADES)
    grade_list = list(grades)
    for grade in grade_list:
        if not is_number(grade):
            raise WrongType("grades", grade, _GRADES)
        if not isfinite(grade):
            raise BadValue("grades", float(grade), "finite numbers")
    if not grade_list:
        raise BadValue("grades", grade_list, f"at least one; {_GRADES}")
    return np.unique(np.array(grade_list, dtype=np.float64))


def find_result_limits(
    gradable: GradableRun, recipe: Recipe, results: RunValues, name: str, grades: Array
) -> Limits:
    """The limits of all queries that count; those without open documents stay as they are."""
    values: Array = np.ma.filled(np.ma.asarray(results.values[name], dtype=np.float64), np.nan)
    query_index = gradable.query_index
    rows = np.array([query_index[query] for query in results.queries], dtype=np.intp)
    open_counts = np.bincount(
        gradable.matched.pool_query[_flag_open_docs(gradable)],
        minlength=len(gradable.matched.queries),
    )
    affected = np.flatnonzero((open_counts[rows] > 0) & gradable.matched.judged[rows])
    open_limits = find_limits(gradable, recipe, grades, rows[affected])
    low, high = values.copy(), values.copy()
    exact, optional = np.ones(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    low[affected], high[affected] = open_limits.low, open_limits.high
    exact[affected], optional[affected] = open_limits.exact, open_limits.optional
    return Limits(low, high, exact, optional, open_limits.reason)


def _flag_open_docs(gradable: GradableRun) -> Flags:
    """Which documents of the pool are open."""
    flags: Flags = np.isnan(gradable.known_grades[gradable.matched.pool_grade.astype(np.intp)])
    return flags


def _count_open_docs(gradable: GradableRun, recipe: Recipe, results: RunValues) -> Ranks:
    """How many open documents each query has, as far down as the measure looks."""
    matched = gradable.matched
    cutoff = recipe.depth
    open_flags = np.isnan(gradable.known_grades[matched.grade.astype(np.intp)])
    open_flags &= True if cutoff is None else matched.by_id <= cutoff
    counts = np.bincount(matched.query[open_flags], minlength=len(matched.queries))
    query_index = gradable.query_index
    return counts[[query_index[query] for query in results.queries]]


def condense_lists(matched: MatchedRun, results: RunValues) -> dict[str, float | None]:
    """The means of condensed lists: what is unjudged is taken out, the others move up."""
    recipes = {
        name: evolve(recipe, convention=recipe.convention.with_settings(unjudged="remove"))
        for name, recipe in results.recipes.items()
        if "unjudged" in recipe.entry.params
    }
    if not recipes:
        return dict.fromkeys(results.values)
    mean = measure_run(matched, recipes, results.convention).mean
    return {
        name: None if name not in mean or np.isnan(mean[name]) else mean[name]
        for name in results.values
    }
