"""What stands below a table of sessions: the convention, what was counted, and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from gainful.convention.session import (
    SESSION_CONVENTIONS,
    SessionConvention,
    like_sessions,
    minimum_positions,
)
from gainful.measure.convention_words import describe_by_measure, name_convention
from gainful.measure.recipe import SessionRecipe
from gainful.text import count_noun

# What is said of every measure beside its formulas, where it is its business.
_DESCRIBED_SETTINGS = (
    "duplicates",
    "ideal",
    "rank_discount",
    "depth",
    "lists",
    "hold",
    "normalise",
    "statistic",
)
_SETTINGS_WITH_WORDS = (
    *_DESCRIBED_SETTINGS,
    "gain",
    "rel",
    "discount",
    "b",
    "query_discount",
    "bq",
)
_SETTING_WORDS: Mapping[tuple[str, str], str] = {
    ("duplicates", "every"): "documents shown again earn again",
    ("duplicates", "first"): "documents earn the first time only",
    ("duplicates", "clicked"): "documents earn until they are clicked",
    ("duplicates", "judged"): "documents earn what the searcher said each time",
    ("ideal", "repeated"): "ideal: the best documents in every query",
    ("ideal", "once"): "ideal: each document once, query by query",
    ("ideal", "best_slots"): "ideal: each document once, in the best places",
    ("rank_discount", "concatenated"): "ranks counted on over the lists (not verified in print)",
    ("depth", "scanned"): "as deep as was observed",
    ("lists", "as_is"): "short lists stay short",
    ("hold", "growing"): "the ideal goes on when a searcher stops",
    ("normalise", "query"): "each query divided by its own ideal",
    ("statistic", "best"): "of the best query",
    ("statistic", "last"): "of the last query",
    ("statistic", "average"): "mean over positions",
    ("statistic", "per_query"): "divided by the number of queries",
}


class MeasuredSessions(Protocol):
    """What a footnote needs to know of sessions."""

    @property
    def recipes(self) -> Mapping[str, SessionRecipe]:
        """The measures, everything settled."""

    @property
    def convention(self) -> SessionConvention:
        """The settings."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many sessions, queries, results, and how many of these are judged."""

    @property
    def notes(self) -> Sequence[str]:
        """What one should know before believing a value."""


def list_footnotes(results: MeasuredSessions, *, verbose: bool = False) -> list[str]:
    """One line of what was counted and whose convention (or all of it), and then the notes."""
    counts = results.counts
    parts = [count_noun(counts["sessions"], "session"), count_noun(counts["queries"], "query")]
    if verbose or counts["judged"] < counts["results"]:
        parts.append(f"{counts['judged']} of {counts['results']} results judged")
    parts.append(describe_convention(results) if verbose else name_source(results.convention))
    return [" · ".join(parts), *(f"Note: {note}" for note in results.notes)]


def describe_convention(results: MeasuredSessions) -> str:
    """How the numbers came about, in one line."""
    recipes = results.recipes
    discounted = {
        name: recipe for name, recipe in recipes.items() if "discount" in recipe.entry.params
    }
    over_queries = {
        name: recipe for name, recipe in recipes.items() if "query_discount" in recipe.entry.params
    }
    with_gain = {name: recipe for name, recipe in recipes.items() if "gain" in recipe.entry.params}
    parts = [
        name_source(results.convention),
        *describe_by_measure(with_gain, lambda recipe: f"gain {recipe.gain.text()}"),
        *describe_by_measure(discounted, lambda recipe: f"discount {recipe.discount.text()}"),
        *describe_by_measure(
            over_queries, lambda recipe: f"query discount {recipe.query_discount.text()}"
        ),
    ]
    for setting in _DESCRIBED_SETTINGS:
        setting_recipes = {
            name: recipe for name, recipe in recipes.items() if setting in recipe.entry.params
        }
        parts += [
            text for text in describe_by_measure(setting_recipes, _make_describer(setting)) if text
        ]
    parts += [text for text in describe_by_measure(recipes, _describe_changes) if text]
    return " · ".join(parts)


def _describe_changes(recipe: SessionRecipe) -> str:
    """What else was asked for that the convention has otherwise."""
    name = recipe.convention.name
    base_convention = like_sessions(name) if name in SESSION_CONVENTIONS else like_sessions()
    differences = recipe.convention.differences(base_convention)
    changed_settings = [
        setting
        for setting in differences
        if setting in recipe.entry.params and setting not in _SETTINGS_WITH_WORDS
    ]
    return ", ".join(f"{setting}={differences[setting][0]}" for setting in changed_settings)


def _make_describer(setting: str) -> Callable[[SessionRecipe], str]:
    def describe(recipe: SessionRecipe) -> str:
        value = str(
            recipe.convention.ideal_kind
            if setting == "ideal"
            else getattr(recipe.convention, setting)
        )
        if value.startswith("minimum("):
            positions = min(minimum_positions(value), recipe.k or minimum_positions(value))
            return f"a query takes at least {positions} positions"
        return _SETTING_WORDS.get((setting, value), "")

    return describe


def name_source(convention: SessionConvention) -> str:
    """Whose convention it is, and what of it was set otherwise."""
    base = like_sessions(convention.name) if convention.name in SESSION_CONVENTIONS else None
    return name_convention(convention, base)
