"""Measures of graded relevance beside plain cumulated gain: G, Q, and nDCG at certain ranks."""

from __future__ import annotations

import numpy as np

from gainful.formula import NamedFormula
from gainful.match.rank_order import rank_ideally
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedRun, cumulate_by_query
from gainful.types import Array, Flags, Ranks


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


class _Blended:
    """The blended ratio at each document: its hits and gains so far, against the ideal ones."""

    def __init__(self, ranked: RankedRun, gain: NamedFormula, beta: float) -> None:
        self.ideal = _Ideal(ranked, gain, None)
        self.gains = np.maximum(ranked.gains(gain), 0.0)
        self.hit = self.gains > 0
        self.hits = ranked.cumulate(self.hit)
        best = self.ideal.dcg_at(ranked.query, ranked.rank)
        self.ratio: Array = (self.hits + beta * ranked.cumulate(self.gains)) / (
            ranked.rank + beta * best
        )
        self.any_relevant = (self.ideal.size > 0).astype(np.float64)


def q_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """AP, in which every relevant document also brings its gain, against that of the ideal."""
    blended = _Blended(ranked, gain, beta)
    return ranked.total(blended.ratio, blended.hit), blended.ideal.size.astype(np.float64)


def o_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """The blended ratio at the first relevant document."""
    blended = _Blended(ranked, gain, beta)
    return ranked.total(blended.ratio, blended.hit & (blended.hits == 1)), blended.any_relevant


def p_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """The blended ratio at the first of the best documents that were retrieved."""
    blended = _Blended(ranked, gain, beta)
    return ranked.total(blended.ratio, _first_of_the_best(ranked, blended)), blended.any_relevant


def p_plus(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """The blended ratio, averaged over the relevant documents down to the first of the best."""
    blended = _Blended(ranked, gain, beta)
    preferred = ranked.total(ranked.rank, _first_of_the_best(ranked, blended))
    down_to = blended.hit & (ranked.rank <= preferred[ranked.query])
    sums, counts = ranked.total(blended.ratio, down_to), ranked.count(down_to)
    mean = np.divide(sums, counts, out=np.zeros(ranked.size), where=counts > 0)
    return mean, blended.any_relevant


def ncu(
    ranked: RankedRun, *, gain: NamedFormula, beta: float, p: float, stop: str, utility: str
) -> Share:
    """What is the ranking worth to searchers who stop at relevant documents, some here, some there?

    They stop at any of them alike, at the better ones more often, or at each less often by p than
    at the one before it.
    """
    blended = _Blended(ranked, gain, beta if utility == "blended" else 0.0)
    size = blended.ideal.size.astype(np.float64)
    if stop == "graded":
        weight, total = blended.gains, blended.ideal.total
    elif stop == "rank_biased":
        weight, total = p ** (blended.hits - 1), (1 - p**size) / (1 - p)
    else:
        weight, total = np.ones(len(blended.hit)), size
    return ranked.total(weight * blended.ratio, blended.hit), total


def _first_of_the_best(ranked: RankedRun, blended: _Blended) -> Flags:
    best = np.zeros(ranked.size)
    np.maximum.at(best, ranked.query, blended.gains)
    among_best = blended.hit & (blended.gains == best[ranked.query])
    first: Flags = among_best & (ranked.cumulate(among_best) == 1)
    return first


def average_relevance_position(ranked: RankedRun, *, gain: NamedFormula) -> Share:
    """At which rank does the gain stand, on average?"""
    gains = np.maximum(ranked.gains(gain), 0.0)
    return ranked.total(gains * ranked.rank), ranked.total(gains)


def dcg_above_zero(
    ranked: RankedRun, *, gain: NamedFormula, discount: NamedFormula, filtered_order: str
) -> Array:
    """The DCG of the documents with scores of 0 and more."""
    filtered = ranked.filter_scores(filtered_order)
    return filtered.total(filtered.gains(gain) * discount.evaluate_at(filtered.rank))


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
    sums = np.append(cumulate_by_query(gain, ranked.query, ranked.size), 0.0)
    width = int(ranked.retrieved.max(initial=0)) + 2
    keys = ranked.query * width + ranked.rank
    begin = np.searchsorted(keys, query * width)
    end = np.searchsorted(keys, query * width + np.minimum(depth, width - 1), side="right")
    return np.where(end > begin, sums[end - 1], 0.0)


def pair_accuracy(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How many pairs of a relevant document and another one, both retrieved, are in order?"""
    hit = ranked.relevant(rel, k)
    hits = ranked.count(hit)
    pairs = hits * (_depth(ranked, k) - hits)
    others_above = ranked.total(ranked.rank - ranked.cumulate(hit), hit)
    return pairs - others_above, pairs


def auc(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How many such pairs have the higher score with the relevant document? Ties count half."""
    hit, depth = ranked.relevant(rel, k), _depth(ranked, k)
    hits = ranked.count(hit)
    pairs = hits * (depth - hits)
    last = np.minimum(ranked.last, depth[ranked.query])
    hits_above, hits_through = (
        _count_up_to(ranked, hit, limit) for limit in (ranked.first - 1, last)
    )
    others_above = ranked.first - 1 - hits_above
    others_tied = last - ranked.first + 1 - (hits_through - hits_above)
    return pairs - ranked.total(others_above + others_tied / 2, hit), pairs


def opa(ranked: RankedRun) -> Share:
    """How many pairs of documents of different grades have the higher score with the better one?

    Documents without a judgment have the grade 0, and so have those below 0; ties are wrong.
    """
    grade = np.maximum(ranked.grade, 0.0)
    right, pairs = np.zeros(ranked.size), np.zeros(ranked.size)
    for level in np.unique(grade[grade > 0]):
        own, as_good = grade == level, grade >= level
        as_good_count = ranked.count(as_good)
        below = ranked.retrieved[ranked.query] - ranked.last
        as_good_below = as_good_count[ranked.query] - _count_up_to(ranked, as_good, ranked.last)
        right += ranked.total(below - as_good_below, own)
        pairs += ranked.count(own) * (ranked.retrieved - as_good_count)
    return right, pairs


def _depth(ranked: RankedRun, k: int | None) -> Ranks:
    return ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)


def _count_up_to(ranked: RankedRun, flags: Flags, limit: Ranks) -> Array:
    width = int(ranked.retrieved.max(initial=0)) + 2
    keys = np.sort(ranked.query[flags] * width + ranked.first[flags])
    begin = ranked.query * width
    counts = np.searchsorted(keys, begin + limit, side="right") - np.searchsorted(keys, begin)
    return counts.astype(np.float64)
