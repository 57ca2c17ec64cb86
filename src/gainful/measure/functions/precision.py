"""Measures of relevant or not: precision, recall and what is made of them.

Each is a function of `RankedRun`, a few lines over all queries at once. A normalised one returns
what was reached and what was possible; the convention says what 0 of 0 is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gainful.measure.parameters import ELEVEN_POINTS, as_points
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Ranks

Share = tuple[Array, Array]
_FLOOR = 1e-5  # what trec_eval puts for 0 before it takes a logarithm
_EPSILON = 1e-5  # trec_eval's epsilon in infAP


def average_precision(
    ranked: RankedRun, *, rel: float, k: int | None, divisor: str = "relevant"
) -> Share:
    """How early do the relevant documents come, on average over all of them?"""
    hit, base = ranked.relevant(rel, k), ranked.recall_base(rel)
    if divisor == "found":
        base = ranked.count(hit)
    elif k is not None and divisor != "relevant":
        base = np.where(base > 0, np.minimum(base, k) if divisor == "reachable" else k, 0.0)
    return ranked.total(ranked.cumulate(hit) / ranked.rank, hit), base


def context_precision(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How early do the relevant documents come, on average over those that were found?"""
    return average_precision(ranked, rel=rel, k=k, divisor="found")


def log_average_precision(ranked: RankedRun, *, rel: float) -> Array:
    """The logarithm of AP, of which the geometric mean is made; infinite as AP is there."""
    reached, possible = average_precision(ranked, rel=rel, k=None)
    return np.log(np.maximum(np.where(reached > 0, reached / possible, 0.0), _FLOOR))


def precision(ranked: RankedRun, *, rel: float, k: int) -> Array:
    """What share of the first k documents is relevant?"""
    return ranked.count(ranked.relevant(rel, k)) / k


def recall(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the relevant documents is among the first k?"""
    return ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)


def relative_precision(ranked: RankedRun, *, rel: float, k: int) -> Share:
    """Precision, as a share of the best that was possible at k."""
    return ranked.count(ranked.relevant(rel, k)), np.minimum(ranked.recall_base(rel), k)


def success(ranked: RankedRun, *, rel: float, k: int) -> Array:
    """Is there a relevant document among the first k?"""
    return (ranked.count(ranked.relevant(rel, k)) > 0).astype(np.float64)


def reciprocal_rank(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """One over the rank of the first relevant document."""
    hit = ranked.relevant(rel, k)
    first = hit & (ranked.cumulate(hit) == 1)
    return ranked.total(1 / ranked.rank, first)


def r_precision(ranked: RankedRun, *, rel: float, times: float) -> Share:
    """Precision after as many documents as there are relevant ones (or a multiple of them)."""
    recall_base = ranked.recall_base(rel)
    depth = np.floor(times * recall_base + 0.9)  # as trec_eval rounds it
    hit = ranked.relevant(rel) & (ranked.rank <= depth[ranked.query])
    return ranked.count(hit), np.where(recall_base > 0, np.maximum(depth, 1), 0)


def bpref(ranked: RankedRun, *, rel: float) -> Share:
    """How rarely is a judged non-relevant document ranked above a relevant one?"""
    recall_base = ranked.recall_base(rel)
    useless = ranked.count_pool((ranked.pool_grade >= 0) & (ranked.pool_grade < rel))
    hit = ranked.relevant(rel)
    above = ranked.cumulate((ranked.grade >= 0) & ~hit)
    maximum = np.minimum(recall_base, useless)[ranked.query]
    lost = np.divide(
        np.minimum(above, recall_base[ranked.query]),
        maximum,
        out=np.zeros(len(hit)),
        where=maximum > 0,
    )
    return ranked.total(1 - lost, hit), recall_base


def log_bpref(ranked: RankedRun, *, rel: float) -> Array:
    """The logarithm of bpref, of which the geometric mean is made."""
    return _log_ratio(*bpref(ranked, rel=rel))


def inf_ap(ranked: RankedRun, *, rel: float) -> Share:
    """AP, estimated where only a sample of the pool was judged (the rest has a grade below 0)."""
    hit = ranked.relevant(rel)
    before = ranked.cumulate(hit) - hit
    useless = ranked.cumulate((ranked.grade >= 0) & ~hit)
    unjudged = ranked.cumulate(ranked.grade < 0)
    above = ranked.rank - 1
    pooled = (before + useless + unjudged) / np.maximum(above, 1)
    good = (before + _EPSILON) / (before + useless + 2 * _EPSILON)
    expected = 1 / ranked.rank + above / ranked.rank * pooled * good
    return ranked.total(expected, hit), ranked.recall_base(rel)


def iprec_at_recall(ranked: RankedRun, *, rel: float, k: float, recall_points: str) -> Share:
    """The best precision from a level of recall on."""
    recall_base = ranked.recall_base(rel)
    needed = count_at_recall(k * recall_base, recall_points)
    return best_precision(ranked, rel, needed), (recall_base > 0).astype(np.float64)


def best_precision(ranked: RankedRun, rel: float, needed: Ranks) -> Array:
    """The best precision from where so many relevant documents are found on; 0 if they are not."""
    hit = np.flatnonzero(ranked.relevant(rel))
    precision_ = np.append((ranked.cumulate(ranked.relevant(rel)) / ranked.rank)[hit], (0.0, 0.0))
    begin = np.searchsorted(ranked.query[hit], np.arange(ranked.size))
    end = np.searchsorted(ranked.query[hit], np.arange(ranked.size), side="right")
    start = begin + np.maximum(needed, 1) - 1
    reached = start < end
    edges = np.stack((np.where(reached, start, 0), np.where(reached, end, 1)), axis=1).ravel()
    best = np.maximum.reduceat(precision_, edges)[::2] if edges.size else np.zeros(0)
    return np.where(reached, best, 0.0)


def eleven_point_average(
    ranked: RankedRun, *, rel: float, points: str | None, recall_points: str
) -> Share:
    """The mean of interpolated precision over levels of recall, such as 0,0.5,1."""
    levels = ELEVEN_POINTS if points is None else as_points(points)
    recall_base = ranked.recall_base(rel)
    total = np.zeros(ranked.size)
    for level in reversed(levels):  # one after another, whatever the number of queries
        total += best_precision(ranked, rel, count_at_recall(level * recall_base, recall_points))
    return total / len(levels), (recall_base > 0).astype(np.float64)


def fall_out(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the documents judged useless is among the first k?"""
    useless = (ranked.grade < rel) & ranked.top(k)
    return ranked.count(useless), ranked.count_pool(ranked.pool_grade < rel)


def matthews_correlation(ranked: RankedRun, *, rel: float, docs: float, k: int) -> Array:
    """How well do being among the first k and being relevant go together, from -1 to 1?"""
    shown = np.minimum(ranked.retrieved, k).astype(np.float64)
    hits, relevant = ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)
    pool = np.bincount(ranked.pool_query, minlength=ranked.size)
    known = ranked.retrieved + pool - ranked.count(ranked.top(None))  # not twice what is both
    size = np.maximum(known, docs)
    spread = np.sqrt(shown * (size - shown)) * np.sqrt(relevant * (size - relevant))
    return _divide(hits * size - shown * relevant, spread)


def set_precision(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """What share of all retrieved documents is relevant, if no more than k were retrieved?"""
    depth = ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)
    return _divide(ranked.count(ranked.relevant(rel, k)), depth)


def set_relative_precision(ranked: RankedRun, *, rel: float) -> Share:
    """Precision of all retrieved documents, as a share of the best that was possible."""
    maximum = np.minimum(ranked.recall_base(rel), ranked.retrieved)
    return ranked.count(ranked.relevant(rel)), np.where(
        ranked.retrieved > 0, maximum, ranked.recall_base(rel)
    )


def set_average_precision(ranked: RankedRun, *, rel: float) -> Share:
    """Precision times recall of all retrieved documents."""
    hits, recall_base = ranked.count(ranked.relevant(rel)), ranked.recall_base(rel)
    maximum = np.where(ranked.retrieved > 0, ranked.retrieved * recall_base, recall_base)
    return hits * hits, maximum


def set_f(ranked: RankedRun, *, rel: float, beta: float, k: int | None) -> Share:
    """The weighted harmonic mean of precision and recall, of all that was retrieved or at k."""
    hits, recall_base = ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)
    size = ranked.retrieved if k is None else np.full(ranked.size, k)
    part, whole = _divide(hits, size), _divide(hits, recall_base)
    mean = _divide((beta + 1) * part * whole, beta * part + whole)
    return mean, (recall_base > 0).astype(np.float64)


def yet_another_ap(ranked: RankedRun, *, rel: float) -> Array:
    """AP on a scale without ends, so that means are not ruled by the easy queries."""
    reached, recall_base = average_precision(ranked, rel=rel, k=None)
    return np.log((1 + reached) / (1 + recall_base - reached))


def num_ret(ranked: RankedRun) -> Array:
    """How many documents were retrieved?"""
    return ranked.retrieved.astype(np.float64)


def num_rel_ret(ranked: RankedRun, *, rel: float) -> Array:
    """How many of the retrieved documents are relevant?"""
    return ranked.count(ranked.relevant(rel))


def hits(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """How many of the first k documents are relevant?"""
    return ranked.count(ranked.relevant(rel, k))


def num_rel(ranked: RankedRun, *, rel: float) -> Array:
    """How many relevant documents are there?"""
    return ranked.recall_base(rel)


def num_nonrel_ret(ranked: RankedRun, *, rel: float) -> Array:
    """How many retrieved documents are judged, and not relevant?"""
    return ranked.count((ranked.grade >= 0) & (ranked.grade < rel))


def num_q(ranked: RankedRun) -> Array:
    """How many queries are there?"""
    return np.ones(ranked.size)


def share_without_judgment(ranked: RankedRun, *, k: int) -> Array:
    """What share of the first k documents is without a judgment?"""
    judged = ranked.count((ranked.grade >= 0) & ranked.top(k))
    return (np.minimum(ranked.retrieved, k) - judged) / k


def utility(
    ranked: RankedRun,
    *,
    rel: float,
    hit: float,
    noise: float,
    miss: float,
    rest: float,
    docs: float,
) -> Array:
    """What is all that was retrieved worth, if every kind of document has its price?"""
    hits, recall_base = ranked.count(ranked.relevant(rel)), ranked.recall_base(rel)
    others = docs + hits - ranked.retrieved - recall_base
    return (
        hit * hits + noise * (ranked.retrieved - hits) + miss * (recall_base - hits) + rest * others
    )


def count_at_recall(number: Array, rounding: str) -> Ranks:
    """A share of the relevant documents as a number of them, as trec_eval 10 or 9 rounds it."""
    if rounding == "trec_eval_10":
        whole = np.floor(number)
        return (whole + (number - whole >= 0.5)).astype(np.intp)  # adding a half would round
    return np.floor(number + 0.9).astype(np.intp)


def _divide(numerator: Array, denominator: NDArray[Any]) -> Array:
    share: Array = np.divide(
        numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0
    )
    return share


def _log_ratio(reached: Array, possible: Array) -> Array:
    return np.log(np.maximum(_divide(reached, possible), _FLOOR))
