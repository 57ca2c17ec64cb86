"""Measures of novelty and diversity: is every aspect of a query covered, and how early?

An *aspect* is a subtopic of one query to which at least one judged document is relevant; the
others count for nothing, as in ndeval. The n-th relevant document on an aspect is worth
(1 − alpha)^(n−1) of the first. Judgments without subtopics have one aspect for each query.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from gainful.errors import BadValue
from gainful.measure.discount import DISCOUNTS
from gainful.measure.entry import Entry, collect_entries
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import RankedRun
from gainful.types import Array, Flags, Ranks

_LARGEST_CUTOFF = 10_000_000  # the largest cutoff of which every rank is summed
_BATCH_CELLS = 2_000_000  # documents times aspects whose ideal rankings are made at once

_GREEDY_IDEAL = "the ideal ranking, built greedily (a better ranking can exceed 1)"
_PERFECT_RANKING = (
    "k documents (without k: as many as were retrieved) that are each on all subtopics"
)
_NUMBER_OF_SUBTOPICS = "the number of subtopics to which anything judged is relevant"

SUBTOPICS: list[Entry] = []
_measure = collect_entries(SUBTOPICS, needs_subtopics=True, extremes="every")
RankWeight = Callable[[NDArray[np.intp]], Array]  # what is left of a gain at each rank
_log2: RankWeight = DISCOUNTS["log2"].evaluate_at
_reciprocal: RankWeight = DISCOUNTS["zipf"].evaluate_at


@_measure(
    "alpha_DCG",
    "Σ gain(i)/log2(i+1), gain(i) being Σ (1 − alpha)^(earlier documents on it) "
    f"over the subtopics of document i / the same for {_PERFECT_RANKING}",
    cite="clarke2008",
)
def alpha_dcg(
    ranked: RankedRun, *, alpha: float, rel: float, first_rank: str, k: int | None
) -> Share:
    """How much of the ranking is new, relative to documents that cover everything?

    By hand: alpha_DCG@2 of ab a | c is (2 + 0.5/log2(3)) / (3 + 1.5/log2(3))
    """
    return _share_of_maximum(ranked, _log2, alpha, rel, first_rank, k)


@_measure(
    "alpha_nDCG",
    f"Σ gain(i)/log2(i+1), gain(i) as in alpha_DCG / the same for {_GREEDY_IDEAL}",
    bounded=False,
    cite="clarke2008",
)
def alpha_ndcg(ranked: RankedRun, *, alpha: float, rel: float, k: int | None) -> Share:
    """How close is the ranking to the best one, if only new subtopics count?

    By hand: alpha_nDCG@2 of a ab | c is (1 + 1.5/log2(3)) / (2 + 1/log2(3))
    """
    return _share_of_ideal(ranked, _log2, alpha, rel, k)


@_measure(
    "ERR_IA",
    f"Σ gain(i)/i, gain(i) as in alpha_DCG / the same for {_PERFECT_RANKING}",
    cite="chapelle2009",
)
def err_ia(ranked: RankedRun, *, alpha: float, rel: float, first_rank: str, k: int | None) -> Share:
    """At which rank is a searcher satisfied, whichever subtopic is meant?

    By hand: ERR_IA@2 of ab a | c is (2 + 0.5/2) / (3 + 1.5/2)
    """
    return _share_of_maximum(ranked, _reciprocal, alpha, rel, first_rank, k)


@_measure(
    "nERR_IA",
    f"Σ gain(i)/i, gain(i) as in alpha_DCG / the same for {_GREEDY_IDEAL}",
    bounded=False,
    cite="chapelle2009",
)
def nerr_ia(ranked: RankedRun, *, alpha: float, rel: float, k: int | None) -> Share:
    """What share of the best ERR was reached, whichever subtopic is meant?

    By hand: nERR_IA@2 of a ab | c is (1 + 1.5/2) / (2 + 1/2)
    """
    return _share_of_ideal(ranked, _reciprocal, alpha, rel, k)


@_measure(
    "NRBP",
    "(1 − (1 − alpha)·beta)·Σ gain(i)·beta^(i−1), gain(i) as in alpha_DCG / "
    f"{_NUMBER_OF_SUBTOPICS}",
    defaults={"beta": 0.5},
    cite="clarke2009",
)
def nrbp(ranked: RankedRun, *, alpha: float, beta: float, rel: float) -> Share:
    """How much new information does a searcher who continues with probability beta find?

    By hand: NRBP of ab - a | c is (1 - 0.5*0.5) * (2 + 0.5*0.5**2) / 3
    """
    coverage = _coverage(ranked, rel)
    reached = coverage.novelty_gain(_geometric(beta), alpha, None)
    return reached * (1 - (1 - alpha) * beta), coverage.aspects


@_measure(
    "nNRBP",
    f"NRBP / that of {_GREEDY_IDEAL}",
    defaults={"beta": 0.5},
    bounded=False,
    cite="clarke2009",
)
def nnrbp(ranked: RankedRun, *, alpha: float, beta: float, rel: float) -> Share:
    """What share of the best possible NRBP was reached?

    By hand: nNRBP of a ab is (1 + 1.5*0.5) / (2 + 0.5*0.5)
    """
    return _share_of_ideal(ranked, _geometric(beta), alpha, rel, None)


@_measure(
    "AP_IA", f"the sum of the AP of each subtopic / {_NUMBER_OF_SUBTOPICS}", cite="agrawal2009"
)
def average_precision_ia(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """How early do the relevant documents come, on average over the subtopics?

    By hand: AP_IA of ab - a | c is ((1/1 + 2/3)/2 + 1/1 + 0) / 3
    """
    coverage = _coverage(ranked, rel)
    precision = (coverage.docs_above + 1) / coverage.rank / coverage.sizes[coverage.aspect]
    return coverage.total(precision, k), coverage.aspects


@_measure(
    "P_IA",
    f"Σ the subtopics that document i is on, over i ≤ k / (k · {_NUMBER_OF_SUBTOPICS})",
    cite="agrawal2009",
)
def precision_ia(ranked: RankedRun, *, rel: float, k: int) -> Share:
    """What share of the first k documents is relevant, averaged over subtopics?

    By hand: P_IA@4 of ab - a | c is (2 + 1) / (4 * 3)
    """
    coverage = _coverage(ranked, rel)
    return coverage.total(np.ones(len(coverage.rank)), k), coverage.aspects * k


@_measure(
    "StRecall",
    f"subtopics that one of the first k documents is on / {_NUMBER_OF_SUBTOPICS}",
    cite="zhai2003",
)
def subtopic_recall(ranked: RankedRun, *, rel: float, k: int | None) -> Share:
    """What share of the subtopics do the first k documents cover?

    By hand: StRecall@3 of ab - a | c is 2 / 3
    """
    coverage = _coverage(ranked, rel)
    return coverage.total((coverage.docs_above == 0) * 1.0, k), coverage.aspects


@frozen(eq=False, kw_only=True)
class _Coverage:
    """Which relevant documents cover which aspects: those retrieved, and those of the pool."""

    aspects: Array  # how many each query has
    sizes: Array  # how many documents are about each aspect
    query: Ranks  # of each retrieved document and aspect that it is about
    rank: Ranks
    aspect: Ranks
    docs_above: Ranks  # how many documents above it are about the same aspect
    pool_doc: Ranks  # the same of the pool: the document, in the order that breaks ties
    pool_aspect: Ranks

    def total(self, values: Array, k: int | None) -> Array:
        in_top = slice(None) if k is None else self.rank <= k
        totals = np.bincount(self.query[in_top], values[in_top], minlength=len(self.aspects))
        return totals.astype(np.float64)

    def novelty_gain(self, weight: RankWeight, alpha: float, k: int | None) -> Array:
        return self.total((1 - alpha) ** self.docs_above * weight(self.rank), k)


def _coverage(ranked: RankedRun, rel: float) -> _Coverage:
    return ranked.compute_once(("covered", rel), lambda: _compute_coverage(ranked, rel))


def _compute_coverage(ranked: RankedRun, rel: float) -> _Coverage:
    subtopics = ranked.subtopics
    if subtopics is None:
        doc, subtopic = np.flatnonzero(ranked.pool_grade >= rel), np.zeros(1, dtype=np.intp)
        subtopic = np.broadcast_to(subtopic, doc.shape)
    else:
        relevant = subtopics.grade >= rel
        doc, subtopic = subtopics.doc[relevant], subtopics.subtopic[relevant]
    width = int(subtopic.max(initial=0)) + 1
    keys, pool_aspect = np.unique(ranked.pool_query[doc] * width + subtopic, return_inverse=True)
    hit, aspect = _match_aspects(ranked, rel, doc, pool_aspect, keys)
    order = np.lexsort((ranked.rank[hit], aspect))
    hit, aspect = hit[order], aspect[order]
    begin = np.searchsorted(aspect, np.arange(len(keys)))
    return _Coverage(
        aspects=np.bincount(keys // width, minlength=ranked.size).astype(np.float64),
        sizes=np.bincount(pool_aspect, minlength=len(keys)).astype(np.float64),
        query=ranked.query[hit],
        rank=ranked.rank[hit],
        aspect=aspect,
        docs_above=np.arange(len(aspect)) - begin[aspect],
        pool_doc=doc,
        pool_aspect=pool_aspect,
    )


def _match_aspects(
    ranked: RankedRun, rel: float, doc: Ranks, aspect: Ranks, keys: Ranks
) -> tuple[Ranks, Ranks]:
    """Each retrieved document with each aspect that it is about."""
    if ranked.pool_index is None:  # then there are no subtopics: what is relevant is about one
        hit = np.flatnonzero(ranked.grade >= rel)
        own_aspect = np.searchsorted(keys, ranked.query[hit])
        # A list of judged documents may lack this one
        has_aspect = np.isin(ranked.query[hit], keys)
        return hit[has_aspect], own_aspect[has_aspect]
    hit, entry = find_all(doc, ranked.pool_index)
    return hit, aspect[entry]


def find_all(keys: Ranks, wanted: Ranks) -> tuple[Ranks, Ranks]:
    """Each place at which a wanted number stands in `keys`: of which of the wanted, and where.

    Examples:
        >>> [places.tolist() for places in find_all(np.array([5, 7, 5]), np.array([7, 6, 5]))]
        [[0, 2, 2], [1, 0, 2]]
    """
    order = np.argsort(keys, kind="stable")
    begin = np.searchsorted(keys, wanted, sorter=order)
    count = np.searchsorted(keys, wanted, side="right", sorter=order) - begin
    number = np.repeat(np.arange(len(wanted)), count)
    within = np.arange(len(number)) - np.repeat(np.cumsum(count) - count, count)
    return number, order[begin[number] + within]


def _share_of_maximum(  # noqa: PLR0917  (all that its two measures take)
    ranked: RankedRun, weight: RankWeight, alpha: float, rel: float, first_rank: str, k: int | None
) -> Share:
    """What was reached, and what would be if every document were about every aspect."""
    coverage = _coverage(ranked, rel)
    reached = coverage.novelty_gain(weight, alpha, k)
    if k == 1 and first_rank == "as_is":
        return reached, (coverage.aspects > 0).astype(np.float64)
    if k is not None and k > _LARGEST_CUTOFF:
        raise BadValue("k", k, f"at most {_LARGEST_CUTOFF}")
    depth = np.maximum(ranked.retrieved, 1) if k is None else np.full(ranked.size, k)
    ranks = np.arange(1, int(depth.max(initial=1)) + 1)
    maximum = np.cumsum((1 - alpha) ** (ranks - 1) * weight(ranks))
    return reached, coverage.aspects * maximum[depth - 1]


def _share_of_ideal(
    ranked: RankedRun, weight: RankWeight, alpha: float, rel: float, k: int | None
) -> Share:
    coverage = _coverage(ranked, rel)
    ideal = ranked.compute_once(
        ("ideal", rel, alpha, k), lambda: _ideal_gains(ranked, coverage, alpha, k)
    )
    best = np.zeros(ranked.size)
    for queries, gains in ideal:
        weighted = gains * weight(np.arange(1, gains.shape[1] + 1))
        best[queries] = np.cumsum(weighted, axis=1)[:, -1]  # in one order, however many queries
    return coverage.novelty_gain(weight, alpha, k), best


def _geometric(beta: float) -> RankWeight:
    if beta > 1:
        raise BadValue("beta", beta, "0 < beta ≤ 1 for NRBP")
    return lambda rank: np.asarray(beta ** (rank - 1), dtype=np.float64)


def _ideal_gains(
    ranked: RankedRun, coverage: _Coverage, alpha: float, k: int | None
) -> list[tuple[Ranks, Array]]:
    """The gain at each rank of the ideal rankings, some queries at once and then the next."""
    batches = []
    docs, first, entry_doc = np.unique(coverage.pool_doc, return_index=True, return_inverse=True)
    query = ranked.pool_query[docs]
    order = np.lexsort((first, query))
    begin = np.searchsorted(query[order], np.arange(ranked.size + 1))
    column = np.empty(len(docs), dtype=np.intp)
    column[order] = np.arange(len(docs)) - begin[query[order]]
    aspect = (
        coverage.pool_aspect
        - (np.cumsum(coverage.aspects) - coverage.aspects).astype(np.intp)[query[entry_doc]]
    )
    sizes = np.diff(begin)
    remaining = np.argsort(-sizes, kind="stable")[: int((sizes > 0).sum())]  # of like size together
    widest = int(coverage.aspects.max(initial=1))
    row = np.full(ranked.size, -1, dtype=np.intp)
    while remaining.size:
        longest = int(sizes[remaining[0]])
        batch = remaining[: max(1, _BATCH_CELLS // (longest * widest))]
        remaining = remaining[len(batch) :]
        row[batch] = np.arange(len(batch))
        entry = np.flatnonzero(row[query[entry_doc]] >= 0)
        about = np.zeros((widest, len(batch), longest))
        about[aspect[entry], row[query[entry_doc[entry]]], column[entry_doc[entry]]] = 1.0
        exists = np.arange(longest) < sizes[batch][:, None]
        depth = longest if k is None else min(k, longest)
        batches.append((batch, _greedy_gains(about, exists, alpha, depth)))
        row[batch] = -1
    return batches


def _greedy_gains(about: Array, exists: Flags, alpha: float, depth: int) -> Array:
    """The gain at each rank, if the document that is worth most comes next, rank by rank.

    The best ranking of all would take too long to find (the problem is NP-hard), so this is what
    everybody calls ideal. Of equals the first is taken. Gains are added aspect by aspect and
    reduced step by step, as ndeval does, so that rounding makes the same documents equal.
    """
    queries = np.arange(about.shape[1])
    aspect_value = np.ones(about.shape[:2])  # what each aspect is still worth
    # A document that was taken is worth nothing any more
    available = np.where(exists, 0.0, -np.inf)
    gains = np.zeros((len(queries), depth))
    gain, part = np.empty_like(available), np.empty_like(available)
    for rank in range(depth):
        np.copyto(gain, available)
        for aspect, value in zip(about, aspect_value, strict=True):
            np.multiply(aspect, value[:, None], out=part)
            gain += part
        best_doc = gain.argmax(axis=1)
        gains[:, rank] = np.maximum(gain[queries, best_doc], 0.0)
        if not gains[:, rank].any():
            break
        aspect_value *= np.where(about[:, queries, best_doc] > 0, 1 - alpha, 1.0)
        available[queries, best_doc] = -np.inf
    return gains
