"""Sessions and judgments → `MatchedSessions`: every judged result that was shown, in its place.

All sessions at once, as arrays. What only some measures ask for (what was shown or clicked
before, what the searcher said) is looked up in the rows when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import compress
from typing import Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention.session import SubtopicGrades
from gainful.errors import BadInput, BadValue
from gainful.match.matched import Subtopics
from gainful.match.pools import Pools, build_pools, match_subtopics, number_names
from gainful.read.qrels_and_run import Qrels, join_subtopics
from gainful.read.session_layout import HASH_MIX, SessionLayout, find_layout
from gainful.read.sessions import Sessions, count_results
from gainful.text import count_noun, name_way, quote
from gainful.types import Array, Flags, Ranks

_NEVER = np.iinfo(np.int64).max  # of a document that no query has: a number behind all of them


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
    gain_event: str = ""  # the action that gives grades, such as clicked
    not_fetched: Mapping[str, str] = {}  # as `Sessions` has it

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
        if results is self.judged and self.has_single_base:
            earliest = self._find_first_judged(results.rank <= depth[results.query])
        else:
            rank = self.rows["rank"].fill_null(0).to_numpy()
            earliest = self._find_first(results, (rank <= depth[self.query_of_row]) & (rank > 0))
        return np.asarray(earliest == results.query)

    def is_before_click(self) -> Flags:
        """Which judged results show a document that was not clicked in an earlier query?"""
        return self.is_new(self.clicks("duplicates", "clicked"))

    def clicks(self, option: str, value: str) -> Flags:
        """Which rows were clicked; an option that needs to know is refused if nobody does."""
        if "clicked" not in self.rows.columns:
            raise BadValue(option, value, "another value: the sessions have no column clicked")
        return np.asarray(self.rows["clicked"].to_numpy(), dtype=bool)

    def is_new(self, among: Flags) -> Flags:
        """Which judged results show a document that no earlier query has in these rows?"""
        if self.has_single_base:
            return self._find_first_judged(among[self.judged.row]) >= self.judged.query
        return self._find_first(self.judged, among) >= self.judged.query

    def _find_first(self, results: JudgedResults, among: Flags) -> Ranks:
        """The first query of the session that has the document of a result in these rows."""
        numbered = pl.DataFrame(
            {
                "session": self.session[self.query_of_row],
                "query": self.query_of_row,
                "doc": self.rows["doc"],
            }
        )
        first = numbered.filter(among).group_by("session", "doc").agg(pl.col("query").min())
        joined = numbered[results.row].join(
            first, on=["session", "doc"], how="left", maintain_order="left", suffix="_first"
        )
        return joined["query_first"].fill_null(_NEVER).to_numpy()

    def _find_first_judged(self, among: Flags) -> Ranks:
        """The first query of a session that shows what a judged result does, among judged ones."""
        query = self.judged.query
        key = self.session[query] * len(self.judged.pool_base) + self.pool_index
        document = np.unique(key, return_inverse=True)[1]
        first = np.full(len(query), _NEVER)
        np.minimum.at(first, document[among], query[among])
        return first[document]

    def searcher_judgments(self) -> JudgedResults:
        """The results that the searcher judged, at each occurrence; each session its own base."""
        if "grade" not in self.rows.columns:
            raise BadValue(
                "duplicates", "judged", "another value: the sessions have no column grade"
            )
        has_grade = self.rows["grade"].is_not_null() & self.rows["doc"].is_not_null()
        row = has_grade.arg_true().to_numpy().astype(np.intp)
        query = self.query_of_row[row]
        graded = self.rows["rank", "doc", "grade"][row].with_columns(
            pl.col("grade").cast(pl.Float64), base=pl.Series(self.session[query])
        )
        best = find_best_grades(graded, "base")
        pools = Pools(best["query"].to_numpy().astype(np.intp), best["grade"].to_numpy())
        return JudgedResults(
            query=query,
            rank=graded["rank"].to_numpy().astype(np.intp),
            grade=graded["grade"].to_numpy(),
            row=row,
            base=self.session,
            pool_base=pools.ideal_base,
            pool_grade=pools.ideal_grade,
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
    pools, judged_topics = build_pools(qrels), qrels.queries
    topics = frame["topic"].gather(layout.query_starts)
    if sessions.gain_event:  # a topic of which nothing gained is another one, too
        judged_topics = pl.concat([judged_topics, topics.drop_nulls()]).unique(maintain_order=True)
    base = number_names(topics, judged_topics)
    if base.null_count() and not sessions.gain_event:  # what returned nothing gains nothing
        missing = base.is_null().to_numpy()
        if unjudged == "auto":
            unjudged = "drop" if sessions.per_turn else "error"
        if unjudged == "zero":
            notes.append(describe_unjudged(int(missing.sum())))
        elif unjudged == "error" or missing.all():
            describe = partial(_describe_refusal, sessions.name, frame, layout, missing)
            some, none = (describe(judged_topics, none_judged=each) for each in (False, True))
            raise Unjudged(some, none, is_none=bool(missing.all()))
        else:
            frame = frame.filter(pl.Series(np.repeat(~missing, layout.query_lengths)))
            base, session_count = base.drop_nulls(), len(layout.session_starts)
            layout = find_layout(frame)
            lost = session_count - len(layout.session_starts)
            notes.append(describe_unjudged(int(missing.sum()), lost))
    base_number = base.fill_null(-1).cast(pl.Int64).to_numpy()
    place, row = _join_hits(frame, layout, base_number, qrels.frame["doc"], pools.base)
    in_query = np.searchsorted(layout.query_starts, row, side="right") - 1
    judged = JudgedResults(
        query=in_query,
        rank=frame["rank"].gather(row).fill_null(0).to_numpy().astype(np.intp),
        grade=frame["grade"].gather(row).fill_null(0.0).to_numpy()
        if sessions.gain_event  # what was done to a result at its place; shown again, it may differ
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
        subtopics=match_subtopics(qrels, pools),
        rows=frame,
        layout=layout,
        per_turn=sessions.per_turn,
        notes=tuple(notes),
        gain_event=sessions.gain_event,
        not_fetched=sessions.not_fetched,
    )


class Unjudged(BadInput):
    """Of queries whose topic nobody judged, the first; where none is judged, what is."""

    made_of = ("some", "none", "is_none")

    def __init__(self, some: BadInput, none: BadInput, *, is_none: bool) -> None:
        self.some, self.none, self.is_none = some, none, is_none
        mistake = none if is_none else some
        super().__init__(mistake.where, mistake.problem, mistake.expected)


def _describe_refusal(
    name: str,
    frame: pl.DataFrame,
    layout: SessionLayout,
    missing: Flags,
    judged: pl.Series,
    *,
    none_judged: bool,
) -> BadInput:
    starts = layout.query_starts
    if none_judged and "text" in frame.columns:
        texts = frame["text"].gather(starts)
        asked = texts.filter(texts.is_in(judged.implode()))
        if len(asked):
            return BadInput(
                name,
                f"no topic, such as {quote(frame['topic'][0])}, has judgments: those are for "
                f"questions, such as {quote(asked[0])}",
                '--columns topic=text, the text of the query (columns={"topic": "text"})',
            )
    row = int(starts[missing.argmax()])
    topic, session = frame["topic"][row], frame["session"][row]
    problem = "it has no topic" if topic is None else f"topic {quote(topic)} has no judgments"
    if topic == session:
        problem = "it has no topic, and no judgments have its id"
    way = name_way("--unjudged drop or zero", 'unjudged="drop" or "zero"')
    allowed = f"judgments of every topic; or {way}"
    if none_judged:
        allowed = f"judged topics, such as {quote(judged[0])}"
    return BadInput(name, f"session {quote(session)}: {problem}", allowed)


def nothing_judged(name: str) -> BadInput:
    """Of sessions none of which has a topic that was judged."""
    return BadInput(name, "no query has judgments", "judged topics")


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
    best = find_best_grades(sessions.frame, topic)  # none where an engine gives what gained
    return Qrels(best, sessions.name, part=bool(sessions.gain_event))


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
