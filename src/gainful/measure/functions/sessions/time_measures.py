"""sTBG and sU: the gain of whole sessions by the time spent, or by the text read, so far.

The clock, or the text, goes on from query to query. Where clicks are told, searchers opened what
they clicked, and stayed for the `seconds` that a log tells; else they open documents as likely as
the searchers did whom Smucker & Clarke watched.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import frozen

from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import select_results, sum_by_index
from gainful.measure.functions.time_measures import text_decay, time_decay
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Flags

OPENED, CLICKED = "opened", "clicked"


@frozen(eq=False)
class _Walk:
    """The rows of sessions as a searcher goes through them."""

    looked: Flags  # at which results the searcher looks
    relevant: Flags
    clicked: Flags | None  # what was opened, where that is told


def session_time_biased_gain(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How many relevant documents does a searcher save in a session, if interest halves in time?"""
    walk = _walk(sessions, recipe)
    click, false_click = float(recipe.setting("click")), float(recipe.setting("false_click"))
    opened = (
        np.where(walk.relevant, click, false_click)
        if walk.clicked is None
        else walk.clicked.astype(np.float64)
    )
    words = _column(sessions, "words", float(recipe.setting("words")))
    reading = float(recipe.setting("per_word")) * words + float(recipe.setting("per_document"))
    if walk.clicked is not None:
        reading = np.where(walk.clicked, _column(sessions, "seconds", reading), reading)
    spent = walk.looked * (float(recipe.setting("per_summary")) + opened * reading)
    spent[sessions.layout.query_starts] += float(recipe.setting("query_seconds"))
    seconds = _sum_before(sessions, spent)
    seconds += _query_start(sessions) * float(recipe.setting("query_seconds"))
    saved = float(recipe.setting("save")) * opened * walk.relevant
    judged, counts, _, _ = select_results(sessions, recipe)
    rows, query = judged.row[counts], judged.query[counts]
    gain = saved[rows] * time_decay(seconds[rows], float(recipe.setting("half_life")))
    return sum_by_index(sessions.session[query], gain, sessions.size)


def session_u_measure(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much does a session gain along the text that is read, if nothing counts beyond L?"""
    walk = _walk(sessions, recipe)
    opened = walk.relevant if walk.clicked is None else walk.clicked
    chars = _column(sessions, "chars", float(recipe.setting("chars")))
    read = float(recipe.setting("snippet")) + opened * float(recipe.setting("read_share")) * chars
    read = read * walk.looked
    position = _sum_before(sessions, read) + read
    judged, counts, gain, _ = select_results(sessions, recipe)
    kept = counts if walk.clicked is None else counts & walk.clicked[judged.row]
    rows, query = judged.row[kept], judged.query[kept]
    decayed = gain[kept] * text_decay(position[rows], float(recipe.setting("L")))
    return sum_by_index(sessions.session[query], decayed, sessions.size)


def opens_clicked(sessions: MatchedSessions, recipe: SessionRecipe) -> bool:
    """Does the searcher open what was clicked, and nothing else?"""
    choice = recipe.setting(OPENED)
    if choice == CLICKED:
        sessions.clicks(OPENED, CLICKED)  # refused where nobody knows
    has_clicks = CLICKED in sessions.rows.columns and bool(sessions.rows[CLICKED].any())
    return choice == CLICKED or (choice == "auto" and has_clicks)


def _walk(sessions: MatchedSessions, recipe: SessionRecipe) -> _Walk:
    """At which rows searchers look, which of them are relevant, and which were opened."""
    judged, _, _, depth = select_results(sessions, recipe)
    rank = sessions.rows["rank"].fill_null(0).to_numpy()
    looked = (rank > 0) & (rank <= depth[sessions.query_of_row])
    looked &= sessions.rows["doc"].is_not_null().to_numpy()
    relevant = np.zeros(len(rank), dtype=bool)
    relevant[judged.row] = judged.grade >= float(recipe.setting("rel") or 1)
    clicked = sessions.clicks(OPENED, CLICKED) & looked if opens_clicked(sessions, recipe) else None
    return _Walk(looked, relevant, clicked)


def _column(sessions: MatchedSessions, name: str, usual: float | Array) -> Array:
    """A number for each row: what a column tells, else what is usual."""
    default = np.broadcast_to(np.asarray(usual, dtype=np.float64), len(sessions.rows))
    if name not in sessions.rows.columns:
        return default
    values = sessions.rows[name].cast(pl.Float64, strict=False).to_numpy()
    return np.where(np.isnan(values), default, values)


def _sum_before(sessions: MatchedSessions, spent: Array) -> Array:
    """What was spent in a session before each of its rows."""
    total = np.cumsum(spent) - spent
    starts = sessions.layout.session_starts
    lengths = np.diff(starts, append=len(spent))
    return np.asarray(total - np.repeat(total[starts], lengths))


def _query_start(sessions: MatchedSessions) -> Flags:
    """Which rows are the first of their query: it has been asked when they are reached."""
    first = np.zeros(len(sessions.rows), dtype=bool)
    first[sessions.layout.query_starts] = True
    return first
