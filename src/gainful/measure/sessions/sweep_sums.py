"""Gains of sessions laid out once, so that the means of groups at any b and bq are soon had.

sDCG is a sum of gain × rank discount × query discount. Gains at the same query and rank can be
added up before any discount is known: over all sessions of a group for sDCG, over those that also
share their ideal for nsDCG. What is left for a setting is a few small products.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from gainful.errors import BadValue
from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import SessionGains, session_gains
from gainful.measure.functions.sessions.ideal import count_recall_bases, ideal_gain, pool_ranks
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Flags, Ranks

_FEW_PLACES = 1_000_000  # places that may be laid out, however few gains there are


@frozen(eq=False, kw_only=True)
class Ideals:
    """What the ideals of kinds of sessions are made of."""

    pool: Array  # one row for recall bases of equal gains; best gain first
    base: Ranks  # kinds × queries: which row of the pool; an empty one where there is no query
    queries: Ranks  # per kind
    depth: int
    has_one_base: bool  # has each session one recall base?


@frozen(eq=False, kw_only=True)
class SweepSums:
    """Gains of kinds of sessions: those of a group that share their ideal, if there is one."""

    recipe: SessionRecipe
    session_count: Ranks  # per group: how many sessions its mean is of
    sum_without_ideal: Array  # per group: what sessions without an ideal add up to
    group: Ranks  # per kind
    queries: int  # of the longest session
    line: Ranks  # per gain: its kind and query, as one number
    rank: Ranks  # per gain: from 0
    gain: Array
    ideals: Ideals | None

    def row(self, b: float) -> SweepRow:
        """All that does not change with bq, for this b."""
        max_rank = int(self.rank.max(initial=0)) + 1
        if self.ideals is not None:
            max_rank = max(
                max_rank, self.ideals.depth * (self.queries if self._ranks_continue else 1)
            )
        discount = self.recipe.discount.with_values({"b": b}).evaluate_at(
            np.arange(1, max_rank + 1)
        )
        kinds = len(self.group)
        lines = np.bincount(
            self.line, self.gain * discount[self.rank], minlength=kinds * self.queries
        )
        kind_lines = lines.reshape(kinds, self.queries).astype(np.float64)
        if self.ideals is None or not self._has_separable_ideal:
            return SweepRow(self, discount, kind_lines, self.group)
        return self._divide_by_dcg(discount, kind_lines, self.ideals)

    @property
    def _has_separable_ideal(self) -> bool:
        """Is each ideal a product of what b and what bq make of it?

        That of the best documents again in every query is: their DCG times the query discounts.
        """
        if self.ideals is None or self._ranks_continue or not self.ideals.has_one_base:
            return False
        return self.recipe.convention.ideal_kind == "repeated"

    def _divide_by_dcg(self, discount: Array, lines: Array, ideals: Ideals) -> SweepRow:
        """Each kind divided by its DCG, so that only groups and lengths need be told apart."""
        width = min(ideals.depth, ideals.pool.shape[1])
        ideal = (ideals.pool[:, :width] @ discount[:width])[ideals.base[:, 0]][:, None]
        share = np.divide(lines, ideal, out=np.zeros_like(lines), where=ideal > 0)
        max_queries = self.queries
        group_and_length = self.group * max_queries + ideals.queries - 1
        size = len(self.session_count) * max_queries
        at = group_and_length[:, None] * max_queries + np.arange(max_queries)
        total = np.bincount(at.ravel(), share.ravel(), minlength=size * max_queries)
        group = np.repeat(np.arange(len(self.session_count)), max_queries)
        length = np.tile(np.arange(max_queries), len(self.session_count))
        shares = total.reshape(size, max_queries).astype(np.float64)
        return SweepRow(self, discount, shares, group, length)

    @property
    def _ranks_continue(self) -> bool:
        return self.recipe.convention.rank_discount == "concatenated"

    def slot_discounts(self, discount: Array) -> Array:
        """What is left of a gain at each rank of each query, but for the query discount."""
        x = self.ideals.depth if self.ideals is not None else 0
        step = x if self._ranks_continue else 0
        return np.asarray(discount[np.arange(x) + step * np.arange(self.queries)[:, None]])


@frozen(eq=False)
class SweepRow:
    """The settings of one b."""

    sums: SweepSums
    discount: Array  # by rank
    lines: Array  # kinds × queries: gain, discounted by rank
    group: Ranks  # per kind
    length: Ranks | None = None  # per kind: queries but one, if lines are divided by DCG already

    def means(self, bqs: Sequence[float]) -> Array:
        """The mean of each group for each bq: bqs × groups."""
        sums, positions = self.sums, np.arange(1, self.sums.queries + 1)
        formula = sums.recipe.query_discount
        weights = np.stack(
            [formula.with_values({"bq": bq}).evaluate_at(positions) for bq in bqs], axis=1
        )
        value = self.lines @ weights
        if self.length is not None:
            value = value / np.cumsum(weights, axis=0)[self.length]
        elif sums.ideals is not None:
            ideal = self._ideal(weights)
            value = np.divide(value, ideal, out=np.zeros_like(value), where=ideal > 0)
        groups = len(sums.session_count)
        group_sums = [np.bincount(self.group, column, minlength=groups) for column in value.T]
        total = np.stack(group_sums) + sums.sum_without_ideal
        with np.errstate(invalid="ignore"):  # a group of no session that counts has no mean
            return np.asarray(np.where(sums.session_count > 0, total / sums.session_count, np.nan))

    def _ideal(self, weights: Array) -> Array:
        """The ideal of each kind for each bq."""
        ideals = self.sums.ideals
        if ideals is None:
            raise TypeError("sDCG has no ideal")
        slots, kind = (
            self.sums.slot_discounts(self.discount),
            self.sums.recipe.convention.ideal_kind,
        )
        if kind == "repeated":
            width = min(ideals.depth, ideals.pool.shape[1])
            each = ideals.pool[:, :width] @ slots[:, :width].T
            return np.asarray(each[ideals.base, np.arange(slots.shape[0])] @ weights)
        ideal_gains = np.zeros((len(ideals.queries), weights.shape[1]))
        for n in np.unique(ideals.queries).tolist():
            slot_weights = slots[:n, :, None] * weights[:n, None, :]
            slot_weights = slot_weights.reshape(-1, weights.shape[1])
            if kind == "best_slots":
                slot_weights = -np.sort(-slot_weights, axis=0)
            width = min(len(slot_weights), ideals.pool.shape[1])
            these = ideals.queries == n
            ideal_gains[these] = (ideals.pool[:, :width] @ slot_weights[:width])[
                ideals.base[these, 0]
            ]
        return ideal_gains


def sum_for_sweep(
    sessions: MatchedSessions, recipe: SessionRecipe, group: Ranks, groups: int
) -> SweepSums:
    """The gains of all sessions, added up where they share what matters.

    Args:
        sessions: those that were matched.
        recipe: sDCG or nsDCG, everything settled but b and bq.
        group: the number of each session's group.
        groups: how many groups there are.
    """
    gains, max_queries = session_gains(sessions, recipe), int(sessions.query_counts.max())
    if recipe.entry.normalised:
        kind, session_count, sum_without_ideal, group_of_kind, ideals = _group_by_ideal(
            sessions, recipe, gains, group, groups
        )
    else:
        kind, group_of_kind, ideals = group, np.arange(groups), None
        session_count, sum_without_ideal = np.bincount(group, minlength=groups), np.zeros(groups)
    rank = gains.discount_rank - 1
    session = sessions.session[gains.query]
    has_kind = kind[session] >= 0
    line = kind[session[has_kind]] * max_queries + sessions.position[gains.query[has_kind]] - 1
    line, rank, gain = add_up(
        line, rank[has_kind], gains.gain[has_kind], len(group_of_kind) * max_queries
    )
    return SweepSums(
        recipe=recipe,
        session_count=session_count,
        sum_without_ideal=sum_without_ideal,
        group=group_of_kind,
        queries=max_queries,
        line=line,
        rank=rank,
        gain=gain,
        ideals=ideals,
    )


def add_up(line: Ranks, rank: Ranks, gain: Array, lines: int) -> tuple[Ranks, Ranks, Array]:
    """One gain for each line and rank, unless there are far more places than gains."""
    max_rank = int(rank.max(initial=0)) + 1
    if lines * max_rank > 4 * len(gain) + _FEW_PLACES:
        return line, rank, gain
    total = np.bincount(line * max_rank + rank, gain, minlength=lines * max_rank)
    at = np.flatnonzero(total)
    return at // max_rank, at % max_rank, total[at].astype(np.float64)


def _group_by_ideal(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, group: Ranks, groups: int
) -> tuple[Ranks, Ranks, Array, Ranks, Ideals]:
    """The kind of each session (-1 if it has no ideal), and what belongs to that."""
    x, max_queries, base = recipe.k or 0, int(sessions.query_counts.max()), gains.judged.base
    if recipe.convention.ideal_kind != "repeated":
        ideal_gain(
            sessions, recipe, gains
        )  # refuses sessions whose queries have judgments of their own
    widest = x if recipe.convention.ideal_kind == "repeated" else x * max_queries
    place = pool_ranks(gains)
    width = min(widest, int(place.max(initial=1)))
    inside = place <= width
    pool = np.zeros((count_recall_bases(gains) + 1, width))
    pool[gains.judged.pool_base[inside], place[inside] - 1] = gains.pool_gain[inside]
    pool, pool_number = np.unique(pool, axis=0, return_inverse=True)  # equal pools, equal ideals
    pool_number = pool_number.ravel()
    base, empty_pool = pool_number[base], int(pool_number[-1])
    has_ideal = np.bincount(sessions.session, pool[base, 0] > 0, minlength=sessions.size) > 0
    session_count, sum_without_ideal = _count_without_ideal(recipe, has_ideal, group, groups)
    own = base[sessions.first_query]
    has_one_base = bool((base == own[sessions.session]).all())
    if has_one_base:
        key = (group * len(pool) + own) * (max_queries + 1) + sessions.query_counts
        _, first_of_kind, kind = np.unique(key, return_index=True, return_inverse=True)
    else:  # turns of conversations: each session has an ideal of its own
        first_of_kind = kind = np.arange(sessions.size)
    base_by_position = np.full((sessions.size, max_queries), empty_pool)
    base_by_position[sessions.session, sessions.position - 1] = base
    ideals = Ideals(
        pool=pool,
        base=base_by_position[first_of_kind],
        queries=sessions.query_counts[first_of_kind],
        depth=x,
        has_one_base=has_one_base,
    )
    return (
        np.where(has_ideal, kind, -1),
        session_count,
        sum_without_ideal,
        group[first_of_kind],
        ideals,
    )


def _count_without_ideal(
    recipe: SessionRecipe, has_ideal: Flags, group: Ranks, groups: int
) -> tuple[Ranks, Array]:
    """How many sessions of each group count, and what those without an ideal add up to."""
    empty = recipe.convention.empty
    session_count = np.bincount(group, minlength=groups)
    without_ideal = np.bincount(group[~has_ideal], minlength=groups)
    if empty == "error" and without_ideal.any():
        raise BadValue("ideal", 0.0, "an ideal above zero in every session (empty=error)")
    if empty == "skip":
        return session_count - without_ideal, np.zeros(groups)
    return session_count, np.asarray(without_ideal * (1.0 if empty == 1 else 0.0))
