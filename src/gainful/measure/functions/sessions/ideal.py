"""Ideal sessions: how much could have been gained at each query and rank.

Three of them. `repeated` shows the best documents again in every query, as the paper of 2008 has
it; `once` shows each document once, query by query; `best_slots` puts each document once where it
counts most.
"""

from __future__ import annotations

import numpy as np

from gainful.errors import BadValue
from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import (
    SessionGains,
    discounts,
    query_weights,
    sum_by_index,
)
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Ranks


def pool_ranks(gains: SessionGains) -> Ranks:
    """The place of each document in its pool, from 1."""
    base = gains.judged.pool_base
    first = np.searchsorted(base, base)
    return np.asarray(np.arange(len(base)) - first + 1, dtype=np.intp)


def count_recall_bases(gains: SessionGains) -> int:
    """How many recall bases there are."""
    return int(max(gains.judged.pool_base.max(initial=-1), gains.judged.base.max(initial=-1))) + 1


def ideal_dcg(recipe: SessionRecipe, gains: SessionGains) -> Array:
    """The ideal DCG at X of each query, not discounted by its position."""
    place = pool_ranks(gains)
    inside = place <= (recipe.k or len(place))
    discounted_gain = gains.pool_gain[inside] * discounts(recipe, place[inside])
    total = sum_by_index(gains.judged.pool_base[inside], discounted_gain, count_recall_bases(gains))
    return _take_by_base(total, gains.judged.base)


def _take_by_base(total: Array, base: Ranks) -> Array:
    """What each recall base has; a query without one has nothing."""
    return np.append(total, 0.0)[base]  # -1 is the last


def ideal_gain(
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    gains: SessionGains,
    queries: Ranks | None = None,
) -> Array:
    """The gain of each ideal session at its end, or after so many queries."""
    kind = recipe.convention.ideal_kind
    length = sessions.query_counts if queries is None else queries
    if recipe.queries is not None:  # the ideal session has them all
        length = np.full(sessions.size, recipe.queries)
    if kind == "repeated":
        return _ideal_with_repeats(sessions, recipe, gains, length)
    base = _recall_base_for_ideal(sessions, recipe, gains)
    place, ideal_gains = pool_ranks(gains), np.zeros(sessions.size)
    for n in np.unique(length).tolist():
        slots = slot_weights(recipe, n)
        if kind == "best_slots":
            slots = -np.sort(-slots)
        inside = place <= len(slots)
        total = sum_by_index(
            gains.judged.pool_base[inside],
            gains.pool_gain[inside] * slots[place[inside] - 1],
            count_recall_bases(gains),
        )
        these = length == n
        ideal_gains[these] = _take_by_base(total, base[these])
    return ideal_gains


def slot_weights(recipe: SessionRecipe, queries: int) -> Array:
    """What is left of a gain at each place of a session: X ranks of each query, in order."""
    x = recipe.k or 0
    rank = np.tile(np.arange(1, x + 1), queries)
    position = np.repeat(np.arange(1, queries + 1), x)
    if recipe.convention.rank_discount == "concatenated":
        rank += (position - 1) * x
    return discounts(recipe, rank) * query_weights(recipe, position)


def _ideal_with_repeats(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, length: Ranks
) -> Array:
    """The best X documents in every query."""
    if recipe.convention.rank_discount == "restart":
        per_query = ideal_dcg(recipe, gains)
        if (length == sessions.query_counts).all():
            weighted = per_query * query_weights(recipe, sessions.position)
            return sum_by_index(sessions.session, weighted, sessions.size)
        _recall_base_for_ideal(sessions, recipe, gains, growing=True)
        max_queries = int(length.max())
        until = np.cumsum(query_weights(recipe, np.arange(1, max_queries + 1)))
        return np.asarray(per_query[sessions.first_query] * until[length - 1])
    if (length > sessions.query_counts).any():
        _recall_base_for_ideal(sessions, recipe, gains, growing=True)
    x, place = recipe.k or 0, pool_ranks(gains)
    inside = place <= x
    ideal_gains, last = np.zeros(sessions.size), gains.judged.base[sessions.last_query]
    for position in range(1, int(length.max()) + 1):
        discounted_gain = gains.pool_gain[inside] * discounts(
            recipe, place[inside] + (position - 1) * x
        )
        total = sum_by_index(
            gains.judged.pool_base[inside], discounted_gain, count_recall_bases(gains)
        )
        own = sessions.position == position
        weight = float(query_weights(recipe, np.array([position]))[0])
        base = last.copy()
        base[sessions.session[own]] = gains.judged.base[own]
        ideal_gains += np.where(length >= position, weight * _take_by_base(total, base), 0.0)
    return ideal_gains


def _recall_base_for_ideal(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, *, growing: bool = False
) -> Ranks:
    """The recall base of each session; refused in the words of what was asked for."""
    convention = recipe.convention
    setting: tuple[str, str, str] = ("ideal", convention.ideal_kind, "repeated")
    if convention.ideal == "paired":  # it is the duplicates that ask for such an ideal
        setting = ("duplicates", convention.duplicates, "every, clicked or judged")
    if growing and recipe.queries is not None:  # to so many queries, whenever a searcher stops
        setting = ("at", convention.at, "results")
    elif growing:
        setting = ("hold", "growing", "held")
    return session_recall_base(sessions, gains.judged.base, setting)


def session_recall_base(
    sessions: MatchedSessions, base: Ranks, setting: tuple[str, str, str]
) -> Ranks:
    """The recall base of each session, of which there must be one.

    Args:
        sessions: those that were matched.
        base: the recall base of each query.
        setting: what cannot be had otherwise: its name, its value, and what can.
    """
    own = base[sessions.first_query]
    if not (base == own[sessions.session]).all():
        at = int(np.flatnonzero(base != own[sessions.session])[0])
        session, (name, value, alternative) = (
            sessions.session_ids[int(sessions.session[at])],
            setting,
        )
        raise BadValue(
            name,
            value,
            f"{alternative}: queries of session {session!r} have judgments of their own, as turns "
            "of a conversation do",
        )
    return np.asarray(own, dtype=np.intp)


def cumulate_ideal(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, queries: int
) -> Array:
    """The gain of each ideal session down to every place: sessions × queries × ranks."""
    x, kind = recipe.k or 0, recipe.convention.ideal_kind
    if kind == "repeated":
        return _cumulate_ideal_with_repeats(sessions, recipe, gains, queries)
    width = queries * x
    best_gains = _best_gains_by_base(gains, width)
    base = _recall_base_for_ideal(sessions, recipe, gains)
    slots = slot_weights(recipe, queries)
    if kind == "once":
        whole = np.cumsum(best_gains * slots, axis=1)
    else:
        whole = np.empty_like(best_gains)
        for p in range(1, width + 1):
            best = -np.sort(-slots[:p])
            whole[:, p - 1] = best_gains[:, :p] @ best
    return whole[base].reshape(sessions.size, queries, x)


def cumulate_query_ideals(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, queries: int
) -> Array:
    """The ideal of each query by itself, down to every rank: sessions × queries × ranks."""
    ranks = np.arange(1, (recipe.k or 0) + 1)
    return np.cumsum(
        _repeat_best_gains(sessions, recipe, gains, queries) * discounts(recipe, ranks), axis=2
    )


def _cumulate_ideal_with_repeats(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, queries: int
) -> Array:
    best_gains = _repeat_best_gains(sessions, recipe, gains, queries)
    added = best_gains * slot_weights(recipe, queries).reshape(best_gains.shape[1:])
    return np.cumsum(added.reshape(sessions.size, -1), axis=1).reshape(added.shape)


def _repeat_best_gains(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, queries: int
) -> Array:
    """The gains of the best documents, in every query: sessions × queries × ranks."""
    best_gains = _best_gains_by_base(gains, recipe.k or 0)
    base = np.full((sessions.size, queries), -1)
    inside = sessions.position <= queries
    base[sessions.session[inside], sessions.position[inside] - 1] = gains.judged.base[inside]
    last = gains.judged.base[sessions.last_query]
    stopped = np.arange(queries) >= sessions.query_counts[:, None]
    return np.asarray(
        best_gains[np.where(stopped, last[:, None], base)]
    )  # goes on, if the ideal does


def _best_gains_by_base(gains: SessionGains, width: int) -> Array:
    """The gains of each recall base, best first; the last row is that of no judgments."""
    place = pool_ranks(gains)
    inside = place <= width
    best_gains = np.zeros((count_recall_bases(gains) + 1, width))
    best_gains[gains.judged.pool_base[inside], place[inside] - 1] = gains.pool_gain[inside]
    return best_gains
