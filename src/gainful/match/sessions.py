"""Sessions and judgments → `MatchedSessions`: every judged result that was shown, in its place.

All sessions at once, as arrays. What only some measures ask for (what was shown or clicked
before, what the searcher said) is looked up in the rows when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, counted, shown
from gainful.match.matched import Array, Flags, Ranks, Subtopics, by_grade
from gainful.match.subtopics import subtopics
from gainful.read.sessions import Sessions
from gainful.read.values import Judgments

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
    query_of_row: Ranks
    per_turn: bool
    notes: Sequence[str] = ()

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
        least = np.minimum(most, np.nan_to_num(self.scanned, nan=0.0))
        return np.asarray(least, dtype=np.intp)

    def until(self, queries: int | None) -> MatchedSessions:
        """The same with only the first so many queries of each session."""
        if queries is None or int(self.queries.max()) <= queries:
            return self
        kept = self.position <= queries
        rows, hits = kept[self.query_of_row], kept[self.judged.query]
        number, row = np.cumsum(kept) - 1, np.cumsum(rows) - 1
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
            rows=self.rows.filter(pl.Series(rows)),
            query_of_row=number[self.query_of_row[rows]],
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
    judgments: Judgments | None,
    unjudged: Literal["auto", "zero", "drop", "error"] = "auto",
) -> MatchedSessions:
    """Which of the results that were shown are judged, and where do they stand?"""
    if judgments is None:
        judgments = _own_judgments(sessions)
    frame, notes = sessions.frame, list(sessions.notes)
    if "topic" not in frame.columns:
        frame = frame.with_columns(topic=pl.col("session"))
    opens, begins = _starts(frame)
    known = judgments.queries.to_frame("topic").with_row_index("base")
    heads = frame.filter(pl.Series(begins)).select("topic")
    base = heads.join(known, on="topic", how="left", maintain_order="left")["base"]
    if base.null_count():
        frame, told = _without_judgments(frame, begins, base, sessions, unjudged)
        notes += told
        opens, begins = _starts(frame)
        heads = frame.filter(pl.Series(begins)).select("topic")
        base = heads.join(known, on="topic", how="left", maintain_order="left")["base"]
    query_of_row = np.cumsum(begins) - 1
    session = (np.cumsum(opens) - 1)[begins]
    queries = np.bincount(session)
    first_query = np.cumsum(queries) - queries
    number = base.fill_null(-1).cast(pl.Int64).to_numpy()
    place, row = _joined(frame, number[query_of_row], judgments)
    grade = judgments.frame["grade"].to_numpy()
    pool = judgments.frame["query"].to_frame("topic")
    pool_base = pool.join(known, on="topic", how="left", maintain_order="left")["base"].to_numpy()
    order = by_grade(pool_base, grade)
    at = np.empty(len(order), dtype=np.intp)
    at[order] = np.arange(len(order))
    rank = frame["rank"].fill_null(0).to_numpy()
    judged = Shown(
        query=query_of_row[row],
        rank=rank[row].astype(np.intp),
        grade=grade[place],
        row=row,
        base=number.astype(np.intp),
        pool_base=pool_base[order].astype(np.intp),
        pool_grade=grade[order],
    )
    some = ~frame["doc"].is_null().to_numpy()
    return MatchedSessions(
        sessions=frame["session"].filter(pl.Series(opens)).to_list(),
        queries=queries.astype(np.intp),
        session=session.astype(np.intp),
        position=np.arange(len(session)) - first_query[session] + 1,
        listed=np.bincount(query_of_row[some], minlength=len(session)).astype(np.intp),
        scanned=_scanned(frame, begins),
        judged=judged,
        place=at[place],
        subtopics=subtopics(judgments, at),
        rows=frame,
        query_of_row=query_of_row,
        per_turn=sessions.per_turn,
        notes=tuple(notes),
    )


def _starts(frame: pl.DataFrame) -> tuple[Flags, Flags]:
    """Where a session begins, and where a query does."""
    session = (frame["session"] != frame["session"].shift(1)).fill_null(value=True).to_numpy()
    query = (frame["query"] != frame["query"].shift(1)).fill_null(value=True).to_numpy()
    return session, session | query


def _scanned(frame: pl.DataFrame, begins: Flags) -> Array | None:
    if "scanned" not in frame.columns:
        return None
    return frame["scanned"].filter(pl.Series(begins)).cast(pl.Float64).to_numpy()


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
    frame: pl.DataFrame, begins: Flags, base: pl.Series, sessions: Sessions, habit: str
) -> tuple[pl.DataFrame, list[str]]:
    """Queries whose topic nobody judged: refused, left out or worth nothing, as was asked for."""
    missing = base.is_null().to_numpy()
    habit = ("drop" if sessions.per_turn else "error") if habit == "auto" else habit
    heads = frame.filter(pl.Series(begins))
    row = int(np.flatnonzero(missing)[0])
    if habit == "error":
        topic, session = heads["topic"][row], heads["session"][row]
        raise BadInput(
            sessions.name,
            f"session {shown(session)}: topic {shown(topic)} has no judgments",
            "judgments of every topic, or unjudged=drop or zero",
        )
    told = f"{counted(int(missing.sum()), 'query')} without judgments"
    if habit == "zero":
        return frame, [f"{told} gain nothing"]
    kept = ~missing[np.cumsum(begins) - 1]
    before = frame["session"].n_unique()
    frame = frame.filter(pl.Series(kept))
    if not len(frame):
        raise BadInput(sessions.name, "not one query has judgments", "topics that were judged")
    lost = before - frame["session"].n_unique()
    gone = f", {counted(lost, 'session')} with them" if lost else ""
    return frame, [f"{told} left out{gone}; positions count the others"]


def _joined(frame: pl.DataFrame, base: Ranks, judgments: Judgments) -> tuple[Ranks, Ranks]:
    """Which judgment meets which row: by a hash first, and then exactly."""
    known = judgments.queries.to_frame("query").with_row_index("base")
    own = judgments.frame.select("query", "doc").join(
        known, on="query", how="left", maintain_order="left"
    )
    asked = pl.DataFrame(
        {"hash": _hash(own["doc"], own["base"].to_numpy()), "place": np.arange(len(own))}
    )
    there = pl.DataFrame({"hash": _hash(frame["doc"], base)}).with_row_index("row")
    met = there.join(asked, on="hash", how="inner", maintain_order="left")
    row, place = met["row"].to_numpy().astype(np.intp), met["place"].to_numpy().astype(np.intp)
    same = (frame["doc"].gather(row) == own["doc"].gather(place)).fill_null(value=False)
    exact = same.to_numpy() & (base[row] == own["base"].to_numpy()[place])
    return place[exact], row[exact]


def _hash(doc: pl.Series, base: Ranks) -> pl.Series:
    return pl.Series(doc.hash(1).to_numpy() ^ (base.astype(np.uint64) * _MIX))
