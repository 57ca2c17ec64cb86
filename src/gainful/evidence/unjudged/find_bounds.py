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
from gainful.evidence.unjudged.bounds import Bounds, outside
from gainful.evidence.unjudged.gradable_run import Gradings, cut_of, gradings
from gainful.evidence.unjudged.limits import Limits, limits, refuse_higher
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.measure.evaluate import Habits, Measures, asked_for, of_run
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.read.inputs import (
    AnyJudgments,
    AnyRun,
    as_columns,
    as_judgments,
    as_run,
    as_run_columns,
    path_of_both,
)
from gainful.read.lazy import Elsewhere, brought
from gainful.read.qrels_and_run import Judgments, Nested, Run

_GRADES = "grades as numbers, such as 0, 1, 2"


def unjudged(
    qrels: AnyJudgments,
    run: AnyRun | None = None,
    measures: Measures | None = None,
    *,
    grades: Iterable[float] | None = None,
    like: str | Convention | None = None,
    **habits: Unpack[Habits],
) -> Bounds:
    """How much could the retrieved documents that nobody judged change?

    Args:
        judgments: whatever `evaluate` takes.
        run: whatever `evaluate` takes.
        measures: one or several; nDCG@10, AP and RR if none is named.
        grades: those that a document may get; by default 0 and every grade of the judgments.
        like: the tool whose habits to follow, by name or as a `Convention`.
        habits: single habits, such as `ties="input"`.

    Returns:
        `Bounds`: the smallest and the largest value of each query and of the mean, each marked
        exact (a grading gives it) or outer (no grading passes it).

    Examples:
        >>> judged = {"1": {"a": 2, "b": 1}}
        >>> found = unjudged(judged, {"1": ["new", "a", "b"]}, "nDCG@3")
        >>> [round(end, 4) for end in found.mean["nDCG@3"]]
        [0.6697, 0.6697, 1.0]
        >>> found.exact
        {'nDCG@3': True}
    """
    run = path_of_both(qrels) if run is None else run
    if run is None:
        raise BadValue("run", None, "a run beside the judgments")
    base, recipes = asked_for(measures, like, habits)
    return of_open(as_judgments(qrels), as_run(run), recipes, base, grades=grades)


def of_open(
    qrels: Judgments | Nested,
    run: Run | Nested | Elsewhere,
    recipes: Mapping[str, Recipe],
    base: Convention,
    name: str | None = None,
    *,
    grades: Iterable[float] | None = None,
) -> Bounds:
    """The bounds of one run, everything else being read and settled."""
    run = brought(run) if isinstance(run, Elsewhere) else run
    results = of_run(qrels, run, recipes, base, name)
    columns = as_columns(qrels)
    given = grades_of(columns, grades)
    refuse_higher(given, recipes, float(columns.frame["grade"].max()))  # type: ignore[arg-type]
    shown = as_run_columns(run)
    held = gradings(columns, shown, base, (shown,))
    found = {name: limits_of(held, how, results, name, given) for name, how in _recipes(results)}
    bounds = Bounds(
        results=results,
        grades=tuple(given.tolist()),
        limits=found,
        unjudged={name: _counted(held, how, results) for name, how in _recipes(results)},
        condensed=_condensed(qrels, run, results),
    )
    odd = [outside(name, ends) for name, ends in bounds.mean.items()]
    why = [f"{name} is not exact: {held.reason}" for name, held in found.items() if held.reason]
    return evolve(bounds, notes=[*results.notes, *why, *(note for note in odd if note)])


def _recipes(results: Results) -> Iterable[tuple[str, Recipe]]:
    return results.recipes.items()


def grades_of(qrels: Judgments, grades: Iterable[float] | None) -> Array:
    """The grades that may be given, ascending."""
    if grades is None:
        known = qrels.frame["grade"].unique().to_numpy()
        return np.unique(np.append(known, 0.0))
    if isinstance(grades, (str, bytes)) or not isinstance(grades, Iterable):
        raise WrongType("grades", grades, _GRADES)
    found = list(grades)
    for one in found:
        if isinstance(one, bool) or not isinstance(one, Real):
            raise WrongType("grades", one, _GRADES)
        if not isfinite(one):
            raise BadValue("grades", float(one), "finite numbers")
    if not found:
        raise BadValue("grades", found, f"at least one; {_GRADES}")
    return np.unique(np.array(found, dtype=np.float64))


def limits_of(held: Gradings, recipe: Recipe, results: Results, name: str, grades: Array) -> Limits:
    """The limits of all queries that count; those without open documents stay as they are."""
    values: Array = np.ma.filled(np.ma.asarray(results.values[name], dtype=np.float64), np.nan)
    place = held.place
    rows = np.array([place[query] for query in results.queries], dtype=np.intp)
    open_ = np.bincount(held.found.pool_query[_open(held)], minlength=len(held.found.queries))
    some = np.flatnonzero((open_[rows] > 0) & held.found.judged[rows])
    found = limits(held, recipe, grades, rows[some])
    low, high = values.copy(), values.copy()
    exact, optional = np.ones(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    low[some], high[some] = found.low, found.high
    exact[some], optional[some] = found.exact, found.optional
    return Limits(low, high, exact, optional, found.reason)


def _open(held: Gradings) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which documents of the pool are open."""
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isnan(
        held.known[held.found.pool_grade.astype(np.intp)]
    )
    return flags


def _counted(held: Gradings, recipe: Recipe, results: Results) -> Ranks:
    """How many open documents each query has, as far down as the measure looks."""
    found = held.found
    cut = cut_of(recipe)
    some = np.isnan(held.known[found.grade.astype(np.intp)])
    some &= True if cut is None else found.by_id <= cut
    counts = np.bincount(found.query[some], minlength=len(found.queries))
    place = held.place
    return counts[[place[query] for query in results.queries]]


def _condensed(
    qrels: Judgments | Nested, run: Run | Nested, results: Results
) -> dict[str, float | None]:
    """The means of condensed lists: what is unjudged is taken out, the others move up."""
    recipes = {
        name: evolve(how, convention=how.convention.changed(unjudged="remove"))
        for name, how in _recipes(results)
        if "unjudged" in how.measure.entry.params
    }
    if not recipes:
        return dict.fromkeys(results.values)
    mean = of_run(qrels, run, recipes, results.convention).mean
    return {
        name: None if name not in mean or np.isnan(mean[name]) else mean[name]
        for name in results.values
    }
