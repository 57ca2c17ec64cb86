"""`Matched`: all that a measure needs to know of a run, for all queries at once.

Only judged documents matter. Of a hundred million retrieved rows the few judged ones are kept,
each with its rank, or with the block of ranks that it shares with others of the same score.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from gainful.errors import NothingInCommon
from gainful.text import quote
from gainful.types import Array, Flags, Ranks

_MOST_NAMED = 3  # queries that a message names
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
class Matched:
    """Per query: what was retrieved and judged. Per judged retrieved document: where it stands."""

    rank_fields: ClassVar[tuple[str, ...]] = ("first", "last", "by_id", "by_input")

    queries: Sequence[str]  # judged ones first, then those that only the run has
    judged: Flags  # has the query judgments?
    in_run: Flags  # has the run the query?
    retrieved: Ranks  # how many documents the run has for it
    pool_query: Ranks  # the judged documents, grouped by query, best grade first
    pool_grade: Array
    query: Ranks  # the retrieved ones among them
    grade: Array
    first: Ranks  # the block of ranks of equal scores
    last: Ranks
    by_id: Ranks  # the rank, if ties are broken by document id, descending
    by_input: Ranks  # the rank, if ties stay in the order given
    tied_count: int = 0  # retrieved documents that share their score with another
    duplicate_count: int = 0  # documents that stand in a ranking a second time
    duplicate: tuple[str, str] | None = None  # one of them, and its query
    ordered: bool = True  # is `by_input` known? An engine may have no order of rows
    extra_counts: tuple[int, int] = (0, 0)  # queries that only the run has, and their documents
    pool_index: Ranks | None = None  # of each in the pool, if that is known; -1: on no subtopic
    subtopics: Subtopics | None = None  # of the pool, if the judgments have them
    filtered: Mapping[str, Matched] | None = None  # without scores below 0, where asked for

    @classmethod
    def concat(cls, parts: Sequence[Matched], queries: Sequence[str], **known: Any) -> Matched:
        """Parts of one run, each of some whole queries, as if they had been matched together.

        Args:
            parts: one at least.
            queries: those that were judged, in the order that they are to have; others go by name.
            **known: fields that only the whole has.
        """

        def join(name: str, starts: Ranks | None = None) -> NDArray[Any]:
            arrays = [getattr(part, name) for part in parts]
            if starts is not None:
                arrays = [array + start for array, start in zip(arrays, starts, strict=True)]
            return np.concatenate(arrays)

        names = [name for part in parts for name in part.queries]
        in_order = [*queries, *sorted({*names}.difference(queries))]
        numbers = dict(zip(in_order, range(len(in_order)), strict=True))
        order = np.argsort([numbers[name] for name in names], kind="stable")
        starts = _find_starts([len(part.queries) for part in parts])
        pool_query = invert_order(order)[join("pool_query", starts)]
        pool_order = np.argsort(pool_query, kind="stable")
        ranks: dict[str, Any] = {name: join(name) for name in cls.rank_fields}
        pool_starts = _find_starts([len(part.pool_query) for part in parts])
        return cls(
            queries=[names[place] for place in order.tolist()],
            judged=join("judged")[order],
            in_run=join("in_run")[order],
            retrieved=join("retrieved")[order],
            pool_query=pool_query[pool_order],
            pool_grade=join("pool_grade")[pool_order],
            query=invert_order(order)[join("query", starts)],
            grade=join("grade"),
            pool_index=invert_order(pool_order)[join("pool_index", pool_starts)],
            tied_count=sum(part.tied_count for part in parts),
            duplicate_count=sum(part.duplicate_count for part in parts),
            duplicate=next((part.duplicate for part in parts if part.duplicate), None),
            extra_counts=(
                sum(part.extra_counts[0] for part in parts),
                sum(part.extra_counts[1] for part in parts),
            ),
            filtered={
                name: cls.concat([(part.filtered or {})[name] for part in parts], queries, **known)
                for name in parts[0].filtered or {}
            }
            or None,
            **ranks,
            **known,
        )

    def count_extra(self) -> Self:
        """What was matched, queries that only the run has being a number but for the first few."""
        kept = self.judged | (np.cumsum(~self.judged) <= _MOST_NAMED)
        counts = int((~kept).sum()), int(self.retrieved[~kept].sum())
        return evolve(self.select_queries(kept), extra_counts=counts)

    def select_queries(self, kept: Flags) -> Self:
        """What was matched of some of the queries."""
        if kept.all():
            return self
        number = np.cumsum(kept) - 1
        hits, pool = kept[self.query], kept[self.pool_query]
        per_hit = {name: getattr(self, name)[hits] for name in ("grade", *self.rank_fields)}
        return evolve(
            self.with_pool(pool, hits),
            queries=self.query_names(kept),
            judged=self.judged[kept],
            in_run=self.in_run[kept],
            retrieved=self.retrieved[kept],
            pool_query=number[self.pool_query[pool]],
            query=number[self.query[hits]],
            filtered=None
            if self.filtered is None
            else {order: matched.select_queries(kept) for order, matched in self.filtered.items()},
            **per_hit,
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

    def with_pool(self, pool: Flags, hits: Flags) -> Self:
        """What was matched with a part of the pool, in which all retrieved documents stand.

        Only what refers to the pool by numbers is changed: the pool, and the places in it.
        """
        number = np.cumsum(pool) - 1
        return evolve(
            self,
            pool_query=self.pool_query[pool],
            pool_grade=self.pool_grade[pool],
            pool_index=None
            if self.pool_index is None
            else _renumber(self.pool_index[hits], number),
            subtopics=None if self.subtopics is None else self.subtopics.select(pool),
        )

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
                ", ".join(map(quote, self.query_names(flags)[:_MOST_NAMED]))
                for flags in (self.in_run, self.judged)
            )
            problem = f"it has {run_queries}, …; the judgments have {qrels_queries}, …"
            raise NothingInCommon(run, f"no query in common: {problem}")

    def cut(self, depth: int) -> Self:
        """Only the first documents of each ranking, ties broken by document id."""
        kept = self.by_id <= depth
        ranks = {name: np.minimum(getattr(self, name)[kept], depth) for name in self.rank_fields}
        return evolve(
            self,
            retrieved=np.minimum(self.retrieved, depth),
            query=self.query[kept],
            grade=self.grade[kept],
            pool_index=None if self.pool_index is None else self.pool_index[kept],
            **ranks,
        )

    def judgment_coverage(self, depth: int) -> tuple[int, int]:
        """How many of the first `depth` documents of judged queries are judged, and of how many."""
        judged = int((self.by_id <= depth).sum())
        return judged, int(np.minimum(self.retrieved[self.judged], depth).sum())


def invert_order(order: Ranks) -> Ranks:
    """Where each item of an order stands."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def _find_starts(sizes: Sequence[int]) -> Ranks:
    return np.cumsum(sizes, dtype=np.intp) - np.array(sizes, dtype=np.intp)


def _renumber(pool_index: Ranks, number: Ranks) -> Ranks:
    return np.where(pool_index < 0, -1, number[pool_index])


def reduce_precision(score: NDArray[Any], bits: int) -> NDArray[Any]:
    """Scores as precise as the convention has them."""
    if bits == 64:
        return score
    with np.errstate(over="ignore"):  # what is too large for them is infinite, as in C
        return score.astype(np.float32)
