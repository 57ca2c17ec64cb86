"""sDCG and nsDCG: session-based discounted cumulated gain (Järvelin et al. 2008)."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.formula import Array
from gainful.match.matched import Flags
from gainful.match.sessions import MatchedSessions
from gainful.measure.normalise import ratio
from gainful.measure.sessions import ideal
from gainful.measure.sessions.gains import Earned, discounts, earned, query_weights, summed
from gainful.measure.sessions.recipe_value import SessionRecipe


@frozen(eq=False, kw_only=True)
class Vectors:
    """Sessions × queries × ranks: gain so far, the ideal so far, and which places are taken."""

    gain: Array
    ideal: Array
    taken: Flags

    def normalised(self, recipe: SessionRecipe) -> Array:
        """The share of the ideal at every place."""
        shape = self.gain.shape
        found = ratio(self.gain.ravel(), self.ideal.ravel(), recipe.convention.empty)
        return np.ma.filled(found, np.nan).reshape(shape)


def per_query(sessions: MatchedSessions, recipe: SessionRecipe, got: Earned) -> Array:
    """The gain of each query at its end, discounted by rank and by its position."""
    return np.asarray(_by_rank(sessions, recipe, got) * query_weights(recipe, sessions.position))


def _by_rank(sessions: MatchedSessions, recipe: SessionRecipe, got: Earned) -> Array:
    """The gain of each query at its end, discounted by rank alone."""
    gain = got.gain * discounts(recipe, got.reach)
    return summed(got.query, gain, len(sessions.position))


def sdcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The gain of each session, as the statistic has it."""
    got, statistic = earned(sessions, recipe), recipe.convention.statistic
    if statistic == "average":
        return _average(sessions, recipe, normalised=False)
    each = per_query(sessions, recipe, got)
    if statistic == "best":
        return np.asarray(np.maximum.reduceat(each, np.cumsum(sessions.queries) - sessions.queries))
    if statistic == "last":
        return each[np.cumsum(sessions.queries) - 1]
    total = summed(sessions.session, each, sessions.size)
    return total / sessions.queries if statistic == "per_query" else total


def nsdcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The share of the ideal session, as the statistic has it."""
    got, habits = earned(sessions, recipe), recipe.convention
    if habits.statistic == "average":
        return _average(sessions, recipe, normalised=True)
    each = per_query(sessions, recipe, got)
    if habits.statistic in ("best", "last"):
        shares = ratio(each, ideal.undiscounted(recipe, got), habits.empty)
        if habits.statistic == "last":
            return shares[np.cumsum(sessions.queries) - 1]
        first = np.cumsum(sessions.queries) - sessions.queries
        filled = np.maximum.reduceat(np.ma.filled(shares, -np.inf), first)
        return np.ma.masked_array(filled, mask=np.isneginf(filled))
    if habits.normalise == "query":
        found = _by_query(sessions, recipe, got)
    else:
        total = summed(sessions.session, each, sessions.size)
        found = ratio(total, ideal.final(sessions, recipe, got), habits.empty)
    return found / sessions.queries if habits.statistic == "per_query" else found


def _by_query(sessions: MatchedSessions, recipe: SessionRecipe, got: Earned) -> Array:
    """Each query by its own ideal; the mean of these, weighted by the query discounts."""
    weight = query_weights(recipe, sessions.position)
    reached = ratio(
        _by_rank(sessions, recipe, got), ideal.undiscounted(recipe, got), recipe.convention.empty
    )
    counts = ~np.ma.getmaskarray(reached)
    share = summed(sessions.session, weight * np.ma.filled(reached, 0.0), sessions.size)
    weights = summed(sessions.session, weight * counts, sessions.size)
    return ratio(share, weights, recipe.convention.empty)


def vectors(
    sessions: MatchedSessions, recipe: SessionRecipe, queries: int | None = None
) -> Vectors:
    """The progressive vectors of all sessions, held where a searcher has stopped.

    Args:
        held: the sessions.
        how: the measure, everything settled.
        queries: to so many queries; to those of the longest session if it is not said.
    """
    sessions = sessions.until(recipe.queries)
    got, x = earned(sessions, recipe), recipe.k or 0
    length = sessions.queries if recipe.queries is None else np.full(sessions.size, recipe.queries)
    most = int(length.max()) if queries is None else queries
    gain = np.zeros((sessions.size, most, x))
    position = sessions.position[got.query]
    inside = position <= most
    query, rank, position = got.query[inside], got.rank[inside], position[inside]
    worth = got.gain[inside] * discounts(recipe, got.reach[inside])
    gain[sessions.session[query], position - 1, rank - 1] = worth
    if recipe.entry.normalised and recipe.convention.normalise == "query":
        gain, best = _shares(sessions, recipe, got, gain)
    else:
        gain *= query_weights(recipe, np.arange(1, most + 1))[:, None]
        gain = np.cumsum(gain.reshape(sessions.size, most * x), axis=1).reshape(gain.shape)
        best = ideal.by_place(sessions, recipe, got, most)
    stopped = np.arange(most) >= length[:, None]
    if recipe.convention.hold == "held":
        end = best[np.arange(sessions.size), np.minimum(length, most) - 1, -1]
        best = np.where(stopped[:, :, None], end[:, None, None], best)
    taken = np.zeros((sessions.size, most, x), dtype=bool)
    own = sessions.position <= most
    taken[sessions.session[own], sessions.position[own] - 1] = (
        np.arange(x) < got.occupied[own][:, None]
    )
    return Vectors(gain=gain, ideal=best, taken=taken)


def _shares(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, gain: Array
) -> tuple[Array, Array]:
    """Each query by its own ideal, rank by rank, and the weights by which they are averaged.

    At every place stands the mean of the queries so far, of which the last one is still going on.
    """
    reached = np.cumsum(gain, axis=2)
    best = ideal.of_queries(sessions, recipe, got, gain.shape[1])
    shares = ratio(reached.ravel(), best.ravel(), recipe.convention.empty)
    weight = np.where(np.ma.getmaskarray(shares), 0.0, 1.0).reshape(gain.shape)
    weight *= query_weights(recipe, np.arange(1, gain.shape[1] + 1))[:, None]
    weight *= (np.arange(gain.shape[1]) < sessions.queries[:, None])[:, :, None]
    share = weight * np.ma.filled(shares, 0.0).reshape(gain.shape)
    return _so_far(share), _so_far(weight)


def _so_far(each: Array) -> Array:
    """What the queries before have at their ends, and this one has here."""
    before = np.cumsum(each[:, :, -1], axis=1) - each[:, :, -1]
    return np.asarray(before[:, :, None] + each)


def _average(sessions: MatchedSessions, recipe: SessionRecipe, *, normalised: bool) -> Array:
    """The mean over the positions of each session's vector."""
    found = vectors(sessions, recipe)
    values = found.normalised(recipe) if normalised else found.gain
    counts = found.taken if recipe.convention.average_over == "own" else np.ones_like(found.taken)
    counts = counts & ~np.isnan(values)
    total = np.where(counts, values, 0.0).sum(axis=(1, 2))
    number = counts.sum(axis=(1, 2))
    return np.ma.masked_array(total / np.maximum(number, 1), mask=number == 0)
