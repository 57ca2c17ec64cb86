"""Sessions of an engine, some whole ones at a time, on whichever machine has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadValue
from gainful.match.sessions import match_sessions
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.evaluate import compute_session_values
from gainful.read.lazy_sessions import build_sessions, split_rows
from gainful.read.qrels_and_run import Qrels


@frozen(eq=False)
class PartEvaluation:
    """All that is needed to evaluate some whole sessions."""

    qrels: Qrels | None
    recipes: Mapping[str, SessionRecipe]
    query_columns: Sequence[str]  # what is told of queries
    group_columns: Sequence[str]  # of these, what is the same for a whole session

    def __attrs_post_init__(self) -> None:
        """Refuse what no part alone can tell."""
        for recipe in self.recipes.values():
            if self.qrels is None and _scales_by_highest(recipe):
                allowed = f"a number for {recipe.label}: no part knows the highest grade of all"
                raise BadValue("max_grade", None, allowed)

    def evaluate(self, table: pl.DataFrame) -> pl.DataFrame:
        """A row for each session of a part: what it can be grouped by, queries, and its values.

        Args:
            table: the rows of these sessions, as `LazySessions.find_rows` gives them.
        """
        queries, results = split_rows(table)
        sessions = build_sessions(queries, results, self.query_columns, "sessions")
        matching = next(iter(self.recipes.values())).convention
        matched = match_sessions(sessions, self.qrels, matching.unjudged, matching.subtopic_grades)
        heads = matched.rows.select("session", *self.group_columns)[matched.layout.session_starts]
        columns = {"queries": pl.Series(matched.query_counts, dtype=pl.Int64)}
        for name, recipe in self.recipes.items():
            values = np.ma.asarray(compute_session_values(matched, recipe))
            present = pl.Series(~np.ma.getmaskarray(values))
            series = pl.Series(np.ma.filled(values, 0.0).astype(np.float64))
            columns[name] = pl.select(pl.when(present).then(series)).to_series()
        return heads.with_columns(**columns)


def _scales_by_highest(recipe: SessionRecipe) -> bool:
    """Does it scale grades by the highest that was given, wherever that is?"""
    of_sessions = "max_grade" in recipe.entry.params and recipe.setting("max_grade") is None
    if recipe.of is None:
        return of_sessions
    return "max_grade" in recipe.of.entry.arguments and recipe.of.setting("max_grade") is None


def evaluate_arrow(table: Any, evaluation: PartEvaluation) -> Any:
    """The values of some whole sessions: a table of Arrow in, a table of Arrow out."""
    import pyarrow as pa  # noqa: PLC0415  (Spark's)

    frame = pl.from_arrow(table)
    rows = frame if isinstance(frame, pl.DataFrame) else frame.to_frame()
    values = evaluation.evaluate(rows).to_arrow()
    short = [  # as Spark has texts
        pa.field(field.name, pa.string() if pa.types.is_large_string(field.type) else field.type)
        for field in values.schema
    ]
    return values.cast(pa.schema(short))
