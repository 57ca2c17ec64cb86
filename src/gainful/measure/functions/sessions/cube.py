"""The cube test: how fast does a session fill the subtopics, each of which wants only so much?

As in the scorer of the TREC Dynamic Domain track: the n-th document for a subtopic fills it by
gamma^n of its grade, up to `cap`; a document that was shown before fills nothing.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.aspects import find_aspects
from gainful.measure.functions.sessions.gains import sum_by_index
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Ranks


@frozen(eq=False, kw_only=True)
class _Additions:
    """What each document added, as a share of all that is wanted."""

    query: Ranks
    rank: Ranks
    gain: Array


def cube_test(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much of the cube is full at the end, per query?"""
    additions = _fill_subtopics(sessions, recipe)
    total = sum_by_index(sessions.session[additions.query], additions.gain, sessions.size)
    return np.asarray(total / sessions.query_counts)


def average_cube_test(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How full is the cube after each document, averaged over all that were shown?

    What a document adds is there at all documents from it on: it counts once for each, divided
    by the number of queries so far.
    """
    additions = _fill_subtopics(sessions, recipe)
    share = sessions.retrieved / sessions.position
    cumulated = np.cumsum(share)
    later = cumulated[sessions.last_query][sessions.session] - cumulated
    position = sessions.position[additions.query]
    times = (
        later[additions.query]
        + (sessions.retrieved[additions.query] - additions.rank + 1) / position
    )
    total = sum_by_index(sessions.session[additions.query], additions.gain * times, sessions.size)
    result_count = sum_by_index(
        sessions.session, sessions.retrieved.astype(np.float64), sessions.size
    )
    return np.asarray(total / np.maximum(result_count, 1))


def _fill_subtopics(sessions: MatchedSessions, recipe: SessionRecipe) -> _Additions:
    gamma, cap = float(recipe.setting("gamma")), float(recipe.setting("cap"))
    aspects = find_aspects(sessions, np.nextafter(0, 1), per_document=False)
    full_depth = sessions.depth(None, "assumed")
    first = sessions.is_first_time(sessions.judged, full_depth)[aspects.hit]
    hit, aspect, grade = aspects.hit[first], aspects.aspect[first], aspects.grade[first]
    query, rank = sessions.judged.query[hit], sessions.judged.rank[hit]
    stride = int(aspect.max(initial=0)) + 1
    key = sessions.session[query] * stride + aspect
    order = np.lexsort((rank, query, key))
    query, rank, grade, key = query[order], rank[order], grade[order], key[order]
    _, begin, row = np.unique(key, return_index=True, return_inverse=True)
    nth = np.arange(len(key)) - begin[row]
    height = np.zeros((len(begin), int(nth.max(initial=-1)) + 2))
    height[row, nth + 1] = gamma ** (nth + 1.0) * grade
    height = np.minimum(np.cumsum(height, axis=1), cap)  # nothing is added to what is full
    added = height[row, nth + 1] - height[row, nth]
    return _Additions(query=query, rank=rank, gain=added / cap / aspects.aspect_count[query])
