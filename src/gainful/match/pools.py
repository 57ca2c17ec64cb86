"""`Pools`: all judged documents, the best of each query first; and what a run has of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from attrs import field, frozen

from gainful.match.matched import Matched, Subtopics
from gainful.match.rank_order import ideal_order, invert_order
from gainful.match.ties import TieBlocks
from gainful.read.qrels_and_run import Qrels
from gainful.types import Array, Ranks


@frozen(eq=False)
class Pools:
    """All judged documents by query; those of a topic are the recall base of its sessions."""

    base: Ranks  # per judgment: the number of its query
    grade: Array  # as judged
    order: Ranks = field(init=False)  # the judgments query by query, the best grade first
    ideal_place: Ranks = field(init=False)  # where each judgment stands in that order
    ideal_base: Ranks = field(init=False)  # the number of the query, in that order
    ideal_grade: Array = field(init=False)  # the grade, in that order

    @order.default
    def _sort(self) -> Ranks:
        return ideal_order(self.base, self.grade)

    @ideal_place.default
    def _place(self) -> Ranks:
        return invert_order(self.order)

    @ideal_base.default
    def _order_base(self) -> Ranks:
        return self.base[self.order]

    @ideal_grade.default
    def _order_grade(self) -> Array:
        return self.grade[self.order]


def build_pools(qrels: Qrels) -> Pools:
    """The pools of the judged queries, which are numbered as they first appear."""
    stretches = qrels.frame["query"].rle().struct
    number = number_names(stretches.field("value"), qrels.queries).to_numpy().astype(np.intp)
    lengths = stretches.field("len").to_numpy()
    return Pools(np.repeat(number, lengths), qrels.frame["grade"].to_numpy())


def number_names(names: pl.Series, all_names: pl.Series) -> pl.Series:
    """The place of each name among all names, which are unique; null where it is none of them."""
    numbered = all_names.rename("name").to_frame().with_row_index("number")
    wanted = names.rename("name").to_frame()
    return wanted.join(numbered, on="name", how="left", maintain_order="left")["number"]


def build_matched(
    pools: Pools,
    queries: list[str],
    retrieved: Ranks,
    place: Ranks,
    ranks: TieBlocks,
    **known: Any,
) -> Matched:
    """What was matched, from the ranks of the judged documents.

    Args:
        pools: all judged documents.
        queries: those that were judged, and behind them those that only the run has.
        retrieved: how many documents of each the run has.
        place: of each judged document that was retrieved, the row of its judgment.
        ranks: of these.
        **known: other fields.
    """
    return Matched(
        queries=queries,
        retrieved=retrieved,
        pool_query=pools.ideal_base,
        pool_grade=pools.ideal_grade,
        query=ranks.query,
        grade=pools.grade[place],
        first=ranks.first,
        last=ranks.last,
        by_id=ranks.by_id,
        by_input=ranks.by_input,
        pool_index=pools.ideal_place[place],
        **known,
    )


def match_subtopics(qrels: Qrels, pools: Pools) -> Subtopics | None:
    """The subtopics of judgments, by the place of each in the pool; None where none are."""
    subtopic_rows = qrels.subtopics
    if subtopic_rows is None:
        return None
    names = subtopic_rows["subtopic"]
    ordered = subtopic_rows.with_columns(
        qrels.frame["doc"].gather(subtopic_rows["row"]).alias("id"),
        number_names(names, names.unique(maintain_order=True)).cast(pl.Int64),
    ).sort("id", "number", descending=[True, False], maintain_order=True)
    return Subtopics(
        doc=pools.ideal_place[ordered["row"].to_numpy()],
        subtopic=ordered["number"].to_numpy(),
        grade=ordered["grade"].to_numpy(),
    )
