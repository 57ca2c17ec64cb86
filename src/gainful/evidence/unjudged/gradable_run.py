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
from gainful.formula import Array
from gainful.match.match import match
from gainful.match.matched import Flags, Matched, Ranks, by_grade
from gainful.measure.evaluate import of_matched
from gainful.measure.ranked_run import Seen, seen
from gainful.measure.recipe import Recipe
from gainful.read.qrels_and_run import Judgments, Run

NOWHERE = int(np.iinfo(np.int32).max)  # the rank of a document that the run lacks
_AT_ONCE = 200_000  # documents of gradings that are computed together
_FIXED = ("doc_descending", "doc_ascending", "input", "reversed")

Worthy = Callable[[Array], Flags]  # which grades does a measure see at all?
Asked = tuple[int, Array]  # a query, and its gradings: a row for each, a column for each document


@frozen(eq=False)
class Pair:
    """One query: its judged and open documents, and where they stand."""

    grade: Array  # of the documents, those that are judged; not a number where open
    row: Ranks  # of the documents, in the frame of names
    open: Ranks  # which of them are open
    hit: Ranks  # which document each retrieved one is
    ranks: dict[str, Ranks]  # of each retrieved one
    retrieved: int


@frozen(eq=False)
class Gradings:
    """A run with the documents of judged queries, those included that nobody judged."""

    found: Matched  # in which the grade of a document is its row in the frame of names
    names: pl.DataFrame  # query, doc
    known: Array  # the grade of each, not a number where it is open
    hits: Ranks  # retrieved documents, grouped by query
    hit_begin: Ranks
    pool_begin: Ranks
    twice: bool  # does a document stand twice in a ranking?
    subtopics: bool  # were documents judged for subtopics?

    @property
    def place(self) -> dict[str, int]:
        """The number of each query."""
        return {query: at for at, query in enumerate(self.found.queries)}

    def pair(self, query: int) -> Pair:
        """All there is of one query."""
        found = self.found
        pool = slice(self.pool_begin[query], self.pool_begin[query + 1])
        hits = self.hits[self.hit_begin[query] : self.hit_begin[query + 1]]
        row = found.pool_grade[pool].astype(np.intp)  # descending
        asked = found.grade[hits].astype(np.intp)
        grade = self.known[row]
        return Pair(
            grade=grade,
            row=row,
            open=np.flatnonzero(np.isnan(grade)),
            hit=len(row) - 1 - np.searchsorted(row[::-1], asked),
            ranks={name: getattr(found, name)[hits] for name in Matched.ranks},
            retrieved=int(found.retrieved[query]),
        )

    def view(self, convention: Convention) -> Seen:
        """Everything retrieved at its rank; the grades are rows of the frame of names."""
        negative = convention.negative == "remove"
        rows = self.found.grade.astype(np.intp)
        gone = negative & (np.nan_to_num(self.known[rows]) < 0)
        marked = evolve(self.found, grade=np.where(gone, -1.0, self.found.grade))
        plain = convention.changed(
            unjudged="zero", negative="remove" if negative else "zero", fractional="keep"
        )
        return seen(marked, plain)

    def rank(self, convention: Convention) -> Ranks:
        """The rank of each row of the frame of names; `NOWHERE` for what was not retrieved."""
        fixed = (
            convention if convention.ties in _FIXED else convention.changed(ties="doc_descending")
        )
        view = self.view(fixed.changed(negative="zero"))
        rank = np.full(len(self.known), NOWHERE, dtype=np.intp)
        np.minimum.at(rank, view.grade.astype(np.intp), view.rank)
        return rank

    def values(
        self,
        recipe: Recipe,
        asked: Iterable[Asked],
        worthy: Worthy | None = None,
        *,
        partly: bool = False,
    ) -> list[Array]:
        """What each query scores under each of its gradings; not a number where it is left out.

        Args:
            how: the measure.
            asked: queries with their gradings, of their open documents in the order of `Pair`; not
                a number for a document that stays open.
            worthy: if the measure is blind for other grades, documents that have them are left out.
            partly: may documents stay open? If not, there is nothing left to be taken out for it.
        """
        recipe = _as_judged(recipe, partly=partly)
        laid = (self._laid(query, gradings, recipe, worthy) for query, gradings in asked)
        return _computed(laid, recipe)

    def alone(self, recipe: Recipe, queries: Iterable[int], grade: float) -> list[Array]:
        """What each query scores if one open document has a grade and the others stay open."""
        laid = (self._laid_alone(query, grade) for query in queries)
        return _computed(laid, _as_judged(recipe, partly=True))

    def _laid(self, query: int, gradings: Array, recipe: Recipe, worthy: Worthy | None) -> Matched:
        """The gradings of one query as queries of their own."""
        held = self.pair(query)
        size = len(gradings)
        grades = np.tile(held.grade, (size, 1))
        grades[:, held.open] = gradings
        some = ~np.isnan(grades)
        if worthy is not None:
            some &= worthy(grades)
        shown = held.hit
        within = np.ones(len(shown), dtype=bool)
        deepest, moved = cut_of(recipe), recipe.convention.negative == "remove"
        if worthy is not None and deepest is not None and not moved:
            within = held.ranks["first"] <= deepest  # below it nothing is looked at
        at, column = np.nonzero(some[:, shown[within]])
        hits = np.flatnonzero(within)[column]
        pool_at, pool_column = np.nonzero(some)
        pool_grade = grades[pool_at, pool_column]
        order = slice(None) if worthy is not None else by_grade(pool_at, pool_grade)
        pool = pool_at[order], pool_grade[order]
        return self._as_queries(query, size, pool, (at, grades[at, shown[hits]]), held, hits)

    def _laid_alone(self, query: int, grade: float) -> Matched:
        """The same, of gradings that grade one document each."""
        held = self.pair(query)
        size = len(held.open)
        judged = np.flatnonzero(~np.isnan(held.grade))
        every = np.arange(size)
        known = np.flatnonzero(~np.isnan(held.grade[held.hit]))
        number = np.full(len(held.row), -1, dtype=np.intp)
        number[held.open] = every
        fresh = np.flatnonzero(np.isnan(held.grade[held.hit]))
        at = np.append(np.repeat(every, len(known)), number[held.hit[fresh]])
        hits = np.append(np.tile(known, size), fresh)
        own = np.append(np.tile(held.grade[held.hit[known]], size), np.full(len(fresh), grade))
        pool_at = np.append(np.repeat(every, len(judged)), every)
        pool_grade = np.append(np.tile(held.grade[judged], size), np.full(size, grade))
        order = by_grade(pool_at, pool_grade)
        pool = pool_at[order], pool_grade[order]
        return self._as_queries(query, size, pool, (at, own), held, hits)

    def _as_queries(  # noqa: PLR0917  (all of one query)
        self,
        query: int,
        size: int,
        pool: tuple[Ranks, Array],
        retrieved: tuple[Ranks, Array],
        held: Pair,
        hits: Ranks,
    ) -> Matched:
        ranks: dict[str, Any] = {rank: ranks[hits] for rank, ranks in held.ranks.items()}
        return Matched(
            queries=[self.found.queries[query]] * size,
            judged=np.ones(size, dtype=bool),
            found=np.full(size, bool(self.found.found[query])),
            retrieved=np.full(size, held.retrieved),
            pool_query=pool[0],
            pool_grade=pool[1],
            query=retrieved[0],
            grade=retrieved[1],
            **ranks,
        )


def gradings(qrels: Judgments, run: Run, convention: Convention, source: Sequence[Run]) -> Gradings:
    """A run with open documents: its own, or those of several runs, which are judged together.

    Only judged queries have any: a query without judgments stays without.

    Args:
        judgments: what was judged.
        run: what was retrieved.
        habits: how the run is matched.
        source: the runs whose open documents would join the pool.
    """
    columns = ["query", "doc"]
    there = pl.concat([one.frame.select(columns) for one in source])
    there = there.filter(pl.col("query").is_in(qrels.queries.implode()))
    if convention.namesake == "remove":
        there = there.filter(pl.col("query") != pl.col("doc"))
    there = there.unique(maintain_order=True)
    open_ = there.join(qrels.frame, on=columns, how="anti", maintain_order="left")
    names = pl.concat([qrels.frame.select(columns), open_])
    rows = names.with_columns(pl.arange(0, pl.len()).cast(pl.Float64).alias("grade"))
    extended = Judgments(rows, qrels.name, silent=qrels.silent, unique=qrels.unique)
    found = match(extended, run, convention)
    grade = qrels.frame["grade"].to_numpy()
    queries = np.arange(len(found.queries) + 1)
    hits = np.argsort(found.query, kind="stable")
    return Gradings(
        found=found,
        names=names,
        known=np.append(grade, np.full(len(open_), np.nan)),
        hits=hits,
        hit_begin=np.searchsorted(found.query[hits], queries),
        pool_begin=np.searchsorted(found.pool_query, queries),
        twice=bool(found.duplicates) and convention.duplicates == "count",
        subtopics=qrels.subtopics is not None,
    )


def cut_of(recipe: Recipe) -> int | None:
    """How many documents the measure looks at; None for all of them."""
    return recipe.k if recipe.measure.entry.cut in ("optional", "needed") else None


def _as_judged(recipe: Recipe, *, partly: bool) -> Recipe:
    """The measure, nothing rounded yet; where everything is judged, nothing is taken out."""
    whole = recipe.convention.changed(decimals=None)
    return evolve(recipe, convention=whole if partly else whole.changed(unjudged="zero"))


def _computed(laid: Iterable[Matched], recipe: Recipe) -> list[Array]:
    """The values of all of them, as many at once as memory likes."""
    found: list[Array] = []
    some: list[Matched] = []
    waiting = 0
    for one in laid:
        some.append(one)
        waiting += one.query.size + one.pool_query.size
        if waiting > _AT_ONCE:
            found += _together(some, recipe)
            some, waiting = [], 0
    return found + (_together(some, recipe) if some else [])


def _together(laid: Sequence[Matched], recipe: Recipe) -> list[Array]:
    sizes = [len(one.queries) for one in laid]
    shift = np.cumsum([0, *sizes[:-1]])
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in laid])
        for name in ("judged", "found", "retrieved", "pool_grade", "grade", *Matched.ranks)
    }
    for name in ("pool_query", "query"):
        parts = [getattr(one, name) + at for one, at in zip(laid, shift, strict=True)]
        joined[name] = np.concatenate(parts)
    names = [query for one in laid for query in one.queries]
    values = of_matched(Matched(queries=names, **joined), {"": recipe})[""]
    plain: Array = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    return np.split(plain, np.cumsum(sizes)[:-1])
