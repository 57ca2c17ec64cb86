"""The pools of judged documents of which the ideals of sessions are made."""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import frozen

from gainful.match.ideal import ideal_order
from gainful.read.qrels_and_run import Qrels
from gainful.types import Array, Ranks


@frozen(eq=False, kw_only=True)
class Pools:
    """All judged documents by recall base, which sessions of one collection have in common."""

    topics: pl.DataFrame  # topic, and the number of its recall base
    grade: Array  # as judged
    ideal_place: Ranks  # per judgment: where it stands, the best grade of its base first
    ideal_base: Ranks  # in that order
    ideal_grade: Array

    def find_bases(self, topics: pl.Series) -> pl.Series:
        """The number of the recall base of each query; null where nobody judged its topic."""
        frame = topics.alias("topic").to_frame()
        return frame.join(self.topics, on="topic", how="left", maintain_order="left")["base"]


def build_pools(qrels: Qrels) -> Pools:
    """The pools of which ideals are made."""
    topics = qrels.queries.to_frame("topic").with_row_index("base")
    judged = qrels.frame["query"].to_frame("topic")
    base = judged.join(topics, on="topic", how="left", maintain_order="left")["base"].to_numpy()
    grade = qrels.frame["grade"].to_numpy()
    order = ideal_order(base, grade)
    ideal_place = np.empty(len(order), dtype=np.intp)
    ideal_place[order] = np.arange(len(order))
    return Pools(
        topics=topics,
        grade=grade,
        ideal_place=ideal_place,
        ideal_base=base[order].astype(np.intp),
        ideal_grade=grade[order],
    )
