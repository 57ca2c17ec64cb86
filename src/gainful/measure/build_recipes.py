"""Measures + options + whose settings → the convention and a `Recipe` for each.

What is set explicitly in the measure wins, then the option, then `like`, then the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, TypeVar

from gainful.convention import SETTINGS, Convention, convention as allowed, like as like_tool
from gainful.convention.convention import Settings
from gainful.errors import BadValue, NotExact, UnknownName, WrongType
from gainful.formula import NamedFormula
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import FORMULA_PARAMS, NO_QUERY_DISCOUNT, Entry, MeasureRecipe, Recipe
from gainful.measure.formulas import find_formula
from gainful.measure.language import expand
from gainful.measure.measure import Measure, cutoff


class Options(TypedDict, total=False):
    """What may be set in a call: two formulas with their parameters, and settings."""

    gain: str | Mapping[float, float] | NamedFormula
    rel: float
    discount: str | NamedFormula
    b: float
    ideal: allowed.Ideal
    ideal_depth: allowed.IdealDepth
    ties: allowed.Ties
    short: allowed.Short
    negative: allowed.Negative
    fractional: allowed.Fractional
    empty: allowed.Empty
    negative_ideal: allowed.NegativeIdeal
    divisor: allowed.Divisor
    unjudged: allowed.Unjudged


AnyRecipe = TypeVar("AnyRecipe", bound=MeasureRecipe[Any])
FORMULAS = ("gain", "rel", "discount", "b")  # the two formulas of a measure, and what they take
_FORMULA_SETTINGS = (*FORMULA_PARAMS, *FORMULA_PARAMS.values())
# What calls take besides
_CALL_ARGUMENTS = ("k", "judged", "scores", "group", "qid", "mask", "like")


def build_recipe(
    measure: Measure,
    *,
    options: Mapping[str, Any] | None = None,
    like: str | Convention | None = None,
    judged: bool | None = None,
) -> Recipe:
    """Settle how a measure of single rankings is computed, by itself, `options` and `like`.

    With judged documents (`judged`) the ideal comes from them unless told otherwise, without them
    only from the list; None leaves it to the convention.
    """
    base, entry = like_tool(like), measure.entry
    if entry.session:
        allowed = "measures of single rankings; gainful sessions, gainful.sessions.evaluate and"
        way = f"{allowed} gainful explain --sessions FILE --session ID take those of sessions"
        raise BadValue("measure", str(measure), way)
    chosen_options = drop_unset(options)
    for name in options or ():
        if name not in entry.params:
            raise UnknownName(f"option of {measure.name}", name, (*entry.params, *_CALL_ARGUMENTS))
    explicit = chosen_options | dict(measure.params)
    own = base.settings_of(measure.name, has_cutoff=measure.k is not None)
    base = base.with_settings(**{name: own[name] for name in own if name not in explicit})
    depth = measure.k if isinstance(measure.k, int) else base.cutoff
    recipe = settle(
        Recipe,
        measure,
        explicit,
        base,
        settings={
            "rel": explicit.get("rel", base.rel),
            "ideal": _choose_ideal(explicit.get("ideal"), base, judged=judged),
            "ties": explicit.get("ties", base.ties),
        },
        k=depth,
    )
    convention = recipe.convention
    policy = TIE_POLICIES[convention.ties]
    by_grade = policy.needs == "grades" and entry.needs_subtopics
    if by_grade or (policy.averages and not entry.linear):
        raise NotExact(
            f"ties={convention.ties} is not exact for {measure.name}; choose another ties policy"
        )
    cutoff(measure.k, entry)  # one that is needed must be there by now
    if convention.short == "minimum" and depth is None and "short" in entry.params:
        raise BadValue("k", None, "a cutoff, because short=minimum fills every list up to k")
    return recipe


def drop_unset(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that have a value."""
    return {name: value for name, value in (options or {}).items() if value is not None}


def settle(
    recipe_type: type[AnyRecipe],
    measure: Measure,
    explicit: Mapping[str, Any],
    base: Settings,
    *,
    settings: Mapping[str, Any],
    k: int | None,
    queries: int | None = None,
) -> AnyRecipe:
    """The formulas and the convention: what was set, else what `settings` or `base` have."""
    kinds = [kind for kind in FORMULA_PARAMS if kind in base.TABLE]
    formulas = {kind: _choose_formula(kind, explicit, base, measure.entry) for kind in kinds}
    formula_values = {FORMULA_PARAMS[kind]: formulas[kind].param_values for kind in kinds}
    own_settings = {
        name: value
        for name, value in explicit.items()
        if name in base.TABLE and name not in _FORMULA_SETTINGS
    }
    convention = base.with_settings(
        **own_settings
        | {kind: formula.name for kind, formula in formulas.items()}
        | {param: values.get(param) for param, values in formula_values.items()}
        | {name: formula_values.get(name, {}).get(name, value) for name, value in settings.items()}
    )
    return recipe_type(
        entry=measure.entry,
        measure=measure,
        k=k,
        queries=queries,
        gain=formulas["gain"],
        discount=formulas["discount"],
        query_discount=formulas.get("query_discount", NO_QUERY_DISCOUNT),
        convention=convention,
        explicit=explicit,
    )


def _choose_formula(
    kind: str, explicit: Mapping[str, Any], base: Settings, entry: Entry
) -> NamedFormula:
    """The formula that was asked for, or the measure's own, or the convention's; its parameter.

    A parameter that was asked for and that the formula lacks is an error, unless it means
    something else to the measure: what AP calls relevant is no matter of gain.
    """
    param = FORMULA_PARAMS[kind]
    own = find_formula(kind, getattr(base, kind))
    chosen = find_formula(kind, explicit.get(kind, entry.defaults.get(kind, own)))
    values = dict(chosen.values)
    takes_param = param in chosen.param_values
    inherited = getattr(base, param) if chosen.name == own.name and takes_param else None
    if inherited is not None:
        values.setdefault(param, inherited)
    strict = kind in entry.params and param not in entry.arguments
    if param in explicit and (takes_param or strict):
        values[param] = explicit[param]
    return chosen.with_values(values)


def _choose_ideal(explicit: object, base: Convention, *, judged: bool | None) -> object:
    if explicit is not None:
        base.TABLE["ideal"].check(explicit)
    if judged is False:
        return "list"
    return explicit or ("judged" if judged else base.ideal)


Measures = str | Measure | Iterable[str | Measure]
USUAL_MEASURES = ("nDCG@10", "AP", "RR")

_OF_SOME_MEASURES = ("b", "rel", "gain", "discount", "cutoff", "max_grade", "unjudged_grade")


class EvaluationSettings(Options, total=False):
    """What may be set in an evaluation: every field of a convention."""

    max_grade: float
    unjudged_grade: float
    cutoff: int
    missing: allowed.Missing
    extra: allowed.Extra
    duplicates: allowed.Duplicates
    namesake: allowed.Namesake
    score_bits: int
    grade_bits: int
    recall_points: allowed.RecallPoints
    first_rank: allowed.FirstRank
    rbp_grades: allowed.RbpGrades
    no_hits: allowed.NoHits
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
    return convention, build_each(usual if measures is None else measures, build, to_be_used, _uses)


def _refuse_runs(measures: Any) -> None:
    """Refuse a second run in the place of measures, and say where it belongs."""
    if measures is None:
        return
    values = [*measures.values()] if isinstance(measures, Mapping) else measures
    first = values[:1] if isinstance(values, (list, tuple)) else [values]
    if all(isinstance(name, (str, Measure)) for name in first):
        from gainful.read.source import is_path  # noqa: PLC0415  (it loads polars)

        heads = [name.partition("(")[0] for name in first if isinstance(name, str)]
        is_run = any(map(is_path, heads))  # not by a discount such as 1/rank
    else:
        from gainful.read import shapes  # noqa: PLC0415  (it loads polars)

        is_run = shapes.is_run(measures) or shapes.holds_runs(measures)
    if is_run:
        several = "this is a run, and several runs are one argument, {name: run, …}"
        raise WrongType("measures", measures, f"names such as 'nDCG@10'; {several}")


def build_each(
    measures: Measures,
    build: Callable[[Measure], AnyRecipe],
    settings: Mapping[str, Any],
    uses: Callable[[AnyRecipe, str], bool],
) -> dict[str, AnyRecipe]:
    """The recipes; a setting that no measure uses is a mistake, not a silence."""
    recipes = {name: build(measure) for name, measure in expand(measures).items()}
    for name, value in settings.items():
        if not any(uses(recipe, name) for recipe in recipes.values()):
            hint = "; write it with its measure: 'nDCG@10'" if name == "cutoff" else ""
            raise BadValue(name, value, f"nothing: no measure asked for uses {name}{hint}")
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
        **{
            name: find_formula(name, value).name
            if name in ("gain", "discount") and not isinstance(value, str)
            else value
            for name, value in changes.items()
        }
    )


def _uses(recipe: Recipe, name: str) -> bool:
    entry = recipe.entry
    if name in dict(recipe.measure.params):  # what the measure says itself wins
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
