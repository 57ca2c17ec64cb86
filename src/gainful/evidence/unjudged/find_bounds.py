"""How much could documents that nobody judged change?

Every retrieved document without a judgment could have any grade; if it has one, it joins the
judged documents, of which the ideal is made. Over all such gradings each value has a smallest and
a largest one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Unpack

import numpy as np
from attrs import evolve

from gainful.convention import Convention
from gainful.errors import BadValue, WrongType
from gainful.evidence.unjudged.bounds import Bounds, describe_outside
from gainful.evidence.unjudged.gradable_run import GradableRun, build_gradable_run
from gainful.evidence.unjudged.limits import Limits, find_limits, refuse_higher_grades
from gainful.measure.evaluate import EvaluationSettings, Measures, build_recipes, evaluate_run
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.inputs import (
    AnyQrels,
    AnyRun,
    as_qrels,
    as_qrels_columns,
    as_run,
    as_run_columns,
    rag_path,
)
from gainful.read.lazy import LazyRun, collect_run
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.types import Array, Ranks

_GRADES = "grades as numbers, such as 0, 1, 2"


def unjudged(
    qrels: AnyQrels,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    grades: Iterable[float] | None = None,
    like: str | Convention | None = None,
    **settings: Unpack[EvaluationSettings],
) -> Bounds:
    """How much could the retrieved documents that nobody judged change?

    Args:
        qrels: whatever `evaluate` takes.
        run: whatever `evaluate` takes.
        measures: one or several; nDCG@10, AP and RR if none is named.
        grades: those that a document may get; by default 0 and every grade of the judgments.
        like: the tool whose habits to follow, by name or as a `Convention`.
        settings: single habits, such as `ties="input"`.

    Returns:
        `Bounds`: the smallest and the largest value of each query and of the mean, each marked
        exact (a grading gives it) or outer (no grading passes it).

    Examples:
        >>> judged = {"1": {"a": 2, "b": 1}}
        >>> bounds = unjudged(judged, {"1": ["new", "a", "b"]}, "nDCG@3")
        >>> [round(end, 4) for end in bounds.mean["nDCG@3"]]
        [0.6697, 0.6697, 1.0]
        >>> bounds.exact
        {'nDCG@3': True}
    """
    run = rag_path(qrels) if run is None else run
    if run is None:
        raise BadValue("run", None, "a run beside the judgments")
    convention, recipes = build_recipes(measures, like, settings)
    return find_bounds(as_qrels(qrels), as_run(run), recipes, convention, grades=grades)


def find_bounds(
    qrels: Qrels | NestedDict,
    run: Run | NestedDict | LazyRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
    name: str | None = None,
    *,
    grades: Iterable[float] | None = None,
) -> Bounds:
    """The bounds of one run, everything else being read and settled."""
    run = collect_run(run) if isinstance(run, LazyRun) else run
    results = evaluate_run(qrels, run, recipes, convention, name)
    columns = as_qrels_columns(qrels)
    allowed_grades = possible_grades(columns, grades)
    refuse_higher_grades(allowed_grades, recipes, float(columns.frame["grade"].max()))  # type: ignore[arg-type]
    run_columns = as_run_columns(run)
    gradable = build_gradable_run(columns, run_columns, convention, (run_columns,))
    limits_by_measure = {
        name: find_result_limits(gradable, recipe, results, name, allowed_grades)
        for name, recipe in _recipes(results)
    }
    bounds = Bounds(
        results=results,
        grades=tuple(allowed_grades.tolist()),
        limits=limits_by_measure,
        unjudged={
            name: _count_open_docs(gradable, recipe, results) for name, recipe in _recipes(results)
        },
        condensed=_condense_lists(qrels, run, results),
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


def _recipes(results: Results) -> Iterable[tuple[str, Recipe]]:
    return results.recipes.items()


def possible_grades(qrels: Qrels, grades: Iterable[float] | None) -> Array:
    """The grades that may be given, ascending."""
    if grades is None:
        judged_grades = qrels.frame["grade"].unique().to_numpy()
        return np.unique(np.append(judged_grades, 0.0))
    if isinstance(grades, (str, bytes)) or not isinstance(grades, Iterable):
        raise WrongType("grades", grades, _GRADES)
    grade_list = list(grades)
    for grade in grade_list:
        if isinstance(grade, bool) or not isinstance(grade, Real):
            raise WrongType("grades", grade, _GRADES)
        if not isfinite(grade):
            raise BadValue("grades", float(grade), "finite numbers")
    if not grade_list:
        raise BadValue("grades", grade_list, f"at least one; {_GRADES}")
    return np.unique(np.array(grade_list, dtype=np.float64))


def find_result_limits(
    gradable: GradableRun, recipe: Recipe, results: Results, name: str, grades: Array
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


def _flag_open_docs(gradable: GradableRun) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which documents of the pool are open."""
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isnan(
        gradable.known_grades[gradable.matched.pool_grade.astype(np.intp)]
    )
    return flags


def _count_open_docs(gradable: GradableRun, recipe: Recipe, results: Results) -> Ranks:
    """How many open documents each query has, as far down as the measure looks."""
    matched = gradable.matched
    cutoff = recipe.depth
    open_flags = np.isnan(gradable.known_grades[matched.grade.astype(np.intp)])
    open_flags &= True if cutoff is None else matched.by_id <= cutoff
    counts = np.bincount(matched.query[open_flags], minlength=len(matched.queries))
    query_index = gradable.query_index
    return counts[[query_index[query] for query in results.queries]]


def _condense_lists(
    qrels: Qrels | NestedDict, run: Run | NestedDict, results: Results
) -> dict[str, float | None]:
    """The means of condensed lists: what is unjudged is taken out, the others move up."""
    recipes = {
        name: evolve(recipe, convention=recipe.convention.with_settings(unjudged="remove"))
        for name, recipe in _recipes(results)
        if "unjudged" in recipe.entry.params
    }
    if not recipes:
        return dict.fromkeys(results.values)
    mean = evaluate_run(qrels, run, recipes, results.convention).mean
    return {
        name: None if name not in mean or np.isnan(mean[name]) else mean[name]
        for name in results.values
    }
