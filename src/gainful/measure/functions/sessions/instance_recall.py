"""Instance recall: how many of the distinct answers has the session found so far?

Instances are subtopics where the judgments have them, else relevant documents.
"""

from __future__ import annotations

import numpy as np

from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.aspects import find_aspects
from gainful.measure.functions.sessions.gains import sum_by_index
from gainful.measure.normalise import normalise_by
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Ranks


def instance_recall(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What share of the answers has been found at the end of the session?"""
    return instance_recall_by_query(sessions, recipe)[sessions.last_query]


def instance_recall_by_query(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The share of the answers found after each query, session after session.

    Where every query has judgments of its own, the answers to the queries so far count.
    """
    aspects = find_aspects(sessions, float(recipe.setting("rel")), per_document=True)
    first = aspects.first_of_session(sessions, sessions.depth(None, recipe.convention.depth))
    query = sessions.judged.query[aspects.hit[first]]
    new = sum_by_index(query, np.ones(len(query)), len(sessions.position))
    return normalise_by(
        _cumulate_in_session(sessions, new),
        _count_instances(sessions, aspects.aspect_count),
        recipe.convention.empty,
    )


def _cumulate_in_session(sessions: MatchedSessions, new: Array) -> Array:
    cumulated = np.cumsum(new)
    before = (cumulated - new)[sessions.first_query]
    return np.asarray(cumulated - before[sessions.session])


def _count_instances(sessions: MatchedSessions, aspect_count: Ranks) -> Array:
    """How many answers there are: those of the session's recall bases, each base once."""
    if sessions.has_single_base:
        return np.asarray(aspect_count, dtype=np.float64)
    key = sessions.session * (int(sessions.judged.base.max()) + 2) + sessions.judged.base + 1
    fresh = np.zeros(len(key), dtype=bool)
    fresh[np.unique(key, return_index=True)[1]] = True
    return _cumulate_in_session(sessions, np.where(fresh, aspect_count, 0).astype(np.float64))
