"""Some queries of a run, document by document, at the ranks a convention gives them.

Measures need no names: a `Matched` has only ranks and grades. Names, scores and grades of documents
are read here. A document of a `Matched` is named by its rank by id, which no other document of the
query has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import polars as pl
from attrs import define, evolve, frozen

from gainful.convention import Convention
from gainful.match.frames import keep_one
from gainful.match.match import drop_namesakes
from gainful.match.matched import Matched
from gainful.match.rank_order import invert_order, order_by_score
from gainful.match.ties import TIE_POLICIES, TieBlocks, place_ties
from gainful.read.qrels_and_run import QRELS, RUN, Kind, LazyRun, NestedDict, Qrels, Run
from gainful.types import Array, Ranks

_KEY = ["query", "doc"]


@define  # not frozen: there are many, and each would take twice as long
class RankedDoc:
    """One document at its rank; `until` is the last rank of a block over which ties are averaged.

    `grade` is None for a document without a judgment; gain, discount and contribution are None
    where the measure is no cumulated gain. What fills a short list has no name.
    """

    rank: int
    until: int
    doc: str | None = None
    score: float | None = None
    grade: float | None = None
    gain: float | None = None
    discount: float | None = None
    contribution: float | None = None


@frozen(eq=False)
class QueryRanking:
    """One query of a run: its documents in the order given, with the ranks that each can have."""

    docs: Sequence[str]
    score: Array
    grade: Array  # not a number where there is no judgment
    ranks: TieBlocks
    ties: str


@frozen(eq=False)
class Rankings:
    """The rankings of some queries, their judgments, and what was matched of them."""

    matched: Matched
    grades: Mapping[str, Mapping[str, float]]  # of the judged documents of each query
    by_query: Mapping[str, QueryRanking]  # of queries for which the run has documents

    def rank_docs(
        self, query: str, gains: Mapping[str, float], most: int | None = None
    ) -> list[RankedDoc]:
        """The documents of a query at their ranks, all or the first of them.

        Where ties go by grades, they go by these gains.
        """
        ranking = self.by_query.get(query)
        if ranking is None:
            return []
        order, *ranks = (column[:most] for column in self.place_docs(query, gains))
        columns = (order, *ranks, ranking.score[order], ranking.grade[order])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [
            RankedDoc(rank, until, ranking.docs[at], score, None if isnan(grade) else grade)
            for at, rank, until, score, grade in rows
        ]

    def place_docs(self, query: str, gains: Mapping[str, float]) -> tuple[Ranks, Ranks, Ranks]:
        """The rows of a query in the order of ranks, and the first and the last rank of each."""
        ranking = self.by_query[query]
        gain = np.array([gains.get(doc, 0.0) for doc in ranking.docs], dtype=np.float64)
        policy = TIE_POLICIES[ranking.ties]
        first, last = place_ties(ranking.ties, ranking.ranks, gain)
        if policy.needs == "grades":  # the unjudged take the ranks that are left
            judged = ~np.isnan(ranking.grade)
            first = ranking.ranks.by_id.copy()
            first[judged], _ = place_ties(ranking.ties, ranking.ranks.select(judged), gain[judged])
            free = np.setdiff1d(np.arange(1, len(first) + 1), first[judged])
            first[~judged] = free[invert_order(np.argsort(first[~judged]))]
            last = first
        order = np.argsort(ranking.ranks.by_input if policy.averages else first)
        return order, first[order], last[order]

    def name_docs(self, query: str, by_id: Ranks) -> list[str]:
        """The documents of a query at these ranks, ties being broken by document id."""
        if query not in self.by_query:
            return []
        ranking = self.by_query[query]
        row = invert_order(ranking.ranks.by_id - 1)
        return [ranking.docs[at] for at in row[by_id - 1].tolist()]


def rank_documents(matched: Matched, convention: Convention, queries: Collection[str]) -> Rankings:
    """Some queries of a run with their documents; the convention is one it was matched by.

    Examples:
        >>> from gainful.convention import GAINFUL
        >>> from gainful.match.match import match
        >>> from gainful.read.inputs import as_qrels, as_run
        >>> qrels, run = as_qrels({"1": {"a": 3}}), as_run({"1": ["b", "a"]})
        >>> matched = evolve(match(qrels, run, GAINFUL), qrels=qrels, run=run)
        >>> rankings = rank_documents(matched, GAINFUL, ["1"])
        >>> [(row.rank, row.doc, row.grade) for row in rankings.rank_docs("1", {})]
        [(1, 'b', None), (2, 'a', 3.0)]
    """
    judged = _select_rows(matched.qrels, QRELS, queries)
    judged = judged.unique(_KEY, keep="last", maintain_order=True)
    judged = judged.select(*_KEY, pl.col("grade").cast(pl.Float64))
    run = matched.run
    run = run.collect_queries(queries) if isinstance(run, LazyRun) else run
    retrieved = _select_rows(run, RUN, queries)
    in_run = {*retrieved["query"].unique()}
    if convention.namesake == "remove":
        retrieved = _select_rows(drop_namesakes(run), RUN, queries)
    graded = retrieved.join(judged, on=_KEY, how="left", maintain_order="left")
    if convention.duplicates != "count":
        graded = keep_one(graded, convention.duplicates)
    if convention.unjudged == "remove":
        graded = graded.filter(pl.col("grade").is_not_null())
    if convention.negative == "remove":
        graded = graded.filter(pl.col("grade").fill_null(0) >= 0)
    grades: dict[str, dict[str, float]] = {query: {} for query in queries}
    for query, doc, grade in judged.iter_rows():
        grades[query][doc] = grade
    rankings = _rank_rows(graded, [query for query in grades if query in in_run], convention)
    return Rankings(matched.select_by_name(queries), grades, rankings)


def _select_rows(
    whole: Qrels | Run | NestedDict, kind: Kind[Any], queries: Collection[str]
) -> pl.DataFrame:
    if isinstance(whole, NestedDict):
        from gainful.read.dicts import to_frame  # noqa: PLC0415  (files do without)

        wanted = {*queries}
        mapping = {query: docs for query, docs in whole.mapping.items() if str(query) in wanted}
        return to_frame(evolve(whole, mapping=mapping), kind)
    return whole.frame.filter(pl.col("query").is_in([*queries]))


def _rank_rows(
    graded: pl.DataFrame, queries: Sequence[str], convention: Convention
) -> dict[str, QueryRanking]:
    """The rows of each query at their ranks; all queries are ranked at once."""
    parts = graded.partition_by("query", as_dict=True, maintain_order=True)
    empty = graded.clear()
    rows = pl.concat([empty, *(parts.get((query,), empty) for query in queries)])
    sizes = np.array([len(parts.get((query,), empty)) for query in queries], dtype=np.intp)
    filled = np.flatnonzero(sizes)
    score, grade = rows["score"].to_numpy(), rows["grade"].fill_null(np.nan).to_numpy()
    order = order_by_score(score, filled, sizes[filled], len(queries), convention.score_bits)
    query_number = np.repeat(np.arange(len(queries)), sizes)
    ranks = order.rank_rows(np.arange(len(rows)), query_number, rows["doc"])
    docs, rankings = rows["doc"].to_list(), {}
    for query, end, size in zip(queries, np.cumsum(sizes).tolist(), sizes.tolist(), strict=True):
        part = slice(end - size, end)
        rankings[query] = QueryRanking(
            docs[part], score[part], grade[part], ranks.select(part), convention.ties
        )
    return rankings


def list_docs(run: Run, depth: int) -> dict[str, list[str]]:
    """The first documents of each query, the best first; ties by descending id, as trec_eval.

    A duplicate document counts at its better rank.

    Examples:
        >>> rows = [("1", "a", 0.5), ("1", "b", 0.9), ("1", "c", 0.9)]
        >>> list_docs(Run(pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")), 2)
        {'1': ['c', 'b']}
    """
    ordered = run.frame.sort(["score", "doc"], descending=True).unique(
        ["query", "doc"], keep="first", maintain_order=True
    )
    lists = ordered.group_by("query", maintain_order=True).agg(pl.col("doc").head(depth))
    return dict(lists.iter_rows())
