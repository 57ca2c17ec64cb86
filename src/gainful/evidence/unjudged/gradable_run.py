"""What would a run score, if documents that nobody judged had grades?

A grading gives every open document of a query a grade. Each is computed as a query of its own,
by the measure itself: many gradings of many queries are one `Matched`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import Convention
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.match.rank_order import ideal_order
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.measure.evaluate import compute_measures
from gainful.measure.ranked_run import RankedRun, rank_run
from gainful.read.qrels_and_run import Qrels, Run
from gainful.types import Array, Flags, Ranks, fill_masked

NOWHERE = int(np.iinfo(np.int32).max)  # the rank of a document that the run lacks
_KEY = ["query", "doc"]
_BATCH_DOCS = 200_000  # documents of gradings that are computed together

GradeFilter = Callable[[Array], Flags]  # which grades does a measure see at all?
# A query, and its gradings: a row for each, a column for each document.
QueryGradings = tuple[int, Array]


@frozen(eq=False)
class QueryDocs:
    """One query: its judged and open documents, and where they stand."""

    grade: Array  # of the documents, those that are judged; not a number where open
    row: Ranks  # of the documents, in the frame of names
    open: Ranks  # which of them are open
    hit: Ranks  # which document each retrieved one is
    ranks: dict[str, Ranks]  # of each retrieved one
    retrieved: int


@frozen(eq=False)
class GradableRun:
    """A run with the documents of judged queries, those included that nobody judged."""

    matched: Matched  # in which the grade of a document is its row in the frame of names
    names: pl.DataFrame  # query, doc
    known_grades: Array  # the grade of each, not a number where it is open
    hits: Ranks  # retrieved documents, grouped by query
    hit_begin: Ranks
    pool_begin: Ranks
    has_duplicates: bool  # does a document stand twice in a ranking?
    has_subtopics: bool  # were documents judged for subtopics?

    @property
    def query_index(self) -> dict[str, int]:
        """The number of each query."""
        return {query: at for at, query in enumerate(self.matched.queries)}

    def query_docs(self, query: int) -> QueryDocs:
        """All there is of one query."""
        matched = self.matched
        pool = slice(self.pool_begin[query], self.pool_begin[query + 1])
        hits = self.hits[self.hit_begin[query] : self.hit_begin[query + 1]]
        row = matched.pool_grade[pool].astype(np.intp)  # descending
        hit_rows = matched.grade[hits].astype(np.intp)
        grade = self.known_grades[row]
        return QueryDocs(
            grade=grade,
            row=row,
            open=np.flatnonzero(np.isnan(grade)),
            hit=len(row) - 1 - np.searchsorted(row[::-1], hit_rows),
            ranks={name: getattr(matched, name)[hits] for name in Matched.rank_fields},
            retrieved=int(matched.retrieved[query]),
        )

    def rank_docs(self, convention: Convention) -> RankedRun:
        """Everything retrieved at its rank; the grades are rows of the frame of names."""
        negative = convention.negative == "remove"
        rows = self.matched.grade.astype(np.intp)
        removed = negative & (np.nan_to_num(self.known_grades[rows]) < 0)
        marked = evolve(self.matched, grade=np.where(removed, -1.0, self.matched.grade))
        plain_convention = convention.with_settings(
            unjudged="zero", negative="remove" if negative else "zero", fractional="keep"
        )
        return rank_run(marked, plain_convention)

    def doc_ranks(self, convention: Convention) -> Ranks:
        """The rank of each row of the frame of names; `NOWHERE` for what was not retrieved."""
        if TIE_POLICIES[convention.ties].needs not in ("ids", "order"):
            convention = convention.with_settings(ties="doc_descending")
        ranked = self.rank_docs(convention.with_settings(negative="zero"))
        rank = np.full(len(self.known_grades), NOWHERE, dtype=np.intp)
        np.minimum.at(rank, ranked.grade.astype(np.intp), ranked.rank)
        return rank

    def values(
        self,
        recipe: Recipe,
        query_gradings: Iterable[QueryGradings],
        grade_filter: GradeFilter | None = None,
        *,
        partial: bool = False,
    ) -> list[Array]:
        """What each query scores under each of its gradings; not a number where it is left out.

        If `partial`, documents may stay open: they have no number as their grade. The
        `grade_filter` leaves out documents with grades for which the measure is blind.
        """
        recipe = _grade_everything(recipe, partial=partial)
        matches = (
            self._match_gradings(query, gradings, recipe, grade_filter)
            for query, gradings in query_gradings
        )
        return _compute_in_batches(matches, recipe)

    def document_effects(
        self, recipe: Recipe, queries: Sequence[int], grade: float
    ) -> tuple[Ranks, Array]:
        """The row of each open document, and the change of its query if it alone has a grade."""
        docs = {query: self.query_docs(query) for query in queries}
        docs = {query: single for query, single in docs.items() if len(single.open)}
        unchanged = [
            (query, np.full((1, len(single.open)), np.nan)) for query, single in docs.items()
        ]
        now = self.values(recipe, unchanged, partial=True)
        matches = (self._match_one_by_one(query, grade) for query in docs)
        alone = _compute_in_batches(matches, _grade_everything(recipe, partial=True))
        changes = [after - before for after, before in zip(alone, now, strict=True)]
        row = np.concatenate(
            [np.zeros(0, np.intp), *(single.row[single.open] for single in docs.values())]
        )
        return row, np.nan_to_num(np.concatenate([np.zeros(0), *changes]))

    def _match_gradings(
        self, query: int, gradings: Array, recipe: Recipe, grade_filter: GradeFilter | None
    ) -> Matched:
        """The gradings of one query as queries of their own."""
        docs = self.query_docs(query)
        size = len(gradings)
        grades = np.tile(docs.grade, (size, 1))
        grades[:, docs.open] = gradings
        graded = ~np.isnan(grades)
        if grade_filter is not None:
            graded &= grade_filter(grades)
        hit_docs = docs.hit
        in_depth = np.ones(len(hit_docs), dtype=bool)
        cutoff, removes_negative = recipe.depth, recipe.convention.negative == "remove"
        if grade_filter is not None and cutoff is not None and not removes_negative:
            in_depth = docs.ranks["first"] <= cutoff  # below it nothing is looked at
        at, column = np.nonzero(graded[:, hit_docs[in_depth]])
        hits = np.flatnonzero(in_depth)[column]
        pool_at, pool_column = np.nonzero(graded)
        pool_grade = grades[pool_at, pool_column]
        order = slice(None) if grade_filter is not None else ideal_order(pool_at, pool_grade)
        pool = pool_at[order], pool_grade[order]
        return self._as_queries(query, size, pool, (at, grades[at, hit_docs[hits]]), docs, hits)

    def _match_one_by_one(self, query: int, grade: float) -> Matched:
        """Gradings of one query that grade one document each, as queries of their own."""
        docs = self.query_docs(query)
        size = len(docs.open)
        judged = np.flatnonzero(~np.isnan(docs.grade))
        numbers = np.arange(size)
        judged_hits = np.flatnonzero(~np.isnan(docs.grade[docs.hit]))
        open_number = np.full(len(docs.row), -1, dtype=np.intp)
        open_number[docs.open] = numbers
        open_hits = np.flatnonzero(np.isnan(docs.grade[docs.hit]))
        at = np.append(np.repeat(numbers, len(judged_hits)), open_number[docs.hit[open_hits]])
        hits = np.append(np.tile(judged_hits, size), open_hits)
        hit_grades = np.append(
            np.tile(docs.grade[docs.hit[judged_hits]], size), np.full(len(open_hits), grade)
        )
        pool_at = np.append(np.repeat(numbers, len(judged)), numbers)
        pool_grade = np.append(np.tile(docs.grade[judged], size), np.full(size, grade))
        order = ideal_order(pool_at, pool_grade)
        pool = pool_at[order], pool_grade[order]
        return self._as_queries(query, size, pool, (at, hit_grades), docs, hits)

    def _as_queries(  # noqa: PLR0917  (all of one query)
        self,
        query: int,
        size: int,
        pool: tuple[Ranks, Array],
        retrieved: tuple[Ranks, Array],
        docs: QueryDocs,
        hits: Ranks,
    ) -> Matched:
        ranks: dict[str, Any] = {rank: ranks[hits] for rank, ranks in docs.ranks.items()}
        return Matched(
            queries=[self.matched.queries[query]] * size,
            judged=np.ones(size, dtype=bool),
            in_run=np.full(size, bool(self.matched.in_run[query])),
            retrieved=np.full(size, docs.retrieved),
            pool_query=pool[0],
            pool_grade=pool[1],
            query=retrieved[0],
            grade=retrieved[1],
            **ranks,
        )


def build_gradable_run(qrels: Qrels, run: Run, convention: Convention) -> GradableRun:
    """A run with all documents of judged queries: those of the pool, and those it retrieved.

    Documents that nobody judged have a row in `names` behind the others. A query without judgments
    has no documents here.

    Examples:
        >>> qrels = Qrels(pl.DataFrame({"query": ["1"], "doc": ["a"], "grade": [2.0]}))
        >>> run = Run(pl.DataFrame({"query": ["1", "1"], "doc": ["b", "a"], "score": [2.0, 1.0]}))
        >>> gradable = build_gradable_run(qrels, run, Convention())
        >>> gradable.names["doc"].to_list(), gradable.known_grades.tolist()
        (['a', 'b'], [2.0, nan])
    """
    retrieved = run.frame.select(_KEY).filter(pl.col("query").is_in(qrels.queries.implode()))
    if convention.namesake == "remove":
        retrieved = retrieved.filter(pl.col("query") != pl.col("doc"))
    retrieved = retrieved.unique(maintain_order=True)
    open_docs = retrieved.join(qrels.frame, on=_KEY, how="anti", maintain_order="left")
    names = pl.concat([qrels.frame.select(_KEY), open_docs])
    rows = names.with_columns(pl.arange(0, pl.len()).cast(pl.Float64).alias("grade"))
    extended = Qrels(rows, qrels.name, empty_queries=qrels.empty_queries, unique=qrels.unique)
    matched = match(extended, run, convention)
    queries = np.arange(len(matched.queries) + 1)
    hits = np.argsort(matched.query, kind="stable")
    return GradableRun(
        matched=matched,
        names=names,
        known_grades=np.append(qrels.frame["grade"].to_numpy(), np.full(len(open_docs), np.nan)),
        hits=hits,
        hit_begin=np.searchsorted(matched.query[hits], queries),
        pool_begin=np.searchsorted(matched.pool_query, queries),
        has_duplicates=bool(matched.duplicate_count) and convention.duplicates == "count",
        has_subtopics=qrels.subtopics is not None,
    )


def _grade_everything(recipe: Recipe, *, partial: bool) -> Recipe:
    unrounded = recipe.convention.with_settings(decimals=None)
    return evolve(
        recipe, convention=unrounded if partial else unrounded.with_settings(unjudged="zero")
    )


def _compute_in_batches(matches: Iterable[Matched], recipe: Recipe) -> list[Array]:
    """The values of all of them, as many at once as memory likes."""
    values: list[Array] = []
    batch: list[Matched] = []
    waiting = 0
    for matched in matches:
        batch.append(matched)
        waiting += matched.query.size + matched.pool_query.size
        if waiting > _BATCH_DOCS:
            values += _compute_batch(batch, recipe)
            batch, waiting = [], 0
    return values + (_compute_batch(batch, recipe) if batch else [])


def _compute_batch(batch: Sequence[Matched], recipe: Recipe) -> list[Array]:
    sizes = [len(matched.queries) for matched in batch]
    shift = np.cumsum([0, *sizes[:-1]])
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(matched, name) for matched in batch])
        for name in ("judged", "in_run", "retrieved", "pool_grade", "grade", *Matched.rank_fields)
    }
    for name in ("pool_query", "query"):
        parts = [getattr(matched, name) + at for matched, at in zip(batch, shift, strict=True)]
        joined[name] = np.concatenate(parts)
    names = [query for matched in batch for query in matched.queries]
    values = compute_measures(Matched(queries=names, **joined), {"": recipe})[""]
    return np.split(fill_masked(values), np.cumsum(sizes)[:-1])
