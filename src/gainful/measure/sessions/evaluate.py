"""Matched sessions and measures → `SessionValues`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gainful.convention.session import SessionConvention
from gainful.errors import NoIdeal
from gainful.match.sessions import MatchedSessions
from gainful.measure.compute import normalise_by
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.session_values import SessionValues
from gainful.types import Array


def measure_sessions(
    name: str,
    sessions: MatchedSessions,
    recipes: Mapping[str, SessionRecipe],
    convention: SessionConvention,
) -> SessionValues:
    """The value of every session by every measure."""
    return SessionValues(
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
        values = recipe.entry.function(first_queries, recipe)
        if isinstance(values, tuple):  # what was reached, and what was possible
            values = normalise_by(*values, recipe.convention.empty)
    except NoIdeal as error:
        if error.index[0] >= sessions.size:  # a query's, of which no session is told
            raise
        session = sessions.session_ids[error.index[0]]
        raise error.with_name(f"the ideal of session {session!r}") from None
    return np.asanyarray(values)
