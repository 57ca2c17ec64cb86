"""Judgments and a run as columns in memory → `Matched`: one join, one ranking.

A run that is in order already, as almost all are, is only checked. Duplicates and the join go
by a 64-bit hash of query and document; the few hits are then compared exactly.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention import Duplicates
from gainful.errors import Duplicated
from gainful.match.ideal import ideal_order
from gainful.match.matched import Matched, reduce_precision
from gainful.match.subtopics import match_subtopics
from gainful.match.ties import count_ties, find_ties, tie_blocks
from gainful.read.qrels_and_run import (
    Qrels,
    Run,
    describe_duplicates,
    find_duplicates,
    pair_hash,
)
from gainful.types import Array, Ranks


@frozen(eq=False)
class _RankOrder:
    """A run in rank order: which row stands where, and where each query begins."""

    rows: Ranks | None  # row at each place; None where the run is in order as it is
    score: Array  # by place
    start: Ranks  # by query
    retrieved: Ranks  # by query

    def places(self, row: Ranks) -> Ranks:
        if self.rows is None:
            return row
        place = np.empty_like(self.rows)
        place[self.rows] = np.arange(len(place))
        return place[row]

    def row_at(self, place: Ranks) -> Ranks:
        return place if self.rows is None else self.rows[place]


def match_frames(
    qrels: Qrels,
    run: Run,
    *,
    duplicates: Duplicates = "error",
    score_bits: Literal[64, 32] = 64,
) -> Matched:
    """Where do the judged documents stand in a run?

    Examples:
        >>> qrels = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "grade": [2.0, 1.0]})
        >>> retrieved = pl.DataFrame({"query": ["1", "1"], "doc": ["c", "a"], "score": [0.9, 0.5]})
        >>> matched = match_frames(Qrels(qrels), Run(retrieved))
        >>> matched.by_id.tolist(), matched.grade.tolist()
        ([2], [2.0])
    """
    run, hashes, duplicate_count = _drop_duplicates(run, duplicates)
    queries = qrels.queries
    pool_query = _index_names(qrels.frame["query"], queries)
    stretches = run.frame["query"].rle()
    names, lengths = stretches.struct.field("value"), stretches.struct.field("len").to_numpy()
    extra = names.filter(~names.is_in(queries.implode())).unique(maintain_order=True)
    all_queries = pl.concat([queries, extra])
    order = _rank_order(
        run, _index_names(names, all_queries), lengths, len(all_queries), score_bits
    )
    place, row = _join_hits(qrels, run, hashes)
    query = pool_query[place]
    position = order.places(row)
    tied = find_ties(order.score, order.start, order.retrieved)
    first, last, block = tie_blocks(position, order.start[query], tied)
    by_input = position - order.start[query] + 1
    grade = qrels.frame["grade"].to_numpy()
    sequence = ideal_order(pool_query, grade)
    pool_index = np.empty_like(sequence)
    pool_index[sequence] = np.arange(len(sequence))
    return Matched(
        queries=all_queries.to_list(),
        judged=np.arange(len(all_queries)) < len(queries),
        in_run=(order.retrieved > 0) | all_queries.is_in(list(run.silent)).to_numpy(),
        retrieved=order.retrieved,
        pool_query=pool_query[sequence],
        pool_grade=grade[sequence],
        query=query,
        grade=grade[place],
        first=first,
        last=last,
        by_id=_rank_by_id(run, order, position, first, last, block, by_input),
        by_input=by_input,
        tied_count=count_ties(tied),
        duplicate_count=duplicate_count,
        pool_index=pool_index[place],
        subtopics=match_subtopics(qrels, pool_index),
    )


def _drop_duplicates(run: Run, policy: Duplicates) -> tuple[Run, pl.Series, int]:
    """The run with its duplicates as the convention has it, its hashes, and how many there were."""
    hashes = run.frame.select(pair_hash()).to_series()
    repeated = find_duplicates(run.frame, hashes)
    if repeated.is_empty():
        return run, hashes, 0
    count = len(repeated) - repeated.n_unique(["query", "doc"])
    if policy == "error":
        rest = f" and {count - 1} more" if count > 1 else ""
        raise Duplicated(
            run.name,
            "a document stands twice in one ranking: "
            f"{describe_duplicates(repeated, run.locate, 1)[0]}{rest}",
            "each document once, or the habit duplicates set to last or count",
        )
    if policy == "last":
        frame = run.frame.unique(["query", "doc"], keep="last", maintain_order=True)
        run = evolve(run, frame=frame, where=None)
        hashes = frame.select(pair_hash()).to_series()
    return run, hashes, count


def _index_names(names: pl.Series, all_names: pl.Series) -> Ranks:
    """The place of each name in a list of them."""
    numbered = all_names.rename("name").to_frame().with_row_index("number")
    wanted = names.rename("name").to_frame()
    joined = wanted.join(numbered, on="name", how="left", maintain_order="left")
    return joined["number"].to_numpy().astype(np.intp)


def _rank_order(run: Run, query: Ranks, lengths: Ranks, size: int, bits: int) -> _RankOrder:
    """The run in rank order; `query` and `lengths` are those of its stretches of one query."""
    score = reduce_precision(run.frame["score"].to_numpy(), bits)
    lengths = lengths.astype(np.intp)
    retrieved = np.bincount(query, lengths, minlength=size).astype(np.intp)
    begin = np.cumsum(lengths) - lengths
    rising = score[1:] > score[:-1]
    rising[begin[1:] - 1] = False
    if len(query) == int((retrieved > 0).sum()) and not rising.any():
        start = np.zeros(size, dtype=np.intp)
        start[query] = begin
        return _RankOrder(None, score, start, retrieved)
    rows = np.lexsort((-score, np.repeat(query, lengths)))
    return _RankOrder(rows, score[rows], np.cumsum(retrieved) - retrieved, retrieved)


def _join_hits(qrels: Qrels, run: Run, hashes: pl.Series) -> tuple[Ranks, Ranks]:
    """Which judgment meets which row of the run."""
    judged = qrels.frame.select(pair_hash().alias("hash")).with_row_index("place")
    retrieved = hashes.alias("hash").to_frame().with_row_index("row")
    hits = judged.join(retrieved, on="hash", how="inner", maintain_order="left")
    place, row = hits["place"], hits["row"]
    exact = (qrels.frame["query"].gather(place) == run.frame["query"].gather(row)) & (
        qrels.frame["doc"].gather(place) == run.frame["doc"].gather(row)
    )
    hits = hits.filter(exact)
    return hits["place"].to_numpy().astype(np.intp), hits["row"].to_numpy().astype(np.intp)


def _rank_by_id(  # noqa: PLR0917  (all of one block)
    run: Run,
    order: _RankOrder,
    position: Ranks,
    first: Ranks,
    last: Ranks,
    block: Ranks,
    by_input: Ranks,
) -> Ranks:
    """The rank if ties are broken by document id: only blocks with judged documents are sorted."""
    rank = by_input.copy()
    inside = np.flatnonzero(block >= 0)
    if not inside.size:
        return rank
    numbers, first_index = np.unique(block[inside], return_index=True)
    first_inside = inside[first_index]
    sizes = last[first_inside] - first[first_inside] + 1
    opens = position[first_inside] - (by_input[first_inside] - first[first_inside])
    offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.repeat(opens, sizes) + offset
    ordered = (
        pl.DataFrame({"block": np.repeat(numbers, sizes), "place": places})
        .with_columns(run.frame["doc"].gather(order.row_at(places)).alias("doc"))
        .sort("block", "doc", descending=[False, True], maintain_order=True)
    )
    rank_of = np.empty(len(ordered), dtype=np.intp)  # by place among these, which ascend
    sorted_places = ordered["place"].to_numpy()
    rank_of[np.searchsorted(places, sorted_places)] = offset
    rank[inside] = first[inside] + rank_of[np.searchsorted(places, position[inside])]
    return rank
