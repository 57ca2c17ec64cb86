"""Rows of sessions that are in order: where sessions and queries begin, and are they sound?

Nearly all rows come in order and nothing is wrong with them. Then they are only looked at, each
column once, and never sorted.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from gainful.types import Flags, slices

RowIndices = NDArray[np.intp]
_BATCH_ROWS = 1 << 16  # rows looked at together: they stay in the processor's cache
_SHORT_LIST = 32  # lists of up to so many results are searched for repeats pair by pair
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads small numbers over 64 bits


@frozen(eq=False)
class SessionLayout:
    """Where in the rows each session and each query begins, and a number for each document."""

    session_starts: RowIndices
    query_starts: RowIndices
    doc_hashes: NDArray[np.uint64] = field(repr=False)  # equal documents have equal numbers
    row_count: int

    @property
    def query_lengths(self) -> RowIndices:
        """How many rows each query has."""
        return np.diff(self.query_starts, append=self.row_count)

    @property
    def queries_per_session(self) -> RowIndices:
        """How many queries each session has."""
        first = np.searchsorted(self.query_starts, self.session_starts)
        return np.diff(first, append=len(self.query_starts))

    def keep_queries(self, kept: Flags) -> SessionLayout:
        """The layout of the rows of some queries, of which every session has its first."""
        begins = np.zeros(len(kept), dtype=bool)
        begins[np.searchsorted(self.query_starts, self.session_starts)] = True
        lengths = self.query_lengths[kept]
        starts = np.cumsum(lengths) - lengths
        hashes = self.doc_hashes
        if len(hashes):  # rows of queries alone have none
            hashes = hashes[np.repeat(kept, self.query_lengths)]
        return SessionLayout(starts[begins[kept]], starts, hashes, int(lengths.sum()))


def find_layout(frame: pl.DataFrame) -> SessionLayout:
    """The layout of rows that are in order."""
    new_session = mark_changes(frame["session"])
    new_query = new_session | mark_changes(frame["query"])
    doc_hashes = frame["doc"].hash(1).to_numpy()
    return SessionLayout(
        np.flatnonzero(new_session), np.flatnonzero(new_query), doc_hashes, len(frame)
    )


def mark_changes(values: pl.Series) -> Flags:
    """Which rows are the first, or differ from the row before?"""
    changed = np.ones(len(values), dtype=bool)
    before = values.slice(0, max(len(values) - 1, 0))
    changed[1:] = values.slice(1).ne_missing(before).to_numpy()
    return changed


def sound_layout(frame: pl.DataFrame) -> SessionLayout | None:
    """The layout, if rows are in order and nothing about them is wrong or unusual; else None."""
    if any(frame[name].null_count() for name in ("session", "query", "rank", "doc")):
        return None
    layout = find_layout(frame)
    names = frame["session"].gather(layout.session_starts)
    query, rank = frame["query"].to_numpy(), frame["rank"].to_numpy()
    valid = (
        names.n_unique() == len(names)
        and not (names == "").any()
        and bool((query[layout.query_starts] == _expect_positions(layout)).all())
        and _has_consecutive_ranks(rank, layout)
        and not (frame["doc"] == "").any()
        and _has_one_topic_per_query(frame, layout)
        and not ("scanned" in frame.columns and find_odd_depths(frame["scanned"]).any())
        and not _has_duplicates(rank, layout)
    )
    return layout if valid else None


def _expect_positions(layout: SessionLayout) -> RowIndices:
    sizes = layout.queries_per_session
    first = np.cumsum(sizes) - sizes
    return np.arange(1, len(layout.query_starts) + 1) - np.repeat(first, sizes)


def _has_consecutive_ranks(rank: NDArray[np.int64], layout: SessionLayout) -> bool:
    if not (rank[layout.query_starts] == 1).all():
        return False
    steps = 0
    for part in slices(len(rank), _BATCH_ROWS):
        ranks = rank[part.start : part.stop + 1]
        steps += int(np.count_nonzero(ranks[1:] - ranks[:-1] == 1))
    heads = layout.query_starts[1:]
    across = int(np.count_nonzero(rank[heads] - rank[heads - 1] == 1))
    return steps - across == len(rank) - len(layout.query_starts)


def _has_one_topic_per_query(frame: pl.DataFrame, layout: SessionLayout) -> bool:
    """Has every query one topic?"""
    if "topic" not in frame.columns:
        return True
    topic = frame["topic"]
    if topic.null_count() or (topic.gather(layout.query_starts) == "").any():
        return False
    changed = mark_changes(topic)
    return int(changed[layout.query_starts].sum()) == int(changed.sum())


def find_odd_depths(scanned: pl.Series) -> pl.Series:
    """Which are no numbers of results that a searcher can have looked at?"""
    return (scanned < 0) | (scanned != scanned.floor())


def has_repeats(docs: pl.Series, lengths: RowIndices) -> bool:
    """Does a document (or, hardly ever, only its number) stand twice in a list of such lengths?"""
    if not len(docs):
        return False
    starts = np.cumsum(lengths) - lengths
    rank = np.arange(1, len(docs) + 1) - np.repeat(starts, lengths)
    layout = SessionLayout(starts[:1], starts, docs.hash(1).to_numpy(), len(docs))
    return _has_duplicates(rank, layout)


def _has_duplicates(rank: NDArray[np.int64], layout: SessionLayout) -> bool:
    """Does a document (or, hardly ever, only its number) stand twice in one list?"""
    longest = int(layout.query_lengths.max())
    if longest > _SHORT_LIST:
        number = np.repeat(
            np.arange(len(layout.query_starts), dtype=np.uint64) * _MIX, layout.query_lengths
        )
        mixed = pl.Series(layout.doc_hashes ^ number)
        return mixed.n_unique() < len(mixed)
    for part in slices(layout.row_count, _BATCH_ROWS):
        docs = layout.doc_hashes[part.start : part.stop + _SHORT_LIST]
        for lag in range(1, longest):
            same = np.flatnonzero(docs[lag:] == docs[:-lag]) + part.start + lag
            if (rank[same] > lag).any():  # else the one further up is in the list before
                return True
    return False
