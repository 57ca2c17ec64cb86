"""A few queries of judgments and runs, as columns in memory, wherever the whole of them is."""

from __future__ import annotations

from collections.abc import Collection

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve

from gainful.read import dicts
from gainful.read.lazy import Elsewhere
from gainful.read.qrels_and_run import Judgments, Nested, Run


def some_of_judgments(qrels: Judgments | Nested, queries: Collection[str]) -> Judgments:
    """The judgments of these queries; all of them where the few would be none at all.

    Examples:
        >>> held = Nested({"1": {"a": 1}, "2": {"b": 1}}, "judgments")
        >>> some_of_judgments(held, ["2"]).frame["doc"].to_list()
        ['b']
    """
    if isinstance(qrels, Nested):
        chosen = {one: judged for one, judged in qrels.mapping.items() if str(one) in queries}
        some = any(chosen.values())
        return dicts.as_judgments(evolve(qrels, mapping=chosen) if some else qrels)
    frame = qrels.frame.filter(pl.col("query").is_in(list(queries)))
    if frame.is_empty() or qrels.subtopics is not None:  # those go by rows of the frame
        return qrels
    return evolve(qrels, frame=frame, where=None)


def some_of_run(run: Run | Nested | Elsewhere, queries: Collection[str]) -> Run:
    """The documents of these queries; a row of another one where the run has none of them.

    Examples:
        >>> run = Nested({"1": {"a": 0.5}, "2": {"b": 0.5}}, "run")
        >>> some_of_run(run, ["2"]).frame["doc"].to_list()
        ['b']
    """
    if isinstance(run, Nested):
        chosen = {one: ranking for one, ranking in run.mapping.items() if str(one) in queries}
        return dicts.as_run(evolve(run, mapping=chosen or dict([*run.mapping.items()][:1])))
    if isinstance(run, Elsewhere):
        frame = run.collected(run.frame.filter(nw.col("query").is_in(list(queries))))
        if frame.is_empty():
            frame = run.collected(run.frame.head(1))
        return Run(frame, run.name)
    frame = run.frame.filter(pl.col("query").is_in(list(queries)))
    return evolve(run, frame=run.frame.head(1) if frame.is_empty() else frame, where=None)
