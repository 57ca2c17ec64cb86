"""How low and how high a measure can come out, and whether these ends are reached."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from attrs import frozen

from gainful.errors import BadValue
from gainful.evidence.unjudged.binary_extremes import BinaryExtremes
from gainful.evidence.unjudged.cumulated_extremes import (
    CumulatedExtremes,
    build_grade_finder,
    recipe_gains,
)
from gainful.evidence.unjudged.gradable_run import GradableRun
from gainful.match.ties import TIE_POLICIES
from gainful.measure.compute import round_values
from gainful.measure.grade_gains import apply_fractional
from gainful.measure.recipe import Recipe
from gainful.types import Array, Flags, Ranks

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


def find_limits(gradable: GradableRun, recipe: Recipe, grades: Array, queries: Ranks) -> Limits:
    """The limits of these queries over all gradings of their open documents.

    Args:
        gradable: a run with its open documents.
        recipe: the measure.
        grades: those that may be given.
        queries: which queries.
    """
    candidates = _candidate_values(gradable, recipe, grades, queries)
    low, high = np.full(len(queries), np.nan), np.full(len(queries), np.nan)
    exact, optional = np.ones(len(queries), dtype=bool), np.zeros(len(queries), dtype=bool)
    reason = ""
    for at, query in enumerate(queries.tolist()):
        values = candidates.get(query)
        if values is None:
            low[at], high[at] = _outer_bounds(gradable, recipe, grades)
            exact[at], reason = False, _explain_inexact(gradable, recipe, grades)
            continue
        excluded = np.isnan(values)
        optional[at] = excluded.any() and not excluded.all()
        if not excluded.all():
            ends = np.array([np.nanmin(values), np.nanmax(values)])
            low[at], high[at] = round_values(recipe, ends)
    return Limits(low, high, exact, optional, reason)


def _candidate_values(
    gradable: GradableRun, recipe: Recipe, grades: Array, queries: Ranks
) -> dict[int, Array]:
    """Values among which the ends are, of the queries where that can be said."""
    entry = recipe.entry
    if _only_grades_decide(gradable, recipe, grades):
        if entry.extremes == "gains":
            extremes = CumulatedExtremes(gradable, recipe, grades)
            return _try_gradings(
                gradable,
                recipe,
                {q: extremes.extreme_gradings(q, gradable.query_docs(q)) for q in queries.tolist()},
            )
        if entry.extremes in _BY_COUNT:
            return _build_binary_extremes(gradable, recipe, grades).extremes(
                queries, entry.extremes
            )
        if entry.extremes == "uniform":
            return _try_gradings(
                gradable, recipe, _uniform_gradings(gradable, grades[[0, -1]], queries)
            )
        if entry.extremes == "best_grade":
            return _try_gradings(
                gradable, recipe, _best_grade_gradings(gradable, recipe, grades, queries)
            )
    gradings_by_query: dict[int, Array] = {}
    if entry.needs_subtopics and gradable.has_subtopics:
        return gradings_by_query  # a grade would be for a subtopic, and none is known
    for query in queries.tolist():
        gradings = every_grading(grades, len(gradable.query_docs(query).open))
        if gradings is not None:
            gradings_by_query[query] = gradings
    return _try_gradings(gradable, recipe, gradings_by_query)


def every_grading(grades: Array, size: int) -> Array | None:
    """All gradings of so many documents; None if that would be too many."""
    if len(grades) ** size > _MAX_GRADINGS:
        return None
    return np.array(list(product(grades.tolist(), repeat=size)), dtype=np.float64)


def _try_gradings(
    gradable: GradableRun, recipe: Recipe, gradings_by_query: Mapping[int, Array]
) -> dict[int, Array]:
    return dict(
        zip(gradings_by_query, gradable.values(recipe, gradings_by_query.items()), strict=True)
    )


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


def _build_binary_extremes(gradable: GradableRun, recipe: Recipe, grades: Array) -> BinaryExtremes:
    rel = float(recipe.function_arguments().get("rel", 1.0))
    relevant = apply_fractional(grades, recipe.convention, build_grade_finder(grades)) >= rel
    return BinaryExtremes(
        gradable,
        recipe,
        relevant=tuple(grades[relevant][-1:].tolist()),
        nonrelevant=tuple(grades[~relevant][-1:].tolist()),
        blind=not recipe.entry.sees_nonrelevant,
        rel=rel,
    )


def _uniform_gradings(gradable: GradableRun, grades: Array, queries: Ranks) -> dict[int, Array]:
    """All open documents of a query with the same grade."""
    sizes = {query: len(gradable.query_docs(query).open) for query in queries.tolist()}
    return {query: np.repeat(grades[:, None], size, axis=1) for query, size in sizes.items()}


def _best_grade_gradings(
    gradable: GradableRun, recipe: Recipe, grades: Array, queries: Ranks
) -> dict[int, Array]:
    """Every grade as the best one: all documents have it, or only that which counts least."""
    grades = grades[np.argsort(recipe_gains(recipe, grades), kind="stable")]
    gradings_by_query = _uniform_gradings(gradable, grades, queries)
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
        return "a document that stands twice counts twice"
    if TIE_POLICIES[convention.ties].needs == "grades":
        return f"ties={convention.ties} ranks documents by their grades"
    if entry.needs_subtopics:
        return "a grade would be one for some subtopic, and nobody knows which"
    if entry.registered:
        return "nothing is known of a measure of one's own"
    if (grades < 0).any():
        return "grades below 0 are among those that may be given"
    return "too many gradings to try them all"


def refuse_higher_grades(grades: Array, recipes: Mapping[str, Recipe], highest: float) -> None:
    """A grade above the best one would change what all others are worth, in all queries."""
    limit = highest if highest > 0 else 1.0
    for name, recipe in recipes.items():
        scales = "max_grade" in recipe.entry.arguments and recipe.convention.max_grade is None
        if scales and grades[-1] > limit:
            allowed = f"at most {limit:g}, by which {name} scales all grades; or set max_grade"
            raise BadValue("grades", float(grades[-1]), allowed)
