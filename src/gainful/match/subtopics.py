"""Judgments for subtopics → `Subtopics`; any engine that knows its pool can ask for them."""

from __future__ import annotations

import numpy as np

from gainful.match.matched import Subtopics
from gainful.read.qrels_and_run import Qrels
from gainful.types import Ranks


def match_subtopics(qrels: Qrels, pool_index: Ranks) -> Subtopics | None:
    """The subtopics of judgments; None where they have none.

    Args:
        qrels: what was judged.
        pool_index: where each row of their frame stands in the pool.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, 2.0]})
        >>> subtopics = pl.DataFrame({"row": [0, 1], "subtopic": ["x", "y"], "grade": [1.0, 2.0]})
        >>> match_subtopics(Qrels(frame, subtopics=subtopics), np.array([1, 0])).doc.tolist()
        [0, 1]
    """
    subtopic_rows = qrels.subtopics
    if subtopic_rows is None:
        return None
    names = (
        subtopic_rows["subtopic"].unique(maintain_order=True).to_frame().with_row_index("number")
    )
    ordered = (
        subtopic_rows.join(names, on="subtopic", how="left", maintain_order="left")
        .with_columns(qrels.frame["doc"].gather(subtopic_rows["row"]).alias("id"))
        .sort("id", "number", descending=[True, False], maintain_order=True)
    )
    return Subtopics(
        doc=pool_index[ordered["row"].to_numpy()],
        subtopic=ordered["number"].to_numpy().astype(np.intp),
        grade=ordered["grade"].to_numpy(),
    )
