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
from gainful.measure.sessions.about import about
from gainful.measure.sessions.gains import summed
from gainful.measure.sessions.how import SessionRecipe


@frozen(eq=False, kw_only=True)
class _Filled:
    """What each document added, as a share of all that is wanted."""

    query: Ranks
    rank: Ranks
    gain: Array


def cube_test(held: MatchedSessions, how: SessionRecipe) -> Array:
    """How much of the cube is full at the end, per query?"""
    filled = _filled(held, how)
    total = summed(held.session[filled.query], filled.gain, held.size)
    return np.asarray(total / held.queries)


def average_cube_test(held: MatchedSessions, how: SessionRecipe) -> Array:
    """The same after each document, averaged over all that were shown.

    What a document adds is there at all documents from it on: it counts once for each, divided
    by the number of queries so far.
    """
    filled = _filled(held, how)
    share = held.listed / held.position
    until = np.cumsum(share)
    later = (until[np.cumsum(held.queries) - 1])[held.session] - until
    position = held.position[filled.query]
    times = later[filled.query] + (held.listed[filled.query] - filled.rank + 1) / position
    total = summed(held.session[filled.query], filled.gain * times, held.size)
    shown = summed(held.session, held.listed.astype(np.float64), held.size)
    return np.asarray(total / np.maximum(shown, 1))


def _filled(held: MatchedSessions, how: SessionRecipe) -> _Filled:
    gamma, cap = float(how.setting("gamma")), float(how.setting("cap"))
    found = about(held, np.nextafter(0, 1), each=False)
    everything = held.depth(None, "assumed")
    first = held.first_time(held.judged, everything)[found.hit]
    hit, aspect, grade = found.hit[first], found.aspect[first], found.grade[first]
    query, rank = held.judged.query[hit], held.judged.rank[hit]
    wide = int(aspect.max(initial=0)) + 1
    key = held.session[query] * wide + aspect
    order = np.lexsort((rank, query, key))
    query, rank, grade, key = query[order], rank[order], grade[order], key[order]
    _, begin, row = np.unique(key, return_index=True, return_inverse=True)
    nth = np.arange(len(key)) - begin[row]
    height = np.zeros((len(begin), int(nth.max(initial=-1)) + 2))
    height[row, nth + 1] = gamma ** (nth + 1.0) * grade
    height = np.minimum(np.cumsum(height, axis=1), cap)  # nothing is added to what is full
    added = height[row, nth + 1] - height[row, nth]
    return _Filled(query=query, rank=rank, gain=added / cap / found.known[query])
