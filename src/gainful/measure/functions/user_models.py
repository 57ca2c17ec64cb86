"""Measures of a searcher who goes on or stops: ERR, and those of the C/W/L framework.

Grades are scaled to gains from 0 to 1; the best grade is `max_grade`, or if it is not set the
highest that was given. Most of these measures are told by how likely the searcher goes on from
one rank to the next; the weight of a rank is how likely it is seen at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from gainful.errors import BadValue
from gainful.formula import Array
from gainful.match import Placed
from gainful.match.matched import Flags, Ranks
from gainful.measure.discount import DISCOUNTS
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import Seen

_DEPTH = 1000  # how far down a searcher can go, as in cwl_eval
_DEEPEST = 10_000_000  # the largest cutoff of which every rank is summed
_TOGETHER = 5_000  # queries whose ranks are laid out at once


def expected_reciprocal_rank(ranked: Seen, *, max_grade: float | None, k: int | None) -> Array:
    """One over the rank at which the searcher is satisfied, as is to be expected."""
    stop = _satisfied(ranked.grade, ranked.best(max_grade))
    return _err(ranked.query, ranked.rank, stop, ranked.size, k)


def normalised_err(ranked: Seen, *, max_grade: float | None, k: int | None) -> Share:
    """The same, as a share of the best that was possible."""
    order = np.lexsort((-ranked.pool_grade, ranked.pool_query))
    query, grade = ranked.pool_query[order], ranked.pool_grade[order]
    rank = np.arange(len(query)) - np.searchsorted(query, np.arange(ranked.size))[query] + 1
    ideal = _err(query, rank, _satisfied(grade, ranked.best(max_grade)), ranked.size, k)
    return expected_reciprocal_rank(ranked, max_grade=max_grade, k=k), ideal


def inst(ranked: Seen, *, T: float, max_grade: float | None) -> Array:  # noqa: N803  (as in the paper)
    """The rate of gain of a searcher who wants T, and grows impatient as it comes."""
    if T < 0.5:
        raise BadValue("T", T, "at least 0.5 for INST; below, a searcher would go on for certain")

    def goes_on(gain: Array) -> Array:
        base = np.arange(1, gain.shape[1] + 1) + 2 * T - np.cumsum(gain, axis=1)
        return ((base - 1) / base) ** 2

    return _rate(ranked, goes_on, max_grade)


def insq(ranked: Seen, *, T: float, max_grade: float | None) -> Array:  # noqa: N803
    """The rate of gain of a searcher who wants T, and does not care what came of it so far."""

    def goes_on(gain: Array) -> Array:
        base = np.arange(1, gain.shape[1] + 1) + 2 * T
        return np.broadcast_to(((base - 1) / base) ** 2, gain.shape)

    return _rate(ranked, goes_on, max_grade)


def bejeweled(ranked: Seen, *, T: float, max_grade: float | None, k: int) -> Array:  # noqa: N803
    """The rate of gain of a searcher who stops with a gain of T, or after k documents."""

    def goes_on(gain: Array) -> Array:
        patient = np.arange(1, gain.shape[1] + 1) < k
        return (patient & (np.cumsum(gain, axis=1) < T)).astype(np.float64)

    return _rate(ranked, goes_on, max_grade)


def scaled_dcg(ranked: Seen, *, max_grade: float | None, k: int) -> Array:
    """DCG, as a share of what k documents of the best grade would give."""
    if k > _DEEPEST:
        raise BadValue("k", k, f"at most {_DEEPEST}")
    discount = DISCOUNTS["log2"]
    reached = ranked.total(_gains(ranked, max_grade) * discount.at(ranked.rank), ranked.within(k))
    most = float(discount.at(np.arange(1, k + 1)).sum())
    return reached / most


def judged(ranked: Seen, *, k: int | None) -> Array:
    """What share of the first k documents has a judgment?"""
    looked_at = ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)
    found = ranked.count(ranked.within(k))
    return np.divide(found, looked_at, out=np.zeros(ranked.size), where=looked_at > 0)


def compatibility(ranked: Seen, *, p: float) -> Share:
    """How alike are the ranking and the ideal one that is most like it, by rank-biased overlap?"""
    good, pool = ranked.grade > 0, ranked.pool_grade > 0
    query, rank = ranked.query[good], ranked.rank[good]
    ideal_size = ranked.pooled(pool).astype(np.intp)
    depth = np.maximum(ranked.retrieved, ideal_size)
    better = _better(ranked, good, pool)
    order = np.lexsort((rank, -ranked.grade[good], query))
    place = np.empty(len(query), dtype=np.intp)  # among the retrieved of the same grade
    key = np.stack((query[order].astype(np.float64), ranked.grade[good][order]))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    begin = np.flatnonzero(fresh)
    place[order] = np.arange(len(order)) - begin[np.cumsum(fresh) - 1]
    meets = np.maximum(rank, better + place + 1)
    deepest = int(depth.max(initial=1))
    steps = np.arange(1, deepest + 1)
    until = np.append(0.0, np.cumsum(p ** (steps - 1.0) / steps))
    since = until[np.minimum(meets - 1, depth[query])]
    overlap = np.bincount(query, until[depth[query]] - since, minlength=ranked.size)
    starts = np.append(0.0, np.cumsum(until[:-1]))  # Σ until[j - 1] over the ideal's ranks j
    most = ideal_size * until[depth] - starts[np.minimum(ideal_size, deepest)]
    return overlap.astype(np.float64), most


def _better(ranked: Seen, good: Flags, pool: Flags) -> Ranks:
    """How many judged documents of its query have a better grade than each good one retrieved."""
    grades = np.unique(ranked.pool_grade[pool])
    wide = len(grades) + 1
    level = len(grades) - np.searchsorted(grades, ranked.pool_grade[pool])  # the best grade is 1
    keys = np.sort(ranked.pool_query[pool] * wide + level)
    own = len(grades) - np.searchsorted(grades, ranked.grade[good])
    begin = ranked.query[good] * wide
    count: Ranks = np.searchsorted(keys, begin + own) - np.searchsorted(keys, begin)
    return count


def _satisfied(grade: Array, best: float) -> Array:
    """How likely a document of this grade ends the search: (2^g − 1) / 2^best."""
    capped = np.clip(grade, 0, best)
    stop: Array = np.exp2(capped - best) - np.exp2(-best)
    return stop


def _err(query: Ranks, rank: Ranks, stop: Array, size: int, k: int | None) -> Array:
    begin = np.searchsorted(query, np.arange(size + 1)).tolist()
    left = np.ones(len(stop))  # how likely the searcher comes this far
    for start, end in pairwise(begin):
        np.cumprod(1 - stop[start : end - 1], out=left[start + 1 : end])
    seen = np.ones(len(rank), dtype=bool) if k is None else rank <= k
    return np.bincount(query[seen], (stop * left / rank)[seen], minlength=size).astype(np.float64)


def _gains(ranked: Seen, max_grade: float | None) -> Array:
    best = ranked.best(max_grade)
    return np.clip(ranked.grade, 0, best) / best


def _rate(ranked: Seen, goes_on: Callable[[Array], Array], max_grade: float | None) -> Array:
    """The gain per document looked at."""
    found = np.empty(ranked.size)
    for first, gain in _laid_out(ranked, _gains(ranked, max_grade)):
        reach = np.cumprod(goes_on(gain)[:, :-1], axis=1)
        weight = np.concatenate((np.ones((len(gain), 1)), reach), axis=1)
        found[first : first + len(gain)] = (weight * gain).sum(axis=1) / weight.sum(axis=1)
    return found


def _laid_out(ranked: Seen, gain: Array) -> Iterator[tuple[int, Array]]:
    """The gain at every rank, some thousands of queries at a time."""
    for first in range(0, ranked.size, _TOGETHER):
        size = min(_TOGETHER, ranked.size - first)
        here = (ranked.query >= first) & (ranked.query < first + size)
        row, rank = ranked.query[here] - first, ranked.rank[here]
        yield first, Placed(size, row, row, gain[here], rank, rank).by_rank(_DEPTH)
