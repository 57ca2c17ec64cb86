"""Sessions and judgments → `SessionResults`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from os import PathLike
from typing import Any

from gainful.convention.session import SESSION_SETTINGS, SessionConvention, like_sessions
from gainful.errors import BadValue, UnknownName
from gainful.match.sessions import MatchedSessions, match_sessions
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.sessions.recipe import build_session_recipe
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.results import SessionResults
from gainful.read.filter_sessions import filter_sessions
from gainful.read.inputs import AnyQrels, as_qrels, as_qrels_columns
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_inputs import AnySessions, as_sessions
from gainful.read.sessions import BadPolicy, Sessions
from gainful.types import Array

Measures = str | Measure | Iterable[str | Measure]
USUAL_MEASURES = ("sDCG@10", "nsDCG@10")


def evaluate_sessions(
    sessions: AnySessions,
    qrels: AnyQrels | None = None,
    measures: Measures | None = None,
    *,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    sessions_format: str | None = None,
    qrels_format: str | None = None,
    bad: BadPolicy = "error",
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
    **settings: Any,
) -> SessionResults:
    """How good are these sessions, of several queries each?

    Args:
        sessions: a file, a frame or `Sessions`: a row for each result that was shown.
        qrels: whatever `evaluate` takes; a session's topic is whose judgments count. Without
            them, what the searchers said themselves (the column grade).
        measures: names such as "nsDCG(b=2, bq=4)@10"; sDCG@10 and nsDCG@10 if none is named.
        like: whose habits to follow: jk2008 (default), kanoulas2011, trec_dd_2015, …
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries.
        first_queries: only the first so many queries of each session.
        sessions_format: table, trec-session, conversation or dd; by content if it is not named.
        qrels_format: how a file of judgments is written; by content if it is not named.
        bad: refuse sessions that are not as they should be, or leave them out and say so.
        ties: of conversations: by document id (doc_descending, the default) or as given (input).
        topics: a file of lines `session topic`, whose topics count instead.
        pages: of the Session Track: does a further page continue the list (merge, the default) or
            count as a query?
        settings: single habits, such as `duplicates="first"` or `b=10`.

    Returns:
        `SessionResults`: a value for every session and measure, group means, vectors.

    Examples:
        >>> sessions = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["x", "a"]})
        >>> evaluate_sessions(sessions, {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10").mean
        {'sDCG(b=2, bq=4)@10': 2.0}
    """
    convention, recipes = build_session_recipes(measures, like, settings)
    all_sessions = as_sessions(
        sessions, sessions_format, bad=bad, ties=ties, topics=topics, pages=pages
    )
    chosen_sessions = filter_sessions(all_sessions, where, min_queries, first_queries)
    qrels_columns = None if qrels is None else as_qrels_columns(as_qrels(qrels, qrels_format))
    return measure_sessions(chosen_sessions, qrels_columns, recipes, convention)


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
    sessions: Sessions,
    qrels: Qrels | None,
    recipes: Mapping[str, SessionRecipe],
    convention: SessionConvention,
) -> SessionResults:
    """The results, everything else being settled."""
    first_convention = next(iter(recipes.values())).convention
    matched_sessions = match_sessions(sessions, qrels, first_convention.unjudged)
    return SessionResults(
        name=sessions.name,
        matched_sessions=matched_sessions,
        values={
            name: compute_session_values(matched_sessions, recipe)
            for name, recipe in recipes.items()
        },
        recipes=recipes,
        convention=convention,
    )


def compute_session_values(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The value of every session."""
    module, _, function_name = recipe.entry.session_function.rpartition(".")
    measure_function = getattr(import_module(f"gainful.measure.sessions.{module}"), function_name)
    try:
        values: Array = measure_function(sessions.keep_first_queries(recipe.queries), recipe)
    except BadValue as error:
        ideal_index = re.fullmatch(r"ideal\[(\d+)\]", error.argument)
        if ideal_index is None or int(ideal_index[1]) >= sessions.size:
            raise
        session = f"the ideal of session {sessions.session_ids[int(ideal_index[1])]!r}"
        raise BadValue(session, error.value, error.allowed) from None
    return values
