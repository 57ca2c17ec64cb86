"""Measures of graded relevance that are not plain cumulated gain: trec_eval's, and RBP."""

from __future__ import annotations

import numpy as np

from gainful.formula import Array, NamedFormula
from gainful.match.matched import Ranks
from gainful.measure.precision import Share
from gainful.measure.seen import Seen, cumulated


class _Ideal:
    """The gains above zero of each pool, best first, cumulated."""

    def __init__(self, seen: Seen, gain: NamedFormula, discount: NamedFormula | None) -> None:
        gains = seen.pool_gains(gain)
        wanted = gains > 0
        query, gains = seen.pool_query[wanted], gains[wanted]
        order = np.lexsort((-gains, query))
        self.query, self.gain = query[order], gains[order]
        self.begin = np.searchsorted(self.query, np.arange(seen.size))
        self.size = np.bincount(self.query, minlength=seen.size)
        rank = np.arange(len(self.query)) - self.begin[self.query] + 1
        self.rank = rank
        weight = np.ones(len(rank)) if discount is None else discount.at(rank)
        self.total: Array = np.bincount(self.query, self.gain * weight, minlength=seen.size).astype(
            np.float64
        )
        self.until = np.append(cumulated(self.gain * weight, self.query, seen.size), 0.0)
        costs = np.maximum(self.gain, 1.0)
        self.cost = np.append(cumulated(costs, self.query, seen.size), 0.0)

    def down_to(self, query: Ranks, rank: Ranks) -> Array:
        """The ideal DCG at these ranks."""
        at = np.minimum(rank, self.size[query])
        return np.where(at > 0, self.until[self.begin[query] + at - 1], 0.0)

    def cost_down_to(self, query: Ranks, rank: Ranks) -> Array:
        """What the ideal ranking would have gained, each document at least 1."""
        at = np.minimum(rank, self.size[query])
        inside = np.where(at > 0, self.cost[self.begin[query] + at - 1], 0.0)
        return inside + (rank - at)


def g_measure(seen: Seen, *, gain: NamedFormula) -> Share:
    """Gain, discounted by how far the ranking lags behind the ideal one at that place."""
    gains, ideal = seen.gains(gain), _Ideal(seen, gain, None)
    lag = ideal.cost_down_to(seen.query, seen.rank) - seen.running(gains)
    some = gains != 0
    return seen.total(gains / np.log2(2 + np.where(some, lag, 0)), some), ideal.total


def q_measure(seen: Seen, *, gain: NamedFormula, beta: float) -> Share:
    """AP, in which every relevant document also brings its gain, against that of the ideal."""
    gains, ideal = seen.gains(gain), _Ideal(seen, gain, None)
    hit = gains > 0
    best = ideal.down_to(seen.query, seen.rank)
    blended = (seen.running(hit) + beta * seen.running(np.where(hit, gains, 0.0))) / (
        seen.rank + beta * best
    )
    return seen.total(blended, hit), ideal.size.astype(np.float64)


def binary_g(seen: Seen, *, rel: float) -> Share:
    """The same of relevant or not: discounted by the useless documents above."""
    hit = seen.relevant(rel)
    useless = seen.rank - seen.running(hit)
    return seen.total(1 / np.log2(2 + np.where(hit, useless, 0)), hit), seen.known(rel)


def ndcg_at_relevant(seen: Seen, *, gain: NamedFormula, discount: NamedFormula) -> Share:
    """nDCG, averaged over the ranks of the relevant documents."""
    gains, ideal = seen.gains(gain), _Ideal(seen, gain, discount)
    reached = seen.running(gains * discount.at(seen.rank))
    best = ideal.down_to(seen.query, seen.rank)
    good = (gains > 0) & (best > 0)
    share = np.divide(reached, best, out=np.zeros(len(gains)), where=good)
    final = np.divide(
        seen.total(gains * discount.at(seen.rank)),
        ideal.total,
        out=np.zeros(seen.size),
        where=ideal.total > 0,
    )
    missed = ideal.size - seen.count(good)
    return seen.total(share, good) + missed * final, ideal.size.astype(np.float64)


def ndcg_at_levels(seen: Seen, *, gain: NamedFormula, discount: NamedFormula, rel: float) -> Share:
    """nDCG, averaged over the ranks at which the ideal ranking goes down to the next gain."""
    gains, ideal = seen.gains(gain), _Ideal(seen, gain, discount)
    last = np.ones(len(ideal.gain), dtype=bool)  # of its level
    last[:-1] = (ideal.gain[1:] != ideal.gain[:-1]) | (ideal.query[1:] != ideal.query[:-1])
    query, depth = ideal.query[last], ideal.rank[last]
    beyond = np.flatnonzero((ideal.size > 0) & (ideal.size + 1 < seen.retrieved))
    query = np.concatenate((query, beyond))
    depth = np.concatenate((depth, seen.retrieved[beyond]))
    share = _reached(seen, gains * discount.at(seen.rank), query, depth)
    share /= ideal.down_to(query, depth)
    points = np.bincount(query, minlength=seen.size).astype(np.float64)
    relevant = seen.known(rel) > 0
    total = np.bincount(query, share, minlength=seen.size)
    return np.where(relevant, total, 0.0), np.where(relevant, points, 0.0)


def _reached(seen: Seen, gained: Array, query: Ranks, depth: Ranks) -> Array:
    """What was gained down to a depth in a query."""
    until = np.append(cumulated(gained, seen.query, seen.size), 0.0)
    wide = int(seen.retrieved.max(initial=0)) + 2
    keys = seen.query * wide + seen.rank
    begin = np.searchsorted(keys, query * wide)
    end = np.searchsorted(keys, query * wide + np.minimum(depth, wide - 1), side="right")
    return np.where(end > begin, until[end - 1], 0.0)


def rank_biased_precision(seen: Seen, *, p: float, rel: float, k: int | None) -> Array:
    """What does a searcher gain who goes on to the next document with probability p?"""
    hit = seen.relevant(rel, k)
    return (1 - p) * seen.total(p ** (seen.rank - 1.0), hit)


def graded_rbp(seen: Seen, *, p: float, gain: NamedFormula) -> Array:
    """The same of graded relevance, the best grade of a query counting as 1."""
    gains, pool = seen.gains(gain), seen.pool_gains(gain)
    low, high = np.zeros(seen.size), np.zeros(seen.size)
    np.minimum.at(low, seen.pool_query, pool)
    np.maximum.at(high, seen.pool_query, pool)
    beyond = (low < 0) | (high > 1)
    low, wide = np.where(beyond, low, 0.0), np.where(beyond, high - low, 1.0)
    scaled = (gains - low[seen.query]) / wide[seen.query]
    return (1 - p) * seen.total(scaled * p ** (seen.rank - 1.0))


def rbp_residual(seen: Seen, *, p: float) -> Array:
    """By how much could RBP still grow, if all that is unjudged were relevant?"""
    judged = seen.grade >= 0
    some = seen.retrieved > seen.count(judged)
    known = (1 - p) * seen.total(p ** (seen.rank - 1.0), judged)
    return np.where(some, 1 - known, 0.0)
