"""The cube test: how fast does a session fill the subtopics, each of which wants only so much?

As in the scorer of the TREC Dynamic Domain track: the n-th document for a subtopic fills it by
gamma^n of its grade, up to `cap`; a document that was shown before fills nothing.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import MatchedSessions
from gainful.measure.sessions.aspects import about
from gainful.measure.sessions.gains import summed
from gainful.measure.sessions.recipe_value import SessionRecipe


@frozen(eq=False, kw_only=True)
class _Filled:
    """What each document added, as a share of all that is wanted."""

    query: Ranks
    rank: Ranks
    gain: Array


def cube_test(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much of the cube is full at the end, per query?"""
    filled = _filled(sessions, recipe)
    total = summed(sessions.session[filled.query], filled.gain, sessions.size)
    return np.asarray(total / sessions.queries)


def average_cube_test(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The same after each document, averaged over all that were shown.

    What a document adds is there at all documents from it on: it counts once for each, divided
    by the number of queries so far.
    """
    filled = _filled(sessions, recipe)
    share = sessions.listed / sessions.position
    until = np.cumsum(share)
    later = (until[np.cumsum(sessions.queries) - 1])[sessions.session] - until
    position = sessions.position[filled.query]
    times = later[filled.query] + (sessions.listed[filled.query] - filled.rank + 1) / position
    total = summed(sessions.session[filled.query], filled.gain * times, sessions.size)
    shown = summed(sessions.session, sessions.listed.astype(np.float64), sessions.size)
    return np.asarray(total / np.maximum(shown, 1))


def _filled(sessions: MatchedSessions, recipe: SessionRecipe) -> _Filled:
    gamma, cap = float(recipe.setting("gamma")), float(recipe.setting("cap"))
    found = about(sessions, np.nextafter(0, 1), each=False)
    everything = sessions.depth(None, "assumed")
    first = sessions.first_time(sessions.judged, everything)[found.hit]
    hit, aspect, grade = found.hit[first], found.aspect[first], found.grade[first]
    query, rank = sessions.judged.query[hit], sessions.judged.rank[hit]
    wide = int(aspect.max(initial=0)) + 1
    key = sessions.session[query] * wide + aspect
    order = np.lexsort((rank, query, key))
    query, rank, grade, key = query[order], rank[order], grade[order], key[order]
    _, begin, row = np.unique(key, return_index=True, return_inverse=True)
    nth = np.arange(len(key)) - begin[row]
    height = np.zeros((len(begin), int(nth.max(initial=-1)) + 2))
    height[row, nth + 1] = gamma ** (nth + 1.0) * grade
    height = np.minimum(np.cumsum(height, axis=1), cap)  # nothing is added to what is full
    added = height[row, nth + 1] - height[row, nth]
    return _Filled(query=query, rank=rank, gain=added / cap / found.known[query])
