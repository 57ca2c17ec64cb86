"""Measures of pairs of documents: how often does the better one stand above the other?"""

from __future__ import annotations

import numpy as np

from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Flags, Ranks


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
    """How many flagged documents of the query begin their block of ties at a rank up to a limit?"""
    width = int(ranked.retrieved.max(initial=0)) + 2
    keys = np.sort(ranked.query[flags] * width + ranked.first[flags])
    begin = ranked.query * width
    counts = np.searchsorted(keys, begin + limit, side="right") - np.searchsorted(keys, begin)
    return counts.astype(np.float64)
