"""Judgments for subtopics → `Subtopics`; any engine that knows its pool can ask for them."""

from __future__ import annotations

import numpy as np

from gainful.match.matched import Ranks, Subtopics
from gainful.read.qrels_and_run import Judgments


def subtopics(qrels: Judgments, place: Ranks) -> Subtopics | None:
    """The subtopics of judgments; None where they have none.

    Args:
        judgments: what was judged.
        place: where each row of their frame stands in the pool.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, 2.0]})
        >>> told = pl.DataFrame({"row": [0, 1], "subtopic": ["x", "y"], "grade": [1.0, 2.0]})
        >>> subtopics(Judgments(frame, subtopics=told), np.array([1, 0])).doc.tolist()
        [0, 1]
    """
    told = qrels.subtopics
    if told is None:
        return None
    names = told["subtopic"].unique(maintain_order=True).to_frame().with_row_index("number")
    ordered = (
        told.join(names, on="subtopic", how="left", maintain_order="left")
        .with_columns(qrels.frame["doc"].gather(told["row"]).alias("id"))
        .sort("id", "number", descending=[True, False], maintain_order=True)
    )
    return Subtopics(
        doc=place[ordered["row"].to_numpy()],
        subtopic=ordered["number"].to_numpy().astype(np.intp),
        grade=ordered["grade"].to_numpy(),
    )
