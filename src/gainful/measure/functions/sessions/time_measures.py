"""sTBG and sU: the gain of whole sessions by the time spent, or by the text read, so far.

The clock, or the text, goes on from query to query. If a log has clicks, searchers opened what they
clicked and stayed for its `seconds`; else they open documents with the probabilities that Smucker &
Clarke observed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadInput, BadValue, check_name
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import CHEAPER, Entry, SessionRecipe
from gainful.measure.functions.sessions import collect
from gainful.measure.functions.sessions.sdcg import (
    cumulate_by_index,
    select_results,
    sum_by_index,
)
from gainful.measure.functions.user_models import text_decay, time_decay
from gainful.read.sessions import LENGTH_COLUMNS, LIST_LENGTH, RESULT_COLUMNS
from gainful.text import quote
from gainful.types import Array, Flags, Ranks

TIME_AND_COST: list[Entry] = []
_measure = collect(TIME_AND_COST)
_WALK_OPTIONS = ("opened", "rel", "duplicates", "depth")


OPENED, CLICKED = "opened", "clicked"


@frozen(eq=False)
class _Walk:
    """The rows of sessions as a searcher goes through them.

    Of sessions in an engine only some results are rows: those that were judged or clicked. The
    others are as many as ranks and list lengths say, and all alike.
    """

    sessions: MatchedSessions
    depth: Ranks  # per query: how far the searcher looks
    looked: Flags  # at which rows
    relevant: Flags
    clicked: Flags | None  # what was opened, where that is told

    def sum_before(self, spent: Array, usual: float, per_query: float = 0.0) -> Array:
        """What was spent in a session before each row."""
        sessions, queries = self.sessions, len(self.sessions.position)
        query = sessions.query_of_row
        more = np.where(self.looked, spent - usual, 0.0)
        listed = np.minimum(sessions.retrieved, self.depth)
        of_query = per_query + usual * listed + sum_by_index(query, more, queries)
        before_query = cumulate_by_index(sessions.session, of_query) - of_query
        rank = sessions.rows["rank"].fill_null(1).to_numpy()
        above = np.minimum(rank - 1, self.depth[query]) * usual
        return np.asarray(
            before_query[query] + per_query + above + cumulate_by_index(query, more) - more
        )


@_measure(
    "sTBG",
    options=(
        *("half_life", "per_summary", "words", "per_word", "per_document", "click"),
        *("false_click", "save", "query_seconds", *_WALK_OPTIONS),
    ),
    defaults={"opened": "auto"},
    bounded=False,
    cite="smucker2012",
)
def session_time_biased_gain(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How many relevant documents does a session save, if interest halves over time?

    Value: TBG with one clock for the session: query_seconds for each query, per_summary for each
    result, and for what is opened its seconds, or per_word · words + per_document
    By hand: sTBG(words=400, query_seconds=10, opened=likely) of 1 / 0 1 is 0.64*0.77*(0.5**(10/224)
    + 0.5**((2*10 + 2*4.4 + (0.018*400 + 7.8)*1.03)/224))
    """
    walk = _walk(sessions, recipe)
    click, false_click = _numbers(recipe, "click", "false_click")
    opened = np.where(walk.relevant, click, false_click)
    if walk.clicked is not None:
        opened, false_click = walk.clicked.astype(np.float64), 0.0
    per_word, words, per_document = _numbers(recipe, "per_word", "words", "per_document")
    usual = per_word * words + per_document
    reading = per_word * _column(sessions, "words", words) + per_document
    if walk.clicked is not None:
        reading = np.where(walk.clicked, _column(sessions, "seconds", reading), reading)
    per_summary, per_query, save, half_life = _numbers(
        recipe, "per_summary", "query_seconds", "save", "half_life"
    )
    seconds = walk.sum_before(
        per_summary + opened * reading, per_summary + false_click * usual, per_query
    )
    saved = save * opened * walk.relevant
    judged, counts, _, _ = select_results(sessions, recipe)
    rows, query = judged.row[counts], judged.query[counts]
    gain = saved[rows] * time_decay(seconds[rows], half_life)
    return sum_by_index(sessions.session[query], gain, sessions.size)


@_measure(
    "sU",
    options=("L", "snippet", "chars", "read_share", "gain", "negative", *_WALK_OPTIONS),
    defaults={"opened": "auto"},
    bounded=False,
    cite="sakai2013",
)
def session_u_measure(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much does a session gain along the text that is read, up to L characters?

    Value: U with one text for the session: the snippets of all queries, and of what is opened
    read_share · chars
    By hand: sU(L=2000, chars=1000, opened=likely) of 2 / 0 1 is 2*(1 - 400/2000) + 1*(1 -
    1000/2000)
    """
    walk = _walk(sessions, recipe)
    opened = walk.relevant if walk.clicked is None else walk.clicked
    chars, snippet, read_share, length = _numbers(recipe, "chars", "snippet", "read_share", "L")
    read = snippet + opened * read_share * _column(sessions, "chars", chars)
    position = walk.sum_before(read, snippet) + read
    judged, counts, gain, _ = select_results(sessions, recipe)
    kept = counts if walk.clicked is None else counts & walk.clicked[judged.row]
    rows, query = judged.row[kept], judged.query[kept]
    decayed = gain[kept] * text_decay(position[rows], length)
    return sum_by_index(sessions.session[query], decayed, sessions.size)


def _numbers(recipe: SessionRecipe, *names: str) -> Iterator[float]:
    return (float(recipe.setting(name)) for name in names)


def opens_clicked(sessions: MatchedSessions, recipe: SessionRecipe) -> bool:
    """Does the searcher open what was clicked, and nothing else?"""
    choice = recipe.setting(OPENED)
    if choice == CLICKED:
        sessions.clicks(OPENED, CLICKED)  # refused where nobody knows
    return choice == CLICKED or (choice == "auto" and CLICKED in sessions.rows.columns)


def _walk(sessions: MatchedSessions, recipe: SessionRecipe) -> _Walk:
    judged, _, _, depth = select_results(sessions, recipe)
    rank = sessions.rows["rank"].fill_null(0).to_numpy()
    looked = (rank > 0) & (rank <= depth[sessions.query_of_row])
    looked &= sessions.rows["doc"].is_not_null().to_numpy()
    relevant = np.zeros(len(rank), dtype=bool)
    relevant[judged.row] = judged.grade >= float(recipe.setting("rel") or 1)
    clicked = sessions.clicks(OPENED, CLICKED) & looked if opens_clicked(sessions, recipe) else None
    return _Walk(sessions, depth, looked, relevant, clicked)


def _column(sessions: MatchedSessions, name: str, usual: float | Array) -> Array:
    """A number for each row: what a column tells, else what is usual."""
    default = np.broadcast_to(np.asarray(usual, dtype=np.float64), len(sessions.rows))
    if name not in sessions.rows.columns:
        return default
    if name in LENGTH_COLUMNS and LIST_LENGTH in sessions.rows.columns:
        allowed = f"{name} of every result in memory: an engine keeps only some as rows"
        raise BadValue("column", name, allowed)
    values = sessions.rows[name].cast(pl.Float64, strict=False).to_numpy()
    return np.where(np.isnan(values), default, values)


@_measure(
    "Cost",
    options=("per_query", "per_result"),
    defaults={"per_query": 1, "per_result": 0},
    bounded=False,
    is_cost=True,
    direction=CHEAPER,
    cutoff_kind="none",
    cite="azzopardi2011",
)
def session_cost(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What does a session cost, in seconds, tokens or cents?

    Value: Σ over queries of per_query + Σ over results of per_result; a price is a number or a
    column
    By hand: Cost(per_query=50, per_result=200) of 1 / 0 1 is 2*50 + 3*200
    """
    price, asked = recipe.setting("per_query"), np.ones(len(sessions.position))
    if isinstance(price, str):
        of_results = {"rank", *RESULT_COLUMNS, *LENGTH_COLUMNS, *sessions.not_fetched}
        is_fetched = LIST_LENGTH in sessions.rows.columns
        if is_fetched and (price in of_results or sessions.rows.schema.get(price) == pl.Boolean):
            allowed = "a number, or the same for a whole query: an engine keeps only some results"
            raise BadValue("per_query", price, allowed)
        asked = _read_column(sessions, price)[sessions.layout.query_starts]
    else:
        asked *= float(price)
    price, returned = recipe.setting("per_result"), sessions.retrieved.astype(np.float64)
    if not isinstance(price, str):
        returned *= float(price)
    elif LIST_LENGTH in sessions.rows.columns:
        allowed = "a number: an engine keeps only some results as rows"
        raise BadValue("per_result", price, allowed)
    else:
        prices = _read_column(sessions, price)
        returned = sum_by_index(sessions.query_of_row, prices, len(sessions.position))
    return sum_by_index(sessions.session, asked + returned, sessions.size)


def _read_column(sessions: MatchedSessions, name: str) -> Array:
    """The numbers of a column; a row without a document may have none."""
    check_name("column", name, sessions.rows.columns)
    column = sessions.rows[name].alias("")
    prices = column.cast(pl.Float64, strict=False).fill_nan(None)
    wrong = (prices.is_null() & sessions.rows["doc"].is_not_null()) | (prices < 0)
    if wrong.any():
        row = int(wrong.arg_true()[0])
        where = f"session {quote(sessions.rows['session'][row])}"
        raise BadInput(where, f"{name} is {quote(column[row])}", "a price from 0 up in every row")
    return prices.fill_null(0.0).to_numpy()
