"""`Matched`: all that a measure needs to know of a run, for all queries at once.

Only judged documents matter. Of a hundred million retrieved rows the few judged ones are kept,
each with its rank, or with the block of ranks that it shares with others of the same score.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self
from unicodedata import normalize

import numpy as np
from attrs import evolve, field, frozen

from gainful.errors import NothingInCommon
from gainful.match.ties import TieBlocks
from gainful.text import quote
from gainful.types import Array, Flags, Ranks

if TYPE_CHECKING:  # arrays alone do without polars
    from gainful.read.qrels_and_run import LazyRun, NestedDict, Qrels, Run

MOST_NAMED = 3  # queries that a message names
FILTERED_ORDERS = ("score", "input")  # in which documents with scores of 0 and more are matched


@frozen(eq=False, kw_only=True)
class Subtopics:
    """One entry for each judgment, by document id, descending, and then by subtopic.

    That order is how ndeval breaks ties between documents in an ideal ranking; the arrays of
    the pool have no ids by which it could be done later.
    """

    doc: Ranks  # where the document stands in the pool
    subtopic: Ranks  # a number for each name, in the order in which they first appear
    grade: Array

    def select(self, kept: Flags) -> Subtopics:
        """The subtopics of a part of the pool, whose documents have new numbers then."""
        number = np.cumsum(kept) - 1
        some = kept[self.doc]
        return Subtopics(
            doc=number[self.doc[some]], subtopic=self.subtopic[some], grade=self.grade[some]
        )


@frozen(eq=False, kw_only=True)
class Matched(TieBlocks):
    """Per query: what was retrieved and judged. Per judged retrieved document: where it stands."""

    rank_fields: ClassVar[tuple[str, ...]] = ("first", "last", "by_id", "by_input")

    queries: Sequence[str]  # judged ones first, then those that only the run has
    judged: Flags  # has the query judgments?
    in_run: Flags  # has the run the query?
    retrieved: Ranks  # how many documents the run has for it
    pool_query: Ranks  # the judged documents, grouped by query, best grade first
    pool_grade: Array
    grade: Array  # of the retrieved ones among them
    tied_count: int = 0  # retrieved documents that share their score with another
    duplicate_count: int = 0  # documents that stand in a ranking a second time
    duplicate: tuple[str, str] | None = None  # one of them, and its query
    ordered: bool = True  # is `by_input` known? An engine may have no order of rows
    extra_counts: tuple[int, int] = (0, 0)  # queries that only the run has, and their documents
    pool_index: Ranks | None = None  # of each in the pool, if that is known; -1: on no subtopic
    subtopics: Subtopics | None = None  # of the pool, if the judgments have them
    filtered: Mapping[str, Matched] | None = None  # without scores below 0, where asked for
    # What was matched, where its documents are named; of a file read in parts the first rows.
    qrels: Qrels | NestedDict = field(default=None)
    run: Run | NestedDict | LazyRun = field(default=None)
    views: dict[Any, Any] = field(factory=dict, init=False)  # ranked, by settings of conventions

    def select_queries(self, kept: Flags) -> Self:
        """What was matched of some of the queries."""
        if kept.all():
            return self
        number = np.cumsum(kept) - 1
        filtered = self.filtered
        if filtered is not None:
            filtered = {order: part.select_queries(kept) for order, part in filtered.items()}
        some = self.with_pool(kept[self.pool_query]).take_hits(kept[self.query])
        return evolve(
            some,
            queries=self.query_names(kept),
            judged=self.judged[kept],
            in_run=self.in_run[kept],
            retrieved=self.retrieved[kept],
            pool_query=number[some.pool_query],
            query=number[some.query],
            filtered=filtered,
        )

    def select_by_name(self, names: Collection[str]) -> Self:
        """What was matched of these queries, as far as they are there."""
        wanted = {*names}
        flags = np.fromiter((name in wanted for name in self.queries), bool, len(self.queries))
        return self.select_queries(flags)

    def select_query(self, name: str) -> Self | None:
        """One query by itself; None where it is not there."""
        selected = self.select_by_name((name,))
        return selected if len(selected.queries) else None

    def with_pool(self, pool: Flags) -> Self:
        """What was matched with a part of the pool; hits outside it are then left out."""
        pool_index, subtopics = self.pool_index, self.subtopics
        if pool_index is not None:
            pool_index = np.where(pool_index < 0, -1, (np.cumsum(pool) - 1)[pool_index])
        return evolve(
            self,
            pool_query=self.pool_query[pool],
            pool_grade=self.pool_grade[pool],
            pool_index=pool_index,
            subtopics=None if subtopics is None else subtopics.select(pool),
        )

    def take_hits(self, hits: Flags | Ranks) -> Self:
        """Some of the retrieved documents that are judged, or all of them in another order."""
        return evolve(self, **self.pick_hits(hits))

    def pick_hits(self, hits: Flags | Ranks) -> dict[str, Any]:
        """What is known of some of these documents, by field."""
        names = ("query", "grade", *self.rank_fields)
        pool_index = None if self.pool_index is None else self.pool_index[hits]
        return {"pool_index": pool_index} | {name: getattr(self, name)[hits] for name in names}

    @property
    def highest_grade(self) -> float:
        """The highest grade that was given; 0 if none is above it."""
        return float(self.pool_grade.max(initial=0.0))

    def query_names(self, flags: Flags) -> list[str]:
        """The names of these queries."""
        return [self.queries[row] for row in np.flatnonzero(flags).tolist()]

    def refuse_nothing_in_common(self, run: str) -> None:
        """Judgments and a run of quite different queries are a mistake."""
        if not (self.judged & self.in_run).any():
            run_queries, qrels_queries = (
                ", ".join(map(quote, self.query_names(flags)[:MOST_NAMED]))
                for flags in (self.in_run, self.judged)
            )
            problem = f"it has {run_queries}, …; the judgments have {qrels_queries}, …"
            composed = (
                {normalize("NFC", name) for name in self.query_names(flags)}
                for flags in (self.in_run, self.judged)
            )
            if not set.isdisjoint(*composed):
                problem += "; they differ only in how Unicode writes accents (NFC or NFD)"
            elif run in self.query_names(self.judged):  # {query: …} of no known kind
                problem += f"; {quote(run)} was read as the name of a run, not as a query"
            raise NothingInCommon(run, f"no query in common: {problem}")

    def cut(self, depth: int) -> Self:
        """Only the first documents of each ranking, ties broken by document id."""
        kept = self.take_hits(self.by_id <= depth)
        ranks = {name: np.minimum(getattr(kept, name), depth) for name in self.rank_fields}
        return evolve(kept, retrieved=np.minimum(self.retrieved, depth), **ranks)

    def judgment_coverage(self, depth: int) -> tuple[int, int]:
        """How many of the first `depth` documents of judged queries are judged, and of how many."""
        judged = int((self.by_id <= depth).sum())
        return judged, int(np.minimum(self.retrieved[self.judged], depth).sum())
