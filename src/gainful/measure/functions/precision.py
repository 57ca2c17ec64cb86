"""Measures of relevant or not: precision, recall and what is made of them.

Each is a function of `RankedRun`, a few lines over all queries at once. A normalised one returns
what was reached and what was possible; the convention says what 0 of 0 is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gainful.measure.entry import Entry, Example, collect_entries
from gainful.measure.parameters import ELEVEN_POINTS, as_points
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Ranks

Share = tuple[Array, Array]
_FLOOR = 1e-5  # what trec_eval puts for 0 before it takes a logarithm
_EPSILON = 1e-5  # trec_eval's epsilon in infAP

BINARY_RELEVANCE: list[Entry] = []
_measure = collect_entries(BINARY_RELEVANCE)


@_measure(
    "AP",
    "the precision at each relevant document, averaged over all relevant ones",
    Example("AP", "1 0 1 0 | 1", "(1/1 + 2/3) / 3"),
    cite="buckley2000",
    extremes="share",
)
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


@_measure(
    "P",
    "relevant among the first k / k",
    Example("P@4", "1 0 1 0 | 1", "2 / 4"),
    cite="rijsbergen1979",
    extremes="ends",
    additive=True,
)
def precision(ranked: RankedRun, *, rel: float, k: int) -> Array:
    """What share of the first k documents is relevant?"""
    return ranked.count(ranked.relevant(rel, k)) / k


@_measure(
    "R",
    "relevant among the first k / all relevant",
    Example("R@2", "1 0 1 0 | 1", "1 / 3"),
    cite="rijsbergen1979",
    extremes="share",
)
def recall(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the relevant documents is among the first k?"""
    return ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)


@_measure(
    "RR",
    "1 / the rank of the first relevant document, 0 without one",
    Example("RR", "0 0 1 1", "1 / 3"),
    cite="voorhees1999",
    extremes="ends",
)
def reciprocal_rank(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """How far down is the first relevant document?"""
    hit = ranked.relevant(rel, k)
    first = hit & (ranked.cumulate(hit) == 1)
    return ranked.total(1 / ranked.rank, first)


@_measure(
    "Success",
    "1 if there is, else 0",
    Example("Success@3", "0 0 1 1", "1"),
    extremes="ends",
)
def success(ranked: RankedRun, *, rel: float, k: int) -> Array:
    """Is there a relevant document among the first k?"""
    return (ranked.count(ranked.relevant(rel, k)) > 0).astype(np.float64)


@_measure(
    "Hits",
    "their number; the mean over queries",
    Example("Hits@3", "1 0 1 1", "2"),
    bounded=False,
    cite="bassani2022",
    extremes="ends",
    additive=True,
)
def hits(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """How many of the first k documents are relevant?"""
    return ranked.count(ranked.relevant(rel, k))


@_measure(
    "ContextPrecision",
    "the precision at each relevant document, averaged over those among the first "
    "k; the name is ragas' and DeepEval's; torchmetrics says AP",
    Example("ContextPrecision", "1 0 1 0 | 1", "(1/1 + 2/3) / 2"),
    cite="ragas",
)
def context_precision(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How early do the relevant documents come among those that were retrieved?"""
    return average_precision(ranked, rel=rel, k=k, divisor="found")


@_measure(
    "Rprec",
    "relevant among the first R·times / (R·times), R being all relevant",
    Example("Rprec", "1 0 1 0 | 1", "2 / 3"),
    cite="buckley2000",
    extremes="every",
)
def r_precision(ranked: RankedRun, *, rel: float, times: float) -> Share:
    """What is the precision after R documents, R being the number of relevant ones?"""
    recall_base = ranked.recall_base(rel)
    depth = np.floor(times * recall_base + 0.9)  # as trec_eval rounds it
    hit = ranked.relevant(rel) & (ranked.rank <= depth[ranked.query])
    return ranked.count(hit), np.where(recall_base > 0, np.maximum(depth, 1), 0)


@_measure(
    "IPrec",
    "the highest precision at or below the rank that reaches the recall @",
    Example("IPrec@0.5", "0 1 0 1 1 | 1", "3 / 5"),
    extremes="every",
)
def iprec_at_recall(ranked: RankedRun, *, rel: float, k: float, recall_points: str) -> Share:
    """What is the best precision from a level of recall on?"""
    recall_base = ranked.recall_base(rel)
    needed = count_at_recall(k * recall_base, recall_points)
    return best_precision(ranked, rel, needed), (recall_base > 0).astype(np.float64)


@_measure(
    "IAP",
    "the mean of IPrec at the points, by default 0, 0.1, …, 1",
    Example("IAP(points='0,0.5,1')", "0 1 0 1 1 | 1", "(3/5 + 3/5 + 0) / 3"),
    extremes="every",
)
def eleven_point_average(
    ranked: RankedRun, *, rel: float, points: str | None, recall_points: str
) -> Share:
    """What is the interpolated precision, averaged over levels of recall?"""
    levels = ELEVEN_POINTS if points is None else as_points(points)
    recall_base = ranked.recall_base(rel)
    total = np.zeros(ranked.size)
    for level in reversed(levels):  # one after another, whatever the number of queries
        total += best_precision(ranked, rel, count_at_recall(level * recall_base, recall_points))
    return total / len(levels), (recall_base > 0).astype(np.float64)


@_measure(
    "Bpref",
    "1 − min(useless above, R) / min(useless, R), averaged over all relevant",
    Example("Bpref", "1 - 0 1 | 0 1", "((1 - 0) + (1 - 1/2)) / 3"),
    cite="buckley2004",
    extremes="every",
    sees_nonrelevant=True,
)
def bpref(ranked: RankedRun, *, rel: float) -> Share:
    """How rarely is a judged useless document ranked above a relevant one?"""
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


@_measure(
    "infAP",
    "the expected precision at each relevant document, averaged over all relevant",
    Example("infAP", "1 -1 1 0", "(1 + 1/3 + 2/3 * (2/2) * ((1 + 1e-5)/(1 + 2e-5))) / 2"),
    cite="yilmaz2006",
    extremes="every",
    sees_nonrelevant=True,
)
def inf_ap(ranked: RankedRun, *, rel: float) -> Share:
    """What is AP likely to be, if only a sample of the pool was judged?"""
    hit = ranked.relevant(rel)
    before = ranked.cumulate(hit) - hit
    useless = ranked.cumulate((ranked.grade >= 0) & ~hit)
    unjudged = ranked.cumulate(ranked.grade < 0)
    above = ranked.rank - 1
    pooled = (before + useless + unjudged) / np.maximum(above, 1)
    good = (before + _EPSILON) / (before + useless + 2 * _EPSILON)
    expected = 1 / ranked.rank + above / ranked.rank * pooled * good
    return ranked.total(expected, hit), ranked.recall_base(rel)


@_measure(
    "relP",
    "relevant among the first k / min(k, all relevant)",
    Example("relP@4", "1 0 1 0 | 1", "2 / 3"),
    extremes="share",
)
def relative_precision(ranked: RankedRun, *, rel: float, k: int) -> Share:
    """What share of the best possible precision at k was reached?"""
    return ranked.count(ranked.relevant(rel, k)), np.minimum(ranked.recall_base(rel), k)


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


@_measure(
    "GMAP",
    "the geometric mean of AP over queries; per query its logarithm",
    Example("GMAP", "1 0 1 0 | 1", "log((1/1 + 2/3) / 3)"),
    bounded=False,
    aggregation="geometric",
    cite="robertson2006",
    extremes="every",
)
def log_average_precision(ranked: RankedRun, *, rel: float) -> Array:
    """What is AP, if hard queries count as much as easy ones?"""
    reached, possible = average_precision(ranked, rel=rel, k=None)
    return np.log(np.maximum(np.where(reached > 0, reached / possible, 0.0), _FLOOR))


@_measure(
    "GMBpref",
    "the geometric mean of Bpref over queries; per query its logarithm",
    Example("GMBpref", "1 - 0 1 | 0 1", "log(((1 - 0) + (1 - 1/2)) / 3)"),
    bounded=False,
    aggregation="geometric",
    extremes="every",
    sees_nonrelevant=True,
)
def log_bpref(ranked: RankedRun, *, rel: float) -> Array:
    """What is Bpref, if hard queries count as much as easy ones?"""
    return np.log(np.maximum(divide(*bpref(ranked, rel=rel)), _FLOOR))


@_measure(
    "YAAP",
    "log((1 + s) / (1 + R − s)), s being the sum of the precisions of AP",
    Example("YAAP", "1 0 1 0 | 1", "log((1 + 5/3) / (1 + 3 - 5/3))"),
    bounded=False,
    cite="robertson2012",
    extremes="every",
)
def yet_another_ap(ranked: RankedRun, *, rel: float) -> Array:
    """What is AP on an unbounded scale?"""
    reached, recall_base = average_precision(ranked, rel=rel, k=None)
    return np.log((1 + reached) / (1 + recall_base - reached))


def count_at_recall(number: Array, rounding: str) -> Ranks:
    """A share of the relevant documents as a number of them, as trec_eval 10 or 9 rounds it."""
    if rounding == "trec_eval_10":
        whole = np.floor(number)
        return (whole + (number - whole >= 0.5)).astype(np.intp)  # adding a half would round
    return np.floor(number + 0.9).astype(np.intp)


def divide(numerator: Array, denominator: NDArray[Any]) -> Array:
    """The share, 0 where there is nothing to divide by."""
    share: Array = np.divide(
        numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0
    )
    return share
