"""A few queries of judgments and runs, as columns in memory, wherever the whole of them is."""

from __future__ import annotations

from collections.abc import Collection

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve

from gainful.read import nested
from gainful.read.elsewhere import Elsewhere
from gainful.read.values import Judgments, Nested, Run


def some_of_judgments(judgments: Judgments | Nested, queries: Collection[str]) -> Judgments:
    """The judgments of these queries; all of them where the few would be none at all.

    Examples:
        >>> held = Nested({"1": {"a": 1}, "2": {"b": 1}}, "judgments")
        >>> some_of_judgments(held, ["2"]).frame["doc"].to_list()
        ['b']
    """
    if isinstance(judgments, Nested):
        chosen = {one: judged for one, judged in judgments.mapping.items() if str(one) in queries}
        some = any(chosen.values())
        return nested.as_judgments(evolve(judgments, mapping=chosen) if some else judgments)
    frame = judgments.frame.filter(pl.col("query").is_in(list(queries)))
    if frame.is_empty() or judgments.subtopics is not None:  # those go by rows of the frame
        return judgments
    return evolve(judgments, frame=frame, where=None)


def some_of_run(run: Run | Nested | Elsewhere, queries: Collection[str]) -> Run:
    """The documents of these queries; a row of another one where the run has none of them.

    Examples:
        >>> run = Nested({"1": {"a": 0.5}, "2": {"b": 0.5}}, "run")
        >>> some_of_run(run, ["2"]).frame["doc"].to_list()
        ['b']
    """
    if isinstance(run, Nested):
        chosen = {one: ranking for one, ranking in run.mapping.items() if str(one) in queries}
        return nested.as_run(evolve(run, mapping=chosen or dict([*run.mapping.items()][:1])))
    if isinstance(run, Elsewhere):
        frame = run.collected(run.frame.filter(nw.col("query").is_in(list(queries))))
        if frame.is_empty():
            frame = run.collected(run.frame.head(1))
        return Run(frame, run.name)
    frame = run.frame.filter(pl.col("query").is_in(list(queries)))
    return evolve(run, frame=run.frame.head(1) if frame.is_empty() else frame, where=None)
