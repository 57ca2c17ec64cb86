"""Instance recall: how many of the distinct answers has the session found so far?

Instances are subtopics where the judgments have them, else relevant documents.
"""

from __future__ import annotations

import numpy as np

from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import MatchedSessions
from gainful.measure.normalise import ratio
from gainful.measure.sessions.aspects import about
from gainful.measure.sessions.gains import summed
from gainful.measure.sessions.recipe_value import SessionRecipe


def instance_recall(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What share of the answers has been found at the end of the session?"""
    return after_each_query(sessions, recipe)[np.cumsum(sessions.queries) - 1]


def after_each_query(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The same after each query, the queries of all sessions one after the other.

    Where every query has judgments of its own, the answers to the queries so far count.
    """
    found = about(sessions, float(recipe.setting("rel")), each=True)
    first = found.first_of_session(sessions, sessions.depth(None, recipe.convention.depth))
    query = sessions.judged.query[found.hit[first]]
    new = summed(query, np.ones(len(query)), len(sessions.position))
    return ratio(_so_far(sessions, new), _known(sessions, found.known), recipe.convention.empty)


def _so_far(sessions: MatchedSessions, new: Array) -> Array:
    until = np.cumsum(new)
    before = (until - new)[np.cumsum(sessions.queries) - sessions.queries]
    return np.asarray(until - before[sessions.session])


def _known(sessions: MatchedSessions, known: Ranks) -> Array:
    """How many answers there are: those of the session's recall bases, each base once."""
    if sessions.one_base:
        return np.asarray(known, dtype=np.float64)
    key = sessions.session * (int(sessions.judged.base.max()) + 2) + sessions.judged.base + 1
    fresh = np.zeros(len(key), dtype=bool)
    fresh[np.unique(key, return_index=True)[1]] = True
    return _so_far(sessions, np.where(fresh, known, 0).astype(np.float64))
