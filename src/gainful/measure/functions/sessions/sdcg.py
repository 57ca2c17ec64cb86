"""sDCG and nsDCG: session-based discounted cumulated gain (Järvelin et al. 2008)."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions import ideal
from gainful.measure.functions.sessions.gains import (
    SessionGains,
    discounts,
    query_weights,
    session_gains,
    sum_by_index,
)
from gainful.measure.normalise import normalise_by
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Flags


@frozen(eq=False, kw_only=True)
class Vectors:
    """Sessions × queries × ranks: gain so far, the ideal so far, and which places are taken."""

    gain: Array
    ideal: Array
    taken: Flags

    def normalise(self, recipe: SessionRecipe) -> Array:
        """The share of the ideal at every place."""
        shape = self.gain.shape
        share = normalise_by(self.gain.ravel(), self.ideal.ravel(), recipe.convention.empty)
        return np.ma.filled(share, np.nan).reshape(shape)


def query_gains(sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains) -> Array:
    """The gain of each query at its end, discounted by rank and by its position."""
    return np.asarray(
        _query_dcg(sessions, recipe, gains) * query_weights(recipe, sessions.position)
    )


def _query_dcg(sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains) -> Array:
    """The gain of each query at its end, discounted by rank alone."""
    gain = gains.gain * discounts(recipe, gains.discount_rank)
    return sum_by_index(gains.query, gain, len(sessions.position))


def sdcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The gain of each session, as the statistic has it."""
    gains, statistic = session_gains(sessions, recipe), recipe.convention.statistic
    if statistic == "average":
        return _average_vector(sessions, recipe, normalised=False)
    per_query = query_gains(sessions, recipe, gains)
    if statistic == "best":
        return np.asarray(np.maximum.reduceat(per_query, sessions.first_query))
    if statistic == "last":
        return per_query[sessions.last_query]
    total = sum_by_index(sessions.session, per_query, sessions.size)
    return total / sessions.query_counts if statistic == "per_query" else total


def nsdcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The share of the ideal session, as the statistic has it."""
    gains, convention = session_gains(sessions, recipe), recipe.convention
    if convention.statistic == "average":
        return _average_vector(sessions, recipe, normalised=True)
    per_query = query_gains(sessions, recipe, gains)
    if convention.statistic in ("best", "last"):
        shares = normalise_by(per_query, ideal.ideal_dcg(recipe, gains), convention.empty)
        if convention.statistic == "last":
            return shares[sessions.last_query]
        filled = np.maximum.reduceat(np.ma.filled(shares, -np.inf), sessions.first_query)
        return np.ma.masked_array(filled, mask=np.isneginf(filled))
    if convention.normalise == "concatenated":  # its end is that of the last query's vector
        shares = normalise_by(per_query, ideal.ideal_dcg(recipe, gains), convention.empty)
        share = shares[sessions.last_query]
    elif convention.normalise == "query":
        share = _nsdcg_by_query(sessions, recipe, gains)
    else:
        total = sum_by_index(sessions.session, per_query, sessions.size)
        share = normalise_by(total, ideal.ideal_gain(sessions, recipe, gains), convention.empty)
    return share / sessions.query_counts if convention.statistic == "per_query" else share


def _nsdcg_by_query(sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains) -> Array:
    """Each query by its own ideal; the mean of these, weighted by the query discounts."""
    weight = query_weights(recipe, sessions.position)
    reached = normalise_by(
        _query_dcg(sessions, recipe, gains), ideal.ideal_dcg(recipe, gains), recipe.convention.empty
    )
    counts = ~np.ma.getmaskarray(reached)
    share = sum_by_index(sessions.session, weight * np.ma.filled(reached, 0.0), sessions.size)
    weights = sum_by_index(sessions.session, weight * counts, sessions.size)
    return normalise_by(share, weights, recipe.convention.empty)


def session_vectors(
    sessions: MatchedSessions, recipe: SessionRecipe, queries: int | None = None
) -> Vectors:
    """The progressive vectors of all sessions, held where a searcher has stopped.

    Args:
        sessions: those that were matched.
        recipe: the measure, everything settled.
        queries: to so many queries; to those of the longest session if it is not said.
    """
    sessions = sessions.keep_first_queries(recipe.queries)
    gains, x = session_gains(sessions, recipe), recipe.k or 0
    length = (
        sessions.query_counts if recipe.queries is None else np.full(sessions.size, recipe.queries)
    )
    max_queries = int(length.max()) if queries is None else queries
    gain = np.zeros((sessions.size, max_queries, x))
    position = sessions.position[gains.query]
    inside = position <= max_queries
    query, rank, position = gains.query[inside], gains.rank[inside], position[inside]
    discounted_gain = gains.gain[inside] * discounts(recipe, gains.discount_rank[inside])
    gain[sessions.session[query], position - 1, rank - 1] = discounted_gain
    normalise = recipe.convention.normalise if recipe.entry.normalised else "session"
    if normalise == "query":
        gain, best = _shares(sessions, recipe, gains, gain)
    elif normalise == "concatenated":
        weight = query_weights(recipe, np.arange(1, max_queries + 1))
        gain = np.cumsum(gain, axis=2) * weight[:, None]
        best = ideal.cumulate_query_ideals(sessions, recipe, gains, max_queries)
    else:
        gain *= query_weights(recipe, np.arange(1, max_queries + 1))[:, None]
        gain = np.cumsum(gain.reshape(sessions.size, max_queries * x), axis=1).reshape(gain.shape)
        best = ideal.cumulate_ideal(sessions, recipe, gains, max_queries)
    stopped = np.arange(max_queries) >= length[:, None]
    if recipe.convention.hold == "held":
        end = best[np.arange(sessions.size), np.minimum(length, max_queries) - 1, -1]
        best = np.where(stopped[:, :, None], end[:, None, None], best)
        if normalise == "concatenated":  # nothing is summed, so that what was reached is held too
            end = gain[np.arange(sessions.size), np.minimum(length, max_queries) - 1, -1]
            gain = np.where(stopped[:, :, None], end[:, None, None], gain)
    taken = np.zeros((sessions.size, max_queries, x), dtype=bool)
    own = sessions.position <= max_queries
    taken[sessions.session[own], sessions.position[own] - 1] = (
        np.arange(x) < gains.positions[own][:, None]
    )
    return Vectors(gain=gain, ideal=best, taken=taken)


def _shares(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, gain: Array
) -> tuple[Array, Array]:
    """Each query by its own ideal, rank by rank, and the weights by which they are averaged.

    At every place stands the mean of the queries so far, of which the last one is still going on.
    """
    reached = np.cumsum(gain, axis=2)
    best = ideal.cumulate_query_ideals(sessions, recipe, gains, gain.shape[1])
    shares = normalise_by(reached.ravel(), best.ravel(), recipe.convention.empty)
    weight = np.where(np.ma.getmaskarray(shares), 0.0, 1.0).reshape(gain.shape)
    weight *= query_weights(recipe, np.arange(1, gain.shape[1] + 1))[:, None]
    weight *= (np.arange(gain.shape[1]) < sessions.query_counts[:, None])[:, :, None]
    share = weight * np.ma.filled(shares, 0.0).reshape(gain.shape)
    return _cumulate_queries(share), _cumulate_queries(weight)


def _cumulate_queries(by_rank: Array) -> Array:
    """What the queries before have at their ends, and this one has here."""
    before = np.cumsum(by_rank[:, :, -1], axis=1) - by_rank[:, :, -1]
    return np.asarray(before[:, :, None] + by_rank)


def _average_vector(sessions: MatchedSessions, recipe: SessionRecipe, *, normalised: bool) -> Array:
    """The mean over the positions of each session's vector."""
    vectors = session_vectors(sessions, recipe)
    values = vectors.normalise(recipe) if normalised else vectors.gain
    counts = (
        vectors.taken if recipe.convention.average_over == "own" else np.ones_like(vectors.taken)
    )
    counts = counts & ~np.isnan(values)
    total = np.where(counts, values, 0.0).sum(axis=(1, 2))
    number = counts.sum(axis=(1, 2))
    return np.ma.masked_array(total / np.maximum(number, 1), mask=number == 0)


def sdcg_curve(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The gain of each session at every place: sessions × queries × ranks."""
    return session_vectors(sessions, recipe).gain


def nsdcg_curve(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The share of the ideal session at every place; not a number where there is none."""
    return session_vectors(sessions, recipe).normalise(recipe)
