"""Measures of graded relevance that are not plain cumulated gain: trec_eval's, and RBP."""

from __future__ import annotations

import numpy as np

from gainful.formula import Array, NamedFormula
from gainful.match.matched import Ranks
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import Seen, cumulated


class _Ideal:
    """The gains above zero of each pool, best first, cumulated."""

    def __init__(self, ranked: Seen, gain: NamedFormula, discount: NamedFormula | None) -> None:
        gains = ranked.pool_gains(gain)
        wanted = gains > 0
        query, gains = ranked.pool_query[wanted], gains[wanted]
        order = np.lexsort((-gains, query))
        self.query, self.gain = query[order], gains[order]
        self.begin = np.searchsorted(self.query, np.arange(ranked.size))
        self.size = np.bincount(self.query, minlength=ranked.size)
        rank = np.arange(len(self.query)) - self.begin[self.query] + 1
        self.rank = rank
        weight = np.ones(len(rank)) if discount is None else discount.at(rank)
        self.total: Array = np.bincount(
            self.query, self.gain * weight, minlength=ranked.size
        ).astype(np.float64)
        self.until = np.append(cumulated(self.gain * weight, self.query, ranked.size), 0.0)
        costs = np.maximum(self.gain, 1.0)
        self.cost = np.append(cumulated(costs, self.query, ranked.size), 0.0)

    def down_to(self, query: Ranks, rank: Ranks) -> Array:
        """The ideal DCG at these ranks."""
        at = np.minimum(rank, self.size[query])
        return np.where(at > 0, self.until[self.begin[query] + at - 1], 0.0)

    def cost_down_to(self, query: Ranks, rank: Ranks) -> Array:
        """What the ideal ranking would have gained, each document at least 1."""
        at = np.minimum(rank, self.size[query])
        inside = np.where(at > 0, self.cost[self.begin[query] + at - 1], 0.0)
        return inside + (rank - at)


def g_measure(ranked: Seen, *, gain: NamedFormula) -> Share:
    """Gain, discounted by how far the ranking lags behind the ideal one at that place."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, None)
    lag = ideal.cost_down_to(ranked.query, ranked.rank) - ranked.running(gains)
    some = gains != 0
    return ranked.total(gains / np.log2(2 + np.where(some, lag, 0)), some), ideal.total


def q_measure(ranked: Seen, *, gain: NamedFormula, beta: float) -> Share:
    """AP, in which every relevant document also brings its gain, against that of the ideal."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, None)
    hit = gains > 0
    best = ideal.down_to(ranked.query, ranked.rank)
    blended = (ranked.running(hit) + beta * ranked.running(np.where(hit, gains, 0.0))) / (
        ranked.rank + beta * best
    )
    return ranked.total(blended, hit), ideal.size.astype(np.float64)


def binary_g(ranked: Seen, *, rel: float) -> Share:
    """The same of relevant or not: discounted by the useless documents above."""
    hit = ranked.relevant(rel)
    useless = ranked.rank - ranked.running(hit)
    return ranked.total(1 / np.log2(2 + np.where(hit, useless, 0)), hit), ranked.known(rel)


def ndcg_at_relevant(ranked: Seen, *, gain: NamedFormula, discount: NamedFormula) -> Share:
    """nDCG, averaged over the ranks of the relevant documents."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, discount)
    reached = ranked.running(gains * discount.at(ranked.rank))
    best = ideal.down_to(ranked.query, ranked.rank)
    good = (gains > 0) & (best > 0)
    share = np.divide(reached, best, out=np.zeros(len(gains)), where=good)
    final = np.divide(
        ranked.total(gains * discount.at(ranked.rank)),
        ideal.total,
        out=np.zeros(ranked.size),
        where=ideal.total > 0,
    )
    missed = ideal.size - ranked.count(good)
    return ranked.total(share, good) + missed * final, ideal.size.astype(np.float64)


def ndcg_at_levels(
    ranked: Seen, *, gain: NamedFormula, discount: NamedFormula, rel: float
) -> Share:
    """nDCG, averaged over the ranks at which the ideal ranking goes down to the next gain."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, discount)
    last = np.ones(len(ideal.gain), dtype=bool)  # of its level
    last[:-1] = (ideal.gain[1:] != ideal.gain[:-1]) | (ideal.query[1:] != ideal.query[:-1])
    query, depth = ideal.query[last], ideal.rank[last]
    beyond = np.flatnonzero((ideal.size > 0) & (ideal.size + 1 < ranked.retrieved))
    query = np.concatenate((query, beyond))
    depth = np.concatenate((depth, ranked.retrieved[beyond]))
    share = _reached(ranked, gains * discount.at(ranked.rank), query, depth)
    share /= ideal.down_to(query, depth)
    points = np.bincount(query, minlength=ranked.size).astype(np.float64)
    relevant = ranked.known(rel) > 0
    total = np.bincount(query, share, minlength=ranked.size)
    return np.where(relevant, total, 0.0), np.where(relevant, points, 0.0)


def _reached(ranked: Seen, gained: Array, query: Ranks, depth: Ranks) -> Array:
    """What was gained down to a depth in a query."""
    until = np.append(cumulated(gained, ranked.query, ranked.size), 0.0)
    wide = int(ranked.retrieved.max(initial=0)) + 2
    keys = ranked.query * wide + ranked.rank
    begin = np.searchsorted(keys, query * wide)
    end = np.searchsorted(keys, query * wide + np.minimum(depth, wide - 1), side="right")
    return np.where(end > begin, until[end - 1], 0.0)


def rank_biased_precision(ranked: Seen, *, p: float, rel: float, k: int | None) -> Array:
    """What does a searcher gain who goes on to the next document with probability p?"""
    hit = ranked.relevant(rel, k)
    return (1 - p) * ranked.total(p ** (ranked.rank - 1.0), hit)


def graded_rbp(ranked: Seen, *, p: float, gain: NamedFormula) -> Array:
    """The same of graded relevance, the best grade of a query counting as 1."""
    gains, pool = ranked.gains(gain), ranked.pool_gains(gain)
    low, high = np.zeros(ranked.size), np.zeros(ranked.size)
    np.minimum.at(low, ranked.pool_query, pool)
    np.maximum.at(high, ranked.pool_query, pool)
    beyond = (low < 0) | (high > 1)
    low, wide = np.where(beyond, low, 0.0), np.where(beyond, high - low, 1.0)
    scaled = (gains - low[ranked.query]) / wide[ranked.query]
    return (1 - p) * ranked.total(scaled * p ** (ranked.rank - 1.0))


def rbp_residual(ranked: Seen, *, p: float) -> Array:
    """By how much could RBP still grow, if all that is unjudged were relevant?"""
    judged = ranked.grade >= 0
    some = ranked.retrieved > ranked.count(judged)
    known = (1 - p) * ranked.total(p ** (ranked.rank - 1.0), judged)
    return np.where(some, 1 - known, 0.0)
