"""Measures of sessions of plain grades: a list for each query, in rank order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from gainful.convention.session import SessionConvention
from gainful.errors import BadShape, NothingToAverage, WrongType
from gainful.match.rank_order import ideal_order
from gainful.match.sessions import MatchedSessions, match_sessions
from gainful.measure.build_session_recipes import build_session_recipe
from gainful.measure.measure import Measure
from gainful.measure.sessions.session_values import compute_session_values
from gainful.read.ranking_matrix import Numbers, read_ranking
from gainful.read.session_inputs import as_sessions
from gainful.types import Array

_ALLOWED = "a list of grades for each query, such as [[3, 2, 0], [1, 0]]; or several sessions"


def compute_lists(
    measure: Measure,
    grades: Any,
    *,
    judged: Numbers | None = None,
    k: int | None = None,
    like: str | SessionConvention | None = None,
    **settings: Any,
) -> float | Array:
    """The value of one session, or of each of several; to the end of the longest list without k."""
    sessions = [grades] if _depth(grades) == 2 else list(grades)
    lists = [[_read_list(own) for own in session] for session in sessions]
    if not lists or not all(lists):
        raise BadShape("grades", "a session without queries", _ALLOWED)
    if measure.k is None and measure.entry.cutoff_kind == "needed":
        longest = max(len(own) for session in lists for own in session)
        measure @= max(1, longest) if k is None else k
    recipe = build_session_recipe(measure, options=settings, like=like)
    matched = match_sessions(as_sessions(_build_frame(lists)), None, "zero")
    if judged is not None:
        matched = _set_pools(matched, judged)
    values = compute_session_values(matched, recipe)
    if _depth(grades) > 2:
        return values
    if np.ma.is_masked(values):
        raise NothingToAverage("the ideal is zero, and the convention (empty=skip) leaves it out")
    return float(values[0])


def _depth(grades: Any) -> int:
    """How many lists are in one another: two of a session, three of several."""
    depth, first = 0, grades
    while hasattr(first, "__len__") and not isinstance(first, (str, Mapping)) and depth < 4:
        filled = [own for own in first if not hasattr(own, "__len__") or len(own)]
        depth, first = depth + 1, filled[0] if filled else 0
    if depth not in (2, 3):
        raise WrongType("grades", grades, _ALLOWED)
    return depth


def _read_list(grades: Any) -> Sequence[float]:
    if hasattr(grades, "__len__") and not len(grades):
        return ()
    return read_ranking(grades, "grades").flat.tolist()  # type: ignore[no-any-return]


def _build_frame(lists: Sequence[Sequence[Sequence[float]]]) -> pl.DataFrame:
    """A row for each result, of a document of its own; a query without results has one too."""
    rows: list[tuple[Any, ...]] = []
    for session, queries in enumerate(map(enumerate, lists)):
        for query, own in queries:
            place = (str(session), query + 1)
            shown = [(*place, at, f"{query}.{at}", grade) for at, grade in enumerate(own, start=1)]
            rows += shown or [(*place, None, None, None)]
    types = {"session": pl.String, "query": pl.Int64, "rank": pl.Int64, "doc": pl.String}
    return pl.DataFrame(rows, schema=types | {"grade": pl.Float64}, orient="row")


def _set_pools(sessions: MatchedSessions, judged: Numbers) -> MatchedSessions:
    """The ideal is made of these grades, in every session."""
    pool = np.tile(read_ranking(judged, "judged").flat.astype(np.float64), sessions.size)
    base = np.repeat(np.arange(sessions.size), len(pool) // sessions.size)
    order = ideal_order(base, pool)
    own = evolve(
        sessions.judged, base=sessions.session, pool_base=base[order], pool_grade=pool[order]
    )
    return evolve(sessions, judged=own)
