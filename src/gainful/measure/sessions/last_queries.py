"""How long sessions are, and how the last query of each compares with those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadValue, UnknownName
from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import discounts, query_weights, session_gains
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.session_values import SessionValues
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.types import Array, Flags, Ranks

NonLast = Literal["pooled", "within"]


def lengths(results: SessionValues, by: str | Sequence[str] = ()) -> list[dict[str, Any]]:
    """How many sessions have how many queries, as in Table 2 of the paper?

    A row for each group: its values, sessions, queries, mean queries, and `by_queries`, the
    number of sessions of 1, 2, 3 … queries, as far as the longest session of all.
    """
    max_queries = int(results.matched_sessions.query_counts.max())
    rows = []
    for keys, flags in results.group_sessions(by):
        own = results.matched_sessions.query_counts[flags]
        rows.append(
            {
                **keys,
                "sessions": len(own),
                "queries": int(own.sum()),
                "mean": float(own.mean()),
                "by_queries": {n: int((own == n).sum()) for n in range(1, max_queries + 1)},
            }
        )
    return rows


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
    results: SessionValues,
    name: str | None = None,
    by: str | Sequence[str] = (),
    non_last: NonLast = "pooled",
) -> LastQueries:
    """Is the last query of a session better than those before it?

    Figure 1 and §3.2 of the 2008 paper. Every query keeps the discount of its own position. A
    session of one query has a last query and no other. The best query is the one with the highest
    sDCG(q) at X, the earliest of equal ones; the last one is the best if none gained more and it
    gained anything at all.

    Args:
        results: of which sessions.
        name: by the gains of which of its measures, an sDCG or nsDCG; the first such one.
        by: a column or several to group sessions by.
        non_last: all queries before the last ones together (pooled), or the mean of each session
            first (within).
    """
    if non_last not in get_args(NonLast):
        raise BadValue("non_last", non_last, ", ".join(get_args(NonLast)))
    recipe, sessions = choose_recipe(results, name), results.matched_sessions
    gain_vectors = query_vectors(sessions, recipe)
    last = np.zeros(len(sessions.position), dtype=bool)
    last[sessions.last_query] = True
    best = best_queries(sessions, gain_vectors[:, -1])
    rows, shares = [], []
    for keys, flags in results.group_sessions(by):
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
    """The mean vector of the flagged queries of each session that has any."""
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
    gaining, last_best = int((flags & has_gain).sum()), int((flags & is_last).sum())
    gaining_of_several = int((flags & has_gain & several).sum())
    last_best_of_several = int((flags & is_last & several).sum())
    return {
        "sessions": int(flags.sum()),
        "one_query": int((flags & ~several).sum()),
        "gained_nothing": int((flags & ~has_gain).sum()),
        "last_is_best": last_best,
        "share": last_best / gaining if gaining else None,
        "share_of_several": last_best_of_several / gaining_of_several
        if gaining_of_several
        else None,
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


def choose_recipe(results: SessionValues, name: str | None) -> SessionRecipe:
    """The measure by whose gains queries are compared: one that is named, or the first sDCG."""
    fitting = {n: recipe for n, recipe in results.recipes.items() if recipe.entry.has_vectors}
    if name is None:
        if not fitting:
            raise BadValue("measures", ", ".join(results.recipes), "an sDCG among them")
        return next(iter(fitting.values()))
    if name not in results.recipes:
        raise UnknownName("measure", name, results.recipes)
    if name not in fitting:
        raise BadValue("measure", name, "sDCG or nsDCG, whose gains are those of queries")
    return fitting[name]
