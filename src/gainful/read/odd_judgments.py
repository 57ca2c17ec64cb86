"""Judgments that are well formed, but look like something else."""

from __future__ import annotations

import polars as pl

from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.text import count_noun

_MAX_GRADE = 1000  # beyond it, numbers are times, ids or counts
_MIN_RANKS = 10  # ranks below the first of a query; of fewer, grades may count up by accident
_SAMPLE = 50  # rows that are looked at first


def describe_odd_judgments(qrels: Qrels | NestedDict) -> list[str]:
    """What judgments from a file or frame look like, if not like judgments.

    Examples:
        >>> frame = pl.DataFrame({"query": ["map", "P_5"], "doc": "all", "grade": [0.25, 0.4]})
        >>> describe_odd_judgments(Qrels(frame))
        ["the last document of every query is 'all', as in the output of trec_eval"]
    """
    if isinstance(qrels, NestedDict):
        return []
    frame = qrels.frame
    looks = []
    large = int((frame["grade"] > _MAX_GRADE).sum())
    if large:
        grades = count_noun(large, "grade is", "grades are")
        highest = frame.select(pl.col("grade").max()).item()
        looks.append(f"{grades} above {_MAX_GRADE} (up to {highest:.0f}), as times and ids are")
    if _are_ranks(frame.head(_SAMPLE)) and _are_ranks(frame):
        below_first = len(frame) - frame["query"].n_unique()
        if below_first >= _MIN_RANKS:
            looks.append("the grades of every query count 1, 2, 3, …, as the ranks of a run do")
    if frame["doc"][-1] == "all":
        last = frame.group_by("query").agg(pl.col("doc").last())["doc"]
        if (last == "all").all():
            looks.append("the last document of every query is 'all', as in the output of trec_eval")
    return looks


def _are_ranks(frame: pl.DataFrame) -> bool:
    """Do grades count from 1, without a gap, in the rows of each query?"""
    position = pl.int_range(1, pl.len() + 1).over("query")
    return bool(frame.select((pl.col("grade") == position).all()).item())
