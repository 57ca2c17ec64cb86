"""Measures of what was retrieved as a set, or as classified; and what is merely counted."""

from __future__ import annotations

import numpy as np

from gainful.measure.entry import LOWER, Entry, Example, collect_entries
from gainful.measure.functions.precision import Share, divide, recall
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Flags, Ranks

SETS: list[Entry] = []
COUNTS: list[Entry] = []
CLASSIFICATION: list[Entry] = []
_set, _classification = collect_entries(SETS), collect_entries(CLASSIFICATION)
_count = collect_entries(COUNTS, bounded=False, aggregation="sum", extremes="ends")
_NUMBER = "their number; the sum over queries"


@_set(
    "SetP",
    "relevant retrieved / retrieved; with k, of the first k",
    Example("SetP", "1 0 1 0 | 1", "2 / 4"),
    cite="rijsbergen1979",
    extremes="ends",
    additive=True,
)
def set_precision(ranked: RankedRun, *, rel: float, k: int | None) -> Array:
    """What share of all retrieved documents is relevant?"""
    depth = ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)
    return divide(ranked.count(ranked.relevant(rel, k)), depth)


_set(
    "SetR",
    "relevant retrieved / all relevant; with k, of the first k",
    Example("SetR", "1 0 1 0 | 1", "2 / 3"),
    question="What share of the relevant documents was retrieved at all?",
    cite="rijsbergen1979",
    extremes="share",
)(recall)


@_set(
    "SetRelP",
    "relevant retrieved / min(retrieved, all relevant)",
    Example("SetRelP", "1 0 1 0 | 1", "2 / 3"),
    extremes="share",
)
def set_relative_precision(ranked: RankedRun, *, rel: float) -> Share:
    """What share of the best possible precision did the whole set reach?"""
    maximum = np.minimum(ranked.recall_base(rel), ranked.retrieved)
    return ranked.count(ranked.relevant(rel)), np.where(
        ranked.retrieved > 0, maximum, ranked.recall_base(rel)
    )


@_set(
    "SetAP",
    "precision × recall of all that was retrieved",
    Example("SetAP", "1 0 1 0 | 1", "2/4 * 2/3"),
    extremes="share",
)
def set_average_precision(ranked: RankedRun, *, rel: float) -> Share:
    """How good are precision and recall of the whole set together?"""
    hits, recall_base = ranked.count(ranked.relevant(rel)), ranked.recall_base(rel)
    maximum = np.where(ranked.retrieved > 0, ranked.retrieved * recall_base, recall_base)
    return hits * hits, maximum


@_set(
    "SetF",
    "(beta + 1)·P·R / (beta·P + R); at k of P@k and R@k, also called F1@k",
    Example("SetF", "1 0 1 0 | 1", "2 * 2/4 * 2/3 / (2/4 + 2/3)"),
    cite="rijsbergen1979",
    extremes="every",
)
def set_f(ranked: RankedRun, *, rel: float, beta: float, k: int | None) -> Share:
    """What is the harmonic mean of precision and recall, of the whole set or at k?"""
    hits, recall_base = ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)
    size = ranked.retrieved if k is None else np.full(ranked.size, k)
    part, whole = divide(hits, size), divide(hits, recall_base)
    mean = divide((beta + 1) * part * whole, beta * part + whole)
    return mean, (recall_base > 0).astype(np.float64)


@_set(
    "Utility",
    "hit·relevant found + noise·others found + miss·relevant missed + rest·the rest",
    Example("Utility(hit=2, miss=-3)", "1 0 1 0 | 1", "2*2 - 2 - 3*1"),
    bounded=False,
    extremes="ends",
    additive=True,
)
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
    """What is the retrieved set worth, if every document has a price?"""
    hits, recall_base = ranked.count(ranked.relevant(rel)), ranked.recall_base(rel)
    others = docs + hits - ranked.retrieved - recall_base
    return (
        hit * hits + noise * (ranked.retrieved - hits) + miss * (recall_base - hits) + rest * others
    )


@_count(
    "NumQ",
    _NUMBER,
    Example("NumQ", "1 0 | 1", "1"),
    settings=(),
)
def num_q(ranked: RankedRun) -> Array:
    """How many queries are there?"""
    return np.ones(ranked.size)


@_count(
    "NumRet",
    _NUMBER,
    Example("NumRet", "1 0 1 0 | 1", "4"),
)
def num_ret(ranked: RankedRun) -> Array:
    """How many documents were retrieved?"""
    return ranked.retrieved.astype(np.float64)


@_count(
    "NumRel",
    _NUMBER,
    Example("NumRel", "1 0 1 0 | 1", "3"),
)
def num_rel(ranked: RankedRun, *, rel: float) -> Array:
    """How many relevant documents are there?"""
    return ranked.recall_base(rel)


@_count(
    "NumRelRet",
    _NUMBER,
    Example("NumRelRet", "1 0 1 0 | 1", "2"),
    additive=True,
)
def num_rel_ret(ranked: RankedRun, *, rel: float) -> Array:
    """How many of the retrieved documents are relevant?"""
    return ranked.count(ranked.relevant(rel))


@_count(
    "NumNonRelRet",
    _NUMBER,
    Example("NumNonRelRet", "1 0 - 0 | 1", "2"),
    sees_nonrelevant=True,
    direction=LOWER,
)
def num_nonrel_ret(ranked: RankedRun, *, rel: float) -> Array:
    """How many retrieved documents are judged, and not relevant?"""
    return ranked.count((ranked.grade >= 0) & (ranked.grade < rel))


@_count(
    "Unjudged",
    "documents without a grade, or with one below 0, among the first k / k",
    Example("Unjudged@4", "1 - 1 0", "1 / 4"),
    bounded=True,
    aggregation="mean",
    sees_nonrelevant=True,
    direction=LOWER,
)
def share_without_judgment(ranked: RankedRun, *, k: int) -> Array:
    """What share of the first k documents has no judgment?"""
    judged = ranked.count((ranked.grade >= 0) & ranked.top(k))
    return (np.minimum(ranked.retrieved, k) - judged) / k


@_classification(
    "PairAccuracy",
    "pairs of a relevant and another document among the first k that are in order "
    "/ all such pairs; ir_measures calls it Accuracy",
    Example("PairAccuracy", "0 1 - 1 0 | 1", "1 - (1 + 2) / (2 * 3)"),
    cite="ir_measures",
)
def pair_accuracy(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How often does a relevant document rank above one that is not?"""
    hit = ranked.relevant(rel, k)
    hits = ranked.count(hit)
    pairs = hits * (_depth(ranked, k) - hits)
    others_above = ranked.total(ranked.rank - ranked.cumulate(hit), hit)
    return pairs - others_above, pairs


@_classification(
    "AUC",
    "pairs of a relevant and another document among the first k where the relevant "
    "one has the higher score, plus half of those with equal scores / all such pairs",
    Example("AUC", "0 1 - 1 0 | 1", "1 - (1 + 2) / (2 * 3)"),
    cite="fawcett2006",
)
def auc(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How often does a relevant document have a higher score than one that is not?"""
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


@_classification(
    "OPA",
    "pairs of documents with different grades where the better one has the higher "
    "score / all such retrieved pairs; a document without a grade has grade 0",
    Example("OPA", "0 2 - 1", "(1 + 1) / (2 + 2 + 1)"),
    cite="tensorflow_ranking",
)
def opa(ranked: RankedRun) -> Share:
    """How often does the better of two documents have the higher score?

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


@_classification(
    "Fallout",
    "judged useless among the first k / all judged useless",
    Example("Fallout@3", "1 0 - 0 | 0", "1 / 3"),
    cite="rijsbergen1979",
    sees_nonrelevant=True,
    direction=LOWER,
)
def fall_out(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the documents judged useless is among the first k?"""
    useless = (ranked.grade < rel) & ranked.top(k)
    return ranked.count(useless), ranked.count_pool(ranked.pool_grade < rel)


@_classification(
    "MCC",
    "Matthews' correlation of both over docs documents, at least all that are "
    "known: from −1 over 0 for chance to 1",
    Example("MCC(docs=100)@2", "1 0 1 - | 1", "(1*100 - 2*3) / (2*98 * 3*97)**0.5"),
    bounded=False,
    signed=True,
    cite="matthews1975",
    sees_nonrelevant=True,
)
def matthews_correlation(ranked: RankedRun, *, rel: float, docs: float, k: int) -> Array:
    """How strongly do being among the first k and being relevant correlate?"""
    shown = np.minimum(ranked.retrieved, k).astype(np.float64)
    hits, relevant = ranked.count(ranked.relevant(rel, k)), ranked.recall_base(rel)
    pool = np.bincount(ranked.pool_query, minlength=ranked.size)
    known = ranked.retrieved + pool - ranked.count(ranked.top(None))  # not twice what is both
    size = np.maximum(known, docs)
    spread = np.sqrt(shown * (size - shown)) * np.sqrt(relevant * (size - relevant))
    return divide(hits * size - shown * relevant, spread)


def _depth(ranked: RankedRun, k: int | None) -> Ranks:
    return ranked.retrieved if k is None else np.minimum(ranked.retrieved, k)


def _count_up_to(ranked: RankedRun, flags: Flags, limit: Ranks) -> Array:
    width = int(ranked.retrieved.max(initial=0)) + 2
    keys = np.sort(ranked.query[flags] * width + ranked.first[flags])
    begin = ranked.query * width
    counts = np.searchsorted(keys, begin + limit, side="right") - np.searchsorted(keys, begin)
    return counts.astype(np.float64)
