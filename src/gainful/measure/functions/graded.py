"""Measures of graded relevance: cumulated gain (CG, DCG, nCG, nDCG, the ideal), G, Q and others.

Cumulated gain is the sum of the gains over ranks, discounted or not; with the sum of the ideal
ranking, by which the measures are normalised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gainful.errors import BadValue
from gainful.formula import NamedFormula
from gainful.match.rank_order import rank_ideally
from gainful.measure.entry import LOWER, Entry, Example, Recipe, collect_entries
from gainful.measure.functions.precision import Share, divide
from gainful.measure.ranked_run import RankedGains, RankedRun, cumulate_by_query, rank_run_gains
from gainful.types import Array, Flags, Ranks

CUMULATED_GAIN: list[Entry] = []
_measure = collect_entries(
    CUMULATED_GAIN,
    linear=True,
    takes_recipe=True,
    extremes="gains",
    cutoff_kind="optional",
    cite="jarvelin2002",
)
_GAIN, _DISCOUNT = ("gain", "rel"), ("discount", "b")
_IDEAL, _RANKING = ("ideal", "ideal_depth"), ("ties", "short", "unjudged")
_GRADES, _EMPTY = ("negative", "fractional"), ("empty", "negative_ideal")
_UNLIMITED = int(np.iinfo(np.intp).max)
_LONGEST_VECTOR = 10_000_000


def gain_curves(ranked: RankedRun | RankedGains, recipe: Recipe) -> Share:
    """The cumulated gain of each ranking and of its ideal, rank by rank."""
    ranked_gains = find_gains(recipe, ranked)
    depth = _vector_depth(recipe, ranked_gains)
    discounts = rank_discounts(recipe, depth)
    actual = cumulate_gain(ranked_gains.gain_by_rank(depth) * discounts)
    with np.errstate(over="ignore", invalid="ignore"):
        if recipe.convention.ideal_depth == "all":
            ideal = ranked_gains.ideal
            best = ideal.sum_with_weights(rank_discounts(recipe, ideal.last_rank))[:, None]
        else:
            ideal = ranked_gains.ideal.cut(ideal_depth(recipe, ranked_gains.lengths))
            best = np.cumsum(ideal.gains_by_rank(depth) * discounts, axis=1)
    return actual, np.broadcast_to(_require_finite(best), actual.shape)


def dcg_curve(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """The gain at every rank."""
    return gain_curves(ranked, recipe)[0]


def idcg_curve(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """The gain of the best ranking at every rank."""
    return np.array(gain_curves(ranked, recipe)[1])


@_measure(
    "nDCG",
    curve=gain_curves,
    discounted=True,
    options=(*_GAIN, *_DISCOUNT, *_IDEAL, *_RANKING, *_GRADES, *_EMPTY),
)
def ndcg(ranked: RankedRun | RankedGains, recipe: Recipe) -> Share:
    """How close is the ranking to the best possible one?

    Value: (Σ gain(i)·discount(i)) over ranks i ≤ k / the same for the ideal ranking
    By hand: nDCG@3 of 3 0 2 | 1 is (3 + 2/log2(4)) / (3 + 2/log2(3) + 1/log2(4))
    """
    return total_gains(ranked, recipe)


@_measure(
    "DCG",
    curve=dcg_curve,
    discounted=True,
    bounded=False,
    options=(*_GAIN, *_DISCOUNT, *_RANKING, *_GRADES),
)
def dcg(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """How much does a searcher gain if attention decreases with the rank?

    Value: Σ gain(i)·discount(i) over ranks i ≤ k
    By hand: DCG@3 of 3 0 2 | 1 is 3 + 2/log2(4)
    """
    return total_gains(ranked, recipe)[0]


@_measure(
    "IDCG",
    curve=idcg_curve,
    gain_of="ideal",
    discounted=True,
    bounded=False,
    options=(*_GAIN, *_DISCOUNT, *_IDEAL, *_GRADES),
)
def idcg(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """How much would a searcher gain from the best possible ranking?

    Value: Σ gain(i)·discount(i) over ranks i ≤ k of the ideal ranking
    By hand: IDCG@3 of 3 0 2 | 1 is 3 + 2/log2(3) + 1/log2(4)
    """
    return np.array(total_gains(ranked, recipe)[1])


_measure(
    "nCG",
    "(Σ gain(i)) over ranks i ≤ k / the same for the ideal ranking",
    Example("nCG@2", "3 0 2 | 1", "3 / (3 + 2)"),
    question="What share of the possible gain do the first k documents have?",
    defaults={"discount": "none"},
    curve=gain_curves,
    options=(*_GAIN, *_IDEAL, *_RANKING, *_GRADES, *_EMPTY),
)(ndcg)
_measure(
    "CG",
    "Σ gain(i) over ranks i ≤ k",
    Example("CG@2", "3 0 2 | 1", "3 + 0"),
    question="What is the total gain of the first k documents, in any order?",
    defaults={"discount": "none"},
    curve=dcg_curve,
    bounded=False,
    options=(*_GAIN, *_RANKING, *_GRADES),
)(dcg)


def find_gains(recipe: Recipe, ranked: RankedRun | RankedGains) -> RankedGains:
    """Gains and ideals; those of a run are made once for measures that differ in depth alone."""
    if isinstance(ranked, RankedGains):
        return ranked
    settings = recipe.convention
    key = (recipe.gain, settings.ideal, settings.short, settings.negative, settings.ties)
    return ranked.compute_once(key, lambda: rank_run_gains(recipe, ranked))


def total_gains(ranked: RankedRun | RankedGains, recipe: Recipe) -> Share:
    """The gain of each ranking and of its ideal, as one number each."""
    ranked_gains = find_gains(recipe, ranked)
    with np.errstate(over="ignore", invalid="ignore"):
        if ranked_gains.fill.any():
            depth = _vector_depth(recipe, ranked_gains)
            actual = ranked_gains.gain_by_rank(depth) @ rank_discounts(recipe, depth)
        else:  # below the last document nothing is gained
            depth = min(_depth(recipe, ranked_gains), _longest_ranking(ranked_gains))
            actual = ranked_gains.actual.sum_with_weights(rank_discounts(recipe, depth))
        ideal = ranked_gains.ideal.cut(ideal_depth(recipe, ranked_gains.lengths))
        best = ideal.sum_with_weights(rank_discounts(recipe, ideal.last_rank))
    return _require_finite(actual), np.broadcast_to(_require_finite(best), actual.shape)


def cumulate_gain(gain: Array) -> Array:
    """The sum of the gains down to each rank; a sum beyond all bounds is refused."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _require_finite(np.cumsum(gain, axis=-1))


def rank_discounts(recipe: Recipe, depth: int) -> Array:
    """What is left of a gain at ranks 1 … depth."""
    return evaluate_discount(recipe.discount, np.arange(1, depth + 1))


def evaluate_discount(discount: NamedFormula, places: Ranks) -> Array:
    """What is left of a gain at these ranks, or at these positions of queries."""
    left = discount.evaluate_at(places)
    if not np.isfinite(left).all():
        raise BadValue(discount.kind, discount.name, f"a {discount.kind} that is finite everywhere")
    return left


def ideal_depth(recipe: Recipe, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """How deep each ideal goes, as a column."""
    setting = recipe.convention.ideal_depth
    cut = _UNLIMITED if recipe.k is None or setting == "all" else min(recipe.k, _UNLIMITED)
    own = lengths if setting == "retrieved" else np.full(1, _UNLIMITED, dtype=np.intp)
    return np.minimum(own, cut)[:, None]


def _longest_ranking(ranked_gains: RankedGains) -> int:
    return max(1, int(ranked_gains.lengths.max()))


def _depth(recipe: Recipe, ranked_gains: RankedGains) -> int:
    return recipe.k if recipe.k is not None else _longest_ranking(ranked_gains)


def _vector_depth(recipe: Recipe, ranked_gains: RankedGains) -> int:
    depth = _depth(recipe, ranked_gains)
    if depth > _LONGEST_VECTOR:
        raise BadValue("k", depth, f"at most {_LONGEST_VECTOR} where every rank is computed")
    return depth


def _require_finite(sums: Array) -> Array:
    if not np.isfinite(sums).all():
        raise BadValue("cumulated gain", np.inf, "a finite sum; the grades are too large")
    return sums


GRADED_RELEVANCE: list[Entry] = []
BLENDED_RATIO: list[Entry] = []
_graded, _ratio = collect_entries(GRADED_RELEVANCE), collect_entries(BLENDED_RATIO)
_RATIO = "(hits so far + beta·gain so far) / (i + beta·ideal gain so far)"


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
        self.weighted = self.gain * weight
        total = np.bincount(self.query, self.weighted, minlength=ranked.size)
        self.total: Array = total.astype(np.float64)

    def dcg_at(self, query: Ranks, rank: Ranks) -> Array:
        return self._sum_down_to(self.weighted, query, rank)

    def cost_at(self, query: Ranks, rank: Ranks) -> Array:
        cost = self._sum_down_to(np.maximum(self.gain, 1.0), query, rank)
        cost += np.maximum(rank - self.size[query], 0)
        return cost

    def _sum_down_to(self, values: Array, query: Ranks, rank: Ranks) -> Array:
        sums = np.append(cumulate_by_query(values, self.query, len(self.size)), 0.0)
        depth = np.minimum(rank, self.size[query])
        return np.where(depth > 0, sums[self.begin[query] + depth - 1], 0.0)


@_graded("G")
def g_measure(ranked: RankedRun, *, gain: NamedFormula) -> Share:
    """How much is gained, with a discount for falling behind the ideal ranking?

    Value: Σ gain(i) / log2(2 + ideal gain so far − gain so far) / Σ ideal gain
    By hand: G of 1 0 2 is (1/log2(2+2-1) + 2/log2(2+4-3)) / 3
    """
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


@_graded(
    "FilteredDCG",
    defaults={"discount": "zipf"},
    bounded=False,
    needs_scores=True,
    cite="catboost_filtered",
)
def dcg_above_zero(
    ranked: RankedRun, *, gain: NamedFormula, discount: NamedFormula, filtered_order: str
) -> Array:
    """What is the DCG of the documents that the system scores 0 or more?

    Value: Σ gain(i)·discount(i) over the ranks i among documents with scores of at least 0
    By hand: FilteredDCG of 3 0 2 | 1 is 3 + 2/3
    """
    filtered = ranked.filter_scores(filtered_order)
    return filtered.total(filtered.gains(gain) * discount.evaluate_at(filtered.rank))


@_graded("binG", extremes="share")
def binary_g(ranked: RankedRun, *, rel: float) -> Share:
    """How few nonrelevant documents rank above the relevant ones?

    Value: 1 / log2(2 + nonrelevant documents above), averaged over all relevant
    By hand: binG of 1 0 1 0 | 1 is (1/log2(2) + 1/log2(3)) / 3
    """
    hit = ranked.relevant(rel)
    useless = ranked.rank - ranked.cumulate(hit)
    return ranked.total(1 / np.log2(2 + np.where(hit, useless, 0)), hit), ranked.recall_base(rel)


@_graded("nDCG_rel")
def ndcg_at_relevant(ranked: RankedRun, *, gain: NamedFormula, discount: NamedFormula) -> Share:
    """What is nDCG, averaged over the ranks of the relevant documents?

    Value: nDCG@i at each relevant document (at the last rank for those missed), averaged
    By hand: nDCG_rel of 0 1 | 1 is 2 * (1/log2(3)) / (1 + 1/log2(3)) / 2
    """
    gains, ideal = ranked.gains(gain), _Ideal(ranked, gain, discount)
    reached = ranked.cumulate(gains * discount.evaluate_at(ranked.rank))
    best = ideal.dcg_at(ranked.query, ranked.rank)
    good = (gains > 0) & (best > 0)
    share = np.divide(reached, best, out=np.zeros(len(gains)), where=good)
    final = divide(ranked.total(gains * discount.evaluate_at(ranked.rank)), ideal.total)
    missed = ideal.size - ranked.count(good)
    return ranked.total(share, good) + missed * final, ideal.size.astype(np.float64)


@_graded("Rndcg")
def ndcg_at_levels(
    ranked: RankedRun, *, gain: NamedFormula, discount: NamedFormula, rel: float
) -> Share:
    """What is nDCG, averaged over the ranks where the ideal gain decreases?

    Value: the mean of nDCG@i at each i where the ideal gain decreases, and at the last rank
    By hand: Rndcg of 1 2 0 0 is (1/2 + (1 + 2/log2(3))/(2 + 1/log2(3)) + (1 + 2/log2(3))/(2 +
    1/log2(3))) / 3
    """
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


@_ratio("Qmeasure", f"{_RATIO}, over all relevant", cite="sakai2007")
def q_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """What is AP, if gains count as well as relevance?

    By hand: Qmeasure of 0 2 | 1 is ((1 + 2) / (2 + 3)) / 2
    """
    blended = _Blended(ranked, gain, beta)
    return ranked.total(blended.ratio, blended.hit), blended.ideal.size.astype(np.float64)


def _first_of_the_best(ranked: RankedRun, blended: _Blended) -> Flags:
    best = np.zeros(ranked.size)
    np.maximum.at(best, ranked.query, blended.gains)
    among_best = blended.hit & (blended.gains == best[ranked.query])
    first: Flags = among_best & (ranked.cumulate(among_best) == 1)
    return first


@_ratio("Omeasure", f"{_RATIO} at the first relevant document", cite="sakai2007b")
def o_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """How far down is the first relevant document, and how good is it?

    By hand: Omeasure of 0 1 3 is (1 + 1) / (2 + 4)
    """
    blended = _Blended(ranked, gain, beta)
    return ranked.total(blended.ratio, blended.hit & (blended.hits == 1)), blended.any_relevant


@_ratio("Pmeasure", f"{_RATIO} at the first of the best documents retrieved", cite="sakai2007b")
def p_measure(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """How far down is the first of the best documents retrieved?

    By hand: Pmeasure of 0 1 3 is (2 + 4) / (3 + 4)
    """
    blended = _Blended(ranked, gain, beta)
    return ranked.total(blended.ratio, _first_of_the_best(ranked, blended)), blended.any_relevant


@_ratio(
    "Pplus",
    f"{_RATIO}, averaged over the relevant documents down to the first of the best",
    cite="sakai2007b",
)
def p_plus(ranked: RankedRun, *, gain: NamedFormula, beta: float) -> Share:
    """How good is the ranking down to the first of the best documents retrieved?

    By hand: Pplus of 0 1 3 is ((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2
    """
    blended = _Blended(ranked, gain, beta)
    preferred = ranked.total(ranked.rank, _first_of_the_best(ranked, blended))
    down_to = blended.hit & (ranked.rank <= preferred[ranked.query])
    sums, counts = ranked.total(blended.ratio, down_to), ranked.count(down_to)
    return divide(sums, counts), blended.any_relevant


@_ratio(
    "NCU",
    f"Σ share who stop at document i · {_RATIO}, or precision; of all relevant documents",
    defaults={"p": 0.95, "stop": "rank_biased", "utility": "blended"},
    cite="sakai2008",
)
def ncu(
    ranked: RankedRun, *, gain: NamedFormula, beta: float, p: float, stop: str, utility: str
) -> Share:
    """What is the ranking worth to searchers who stop at different relevant documents?

    They stop at any of them alike, at the better ones more often, or at each less often by p than
    at the one before it.

    By hand: NCU(p=0.5) of 0 2 | 1 is ((1 + 2) / (2 + 3)) / (1 + 0.5)
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


@_ratio("ARP", bounded=False, cite="tensorflow_ranking", direction=LOWER)
def average_relevance_position(ranked: RankedRun, *, gain: NamedFormula) -> Share:
    """At which rank is the gain, on average?

    Value: Σ gain(i)·i / Σ gain(i) over all ranks i
    By hand: ARP of 0 1 3 is (1*2 + 3*3) / 4
    """
    gains = np.maximum(ranked.gains(gain), 0.0)
    return ranked.total(gains * ranked.rank), ranked.total(gains)


def _gain_at_depth(ranked: RankedRun, gain: Array, query: Ranks, depth: Ranks) -> Array:
    sums = np.append(cumulate_by_query(gain, ranked.query, ranked.size), 0.0)
    width = int(ranked.retrieved.max(initial=0)) + 2
    keys = ranked.query * width + ranked.rank
    begin = np.searchsorted(keys, query * width)
    end = np.searchsorted(keys, query * width + np.minimum(depth, width - 1), side="right")
    return np.where(end > begin, sums[end - 1], 0.0)
