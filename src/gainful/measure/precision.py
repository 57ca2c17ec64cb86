"""Measures of relevant or not: precision, recall and what is made of them.

Each is a function of `Seen`, a few lines over all queries at once. A normalised one returns what
was reached and what was possible; the convention says what 0 of 0 is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gainful.formula import Array
from gainful.measure.seen import Seen

Share = tuple[Array, Array]
_FLOOR = 1e-5  # what trec_eval puts for 0 before it takes a logarithm
_SMOOTH = 1e-5  # trec_eval's epsilon in infAP


def average_precision(seen: Seen, *, rel: float, k: int | None) -> Share:
    """How early do the relevant documents come, on average over all of them?"""
    hit = seen.relevant(rel, k)
    return seen.total(seen.running(hit) / seen.rank, hit), seen.known(rel)


def log_average_precision(seen: Seen, *, rel: float) -> Array:
    """The logarithm of AP, of which the geometric mean is made."""
    return _log(*average_precision(seen, rel=rel, k=None))


def precision(seen: Seen, *, rel: float, k: int) -> Array:
    """What share of the first k documents is relevant?"""
    return seen.count(seen.relevant(rel, k)) / k


def recall(seen: Seen, *, rel: float, k: int | None) -> Share:
    """What share of the relevant documents is among the first k?"""
    return seen.count(seen.relevant(rel, k)), seen.known(rel)


def relative_precision(seen: Seen, *, rel: float, k: int) -> Share:
    """Precision, as a share of the best that was possible at k."""
    return seen.count(seen.relevant(rel, k)), np.minimum(seen.known(rel), k)


def success(seen: Seen, *, rel: float, k: int) -> Array:
    """Is there a relevant document among the first k?"""
    return (seen.count(seen.relevant(rel, k)) > 0).astype(np.float64)


def reciprocal_rank(seen: Seen, *, rel: float, k: int | None) -> Array:
    """One over the rank of the first relevant document."""
    hit = seen.relevant(rel, k)
    first = hit & (seen.running(hit) == 1)
    return seen.total(1 / seen.rank, first)


def r_precision(seen: Seen, *, rel: float, times: float) -> Share:
    """Precision after as many documents as there are relevant ones (or a multiple of them)."""
    known = seen.known(rel)
    depth = np.floor(times * known + 0.9)  # as trec_eval rounds it
    hit = seen.relevant(rel) & (seen.rank <= depth[seen.query])
    return seen.count(hit), np.where(known > 0, np.maximum(depth, 1), 0)


def bpref(seen: Seen, *, rel: float) -> Share:
    """How rarely is a judged non-relevant document ranked above a relevant one?"""
    known = seen.known(rel)
    useless = seen.pooled((seen.pool_grade >= 0) & (seen.pool_grade < rel))
    hit = seen.relevant(rel)
    above = seen.running((seen.grade >= 0) & ~hit)
    most = np.minimum(known, useless)[seen.query]
    lost = np.divide(
        np.minimum(above, known[seen.query]), most, out=np.zeros(len(hit)), where=most > 0
    )
    return seen.total(1 - lost, hit), known


def log_bpref(seen: Seen, *, rel: float) -> Array:
    """The logarithm of bpref, of which the geometric mean is made."""
    return _log(*bpref(seen, rel=rel))


def inferred_ap(seen: Seen, *, rel: float) -> Share:
    """AP, estimated where only a sample of the pool was judged (the rest has a grade below 0)."""
    hit = seen.relevant(rel)
    before = seen.running(hit) - hit
    useless = seen.running((seen.grade >= 0) & ~hit)
    unjudged = seen.running(seen.grade < 0)
    above = seen.rank - 1
    pooled = (before + useless + unjudged) / np.maximum(above, 1)
    good = (before + _SMOOTH) / (before + useless + 2 * _SMOOTH)
    expected = 1 / seen.rank + above / seen.rank * pooled * good
    return seen.total(expected, hit), seen.known(rel)


def interpolated_precision(seen: Seen, *, rel: float, k: float, recall_points: str) -> Share:
    """The best precision from a level of recall on."""
    known = seen.known(rel)
    needed = _documents(k * known, recall_points)
    hit = np.flatnonzero(seen.relevant(rel))
    precision_ = np.append((seen.running(seen.relevant(rel)) / seen.rank)[hit], (0.0, 0.0))
    begin = np.searchsorted(seen.query[hit], np.arange(seen.size))
    end = np.searchsorted(seen.query[hit], np.arange(seen.size), side="right")
    start = begin + np.maximum(needed, 1) - 1
    reached = start < end
    edges = np.stack((np.where(reached, start, 0), np.where(reached, end, 1)), axis=1).ravel()
    best = np.maximum.reduceat(precision_, edges)[::2] if edges.size else np.zeros(0)
    return np.where(reached, best, 0.0), (known > 0).astype(np.float64)


def eleven_points(
    seen: Seen, *, rel: float, points: tuple[float, ...], recall_points: str
) -> Share:
    """The mean of interpolated precision over levels of recall."""
    found = [
        interpolated_precision(seen, rel=rel, k=point, recall_points=recall_points)
        for point in points
    ]
    return np.mean([best for best, _ in found], axis=0), found[0][1]


def set_precision(seen: Seen, *, rel: float) -> Array:
    """What share of all retrieved documents is relevant?"""
    return _over(seen.count(seen.relevant(rel)), seen.retrieved)


def set_recall(seen: Seen, *, rel: float) -> Share:
    """What share of the relevant documents was retrieved at all?"""
    return recall(seen, rel=rel, k=None)


def set_relative_precision(seen: Seen, *, rel: float) -> Share:
    """Precision of all retrieved documents, as a share of the best that was possible."""
    most = np.minimum(seen.known(rel), seen.retrieved)
    return seen.count(seen.relevant(rel)), np.where(seen.retrieved > 0, most, seen.known(rel))


def set_average_precision(seen: Seen, *, rel: float) -> Share:
    """Precision times recall of all retrieved documents."""
    found = seen.count(seen.relevant(rel))
    return found * _over(found, seen.retrieved), seen.known(rel)


def set_f(seen: Seen, *, rel: float, beta: float) -> Share:
    """The weighted harmonic mean of precision and recall of all retrieved documents."""
    found, known = seen.count(seen.relevant(rel)), seen.known(rel)
    part, whole = _over(found, seen.retrieved), _over(found, known)
    mean = _over((beta + 1) * part * whole, beta * part + whole)
    return mean, (known > 0).astype(np.float64)


def yet_another_ap(seen: Seen, *, rel: float) -> Array:
    """AP on a scale without ends, so that means are not ruled by the easy queries."""
    reached, known = average_precision(seen, rel=rel, k=None)
    return np.log((1 + reached) / (1 + known - reached))


def retrieved(seen: Seen) -> Array:
    """How many documents were retrieved?"""
    return seen.retrieved.astype(np.float64)


def relevant_retrieved(seen: Seen, *, rel: float) -> Array:
    """How many of the retrieved documents are relevant?"""
    return seen.count(seen.relevant(rel))


def relevant(seen: Seen, *, rel: float) -> Array:
    """How many relevant documents are there?"""
    return seen.known(rel)


def useless(seen: Seen, *, rel: float) -> Array:
    """How many retrieved documents are judged, and not relevant?"""
    return seen.count((seen.grade >= 0) & (seen.grade < rel))


def queries(seen: Seen) -> Array:
    """How many queries are there?"""
    return np.ones(seen.size)


def unjudged(seen: Seen, *, k: int) -> Array:
    """What share of the first k documents is without a judgment?"""
    judged = seen.count((seen.grade >= 0) & seen.within(k))
    return (np.minimum(seen.retrieved, k) - judged) / k


def utility(
    seen: Seen, *, rel: float, hit: float, noise: float, miss: float, rest: float, docs: float
) -> Array:
    """What is all that was retrieved worth, if every kind of document has its price?"""
    found, known = seen.count(seen.relevant(rel)), seen.known(rel)
    others = docs + found - seen.retrieved - known
    return hit * found + noise * (seen.retrieved - found) + miss * (known - found) + rest * others


def _documents(number: Array, rounding: str) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """A share of the relevant documents as a number of them, as trec_eval 10 or 9 rounds it."""
    whole = np.floor(number + (0.5 if rounding == "trec_eval_10" else 0.9))
    return whole.astype(np.intp)


def _over(above: Array, below: NDArray[Any]) -> Array:
    share: Array = np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
    return share


def _log(reached: Array, possible: Array) -> Array:
    return np.log(np.maximum(_over(reached, possible), _FLOOR))
