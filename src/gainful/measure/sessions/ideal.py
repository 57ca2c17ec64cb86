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


def undiscounted(how: SessionRecipe, got: Earned) -> Array:
    """The ideal DCG at X of each query, not discounted by its position."""
    place = places(got)
    inside = place <= (how.k or len(place))
    weights = got.pool[inside] * discounts(how, place[inside])
    total = summed(got.shown.pool_base[inside], weights, bases(got))
    return _of_base(total, got.shown.base)


def _of_base(total: Array, base: Ranks) -> Array:
    """What each recall base has; a query without one has nothing."""
    return np.append(total, 0.0)[base]  # -1 is the last


def final(
    held: MatchedSessions, how: SessionRecipe, got: Earned, queries: Ranks | None = None
) -> Array:
    """The gain of each ideal session at its end, or after so many queries."""
    kind = how.convention.ideal_kind
    length = held.queries if queries is None else queries
    if how.queries is not None:  # the ideal session has them all
        length = np.full(held.size, how.queries)
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
        found[these] = _of_base(total, base[these])
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
        per_query = undiscounted(how, got)
        if (length == held.queries).all():
            weighted = per_query * query_weights(how, held.position)
            return summed(held.session, weighted, held.size)
        _one_base(held, got, "hold=growing")
        first = np.cumsum(held.queries) - held.queries
        most = int(length.max())
        until = np.cumsum(query_weights(how, np.arange(1, most + 1)))
        return np.asarray(per_query[first] * until[length - 1])
    if (length > held.queries).any():
        _one_base(held, got, "hold=growing")
    x, place = how.k or 0, places(got)
    inside = place <= x
    found, last = np.zeros(held.size), got.shown.base[np.cumsum(held.queries) - 1]
    for position in range(1, int(length.max()) + 1):
        weights = got.pool[inside] * discounts(how, place[inside] + (position - 1) * x)
        total = summed(got.shown.pool_base[inside], weights, bases(got))
        own = held.position == position
        weight = float(query_weights(how, np.array([position]))[0])
        base = last.copy()
        base[held.session[own]] = got.shown.base[own]
        found += np.where(length >= position, weight * _of_base(total, base), 0.0)
    return found


def _one_base(held: MatchedSessions, got: Earned, what: str) -> Ranks:
    return one_base(held, got.shown.base, ("ideal", what, "repeated"))


def one_base(held: MatchedSessions, base: Ranks, asked: tuple[str, str, str]) -> Ranks:
    """The recall base of each session, of which there must be one.

    Args:
        held: the sessions.
        base: the recall base of each query.
        asked: what cannot be had otherwise: its name, its value, and what can.
    """
    own = base[np.cumsum(held.queries) - held.queries]
    if not (base == own[held.session]).all():
        at = int(np.flatnonzero(base != own[held.session])[0])
        session, (name, value, other) = held.sessions[int(held.session[at])], asked
        raise BadValue(
            name, value, f"{other}: queries of session {session!r} have judgments of their own"
        )
    return np.asarray(own, dtype=np.intp)


def by_place(held: MatchedSessions, how: SessionRecipe, got: Earned, queries: int) -> Array:
    """The gain of each ideal session down to every place: sessions × queries × ranks."""
    x, kind = how.k or 0, how.convention.ideal_kind
    if kind == "repeated":
        return _repeated_by_place(held, how, got, queries)
    width = queries * x
    gains = _by_base(got, width)
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


def of_queries(held: MatchedSessions, how: SessionRecipe, got: Earned, queries: int) -> Array:
    """The ideal of each query by itself, down to every rank: sessions × queries × ranks."""
    ranks = np.arange(1, (how.k or 0) + 1)
    return np.cumsum(_best_again(held, how, got, queries) * discounts(how, ranks), axis=2)


def _repeated_by_place(
    held: MatchedSessions, how: SessionRecipe, got: Earned, queries: int
) -> Array:
    gains = _best_again(held, how, got, queries)
    added = gains * slot_weights(how, queries).reshape(gains.shape[1:])
    return np.cumsum(added.reshape(held.size, -1), axis=1).reshape(added.shape)


def _best_again(held: MatchedSessions, how: SessionRecipe, got: Earned, queries: int) -> Array:
    """The gains of the best documents, in every query: sessions × queries × ranks."""
    gains = _by_base(got, how.k or 0)
    base = np.full((held.size, queries), -1)
    inside = held.position <= queries
    base[held.session[inside], held.position[inside] - 1] = got.shown.base[inside]
    last = got.shown.base[np.cumsum(held.queries) - 1]
    stopped = np.arange(queries) >= held.queries[:, None]
    return np.asarray(gains[np.where(stopped, last[:, None], base)])  # goes on, if the ideal does


def _by_base(got: Earned, width: int) -> Array:
    """The gains of each recall base, best first; the last row is that of no judgments."""
    place = places(got)
    inside = place <= width
    gains = np.zeros((bases(got) + 1, width))
    gains[got.shown.pool_base[inside], place[inside] - 1] = got.pool[inside]
    return gains
