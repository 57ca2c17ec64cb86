"""What else sessions tell: the last query and those before it, and reformulations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from attrs import frozen
from polars import selectors as cs

from gainful.errors import BadValue, UnknownName
from gainful.match.session_groups import RESERVED_COLUMNS, Group, session_columns
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import SessionRecipe
from gainful.measure.functions.sessions.sdcg import (
    discounts,
    query_weights,
    session_gains,
    sum_by_index,
)
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.types import Array, Flags, Ranks, is_whole_number

NonLast = Literal["pooled", "within"]


@frozen(eq=False, kw_only=True, repr=False)
class LastQueries(Shown):
    """How the last query of sessions compares with those before it.

    `vectors` has a row for each group, kind of query (`which`: last, non_last, best) and rank: the
    mean of sDCG(q) down to that rank, and over how many queries (n; for non-last queries averaged
    within their sessions first, over how many sessions). `shares` has a row for each group: in how
    many sessions the last query is the best.
    """

    measure: str
    non_last: NonLast
    vectors: pl.DataFrame
    shares: pl.DataFrame

    def page(self) -> Page:
        """In how many sessions the last query is the best, and its gain against the others'."""
        groups = self.shares.columns.index("sessions")
        shares = Table.from_frame(self.shares, groups)
        vectors = Table.from_frame(self.vectors, groups + 1)
        return Page(
            sections=[
                Section("How often is the last query the best?", shares),
                Section(f"Mean gain of queries down to each rank, by {self.measure}", vectors),
            ],
            rows=lambda: Table.from_frame(self.vectors),
            data=lambda: {
                "measure": self.measure,
                "non_last": self.non_last,
                "shares": self.shares.to_dicts(),
                "vectors": self.vectors.to_dicts(),
            },
        )


def last_queries(
    sessions: MatchedSessions, recipe: SessionRecipe, groups: Iterable[Group], non_last: NonLast
) -> LastQueries:
    """Is the last query of a session better than those before it? `SessionResults.last_queries`.

    Figure 1 and §3.2 of the 2008 paper. Every query keeps the discount of its own position. A
    session of one query has a last query and no other. The best query is the one with the highest
    sDCG(q) at X, the earliest of equal ones; the last one is the best if none gained more and it
    gained anything at all.
    """
    if non_last not in get_args(NonLast):
        raise BadValue("non_last", non_last, ", ".join(get_args(NonLast)))
    gain_vectors = query_vectors(sessions, recipe)
    last = np.zeros(len(sessions.position), dtype=bool)
    last[sessions.last_query] = True
    best = best_queries(sessions, gain_vectors[:, -1])
    rows, shares = [], []
    for keys, flags in groups:
        own = flags[sessions.session]
        before = own & ~last
        early = (
            _average_within_sessions(sessions, gain_vectors, before)
            if non_last == "within"
            else gain_vectors[before]
        )
        kinds = {
            "last": gain_vectors[sessions.last_query[flags]],
            "non_last": early,
            "best": gain_vectors[best[flags]],
        }
        for which, vectors in kinds.items():
            mean = vectors.mean(axis=0).tolist() if len(vectors) else [None] * gain_vectors.shape[1]
            rows += [
                {**keys, "which": which, "rank": rank, "mean": value, "n": len(vectors)}
                for rank, value in enumerate(mean, start=1)
            ]
        shares.append({**keys, **_count_last_is_best(sessions, gain_vectors[:, -1], best, flags)})
    return LastQueries(
        measure=recipe.label,
        non_last=non_last,
        vectors=pl.DataFrame(rows, infer_schema_length=None),
        shares=pl.DataFrame(shares, infer_schema_length=None),
    )


def _average_within_sessions(sessions: MatchedSessions, gain_vectors: Array, flags: Flags) -> Array:
    session = sessions.session[flags]
    query_count = np.bincount(session, minlength=sessions.size)
    total = np.zeros((sessions.size, gain_vectors.shape[1]))
    np.add.at(total, session, gain_vectors[flags])
    present = query_count > 0
    return np.asarray(total[present] / query_count[present][:, None])


def _count_last_is_best(
    sessions: MatchedSessions, gain: Array, best: Ranks, flags: Flags
) -> dict[str, Any]:
    """In how many sessions is the last query the best?"""
    has_gain = gain[best] > 0
    is_last = has_gain & (gain[sessions.last_query] == gain[best])
    several = sessions.query_counts > 1

    def share(some: Flags) -> float | None:
        gaining = int((some & has_gain).sum())
        return int((some & is_last).sum()) / gaining if gaining else None

    return {
        "sessions": int(flags.sum()),
        "one_query": int((flags & ~several).sum()),
        "gained_nothing": int((flags & ~has_gain).sum()),
        "last_is_best": int((flags & is_last).sum()),
        "share": share(flags),
        "share_of_several": share(flags & several),
    }


def best_queries(sessions: MatchedSessions, gain: Array) -> Ranks:
    """The number of each session's best query; the earliest of equal ones."""
    best_gain = np.maximum.reduceat(gain, sessions.first_query)
    number = np.where(gain == best_gain[sessions.session], np.arange(len(gain)), len(gain))
    return np.asarray(np.minimum.reduceat(number, sessions.first_query), dtype=np.intp)


def query_vectors(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """sDCG(q) of every query down to each rank: queries × X."""
    gains = session_gains(sessions, recipe)
    gain = np.zeros((len(sessions.position), recipe.k or int(gains.rank.max(initial=1))))
    gain[gains.query, gains.rank - 1] = gains.gain * discounts(recipe, gains.discount_rank)
    vectors = np.cumsum(gain, axis=1) * query_weights(recipe, sessions.position)[:, None]
    return np.asarray(vectors)


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
            raise BadValue("n", n, "a whole number of at least 1")
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


def reformulations(sessions: MatchedSessions, recipe: SessionRecipe) -> Reformulations:
    """Which reformulations helped, and which did not, as §3.2 and §4 of the 2008 paper ask?"""
    new, repeated = _split_gain(sessions, recipe)
    heads = sessions.rows[sessions.layout.query_starts]
    names = [c for c in session_columns(sessions).columns if c not in RESERVED_COLUMNS]
    text = [pl.col("text").shift(1).over("session").alias("before"), pl.col("text")]
    queries = heads.select(
        *heads[names],
        pl.Series("query", sessions.position),
        *(text if "text" in heads.columns else []),
        gain=pl.Series(new + repeated),
        new=pl.Series(new),
        repeated=pl.Series(repeated),
    )
    queries = queries.with_columns(change=pl.col("gain") - pl.col("gain").shift(1).over("session"))
    query, change = pl.col("query"), pl.col("change")
    later = queries.filter(change.is_not_null()).group_by("session", maintain_order=True)
    extremes = later.agg(
        most=query.get(change.arg_max()),
        most_change=change.max(),
        least=query.get(change.arg_min()),
        least_change=change.min(),
    )
    return Reformulations(measure=recipe.label, queries=queries, sessions=extremes)


def _split_gain(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Array, Array]:
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
