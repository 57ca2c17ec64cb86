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
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.measure.discount import DISCOUNTS
from gainful.measure.functions.precision import Share
from gainful.measure.ranked_run import Seen

_DEEPEST = 10_000_000  # the largest cutoff of which every rank is summed
_TOGETHER = 2_000_000  # documents times aspects whose ideal rankings are made at once

Weight = Callable[[NDArray[np.intp]], Array]  # what is left of a gain at each rank


def alpha_dcg(ranked: Seen, *, alpha: float, rel: float, first_rank: str, k: int | None) -> Share:
    """DCG, as a share of what it would be if every document were about every aspect."""
    return _of_all(ranked, _log2, alpha, rel, first_rank, k)


def alpha_ndcg(ranked: Seen, *, alpha: float, rel: float, k: int | None) -> Share:
    """DCG of what is new, as a share of that of the ideal ranking."""
    return _of_ideal(ranked, _log2, alpha, rel, k)


def err_ia(ranked: Seen, *, alpha: float, rel: float, first_rank: str, k: int | None) -> Share:
    """ERR of each aspect, as a share of what it would be if all documents were about all."""
    return _of_all(ranked, _reciprocal, alpha, rel, first_rank, k)


def normalised_err_ia(ranked: Seen, *, alpha: float, rel: float, k: int | None) -> Share:
    """ERR of the aspects together, as a share of that of the ideal ranking."""
    return _of_ideal(ranked, _reciprocal, alpha, rel, k)


def nrbp(ranked: Seen, *, alpha: float, beta: float, rel: float) -> Share:
    """Rank-biased precision of what is new, as a share of what all aspects everywhere give."""
    covered = _covered(ranked, rel)
    reached = covered.reached(ranked, _geometric(beta), alpha, None)
    return reached * (1 - (1 - alpha) * beta), covered.aspects


def normalised_nrbp(ranked: Seen, *, alpha: float, beta: float, rel: float) -> Share:
    """Rank-biased precision of what is new, as a share of that of the ideal ranking."""
    return _of_ideal(ranked, _geometric(beta), alpha, rel, None)


def average_precision_ia(ranked: Seen, *, rel: float, k: int | None) -> Share:
    """Average precision of each aspect, averaged over them."""
    covered = _covered(ranked, rel)
    precision = (covered.before + 1) / covered.rank / covered.sizes[covered.aspect]
    return covered.total(ranked, precision, k), covered.aspects


def precision_ia(ranked: Seen, *, rel: float, k: int) -> Share:
    """Precision of each aspect, averaged over them."""
    covered = _covered(ranked, rel)
    return covered.total(ranked, np.ones(len(covered.rank)), k), covered.aspects * k


def subtopic_recall(ranked: Seen, *, rel: float, k: int | None) -> Share:
    """What share of the aspects do the first k documents cover?"""
    covered = _covered(ranked, rel)
    return covered.total(ranked, (covered.before == 0).astype(np.float64), k), covered.aspects


@frozen(eq=False, kw_only=True)
class _Covered:
    """Which relevant documents cover which aspects: those retrieved, and those of the pool."""

    aspects: Array  # how many each query has
    sizes: Array  # how many documents are about each aspect
    query: Ranks  # of each retrieved document and aspect that it is about
    rank: Ranks
    aspect: Ranks
    before: Ranks  # how many documents above it are about the same aspect
    pool_doc: Ranks  # the same of the pool: the document, in the order that breaks ties
    pool_aspect: Ranks

    def total(self, ranked: Seen, values: Array, k: int | None) -> Array:
        """The sum over the first k documents of each query."""
        some = slice(None) if k is None else self.rank <= k
        found = np.bincount(self.query[some], values[some], minlength=ranked.size)
        return found.astype(np.float64)

    def reached(self, ranked: Seen, weight: Weight, alpha: float, k: int | None) -> Array:
        """What the documents retrieved are worth, each aspect less every time it comes."""
        return self.total(ranked, (1 - alpha) ** self.before * weight(self.rank), k)


def _covered(ranked: Seen, rel: float) -> _Covered:
    return ranked.once(("covered", rel), lambda: _covering(ranked, rel))


def _covering(ranked: Seen, rel: float) -> _Covered:
    told = ranked.subtopics
    if told is None:
        doc, number = np.flatnonzero(ranked.pool_grade >= rel), np.zeros(1, dtype=np.intp)
        number = np.broadcast_to(number, doc.shape)
    else:
        good = told.grade >= rel
        doc, number = told.doc[good], told.subtopic[good]
    wide = int(number.max(initial=0)) + 1
    keys, pool_aspect = np.unique(ranked.pool_query[doc] * wide + number, return_inverse=True)
    hit, aspect = _retrieved(ranked, rel, doc, pool_aspect, keys)
    order = np.lexsort((ranked.rank[hit], aspect))
    hit, aspect = hit[order], aspect[order]
    begin = np.searchsorted(aspect, np.arange(len(keys)))
    return _Covered(
        aspects=np.bincount(keys // wide, minlength=ranked.size).astype(np.float64),
        sizes=np.bincount(pool_aspect, minlength=len(keys)).astype(np.float64),
        query=ranked.query[hit],
        rank=ranked.rank[hit],
        aspect=aspect,
        before=np.arange(len(aspect)) - begin[aspect],
        pool_doc=doc,
        pool_aspect=pool_aspect,
    )


def _retrieved(
    ranked: Seen, rel: float, doc: Ranks, aspect: Ranks, keys: Ranks
) -> tuple[Ranks, Ranks]:
    """Each retrieved document with each aspect that it is about."""
    if ranked.place is None:  # then there are no subtopics either: what is relevant is about one
        hit = np.flatnonzero(ranked.grade >= rel)
        own = np.searchsorted(keys, ranked.query[hit])
        known = np.isin(ranked.query[hit], keys)  # a list of judged documents may lack this one
        return hit[known], own[known]
    order = np.argsort(doc, kind="stable")
    begin = np.searchsorted(doc[order], ranked.place)
    count = np.searchsorted(doc[order], ranked.place, side="right") - begin
    hit = np.repeat(np.arange(len(count)), count)
    within = np.arange(len(hit)) - np.repeat(np.cumsum(count) - count, count)
    return hit, aspect[order][begin[hit] + within]


def _of_all(  # noqa: PLR0917  (all that its two measures take)
    ranked: Seen, weight: Weight, alpha: float, rel: float, first_rank: str, k: int | None
) -> Share:
    """What was reached, and what would be if every document were about every aspect."""
    covered = _covered(ranked, rel)
    reached = covered.reached(ranked, weight, alpha, k)
    if k == 1 and first_rank == "as_is":
        return reached, (covered.aspects > 0).astype(np.float64)
    depth = np.maximum(ranked.retrieved, 1) if k is None else np.full(ranked.size, _checked(k))
    ranks = np.arange(1, int(depth.max(initial=1)) + 1)
    most = np.cumsum((1 - alpha) ** (ranks - 1) * weight(ranks))
    return reached, covered.aspects * most[depth - 1]


def _of_ideal(ranked: Seen, weight: Weight, alpha: float, rel: float, k: int | None) -> Share:
    """What was reached, and what the ideal ranking reaches."""
    covered = _covered(ranked, rel)
    ideal = ranked.once(("ideal", rel, alpha, k), lambda: _ideal(ranked, covered, alpha, k))
    best = np.zeros(ranked.size)
    for queries, gains in ideal:
        weighted = gains * weight(np.arange(1, gains.shape[1] + 1))
        best[queries] = np.cumsum(weighted, axis=1)[:, -1]  # in one order, however many queries
    return covered.reached(ranked, weight, alpha, k), best


def _checked(k: int) -> int:
    if k > _DEEPEST:
        raise BadValue("k", k, f"at most {_DEEPEST}")
    return k


def _log2(rank: NDArray[np.intp]) -> Array:
    return DISCOUNTS["log2"].at(rank)


def _reciprocal(rank: NDArray[np.intp]) -> Array:
    return DISCOUNTS["zipf"].at(rank)


def _geometric(beta: float) -> Weight:
    if beta > 1:
        raise BadValue("beta", beta, "0 < beta ≤ 1 for NRBP")
    return lambda rank: np.asarray(beta ** (rank - 1), dtype=np.float64)


def _ideal(
    ranked: Seen, covered: _Covered, alpha: float, k: int | None
) -> list[tuple[Ranks, Array]]:
    """The gain at each rank of the ideal rankings, some queries at once and then the next."""
    found = []
    docs, first, entry_doc = np.unique(covered.pool_doc, return_index=True, return_inverse=True)
    query = ranked.pool_query[docs]
    order = np.lexsort((first, query))
    begin = np.searchsorted(query[order], np.arange(ranked.size + 1))
    column = np.empty(len(docs), dtype=np.intp)
    column[order] = np.arange(len(docs)) - begin[query[order]]
    aspect = (
        covered.pool_aspect
        - (np.cumsum(covered.aspects) - covered.aspects).astype(np.intp)[query[entry_doc]]
    )
    sizes = np.diff(begin)
    some = np.argsort(-sizes, kind="stable")[: int((sizes > 0).sum())]  # of like size together
    widest = int(covered.aspects.max(initial=1))
    row = np.full(ranked.size, -1, dtype=np.intp)
    while some.size:
        longest = int(sizes[some[0]])
        now = some[: max(1, _TOGETHER // (longest * widest))]
        some = some[len(now) :]
        row[now] = np.arange(len(now))
        entry = np.flatnonzero(row[query[entry_doc]] >= 0)
        about = np.zeros((widest, len(now), longest))
        about[aspect[entry], row[query[entry_doc[entry]]], column[entry_doc[entry]]] = 1.0
        there = np.arange(longest) < sizes[now][:, None]
        depth = longest if k is None else min(k, longest)
        found.append((now, _greedy(about, there, alpha, depth)))
        row[now] = -1
    return found


def _greedy(about: Array, there: Flags, alpha: float, depth: int) -> Array:
    """The gain at each rank, if the document that is worth most comes next, rank by rank.

    The best ranking of all would take too long to find (the problem is NP-hard), so this is what
    everybody calls ideal. Of equals the first is taken. Gains are added aspect by aspect and
    reduced step by step, as ndeval does, so that rounding makes the same documents equal.

    Args:
        about: is a document about an aspect (1.0) or not (0.0); by aspect, query and document.
        there: which documents exist; a query may have fewer than another.
        alpha: how much less an aspect is worth each time it comes.
        depth: how many ranks.
    """
    queries = np.arange(about.shape[1])
    left = np.ones(about.shape[:2])  # what each aspect is still worth
    open_ = np.where(there, 0.0, -np.inf)  # a document that was taken is worth nothing any more
    gains = np.zeros((len(queries), depth))
    worth, part = np.empty_like(open_), np.empty_like(open_)
    for rank in range(depth):
        np.copyto(worth, open_)
        for aspect, value in zip(about, left, strict=True):
            np.multiply(aspect, value[:, None], out=part)
            worth += part
        taken = worth.argmax(axis=1)
        gains[:, rank] = np.maximum(worth[queries, taken], 0.0)
        if not gains[:, rank].any():
            break
        left *= np.where(about[:, queries, taken] > 0, 1 - alpha, 1.0)
        open_[queries, taken] = -np.inf
    return gains
