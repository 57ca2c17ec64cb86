"""Measures over several judges: each group of judgments by itself, then their mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import evolve

from gainful.measure.trec_eval.options import TrecEvalOptions
from gainful.measure.trec_eval.values import JudgedRun, compute_lines
from gainful.measure.trec_eval_grammar import TrecLine
from gainful.read.qrels_and_run import Qrels, Run
from gainful.types import Array


def compute_group_lines(
    judged: pl.DataFrame,
    run: Run,
    lines: Sequence[TrecLine],
    options: TrecEvalOptions,
    queries: Sequence[str],
) -> dict[str, Array]:
    """The mean over the groups of each query, by the name of its line.

    Args:
        judged: query, group, doc and grade.
        run: what was retrieved.
        lines: what is computed.
        options: the flags.
        queries: which queries, in this order.
    """
    wanted = pl.DataFrame({"query": queries}, schema={"query": pl.String}).with_row_index("row")
    groups = (
        judged.select("query", "group")
        .unique()
        .join(wanted, on="query")
        .sort("row", "group")  # as trec_eval adds them up
        .with_columns(pl.concat_str("query", "group", separator=" ").alias("pair"))
    )
    pairs = groups.select("query", "group", "pair")
    grades = judged.join(pairs, on=["query", "group"]).select(
        pl.col("pair").alias("query"), "doc", "grade"
    )
    retrieved = run.frame.join(pairs, on="query", maintain_order="left").select(
        pl.col("pair").alias("query"), "doc", "score"
    )
    judged_run = JudgedRun(
        Qrels(grades, unique=False), evolve(run, frame=retrieved), options, pairs["pair"].to_list()
    )
    row = groups["row"].to_numpy()
    sizes = np.bincount(row, minlength=len(queries))
    return {
        name: np.bincount(row, values, minlength=len(queries)) / np.maximum(sizes, 1)
        for name, values in compute_lines(judged_run, lines).items()
    }
