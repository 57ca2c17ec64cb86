"""Instance recall: how many of the distinct answers has the session found so far?

Instances are subtopics where the judgments have them, else relevant documents.
"""

from __future__ import annotations

import numpy as np

from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import MatchedSessions
from gainful.measure.sessions.about import about
from gainful.measure.sessions.gains import summed
from gainful.measure.sessions.how import SessionRecipe
from gainful.measure.share import ratio


def instance_recall(held: MatchedSessions, how: SessionRecipe) -> Array:
    """What share of the answers has been found at the end of the session?"""
    return after_each_query(held, how)[np.cumsum(held.queries) - 1]


def after_each_query(held: MatchedSessions, how: SessionRecipe) -> Array:
    """The same after each query, the queries of all sessions one after the other.

    Where every query has judgments of its own, the answers to the queries so far count.
    """
    found = about(held, float(how.setting("rel")), each=True)
    first = found.first_of_session(held, held.depth(None, how.convention.depth))
    query = held.judged.query[found.hit[first]]
    new = summed(query, np.ones(len(query)), len(held.position))
    return ratio(_so_far(held, new), _known(held, found.known), how.convention.empty)


def _so_far(held: MatchedSessions, new: Array) -> Array:
    until = np.cumsum(new)
    before = (until - new)[np.cumsum(held.queries) - held.queries]
    return np.asarray(until - before[held.session])


def _known(held: MatchedSessions, known: Ranks) -> Array:
    """How many answers there are: those of the session's recall bases, each base once."""
    if held.one_base:
        return np.asarray(known, dtype=np.float64)
    key = held.session * (int(held.judged.base.max()) + 2) + held.judged.base + 1
    fresh = np.zeros(len(key), dtype=bool)
    fresh[np.unique(key, return_index=True)[1]] = True
    return _so_far(held, np.where(fresh, known, 0).astype(np.float64))
