"""sDCG and nsDCG: session-based discounted cumulated gain (Järvelin et al. 2008)."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.formula import Array
from gainful.match.matched import Flags
from gainful.match.sessions import MatchedSessions
from gainful.measure.sessions import ideal
from gainful.measure.sessions.gains import Earned, discounts, earned, query_weights, summed
from gainful.measure.sessions.how import SessionRecipe
from gainful.measure.share import ratio


@frozen(eq=False, kw_only=True)
class Vectors:
    """Sessions × queries × ranks: gain so far, the ideal so far, and which places are taken."""

    gain: Array
    ideal: Array
    taken: Flags

    def normalised(self, how: SessionRecipe) -> Array:
        """The share of the ideal at every place."""
        shape = self.gain.shape
        found = ratio(self.gain.ravel(), self.ideal.ravel(), how.convention.empty)
        return np.ma.filled(found, np.nan).reshape(shape)


def per_query(held: MatchedSessions, how: SessionRecipe, got: Earned) -> Array:
    """The gain of each query at its end, discounted by rank and by its position."""
    return np.asarray(_by_rank(held, how, got) * query_weights(how, held.position))


def _by_rank(held: MatchedSessions, how: SessionRecipe, got: Earned) -> Array:
    """The gain of each query at its end, discounted by rank alone."""
    gain = got.gain * discounts(how, got.reach)
    return summed(got.query, gain, len(held.position))


def sdcg(held: MatchedSessions, how: SessionRecipe) -> Array:
    """The gain of each session, as the statistic has it."""
    got, statistic = earned(held, how), how.convention.statistic
    if statistic == "average":
        return _average(held, how, normalised=False)
    each = per_query(held, how, got)
    if statistic == "best":
        return np.asarray(np.maximum.reduceat(each, np.cumsum(held.queries) - held.queries))
    if statistic == "last":
        return each[np.cumsum(held.queries) - 1]
    total = summed(held.session, each, held.size)
    return total / held.queries if statistic == "per_query" else total


def nsdcg(held: MatchedSessions, how: SessionRecipe) -> Array:
    """The share of the ideal session, as the statistic has it."""
    got, habits = earned(held, how), how.convention
    if habits.statistic == "average":
        return _average(held, how, normalised=True)
    each = per_query(held, how, got)
    if habits.statistic in ("best", "last"):
        shares = ratio(each, ideal.undiscounted(how, got), habits.empty)
        if habits.statistic == "last":
            return shares[np.cumsum(held.queries) - 1]
        first = np.cumsum(held.queries) - held.queries
        filled = np.maximum.reduceat(np.ma.filled(shares, -np.inf), first)
        return np.ma.masked_array(filled, mask=np.isneginf(filled))
    if habits.normalise == "query":
        found = _by_query(held, how, got)
    else:
        total = summed(held.session, each, held.size)
        found = ratio(total, ideal.final(held, how, got), habits.empty)
    return found / held.queries if habits.statistic == "per_query" else found


def _by_query(held: MatchedSessions, how: SessionRecipe, got: Earned) -> Array:
    """Each query by its own ideal; the mean of these, weighted by the query discounts."""
    weight = query_weights(how, held.position)
    reached = ratio(_by_rank(held, how, got), ideal.undiscounted(how, got), how.convention.empty)
    counts = ~np.ma.getmaskarray(reached)
    share = summed(held.session, weight * np.ma.filled(reached, 0.0), held.size)
    weights = summed(held.session, weight * counts, held.size)
    return ratio(share, weights, how.convention.empty)


def vectors(held: MatchedSessions, how: SessionRecipe, queries: int | None = None) -> Vectors:
    """The progressive vectors of all sessions, held where a searcher has stopped.

    Args:
        held: the sessions.
        how: the measure, everything settled.
        queries: to so many queries; to those of the longest session if it is not said.
    """
    held = held.until(how.queries)
    got, x = earned(held, how), how.k or 0
    length = held.queries if how.queries is None else np.full(held.size, how.queries)
    most = int(length.max()) if queries is None else queries
    gain = np.zeros((held.size, most, x))
    position = held.position[got.query]
    inside = position <= most
    query, rank, position = got.query[inside], got.rank[inside], position[inside]
    worth = got.gain[inside] * discounts(how, got.reach[inside])
    gain[held.session[query], position - 1, rank - 1] = worth
    if how.entry.normalised and how.convention.normalise == "query":
        gain, best = _shares(held, how, got, gain)
    else:
        gain *= query_weights(how, np.arange(1, most + 1))[:, None]
        gain = np.cumsum(gain.reshape(held.size, most * x), axis=1).reshape(gain.shape)
        best = ideal.by_place(held, how, got, most)
    stopped = np.arange(most) >= length[:, None]
    if how.convention.hold == "held":
        end = best[np.arange(held.size), np.minimum(length, most) - 1, -1]
        best = np.where(stopped[:, :, None], end[:, None, None], best)
    taken = np.zeros((held.size, most, x), dtype=bool)
    own = held.position <= most
    taken[held.session[own], held.position[own] - 1] = np.arange(x) < got.occupied[own][:, None]
    return Vectors(gain=gain, ideal=best, taken=taken)


def _shares(
    held: MatchedSessions, how: SessionRecipe, got: Earned, gain: Array
) -> tuple[Array, Array]:
    """Each query by its own ideal, rank by rank, and the weights by which they are averaged.

    At every place stands the mean of the queries so far, of which the last one is still going on.
    """
    reached = np.cumsum(gain, axis=2)
    best = ideal.of_queries(held, how, got, gain.shape[1])
    shares = ratio(reached.ravel(), best.ravel(), how.convention.empty)
    weight = np.where(np.ma.getmaskarray(shares), 0.0, 1.0).reshape(gain.shape)
    weight *= query_weights(how, np.arange(1, gain.shape[1] + 1))[:, None]
    weight *= (np.arange(gain.shape[1]) < held.queries[:, None])[:, :, None]
    share = weight * np.ma.filled(shares, 0.0).reshape(gain.shape)
    return _so_far(share), _so_far(weight)


def _so_far(each: Array) -> Array:
    """What the queries before have at their ends, and this one has here."""
    before = np.cumsum(each[:, :, -1], axis=1) - each[:, :, -1]
    return np.asarray(before[:, :, None] + each)


def _average(held: MatchedSessions, how: SessionRecipe, *, normalised: bool) -> Array:
    """The mean over the positions of each session's vector."""
    found = vectors(held, how)
    values = found.normalised(how) if normalised else found.gain
    counts = found.taken if how.convention.average_over == "own" else np.ones_like(found.taken)
    counts = counts & ~np.isnan(values)
    total = np.where(counts, values, 0.0).sum(axis=(1, 2))
    number = counts.sum(axis=(1, 2))
    return np.ma.masked_array(total / np.maximum(number, 1), mask=number == 0)
