"""Any measure of single rankings, asked of the queries of sessions.

Each query of each session becomes a ranking, judged by the recall base of its topic; the results
stand at the ranks at which they were shown. The gain, and what becomes of negative grades and of
queries with nothing to find, are the session convention's unless the measure itself says them;
the discount is the measure's own.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from gainful.formula import Array
from gainful.match import Matched
from gainful.match.matched import Flags, Ranks, Subtopics
from gainful.match.sessions import MatchedSessions
from gainful.measure.cumulated_gain import computed
from gainful.measure.language import parse
from gainful.measure.ranked_run import seen
from gainful.measure.recipe import Recipe, recipe
from gainful.measure.sessions.gains import summed
from gainful.measure.sessions.recipe_value import SessionRecipe


def over_session(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """A measure of the first, the last or the best query, or of all of them."""
    over = recipe.setting("over")
    end = np.cumsum(sessions.queries)
    if over in ("first", "last"):
        which = end - sessions.queries if over == "first" else end - 1
        return _values(recipe, as_rankings(sessions, which))
    values = _values(recipe, as_rankings(sessions, np.arange(len(sessions.position))))
    counts = ~np.ma.getmaskarray(values)
    number = summed(sessions.session[counts], np.ones(int(counts.sum())), sessions.size)
    if over == "best":
        filled = np.ma.filled(values.astype(np.float64), -np.inf)
        found = np.maximum.reduceat(filled, end - sessions.queries)
    else:
        found = summed(sessions.session, np.ma.filled(values, 0.0), sessions.size)
        found = found / np.maximum(number, 1) if over == "mean" else found
    return found if counts.all() else np.ma.masked_array(found, mask=number == 0)


def last_query(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """A measure of the last query's list; what was shown before may earn nothing there.

    The ideal stays as it is, as in the script of the TREC Session Track.
    """
    which = np.cumsum(sessions.queries) - 1
    rankings = as_rankings(sessions, which)
    repeated = recipe.setting("repeated")
    if repeated != "counts":
        again = ~sessions.new(sessions.judged, _before(sessions, repeated))
        own = sessions.judged.query == which[sessions.session[sessions.judged.query]]
        rankings = _worthless(rankings, again[own])
    return _values(recipe, rankings)


def _before(sessions: MatchedSessions, repeated: str) -> Flags:
    """The rows that a searcher is taken to know."""
    if repeated == "returned":
        return np.ones(len(sessions.rows), dtype=bool)
    clicked = sessions.clicks("repeated", repeated)
    if repeated == "clicked":
        return clicked
    rank = sessions.rows["rank"].fill_null(0).to_numpy()
    last = np.ones(len(sessions.position), dtype=np.int64)  # the first result is always looked at
    np.maximum.at(last, sessions.query_of_row[clicked], rank[clicked])
    return np.asarray(rank <= last[sessions.query_of_row])


def _worthless(rankings: Matched, some: Flags) -> Matched:
    """The same, in which some documents are not relevant to anything."""
    place = rankings.place
    return evolve(
        rankings,
        grade=np.where(some, 0.0, rankings.grade),
        place=None if place is None else np.where(some, -1, place),
    )


def _values(recipe: SessionRecipe, rankings: Matched) -> Array:
    settled = _recipe(recipe)
    return computed(settled, seen(rankings, settled.convention))


def _recipe(how: SessionRecipe) -> Recipe:
    measure, habits = parse(how.setting("of")), how.convention
    given = {"gain": how.gain, "negative": habits.negative, "empty": habits.empty}
    options = {name: value for name, value in given.items() if name in measure.entry.params}
    return recipe(measure, options=options)


def as_rankings(sessions: MatchedSessions, which: Ranks) -> Matched:
    """Some queries, as rankings by themselves: each has a copy of its topic's judgments."""
    shown = sessions.judged
    base = shown.base[which]
    number = np.full(len(sessions.position), -1)
    number[which] = np.arange(len(which))
    own = number[shown.query] >= 0
    query, rank = number[shown.query[own]].astype(np.intp), shown.rank[own]
    pool_query, pool, moved = _copied(shown.pool_base, base)
    names, session, position = sessions.sessions, sessions.session[which], sessions.position[which]
    return Matched(
        queries=[
            f"{names[number]}, query {at}"
            for number, at in zip(session.tolist(), position.tolist(), strict=True)
        ],
        judged=base >= 0,
        found=np.ones(len(which), dtype=bool),
        retrieved=sessions.listed[which],
        pool_query=pool_query,
        pool_grade=shown.pool_grade[pool],
        query=query,
        grade=shown.grade[own],
        first=rank,
        last=rank,
        by_id=rank,
        by_input=rank,
        place=sessions.place[own] + moved[query],
        subtopics=_subtopics(sessions, base, moved),
    )


def _copied(bases: Ranks, wanted: Ranks) -> tuple[Ranks, Ranks, Ranks]:
    """The entries of each wanted base, one base after the other, and how far each has moved.

    Args:
        bases: of each entry, ascending.
        wanted: the bases; -1 for none.
    """
    begin = np.searchsorted(bases, wanted)
    count = np.searchsorted(bases, wanted, side="right") - begin
    moved = np.cumsum(count) - count - begin
    query = np.repeat(np.arange(len(wanted)), count)
    return query, np.arange(len(query)) - moved[query], moved


def _subtopics(sessions: MatchedSessions, wanted: Ranks, moved: Ranks) -> Subtopics | None:
    told = sessions.subtopics
    if told is None:
        return None
    bases = sessions.judged.pool_base[told.doc]
    order = np.argsort(bases, kind="stable")  # the order by document stays within each
    query, entry, _ = _copied(bases[order], wanted)
    entry = order[entry]
    return Subtopics(
        doc=told.doc[entry] + moved[query], subtopic=told.subtopic[entry], grade=told.grade[entry]
    )
