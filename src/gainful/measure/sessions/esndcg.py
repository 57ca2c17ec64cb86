"""esnDCG and esnCG: what is to be expected of all the ways through a session (Kanoulas 2011).

A searcher goes down a list, from each document to the next with probability p_down, and then asks
the next query with probability p_ref. What was looked at, list after list, is one path; its value
is its share of the ideal path of the same length. Paths are too many to be looked at one by one,
but how likely they are and what they gain follows from query to query by their lengths alone.
"""

from __future__ import annotations

import numpy as np

from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.match.sessions import MatchedSessions
from gainful.measure.normalise import ratio
from gainful.measure.sessions.gains import counted, discounts, worth
from gainful.measure.sessions.ideal import one_base
from gainful.measure.sessions.recipe_value import SessionRecipe

_TOGETHER = 4_000_000  # sessions times path lengths that are laid out at once


def expected_share(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The share of the ideal path that a searcher is to be expected to reach."""
    shown, counts, gain, depth = counted(sessions, recipe)
    looked_at = np.minimum(sessions.listed, depth)  # short lists are as they are
    longest = int(_per_session(sessions, looked_at).max(initial=0))
    pool = np.maximum(worth(shown.pool_grade, recipe, sessions, None), 0.0)
    ideal = _ideals(recipe, shown.pool_base, pool, shown.base, longest)
    base = one_base(sessions, shown.base, ("measure", recipe.label, "a measure of queries"))
    lists = np.zeros((len(sessions.position), int(looked_at.max(initial=0))))
    some = counts & (gain != 0)
    lists[shown.query[some], shown.rank[some] - 1] = gain[some]
    step = max(1, _TOGETHER // (longest + 1))
    found = np.zeros(sessions.size)
    for first in range(0, sessions.size, step):
        own = slice(first, min(first + step, sessions.size))
        found[own] = _expected(sessions, recipe, own, (lists, looked_at), ideal[base[own]])
    some_ideal = ideal[base, -1] if longest else np.zeros(sessions.size)
    return ratio(found, (some_ideal > 0).astype(np.float64), recipe.convention.empty)


def _per_session(sessions: MatchedSessions, numbers: Ranks) -> Ranks:
    return np.bincount(sessions.session, numbers, minlength=sessions.size).astype(np.intp)


def _ideals(
    recipe: SessionRecipe, pool_base: Ranks, pool: Array, base: Ranks, longest: int
) -> Array:
    """The gain of the best path of each length, of every recall base; the last is of none."""
    order = np.lexsort((-pool, pool_base))
    gain, base_of = pool[order], pool_base[order]
    place = np.arange(len(gain)) - np.searchsorted(base_of, base_of)
    size = int(max(base_of.max(initial=-1), base.max(initial=-1))) + 2
    best = np.zeros((size, longest + 1))
    inside = place < longest
    best[base_of[inside], place[inside] + 1] = gain[inside] * discounts(recipe, place[inside] + 1)
    return np.cumsum(best, axis=1)


def _expected(
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    own: slice,
    shown: tuple[Array, Ranks],
    ideal: Array,
) -> Array:
    """The expected share of some sessions, query by query.

    `likely` is how likely the searcher has looked at so many documents and goes on, `gain` what
    these paths have gained, each as much as it is likely.
    """
    p_ref, p_down = float(recipe.setting("p_ref")), float(recipe.setting("p_down"))
    size, lengths = ideal.shape
    number = np.arange(own.start, own.stop)
    begin = (np.cumsum(sessions.queries) - sessions.queries)[number]
    left = discounts(recipe, np.arange(1, lengths + 1))
    likely, gain = np.zeros((size, lengths)), np.zeros((size, lengths))
    likely[:, 0] = 1.0
    found = np.zeros(size)
    for position in range(int(sessions.queries[number].max())):
        going = sessions.queries[number] > position
        query = np.where(going, begin + position, begin)
        likely, gain = _through(
            likely, gain, going, (shown[0][query], shown[1][query]), left, p_down
        )
        share = np.divide(gain, ideal, out=np.zeros_like(gain), where=ideal > 0).sum(axis=1)
        last = sessions.queries[number] == position + 1
        found += np.where(going, np.where(last, 1.0, 1 - p_ref), 0.0) * share
        likely, gain = likely * p_ref, gain * p_ref
    return found


def _through(  # noqa: PLR0917  (what is carried, and what it meets)
    likely: Array,
    gain: Array,
    going: Flags,
    lists: tuple[Array, Ranks],
    left: Array,
    p_down: float,
) -> tuple[Array, Array]:
    """What is carried through one more list: the searcher stops at any of its documents."""
    worths, listed = lists
    lengths = likely.shape[1]
    stays = going & (listed == 0)  # nothing to look at
    after, gained = likely * stays[:, None], gain * stays[:, None]
    for k in range(1, int(listed[going].max(initial=0)) + 1):
        # One document more: where a path had n documents, it is now the (n + k)-th.
        gain = gain.copy()
        gain[:, : lengths - k] += (
            likely[:, : lengths - k] * worths[:, k - 1, None] * left[k - 1 : -1]
        )
        ends = np.where(listed > k, 1 - p_down, np.where(listed == k, 1.0, 0.0)) * p_down ** (k - 1)
        ends = np.where(going, ends, 0.0)[:, None]
        after[:, k:] += ends * likely[:, : lengths - k]
        gained[:, k:] += ends * gain[:, : lengths - k]
    return after, gained
