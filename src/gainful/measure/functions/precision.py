"""Measures of relevant or not: precision, recall and what is made of them.

Each is a function of `Seen`, a few lines over all queries at once. A normalised one returns what
was reached and what was possible; the convention says what 0 of 0 is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gainful.formula import Array
from gainful.measure.ranked_run import Seen

Share = tuple[Array, Array]
_FLOOR = 1e-5  # what trec_eval puts for 0 before it takes a logarithm
_SMOOTH = 1e-5  # trec_eval's epsilon in infAP


def average_precision(ranked: Seen, *, rel: float, k: int | None) -> Share:
    """How early do the relevant documents come, on average over all of them?"""
    hit = ranked.relevant(rel, k)
    return ranked.total(ranked.running(hit) / ranked.rank, hit), ranked.known(rel)


def log_average_precision(ranked: Seen, *, rel: float) -> Array:
    """The logarithm of AP, of which the geometric mean is made."""
    return _log(*average_precision(ranked, rel=rel, k=None))


def precision(ranked: Seen, *, rel: float, k: int) -> Array:
    """What share of the first k documents is relevant?"""
    return ranked.count(ranked.relevant(rel, k)) / k


def recall(ranked: Seen, *, rel: float, k: int | None) -> Share:
    """What share of the relevant documents is among the first k?"""
    return ranked.count(ranked.relevant(rel, k)), ranked.known(rel)


def relative_precision(ranked: Seen, *, rel: float, k: int) -> Share:
    """Precision, as a share of the best that was possible at k."""
    return ranked.count(ranked.relevant(rel, k)), np.minimum(ranked.known(rel), k)


def success(ranked: Seen, *, rel: float, k: int) -> Array:
    """Is there a relevant document among the first k?"""
    return (ranked.count(ranked.relevant(rel, k)) > 0).astype(np.float64)


def reciprocal_rank(ranked: Seen, *, rel: float, k: int | None) -> Array:
    """One over the rank of the first relevant document."""
    hit = ranked.relevant(rel, k)
    first = hit & (ranked.running(hit) == 1)
    return ranked.total(1 / ranked.rank, first)


def r_precision(ranked: Seen, *, rel: float, times: float) -> Share:
    """Precision after as many documents as there are relevant ones (or a multiple of them)."""
    known = ranked.known(rel)
    depth = np.floor(times * known + 0.9)  # as trec_eval rounds it
    hit = ranked.relevant(rel) & (ranked.rank <= depth[ranked.query])
    return ranked.count(hit), np.where(known > 0, np.maximum(depth, 1), 0)


def bpref(ranked: Seen, *, rel: float) -> Share:
    """How rarely is a judged non-relevant document ranked above a relevant one?"""
    known = ranked.known(rel)
    useless = ranked.pooled((ranked.pool_grade >= 0) & (ranked.pool_grade < rel))
    hit = ranked.relevant(rel)
    above = ranked.running((ranked.grade >= 0) & ~hit)
    most = np.minimum(known, useless)[ranked.query]
    lost = np.divide(
        np.minimum(above, known[ranked.query]), most, out=np.zeros(len(hit)), where=most > 0
    )
    return ranked.total(1 - lost, hit), known


def log_bpref(ranked: Seen, *, rel: float) -> Array:
    """The logarithm of bpref, of which the geometric mean is made."""
    return _log(*bpref(ranked, rel=rel))


def inferred_ap(ranked: Seen, *, rel: float) -> Share:
    """AP, estimated where only a sample of the pool was judged (the rest has a grade below 0)."""
    hit = ranked.relevant(rel)
    before = ranked.running(hit) - hit
    useless = ranked.running((ranked.grade >= 0) & ~hit)
    unjudged = ranked.running(ranked.grade < 0)
    above = ranked.rank - 1
    pooled = (before + useless + unjudged) / np.maximum(above, 1)
    good = (before + _SMOOTH) / (before + useless + 2 * _SMOOTH)
    expected = 1 / ranked.rank + above / ranked.rank * pooled * good
    return ranked.total(expected, hit), ranked.known(rel)


def interpolated_precision(ranked: Seen, *, rel: float, k: float, recall_points: str) -> Share:
    """The best precision from a level of recall on."""
    known = ranked.known(rel)
    needed = _documents(k * known, recall_points)
    hit = np.flatnonzero(ranked.relevant(rel))
    precision_ = np.append((ranked.running(ranked.relevant(rel)) / ranked.rank)[hit], (0.0, 0.0))
    begin = np.searchsorted(ranked.query[hit], np.arange(ranked.size))
    end = np.searchsorted(ranked.query[hit], np.arange(ranked.size), side="right")
    start = begin + np.maximum(needed, 1) - 1
    reached = start < end
    edges = np.stack((np.where(reached, start, 0), np.where(reached, end, 1)), axis=1).ravel()
    best = np.maximum.reduceat(precision_, edges)[::2] if edges.size else np.zeros(0)
    return np.where(reached, best, 0.0), (known > 0).astype(np.float64)


def eleven_points(
    ranked: Seen, *, rel: float, points: tuple[float, ...], recall_points: str
) -> Share:
    """The mean of interpolated precision over levels of recall."""
    found = [
        interpolated_precision(ranked, rel=rel, k=point, recall_points=recall_points)
        for point in points
    ]
    return np.mean([best for best, _ in found], axis=0), found[0][1]


def set_precision(ranked: Seen, *, rel: float) -> Array:
    """What share of all retrieved documents is relevant?"""
    return _over(ranked.count(ranked.relevant(rel)), ranked.retrieved)


def set_recall(ranked: Seen, *, rel: float) -> Share:
    """What share of the relevant documents was retrieved at all?"""
    return recall(ranked, rel=rel, k=None)


def set_relative_precision(ranked: Seen, *, rel: float) -> Share:
    """Precision of all retrieved documents, as a share of the best that was possible."""
    most = np.minimum(ranked.known(rel), ranked.retrieved)
    return ranked.count(ranked.relevant(rel)), np.where(
        ranked.retrieved > 0, most, ranked.known(rel)
    )


def set_average_precision(ranked: Seen, *, rel: float) -> Share:
    """Precision times recall of all retrieved documents."""
    found = ranked.count(ranked.relevant(rel))
    return found * _over(found, ranked.retrieved), ranked.known(rel)


def set_f(ranked: Seen, *, rel: float, beta: float) -> Share:
    """The weighted harmonic mean of precision and recall of all retrieved documents."""
    found, known = ranked.count(ranked.relevant(rel)), ranked.known(rel)
    part, whole = _over(found, ranked.retrieved), _over(found, known)
    mean = _over((beta + 1) * part * whole, beta * part + whole)
    return mean, (known > 0).astype(np.float64)


def yet_another_ap(ranked: Seen, *, rel: float) -> Array:
    """AP on a scale without ends, so that means are not ruled by the easy queries."""
    reached, known = average_precision(ranked, rel=rel, k=None)
    return np.log((1 + reached) / (1 + known - reached))


def retrieved(ranked: Seen) -> Array:
    """How many documents were retrieved?"""
    return ranked.retrieved.astype(np.float64)


def relevant_retrieved(ranked: Seen, *, rel: float) -> Array:
    """How many of the retrieved documents are relevant?"""
    return ranked.count(ranked.relevant(rel))


def relevant(ranked: Seen, *, rel: float) -> Array:
    """How many relevant documents are there?"""
    return ranked.known(rel)


def useless(ranked: Seen, *, rel: float) -> Array:
    """How many retrieved documents are judged, and not relevant?"""
    return ranked.count((ranked.grade >= 0) & (ranked.grade < rel))


def queries(ranked: Seen) -> Array:
    """How many queries are there?"""
    return np.ones(ranked.size)


def unjudged(ranked: Seen, *, k: int) -> Array:
    """What share of the first k documents is without a judgment?"""
    judged = ranked.count((ranked.grade >= 0) & ranked.within(k))
    return (np.minimum(ranked.retrieved, k) - judged) / k


def utility(
    ranked: Seen, *, rel: float, hit: float, noise: float, miss: float, rest: float, docs: float
) -> Array:
    """What is all that was retrieved worth, if every kind of document has its price?"""
    found, known = ranked.count(ranked.relevant(rel)), ranked.known(rel)
    others = docs + found - ranked.retrieved - known
    return hit * found + noise * (ranked.retrieved - found) + miss * (known - found) + rest * others


def _documents(number: Array, rounding: str) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """A share of the relevant documents as a number of them, as trec_eval 10 or 9 rounds it."""
    whole = np.floor(number + (0.5 if rounding == "trec_eval_10" else 0.9))
    return whole.astype(np.intp)


def _over(above: Array, below: NDArray[Any]) -> Array:
    share: Array = np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
    return share


def _log(reached: Array, possible: Array) -> Array:
    return np.log(np.maximum(_over(reached, possible), _FLOOR))
