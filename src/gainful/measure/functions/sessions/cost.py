"""What a session costs: so much for each query, and so much for each result that it returned."""

from __future__ import annotations

import numpy as np
import polars as pl

from gainful.errors import BadInput, BadValue, UnknownName
from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import sum_by_index
from gainful.measure.recipe import SessionRecipe
from gainful.read.sessions import LIST_LENGTH
from gainful.text import quote
from gainful.types import Array


def session_cost(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What does the session cost, in the unit of its prices: seconds, tokens, cents?"""
    asked = _query_prices(sessions, recipe.setting("per_query"))
    returned = _result_prices(sessions, recipe.setting("per_result"))
    return sum_by_index(sessions.session, asked + returned, sessions.size)


def _query_prices(sessions: MatchedSessions, price: str | float) -> Array:
    """What asking each query costs."""
    if not isinstance(price, str):
        return np.full(len(sessions.position), float(price))
    return _read_column(sessions, price)[sessions.layout.query_starts]


def _result_prices(sessions: MatchedSessions, price: str | float) -> Array:
    """What the results of each query cost together."""
    if not isinstance(price, str):
        return sessions.retrieved.astype(np.float64) * float(price)
    if LIST_LENGTH in sessions.rows.columns:
        allowed = "a number: of sessions in an engine, only some results are rows"
        raise BadValue("per_result", price, allowed)
    prices = _read_column(sessions, price)
    return sum_by_index(sessions.query_of_row, prices, len(sessions.position))


def _read_column(sessions: MatchedSessions, name: str) -> Array:
    """The numbers of a column; a row without a document may have none."""
    if name not in sessions.rows.columns:
        raise UnknownName("column", name, sessions.rows.columns)
    column = sessions.rows[name].alias("")
    prices = column.cast(pl.Float64, strict=False).fill_nan(None)
    wrong = (prices.is_null() & sessions.rows["doc"].is_not_null()) | (prices < 0)
    if wrong.any():
        row = int(wrong.arg_true()[0])
        where = f"session {quote(sessions.rows['session'][row])}"
        raise BadInput(where, f"{name} is {quote(column[row])}", "a price from 0 on in every row")
    return prices.fill_null(0.0).to_numpy()
