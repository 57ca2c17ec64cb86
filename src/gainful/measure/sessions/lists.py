"""Measures of a session of plain grades: a list for each query, in rank order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import NothingToAverage, WrongType
from gainful.match.sessions import match_sessions
from gainful.measure.build_session_recipes import build_session_recipe
from gainful.measure.measure import Measure
from gainful.measure.sessions.session_values import compute_session_values
from gainful.read.ranking_matrix import Numbers, read_ranking
from gainful.read.session_inputs import as_sessions


def compute_lists(
    measure: Measure,
    grades: Any,
    *,
    judged: Numbers | None = None,
    k: int | None = None,
    like: Any = None,
    **settings: Any,
) -> float:
    """The value of one session; to the end of its longest list where there is no k."""
    is_session = isinstance(grades, Iterable) and not isinstance(grades, (str, Mapping))
    lists = [_read_list(own) for own in grades] if is_session else []
    if not any(lists):
        allowed = "a list of grades for each query, such as [[3, 2, 0], [1, 0]]"
        raise WrongType("grades", grades, allowed)
    if measure.k is None and measure.entry.cutoff_kind == "needed":
        measure @= max(1, *map(len, lists)) if k is None else k
    recipe = build_session_recipe(measure, options=settings, like=like)
    matched = match_sessions(as_sessions(_build_frame(lists)), None, "zero")
    if judged is not None:  # of which the ideal is made
        pool = -np.sort(-read_ranking(judged, "judged").flat.astype(np.float64))
        base, pool_base = np.zeros_like(matched.position), np.zeros(len(pool), dtype=np.intp)
        own_pool = evolve(matched.judged, base=base, pool_base=pool_base, pool_grade=pool)
        matched = evolve(matched, judged=own_pool)
    values = compute_session_values(matched, recipe)
    if np.ma.is_masked(values):
        raise NothingToAverage("the ideal is zero, and the convention (empty=skip) leaves it out")
    return float(values[0])


def _read_list(grades: Any) -> list[float]:
    if hasattr(grades, "__len__") and not len(grades):
        return []
    return read_ranking(grades, "grades").flat.tolist()  # type: ignore[no-any-return]


def _build_frame(lists: Sequence[Sequence[float]]) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for query, own in enumerate(lists, start=1):
        shown = [("s", query, at, f"{query}.{at}", grade) for at, grade in enumerate(own, start=1)]
        rows += shown or [("s", query, None, None, None)]
    types = {"session": pl.String, "query": pl.Int64, "rank": pl.Int64, "doc": pl.String}
    return pl.DataFrame(rows, schema=types | {"grade": pl.Float64}, orient="row")
