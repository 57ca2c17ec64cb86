"""A few queries of judgments and runs, as columns in memory, wherever the whole of them is."""

from __future__ import annotations

from collections.abc import Collection

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve

from gainful.read import dicts
from gainful.read.lazy import LazyRun
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


def select_qrels(qrels: Qrels | NestedDict, queries: Collection[str]) -> Qrels:
    """The judgments of these queries; all of them where the few would be none at all.

    Examples:
        >>> qrels = NestedDict({"1": {"a": 1}, "2": {"b": 1}}, "judgments")
        >>> select_qrels(qrels, ["2"]).frame["doc"].to_list()
        ['b']
    """
    if isinstance(qrels, NestedDict):
        selected = {query: docs for query, docs in qrels.mapping.items() if str(query) in queries}
        nonempty = any(selected.values())
        return dicts.to_qrels(evolve(qrels, mapping=selected) if nonempty else qrels)
    frame = qrels.frame.filter(pl.col("query").is_in(list(queries)))
    if frame.is_empty() or qrels.subtopics is not None:  # those go by rows of the frame
        return qrels
    return evolve(qrels, frame=frame, where=None)


def select_run(run: Run | NestedDict | LazyRun, queries: Collection[str]) -> Run:
    """The documents of these queries; a row of another one where the run has none of them.

    Examples:
        >>> run = NestedDict({"1": {"a": 0.5}, "2": {"b": 0.5}}, "run")
        >>> select_run(run, ["2"]).frame["doc"].to_list()
        ['b']
    """
    if isinstance(run, NestedDict):
        selected = {
            query: ranking for query, ranking in run.mapping.items() if str(query) in queries
        }
        return dicts.to_run(evolve(run, mapping=selected or dict([*run.mapping.items()][:1])))
    if isinstance(run, LazyRun):
        frame = run.collect(run.frame.filter(nw.col("query").is_in(list(queries))))
        if frame.is_empty():
            frame = run.collect(run.frame.head(1))
        return Run(frame, run.name)
    frame = run.frame.filter(pl.col("query").is_in(list(queries)))
    return evolve(run, frame=run.frame.head(1) if frame.is_empty() else frame, where=None)
