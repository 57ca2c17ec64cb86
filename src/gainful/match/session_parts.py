"""A part of many sessions → `MatchedSessions`, by the places of judgments that an engine found."""

from __future__ import annotations

import numpy as np
import polars as pl

from gainful.match.session_pools import Pools
from gainful.match.sessions import JudgedResults, MatchedSessions
from gainful.read.session_layout import SessionLayout, mark_changes
from gainful.read.session_parts import EMPTY_DOC, SessionPart, UnsoundSessions
from gainful.read.sessions import LIST_LENGTH, PLACE
from gainful.read.spilled_rows import KEY
from gainful.types import Ranks


def match_places(part: SessionPart, pools: Pools) -> MatchedSessions:
    """What was matched of the short rows of a part; its own rows are one for each query."""
    heads, first = _order_queries(part.queries)
    counts = np.diff(first, append=len(heads))
    topic = "topic" if "topic" in heads.columns else "session"
    base = pools.find_bases(heads[topic])
    if base.null_count() or (heads["session"] == "").any():
        raise UnsoundSessions  # what to do with those whom nobody judged is told in words
    sessions = pl.DataFrame({KEY: heads[KEY].gather(first), "first": first})
    joined = part.results.join(sessions, on=KEY, how="left", maintain_order="left")
    place = joined[PLACE].to_numpy()
    query = joined["first"].to_numpy() + joined["query"].to_numpy() - 1
    if (place == EMPTY_DOC).any() or _has_repeats(query, place, len(pools.grade)):
        raise UnsoundSessions
    rows = heads.drop(KEY)
    number = np.arange(len(heads))
    no_hashes = np.zeros(0, dtype=np.uint64)
    session = np.repeat(np.arange(len(first)), counts)
    return MatchedSessions(
        session_ids=heads["session"].gather(first).to_list(),
        query_counts=counts,
        session=session,
        position=number - first[session] + 1,
        retrieved=heads[LIST_LENGTH].to_numpy().astype(np.intp),
        scanned=_read_depths(heads),
        judged=JudgedResults(
            query=query.astype(np.intp),
            rank=joined["rank"].to_numpy().astype(np.intp),
            grade=pools.grade[place],
            row=query.astype(np.intp),
            base=base.to_numpy().astype(np.intp),
            pool_base=pools.ideal_base,
            pool_grade=pools.ideal_grade,
        ),
        pool_index=pools.ideal_place[place],
        subtopics=None,
        rows=rows,
        layout=SessionLayout(first, number, no_hashes, len(rows)),
        per_turn=False,
    )


def _order_queries(queries: pl.DataFrame) -> tuple[pl.DataFrame, Ranks]:
    """Queries in order, 1, 2, 3 … of each session, and where each session begins."""
    key = queries[KEY].to_numpy()
    order = np.argsort(key)
    new = np.ones(len(order), dtype=bool)
    new[1:] = key[order][1:] != key[order][:-1]
    first = np.flatnonzero(new)
    sizes = np.diff(first, append=len(order))
    position = queries["query"].to_numpy()[order]
    if ((position < 1) | (position > np.repeat(sizes, sizes))).any():
        raise UnsoundSessions
    slot = np.repeat(first, sizes) + position - 1
    placed = np.full(len(order), -1)
    placed[slot] = order
    if (placed < 0).any():  # a query is missing, and another stands there twice
        raise UnsoundSessions
    heads = queries[placed]
    if not np.array_equal(mark_changes(heads["session"]), new):  # two names of one hash
        raise UnsoundSessions
    return heads, first


def _has_repeats(query: Ranks, place: Ranks, places: int) -> bool:
    """Does a judged document stand twice in a query?"""
    return pl.Series(query * places + place).n_unique() < len(place)


def _read_depths(heads: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    if "scanned" not in heads.columns:
        return None
    return heads["scanned"].cast(pl.Float64).to_numpy()
