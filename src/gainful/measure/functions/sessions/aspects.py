"""Aspects of a session's topic: which are found when; the cube test and instance recall."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import Entry, SessionRecipe
from gainful.measure.functions.precision import Share
from gainful.measure.functions.sessions import collect
from gainful.measure.functions.sessions.sdcg import (
    count_recall_bases,
    cumulate_by_index,
    sum_by_index,
)
from gainful.measure.functions.subtopics import find_all
from gainful.types import Array, Ranks

ASPECTS: list[Entry] = []
_measure = collect(ASPECTS)


@frozen(eq=False, kw_only=True)
class Aspects:
    """Documents and their aspects: all that were judged, and those that were shown."""

    aspect_count: Ranks  # per query: how many aspects its topic has
    hit: Ranks  # each judged result that was shown, with each aspect it is about
    aspect: Ranks
    grade: Array

    def first_of_session(self, sessions: MatchedSessions, depth: Ranks) -> Ranks:
        """The entries at which a session first meets an aspect, within depth."""
        query, rank = sessions.judged.query[self.hit], sessions.judged.rank[self.hit]
        within_depth = np.flatnonzero(rank <= depth[query])
        key = sessions.session[query] * (int(self.aspect.max(initial=0)) + 1) + self.aspect
        order = within_depth[
            np.lexsort((rank[within_depth], query[within_depth], key[within_depth]))
        ]
        fresh = np.diff(key[order], prepend=-1) != 0
        return np.asarray(order[fresh], dtype=np.intp)


def find_aspects(sessions: MatchedSessions, min_grade: float, *, per_document: bool) -> Aspects:
    """The aspects to which documents are relevant, of a grade of at least `min_grade`."""
    subtopics, judged = sessions.subtopics, sessions.judged
    if subtopics is not None:
        doc, subtopic, grade = subtopics.doc, subtopics.subtopic, subtopics.grade
    else:
        doc, grade = np.arange(len(judged.pool_base)), judged.pool_grade
        subtopic = doc if per_document else np.zeros(len(doc), dtype=np.intp)
    relevant = grade >= min_grade
    doc, subtopic, grade = doc[relevant], subtopic[relevant], grade[relevant]
    stride = int(subtopic.max(initial=0)) + 1
    keys, aspect = np.unique(judged.pool_base[doc] * stride + subtopic, return_inverse=True)
    bases = count_recall_bases(judged)
    aspect_count = np.append(np.bincount(keys // stride, minlength=bases), 0)[judged.base]
    hit, entry = find_all(doc, sessions.pool_index)
    return Aspects(
        aspect_count=np.asarray(aspect_count, dtype=np.intp),
        hit=hit,
        aspect=aspect[entry],
        grade=grade[entry],
    )


@_measure("IR", options=("rel", "depth", "empty"), cutoff_unit="queries", cite="over1999")
def instance_recall(sessions: MatchedSessions, recipe: SessionRecipe) -> Share:
    """What share of the distinct answers has the session found so far?

    Where every query has judgments of its own, the answers to all queries of the session count.

    Value: subtopics (without subtopics: relevant documents) found in the first n queries, each once
    / all of them
    By hand: IR of 0 1 / 2 | 1 is 2/3
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


@_measure(
    "CT", options=("gamma", "cap"), needs_subtopics=True, cutoff_unit="queries", cite="luo2013"
)
def cube_test(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much of each subtopic was found, per query?

    Value: Σ over subtopics of min(cap, Σ gamma^n · the grade of its n-th document) / cap / the
    number of subtopics / the number of queries
    By hand: CT of ab / a is (1/2 + 1/2 + 1/4) / 2 / 5 / 2
    """
    query, _, gain = _fill_subtopics(sessions, recipe)
    return sum_by_index(sessions.session[query], gain, sessions.size) / sessions.query_counts


@_measure(
    "ACT", options=("gamma", "cap"), needs_subtopics=True, cutoff_unit="queries", cite="trec_dd"
)
def average_cube_test(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How early was each subtopic found?

    What a document adds is there at all documents from it on: it counts once for each, divided
    by the number of queries so far.

    Value: the mean of CT after each document shown
    By hand: ACT of ab / a is ((1/2 + 1/2)/2/5 + (1/2 + 1/2 + 1/4)/2/5/2) / 2
    """
    query, rank, gain = _fill_subtopics(sessions, recipe)
    share = sessions.retrieved / sessions.position
    cumulated = cumulate_by_index(sessions.session, share)
    later = cumulated[sessions.last_query][sessions.session] - cumulated
    times = later[query] + (sessions.retrieved[query] - rank + 1) / sessions.position[query]
    total = sum_by_index(sessions.session[query], gain * times, sessions.size)
    result_count = np.bincount(sessions.session, sessions.retrieved, minlength=sessions.size)
    return np.asarray(total / np.maximum(result_count, 1))


def _fill_subtopics(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Ranks, Ranks, Array]:
    """The query and rank of each document, and what share of all that is wanted it added."""
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
    return query, rank, added / cap / aspects.aspect_count[query]
