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
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.match.sessions import MatchedSessions
from gainful.measure.sessions.gains import Earned, earned
from gainful.measure.sessions.ideal import bases, final, places
from gainful.measure.sessions.recipe_value import SessionRecipe

_SMALL = 1_000_000  # places that may be laid out, however few gains there are


@frozen(eq=False, kw_only=True)
class Ideals:
    """What the ideals of kinds of sessions are made of."""

    pool: Array  # one row for recall bases of equal gains; best gain first
    base: Ranks  # kinds × queries: which row of the pool; an empty one where there is no query
    queries: Ranks  # per kind
    depth: int
    one_base: bool  # has each session one recall base?


@frozen(eq=False, kw_only=True)
class Laid:
    """Gains of kinds of sessions: those of a group that share their ideal, if there is one."""

    how: SessionRecipe
    counted: Ranks  # per group: how many sessions its mean is of
    given: Array  # per group: what sessions without an ideal add up to
    group: Ranks  # per kind
    queries: int  # of the longest session
    line: Ranks  # per gain: its kind and query, as one number
    rank: Ranks  # per gain: from 0
    gain: Array
    ideals: Ideals | None

    def row(self, b: float) -> Row:
        """All that does not change with bq, for this b."""
        deep = int(self.rank.max(initial=0)) + 1
        if self.ideals is not None:
            deep = max(deep, self.ideals.depth * (self.queries if self._concatenated else 1))
        discount = self.how.discount.given({"b": b}).at(np.arange(1, deep + 1))
        kinds = len(self.group)
        lines = np.bincount(
            self.line, self.gain * discount[self.rank], minlength=kinds * self.queries
        )
        found = lines.reshape(kinds, self.queries).astype(np.float64)
        if self.ideals is None or not self._apart:
            return Row(self, discount, found, self.group)
        return self._shared(discount, found, self.ideals)

    @property
    def _apart(self) -> bool:
        """Is each ideal a product of what b and what bq make of it?

        That of the best documents again in every query is: their DCG times the query discounts.
        """
        if self.ideals is None or self._concatenated or not self.ideals.one_base:
            return False
        return self.how.convention.ideal_kind == "repeated"

    def _shared(self, discount: Array, lines: Array, ideals: Ideals) -> Row:
        """Each kind divided by its DCG, so that only groups and lengths need be told apart."""
        width = min(ideals.depth, ideals.pool.shape[1])
        ideal = (ideals.pool[:, :width] @ discount[:width])[ideals.base[:, 0]][:, None]
        share = np.divide(lines, ideal, out=np.zeros_like(lines), where=ideal > 0)
        most = self.queries
        both = self.group * most + ideals.queries - 1
        size = len(self.counted) * most
        at = both[:, None] * most + np.arange(most)
        total = np.bincount(at.ravel(), share.ravel(), minlength=size * most)
        group = np.repeat(np.arange(len(self.counted)), most)
        length = np.tile(np.arange(most), len(self.counted))
        divided = total.reshape(size, most).astype(np.float64)
        return Row(self, discount, divided, group, length)

    @property
    def _concatenated(self) -> bool:
        return self.how.convention.rank_discount == "concatenated"

    def slots(self, discount: Array) -> Array:
        """What is left of a gain at each rank of each query, but for the query discount."""
        x = self.ideals.depth if self.ideals is not None else 0
        step = x if self._concatenated else 0
        return np.asarray(discount[np.arange(x) + step * np.arange(self.queries)[:, None]])


@frozen(eq=False)
class Row:
    """The settings of one b."""

    laid: Laid
    discount: Array  # by rank
    lines: Array  # kinds × queries: gain, discounted by rank
    group: Ranks  # per kind
    length: Ranks | None = None  # per kind: queries but one, if lines are divided by DCG already

    def means(self, bqs: Sequence[float]) -> Array:
        """The mean of each group for each bq: bqs × groups."""
        laid, positions = self.laid, np.arange(1, self.laid.queries + 1)
        formula = laid.how.query_discount
        weights = np.stack([formula.given({"bq": bq}).at(positions) for bq in bqs], axis=1)
        value = self.lines @ weights
        if self.length is not None:
            value = value / np.cumsum(weights, axis=0)[self.length]
        elif laid.ideals is not None:
            ideal = self._ideal(weights)
            value = np.divide(value, ideal, out=np.zeros_like(value), where=ideal > 0)
        groups = len(laid.counted)
        sums = [np.bincount(self.group, column, minlength=groups) for column in value.T]
        total = np.stack(sums) + laid.given
        with np.errstate(invalid="ignore"):  # a group of no session that counts has no mean
            return np.asarray(np.where(laid.counted > 0, total / laid.counted, np.nan))

    def _ideal(self, weights: Array) -> Array:
        """The ideal of each kind for each bq."""
        ideals = self.laid.ideals
        if ideals is None:
            raise TypeError("sDCG has no ideal")
        slots, kind = self.laid.slots(self.discount), self.laid.how.convention.ideal_kind
        if kind == "repeated":
            width = min(ideals.depth, ideals.pool.shape[1])
            each = ideals.pool[:, :width] @ slots[:, :width].T
            return np.asarray(each[ideals.base, np.arange(slots.shape[0])] @ weights)
        found = np.zeros((len(ideals.queries), weights.shape[1]))
        for n in np.unique(ideals.queries).tolist():
            left = slots[:n, :, None] * weights[:n, None, :]
            left = left.reshape(-1, weights.shape[1])
            if kind == "best_slots":
                left = -np.sort(-left, axis=0)
            width = min(len(left), ideals.pool.shape[1])
            these = ideals.queries == n
            found[these] = (ideals.pool[:, :width] @ left[:width])[ideals.base[these, 0]]
        return found


def laid_out(sessions: MatchedSessions, recipe: SessionRecipe, group: Ranks, groups: int) -> Laid:
    """The gains of all sessions, added up where they share what matters.

    Args:
        held: the sessions.
        how: sDCG or nsDCG, everything settled but b and bq.
        group: the number of each session's group.
        groups: how many groups there are.
    """
    got, most = earned(sessions, recipe), int(sessions.queries.max())
    if recipe.entry.normalised:
        kind, counted, given, of_kind, ideals = _by_ideal(sessions, recipe, got, group, groups)
    else:
        kind, of_kind, ideals = group, np.arange(groups), None
        counted, given = np.bincount(group, minlength=groups), np.zeros(groups)
    rank = got.reach - 1
    session = sessions.session[got.query]
    some = kind[session] >= 0
    line = kind[session[some]] * most + sessions.position[got.query[some]] - 1
    line, rank, gain = _added_up(line, rank[some], got.gain[some], len(of_kind) * most)
    return Laid(
        how=recipe,
        counted=counted,
        given=given,
        group=of_kind,
        queries=most,
        line=line,
        rank=rank,
        gain=gain,
        ideals=ideals,
    )


def _added_up(line: Ranks, rank: Ranks, gain: Array, lines: int) -> tuple[Ranks, Ranks, Array]:
    """One gain for each line and rank, unless there are far more places than gains."""
    deep = int(rank.max(initial=0)) + 1
    if lines * deep > 4 * len(gain) + _SMALL:
        return line, rank, gain
    total = np.bincount(line * deep + rank, gain, minlength=lines * deep)
    at = np.flatnonzero(total)
    return at // deep, at % deep, total[at].astype(np.float64)


def _by_ideal(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, group: Ranks, groups: int
) -> tuple[Ranks, Ranks, Array, Ranks, Ideals]:
    """The kind of each session (-1 if it has no ideal), and what belongs to that."""
    x, most, base = recipe.k or 0, int(sessions.queries.max()), got.shown.base
    if recipe.convention.ideal_kind != "repeated":
        final(sessions, recipe, got)  # refuses sessions whose queries have judgments of their own
    widest = x if recipe.convention.ideal_kind == "repeated" else x * most
    place = places(got)
    width = min(widest, int(place.max(initial=1)))
    inside = place <= width
    pool = np.zeros((bases(got) + 1, width))
    pool[got.shown.pool_base[inside], place[inside] - 1] = got.pool[inside]
    pool, same = np.unique(pool, axis=0, return_inverse=True)  # equal pools, equal ideals
    same = same.ravel()
    base, nothing = same[base], int(same[-1])
    some = np.bincount(sessions.session, pool[base, 0] > 0, minlength=sessions.size) > 0
    counted, given = _without_ideal(recipe, some, group, groups)
    own = base[np.cumsum(sessions.queries) - sessions.queries]
    one_base = bool((base == own[sessions.session]).all())
    if one_base:
        key = (group * len(pool) + own) * (most + 1) + sessions.queries
        _, one, kind = np.unique(key, return_index=True, return_inverse=True)
    else:  # turns of conversations: each session has an ideal of its own
        one = kind = np.arange(sessions.size)
    laid = np.full((sessions.size, most), nothing)
    laid[sessions.session, sessions.position - 1] = base
    ideals = Ideals(
        pool=pool, base=laid[one], queries=sessions.queries[one], depth=x, one_base=one_base
    )
    return np.where(some, kind, -1), counted, given, group[one], ideals


def _without_ideal(
    recipe: SessionRecipe, some: Flags, group: Ranks, groups: int
) -> tuple[Ranks, Array]:
    """How many sessions of each group count, and what those without an ideal add up to."""
    empty = recipe.convention.empty
    number = np.bincount(group, minlength=groups)
    without = np.bincount(group[~some], minlength=groups)
    if empty == "error" and without.any():
        raise BadValue("ideal", 0.0, "an ideal above zero in every session (empty=error)")
    if empty == "skip":
        return number - without, np.zeros(groups)
    return number, np.asarray(without * (1.0 if empty == 1 else 0.0))
