"""Any measure of single rankings, asked of the queries of sessions.

Each query of each session becomes a ranking, judged by the recall base of its topic; the results
stand at the ranks at which they were shown. The gain, and what becomes of negative grades and of
queries with nothing to find, are the session convention's unless the measure itself says them;
the discount is the measure's own.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from gainful.errors import BadValue
from gainful.match import Matched
from gainful.match.matched import FILTERED_ORDERS, Subtopics
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import Entry, SessionRecipe
from gainful.measure.functions.sessions import collect
from gainful.measure.functions.sessions.sdcg import sum_by_index
from gainful.measure.functions.subtopics import find_all
from gainful.measure.ranked_run import compute_measure, rank_run
from gainful.types import Array, Flags, Ranks

BY_QUERY: list[Entry] = []
_measure = collect(BY_QUERY, bounded=False, cutoff_kind="none")
_OPTIONS = ("gain", "negative", "empty")


@_measure(
    "Session",
    options=("of", "over", *_OPTIONS),
    defaults={"of": "nDCG@10", "over": "mean"},
    cite="jarvelin2008",
)
def aggregate_queries(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What is the value of a ranking measure over the queries of a session?

    Value: the value of the first, last or best query, or the mean or sum of all of them
    By hand: Session(of='P@1', over=mean) of 0 / 3 is (0 + 1) / 2
    """
    over = recipe.setting("over")
    if over in ("first", "last"):
        queries = sessions.first_query if over == "first" else sessions.last_query
        return _compute_values(recipe, as_rankings(sessions, queries))
    values = _compute_values(recipe, as_rankings(sessions, np.arange(len(sessions.position))))
    counts = ~np.ma.getmaskarray(values)
    number = sum_by_index(sessions.session[counts], np.ones(int(counts.sum())), sessions.size)
    if over == "best":
        sign = recipe.direction.sign
        filled = np.ma.filled(sign * values.astype(np.float64), -np.inf)
        aggregate = sign * np.maximum.reduceat(filled, sessions.first_query)
    else:
        aggregate = sum_by_index(sessions.session, np.ma.filled(values, 0.0), sessions.size)
        aggregate = aggregate / np.maximum(number, 1) if over == "mean" else aggregate
    return aggregate if counts.all() else np.ma.masked_array(aggregate, mask=number == 0)


@_measure(
    "RL",
    options=("of", "repeated", *_OPTIONS),
    defaults={"of": "nDCG@10", "repeated": "counts"},
    cite="session_track",
)
def last_query(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How good is the last query's list, if documents shown before do not count?

    The ideal stays as it is, as in the script of the TREC Session Track.

    Value: any measure of the last list, in which repeated documents are not relevant; the ideal is
    unchanged
    By hand: RL(of='nDCG@10') of 0 / 0 3 is 1/log2(3)
    """
    queries = sessions.last_query
    rankings = as_rankings(sessions, queries)
    repeated = recipe.setting("repeated")
    if repeated != "counts":
        seen_before = ~sessions.is_new(_flag_known_rows(sessions, repeated))
        own = sessions.judged.query == queries[sessions.session[sessions.judged.query]]
        irrelevant, place = seen_before[own], rankings.pool_index
        rankings = evolve(
            rankings,
            grade=np.where(irrelevant, 0.0, rankings.grade),
            pool_index=None if place is None else np.where(irrelevant, -1, place),
        )
    return _compute_values(recipe, rankings)


def _flag_known_rows(sessions: MatchedSessions, repeated: str) -> Flags:
    if repeated == "returned":
        return np.ones(len(sessions.rows), dtype=bool)
    clicked = sessions.clicks("repeated", repeated)
    if repeated == "clicked":
        return clicked
    rank = sessions.rows["rank"].fill_null(0).to_numpy()
    last = np.ones(len(sessions.position), dtype=np.int64)  # the first result is always looked at
    np.maximum.at(last, sessions.query_of_row[clicked], rank[clicked])
    return np.asarray(rank <= last[sessions.query_of_row])


def _compute_values(recipe: SessionRecipe, rankings: Matched) -> Array:
    if recipe.of is None:
        raise BadValue("measure", recipe.label, "one that asks another of its queries")
    return compute_measure(recipe.of, rank_run(rankings, recipe.of.convention))


def as_rankings(sessions: MatchedSessions, queries: Ranks) -> Matched:
    """Some queries, as rankings by themselves: each has a copy of its topic's judgments."""
    judged = sessions.judged
    base = judged.base[queries]
    number = np.full(len(sessions.position), -1)
    number[queries] = np.arange(len(queries))
    own = number[judged.query] >= 0
    query, rank = number[judged.query[own]].astype(np.intp), judged.rank[own]
    pool_query, pool = find_all(judged.pool_base, base)  # a copy for each query
    offset = np.zeros(len(queries), dtype=np.intp)
    offset[pool_query] = np.arange(len(pool)) - pool  # how far each base has moved
    session, position = sessions.session[queries].tolist(), sessions.position[queries].tolist()
    rankings = Matched(
        queries=[
            f"{sessions.session_ids[number]}, query {at}"
            for number, at in zip(session, position, strict=True)
        ],
        judged=base >= 0,
        in_run=np.ones(len(queries), dtype=bool),
        retrieved=sessions.retrieved[queries],
        pool_query=pool_query,
        pool_grade=judged.pool_grade[pool],
        query=query,
        grade=judged.grade[own],
        first=rank,
        last=rank,
        by_id=rank,
        by_input=rank,
        pool_index=sessions.pool_index[own] + offset[query],
        subtopics=_copy_subtopics(sessions, base, offset),
    )
    # The lists of a session have no scores, so that none of them is below 0.
    return evolve(rankings, filtered=dict.fromkeys(FILTERED_ORDERS, rankings))


def _copy_subtopics(sessions: MatchedSessions, wanted: Ranks, offset: Ranks) -> Subtopics | None:
    subtopics = sessions.subtopics
    if subtopics is None:
        return None
    query, entry = find_all(sessions.judged.pool_base[subtopics.doc], wanted)
    return Subtopics(
        doc=subtopics.doc[entry] + offset[query],
        subtopic=subtopics.subtopic[entry],
        grade=subtopics.grade[entry],
    )
