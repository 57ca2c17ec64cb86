"""What documents are about: the aspects of a topic, and where a session first or again met them.

An aspect is a subtopic to which a judged document is relevant; where judgments have no subtopics,
whatever the measure takes for one.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.match.sessions import MatchedSessions
from gainful.types import Array, Ranks


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
    """The aspects to which documents are relevant, of a grade of at least `min_grade`.

    Args:
        sessions: whose judged documents they are.
        min_grade: the lowest grade that counts.
        per_document: without subtopics, is every document an aspect of its own, or is there one
            for all?
    """
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
    bases = int(max(judged.base.max(initial=-1), judged.pool_base.max(initial=-1))) + 1
    aspect_count = np.append(np.bincount(keys // stride, minlength=bases), 0)[judged.base]
    order = np.argsort(doc, kind="stable")
    begin = np.searchsorted(doc[order], sessions.pool_index)
    count = np.searchsorted(doc[order], sessions.pool_index, side="right") - begin
    hit = np.repeat(np.arange(len(count)), count)
    entry = order[begin[hit] + np.arange(len(hit)) - np.repeat(np.cumsum(count) - count, count)]
    return Aspects(
        aspect_count=np.asarray(aspect_count, dtype=np.intp),
        hit=hit,
        aspect=aspect[entry],
        grade=grade[entry],
    )
