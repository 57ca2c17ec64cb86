"""Judgments and a run as columns in memory → `Matched`: one join, one ranking.

A run that is in order already, as almost all are, is only checked. Duplicates and the join go
by a 64-bit hash of query and document; the few hits are then compared exactly.
"""

from __future__ import annotations

from typing import Literal, NoReturn

import numpy as np
import polars as pl
from attrs import evolve

from gainful.convention.convention import Duplicates
from gainful.errors import Duplicated
from gainful.match.matched import Matched
from gainful.match.pools import build_matched, build_pools, match_subtopics, number_names
from gainful.match.rank_order import order_by_score
from gainful.match.ties import count_ties
from gainful.read.qrels_and_run import (
    Qrels,
    Run,
    are_distinct,
    describe_duplicates,
    find_duplicates,
    pair_hash,
)
from gainful.types import Ranks


def match_frames(
    qrels: Qrels, run: Run, *, duplicates: Duplicates = "error", score_bits: Literal[64, 32] = 64
) -> Matched:
    """Where do the judged documents stand in a run?

    Examples:
        >>> qrels = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "grade": [2.0, 1.0]})
        >>> retrieved = pl.DataFrame({"query": ["1", "1"], "doc": ["c", "a"], "score": [0.9, 0.5]})
        >>> matched = match_frames(Qrels(qrels), Run(retrieved))
        >>> matched.by_id.tolist(), matched.grade.tolist()
        ([2], [2.0])
    """
    queries, pools = qrels.queries, build_pools(qrels)
    judged = qrels.frame.select(pair_hash().alias("hash")).with_row_index("place")
    hashes = run.frame.select(pair_hash().alias("hash"))
    repeated = run.frame.clear()
    if not (run.distinct or are_distinct(hashes["hash"])):
        run, repeated = _drop_duplicates(run, duplicates)
        hashes = run.frame.select(pair_hash().alias("hash"))
    stretches = run.frame["query"].rle()
    names, lengths = stretches.struct.field("value"), stretches.struct.field("len").to_numpy()
    extra = names.filter(~names.is_in(queries.implode())).unique(maintain_order=True)
    all_queries = pl.concat([queries, extra])
    numbers = number_names(names, all_queries).to_numpy().astype(np.intp)
    score = run.frame["score"].to_numpy()
    order = order_by_score(score, numbers, lengths, len(all_queries), score_bits)
    place, row = _join_hits(qrels, run, judged, hashes)
    return build_matched(
        pools,
        all_queries.to_list(),
        order.retrieved,
        place,
        order.rank_rows(row, pools.base[place], run.frame["doc"]),
        judged=np.arange(len(all_queries)) < len(queries),
        in_run=(order.retrieved > 0) | all_queries.is_in(list(run.empty_queries)).to_numpy(),
        tied_count=count_ties(order.tied),
        duplicate_count=len(repeated) - repeated.n_unique(["query", "doc"]),
        duplicate=next(repeated["query", "doc"].bottom_k(1, by=["query", "doc"]).iter_rows(), None),
        subtopics=match_subtopics(qrels, pools),
    )


def _drop_duplicates(run: Run, policy: Duplicates) -> tuple[Run, pl.DataFrame]:
    """The run with its duplicates as the convention has it, and what stood twice."""
    repeated = find_duplicates(run.frame)
    if repeated.is_empty():
        return run, repeated
    if policy == "error":
        count = len(repeated) - repeated.n_unique(["query", "doc"])
        refuse_duplicates(run.name, describe_duplicates(repeated, run.locate, 1)[0], count)
    if policy != "count":
        run = evolve(run, frame=keep_one(run.frame, policy), where=None)
    return run, repeated


def keep_one(frame: pl.DataFrame, policy: Duplicates) -> pl.DataFrame:
    """The rows of a ranking with each document once: where it scores best, or comes last."""
    pair = ["query", "doc"]
    if policy == "first":
        frame = frame.filter(pl.col("score") == pl.col("score").max().over(pair))
    keep: Literal["first", "last"] = "first" if policy == "first" else "last"
    return frame.unique(pair, keep=keep, maintain_order=True)


def refuse_duplicates(name: str, example: str, count: int) -> NoReturn:
    """Documents that stand twice in a ranking, of which one is an example."""
    rest = f" and {count - 1} more" if count > 1 else ""
    raise Duplicated(
        name,
        f"a ranking lists a document twice: {example}{rest}",
        "each document once; or --duplicates (duplicates=) first, last or count",
    )


def _join_hits(
    qrels: Qrels, run: Run, judged: pl.DataFrame, hashes: pl.DataFrame
) -> tuple[Ranks, Ranks]:
    """Which judgment meets which row of the run; both by their hashes, then exactly."""
    wanted = pl.col("hash").is_in(judged["hash"].implode())
    retrieved = hashes.with_row_index("row").filter(wanted)
    hits = judged.join(retrieved, on="hash", how="inner", maintain_order="left")
    place, row = hits["place"], hits["row"]
    for name in ("query", "doc"):
        hits = hits.filter(qrels.frame[name].gather(place) == run.frame[name].gather(row))
        place, row = hits["place"], hits["row"]
    return place.to_numpy().astype(np.intp), row.to_numpy().astype(np.intp)
