"""How numbers came about, in words: what runs and sessions say alike of their conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import frozen

from gainful.convention import CONVENTIONS, SETTINGS, Convention
from gainful.convention.session import (
    JK2008,
    SESSION_CONVENTIONS,
    SessionConvention,
    minimum_positions,
)
from gainful.convention.settings import describe_rel
from gainful.measure.recipe import FORMULA_PARAMS, Recipe, SessionRecipe
from gainful.measure.values import MeasuredValues

R = TypeVar("R")  # a recipe, of rankings or of sessions


def describe_by_measure(recipes: Mapping[str, R], describe: Callable[[R], str]) -> list[str]:
    """One thing said of all measures at once, or of each group of them by name."""
    names_by_text: dict[str, list[str]] = {}
    for name, recipe in recipes.items():
        names_by_text.setdefault(describe(recipe), []).append(name)
    if len(names_by_text) <= 1:
        return [text for text in names_by_text if text]
    return [f"{', '.join(names)}: {text}" for text, names in names_by_text.items() if text]


def name_convention(convention: Convention | SessionConvention) -> str:
    """Whose convention it is, and which settings differ from those of that name in its table."""
    source = f"like {convention.name}"
    base = _find_table(convention).get(convention.name)
    differences = {} if base is None else convention.differences(base)
    changes = ", ".join(f"{name}={value}" for name, (value, _) in differences.items())
    return f"{source}, but {changes}" if changes else source


def _find_table(convention: Convention | SessionConvention) -> Mapping[str, Any]:
    return SESSION_CONVENTIONS if isinstance(convention, SessionConvention) else CONVENTIONS


def describe_setting(recipe: Recipe, setting: str) -> str:
    """One setting in words, formulas as the formula tree writes them."""
    if setting in FORMULA_PARAMS:
        formula = getattr(recipe, setting)
        return f"{formula.text()}   ({formula.name}: {formula.meaning})"
    value = getattr(recipe.convention, setting)
    if setting == "cutoff":
        return "the whole list" if recipe.k is None else f"the first {recipe.k} documents"
    if setting == "max_grade":
        return "the highest that was given" if value is None else f"{value:g}"
    if setting == "unjudged_grade":
        return "none: it is no relevant document" if value is None else f"{value:g}"
    if setting == "decimals":
        return "not rounded" if value is None else f"rounded to {value} decimals"
    return recipe.convention.describe(setting)


_IDEAL_WORDS = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_MISSING_WORDS = {
    "zero": "a missing query scores 0",
    "skip": "missing queries are left out",
    "error": "a missing query is refused",
}
_SESSION_WORDS: Mapping[str, Mapping[str, str]] = {
    "duplicates": {
        "every": "documents shown again earn again",
        "first": "documents earn the first time only",
        "clicked": "documents earn until they are clicked",
        "judged": "documents earn what the searcher said each time",
    },
    "ideal": {
        "repeated": "ideal: the best documents in every query",
        "once": "ideal: each document once, query by query",
        "best_slots": "ideal: each document once, in the best places",
    },
    "rank_discount": {"concatenated": "ranks counted on over the lists (not verified in print)"},
    "depth": {"scanned": "as deep as was observed"},
    "lists": {"as_is": "short lists stay short"},
    "hold": {"growing": "the ideal goes on when a searcher stops"},
    "normalise": {
        "query": "each query divided by its own ideal",
        "concatenated": "the vectors of queries, each divided by its ideal, one after the other",
    },
    "statistic": {
        "best": "of the best query",
        "last": "of the last query",
        "average": "mean over positions",
        "per_query": "divided by the number of queries",
    },
}


@frozen
class Remark:
    """One thing that is said of the measures that it is `about`."""

    about: Callable[[Any], bool]
    text: Callable[[Any], str]


def describe_convention(values: MeasuredValues[Any, Any]) -> str:
    """How the numbers came about, in one line; what differs between measures is said of each."""
    parts = [name_convention(values.convention)]
    for remark in _SESSION_REMARKS if values.UNIT == "session" else _RUN_REMARKS:
        recipes = {name: recipe for name, recipe in values.recipes.items() if remark.about(recipe)}
        parts += describe_by_measure(recipes, remark.text)
    return " · ".join(parts)


def _has_param(name: str) -> Callable[[Any], bool]:
    return lambda recipe: name in recipe.entry.params


def _takes(name: str) -> Callable[[Recipe], bool]:
    return lambda recipe: name in recipe.entry.arguments


def _describe_session_setting(name: str) -> Callable[[SessionRecipe], str]:
    def describe(recipe: SessionRecipe) -> str:
        convention = recipe.convention
        value = str(convention.ideal_kind if name == "ideal" else getattr(convention, name))
        if value.startswith("minimum("):
            positions = min(minimum_positions(value), recipe.k or minimum_positions(value))
            return f"a query takes at least {positions} positions"
        return _SESSION_WORDS[name].get(value, "")

    return describe


def _describe_changes(recipe: SessionRecipe) -> str:
    """What else was asked for that the convention has otherwise."""
    base = SESSION_CONVENTIONS.get(recipe.convention.name, JK2008)
    described = (*_SESSION_WORDS, *FORMULA_PARAMS, *FORMULA_PARAMS.values())
    return ", ".join(
        f"{name}={value}"
        for name, (value, _) in recipe.convention.differences(base).items()
        if name in recipe.entry.params and name not in described
    )


_RUN_REMARKS: Sequence[Remark] = (
    Remark(lambda recipe: recipe.entry.cumulated, lambda recipe: f"gain {recipe.gain.text()}"),
    Remark(
        lambda recipe: recipe.entry.cumulated and recipe.entry.discounted,
        lambda recipe: f"discount {recipe.discount.text()}",
    ),
    Remark(
        lambda recipe: recipe.entry.cumulated,
        lambda recipe: _IDEAL_WORDS[str(recipe.convention.ideal)],
    ),
    Remark(_takes("rel"), lambda recipe: describe_rel(recipe.function_arguments()["rel"])),
    Remark(_takes("max_grade"), lambda recipe: f"best grade {recipe.convention.max_grade:g}"),
    Remark(
        _has_param("ties"),
        lambda recipe: f"ties {SETTINGS['ties'].describe(recipe.convention.ties)}",
    ),
    Remark(lambda _: True, lambda recipe: _MISSING_WORDS[str(recipe.convention.missing)]),
)
_SESSION_REMARKS: Sequence[Remark] = (
    Remark(_has_param("gain"), lambda recipe: f"gain {recipe.gain.text()}"),
    Remark(_has_param("discount"), lambda recipe: f"discount {recipe.discount.text()}"),
    Remark(
        _has_param("query_discount"),
        lambda recipe: f"query discount {recipe.query_discount.text()}",
    ),
    *(Remark(_has_param(name), _describe_session_setting(name)) for name in _SESSION_WORDS),
    Remark(lambda _: True, _describe_changes),
)
