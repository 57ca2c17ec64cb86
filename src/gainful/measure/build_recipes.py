"""Measures by the caller's names for them + settings → the convention and a `Recipe` for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gainful.convention import (
    SETTINGS,
    Convention,
    Duplicates,
    Extra,
    FirstRank,
    Missing,
    Namesake,
    NoHits,
    RbpGrades,
    RecallPoints,
    SettingValue,
    like as like_tool,
)
from gainful.convention.session import SESSION_SETTINGS, SessionConvention, like_sessions
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import NamedFormula
from gainful.match.ties import TIE_POLICIES
from gainful.measure.build_recipe import (
    AnyRecipe,
    Options,
    build_recipe,
    build_session_recipe,
    drop_unset,
)
from gainful.measure.cost import Cost, cost_measure
from gainful.measure.formulas import as_gain
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe, SessionRecipe

Measures = str | Measure | Iterable[str | Measure]
USUAL_MEASURES = ("nDCG@10", "AP", "RR")
_USUAL_SESSION_MEASURES = ("sDCG@10", "nsDCG@10")
WHY_NOT_NSDCG = (
    "with gain from clicks, the default is sDCG alone: nsDCG divides by the best order of what the "
    "same searcher clicked, and so rewards few clicks"
)

_OF_SOME_MEASURES = ("b", "rel", "gain", "discount", "cutoff", "max_grade", "unjudged_grade")
_OF_ALL_SESSION_MEASURES = ("unjudged", "subtopic_grades", "average")  # of sessions and their means


class EvaluationSettings(Options, total=False):
    """What may be set in an evaluation: every field of a convention."""

    max_grade: float
    unjudged_grade: float
    cutoff: int
    missing: Missing
    extra: Extra
    duplicates: Duplicates
    namesake: Namesake
    score_bits: int
    grade_bits: int
    recall_points: RecallPoints
    first_rank: FirstRank
    rbp_grades: RbpGrades
    no_hits: NoHits
    decimals: int


def build_recipes(
    measures: Measures | None, like: str | Convention | None, settings: Mapping[str, Any]
) -> tuple[Convention, dict[str, Recipe]]:
    """The convention, and a recipe for each measure of single rankings."""
    _refuse_runs(measures)
    convention = build_convention(like, settings)
    formulas = drop_unset({name: settings.get(name) for name in ("gain", "discount")})

    def build(measure: Measure) -> Recipe:
        own = {name: value for name, value in formulas.items() if name in measure.entry.params}
        return build_recipe(measure, options=own, like=convention)

    to_be_used = drop_unset({name: settings.get(name) for name in _OF_SOME_MEASURES})
    usual = usual_measures(convention)
    return convention, _build_each(
        usual if measures is None else measures, build, to_be_used, _uses
    )


# What is asked of results and not of their making.
_OF_RESULTS = {"by": 'results.groups("system") has the means of groups, to_text(by=…) shows them'}


def _refuse_runs(measures: Any) -> None:
    """A second run behind the first, where measures belong, is told where it goes."""
    from gainful.read.shapes import holds_runs, is_path, is_run  # noqa: PLC0415  (it loads polars)

    is_text = isinstance(measures, str)
    if is_path(measures) if is_text else is_run(measures) or holds_runs(measures):
        several = "this is a run, and several runs are one argument, {name: run, …}"
        raise WrongType("measures", measures, f"names such as 'nDCG@10'; {several}")


def usual_session_measures(observed: str) -> tuple[str, ...]:
    """The measures if none is named; where gain is what searchers did, without nsDCG."""
    return _USUAL_SESSION_MEASURES[:1] if observed else _USUAL_SESSION_MEASURES


def build_session_recipes(
    measures: Measures | None,
    like: str | SessionConvention | None,
    settings: Mapping[str, Any],
    cost: Cost | None = None,
    observed: str = "",
) -> tuple[SessionConvention, dict[str, SessionRecipe]]:
    """The convention, and a recipe for each measure of sessions, and for the cost."""
    for name in settings:
        if name not in SESSION_SETTINGS:
            answer = _OF_RESULTS.get(name, "")
            raise UnknownName("session option", name, SESSION_SETTINGS, answer=answer)
    options = drop_unset(settings)
    of_all = {name: options[name] for name in _OF_ALL_SESSION_MEASURES if name in options}
    convention = like_sessions(like).with_settings(**of_all)
    named = usual_session_measures(observed) if measures is None else measures
    listed = [named] if isinstance(named, (str, Measure)) else list(named)
    recipes = _build_each(
        listed if cost is None else [*listed, cost_measure(cost)],
        lambda measure: build_session_recipe(measure, options=options, like=convention),
        {name: value for name, value in options.items() if name not in of_all},
        lambda recipe, name: name in recipe.entry.params,
    )
    return convention, recipes


def _build_each(
    measures: Measures,
    build: Callable[[Measure], AnyRecipe],
    settings: Mapping[str, Any],
    uses: Callable[[AnyRecipe, str], bool],
) -> dict[str, AnyRecipe]:
    """The recipes; a setting that no measure uses is a mistake, not a silence."""
    recipes = {name: build(measure) for name, measure in expand(measures).items()}
    for name, value in settings.items():
        if not any(uses(recipe, name) for recipe in recipes.values()):
            raise BadValue(name, value, f"nothing: no measure asked for uses {name}")
    return recipes


def usual_measures(convention: Convention) -> tuple[str, ...]:
    """The measures that are computed if none is named, as far as the convention allows them."""
    return USUAL_MEASURES[:1] if TIE_POLICIES[convention.ties].averages else USUAL_MEASURES


def build_convention(like: str | Convention | None, settings: Mapping[str, Any]) -> Convention:
    """A tool's settings with some of them changed."""
    changes = drop_unset(settings)
    for name in changes:
        if name not in SETTINGS:
            raise UnknownName("option", name, [*SETTINGS, "measures", "like", "runs", "columns"])
    return like_tool(like).with_settings(
        **{name: _as_setting(name, value) for name, value in changes.items()}
    )


def _as_setting(name: str, value: Any) -> SettingValue:
    if name in ("gain", "discount") and not isinstance(value, str):
        return value.name if isinstance(value, NamedFormula) else as_gain(value).name
    return value  # type: ignore[no-any-return]  # `Convention` checks it


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
    if name == "unjudged_grade":
        return entry.counts_gains
    if name == "b":
        return "discount" in entry.params and "b" in recipe.discount.param_values
    return name in entry.params
