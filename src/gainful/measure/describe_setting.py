"""A setting of a recipe's convention in words."""

from __future__ import annotations

from gainful.measure.recipe import FORMULA_PARAMS, Recipe


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
    if setting == "decimals":
        return "not rounded" if value is None else f"rounded to {value} decimals"
    return recipe.convention.describe(setting)
