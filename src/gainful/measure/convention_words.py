"""How numbers came about, in words: what runs and sessions say alike of their conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gainful.convention import CONVENTIONS, Convention
from gainful.convention.session import SESSION_CONVENTIONS, SessionConvention
from gainful.measure.recipe import FORMULA_PARAMS, Recipe

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
