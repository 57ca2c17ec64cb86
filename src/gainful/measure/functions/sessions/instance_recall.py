"""Instance recall: how many of the distinct answers has the session found so far?

Instances are subtopics where the judgments have them, else relevant documents.
"""

from __future__ import annotations

import numpy as np

from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.aspects import find_aspects
from gainful.measure.functions.sessions.gains import sum_by_index
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Ranks


def instance_recall(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Array, Array]:
    """How many answers has the session found, and how many are there?

    Where every query has judgments of its own, the answers to all queries of the session count.
    """
    aspects = find_aspects(sessions, float(recipe.setting("rel")), per_document=True)
    first = aspects.first_of_session(sessions, sessions.depth(None, recipe.convention.depth))
    session = sessions.session[sessions.judged.query[aspects.hit[first]]]
    reached = sum_by_index(session, np.ones(len(session)), sessions.size)
    return reached, _count_instances(sessions, aspects.aspect_count)


def _count_instances(sessions: MatchedSessions, aspect_count: Ranks) -> Array:
    """How many answers there are: those of the session's recall bases, each base once."""
    if sessions.has_single_base:
        return np.asarray(aspect_count[sessions.last_query], dtype=np.float64)
    key = sessions.session * (int(sessions.judged.base.max()) + 2) + sessions.judged.base + 1
    fresh = np.unique(key, return_index=True)[1]
    return sum_by_index(
        sessions.session[fresh], aspect_count[fresh].astype(np.float64), sessions.size
    )
