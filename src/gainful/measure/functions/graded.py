"""Measures of graded relevance beside plain cumulated gain: G, Q, and nDCG at certain ranks."""

from __future__ import annotations

import numpy as np

from gainful.formula import NamedFormula
from gainful.match.ideal import rank_ideally
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedRun, cumulate_by_query
from gainful.types import Array, Ranks


class _Ideal:
    """The gains above zero of each pool, best first, cumulated."""

    def __init__(
        self, ranked: RankedRun, gain: NamedFormula, discount: NamedFormula | None
    ) -> None:
        gains = ranked.pool_gains(gain)
        wanted = gains > 0
        ideal = rank_ideally(ranked.pool_query[wanted], gains[wanted])
        self.query, self.gain, self.rank = ideal.query, ideal.gain, ideal.rank
        self.begin = np.searchsorted(self.query, np.arange(ranked.size))
        self.size = np.bincount(self.query, minlength=ranked.size)
        weight = np.ones(len(self.rank)) if discount is None else discount.evaluate_at(self.rank)
        self.total: Array = np.bincount(
            self.query, self.gain * weight, minlength=ranked.size
        ).astype(np.float64)
        gains = self.gain * weight
        self.cumulated_gain = np.append(cumulate_by_query(gains, self.query, ranked.size), 0.0)
        costs = np.maximum(self.gain, 1.0)
        self.cumulated_cost = np.append(cumulate_by_query(costs, self.query, ranked.size), 0.0)

    def dcg_at(self, query: Ranks, rank: Ranks) -> Array:
        """The ideal DCG at these ranks."""
        depth = np.minimum(rank, self.size[query])
        return np.where(depth > 0, self.cumulated_gain[self.begin[query] + depth - 1], 0.0)

    def cost_at(self, query: Ranks, rank: Ranks) -> Array:
        """What the ideal ranking would have gained, each document at least 1."""
        depth = np.minimum(rank, self.size[query])
        inside = np.where(depth > 0, self.cumulated_cost[self.begin[query] + depth - 1], 0.0)
        return inside + (rank - depth)


def g_measure(ranked: RankedRun, *, gain: NamedFormula) -> Share:
    """Gain, discounted by how far the ranking lags behind the ideal one at that place."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, None)
    lag = ideal.cost_at(ranked.query, ranked.rank) - ranked.cumulate(gains)
    nonzero = gains != 0
    return ranked.total(gains / np.log2(2 + np.where(nonzero, lag, 0)), nonzero), ideal.total


def q_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """AP, in which every relevant document also brings its gain, against that of the ideal."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, None)
    hit = gains > 0
    best = ideal.dcg_at(ranked.query, ranked.rank)
    blended = (ranked.cumulate(hit) + beta * ranked.cumulate(np.where(hit, gains, 0.0))) / (
        ranked.rank + beta * best
    )
    return ranked.total(blended, hit), ideal.size.astype(np.float64)


def binary_g(ranked: RankedRun, *, rel: float) -> Share:
    """Relevant or not, discounted by the useless documents above, over all relevant."""
    hit = ranked.relevant(rel)
    useless = ranked.rank - ranked.cumulate(hit)
    return ranked.total(1 / np.log2(2 + np.where(hit, useless, 0)), hit), ranked.recall_base(rel)


def ndcg_at_relevant(ranked: RankedRun, *, gain: NamedFormula, discount: NamedFormula) -> Share:
    """nDCG, averaged over the ranks of the relevant documents."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, discount)
    reached = ranked.cumulate(gains * discount.evaluate_at(ranked.rank))
    best = ideal.dcg_at(ranked.query, ranked.rank)
    good = (gains > 0) & (best > 0)
    share = np.divide(reached, best, out=np.zeros(len(gains)), where=good)
    final = np.divide(
        ranked.total(gains * discount.evaluate_at(ranked.rank)),
        ideal.total,
        out=np.zeros(ranked.size),
        where=ideal.total > 0,
    )
    missed = ideal.size - ranked.count(good)
    return ranked.total(share, good) + missed * final, ideal.size.astype(np.float64)


def ndcg_at_levels(
    ranked: RankedRun, *, gain: NamedFormula, discount: NamedFormula, rel: float
) -> Share:
    """nDCG, averaged over the ranks at which the ideal ranking goes down to the next gain."""
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, discount)
    last = np.ones(len(ideal.gain), dtype=bool)  # of its level
    last[:-1] = (ideal.gain[1:] != ideal.gain[:-1]) | (ideal.query[1:] != ideal.query[:-1])
    query, depth = ideal.query[last], ideal.rank[last]
    beyond = np.flatnonzero((ideal.size > 0) & (ideal.size + 1 < ranked.retrieved))
    query = np.concatenate((query, beyond))
    depth = np.concatenate((depth, ranked.retrieved[beyond]))
    share = _gain_at_depth(ranked, gains * discount.evaluate_at(ranked.rank), query, depth)
    share /= ideal.dcg_at(query, depth)
    points = np.bincount(query, minlength=ranked.size).astype(np.float64)
    relevant = ranked.recall_base(rel) > 0
    total = np.bincount(query, share, minlength=ranked.size)
    return np.where(relevant, total, 0.0), np.where(relevant, points, 0.0)


def _gain_at_depth(ranked: RankedRun, gain: Array, query: Ranks, depth: Ranks) -> Array:
    """What was gained down to a depth in a query."""
    sums = np.append(cumulate_by_query(gain, ranked.query, ranked.size), 0.0)
    width = int(ranked.retrieved.max(initial=0)) + 2
    keys = ranked.query * width + ranked.rank
    begin = np.searchsorted(keys, query * width)
    end = np.searchsorted(keys, query * width + np.minimum(depth, width - 1), side="right")
    return np.where(end > begin, sums[end - 1], 0.0)
