"""Preferences between documents, and how many of them a ranking fulfils.

A judge prefers documents of a higher level to those of a lower one. A group of preferences is
one judge's; where it has subgroups, only what they say is known, and what follows from it.
Documents are numbered: first the retrieved ones in rank order, then the others by id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from attrs import define

from gainful.measure.trec_eval.visits import TrecEvalOptions, order_run
from gainful.read.qrels_and_run import Run
from gainful.types import Array, Flags, Ranks


class Contradiction(Exception):
    """What one judge says of two documents that cannot be."""


class Share(NamedTuple):
    """How many preferences are fulfilled, and how many there are."""

    fulfilled: int
    possible: int


# The preferences between `retrieved` documents; those with one that is not besides, of which the
# retrieved one counts as ranked above (`implied`); and `all`.
Kind = Literal["retrieved", "implied", "all"]
Counts = Mapping[Kind, Share]


@define(slots=False)
class Group:
    """The preferences of one judge for one query."""

    first: Ranks  # of each preference: which document is preferred …
    second: Ranks  # … to which
    judged: Ranks  # the documents that are judged, each as often as it is
    level: Array  # of each judged document
    retrieved: int  # how many of the query's judged documents were retrieved
    ordered: bool  # is every document compared with every other, in one subgroup?

    @cached_property
    def counts(self) -> Counts:
        """How many preferences there are, and how many are fulfilled."""
        return self._count(np.ones(len(self.first), dtype=bool))

    def _count(self, flags: Flags) -> Counts:
        first, second = self.first[flags], self.second[flags]
        has_first, has_second = first < self.retrieved, second < self.retrieved
        retrieved = Share(
            int((has_second & (first < second)).sum()), int((has_first & has_second).sum())
        )
        fulfilled = retrieved.fulfilled + int((has_first & ~has_second).sum())
        implied = Share(fulfilled, int((has_first | has_second).sum()))
        every = Share(fulfilled, len(first))
        return {"retrieved": retrieved, "implied": implied, "all": every}

    @property
    def relevant(self) -> Flags:
        """Which of the judged documents have a level above 0?"""
        return self.level > 0

    @property
    def useless(self) -> Flags:
        """Which of the judged documents have not?"""
        return ~self.relevant if self.ordered else self.level == 0

    def count_retrieved(self, flags: Flags) -> int:
        """How many of these documents were retrieved."""
        return int((flags & (self.judged < self.retrieved)).sum())

    def share_with_few_useless(self, *, only_retrieved: bool) -> float:
        """The share that is fulfilled, with as many useless documents as there are relevant."""
        kinds = self.relevant, self.useless
        relevant, useless = (
            self.count_retrieved(flags) if only_retrieved else int(flags.sum()) for flags in kinds
        )
        if relevant < useless:
            return _share(*self._recount(relevant, only_retrieved=only_retrieved))
        fulfilled, possible = self.counts["retrieved" if only_retrieved else "all"]
        more = relevant - useless
        reached = fulfilled + self.count_retrieved(self.relevant) * more
        return _share(reached, possible + int(self.relevant.sum()) * more)

    def _recount(self, kept: int, *, only_retrieved: bool) -> Share:
        """Fulfilled and possible preferences, if only the first useless documents count."""
        if self.ordered:
            return self._recount_levels(kept, only_retrieved=only_retrieved)
        useless = np.sort(self.judged[self.useless])
        if only_retrieved:
            useless = useless[useless < self.retrieved]
        dropped = useless[int(self.relevant.sum()) :]
        counts = self._count(~np.isin(self.first, dropped) & ~np.isin(self.second, dropped))
        return counts["retrieved" if only_retrieved else "all"]

    def _recount_levels(self, kept: int, *, only_retrieved: bool) -> Share:
        """With one subgroup trec_eval also sets useless documents against the kept ones."""
        lowest = self.level == self.level.min()
        last = self.judged[lowest]
        above = ~np.isin(self.first, last) & ~np.isin(self.second, last)
        against_kept = np.sort(last)[:kept]
        first = np.concatenate((self.first[above], np.repeat(self.judged, len(against_kept))))
        second = np.concatenate((self.second[above], np.tile(against_kept, len(self.judged))))
        if only_retrieved:
            both = (first < self.retrieved) & (second < self.retrieved)
            first, second = first[both], second[both]
        return Share(int(((first < second) & (first < self.retrieved)).sum()), len(first))


def _share(fulfilled: int, possible: int) -> float:
    return fulfilled / possible if possible else float("nan")


@define(slots=False)
class QueryPreferences:
    """All that the judges of a query prefer, and what of it was retrieved."""

    groups: Sequence[Group]
    judged: int  # how many documents are judged
    retrieved: int  # how many of them were retrieved

    def count(self, kind: Kind) -> Share:
        """The preferences of all judges together."""
        shares = [group.counts[kind] for group in self.groups]
        return Share(*map(sum, zip(*shares, strict=True)))

    @cached_property
    def pairs(self) -> tuple[Ranks, Ranks, Ranks, Ranks]:
        """Every pair of documents that somebody judged: both, and who prefers which.

        The first stands above the second. Pairs come in the order in which trec_eval adds them.
        """
        first = np.concatenate([group.first for group in self.groups])
        second = np.concatenate([group.second for group in self.groups])
        key = np.minimum(first, second) * self.judged + np.maximum(first, second)
        keys, place = np.unique(key, return_inverse=True)
        fulfilled = np.bincount(place, first < second, minlength=len(keys)).astype(np.intp)
        failed = np.bincount(place, second < first, minlength=len(keys)).astype(np.intp)
        return keys // self.judged, keys % self.judged, fulfilled, failed


def match_preferences(
    preferences: pl.DataFrame, run: Run, options: TrecEvalOptions, queries: Sequence[str]
) -> Iterator[QueryPreferences]:
    """The preferences of each query; a judge who contradicts himself ends it."""
    numbered = _number_documents(preferences, run, options)
    by_query = numbered.partition_by("query", as_dict=True, maintain_order=True)
    for query in queries:
        frame = by_query[query,]
        groups = frame.partition_by("group", maintain_order=True)
        judged, retrieved = frame["number"].n_unique(), int(frame["retrieved"][0])
        built = [_build_group(group, retrieved) for group in groups]
        yield QueryPreferences(built, judged, retrieved)


def _number_documents(
    preferences: pl.DataFrame, run: Run, options: TrecEvalOptions
) -> pl.DataFrame:
    """Preferences in trec_eval's order, with the number of each document in its query."""
    ranked = order_run(run.frame, options).with_row_index("rank").select("query", "doc", "rank")
    docs = (
        preferences.select("query", "doc")
        .unique()
        .join(ranked, on=["query", "doc"], how="left")
        .sort("query", "rank", "doc", nulls_last=True)
        .with_columns(
            number=pl.int_range(pl.len()).over("query"),
            retrieved=pl.col("rank").count().over("query"),
        )
    )
    keys = ["query", "group", "subgroup", "level", "number"]
    rows = preferences.join(docs, on=["query", "doc"])
    return rows.sort(keys, descending=[key == "level" for key in keys])


def _build_group(frame: pl.DataFrame, retrieved: int) -> Group:
    subgroups = frame.partition_by("subgroup", maintain_order=True)
    if len(subgroups) == 1:
        judged, level = frame["number"].to_numpy().astype(np.intp), frame["level"].to_numpy()
        better, worse = np.nonzero(level[:, None] > level[None, :])
        first, second = judged[better], judged[worse]
        if (first == second).any():
            raise Contradiction("one document has two levels in one group")
        return Group(first, second, judged, level, retrieved, ordered=True)
    return _join_subgroups(subgroups, retrieved)


def _join_subgroups(subgroups: Sequence[pl.DataFrame], retrieved: int) -> Group:
    """What follows from what the subgroups say: a over b and b over c is a over c."""
    level_of: dict[int, float] = {}
    for number, level in (
        row for part in subgroups for row in part.select("number", "level").rows()
    ):
        before = level_of.get(number, -1.0)
        if (before > 0 and level == 0) or (before == 0 and level > 0):
            raise Contradiction("one document has level 0 and another level in one group")
        level_of[number] = level
    judged = np.array(sorted(level_of), dtype=np.intp)
    prefers = np.eye(len(judged), dtype=bool)
    for part in subgroups:
        place = np.searchsorted(judged, part["number"].to_numpy())
        level = part["level"].to_numpy()
        better, worse = np.nonzero(level[:, None] > level[None, :])
        prefers[place[better], place[worse]] = True
    while True:
        further = (prefers.astype(np.float32) @ prefers.astype(np.float32)) > 0
        if (further == prefers).all():
            break
        prefers = further
    np.fill_diagonal(prefers, val=False)
    if (prefers & prefers.T).any():
        raise Contradiction("of two documents each is preferred to the other in one group")
    first, second = np.nonzero(prefers)
    levels = np.array([level_of[number] for number in judged.tolist()])
    return Group(judged[first], judged[second], judged, levels, retrieved, ordered=False)


def _simple_share(query: QueryPreferences, kind: Kind) -> float:
    fulfilled, possible = query.count(kind)
    return fulfilled / possible if possible else 0.0


def _group_share(query: QueryPreferences, kind: Kind) -> float:
    shares = [group.counts[kind] for group in query.groups]
    average = _average(fulfilled / possible for fulfilled, possible in shares if possible)
    return average / len(shares)


def _even_share(query: QueryPreferences, *, only_retrieved: bool) -> float:
    shares = (group.share_with_few_useless(only_retrieved=only_retrieved) for group in query.groups)
    return _average(shares) / len(query.groups)


def _average(shares: Iterable[float]) -> float:
    total = 0.0
    for share in shares:
        total += share
    return total if total > 0 else 0.0


def _pair_share(query: QueryPreferences, *, implied: bool, unseen: bool) -> float:
    first, second, fulfilled, failed = query.pairs
    both = second < query.retrieved
    mixed = (first < query.retrieved) & ~both
    shares = fulfilled / (fulfilled + failed)
    total = np.concatenate(([0.0], shares[both], shares[mixed] if implied else ()))
    count = int(both.sum()) + int(mixed.sum()) * implied
    count += int((first >= query.retrieved).sum()) * unseen
    return float(np.cumsum(total)[-1] / count) if count else 0.0


PREFERENCE_MEASURES: Mapping[str, Callable[[QueryPreferences], float]] = {
    "prefs_num_prefs_poss": lambda query: query.count("all").possible,
    "prefs_num_prefs_ful": lambda query: query.count("all").fulfilled,
    "prefs_num_prefs_ful_ret": lambda query: query.count("retrieved").fulfilled,
    "prefs_simp": lambda query: _simple_share(query, "all"),
    "prefs_pair": lambda query: _pair_share(query, implied=True, unseen=True),
    "prefs_avgjg": lambda query: _group_share(query, "all"),
    "prefs_avgjg_Rnonrel": lambda query: _even_share(query, only_retrieved=False),
    "prefs_simp_ret": lambda query: _simple_share(query, "retrieved"),
    "prefs_pair_ret": lambda query: _pair_share(query, implied=False, unseen=False),
    "prefs_avgjg_ret": lambda query: _group_share(query, "retrieved"),
    "prefs_avgjg_Rnonrel_ret": lambda query: _even_share(query, only_retrieved=True),
    "prefs_simp_imp": lambda query: _simple_share(query, "implied"),
    "prefs_pair_imp": lambda query: _pair_share(query, implied=True, unseen=False),
    "prefs_avgjg_imp": lambda query: _group_share(query, "implied"),
}
