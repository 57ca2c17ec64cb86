"""Sessions and judgments → `MatchedSessions`: every judged result that was shown, in its place.

All sessions at once, as arrays. What only some measures ask for (what was shown or clicked
before, what the searcher said) is looked up in the rows when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import compress
from typing import Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention.session import SubtopicGrades
from gainful.errors import BadInput, BadValue
from gainful.match.frames import match_subtopics, order_pool
from gainful.match.matched import Subtopics
from gainful.match.rank_order import ideal_order, invert_order
from gainful.read.qrels_and_run import Qrels, join_subtopics
from gainful.read.session_layout import HASH_MIX, SessionLayout, find_layout
from gainful.read.sessions import Sessions, count_results
from gainful.text import count_noun, name_way, quote
from gainful.types import Array, Flags, Ranks


@frozen(eq=False, kw_only=True)
class JudgedResults:
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

    session_ids: Sequence[str]
    query_counts: Ranks  # per session: how many
    retrieved: Ranks  # per query: how many results it has
    scanned: Array | None  # per query: how deep the searcher looked
    judged: JudgedResults
    pool_index: Ranks  # per judged result: where its document stands in the pool
    subtopics: Subtopics | None
    rows: pl.DataFrame
    layout: SessionLayout  # where in the rows each query begins
    per_turn: bool
    notes: Sequence[str] = ()
    observed: str = ""  # the action that gives grades, such as clicked

    @cached_property
    def session(self) -> Ranks:
        """The number of the session of each query; queries of a session stand together."""
        return np.repeat(np.arange(self.size), self.query_counts)

    @cached_property
    def position(self) -> Ranks:
        """The position of each query in its session, from 1."""
        return np.arange(len(self.session)) - self.first_query[self.session] + 1

    @cached_property
    def query_of_row(self) -> Ranks:
        """The number of the query of each row; only some measures ask for it."""
        return np.repeat(np.arange(len(self.position)), self.layout.query_lengths)

    @cached_property
    def first_query(self) -> Ranks:
        """The number of the first query of each session."""
        return np.cumsum(self.query_counts) - self.query_counts

    @cached_property
    def last_query(self) -> Ranks:
        """The number of the last query of each session."""
        return np.cumsum(self.query_counts) - 1

    @property
    def size(self) -> int:
        """How many sessions there are."""
        return len(self.session_ids)

    @property
    def has_single_base(self) -> bool:
        """Has every session one recall base for all its queries?"""
        base = self.judged.base
        first = base[self.first_query]
        return bool((base == first[self.session]).all())

    def depth(self, x: int | None, policy: Literal["assumed", "scanned"]) -> Ranks:
        """How many results of each query count."""
        limit = np.full(len(self.position), np.iinfo(np.int64).max if x is None else x)
        if policy == "assumed":
            return np.asarray(limit, dtype=np.intp)
        if self.scanned is None:
            raise BadValue("depth", "scanned", "assumed: the sessions have no column scanned")
        seen = np.minimum(limit, np.nan_to_num(self.scanned)).astype(np.intp)
        depth = np.where(np.isnan(self.scanned), limit, seen)  # the limit, where it is not told
        return np.asarray(depth, dtype=np.intp)

    def keep_first_queries(self, count: int | None) -> MatchedSessions:
        """The match of the first queries of each session."""
        if count is None or int(self.query_counts.max()) <= count:
            return self
        return self._keep_queries(self.position <= count)

    def slice_sessions(self, wanted: slice) -> MatchedSessions:
        """The match of some sessions that stand together."""
        if wanted == slice(0, self.size):
            return self
        return self._keep_queries((self.session >= wanted.start) & (self.session < wanted.stop))

    def _keep_queries(self, kept: Flags) -> MatchedSessions:
        """The match of some queries: the first ones of each session that has any of them."""
        rows, hits = kept[self.query_of_row], kept[self.judged.query]
        counts = np.bincount(self.session[kept], minlength=self.size)
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
            session_ids=list(compress(self.session_ids, counts)),
            query_counts=counts[counts > 0],
            retrieved=self.retrieved[kept],
            scanned=None if self.scanned is None else self.scanned[kept],
            judged=judged,
            pool_index=self.pool_index[hits],
            rows=self.rows.filter(pl.Series(rows)),
            layout=self.layout.keep_queries(kept),
        )

    def is_first_time(self, results: JudgedResults, depth: Ranks) -> Flags:
        """Which results show a document that the session has not shown before, within depth?"""
        if self._is_judged_alike(results):
            shown = results.rank <= depth[results.query]
            return self._is_first_judged(results, shown, later=False)
        rank = self.rows["rank"].fill_null(0).to_numpy()
        return self._is_first(results, (rank <= depth[self.query_of_row]) & (rank > 0), later=False)

    def is_before_click(self, results: JudgedResults) -> Flags:
        """Which results show a document that was not clicked in an earlier query?"""
        return self.is_new(results, self.clicks("duplicates", "clicked"))

    def clicks(self, option: str, value: str) -> Flags:
        """Which rows were clicked; an option that needs to know is refused if nobody does."""
        if "clicked" not in self.rows.columns:
            raise BadValue(option, value, "another value: the sessions have no column clicked")
        return np.asarray(self.rows["clicked"].to_numpy(), dtype=bool)

    def is_new(self, results: JudgedResults, among: Flags) -> Flags:
        """Which results show a document that no earlier query has in these rows?"""
        return self._is_first(results, among, later=True)

    def _is_first(self, results: JudgedResults, among: Flags, *, later: bool) -> Flags:
        """Is no earlier query of the session among the flagged rows of this document?"""
        if self._is_judged_alike(results):
            return self._is_first_judged(results, among[results.row], later=later)
        unseen = np.iinfo(np.int64).max
        session = self.session[self.query_of_row]
        numbered = pl.DataFrame(
            {"session": session, "query": self.query_of_row, "doc": self.rows["doc"]}
        )
        first = numbered.filter(among).group_by("session", "doc").agg(pl.col("query").min())
        joined = numbered[results.row].join(
            first, on=["session", "doc"], how="left", maintain_order="left", suffix="_first"
        )
        earliest = joined["query_first"].fill_null(unseen).to_numpy()
        return earliest >= results.query if later else earliest == results.query

    def _is_judged_alike(self, results: JudgedResults) -> bool:
        return results is self.judged and self.has_single_base

    def _is_first_judged(self, results: JudgedResults, among: Flags, *, later: bool) -> Flags:
        key = self.session[results.query] * len(results.pool_base) + self.pool_index
        document = np.unique(key, return_inverse=True)[1]
        earliest = np.full(len(results.query), np.iinfo(np.int64).max)
        np.minimum.at(earliest, document[among], results.query[among])
        first_query = earliest[document]
        return first_query >= results.query if later else first_query == results.query

    def searcher_judgments(self) -> JudgedResults:
        """The results that the searcher judged, at each occurrence; each session its own base."""
        if "grade" not in self.rows.columns:
            raise BadValue(
                "duplicates", "judged", "another value: the sessions have no column grade"
            )
        has_grade = self.rows["grade"].is_not_null() & self.rows["doc"].is_not_null()
        row = has_grade.arg_true().to_numpy().astype(np.intp)
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
        order = ideal_order(base, highest)
        return JudgedResults(
            query=query,
            rank=self.rows["rank"].gather(row).to_numpy().astype(np.intp),
            grade=grade,
            row=row,
            base=self.session,
            pool_base=base[order].astype(np.intp),
            pool_grade=highest[order],
        )


def match_sessions(
    sessions: Sessions,
    qrels: Qrels | None,
    unjudged: Literal["auto", "zero", "drop", "error"] = "auto",
    subtopic_grades: SubtopicGrades = "highest",
) -> MatchedSessions:
    """Which of the results that were shown are judged, and where do they stand?"""
    judged_by = "session" if qrels is None else sessions.judged_by
    if qrels is None:
        qrels = _searcher_qrels(sessions)
    if subtopic_grades == "sum":
        qrels = join_subtopics(qrels, pl.col("grade").sum())
    frame, notes, layout = sessions.frame, [*sessions.notes, *qrels.notes], sessions.layout
    if "topic" not in frame.columns:
        frame = frame.with_columns(topic=pl.col(judged_by))
    pools = build_pools(qrels)
    base = pools.find_bases(frame["topic"].gather(layout.query_starts))
    if base.null_count():
        if sessions.observed:  # what returned nothing gains nothing
            unjudged = "zero"
        judged = next(iter(qrels.queries), None)
        if unjudged != "zero" and base.null_count() == len(base) and "text" in frame.columns:
            texts = frame["text"].gather(layout.query_starts)
            asked = texts.filter(pools.find_bases(texts).is_not_null())
            if len(asked):
                topic, question = quote(frame["topic"][0]), quote(asked[0])
                raise BadInput(
                    sessions.name,
                    f"no topic, such as {topic}, has judgments: those are for questions, such as "
                    f"{question}",
                    '--columns topic=text, the text of the query (columns={"topic": "text"})',
                )
        frame, more_notes = _handle_unjudged_topics(frame, layout, base, sessions, unjudged, judged)
        notes += [] if sessions.observed else more_notes
        if unjudged != "zero":
            layout = find_layout(frame)
            base = pools.find_bases(frame["topic"].gather(layout.query_starts))
    base_number = base.fill_null(-1).cast(pl.Int64).to_numpy()
    place, row = _join_hits(frame, layout, base_number, qrels.frame["doc"], pools.base)
    in_query = np.searchsorted(layout.query_starts, row, side="right") - 1
    judged = JudgedResults(
        query=in_query,
        rank=frame["rank"].gather(row).fill_null(0).to_numpy().astype(np.intp),
        grade=frame["grade"].gather(row).fill_null(0.0).to_numpy()
        if sessions.observed  # what was done to a result at its place; shown again, it may differ
        else pools.grade[place],
        row=row,
        base=base_number.astype(np.intp),
        pool_base=pools.ideal_base,
        pool_grade=pools.ideal_grade,
    )
    return MatchedSessions(
        session_ids=frame["session"].gather(layout.session_starts).to_list(),
        query_counts=layout.queries_per_session.astype(np.intp),
        retrieved=count_results(frame, layout),
        scanned=frame["scanned"].gather(layout.query_starts).cast(pl.Float64).to_numpy()
        if "scanned" in frame.columns
        else None,
        judged=judged,
        pool_index=pools.ideal_place[place],
        subtopics=match_subtopics(qrels, pools.ideal_place),
        rows=frame,
        layout=layout,
        per_turn=sessions.per_turn,
        notes=tuple(notes),
        observed=sessions.observed,
    )


@frozen(eq=False, kw_only=True)
class Pools:
    """All judged documents by recall base, which sessions of one collection have in common."""

    topics: pl.DataFrame  # topic, and the number of its recall base
    base: Ranks  # per judgment: the number of its recall base
    grade: Array  # as judged
    ideal_place: Ranks  # per judgment: where it stands, the best grade of its base first
    ideal_base: Ranks  # in that order
    ideal_grade: Array

    def find_bases(self, topics: pl.Series) -> pl.Series:
        """The number of the recall base of each query; null where nobody judged its topic."""
        frame = topics.alias("topic").to_frame()
        return frame.join(self.topics, on="topic", how="left", maintain_order="left")["base"]


def build_pools(qrels: Qrels) -> Pools:
    """The pools of which ideals are made."""
    base, order, grade = order_pool(qrels)
    return Pools(
        topics=qrels.queries.to_frame("topic").with_row_index("base"),
        base=base,
        grade=grade,
        ideal_place=invert_order(order),
        ideal_base=base[order],
        ideal_grade=grade[order],
    )


def _handle_unjudged_topics(  # noqa: PLR0917  (all of one step of matching)
    frame: pl.DataFrame,
    layout: SessionLayout,
    base: pl.Series,
    sessions: Sessions,
    policy: str,
    judged: str | None,
) -> tuple[pl.DataFrame, list[str]]:
    """Queries whose topic nobody judged: refused, left out or worth nothing, as was asked for.

    Where not one was judged, `judged` is a topic that was, for the message.
    """
    missing = base.is_null().to_numpy()
    of_others = f", such as {quote(judged)}" if missing.all() and judged else ""
    policy = ("drop" if sessions.per_turn else "error") if policy == "auto" else policy
    if policy == "error":
        row = int(layout.query_starts[np.flatnonzero(missing)[0]])
        topic, session = frame["topic"][row], frame["session"][row]
        problem = "it has no topic" if topic is None else f"topic {quote(topic)} has no judgments"
        if topic == session:
            problem = "it has no topic, and no judgments have its id"
        way = name_way("--unjudged drop or zero", 'unjudged="drop" or "zero"')
        raise BadInput(
            sessions.name,
            f"session {quote(session)}: {problem}",
            f"judgments of every topic{of_others}; or {way}",
        )
    count = int(missing.sum())
    if policy == "zero":
        return frame, [describe_unjudged(count)]
    if missing.all():
        raise nothing_judged(sessions.name, str(frame["topic"][0]), judged)
    frame = frame.filter(pl.Series(np.repeat(~missing, layout.query_lengths)))
    lost = len(layout.session_starts) - frame["session"].n_unique()
    return frame, [describe_unjudged(count, lost)]


def nothing_judged(name: str, topic: str | None = None, judged: str | None = None) -> BadInput:
    """Of sessions none of which has a topic that was judged; with an example of either."""
    problem, allowed = "no query has judgments", "judged topics"
    if topic is not None and judged is not None:
        problem = f"{problem}: the sessions have topics such as {quote(topic)}"
        allowed = f"{allowed}, such as {quote(judged)}"
    return BadInput(name, problem, allowed)


def describe_unjudged(queries: int, lost_sessions: int | None = None) -> str:
    """What became of queries whose topic nobody judged; None if they are worth nothing."""
    words = f"{count_noun(queries, 'query')} without judgments"
    if lost_sessions is None:
        return f"{words} gain nothing"
    lost = f", {count_noun(lost_sessions, 'session')} with them" if lost_sessions else ""
    return f"{words} left out{lost}; positions count the others"


def no_gains(name: str) -> BadInput:
    """Of sessions that nothing says any worth of."""
    problem = "there are no judgments, no column grade and no clicks"
    return BadInput(name, problem, "judgments (--qrels), or searchers' actions (--gain-from)")


def _searcher_qrels(sessions: Sessions) -> Qrels:
    """Without judgments, what the searchers said themselves: the highest grade of each document."""
    if "grade" not in sessions.frame.columns:
        raise no_gains(sessions.name)
    topic = "topic" if "topic" in sessions.frame.columns else "session"
    best = find_best_grades(sessions.frame, topic)
    if not len(best) and sessions.observed:  # nothing gained, of which an engine gives no row
        head = sessions.frame.head(1)
        best = head.select(query=topic, doc=pl.lit(""), grade=pl.lit(0.0))
    return Qrels(best, sessions.name)


def find_best_grades(frame: pl.DataFrame, topic: str) -> pl.DataFrame:
    """The highest grade of each document of a topic: query, doc, grade."""
    graded = frame.drop_nulls([topic, "doc", "grade"])
    best = graded.group_by(query=topic, doc="doc", maintain_order=True)
    return best.agg(pl.col("grade").max())


def _join_hits(
    frame: pl.DataFrame, layout: SessionLayout, base: Ranks, pool_docs: pl.Series, pool_base: Ranks
) -> tuple[Ranks, Ranks]:
    """Which judgment meets which row: by a hash of document and recall base, and exactly."""
    row_base = np.repeat(base, layout.query_lengths)
    judged, shown = (
        pl.DataFrame({"hash": hashes ^ (bases.astype(np.uint64) * HASH_MIX)}).with_row_index(name)
        for name, hashes, bases in (
            ("place", pool_docs.hash(1).to_numpy(), pool_base),
            ("row", layout.doc_hashes, row_base),
        )
    )
    hits = shown.join(judged, on="hash", maintain_order="left")
    row, place = (hits[name].to_numpy().astype(np.intp) for name in ("row", "place"))
    same = (frame["doc"].gather(row) == pool_docs.gather(place)).fill_null(value=False)
    exact = same.to_numpy() & (row_base[row] == pool_base[place])
    return place[exact], row[exact]
