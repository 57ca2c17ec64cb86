"""Sessions and judgments → `MatchedSessions`: every judged result that was shown, in its place.

All sessions at once, as arrays. What only some measures ask for (what was shown or clicked
before, what the searcher said) is looked up in the rows when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen
from numpy.typing import NDArray

from gainful.errors import BadInput, BadValue, counted, shown
from gainful.match.matched import Array, Flags, Ranks, Subtopics, by_grade
from gainful.match.subtopics import subtopics
from gainful.read.qrels_and_run import Judgments
from gainful.read.session_layout import Layout, laid
from gainful.read.sessions import Sessions

_STRETCH = 1 << 14  # queries looked at together
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads small numbers over 64 bits


@frozen(eq=False, kw_only=True)
class Shown:
    """Results that have a grade, in their places, and the pools their ideals are made of."""

    query: Ranks  # the number of its query
    rank: Ranks
    grade: Array
    row: Ranks  # where it stands in the rows
    base: Ranks  # per query: the number of its recall base, -1 if it has none
    pool_base: Ranks  # all judged documents, grouped by recall base, best grade first
    pool_grade: Array


@frozen(eq=False, kw_only=True)
class MatchedSessions:
    """Per session, per query, per judged result that was shown."""

    sessions: Sequence[str]
    queries: Ranks  # per session: how many
    session: Ranks  # per query: the number of its session; queries of a session stand together
    position: Ranks  # per query: from 1
    listed: Ranks  # per query: how many results it has
    scanned: Array | None  # per query: how deep the searcher looked
    judged: Shown
    place: Ranks  # per judged result: where its document stands in the pool
    subtopics: Subtopics | None
    rows: pl.DataFrame
    layout: Layout  # where in the rows each query begins
    per_turn: bool
    notes: Sequence[str] = ()

    @cached_property
    def query_of_row(self) -> Ranks:
        """The number of the query of each row; only some measures ask for it."""
        return np.repeat(np.arange(len(self.position)), self.layout.lengths)

    @property
    def size(self) -> int:
        """How many sessions there are."""
        return len(self.sessions)

    @property
    def one_base(self) -> bool:
        """Has every session one recall base for all its queries?"""
        base = self.judged.base
        first = base[np.cumsum(self.queries) - self.queries]
        return bool((base == first[self.session]).all())

    def depth(self, x: int | None, observed: Literal["assumed", "scanned"]) -> Ranks:
        """How many results of each query count."""
        most = np.full(len(self.position), np.iinfo(np.int64).max if x is None else x)
        if observed == "assumed":
            return np.asarray(most, dtype=np.intp)
        if self.scanned is None:
            raise BadValue("depth", "scanned", "assumed: the sessions have no column scanned")
        if np.isnan(self.scanned).any():
            at = int(np.flatnonzero(np.isnan(self.scanned))[0])
            session = self.sessions[int(self.session[at])]
            allowed = f"assumed: how deep is not told for every query, as in session {session!r}"
            raise BadValue("depth", "scanned", allowed)
        least = np.minimum(most, self.scanned)
        return np.asarray(least, dtype=np.intp)

    def until(self, queries: int | None) -> MatchedSessions:
        """The same with only the first so many queries of each session."""
        if queries is None or int(self.queries.max()) <= queries:
            return self
        kept = self.position <= queries
        rows, hits = kept[self.query_of_row], kept[self.judged.query]
        number, row = np.cumsum(kept) - 1, np.cumsum(rows) - 1
        frame = self.rows.filter(pl.Series(rows))
        judged = evolve(
            self.judged,
            query=number[self.judged.query[hits]],
            rank=self.judged.rank[hits],
            grade=self.judged.grade[hits],
            row=row[self.judged.row[hits]],
            base=self.judged.base[kept],
        )
        return evolve(
            self,
            queries=np.minimum(self.queries, queries),
            session=self.session[kept],
            position=self.position[kept],
            listed=self.listed[kept],
            scanned=None if self.scanned is None else self.scanned[kept],
            judged=judged,
            place=self.place[hits],
            rows=frame,
            layout=laid(frame),
        )

    def first_time(self, shown_: Shown, depth: Ranks) -> Flags:
        """Which results show a document that the session has not shown before, within depth?"""
        rank = self.rows["rank"].fill_null(0).to_numpy()
        return self._is_first(shown_, (rank <= depth[self.query_of_row]) & (rank > 0), later=False)

    def not_yet_clicked(self, shown_: Shown) -> Flags:
        """Which results show a document that was not clicked in an earlier query?"""
        return self.new(shown_, self.clicks("duplicates", "clicked"))

    def clicks(self, option: str, value: str) -> Flags:
        """Which rows were clicked; an option that needs to know is refused if nobody does."""
        if "clicked" not in self.rows.columns:
            raise BadValue(option, value, "another: the sessions have no column clicked")
        return np.asarray(self.rows["clicked"].to_numpy(), dtype=bool)

    def new(self, shown_: Shown, among: Flags) -> Flags:
        """Which results show a document that no earlier query has in these rows?"""
        return self._is_first(shown_, among, later=True)

    def _is_first(self, shown_: Shown, among: Flags, *, later: bool) -> Flags:
        """Is no earlier query of the session among the flagged rows of this document?"""
        unseen = np.iinfo(np.int64).max
        if shown_ is self.judged and self.one_base:  # then what was judged once is judged again
            earliest = np.full(len(self.rows), unseen)
            key = self.session[shown_.query] * len(shown_.pool_base) + self.place
            document = np.unique(key, return_inverse=True)[1]
            some = among[shown_.row]
            np.minimum.at(earliest, document[some], shown_.query[some])
            first_query = earliest[document]
            return first_query >= shown_.query if later else first_query == shown_.query
        session = self.session[self.query_of_row]
        numbered = pl.DataFrame(
            {"session": session, "query": self.query_of_row, "doc": self.rows["doc"]}
        )
        first = numbered.filter(among).group_by("session", "doc").agg(pl.col("query").min())
        asked = numbered[shown_.row].join(
            first, on=["session", "doc"], how="left", maintain_order="left", suffix="_first"
        )
        earliest = asked["query_first"].fill_null(unseen).to_numpy()
        return earliest >= shown_.query if later else earliest == shown_.query

    def by_searcher(self) -> Shown:
        """The results that the searcher judged, at each occurrence; each session its own base."""
        if "grade" not in self.rows.columns:
            raise BadValue("duplicates", "judged", "another: the sessions have no column grade")
        said = self.rows["grade"].is_not_null() & self.rows["doc"].is_not_null()
        row = said.arg_true().to_numpy().astype(np.intp)
        query = self.query_of_row[row]
        grade = self.rows["grade"].gather(row).to_numpy().astype(np.float64)
        best = (
            pl.DataFrame(
                {"base": self.session[query], "doc": self.rows["doc"].gather(row), "grade": grade}
            )
            .group_by("base", "doc")
            .agg(pl.col("grade").max())
        )
        base, highest = best["base"].to_numpy(), best["grade"].to_numpy()
        order = by_grade(base, highest)
        return Shown(
            query=query,
            rank=self.rows["rank"].gather(row).to_numpy().astype(np.intp),
            grade=grade,
            row=row,
            base=self.session,
            pool_base=base[order].astype(np.intp),
            pool_grade=highest[order],
        )


def matched(
    sessions: Sessions,
    qrels: Judgments | None,
    unjudged: Literal["auto", "zero", "drop", "error"] = "auto",
) -> MatchedSessions:
    """Which of the results that were shown are judged, and where do they stand?"""
    if qrels is None:
        qrels = _own_judgments(sessions)
    frame, notes, layout = sessions.frame, list(sessions.notes), sessions.layout
    if "topic" not in frame.columns:
        frame = frame.with_columns(topic=pl.col("session"))
    known = qrels.queries.to_frame("topic").with_row_index("base")
    base = _bases(frame, layout, known)
    if base.null_count():
        frame, told = _without_judgments(frame, layout, base, sessions, unjudged)
        notes += told
        if unjudged != "zero":
            layout = laid(frame)
            base = _bases(frame, layout, known)
    queries = layout.queries_of
    session = np.repeat(np.arange(len(queries)), queries)
    first_query = np.cumsum(queries) - queries
    number = base.fill_null(-1).cast(pl.Int64).to_numpy()
    place, row = _joined(frame, layout, number, qrels)
    in_query = np.searchsorted(layout.queries, row, side="right") - 1
    grade = qrels.frame["grade"].to_numpy()
    pool = qrels.frame["query"].to_frame("topic")
    pool_base = pool.join(known, on="topic", how="left", maintain_order="left")["base"].to_numpy()
    order = by_grade(pool_base, grade)
    at = np.empty(len(order), dtype=np.intp)
    at[order] = np.arange(len(order))
    judged = Shown(
        query=in_query,
        rank=frame["rank"].gather(row).fill_null(0).to_numpy().astype(np.intp),
        grade=grade[place],
        row=row,
        base=number.astype(np.intp),
        pool_base=pool_base[order].astype(np.intp),
        pool_grade=grade[order],
    )
    return MatchedSessions(
        sessions=frame["session"].gather(layout.sessions).to_list(),
        queries=queries.astype(np.intp),
        session=session.astype(np.intp),
        position=np.arange(len(session)) - first_query[session] + 1,
        listed=_listed(frame, layout),
        scanned=_scanned(frame, layout),
        judged=judged,
        place=at[place],
        subtopics=subtopics(qrels, at),
        rows=frame,
        layout=layout,
        per_turn=sessions.per_turn,
        notes=tuple(notes),
    )


def _bases(frame: pl.DataFrame, layout: Layout, known: pl.DataFrame) -> pl.Series:
    """The number of the recall base of each query; null where nobody judged its topic."""
    topics = frame["topic"].gather(layout.queries).to_frame()
    return topics.join(known, on="topic", how="left", maintain_order="left")["base"]


def _listed(frame: pl.DataFrame, layout: Layout) -> Ranks:
    """How many results each query has."""
    empty = frame["doc"].is_null()
    if not empty.any():
        return layout.lengths
    without: Flags = empty.gather(layout.queries).to_numpy()
    return np.asarray(layout.lengths - without, dtype=np.intp)


def _scanned(frame: pl.DataFrame, layout: Layout) -> Array | None:
    if "scanned" not in frame.columns:
        return None
    return frame["scanned"].gather(layout.queries).cast(pl.Float64).to_numpy()


def _own_judgments(sessions: Sessions) -> Judgments:
    """Without judgments, what the searchers said themselves: the highest grade of each document."""
    if "grade" not in sessions.frame.columns:
        raise BadInput(
            sessions.name, "there are no judgments, and no column grade", "judgments beside it"
        )
    topic = "topic" if "topic" in sessions.frame.columns else "session"
    said = sessions.frame.filter(pl.col("grade").is_not_null() & pl.col("doc").is_not_null())
    best = said.group_by(topic, "doc", maintain_order=True).agg(pl.col("grade").max())
    return Judgments(best.rename({topic: "query"}), sessions.name)


def _without_judgments(
    frame: pl.DataFrame, layout: Layout, base: pl.Series, sessions: Sessions, habit: str
) -> tuple[pl.DataFrame, list[str]]:
    """Queries whose topic nobody judged: refused, left out or worth nothing, as was asked for."""
    missing = base.is_null().to_numpy()
    habit = ("drop" if sessions.per_turn else "error") if habit == "auto" else habit
    if habit == "error":
        row = int(layout.queries[np.flatnonzero(missing)[0]])
        topic, session = frame["topic"][row], frame["session"][row]
        lacks = "it has no topic" if topic is None else f"topic {shown(topic)} has no judgments"
        raise BadInput(
            sessions.name,
            f"session {shown(session)}: {lacks}",
            "judgments of every topic, or unjudged=drop or zero",
        )
    told = f"{counted(int(missing.sum()), 'query')} without judgments"
    if habit == "zero":
        return frame, [f"{told} gain nothing"]
    frame = frame.filter(pl.Series(np.repeat(~missing, layout.lengths)))
    if not len(frame):
        raise BadInput(sessions.name, "not one query has judgments", "topics that were judged")
    lost = len(layout.sessions) - frame["session"].n_unique()
    gone = f", {counted(lost, 'session')} with them" if lost else ""
    return frame, [f"{told} left out{gone}; positions count the others"]


def _joined(
    frame: pl.DataFrame, layout: Layout, base: Ranks, qrels: Judgments
) -> tuple[Ranks, Ranks]:
    """Which judgment meets which row: by a few bits of a hash, by all of them, and exactly."""
    known = qrels.queries.to_frame("query").with_row_index("base")
    own = qrels.frame.select("query", "doc").join(
        known, on="query", how="left", maintain_order="left"
    )
    whose = own["base"].to_numpy()
    asked = own["doc"].hash(1).to_numpy() ^ (whose.astype(np.uint64) * _MIX)
    maybe, hashes = _candidates(layout, base.astype(np.uint64) * _MIX, asked)
    judged = pl.DataFrame({"hash": asked, "place": np.arange(len(asked))})
    there = pl.DataFrame({"hash": hashes, "row": maybe})
    met = there.join(judged, on="hash", how="inner", maintain_order="left")
    row, place = met["row"].to_numpy().astype(np.intp), met["place"].to_numpy().astype(np.intp)
    same = (frame["doc"].gather(row) == own["doc"].gather(place)).fill_null(value=False)
    of_row = base[np.searchsorted(layout.queries, row, side="right") - 1]
    exact = same.to_numpy() & (of_row == whose[place])
    return place[exact], row[exact]


def _candidates(
    layout: Layout, mix: NDArray[np.uint64], asked: NDArray[np.uint64]
) -> tuple[Ranks, NDArray[np.uint64]]:
    """The rows that may be judged, and their hashes: most rows go here, a stretch at a time."""
    bits = min(max(int(16 * len(asked)).bit_length(), 10), 24)
    shift = np.uint64(64 - bits)
    wanted = np.zeros(1 << bits, dtype=bool)
    wanted[asked >> shift] = True
    lengths, rows, hashes = layout.lengths, [], []
    for at in range(0, len(lengths), _STRETCH):
        queries = slice(at, at + _STRETCH)
        first = int(layout.queries[at])
        size = int(lengths[queries].sum())
        mixed = layout.docs[first : first + size] ^ np.repeat(mix[queries], lengths[queries])
        hit = np.flatnonzero(wanted[mixed >> shift])
        rows.append(hit + first)
        hashes.append(mixed[hit])
    return np.concatenate(rows), np.concatenate(hashes)
