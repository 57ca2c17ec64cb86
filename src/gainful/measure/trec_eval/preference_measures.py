"""trec_eval's measures of preferences: how many of them does a ranking fulfil?

All of them, or `_ret`: only those between documents that were retrieved; or `_imp`: all but those
of which neither document was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from gainful.measure.trec_eval.preferences import Counts, Group, QueryPreferences

Share = tuple[int, int]  # fulfilled, possible


def _count_all(counts: Counts) -> Share:
    fulfilled = counts.fulfilled + counts.fulfilled_implied
    return fulfilled, counts.possible + counts.possible_implied + counts.unseen


def _count_retrieved(counts: Counts) -> Share:
    return counts.fulfilled, counts.possible


def _count_implied(counts: Counts) -> Share:
    fulfilled = counts.fulfilled + counts.fulfilled_implied
    return fulfilled, counts.possible + counts.possible_implied


def _simple_share(query: QueryPreferences, count: Callable[[Counts], Share]) -> float:
    """Fulfilled preferences over possible ones, whoever has them."""
    shares = [count(group.counts) for group in query.groups]
    possible = sum(share[1] for share in shares)
    return sum(share[0] for share in shares) / possible if possible else 0.0


def _group_share(query: QueryPreferences, count: Callable[[Counts], Share]) -> float:
    """The share of fulfilled preferences, averaged over groups."""
    shares = [count(group.counts) for group in query.groups]
    return _average(fulfilled / possible for fulfilled, possible in shares if possible) / len(
        shares
    )


def _even_share(query: QueryPreferences, share: Callable[[Group], float]) -> float:
    """The share with as many useless documents as relevant ones, averaged over groups."""
    return _average(map(share, query.groups)) / len(query.groups)


def _average(shares: Iterable[float]) -> float:
    """The sum; 0 where it is no number, as it is with a group that prefers nothing."""
    total = 0.0
    for share in shares:
        total += share
    return total if total > 0 else 0.0


def _pair_share(query: QueryPreferences, *, implied: bool, unseen: bool) -> float:
    """The share of judges who prefer the upper document, averaged over pairs of documents."""
    first, second, fulfilled, failed = query.pairs
    both = second < query.retrieved
    mixed = (first < query.retrieved) & ~both
    shares = fulfilled / (fulfilled + failed)
    total = np.concatenate(([0.0], shares[both], shares[mixed] if implied else ()))
    count = int(both.sum()) + int(mixed.sum()) * implied
    count += int((first >= query.retrieved).sum()) * unseen
    return float(np.cumsum(total)[-1] / count) if count else 0.0


PREFERENCE_MEASURES: Mapping[str, Callable[[QueryPreferences], float]] = {
    "prefs_num_prefs_poss": lambda query: sum(_count_all(g.counts)[1] for g in query.groups),
    "prefs_num_prefs_ful": lambda query: sum(_count_all(g.counts)[0] for g in query.groups),
    "prefs_num_prefs_ful_ret": lambda query: sum(g.counts.fulfilled for g in query.groups),
    "prefs_simp": lambda query: _simple_share(query, _count_all),
    "prefs_pair": lambda query: _pair_share(query, implied=True, unseen=True),
    "prefs_avgjg": lambda query: _group_share(query, _count_all),
    "prefs_avgjg_Rnonrel": lambda query: _even_share(query, Group.share_with_few_useless),
    "prefs_simp_ret": lambda query: _simple_share(query, _count_retrieved),
    "prefs_pair_ret": lambda query: _pair_share(query, implied=False, unseen=False),
    "prefs_avgjg_ret": lambda query: _group_share(query, _count_retrieved),
    "prefs_avgjg_Rnonrel_ret": lambda query: _even_share(
        query, Group.share_with_few_retrieved_useless
    ),
    "prefs_simp_imp": lambda query: _simple_share(query, _count_implied),
    "prefs_pair_imp": lambda query: _pair_share(query, implied=True, unseen=False),
    "prefs_avgjg_imp": lambda query: _group_share(query, _count_implied),
}
