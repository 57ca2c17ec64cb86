"""Measures of relevant or not: precision, recall and what is made of them; sets, classes, counts.

Each is a function of `RankedRun`, a few lines over all queries at once. A normalised one returns
what was reached and what was possible; the convention says what 0 of 0 is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gainful.measure.entry import LOWER, Entry, Example, collect_entries
from gainful.measure.parameters import ELEVEN_POINTS, as_points
from gainful.measure.ranked_run import RankedRun, count_below
from gainful.types import Array, Flags, Ranks

Share = tuple[Array, Array]
_FLOOR = 1e-5  # what trec_eval puts for 0 before it takes a logarithm
_EPSILON = 1e-5  # trec_eval's epsilon in infAP

BINARY_RELEVANCE: list[Entry] = []
_measure = collect_entries(BINARY_RELEVANCE)


@_measure("AP", cite="buckley2000", extremes="share")
def average_precision(
    ranked: RankedRun, *, rel: float, k: int | None, divisor: str = "relevant"
) -> Share:
    """How early do the relevant documents come, on average over all of them?

    Value: the precision at each relevant document, averaged over all relevant ones
    By hand: AP of 1 0 1 0 | 1 is (1/1 + 2/3) / 3
    """
    hit, base = ranked.relevant(rel, k), ranked.recall_base(rel)
    if divisor == "found":
        base = ranked.count(hit)
    elif k is not None and divisor == "reachable":
        base = ranked.xp.minimum(base, float(k))
    elif k is not None and divisor == "k":
        base = ranked.xp.where(base > 0, float(k), base)
    return ranked.total(ranked.cumulate(hit) / ranked.rank, hit), base


@_measure("P", cite="rijsbergen1979", extremes="ends")
def precision(ranked: RankedRun, *, rel: float, k: int) -> Array:
    """What share of the first k documents is relevant?

    Value: relevant among the first k / k
    By hand: P@4 of 1 0 1 0 | 1 is 2 / 4
    """
    return ranked.count(ranked.relevant(rel, k)) / k


@_measure("R", cite="rijsbergen1979", extremes="share")
def recall(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the relevant documents is among the first k?

    Value: relevant among the first k / all relevant
    By hand: R@2 of 1 0 1 0 | 1 is 1 / 3
    """
    return ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)


@_measure("RR", cite="voorhees1999", extremes="ends")
def reciprocal_rank(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """How far down is the first relevant document?

    Value: 1 / the rank of the first relevant document, 0 without one
    By hand: RR of 0 0 1 1 is 1 / 3
    """
    hit = ranked.relevant(rel, k)
    first = hit & (ranked.cumulate(hit) == 1)
    return ranked.total(1 / ranked.rank, first)


@_measure("Success", extremes="ends")
def success(ranked: RankedRun, *, rel: float, k: int) -> Array:
    """Is there a relevant document among the first k?

    Value: 1 if there is, else 0
    By hand: Success@3 of 0 0 1 1 is 1
    """
    return (ranked.count(ranked.relevant(rel, k)) > 0).astype(np.float64)


@_measure("Hits", bounded=False, cite="bassani2022", extremes="ends")
def hits(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """How many of the first k documents are relevant?

    Value: their number; the mean over queries
    By hand: Hits@3 of 1 0 1 1 is 2
    """
    return ranked.count(ranked.relevant(rel, k))


@_measure("ContextPrecision", cite="ragas")
def context_precision(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How early do the relevant documents come among those that were retrieved?

    Value: the precision at each relevant document, averaged over those among the first k; ragas
    and DeepEval use this name, torchmetrics calls it AP
    By hand: ContextPrecision of 1 0 1 0 | 1 is (1/1 + 2/3) / 2
    """
    return average_precision(ranked, rel=rel, k=k, divisor="found")


@_measure("Rprec", cite="buckley2000", extremes="every")
def r_precision(ranked: RankedRun, *, rel: float, times: float) -> Share:
    """What is the precision at rank R, where R is the number of relevant documents?

    Value: relevant among the first R·times / (R·times), R being all relevant
    By hand: Rprec of 1 0 1 0 | 1 is 2 / 3
    """
    recall_base = ranked.recall_base(rel)
    depth = np.floor(times * recall_base + 0.9)  # as trec_eval rounds it
    hit = ranked.relevant(rel) & (ranked.rank <= depth[ranked.query])
    return ranked.count(hit), np.where(recall_base > 0, np.maximum(depth, 1), 0)


@_measure("IPrec", extremes="every")
def iprec_at_recall(ranked: RankedRun, *, rel: float, k: float, recall_points: str) -> Share:
    """What is the best precision at a level of recall or above?

    Value: the highest precision at the rank that reaches the recall after @, or at any later rank
    By hand: IPrec@0.5 of 0 1 0 1 1 | 1 is 3 / 5
    """
    recall_base = ranked.recall_base(rel)
    needed = count_at_recall(k * recall_base, recall_points)
    return best_precision(ranked, rel, needed), (recall_base > 0).astype(np.float64)


@_measure("IAP", extremes="every")
def eleven_point_average(
    ranked: RankedRun, *, rel: float, points: str | None, recall_points: str
) -> Share:
    """What is the interpolated precision, averaged over levels of recall?

    Value: the mean of IPrec at the points, by default 0, 0.1, …, 1
    By hand: IAP(points='0,0.5,1') of 0 1 0 1 1 | 1 is (3/5 + 3/5 + 0) / 3
    """
    levels = ELEVEN_POINTS if points is None else as_points(points)
    recall_base = ranked.recall_base(rel)
    total = np.zeros(ranked.size)
    for level in reversed(levels):  # one after another, whatever the number of queries
        total += best_precision(ranked, rel, count_at_recall(level * recall_base, recall_points))
    return total / len(levels), (recall_base > 0).astype(np.float64)


@_measure("Bpref", cite="buckley2004", extremes="every", sees_nonrelevant=True)
def bpref(ranked: RankedRun, *, rel: float) -> Share:
    """How rarely does a document judged nonrelevant rank above a relevant one?

    Value: 1 − min(nonrelevant above, R) / min(nonrelevant, R), averaged over all relevant
    By hand: Bpref of 1 - 0 1 | 0 1 is ((1 - 0) + (1 - 1/2)) / 3
    """
    recall_base = ranked.recall_base(rel)
    useless = ranked.count_pool((ranked.pool_grade >= 0) & (ranked.pool_grade < rel))
    hit = ranked.relevant(rel)
    above = ranked.cumulate((ranked.grade >= 0) & ~hit)
    maximum = np.minimum(recall_base, useless)[ranked.query]
    lost = divide(np.minimum(above, recall_base[ranked.query]), maximum)
    return ranked.total(1 - lost, hit), recall_base


@_measure("infAP", cite="yilmaz2006", extremes="every", sees_nonrelevant=True)
def inf_ap(ranked: RankedRun, *, rel: float) -> Share:
    """What is AP likely to be, if only a sample of the pool was judged?

    Value: the expected precision at each relevant document, averaged over all relevant
    By hand: infAP of 1 -1 1 0 is (1 + 1/3 + 2/3 * (2/2) * ((1 + 1e-5)/(1 + 2e-5))) / 2
    """
    hit = ranked.relevant(rel)
    before = ranked.cumulate(hit) - hit
    useless = ranked.cumulate((ranked.grade >= 0) & ~hit)
    unjudged = ranked.cumulate(ranked.grade < 0)
    above = ranked.rank - 1
    pooled = (before + useless + unjudged) / np.maximum(above, 1)
    good = (before + _EPSILON) / (before + useless + 2 * _EPSILON)
    expected = 1 / ranked.rank + above / ranked.rank * pooled * good
    return ranked.total(expected, hit), ranked.recall_base(rel)


@_measure("relP", extremes="share")
def relative_precision(ranked: RankedRun, *, rel: float, k: int) -> Share:
    """What share of the best possible precision at k was reached?

    Value: relevant among the first k / min(k, all relevant)
    By hand: relP@4 of 1 0 1 0 | 1 is 2 / 3
    """
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


@_measure("GMAP", bounded=False, aggregation="geometric", cite="robertson2006", extremes="every")
def log_average_precision(ranked: RankedRun, *, rel: float) -> Array:
    """What is AP, if hard queries count as much as easy ones?

    Value: the geometric mean of AP over queries; per query its logarithm
    By hand: GMAP of 1 0 1 0 | 1 is log((1/1 + 2/3) / 3)
    """
    reached, possible = average_precision(ranked, rel=rel, k=None)
    return np.log(np.maximum(np.where(reached > 0, reached / possible, 0.0), _FLOOR))


@_measure(
    "GMBpref", bounded=False, aggregation="geometric", extremes="every", sees_nonrelevant=True
)
def log_bpref(ranked: RankedRun, *, rel: float) -> Array:
    """What is Bpref, if hard queries count as much as easy ones?

    Value: the geometric mean of Bpref over queries; per query its logarithm
    By hand: GMBpref of 1 - 0 1 | 0 1 is log(((1 - 0) + (1 - 1/2)) / 3)
    """
    return np.log(np.maximum(divide(*bpref(ranked, rel=rel)), _FLOOR))


@_measure("YAAP", bounded=False, cite="robertson2012", extremes="every")
def yet_another_ap(ranked: RankedRun, *, rel: float) -> Array:
    """What is AP on an unbounded scale?

    Value: log((1 + s) / (1 + R − s)), s being the sum of the precisions of AP
    By hand: YAAP of 1 0 1 0 | 1 is log((1 + 5/3) / (1 + 3 - 5/3))
    """
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


SETS: list[Entry] = []
COUNTS: list[Entry] = []
CLASSIFICATION: list[Entry] = []
_set, _classification = collect_entries(SETS), collect_entries(CLASSIFICATION)
_count = collect_entries(COUNTS, bounded=False, aggregation="sum", extremes="ends")
_NUMBER = "their number; the sum over queries"


@_set("SetP", cite="rijsbergen1979", extremes="ends")
def set_precision(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """What share of all retrieved documents is relevant?

    Value: relevant retrieved / retrieved; with k, of the first k
    By hand: SetP of 1 0 1 0 | 1 is 2 / 4
    """
    return divide(ranked.count(ranked.relevant(rel, k)), ranked.depths(k))


_set(
    "SetR",
    "relevant retrieved / all relevant; with k, of the first k",
    Example("SetR", "1 0 1 0 | 1", "2 / 3"),
    question="What share of the relevant documents was retrieved at all?",
    cite="rijsbergen1979",
    extremes="share",
)(recall)


@_set("SetRelP", extremes="share")
def set_relative_precision(ranked: RankedRun, *, rel: float) -> Share:
    """What share of the best possible precision did the whole set reach?

    Value: relevant retrieved / min(retrieved, all relevant)
    By hand: SetRelP of 1 0 1 0 | 1 is 2 / 3
    """
    maximum = np.minimum(ranked.recall_base(rel), ranked.retrieved)
    return ranked.count(ranked.relevant(rel)), np.where(
        ranked.retrieved > 0, maximum, ranked.recall_base(rel)
    )


@_set("SetAP", extremes="share")
def set_average_precision(ranked: RankedRun, *, rel: float) -> Share:
    """How good are precision and recall of the whole set together?

    Value: precision × recall of all retrieved documents
    By hand: SetAP of 1 0 1 0 | 1 is 2/4 * 2/3
    """
    hits, recall_base = ranked.count(ranked.relevant(rel)), ranked.recall_base(rel)
    maximum = np.where(ranked.retrieved > 0, ranked.retrieved * recall_base, recall_base)
    return hits * hits, maximum


@_set("SetF", cite="rijsbergen1979", extremes="every")
def set_f(ranked: RankedRun, *, rel: float, beta: float, k: int | None) -> Share:
    """What is the harmonic mean of precision and recall, of the whole set or at k?

    Value: (beta + 1)·P·R / (beta·P + R); with k, of P@k and R@k, also called F1@k
    By hand: SetF of 1 0 1 0 | 1 is 2 * 2/4 * 2/3 / (2/4 + 2/3)
    """
    hits, recall_base = ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)
    size = ranked.retrieved if k is None else np.full(ranked.size, k)
    part, whole = divide(hits, size), divide(hits, recall_base)
    mean = divide((beta + 1) * part * whole, beta * part + whole)
    return mean, (recall_base > 0).astype(np.float64)


@_set("Utility", bounded=False, extremes="ends")
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
    """What is the retrieved set worth, if every document has a price?

    Value: hit·relevant found + noise·others found + miss·relevant missed + rest·the rest
    By hand: Utility(hit=2, miss=-3) of 1 0 1 0 | 1 is 2*2 - 2 - 3*1
    """
    hits, recall_base = ranked.count(ranked.relevant(rel)), ranked.recall_base(rel)
    others = docs + hits - ranked.retrieved - recall_base
    return (
        hit * hits + noise * (ranked.retrieved - hits) + miss * (recall_base - hits) + rest * others
    )


@_count("NumQ", _NUMBER, settings=())
def num_q(ranked: RankedRun) -> Array:
    """How many queries are there?

    By hand: NumQ of 1 0 | 1 is 1
    """
    return np.ones(ranked.size)


@_count("NumRet", _NUMBER)
def num_ret(ranked: RankedRun) -> Array:
    """How many documents were retrieved?

    By hand: NumRet of 1 0 1 0 | 1 is 4
    """
    return ranked.retrieved.astype(np.float64)


@_count("NumRel", _NUMBER)
def num_rel(ranked: RankedRun, *, rel: float) -> Array:
    """How many relevant documents are there?

    By hand: NumRel of 1 0 1 0 | 1 is 3
    """
    return ranked.recall_base(rel)


@_count("NumRelRet", _NUMBER)
def num_rel_ret(ranked: RankedRun, *, rel: float) -> Array:
    """How many of the retrieved documents are relevant?

    By hand: NumRelRet of 1 0 1 0 | 1 is 2
    """
    return ranked.count(ranked.relevant(rel))


@_count("NumNonRelRet", _NUMBER, sees_nonrelevant=True, direction=LOWER)
def num_nonrel_ret(ranked: RankedRun, *, rel: float) -> Array:
    """How many retrieved documents are judged, and not relevant?

    By hand: NumNonRelRet of 1 0 - 0 | 1 is 2
    """
    return ranked.count((ranked.grade >= 0) & (ranked.grade < rel))


@_count("Unjudged", bounded=True, aggregation="mean", sees_nonrelevant=True, direction=LOWER)
def share_without_judgment(ranked: RankedRun, *, k: int) -> Array:
    """What share of the first k documents has no judgment?

    Value: documents without a grade, or with one below 0, among the first k / k
    By hand: Unjudged@4 of 1 - 1 0 is 1 / 4
    """
    judged = ranked.count((ranked.grade >= 0) & ranked.top(k))
    return (np.minimum(ranked.retrieved, k) - judged) / k


@_classification("PairAccuracy", cite="ir_measures")
def pair_accuracy(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How often does a relevant document rank above one that is not?

    Value: pairs of a relevant and another document among the first k that are in order / all such
    pairs; ir_measures calls it Accuracy
    By hand: PairAccuracy of 0 1 - 1 0 | 1 is 1 - (1 + 2) / (2 * 3)
    """
    hit = ranked.relevant(rel, k)
    hits = ranked.count(hit)
    pairs = hits * (ranked.depths(k) - hits)
    others_above = ranked.total(ranked.rank - ranked.cumulate(hit), hit)
    return pairs - others_above, pairs


@_classification("AUC", cite="fawcett2006")
def auc(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How often does a relevant document have a higher score than one that is not?

    Value: pairs of a relevant and another document among the first k where the relevant one has the
    higher score, plus half of those with equal scores / all such pairs
    By hand: AUC of 0 1 - 1 0 | 1 is 1 - (1 + 2) / (2 * 3)
    """
    hit, depth = ranked.relevant(rel, k), ranked.depths(k)
    hits = ranked.count(hit)
    pairs = hits * (depth - hits)
    last = np.minimum(ranked.last, depth[ranked.query])
    hits_above, hits_through = (
        _count_up_to(ranked, hit, limit) for limit in (ranked.first - 1, last)
    )
    others_above = ranked.first - 1 - hits_above
    others_tied = last - ranked.first + 1 - (hits_through - hits_above)
    return pairs - ranked.total(others_above + others_tied / 2, hit), pairs


@_classification("OPA", cite="tensorflow_ranking")
def opa(ranked: RankedRun) -> Share:
    """How often does the better of two documents have the higher score?

    Documents without a judgment have the grade 0, and so have those below 0; ties are wrong.

    Value: pairs of documents with different grades where the better one has the higher score / all
    such retrieved pairs; a document without a grade has grade 0
    By hand: OPA of 0 2 - 1 is (1 + 1) / (2 + 2 + 1)
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


@_classification("Fallout", cite="rijsbergen1979", sees_nonrelevant=True, direction=LOWER)
def fall_out(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the documents judged nonrelevant is among the first k?

    Value: judged nonrelevant among the first k / all judged nonrelevant
    By hand: Fallout@3 of 1 0 - 0 | 0 is 1 / 3
    """
    useless = (ranked.grade < rel) & ranked.top(k)
    return ranked.count(useless), ranked.count_pool(ranked.pool_grade < rel)


@_classification("MCC", bounded=False, signed=True, cite="matthews1975", sees_nonrelevant=True)
def matthews_correlation(ranked: RankedRun, *, rel: float, docs: float, k: int) -> Array:
    """How strongly does being among the first k correlate with being relevant?

    Value: Matthews correlation coefficient over docs documents, or all known ones if they are more:
    from −1 to 1, 0 by chance
    By hand: MCC(docs=100)@2 of 1 0 1 - | 1 is (1*100 - 2*3) / (2*98 * 3*97)**0.5
    """
    shown = np.minimum(ranked.retrieved, k).astype(np.float64)
    hits, relevant = ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)
    pool = np.bincount(ranked.pool_query, minlength=ranked.size)
    known = ranked.retrieved + pool - ranked.count(ranked.top(None))  # not twice what is both
    size = np.maximum(known, docs)
    spread = np.sqrt(shown * (size - shown)) * np.sqrt(relevant * (size - relevant))
    return divide(hits * size - shown * relevant, spread)


def _count_up_to(ranked: RankedRun, flags: Flags, limit: Ranks) -> Array:
    counts = count_below(ranked.query[flags], ranked.first[flags], ranked.query, limit + 1)
    return counts.astype(np.float64)
