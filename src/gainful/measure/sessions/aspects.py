"""What documents are about: the aspects of a topic, and where a session first or again met them.

An aspect is a subtopic to which a judged document is relevant; where judgments have no subtopics,
whatever the measure takes for one.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.formula import Array
from gainful.match.matched import Ranks
from gainful.match.sessions import MatchedSessions


@frozen(eq=False, kw_only=True)
class About:
    """Documents and their aspects: all that were judged, and those that were shown."""

    known: Ranks  # per query: how many aspects its topic has
    hit: Ranks  # each judged result that was shown, with each aspect it is about
    aspect: Ranks
    grade: Array

    def first_of_session(self, sessions: MatchedSessions, depth: Ranks) -> Ranks:
        """The entries at which a session first meets an aspect, within depth."""
        query, rank = sessions.judged.query[self.hit], sessions.judged.rank[self.hit]
        seen = np.flatnonzero(rank <= depth[query])
        key = sessions.session[query] * (int(self.aspect.max(initial=0)) + 1) + self.aspect
        order = seen[np.lexsort((rank[seen], query[seen], key[seen]))]
        fresh = np.diff(key[order], prepend=-1) != 0
        return np.asarray(order[fresh], dtype=np.intp)


def about(sessions: MatchedSessions, least: float, *, each: bool) -> About:
    """The aspects to which documents are relevant, of a grade of at least `least`.

    Args:
        held: the sessions.
        least: the lowest grade that counts.
        each: without subtopics, is every document an aspect of its own, or is there one for all?
    """
    told, shown = sessions.subtopics, sessions.judged
    if told is not None:
        doc, number, grade = told.doc, told.subtopic, told.grade
    else:
        doc, grade = np.arange(len(shown.pool_base)), shown.pool_grade
        number = doc if each else np.zeros(len(doc), dtype=np.intp)
    good = grade >= least
    doc, number, grade = doc[good], number[good], grade[good]
    wide = int(number.max(initial=0)) + 1
    keys, aspect = np.unique(shown.pool_base[doc] * wide + number, return_inverse=True)
    bases = int(max(shown.base.max(initial=-1), shown.pool_base.max(initial=-1))) + 1
    known = np.append(np.bincount(keys // wide, minlength=bases), 0)[shown.base]
    order = np.argsort(doc, kind="stable")
    begin = np.searchsorted(doc[order], sessions.place)
    count = np.searchsorted(doc[order], sessions.place, side="right") - begin
    hit = np.repeat(np.arange(len(count)), count)
    entry = order[begin[hit] + np.arange(len(hit)) - np.repeat(np.cumsum(count) - count, count)]
    return About(
        known=np.asarray(known, dtype=np.intp), hit=hit, aspect=aspect[entry], grade=grade[entry]
    )
