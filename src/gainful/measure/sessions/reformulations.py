"""Which reformulations helped: what each query of a session added to its gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl
from attrs import frozen
from polars import selectors as cs

from gainful.errors import BadValue, UnknownName
from gainful.match.session_groups import RESERVED_COLUMNS
from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import (
    discounts,
    query_weights,
    session_gains,
    sum_by_index,
)
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.last_queries import choose_recipe
from gainful.measure.sessions.session_values import SessionValues
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.types import Array, is_whole_number

_DEFAULT_COUNT = 5


@frozen(eq=False, kw_only=True, repr=False)
class Reformulations(Shown):
    """What each query added.

    `queries` has a row for each query: session, its columns, query, text and the text before it
    (where there are texts), gain, new, repeated, change. `gain` is sDCG(q) at its end, discounted
    as the measure has it; `new` is the part of documents that the session had not shown within
    the depth before, `repeated` the rest; `change` is against the query before (null for the
    first). `sessions` has a row for each session of several queries: which reformulation helped
    most and which least.
    """

    measure: str
    queries: pl.DataFrame
    sessions: pl.DataFrame

    def page(self) -> Page:
        """The reformulations that helped most, and those that helped least."""
        label_columns = self.queries.columns.index("gain")
        return Page(
            sections=[
                Section("Helped most", Table.from_frame(self.most(), label_columns)),
                Section("Helped least", Table.from_frame(self.least(), label_columns)),
            ],
            notes=[f"by {self.measure}"],
            rows=lambda: Table.from_frame(self.queries),
            data=lambda: {
                "measure": self.measure,
                "queries": self.queries.to_dicts(),
                "sessions": self.sessions.to_dicts(),
            },
        )

    def most(self, n: int = _DEFAULT_COUNT, by: str | Sequence[str] = ()) -> pl.DataFrame:
        """The reformulations that helped most, of all sessions or of each group."""
        return self._sort_by_change(n, by, descending=True)

    def least(self, n: int = _DEFAULT_COUNT, by: str | Sequence[str] = ()) -> pl.DataFrame:
        """The reformulations that helped least, of all sessions or of each group."""
        return self._sort_by_change(n, by, descending=False)

    def _sort_by_change(self, n: int, by: str | Sequence[str], *, descending: bool) -> pl.DataFrame:
        if not is_whole_number(n) or n < 1:
            raise BadValue("n", n, "a whole number from 1 on")
        names = [by] if isinstance(by, str) else list(by)
        for name in names:
            if name not in self.queries.columns:
                raise UnknownName("column", name, self.queries.columns)
        changes = self.queries.filter(pl.col("change").is_not_null())
        changes = changes.sort("change", descending=descending, maintain_order=True)
        if not names:
            return changes.head(n)
        groups = cs.by_name(names)
        first = changes.group_by(groups, maintain_order=True).head(n)[changes.columns]
        return first.sort(groups, maintain_order=True)


def reformulations(results: SessionValues, name: str | None = None) -> Reformulations:
    """Which reformulations helped, and which did not?

    What §3.2 and §4 of the 2008 paper use sDCG for.

    Args:
        results: of which sessions.
        name: by the gains of which of its measures, an sDCG or nsDCG; the first such one.
    """
    recipe, sessions = choose_recipe(results, name), results.matched_sessions
    new, repeated = _split_gain(sessions, recipe)
    begins = np.flatnonzero(np.diff(sessions.query_of_row, prepend=-1))
    heads = sessions.rows[begins]
    group_columns = [c for c in results.columns.columns if c not in ("session", *RESERVED_COLUMNS)]
    text = ["text"] if "text" in heads.columns else []
    queries = heads[["session", *group_columns, *text]].with_columns(
        query=pl.Series(sessions.position),
        gain=pl.Series(new + repeated),
        new=pl.Series(new),
        repeated=pl.Series(repeated),
    )
    queries = queries.with_columns(change=pl.col("gain") - pl.col("gain").shift(1).over("session"))
    if text:
        queries = queries.with_columns(before=pl.col("text").shift(1).over("session"))
    order = ["session", *group_columns, "query", *(["before", "text"] if text else [])]
    queries = queries[[*order, "gain", "new", "repeated", "change"]]
    return Reformulations(measure=recipe.label, queries=queries, sessions=_find_extremes(queries))


def _split_gain(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Array, Array]:
    """The gain of each query by documents that are new in the session, and by others."""
    gains = session_gains(sessions, recipe)
    first_shown = sessions.is_first_time(
        gains.judged, sessions.depth(recipe.k, recipe.convention.depth)
    )
    stride = int(gains.judged.rank.max(initial=0)) + 1
    place = gains.judged.query[first_shown] * stride + gains.judged.rank[first_shown]
    is_new = np.isin(gains.query * stride + gains.rank, place)
    gain = gains.gain * discounts(recipe, gains.discount_rank)
    weight, size = query_weights(recipe, sessions.position), len(sessions.position)
    new = sum_by_index(gains.query[is_new], gain[is_new], size) * weight
    old = sum_by_index(gains.query[~is_new], gain[~is_new], size) * weight
    return np.asarray(new), np.asarray(old)


def _find_extremes(queries: pl.DataFrame) -> pl.DataFrame:
    """Of each session of several queries: the reformulation that helped most, and least."""
    later = queries.filter(pl.col("change").is_not_null())
    return later.group_by("session", maintain_order=True).agg(
        *_extreme("most", "max"), *_extreme("least", "min")
    )


def _extreme(column: str, end: Literal["max", "min"]) -> list[pl.Expr]:
    """Which query it was (the earliest of equal ones), and its change."""
    at = pl.col("change").arg_max() if end == "max" else pl.col("change").arg_min()
    change = pl.col("change").max() if end == "max" else pl.col("change").min()
    return [pl.col("query").get(at).alias(column), change.alias(f"{column}_change")]
