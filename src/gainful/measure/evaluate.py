"""A matched run and recipes → `QueryResults`: which queries count, and the value of each."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from attrs import evolve

from gainful.convention import Convention
from gainful.errors import BadInput, BadValue, NoIdeal, NothingInCommon
from gainful.match.matched import Matched
from gainful.measure import notes
from gainful.measure.entry import Recipe
from gainful.measure.ranked_run import RankedRun, compute_measure, rank_run
from gainful.measure.results import QueryResults
from gainful.types import Array, Flags

# Measures of one view see the same ranking.
find_view = attrgetter("ties", "unjudged", "unjudged_grade", "negative", "fractional", "grade_bits")


def measure_run(
    matched: Matched, recipes: Mapping[str, Recipe], convention: Convention, name: str | None = None
) -> QueryResults:
    """The results of a run that is matched already."""
    qrels, run = matched.qrels, matched.run
    mixed_ids = notes.note_id_types(qrels, run)
    if mixed_ids and not matched.query.size:
        raise NothingInCommon(run.name, f"none of it is judged: {mixed_ids[0]}", notes.SAME_ID_TYPE)
    matched.refuse_nothing_in_common(run.name)
    recipes = {
        key: with_max_grade(recipe, matched.highest_grade) for key, recipe in recipes.items()
    }
    kept = choose_queries(matched, convention, run.name)
    results = QueryResults(
        unit=getattr(qrels, "unit", "query"),
        name=name or run.name,
        ids=matched.query_names(kept),
        values=compute_measures(matched.select_queries(kept), recipes, matched.views),
        recipes=recipes,
        convention=convention,
        counts=notes.count_documents(qrels, matched, kept),
        numeric_ids=getattr(qrels, "ids", {}).get("query") == "whole numbers",
    )
    return evolve(results, notes=notes.list_notes(results, matched))


def with_max_grade(recipe: Recipe, highest: float) -> Recipe:
    """The best grade is that of all judgments, whichever queries the run has."""
    if "max_grade" not in recipe.entry.arguments or recipe.convention.max_grade is not None:
        return recipe
    if recipe.convention.fractional == "truncate":
        highest = float(int(highest))
    convention = recipe.convention.with_settings(max_grade=highest or 1.0)
    return evolve(recipe, convention=convention)


def compute_measures(
    matched: Matched, recipes: Mapping[str, Recipe], views: dict[object, RankedRun] | None = None
) -> dict[str, Array]:
    """The value of every query and measure, queries that do not count included.

    What was ranked on the way is put into `views`.
    """
    views = {} if views is None else views
    values = {}
    for key, recipe in recipes.items():
        convention = recipe.ranking_convention
        view = find_view(convention)
        if view not in views:
            views[view] = rank_run(matched, convention)
        values[key] = compute_ranked(views[view], recipe)
    return values


def compute_ranked(ranked: RankedRun, recipe: Recipe) -> Array:
    """The value of every query of a ranked run, masked where the convention leaves one out."""
    if recipe.entry.of_items:  # which `add_exposure` computes
        allowed = f"measures of judged rankings: {recipe.entry.name} is of items"
        raise BadValue("measure", str(recipe.measure), allowed)
    try:
        values = compute_measure(recipe, ranked)
    except NoIdeal as error:
        place = f"the ideal of query {ranked.queries[error.index[0]]!r}"
        raise NoIdeal(error.index, error.value, place) from None
    convention = recipe.convention
    zero = ranked.judged & ~ranked.in_run & (convention.empty == 1)
    if convention.extra == "zero":
        zero |= ~ranked.judged
    if convention.no_hits == "zero" and not ranked.top(recipe.depth).any():
        zero |= True
    if recipe.entry.normalised:
        values[zero] = 0.0
    return values


def choose_queries(matched: Matched, convention: Convention, run_name: str) -> Flags:
    """The queries that count; some must not be missing, or extra, if the convention says so."""
    missing, extra = matched.judged & ~matched.in_run, ~matched.judged
    for flags, setting, problem in (
        (missing, "missing", "is judged, but the run lacks it"),
        (extra, "extra", "is in the run, but has no judgments"),
    ):
        if getattr(convention, setting) == "error" and flags.any():
            names = matched.query_names(flags)
            more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
            allowed = f"another value than error for the setting {setting}"
            raise BadInput(run_name, f"query {names[0]!r} {problem}{more}", allowed)
    return find_counting(matched, convention)


def find_counting(matched: Matched, convention: Convention) -> Flags:
    """The queries that count, where none is refused."""
    kept = matched.judged & (matched.in_run | (convention.missing != "skip"))
    return kept if convention.extra == "ignore" else kept | ~matched.judged
