"""The documents of each query of a run, in the order of their scores."""

from __future__ import annotations

import polars as pl

from gainful.read.qrels_and_run import Run


def list_docs(run: Run, depth: int) -> dict[str, list[str]]:
    """The first documents of each query, the best first; ties by descending id, as trec_eval.

    A document that stands twice counts at its better place.

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
