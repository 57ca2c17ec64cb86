"""Measures of a searcher who goes on or stops: RBP, ERR, and those of the C/W/L framework.

Grades are scaled to gains from 0 to 1; the best grade is `max_grade`, or if it is not set the
highest that was given. Most of these measures are told by how likely the searcher goes on from
one rank to the next; the weight of a rank is how likely it is seen at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gainful.errors import BadValue
from gainful.formula import NamedFormula
from gainful.match import PlacedGains
from gainful.match.ideal import rank_ideally
from gainful.measure.discount import DISCOUNTS
from gainful.measure.functions.continuation import check_goal, inst_continuation, make_forager
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Flags, Ranks, slices

_MAX_DEPTH = 1000  # how far down a searcher can go, as in cwl_eval
_LARGEST_CUTOFF = 10_000_000  # the largest cutoff of which every rank is summed
_BATCH_QUERIES = 5_000  # queries whose ranks are laid out at once


def rbp(ranked: RankedRun, *, p: float, rel: float, rbp_grades: str, k: int | None) -> Array:
    """What does a searcher gain who goes on to the next document with probability p?"""
    hit = ranked.relevant(rel, k)
    worth = ranked.grade if rbp_grades == "grade" else 1.0
    return (1 - p) * ranked.total(worth * _weights(ranked, p)[ranked.rank - 1], hit)


def grbp(ranked: RankedRun, *, p: float, gain: NamedFormula) -> Array:
    """RBP of graded relevance, the best grade of a query counting as 1."""
    gains, pool = ranked.gains(gain), ranked.pool_gains(gain)
    low, high = np.zeros(ranked.size), np.zeros(ranked.size)
    np.minimum.at(low, ranked.pool_query, pool)
    np.maximum.at(high, ranked.pool_query, pool)
    beyond = (low < 0) | (high > 1)
    low, width = np.where(beyond, low, 0.0), np.where(beyond, high - low, 1.0)
    scaled = (gains - low[ranked.query]) / width[ranked.query]
    return (1 - p) * ranked.total(scaled * _weights(ranked, p)[ranked.rank - 1])


def rbp_residual(ranked: RankedRun, *, p: float) -> Array:
    """By how much could RBP still grow, if all that is unjudged were relevant?"""
    weight = _weights(ranked, p)
    judged = ranked.grade >= 0
    residual = np.zeros(ranked.size)
    for part in slices(ranked.size, _BATCH_QUERIES):
        retrieved = ranked.retrieved[part]
        begin = np.cumsum(retrieved) - retrieved
        query = np.repeat(np.arange(len(retrieved)), retrieved)
        is_unjudged = np.ones(len(query), dtype=bool)
        mine = judged & (ranked.query >= part.start) & (ranked.query < part.stop)
        is_unjudged[begin[ranked.query[mine] - part.start] + ranked.rank[mine] - 1] = False
        place = np.arange(len(query)) - begin[query]
        total = np.bincount(
            query[is_unjudged], weight[place[is_unjudged]], minlength=len(retrieved)
        )
        reached = weight[retrieved] + (1 - p) * total  # what comes below the last, and above
        reached = np.minimum(reached, 1.0)  # but for rounding it never passes 1
        has_unjudged = np.bincount(query[is_unjudged], minlength=len(retrieved)) > 0
        residual[part] = np.where(has_unjudged, reached, 0.0)
    return residual


def _weights(ranked: RankedRun, p: float) -> Array:
    """How likely each rank is seen, multiplied one after another, to one below the last."""
    depth = int(ranked.retrieved.max(initial=0))
    return np.cumprod(np.append(1.0, np.full(depth, p)))


def err(ranked: RankedRun, *, max_grade: float | None, k: int | None) -> Array:
    """One over the rank at which the searcher is satisfied, as is to be expected."""
    stop = _stop_probability(ranked.grade, ranked.best_grade(max_grade))
    return _err_sum(ranked.query, ranked.rank, stop, ranked.size, k)


def pfound(ranked: RankedRun, *, p: float, max_grade: float | None, k: int | None) -> Array:
    """How likely does a searcher find something, who goes on with p while nothing was found?"""
    found_here = _gains(ranked, max_grade)
    reach = _reach(ranked.query, found_here, ranked.size) * p ** (ranked.rank - 1.0)
    return ranked.total(found_here * reach, ranked.top(k))


def nerr(ranked: RankedRun, *, max_grade: float | None, k: int | None) -> Share:
    """ERR as a share of the best that was possible."""
    ideal = rank_ideally(ranked.pool_query, ranked.pool_grade)
    stop = _stop_probability(ideal.gain, ranked.best_grade(max_grade))
    best = _err_sum(ideal.query, ideal.rank, stop, ranked.size, k)
    return err(ranked, max_grade=max_grade, k=k), best


def inst(ranked: RankedRun, *, T: float, max_grade: float | None) -> Array:  # noqa: N803  (as in the paper)
    """The rate of gain of a searcher who wants T, and grows impatient as it comes."""
    check_goal(T, "INST")

    def continuation(gain: Array) -> Array:
        return inst_continuation(_ranks(gain) + 2 * T - np.cumsum(gain, axis=1))

    return _rate_of_gain(ranked, continuation, max_grade)


def ift(ranked: RankedRun, *, max_grade: float | None, **rule: Any) -> Array:
    """The rate of gain of a forager, who stops near the goal or where little comes."""
    forage = make_forager(**rule)

    def continuation(gain: Array) -> Array:
        cumulated = np.cumsum(gain, axis=1)
        return forage(cumulated, cumulated / _ranks(gain))

    return _rate_of_gain(ranked, continuation, max_grade)


def insq(ranked: RankedRun, *, T: float, max_grade: float | None) -> Array:  # noqa: N803
    """The rate of gain of a searcher who wants T, and does not care what came of it so far."""

    def continuation(gain: Array) -> Array:
        return np.broadcast_to(inst_continuation(_ranks(gain) + 2 * T), gain.shape)

    return _rate_of_gain(ranked, continuation, max_grade)


def bpm(ranked: RankedRun, *, T: float, max_grade: float | None, k: int) -> Array:  # noqa: N803
    """The rate of gain of a searcher who stops with a gain of T, or after k documents."""

    def continuation(gain: Array) -> Array:
        patient = np.arange(1, gain.shape[1] + 1) < k
        return (patient & (np.cumsum(gain, axis=1) < T)).astype(np.float64)

    return _rate_of_gain(ranked, continuation, max_grade)


def nerr8(ranked: RankedRun, *, max_grade: float | None, k: int) -> Array:
    """The rate of gain of a searcher who stops as ERR's does, or after k documents."""
    return _rate_of_gain(ranked, lambda gain: (1 - gain) * (_ranks(gain) < k), max_grade)


def nerr9(ranked: RankedRun, *, max_grade: float | None, k: int) -> Array:
    """The rate of gain of a searcher who stops as ERR's does and tires with the ranks, until k."""

    def continuation(gain: Array) -> Array:
        rank = _ranks(gain)
        return (1 - gain) * rank / (rank + 1) * (rank < k)

    return _rate_of_gain(ranked, continuation, max_grade)


def nerr10(ranked: RankedRun, *, p: float, max_grade: float | None) -> Array:
    """The rate of gain of a searcher who stops as ERR's does, with the patience of RBP."""
    return _rate_of_gain(ranked, lambda gain: p * (1 - gain), max_grade)


def nerr11(ranked: RankedRun, *, T: float, max_grade: float | None) -> Array:  # noqa: N803
    """The rate of gain of a searcher who stops as ERR's does, with the patience of INSQ."""

    def continuation(gain: Array) -> Array:
        return inst_continuation(_ranks(gain) + 2 * T) * (1 - gain)

    return _rate_of_gain(ranked, continuation, max_grade)


def _ranks(gain: Array) -> Array:
    """The ranks of a row of gains."""
    return np.arange(1.0, gain.shape[1] + 1)


def scale_dcg(ranked: RankedRun, *, max_grade: float | None, k: int) -> Array:
    """DCG, as a share of what k documents of the best grade would give."""
    if k > _LARGEST_CUTOFF:
        raise BadValue("k", k, f"at most {_LARGEST_CUTOFF}")
    discount = DISCOUNTS["log2"]
    reached = ranked.total(
        _gains(ranked, max_grade) * discount.evaluate_at(ranked.rank), ranked.top(k)
    )
    maximum = float(discount.evaluate_at(np.arange(1, k + 1)).sum())
    return reached / maximum


def share_with_judgment(ranked: RankedRun, *, k: int | None) -> Array:
    """What share of the first k documents has a judgment?"""
    depth = ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)
    judged_count = ranked.count(ranked.top(k))
    return np.divide(judged_count, depth, out=np.zeros(ranked.size), where=depth > 0)


def compatibility(ranked: RankedRun, *, p: float) -> Share:
    """How alike are the ranking and the ideal one that is most like it, by rank-biased overlap?"""
    good, pool = ranked.grade > 0, ranked.pool_grade > 0
    query, rank = ranked.query[good], ranked.rank[good]
    ideal_size = ranked.count_pool(pool).astype(np.intp)
    depth = np.maximum(ranked.retrieved, ideal_size)
    better_count = _count_better(ranked, good, pool)
    order = np.lexsort((rank, -ranked.grade[good], query))
    place = np.empty(len(query), dtype=np.intp)  # among the retrieved of the same grade
    key = np.stack((query[order].astype(np.float64), ranked.grade[good][order]))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    begin = np.flatnonzero(fresh)
    place[order] = np.arange(len(order)) - begin[np.cumsum(fresh) - 1]
    meeting_rank = np.maximum(rank, better_count + place + 1)
    deepest = int(depth.max(initial=1))
    steps = np.arange(1, deepest + 1)
    cumulated_weight = np.append(0.0, np.cumsum(p ** (steps - 1.0) / steps))
    weight_before = cumulated_weight[np.minimum(meeting_rank - 1, depth[query])]
    overlap = np.bincount(
        query, cumulated_weight[depth[query]] - weight_before, minlength=ranked.size
    )
    starts = np.append(
        0.0, np.cumsum(cumulated_weight[:-1])
    )  # Σ until[j - 1] over the ideal's ranks j
    maximum = ideal_size * cumulated_weight[depth] - starts[np.minimum(ideal_size, deepest)]
    return overlap.astype(np.float64), maximum


def _count_better(ranked: RankedRun, good: Flags, pool: Flags) -> Ranks:
    """How many judged documents of its query have a better grade than each good one retrieved."""
    grades = np.unique(ranked.pool_grade[pool])
    width = len(grades) + 1
    level = len(grades) - np.searchsorted(grades, ranked.pool_grade[pool])  # the best grade is 1
    keys = np.sort(ranked.pool_query[pool] * width + level)
    own_level = len(grades) - np.searchsorted(grades, ranked.grade[good])
    begin = ranked.query[good] * width
    count: Ranks = np.searchsorted(keys, begin + own_level) - np.searchsorted(keys, begin)
    return count


def _stop_probability(grade: Array, best: float) -> Array:
    """How likely a document of this grade ends the search: (2^g − 1) / 2^best."""
    capped = np.clip(grade, 0, best)
    stop: Array = np.exp2(capped - best) - np.exp2(-best)
    return stop


def _err_sum(query: Ranks, rank: Ranks, stop: Array, size: int, k: int | None) -> Array:
    reach = _reach(query, stop, size)
    in_top = np.ones(len(rank), dtype=bool) if k is None else rank <= k
    return np.bincount(query[in_top], (stop * reach / rank)[in_top], minlength=size).astype(
        np.float64
    )


def _reach(query: Ranks, stop: Array, size: int) -> Array:
    """How likely the searcher comes as far as each document without having stopped before."""
    begin = np.searchsorted(query, np.arange(size + 1)).tolist()
    reach = np.ones(len(stop))
    for start, end in pairwise(begin):
        if start == end:  # else the slice before would reach round to the end
            continue
        np.cumprod(1 - stop[start : end - 1], out=reach[start + 1 : end])
    return reach


def _gains(ranked: RankedRun, max_grade: float | None) -> Array:
    best = ranked.best_grade(max_grade)
    return np.clip(ranked.grade, 0, best) / best


def _rate_of_gain(
    ranked: RankedRun, continuation: Callable[[Array], Array], max_grade: float | None
) -> Array:
    """The gain per document looked at."""
    rates = np.empty(ranked.size)
    for part, gain in _gain_batches(ranked, _gains(ranked, max_grade)):
        reach = np.cumprod(continuation(gain)[:, :-1], axis=1)
        weight = np.concatenate((np.ones((len(gain), 1)), reach), axis=1)
        rates[part] = (weight * gain).sum(axis=1) / weight.sum(axis=1)
    return rates


def _gain_batches(ranked: RankedRun, gain: Array) -> Iterator[tuple[slice, Array]]:
    """The gain at every rank, some thousands of queries at a time."""
    for part in slices(ranked.size, _BATCH_QUERIES):
        in_batch = (ranked.query >= part.start) & (ranked.query < part.stop)
        row, rank = ranked.query[in_batch] - part.start, ranked.rank[in_batch]
        placed = PlacedGains(part.stop - part.start, row, row, gain[in_batch], rank, rank)
        yield part, placed.gains_by_rank(_MAX_DEPTH)
