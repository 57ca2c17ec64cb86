"""Cumulated gain: CG, DCG, nCG, nDCG and the ideal, of all rankings at once.

The sum of the gains over ranks, discounted or not; with the sum of the ideal ranking, by which
the measures are normalised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gainful.errors import BadValue
from gainful.measure.entry import Entry, Example, Recipe, collect_entries
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedGains, RankedRun, rank_run_gains
from gainful.types import Array

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


def ndcg_curve(ranked: RankedRun | RankedGains, recipe: Recipe) -> tuple[Array, Array]:
    """The gain at every rank, and what was possible there."""
    return gain_curves(recipe, find_gains(recipe, ranked))


def dcg_curve(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """The gain at every rank."""
    return gain_curves(recipe, find_gains(recipe, ranked))[0]


def idcg_curve(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """The gain of the best ranking at every rank."""
    return np.array(gain_curves(recipe, find_gains(recipe, ranked))[1])


@_measure(
    "nDCG",
    "(Σ gain(i)·discount(i)) over ranks i ≤ k / the same of the ideal ranking",
    Example("nDCG@3", "3 0 2 | 1", "(3 + 2/log2(4)) / (3 + 2/log2(3) + 1/log2(4))"),
    curve=ndcg_curve,
    discounted=True,
    options=(*_GAIN, *_DISCOUNT, *_IDEAL, *_RANKING, *_GRADES, *_EMPTY),
)
def ndcg(ranked: RankedRun | RankedGains, recipe: Recipe) -> Share:
    """How close is the ranking to the best possible one?"""
    return total_gains(recipe, find_gains(recipe, ranked))


@_measure(
    "DCG",
    "Σ gain(i)·discount(i) over ranks i ≤ k",
    Example("DCG@3", "3 0 2 | 1", "3 + 2/log2(4)"),
    curve=dcg_curve,
    discounted=True,
    bounded=False,
    options=(*_GAIN, *_DISCOUNT, *_RANKING, *_GRADES),
    additive=True,
)
def dcg(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """How much does a searcher gain whose attention falls with the rank?"""
    return total_gains(recipe, find_gains(recipe, ranked))[0]


@_measure(
    "IDCG",
    "Σ gain(i)·discount(i) over ranks i ≤ k of the ideal ranking",
    Example("IDCG@3", "3 0 2 | 1", "3 + 2/log2(3) + 1/log2(4)"),
    curve=idcg_curve,
    gain_of="ideal",
    discounted=True,
    bounded=False,
    options=(*_GAIN, *_DISCOUNT, *_IDEAL, *_GRADES),
)
def idcg(ranked: RankedRun | RankedGains, recipe: Recipe) -> Array:
    """How much would a searcher gain from the best possible ranking?"""
    return np.array(total_gains(recipe, find_gains(recipe, ranked))[1])


_measure(
    "nCG",
    "(Σ gain(i)) over ranks i ≤ k / the same of the ideal ranking",
    Example("nCG@2", "3 0 2 | 1", "3 / (3 + 2)"),
    question="What share of the possible gain do the first k documents have?",
    defaults={"discount": "none"},
    curve=ndcg_curve,
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
    additive=True,
)(dcg)


def find_gains(recipe: Recipe, ranked: RankedRun | RankedGains) -> RankedGains:
    """Gains and ideals; those of a run are made once for measures that differ in depth alone."""
    if isinstance(ranked, RankedGains):
        return ranked
    settings = recipe.convention
    key = (recipe.gain, settings.ideal, settings.short, settings.negative, settings.ties)
    return ranked.compute_once(key, lambda: rank_run_gains(recipe, ranked))


def total_gains(recipe: Recipe, ranked_gains: RankedGains) -> tuple[Array, Array]:
    """The gain of each ranking and of its ideal, as one number each."""
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


def gain_curves(recipe: Recipe, ranked_gains: RankedGains) -> tuple[Array, Array]:
    """The cumulated gain of each ranking and of its ideal, rank by rank."""
    depth = _vector_depth(recipe, ranked_gains)
    discounts = rank_discounts(recipe, depth)
    actual = cumulate_gain(ranked_gains.gain_by_rank(depth) * discounts)
    with np.errstate(over="ignore", invalid="ignore"):
        if recipe.convention.ideal_depth == "all":
            best = ranked_gains.ideal.sum_with_weights(
                rank_discounts(recipe, ranked_gains.ideal.last_rank)
            )[:, None]
        else:
            ideal = ranked_gains.ideal.cut(ideal_depth(recipe, ranked_gains.lengths)).gains_by_rank(
                depth
            )
            best = np.cumsum(ideal * discounts, axis=1)
    return actual, np.broadcast_to(_require_finite(best), actual.shape)


def cumulate_gain(gain: Array) -> Array:
    """The sum of the gains down to each rank; a sum beyond all bounds is refused."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _require_finite(np.cumsum(gain, axis=-1))


def rank_discounts(recipe: Recipe, depth: int) -> Array:
    """What is left of a gain at ranks 1 … depth."""
    discounts = recipe.discount.evaluate_at(np.arange(1, depth + 1))
    if not np.isfinite(discounts).all():
        raise BadValue("discount", recipe.discount.name, "a discount that is finite at every rank")
    return discounts


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
