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
from gainful.measure.sessions.recipe_value import SessionRecipe


def places(got: Earned) -> Ranks:
    """The place of each document in its pool, from 1."""
    base = got.shown.pool_base
    first = np.searchsorted(base, base)
    return np.asarray(np.arange(len(base)) - first + 1, dtype=np.intp)


def bases(got: Earned) -> int:
    """How many recall bases there are."""
    return int(max(got.shown.pool_base.max(initial=-1), got.shown.base.max(initial=-1))) + 1


def undiscounted(recipe: SessionRecipe, got: Earned) -> Array:
    """The ideal DCG at X of each query, not discounted by its position."""
    place = places(got)
    inside = place <= (recipe.k or len(place))
    weights = got.pool[inside] * discounts(recipe, place[inside])
    total = summed(got.shown.pool_base[inside], weights, bases(got))
    return _of_base(total, got.shown.base)


def _of_base(total: Array, base: Ranks) -> Array:
    """What each recall base has; a query without one has nothing."""
    return np.append(total, 0.0)[base]  # -1 is the last


def final(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, queries: Ranks | None = None
) -> Array:
    """The gain of each ideal session at its end, or after so many queries."""
    kind = recipe.convention.ideal_kind
    length = sessions.queries if queries is None else queries
    if recipe.queries is not None:  # the ideal session has them all
        length = np.full(sessions.size, recipe.queries)
    if kind == "repeated":
        return _repeated(sessions, recipe, got, length)
    base = _one_base(sessions, got, kind)
    place, found = places(got), np.zeros(sessions.size)
    for n in np.unique(length).tolist():
        slots = slot_weights(recipe, n)
        if kind == "best_slots":
            slots = -np.sort(-slots)
        inside = place <= len(slots)
        total = summed(
            got.shown.pool_base[inside], got.pool[inside] * slots[place[inside] - 1], bases(got)
        )
        these = length == n
        found[these] = _of_base(total, base[these])
    return found


def slot_weights(recipe: SessionRecipe, queries: int) -> Array:
    """What is left of a gain at each place of a session: X ranks of each query, in order."""
    x = recipe.k or 0
    rank = np.tile(np.arange(1, x + 1), queries)
    position = np.repeat(np.arange(1, queries + 1), x)
    if recipe.convention.rank_discount == "concatenated":
        rank += (position - 1) * x
    return discounts(recipe, rank) * query_weights(recipe, position)


def _repeated(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, length: Ranks
) -> Array:
    """The best X documents in every query."""
    if recipe.convention.rank_discount == "restart":
        per_query = undiscounted(recipe, got)
        if (length == sessions.queries).all():
            weighted = per_query * query_weights(recipe, sessions.position)
            return summed(sessions.session, weighted, sessions.size)
        _one_base(sessions, got, "hold=growing")
        first = np.cumsum(sessions.queries) - sessions.queries
        most = int(length.max())
        until = np.cumsum(query_weights(recipe, np.arange(1, most + 1)))
        return np.asarray(per_query[first] * until[length - 1])
    if (length > sessions.queries).any():
        _one_base(sessions, got, "hold=growing")
    x, place = recipe.k or 0, places(got)
    inside = place <= x
    found, last = np.zeros(sessions.size), got.shown.base[np.cumsum(sessions.queries) - 1]
    for position in range(1, int(length.max()) + 1):
        weights = got.pool[inside] * discounts(recipe, place[inside] + (position - 1) * x)
        total = summed(got.shown.pool_base[inside], weights, bases(got))
        own = sessions.position == position
        weight = float(query_weights(recipe, np.array([position]))[0])
        base = last.copy()
        base[sessions.session[own]] = got.shown.base[own]
        found += np.where(length >= position, weight * _of_base(total, base), 0.0)
    return found


def _one_base(sessions: MatchedSessions, got: Earned, what: str) -> Ranks:
    return one_base(sessions, got.shown.base, ("ideal", what, "repeated"))


def one_base(sessions: MatchedSessions, base: Ranks, asked: tuple[str, str, str]) -> Ranks:
    """The recall base of each session, of which there must be one.

    Args:
        held: the sessions.
        base: the recall base of each query.
        asked: what cannot be had otherwise: its name, its value, and what can.
    """
    own = base[np.cumsum(sessions.queries) - sessions.queries]
    if not (base == own[sessions.session]).all():
        at = int(np.flatnonzero(base != own[sessions.session])[0])
        session, (name, value, other) = sessions.sessions[int(sessions.session[at])], asked
        raise BadValue(
            name, value, f"{other}: queries of session {session!r} have judgments of their own"
        )
    return np.asarray(own, dtype=np.intp)


def by_place(sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, queries: int) -> Array:
    """The gain of each ideal session down to every place: sessions × queries × ranks."""
    x, kind = recipe.k or 0, recipe.convention.ideal_kind
    if kind == "repeated":
        return _repeated_by_place(sessions, recipe, got, queries)
    width = queries * x
    gains = _by_base(got, width)
    base = _one_base(sessions, got, kind)
    slots = slot_weights(recipe, queries)
    if kind == "once":
        whole = np.cumsum(gains * slots, axis=1)
    else:
        whole = np.empty_like(gains)
        for p in range(1, width + 1):
            best = -np.sort(-slots[:p])
            whole[:, p - 1] = gains[:, :p] @ best
    return whole[base].reshape(sessions.size, queries, x)


def of_queries(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, queries: int
) -> Array:
    """The ideal of each query by itself, down to every rank: sessions × queries × ranks."""
    ranks = np.arange(1, (recipe.k or 0) + 1)
    return np.cumsum(_best_again(sessions, recipe, got, queries) * discounts(recipe, ranks), axis=2)


def _repeated_by_place(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, queries: int
) -> Array:
    gains = _best_again(sessions, recipe, got, queries)
    added = gains * slot_weights(recipe, queries).reshape(gains.shape[1:])
    return np.cumsum(added.reshape(sessions.size, -1), axis=1).reshape(added.shape)


def _best_again(
    sessions: MatchedSessions, recipe: SessionRecipe, got: Earned, queries: int
) -> Array:
    """The gains of the best documents, in every query: sessions × queries × ranks."""
    gains = _by_base(got, recipe.k or 0)
    base = np.full((sessions.size, queries), -1)
    inside = sessions.position <= queries
    base[sessions.session[inside], sessions.position[inside] - 1] = got.shown.base[inside]
    last = got.shown.base[np.cumsum(sessions.queries) - 1]
    stopped = np.arange(queries) >= sessions.queries[:, None]
    return np.asarray(gains[np.where(stopped, last[:, None], base)])  # goes on, if the ideal does


def _by_base(got: Earned, width: int) -> Array:
    """The gains of each recall base, best first; the last row is that of no judgments."""
    place = places(got)
    inside = place <= width
    gains = np.zeros((bases(got) + 1, width))
    gains[got.shown.pool_base[inside], place[inside] - 1] = got.pool[inside]
    return gains
