"""`Seen`: what was matched, under one convention. Every judged document stands at its rank.

This is what a measure of the catalogue is a function of; its methods are the few words in which
such functions are written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from gainful.convention import Convention
from gainful.errors import Tied
from gainful.formula import Array, NamedFormula
from gainful.match import Matched, Placed, by_gain
from gainful.match.matched import Flags, Ranks, Subtopics
from gainful.measure.grade_gains import Find, whole_or_not, worth

Worked = TypeVar("Worked")


@frozen(eq=False, kw_only=True)
class Seen(Matched):
    """All queries at once: judged retrieved documents in rank order, and the judged pool."""

    ranks: ClassVar[tuple[str, ...]] = (*Matched.ranks, "rank")

    rank: Ranks  # under the convention; by query and rank the documents are ordered
    habits: Convention
    _known: dict[object, Any] = field(factory=dict, init=False, repr=False)

    def once(self, key: object, work: Callable[[], Worked]) -> Worked:
        """What several measures need, worked out by the first that asks for it."""
        if key not in self._known:
            self._known[key] = work()
        return self._known[key]  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    def within(self, k: int | None) -> Flags:
        """Which documents stand among the first k?"""
        return np.ones(len(self.rank), dtype=bool) if k is None else self.rank <= k

    def relevant(self, rel: float, k: int | None = None) -> Flags:
        """Which retrieved documents are relevant (and stand among the first k)?"""
        return (self.grade >= rel) & self.within(k)

    def total(self, values: NDArray[Any], where: Flags | None = None) -> Array:
        """The sum over each query."""
        chosen = slice(None) if where is None else where
        weights = values[chosen].astype(np.float64, copy=False)
        return np.bincount(self.query[chosen], weights, minlength=self.size).astype(np.float64)

    def count(self, flags: Flags) -> Array:
        """How many there are in each query."""
        return np.bincount(self.query[flags], minlength=self.size).astype(np.float64)

    def running(self, values: Flags | Array) -> Array:
        """The sum over each query from its first document down to this one."""
        return cumulated(values, self.query, self.size)

    def known(self, rel: float) -> Array:
        """How many relevant documents there are in each query, retrieved or not."""
        return self.pooled(self.pool_grade >= rel)

    def pooled(self, flags: Flags) -> Array:
        """How many documents of the pool are so, in each query."""
        return np.bincount(self.pool_query[flags], minlength=self.size).astype(np.float64)

    def best(self, max_grade: float | None) -> float:
        """The best grade there can be: what was said, or the highest that was given."""
        if max_grade is not None:
            return max_grade
        highest = float(self.pool_grade.max(initial=0.0))
        return highest if highest > 0 else 1.0

    def gains(self, formula: NamedFormula) -> Array:
        """What the retrieved documents are worth."""
        return worth(self.grade, formula, self.habits, self.find(self.query, self.grade), None)

    def pool_gains(self, formula: NamedFormula) -> Array:
        """What the documents of the pool are worth."""
        find = self.find(self.pool_query, self.pool_grade)
        return worth(self.pool_grade, formula, self.habits, find, None)

    def find(self, query: Ranks, grade: Array) -> Find:
        """Says of flagged grades, for a message, which the first one is."""

        def find(flags: Flags) -> tuple[str, float]:
            at = int(np.flatnonzero(flags)[0])
            return f"a grade of query {self.queries[query[at]]!r}", float(grade[at])

        return find


def cumulated(values: NDArray[Any], query: Ranks, size: int) -> Array:
    """The sum over each query down to each entry, entries being grouped by query.

    Numbers that are not counts are summed query by query: in one long sum, a huge gain in one
    query would swallow the small ones of the next.
    """
    begin = np.searchsorted(query, np.arange(size + 1))
    if values.dtype.kind in "bi":
        until = np.append(0, np.cumsum(values))
        counts: Array = (until[1:] - until[begin[query]]).astype(np.float64)
        return counts
    found = np.empty(len(values))
    for start, end in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        np.cumsum(values[start:end], out=found[start:end])
    return found


def seen(matched: Matched, convention: Convention) -> Seen:
    """The matched documents at the ranks that a convention gives them."""
    if "remove" in (convention.unjudged, convention.negative):
        matched = _closed_up(matched, convention)
    if convention.ties in ("input", "reversed") and not matched.ordered:
        _refuse_ties(matched, convention)
    query, grade = matched.query, matched.grade
    rank = _RANKS.get(convention.ties, _middle)(matched)
    if convention.ties in ("best", "worst"):
        placed = Placed(len(matched.queries), query, query, grade, matched.first, matched.last)
        rank = by_gain(placed, best=convention.ties == "best")
    order = np.lexsort((rank, query))
    view = Seen(
        queries=matched.queries,
        judged=matched.judged,
        found=matched.found,
        retrieved=matched.retrieved,
        pool_query=matched.pool_query,
        pool_grade=matched.pool_grade,
        query=query[order],
        grade=grade[order],
        first=matched.first[order],
        last=matched.last[order],
        by_id=matched.by_id[order],
        by_input=matched.by_input[order],
        tied=matched.tied,
        duplicates=matched.duplicates,
        place=None if matched.place is None else matched.place[order],
        subtopics=matched.subtopics,
        rank=rank[order],
        habits=convention,
    )
    return evolve(
        view,
        subtopics=_whole_subtopics(view, convention),
        grade=whole_or_not(view.grade, convention, view.find(view.query, view.grade)),
        pool_grade=whole_or_not(
            view.pool_grade, convention, view.find(view.pool_query, view.pool_grade)
        ),
    )


def _refuse_ties(matched: Matched, convention: Convention) -> None:
    tied = np.flatnonzero(matched.last > matched.first)
    if tied.size:
        raise Tied(
            f"ties={convention.ties} wants the order of the rows, which this run has not: documents "
            f"of query {matched.queries[matched.query[tied[0]]]!r} have equal scores; "
            "choose another ties policy, or scores that differ"
        )


def _whole_subtopics(view: Seen, convention: Convention) -> Subtopics | None:
    """The grades for subtopics, fractions as the convention has them."""
    told = view.subtopics
    if told is None:
        return None
    find = view.find(view.pool_query[told.doc], told.grade)
    return evolve(told, grade=whole_or_not(told.grade, convention, find))


def _middle(matched: Matched) -> Ranks:
    return (matched.first + matched.last) // 2


_RANKS: dict[str, Callable[[Matched], Ranks]] = {
    "doc_descending": lambda m: m.by_id,
    "doc_ascending": lambda m: m.first + m.last - m.by_id,
    "input": lambda m: m.by_input,
    "reversed": lambda m: m.first + m.last - m.by_input,
}


def _closed_up(matched: Matched, convention: Convention) -> Matched:
    """The rankings without documents that are unjudged or have negative grades."""
    wanted = (
        matched.grade >= 0
        if convention.negative == "remove"
        else np.ones(len(matched.grade), dtype=bool)
    )
    only_judged = convention.unjudged == "remove"
    counted = wanted if only_judged else ~wanted

    def above(rank: Ranks, limit: Ranks) -> Ranks:
        """How many of the counted documents stand above a limit in the same query?"""
        wide = int(matched.retrieved.max(initial=0)) + 2
        keys = np.sort(matched.query[counted] * wide + rank[counted])
        begin = matched.query[wanted] * wide
        found = np.searchsorted(keys, begin + limit[wanted])
        return found - np.searchsorted(keys, begin)

    def closed(rank: Ranks) -> Ranks:
        fewer = above(rank, rank)
        return fewer + 1 if only_judged else rank[wanted] - fewer

    until = above(matched.first, matched.first + 1)
    gone = np.bincount(matched.query[counted], minlength=len(matched.queries))
    pool = (matched.pool_grade >= 0) | (convention.negative != "remove")
    return evolve(
        matched.pooled_in(pool, wanted),
        retrieved=gone if only_judged else matched.retrieved - gone,
        query=matched.query[wanted],
        grade=matched.grade[wanted],
        first=closed(matched.first),
        last=until if only_judged else matched.last[wanted] - until,
        by_id=closed(matched.by_id),
        by_input=closed(matched.by_input),
    )
