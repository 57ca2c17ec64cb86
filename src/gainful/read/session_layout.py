"""Rows of sessions that are in order: where sessions and queries begin, and are they sound?

Nearly all rows come in order and nothing is wrong with them. Then they are only looked at, each
column once, and never sorted.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
_STRETCH = 1 << 16  # rows looked at together: they stay in the processor's cache
_SHORT = 32  # lists of up to so many results are searched for repeats pair by pair
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads small numbers over 64 bits


@frozen(eq=False)
class Layout:
    """Where in the rows each session and each query begins, and a number for each document."""

    sessions: Rows
    queries: Rows
    docs: NDArray[np.uint64] = field(repr=False)  # equal documents have equal numbers
    size: int

    @property
    def lengths(self) -> Rows:
        """How many rows each query has."""
        return np.diff(self.queries, append=self.size)

    @property
    def queries_of(self) -> Rows:
        """How many queries each session has."""
        first = np.searchsorted(self.queries, self.sessions)
        return np.diff(first, append=len(self.queries))


def laid(frame: pl.DataFrame) -> Layout:
    """The layout of rows that are in order."""
    opens = changes(frame["session"])
    begins = opens | changes(frame["query"])
    docs = frame["doc"].hash(1).to_numpy()
    return Layout(np.flatnonzero(opens), np.flatnonzero(begins), docs, len(frame))


def changes(values: pl.Series) -> Flags:
    """Which rows are the first, or differ from the row before?"""
    found = np.ones(len(values), dtype=bool)
    found[1:] = values.slice(1).ne_missing(values.slice(0, len(values) - 1)).to_numpy()
    return found


def sound(frame: pl.DataFrame) -> Layout | None:
    """The layout, if rows are in order and nothing about them is wrong or unusual; else None."""
    if any(frame[name].null_count() for name in ("session", "query", "rank", "doc")):
        return None
    found = laid(frame)
    names = frame["session"].gather(found.sessions)
    query, rank = frame["query"].to_numpy(), frame["rank"].to_numpy()
    fine = (
        names.n_unique() == len(names)
        and not (names == "").any()
        and bool((query[found.queries] == _positions(found)).all())
        and _counts_up(rank, found)
        and not (frame["doc"] == "").any()
        and _one_topic(frame, found)
        and not _repeats(rank, found)
    )
    return found if fine else None


def _positions(found: Layout) -> Rows:
    """What the positions of the queries should be: 1, 2, 3 … in each session."""
    sizes = found.queries_of
    first = np.cumsum(sizes) - sizes
    return np.arange(1, len(found.queries) + 1) - np.repeat(first, sizes)


def _counts_up(rank: NDArray[np.int64], found: Layout) -> bool:
    """Do the ranks of every query count up from 1?"""
    if not (rank[found.queries] == 1).all():
        return False
    steps = 0
    for at in range(0, len(rank), _STRETCH):
        some = rank[at : at + _STRETCH + 1]
        steps += int(np.count_nonzero(some[1:] - some[:-1] == 1))
    heads = found.queries[1:]
    across = int(np.count_nonzero(rank[heads] - rank[heads - 1] == 1))
    return steps - across == len(rank) - len(found.queries)


def _one_topic(frame: pl.DataFrame, found: Layout) -> bool:
    """Has every query one topic?"""
    if "topic" not in frame.columns:
        return True
    topic = frame["topic"]
    if topic.null_count() or (topic.gather(found.queries) == "").any():
        return False
    changed = changes(topic)
    return int(changed[found.queries].sum()) == int(changed.sum())


def _repeats(rank: NDArray[np.int64], found: Layout) -> bool:
    """Does a document (or, hardly ever, only its number) stand twice in one list?"""
    longest = int(found.lengths.max())
    if longest > _SHORT:
        number = np.repeat(np.arange(len(found.queries), dtype=np.uint64) * _MIX, found.lengths)
        mixed = pl.Series(found.docs ^ number)
        return mixed.n_unique() < len(mixed)
    for start in range(0, found.size, _STRETCH):
        docs = found.docs[start : start + _STRETCH + _SHORT]
        for back in range(1, longest):
            same = np.flatnonzero(docs[back:] == docs[:-back]) + start + back
            if (rank[same] > back).any():  # else the one further up is in the list before
                return True
    return False
