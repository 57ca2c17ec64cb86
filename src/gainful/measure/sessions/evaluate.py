"""Matched sessions and measures → `SessionResults`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gainful.convention.session import SESSION_SETTINGS, SessionConvention, like_sessions
from gainful.errors import BadValue, UnknownName
from gainful.match.sessions import MatchedSessions
from gainful.measure.build_recipe import build_session_recipe
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.results import SessionResults
from gainful.types import Array

Measures = str | Measure | Iterable[str | Measure]
USUAL_MEASURES = ("sDCG@10", "nsDCG@10")


def build_session_recipes(
    measures: Measures | None, like: str | SessionConvention | None, settings: Mapping[str, Any]
) -> tuple[SessionConvention, dict[str, SessionRecipe]]:
    """The convention, and each measure by the caller's name for it, everything settled."""
    convention = like_sessions(like)
    for name in settings:
        if name not in SESSION_SETTINGS:
            raise UnknownName("session option", name, SESSION_SETTINGS)
    chosen_settings = {name: value for name, value in settings.items() if value is not None}
    convention = convention.with_settings(
        **{
            name: chosen_settings[name]
            for name in _SETTINGS_OF_ALL_MEASURES
            if name in chosen_settings
        }
    )
    named_measures = expand(USUAL_MEASURES if measures is None else measures)
    recipes = {
        name: build_session_recipe(measure, options=chosen_settings, like=convention)
        for name, measure in named_measures.items()
    }
    for name, value in chosen_settings.items():
        if name not in _SETTINGS_OF_ALL_MEASURES and not any(
            name in recipe.entry.params for recipe in recipes.values()
        ):
            raise BadValue(name, value, f"nothing: no measure asked for uses {name}")
    return convention, recipes


_SETTINGS_OF_ALL_MEASURES = (
    "unjudged",
    "average",
)  # of sessions and their means, whatever the measure


def measure_sessions(
    name: str,
    sessions: MatchedSessions,
    recipes: Mapping[str, SessionRecipe],
    convention: SessionConvention,
) -> SessionResults:
    """The value of every session by every measure."""
    return SessionResults(
        name=name,
        matched_sessions=sessions,
        values={
            measure: compute_session_values(sessions, recipe) for measure, recipe in recipes.items()
        },
        recipes=recipes,
        convention=convention,
    )


def compute_session_values(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The value of every session."""
    try:
        first_queries = sessions.keep_first_queries(recipe.queries)
        values: Array = np.asanyarray(recipe.entry.function(first_queries, recipe))
    except BadValue as error:
        ideal_index = re.fullmatch(r"ideal\[(\d+)\]", error.argument)
        if ideal_index is None or int(ideal_index[1]) >= sessions.size:
            raise
        session = f"the ideal of session {sessions.session_ids[int(ideal_index[1])]!r}"
        raise BadValue(session, error.value, error.allowed) from None
    return values
