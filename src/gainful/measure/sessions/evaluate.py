"""Sessions and judgments → `SessionResults`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

import polars as pl
from attrs import evolve

from gainful.convention.session import SESSION_HABITS, SessionConvention, like_sessions
from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.formula import Array
from gainful.match.sessions import MatchedSessions, matched
from gainful.measure.language import expand
from gainful.measure.measure import Measure
from gainful.measure.sessions.recipe import session_recipe
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.results import SessionResults
from gainful.read.inputs import AnyJudgments, as_columns, as_judgments
from gainful.read.qrels_and_run import Judgments
from gainful.read.session_inputs import AnySessions, as_sessions
from gainful.read.sessions import Bad, Sessions

Measures = str | Measure | Iterable[str | Measure]
USUAL = ("sDCG@10", "nsDCG@10")


def evaluate_sessions(
    sessions: AnySessions,
    qrels: AnyJudgments | None = None,
    measures: Measures | None = None,
    *,
    like: str | SessionConvention | None = None,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    sessions_format: str | None = None,
    bad: Bad = "error",
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
    **habits: Any,
) -> SessionResults:
    """How good are these sessions, of several queries each?

    Args:
        sessions: a file, a frame or `Sessions`: a row for each result that was shown.
        judgments: whatever `evaluate` takes; a session's topic is whose judgments count. Without
            them, what the searchers said themselves (the column grade).
        measures: names such as "nsDCG(b=2, bq=4)@10"; sDCG@10 and nsDCG@10 if none is named.
        like: whose habits to follow: jk2008 (default), kanoulas2011, trec_dd_2015, …
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries.
        first_queries: only the first so many queries of each session.
        sessions_format: table, trec-session, conversation or dd; by content if it is not named.
        bad: refuse sessions that are not as they should be, or leave them out and say so.
        ties: of conversations: by document id (doc_descending, the default) or as given (input).
        topics: a file of lines `session topic`, whose topics count instead.
        pages: of the Session Track: does a further page continue the list (merge, the default) or
            count as a query?
        habits: single habits, such as `duplicates="first"` or `b=10`.

    Returns:
        `SessionResults`: a value for every session and measure, group means, vectors.

    Examples:
        >>> shown = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["x", "a"]})
        >>> evaluate_sessions(shown, {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10").mean
        {'sDCG(b=2, bq=4)@10': 2.0}
    """
    base, recipes = asked_for(measures, like, habits)
    read = as_sessions(sessions, sessions_format, bad=bad, ties=ties, topics=topics, pages=pages)
    held = chosen(read, where, min_queries, first_queries)
    judged = None if qrels is None else as_columns(as_judgments(qrels))
    return of_sessions(held, judged, recipes, base)


def asked_for(
    measures: Measures | None, like: str | SessionConvention | None, habits: Mapping[str, Any]
) -> tuple[SessionConvention, dict[str, SessionRecipe]]:
    """The convention, and each measure by the caller's name for it, everything settled."""
    base = like_sessions(like)
    for name in habits:
        if name not in SESSION_HABITS:
            raise UnknownName("session option", name, SESSION_HABITS)
    given = {name: value for name, value in habits.items() if value is not None}
    base = base.changed(**{name: given[name] for name in _OF_ALL if name in given})
    found = expand(USUAL if measures is None else measures)
    recipes = {
        name: session_recipe(measure, options=given, like=base) for name, measure in found.items()
    }
    for name, value in given.items():
        if name not in _OF_ALL and not any(name in how.entry.params for how in recipes.values()):
            raise BadValue(name, value, f"nothing: no measure asked for uses {name}")
    return base, recipes


_OF_ALL = ("unjudged", "average")  # of sessions and their means, whatever the measure


def of_sessions(
    sessions: Sessions,
    qrels: Judgments | None,
    recipes: Mapping[str, SessionRecipe],
    base: SessionConvention,
) -> SessionResults:
    """The results, everything else being settled."""
    habits = next(iter(recipes.values())).convention
    held = matched(sessions, qrels, habits.unjudged)
    return SessionResults(
        name=sessions.name,
        held=held,
        values={name: computed(held, how) for name, how in recipes.items()},
        recipes=recipes,
        convention=base,
    )


def computed(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The value of every session."""
    module, _, function = recipe.entry.session_function.rpartition(".")
    work = getattr(import_module(f"gainful.measure.sessions.{module}"), function)
    try:
        found: Array = work(sessions.until(recipe.queries), recipe)
    except BadValue as refused:
        place = re.fullmatch(r"ideal\[(\d+)\]", refused.argument)
        if place is None or int(place[1]) >= sessions.size:
            raise
        session = f"the ideal of session {sessions.sessions[int(place[1])]!r}"
        raise BadValue(session, refused.value, refused.allowed) from None
    return found


def _refuse_no_number(**numbers: object) -> None:
    for name, number in numbers.items():
        whole = isinstance(number, int) and not isinstance(number, bool) and number >= 1
        if number is not None and not whole:
            raise BadValue(name, number, "a whole number from 1 on")


def chosen(
    sessions: Sessions,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
) -> Sessions:
    """Only some of the sessions, or the beginning of each."""
    if not where and min_queries is None and first_queries is None:
        return sessions
    frame = sessions.frame
    if where is not None and not isinstance(where, Mapping):
        raise WrongType("where", where, "{column: value}")
    for column, value in (where or {}).items():
        if column not in sessions.columns and column != "session":
            raise UnknownName("column", column, ("session", *sessions.columns))
        fits = frame[column].cast(pl.String) == str(value)
        some = set(frame["session"].filter(fits.fill_null(value=False)).unique())
        kept = frame["session"].is_in(list(some))
        if int(kept.sum()) != int(fits.sum()):
            problem = f"some sessions have more than one {column}"
            raise BadInput(sessions.name, problem, "a column that is the same for a whole session")
        frame = frame.filter(kept)
    _refuse_no_number(min_queries=min_queries, first_queries=first_queries)
    if min_queries is not None:
        frame = frame.filter(pl.col("query").max().over("session") >= min_queries)
    if first_queries is not None:
        frame = frame.filter(pl.col("query") <= first_queries)
    if not len(frame):
        raise BadInput(sessions.name, "no session is left", "a wider choice of sessions")
    return evolve(sessions, frame=frame, held=None)


__all__: Sequence[str] = ("asked_for", "chosen", "computed", "evaluate_sessions", "of_sessions")
