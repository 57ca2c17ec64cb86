"""Ideal sessions: how much could have been gained at each query and rank.

Three of them. `repeated` shows the best documents again in every query, as the paper of 2008 has
it; `once` shows each document once, query by query; `best_slots` puts each document once where it
counts most.
"""

from __future__ import annotations

import numpy as np

from gainful.errors import BadValue
from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import MatchedSessions
from gainful.measure.sessions.gains import Earned, discounts, query_weights, summed
from gainful.measure.sessions.how import SessionRecipe


def places(got: Earned) -> Ranks:
    """The place of each document in its pool, from 1."""
    base = got.shown.pool_base
    first = np.searchsorted(base, base)
    return np.asarray(np.arange(len(base)) - first + 1, dtype=np.intp)


def bases(got: Earned) -> int:
    """How many recall bases there are."""
    return int(max(got.shown.pool_base.max(initial=-1), got.shown.base.max(initial=-1))) + 1


def undiscounted(held: MatchedSessions, how: SessionRecipe, got: Earned) -> Array:
    """The ideal DCG at X of each query, not discounted by its position."""
    place = places(got)
    inside = place <= (how.k or len(place))
    weights = got.pool[inside] * discounts(how, place[inside])
    total = summed(got.shown.pool_base[inside], weights, bases(got))
    return _per_query(total, held, got)


def _per_query(total: Array, held: MatchedSessions, got: Earned) -> Array:
    base = got.shown.base
    if not len(total):
        return np.zeros(len(held.position))
    return np.where(base >= 0, total[base], 0.0)


def final(
    held: MatchedSessions, how: SessionRecipe, got: Earned, queries: Ranks | None = None
) -> Array:
    """The gain of each ideal session at its end, or after so many queries."""
    kind = how.convention.ideal_kind
    length = held.queries if queries is None else queries
    if kind == "repeated":
        return _repeated(held, how, got, length)
    base = _one_base(held, got, kind)
    place, found = places(got), np.zeros(held.size)
    for n in np.unique(length).tolist():
        slots = slot_weights(how, n)
        if kind == "best_slots":
            slots = -np.sort(-slots)
        inside = place <= len(slots)
        total = summed(
            got.shown.pool_base[inside], got.pool[inside] * slots[place[inside] - 1], bases(got)
        )
        these = length == n
        found[these] = np.where(base[these] >= 0, total[base[these]], 0.0)
    return found


def slot_weights(how: SessionRecipe, queries: int) -> Array:
    """What is left of a gain at each place of a session: X ranks of each query, in order."""
    x = how.k or 0
    rank = np.tile(np.arange(1, x + 1), queries)
    position = np.repeat(np.arange(1, queries + 1), x)
    if how.convention.rank_discount == "concatenated":
        rank += (position - 1) * x
    return discounts(how, rank) * query_weights(how, position)


def _repeated(held: MatchedSessions, how: SessionRecipe, got: Earned, length: Ranks) -> Array:
    """The best X documents in every query."""
    if how.convention.rank_discount == "restart":
        per_query = undiscounted(held, how, got)
        if (length == held.queries).all():
            weighted = per_query * query_weights(how, held.position)
            return summed(held.session, weighted, held.size)
        _one_base(held, got, "hold=growing")
        first = np.cumsum(held.queries) - held.queries
        most = int(length.max())
        until = np.cumsum(query_weights(how, np.arange(1, most + 1)))
        return np.asarray(per_query[first] * until[length - 1])
    x, place = how.k or 0, places(got)
    inside = place <= x
    found = np.zeros(held.size)
    for position in range(1, int(length.max()) + 1):
        weights = got.pool[inside] * discounts(how, place[inside] + (position - 1) * x)
        total = summed(got.shown.pool_base[inside], weights, bases(got))
        own = held.position == position
        weight = float(query_weights(how, np.array([position]))[0])
        found[held.session[own]] += weight * _per_query(total, held, got)[own]
    return found


def _one_base(held: MatchedSessions, got: Earned, what: str) -> Ranks:
    """The recall base of each session, of which there must be one."""
    base = got.shown.base
    own = base[np.cumsum(held.queries) - held.queries]
    if not (base == own[held.session]).all():
        at = int(np.flatnonzero(base != own[held.session])[0])
        name = held.sessions[int(held.session[at])]
        raise BadValue(
            "ideal", what, f"repeated: queries of session {name!r} have judgments of their own"
        )
    return np.asarray(own, dtype=np.intp)


def by_place(held: MatchedSessions, how: SessionRecipe, got: Earned, queries: int) -> Array:
    """The gain of each ideal session down to every place: sessions × queries × ranks."""
    x = how.k or 0
    kind = how.convention.ideal_kind
    place = places(got)
    inside = place <= (x if kind == "repeated" else queries * x)
    width = x if kind == "repeated" else queries * x
    gains = np.zeros((bases(got) + 1, width))  # the last one is that of no judgments
    gains[got.shown.pool_base[inside], place[inside] - 1] = got.pool[inside]
    if kind == "repeated":
        return _repeated_by_place(held, how, got, gains, queries)
    base = _one_base(held, got, kind)
    slots = slot_weights(how, queries)
    if kind == "once":
        whole = np.cumsum(gains * slots, axis=1)
    else:
        whole = np.empty_like(gains)
        for p in range(1, width + 1):
            best = -np.sort(-slots[:p])
            whole[:, p - 1] = gains[:, :p] @ best
    return whole[base].reshape(held.size, queries, x)


def _repeated_by_place(
    held: MatchedSessions, how: SessionRecipe, got: Earned, gains: Array, queries: int
) -> Array:
    x = gains.shape[1]
    base = np.full((held.size, queries), -1)
    base[held.session, held.position - 1] = got.shown.base
    last = base[np.arange(held.size), held.queries - 1]
    stopped = np.arange(queries) >= held.queries[:, None]
    base = np.where(stopped, last[:, None], base)  # goes on, if the ideal does
    slots = slot_weights(how, queries).reshape(queries, x)
    added = gains[base] * slots
    return np.cumsum(added.reshape(held.size, queries * x), axis=1).reshape(added.shape)
