"""What two tools do differently, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve

from gainful.convention.settings import describe_rel
from gainful.evidence.reasons.causes import make_lenient
from gainful.measure.convention_words import describe_setting
from gainful.measure.recipe import MeasureRecipe, Recipe

# The subject is the title of the cause: queries without judgments … are left out of the mean.
_SETTING_WORDS: dict[str, dict[Any, str]] = {
    "missing": {"zero": "count as 0", "skip": "are left out of the mean"},
    "extra": {
        "ignore": "are left out of the mean",
        "empty": "count as queries with nothing relevant",
        "zero": "count as 0",
    },
    "empty": {0: "score 0", 1: "score 1", "skip": "are left out of the mean"},
}
_BITS_WORDS = {"score_bits": "scores in", "grade_bits": "grades in"}
_FORMULAS = ("gain", "discount", "query_discount")
_FORMULA_BY_PARAMETER = {"rel": "gain", "b": "discount", "bq": "query_discount"}


def describe_sides(sides: Iterable[MeasureRecipe[Any]], settings: Sequence[str]) -> list[str]:
    """What each tool does in some settings; a parameter of a formula is told with it."""
    return [
        "; ".join(
            _describe_setting(side, name)
            for name in dict.fromkeys(_name_to_describe(side, name) for name in settings)
        )
        for side in sides
    ]


def _name_to_describe(recipe: MeasureRecipe[Any], setting: str) -> str:
    if setting in recipe.entry.arguments:  # it means something to the measure itself
        return setting
    return _FORMULA_BY_PARAMETER.get(setting, setting)


def _describe_setting(recipe: MeasureRecipe[Any], setting: str) -> str:
    if setting in _FORMULAS:
        return str(getattr(recipe, setting).text())
    if setting == "rel":
        return describe_rel(recipe.function_arguments()["rel"])
    if not isinstance(recipe, Recipe):
        return str(recipe.convention.describe(setting))
    refuses = getattr(recipe.convention, setting) == "error"
    recipe = evolve(recipe, convention=make_lenient(recipe.convention))
    if setting in _BITS_WORDS:
        text = f"{_BITS_WORDS[setting]} {describe_setting(recipe, setting)}"
    else:
        words = _SETTING_WORDS.get(setting, {}).get(getattr(recipe.convention, setting))
        text = words or describe_setting(recipe, setting)
    return f"{text} (it refuses them; see below)" if refuses else text
