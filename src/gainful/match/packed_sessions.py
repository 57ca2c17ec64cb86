"""Packed rows of sound sessions → `MatchedSessions`, whose own rows are one for each query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

import numpy as np
import polars as pl

from gainful.match.sessions import JudgedResults, MatchedSessions, Pools
from gainful.read.filter_sessions import SessionChoice
from gainful.read.packed_sessions import PackedPart, UnsoundSessions
from gainful.read.session_layout import SessionLayout
from gainful.read.spill import KEY
from gainful.types import Flags, Ranks


def match_packed(part: PackedPart, pools: Pools, choice: SessionChoice) -> MatchedSessions | None:
    """What was matched of a part; None if no session of it was asked for."""
    queries, first = _order_queries(part.queries)
    kept = _choose_queries(queries, first, part.groups, choice)
    if kept is not None:
        queries = queries.filter(pl.Series(kept))
        first = (queries["query"] == 1).arg_true().to_numpy().astype(np.intp)
    if not len(queries):
        return None
    counts = np.diff(first, append=len(queries))
    sessions = pl.DataFrame({KEY: queries[KEY].gather(first), "first": first, "queries": counts})
    how: Literal["left", "inner"] = "left" if kept is None else "inner"
    results = part.results.join(sessions, on=KEY, how=how)
    if kept is not None:
        results = results.filter(pl.col("query") <= pl.col("queries"))
    query = (results["first"].to_numpy() + results["query"].to_numpy() - 1).astype(np.intp)
    place = results["place"].to_numpy().astype(np.intp)
    if pl.Series(query * len(pools.grade) + place).n_unique() < len(place):
        raise UnsoundSessions  # a judged document stands twice in a query
    session = np.repeat(np.arange(len(first)), counts)
    number = np.arange(len(queries))
    rows = queries.select(pl.col(KEY).alias("session"))
    return MatchedSessions(
        session_ids=cast("Sequence[str]", range(len(first))),  # nobody asks for their names
        query_counts=counts,
        session=session,
        position=number - first[session] + 1,
        retrieved=queries["length"].to_numpy().astype(np.intp),
        scanned=queries["scanned"].to_numpy() if "scanned" in queries.columns else None,
        judged=JudgedResults(
            query=query,
            rank=results["rank"].to_numpy().astype(np.intp),
            grade=pools.grade[place],
            row=query,
            base=queries["base"].to_numpy().astype(np.intp),
            pool_base=pools.ideal_base,
            pool_grade=pools.ideal_grade,
        ),
        pool_index=pools.ideal_place[place],
        subtopics=None,
        rows=rows if part.groups is None else rows.hstack(part.groups[queries["group"].to_numpy()]),
        layout=SessionLayout(first, number, np.zeros(0, dtype=np.uint64), len(queries)),
        per_turn=False,
    )


def _order_queries(queries: pl.DataFrame) -> tuple[pl.DataFrame, Ranks]:
    """Queries in order, 1, 2, 3 … of each session, and where each session begins."""
    key, position = queries[KEY].to_numpy(), queries["query"].to_numpy()
    order = np.argsort(key)
    ordered_key, ordered_position = key[order], position[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = ordered_key[1:] != ordered_key[:-1]
    first = np.flatnonzero(new)
    sizes = np.diff(first, append=len(order))
    starts = np.repeat(first, sizes)
    if (ordered_position > np.repeat(sizes, sizes)).any():
        raise UnsoundSessions
    placed = np.full(len(order), -1)
    placed[starts + ordered_position - 1] = order
    if (placed < 0).any():  # a query is missing, and another stands there twice
        raise UnsoundSessions
    heads = queries[placed]
    for name in ("check", "group"):  # two names of one hash, or a session of two groups
        values = heads[name].to_numpy()
        if (values != values[starts]).any():
            raise UnsoundSessions
    return heads, first


def _choose_queries(
    queries: pl.DataFrame, first: Ranks, groups: pl.DataFrame | None, choice: SessionChoice
) -> Flags | None:
    """Which queries were asked for; None if all."""
    if choice == SessionChoice():
        return None
    kept = np.ones(len(queries), dtype=bool)
    if choice.where and groups is not None:
        fits = np.ones(len(groups), dtype=bool)
        for column, value in choice.where.items():
            text = str(value).encode(errors="backslashreplace").decode()  # polars takes UTF-8 only
            values = groups[column].alias("").cast(pl.String)
            fits &= (values == text).fill_null(value=False).to_numpy()
        kept &= fits[queries["group"].to_numpy()]
    sizes = np.diff(first, append=len(queries))
    if choice.min_queries is not None:
        kept &= np.repeat(sizes >= choice.min_queries, sizes)
    if choice.first_queries is not None:
        kept &= queries["query"].to_numpy() <= choice.first_queries
    return kept
