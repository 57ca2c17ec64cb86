"""A matched run and recipes → `Results`: which queries count, and the value of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve

from gainful.convention import (
    SETTINGS,
    Convention,
    Duplicates,
    Extra,
    FirstRank,
    Missing,
    Namesake,
    RecallPoints,
    SettingValue,
    like as like_whom,
)
from gainful.errors import BadInput, BadValue, NoIdeal, NothingInCommon, UnknownName
from gainful.formula import NamedFormula
from gainful.match.matched import Matched
from gainful.match.rankings import MatchedRun
from gainful.match.ties import TIE_POLICIES
from gainful.measure import notes
from gainful.measure.build_recipe import Options, build_recipe
from gainful.measure.compute import compute_measure
from gainful.measure.formulas import as_gain
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.ranked_run import RankedRun, rank_run
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.types import Array, Flags

Measures = str | Measure | Iterable[str | Measure]
USUAL_MEASURES = ("nDCG@10", "AP", "RR")


class EvaluationSettings(Options, total=False):
    """What may be set in an evaluation: every field of a convention."""

    max_grade: float
    cutoff: int
    missing: Missing
    extra: Extra
    duplicates: Duplicates
    namesake: Namesake
    score_bits: int
    grade_bits: int
    recall_points: RecallPoints
    first_rank: FirstRank
    decimals: int


def usual_measures(convention: Convention) -> tuple[str, ...]:
    """The measures that are computed if none is named, as far as the convention allows them."""
    return USUAL_MEASURES[:1] if TIE_POLICIES[convention.ties].averages else USUAL_MEASURES


def build_recipes(
    measures: Measures | None, like: str | Convention | None, settings: Mapping[str, Any]
) -> tuple[Convention, dict[str, Recipe]]:
    """The convention, and each measure by the caller's name for it, everything settled."""
    convention = build_convention(like, settings)
    measures = usual_measures(convention) if measures is None else measures
    recipes = {
        name: _build_recipe(measure, convention, settings)
        for name, measure in expand(measures).items()
    }
    _check_settings_use(settings, recipes)
    return convention, recipes


def build_convention(like: str | Convention | None, settings: Mapping[str, Any]) -> Convention:
    """A tool's habits with some of them changed."""
    changes = {name: value for name, value in settings.items() if value is not None}
    for name in changes:
        if name not in SETTINGS:
            raise UnknownName("option", name, [*SETTINGS, "measures", "like", "runs"])
    return like_whom(like).with_settings(
        **{name: _as_setting(name, value) for name, value in changes.items()}
    )


def _as_setting(name: str, value: Any) -> SettingValue:
    if name in ("gain", "discount") and not isinstance(value, str):
        return value.name if isinstance(value, NamedFormula) else as_gain(value).name
    return value  # type: ignore[no-any-return]  # `Convention` checks it


def _build_recipe(measure: Measure, convention: Convention, settings: Mapping[str, Any]) -> Recipe:
    """The measure with what was asked for, as far as it is any of its business."""
    if measure.entry.session:
        allowed = "measures of single rankings; gainful.evaluate_sessions and gainful sessions"
        raise BadValue("measure", str(measure), f"{allowed} take those of sessions")
    params = measure.entry.params
    options: dict[str, Any] = {
        name: settings[name]
        for name in ("gain", "discount")
        if settings.get(name) is not None and name in params
    }
    return build_recipe(measure, options=options, like_whom=convention)


def _check_settings_use(settings: Mapping[str, Any], recipes: Mapping[str, Recipe]) -> None:
    """A parameter that no measure has is a mistake, not a silence."""
    for name in ("b", "rel", "gain", "discount", "cutoff", "max_grade"):
        if settings.get(name) is None:
            continue
        used = any(_uses(recipe, name) for recipe in recipes.values())
        if not used:
            raise BadValue(name, settings[name], f"nothing: no measure asked for uses {name}")


def _uses(recipe: Recipe, name: str) -> bool:
    entry = recipe.entry
    if name in dict(recipe.params):  # what the measure says itself wins
        return False
    if name == "cutoff":
        return entry.cutoff_kind == "optional" and recipe.cutoff is None
    if name == "rel":
        return "rel" in entry.arguments or (
            "gain" in entry.params and "rel" in recipe.gain.param_values
        )
    if name == "b":
        return "discount" in entry.params and "b" in recipe.discount.param_values
    return name in entry.params


def evaluate_matched(
    matched_run: MatchedRun,
    recipes: Mapping[str, Recipe],
    convention: Convention,
    name: str | None = None,
) -> Results:
    """The results of a run that is matched already."""
    qrels, run, matched = matched_run.qrels, matched_run.run, matched_run.matched
    mixed_ids = notes.note_id_types(qrels, run)
    if mixed_ids and not matched.query.size:
        raise NothingInCommon(
            run.name, f"nothing of it is judged: {mixed_ids[0]}", notes.SAME_ID_TYPE
        )
    matched.refuse_nothing_in_common(run.name)
    recipes = {
        key: with_max_grade(recipe, matched.highest_grade) for key, recipe in recipes.items()
    }
    kept = choose_queries(matched, convention, run.name)
    values = compute_measures(matched.select_queries(kept), recipes)
    return Results(
        name=name or run.name,
        queries=matched.query_names(kept),
        values=values,
        recipes=recipes,
        convention=convention,
        counts=notes.count_documents(matched, kept),
        notes=[
            *getattr(run, "notes", ()),
            *mixed_ids,
            *notes.note_lazy_ties(run, matched),
            *notes.note_odd_values(values, recipes),
            *notes.note_subtopics(qrels, recipes),
            *notes.note_no_overlap(qrels, run, matched),
        ],
    )


def with_max_grade(recipe: Recipe, highest: float) -> Recipe:
    """The best grade is that of all judgments, whichever queries the run has."""
    if "max_grade" not in recipe.entry.arguments or recipe.convention.max_grade is not None:
        return recipe
    if recipe.convention.fractional == "truncate":
        highest = float(int(highest))
    convention = recipe.convention.with_settings(max_grade=highest if highest > 0 else 1.0)
    return evolve(recipe, convention=convention)


def compute_measures(matched: Matched, recipes: Mapping[str, Recipe]) -> dict[str, Array]:
    """The value of every query and measure, queries that do not count included."""
    views: dict[object, RankedRun] = {}
    return {key: _compute_values(matched, recipe, views) for key, recipe in recipes.items()}


def _compute_values(
    matched: Matched,
    recipe: Recipe,
    views: dict[object, RankedRun],
) -> Array:
    """The value of every query, masked where the convention leaves one out."""
    convention, entry = recipe.convention, recipe.entry
    key = (
        convention.ties,
        convention.unjudged,
        convention.negative,
        convention.fractional,
        convention.grade_bits,
    )
    if key not in views:
        views[key] = rank_run(matched, convention)
    try:
        values = compute_measure(recipe, views[key])
    except NoIdeal as error:
        query = matched.queries[error.index[0]]
        raise error.with_name(f"the ideal of query {query!r}") from None
    zero = _zero_queries(matched, convention)
    if entry.normalised:
        values[zero] = 0.0
    return values


def _zero_queries(matched: Matched, convention: Convention) -> Flags:
    """The queries that score 0 whatever the convention says of nothing relevant."""
    zero = matched.judged & ~matched.in_run & (convention.empty == 1)
    return zero | ~matched.judged if convention.extra == "zero" else zero


def choose_queries(matched: Matched, convention: Convention, run_name: str) -> Flags:
    """The queries that count."""
    missing, extra = matched.judged & ~matched.in_run, ~matched.judged
    for flags, setting, problem in (
        (missing, ("missing", convention.missing), "is judged, but the run lacks it"),
        (extra, ("extra", convention.extra), "is in the run, but has no judgments"),
    ):
        if setting[1] == "error" and flags.any():
            raise BadInput(
                run_name,
                _describe_queries(matched, flags, problem),
                f"the habit {setting[0]} set to another than error",
            )
    kept = matched.judged & (matched.in_run | (convention.missing != "skip"))
    return kept if convention.extra == "ignore" else kept | extra


def _describe_queries(matched: Matched, flags: Flags, problem: str) -> str:
    names = matched.query_names(flags)
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"query {names[0]!r} {problem}{more}"


__all__ = [
    "EvaluationSettings",
    "Measures",
    "build_recipes",
    "choose_queries",
    "compute_measures",
    "evaluate_matched",
    "with_max_grade",
]
