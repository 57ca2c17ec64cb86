"""Judgments and a run that are both in Spark → rows from which each worker makes a `Matched`.

The same joins and counts as in `frame`, but nothing is collected: every judged document gets its
block of ranks as columns, beside what its query has retrieved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from gainful.convention import Convention
from gainful.match.ideal import ideal_order
from gainful.match.lazy import (
    IS_BEFORE,
    RANK_COUNTS,
    as_int,
    drop_duplicates,
    drops_namesakes,
    join_docs_at_or_above,
    prepare_scores,
)
from gainful.match.matched import Matched
from gainful.read.lazy import refuse_bad_rows, row_defects
from gainful.read.lazy_run import LazyRun

_HIT_KEYS = ("query", "own_doc", "own_score", "times")
_EMPTY_COLUMNS: Mapping[str, nw.dtypes.DType] = {"doc": nw.String(), "grade": nw.Float64()} | {
    name: nw.Float64() for name in ("own_score", "times", "above", "same", "before")
}


def rank_rows(judged: nw.LazyFrame[Any], run: LazyRun, convention: Convention) -> nw.LazyFrame[Any]:
    """A row for each judged document, and for each query that has none if these count.

    Args:
        judged: query, doc, grade, in the run's engine.
        run: what was retrieved.
        convention: how duplicates, namesakes and close scores are taken.
    """
    run, _ = drop_duplicates(run, convention, check_rows(run))
    kept = as_int(nw.col("query") != nw.col("doc")) if drops_namesakes(convention) else nw.lit(1)
    sizes = (
        run.frame.with_columns(kept=kept)
        .group_by("query")
        .agg(nw.len().alias("rows"), nw.col("kept").sum())
    )
    frame = prepare_scores(run.frame, convention)
    hits = (
        frame.join(judged.select("query", "doc"), on=["query", "doc"], how="inner")
        .group_by("query", "doc", "score")
        .agg(nw.len().alias("times"))
        .rename({"doc": "own_doc", "score": "own_score"})
    )
    ranks = (
        join_docs_at_or_above(frame, hits)
        .with_columns(before=as_int(nw.col("score") == nw.col("own_score")) * IS_BEFORE)
        .group_by(*_HIT_KEYS)
        .agg(*RANK_COUNTS, nw.col("before").sum())
    )
    pool = judged.join(ranks, left_on=["query", "doc"], right_on=["query", "own_doc"], how="left")
    pool_rows = pool.join(sizes, on="query", how="left").with_columns(judged=nw.lit(1))
    if convention.extra == "ignore":
        return pool_rows
    others = sizes.join(judged.select("query").unique(), on="query", how="anti")
    nulls = (nw.lit(None).cast(kind).alias(name) for name, kind in _EMPTY_COLUMNS.items())
    return nw.concat(
        [
            pool_rows.select(*_COLUMNS),
            others.with_columns(*nulls, judged=nw.lit(0)).select(*_COLUMNS),
        ]
    )


_COLUMNS = ("query", *_EMPTY_COLUMNS, "rows", "kept", "judged")


def check_rows(run: LazyRun) -> int:
    """How many rows there are; rows that lack something are refused."""
    defects = (
        as_int(flags).sum().alias(name) for name, (flags, _) in row_defects(run.number).items()
    )
    counts = run.collect(run.frame.select(nw.len().alias("rows"), *defects)).row(0, named=True)
    if not counts["rows"]:
        raise run.bad_input("there is not one row in it")
    refuse_bad_rows(run, counts)
    return int(counts["rows"])


def match_from_rows(table: pl.DataFrame) -> Matched:
    """What was matched, of some whole queries."""
    heads = table.unique("query", maintain_order=True)
    judged = table.filter(pl.col("judged") == 1).group_by("query").len()
    heads = heads.join(judged, on="query", how="left", maintain_order="left")
    number = dict(zip(heads["query"].to_list(), range(len(heads)), strict=True))
    table = table.filter(pl.col("doc").is_not_null()).with_columns(
        number=pl.col("query").replace_strict(number, return_dtype=pl.Int64)
    )
    pool = table.unique(["number", "doc"], maintain_order=True)
    query, grade = pool["number"].to_numpy(), pool["grade"].to_numpy()
    order = ideal_order(query, grade)
    hits = table.filter(pl.col("above").is_not_null())
    hits = hits[np.repeat(np.arange(len(hits)), hits["times"].cast(pl.Int64).to_numpy())]
    repeat = hits.select(pl.int_range(pl.len()).over("number", "doc", "own_score")).to_series()
    above, same, before = (hits[name].to_numpy().astype(np.intp) for name in _COUNTS)
    by_id = above + 1 + before + repeat.to_numpy()
    return Matched(
        queries=heads["query"].to_list(),
        judged=heads["len"].is_not_null().to_numpy(),
        in_run=heads["rows"].is_not_null().to_numpy(),
        retrieved=heads["kept"].fill_null(0).to_numpy().astype(np.intp),
        pool_query=query[order],
        pool_grade=grade[order],
        query=hits["number"].to_numpy(),
        grade=hits["grade"].to_numpy(),
        first=above + 1,
        last=above + same,
        by_id=by_id,
        by_input=by_id,
        ordered=False,
    )


_COUNTS = ("above", "same", "before")
