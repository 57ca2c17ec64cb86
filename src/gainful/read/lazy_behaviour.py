"""Results in an engine that something was done to, which gain where nobody judged: fetched too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
from attrs import evolve

from gainful.read.column_names import protect_name
from gainful.read.event_words import find_behaviour
from gainful.read.lazy_sessions import LazySessions
from gainful.read.sessions import NO

Behaviour = Mapping[str, float | None]  # what was done → of dwell, for so many seconds at least


def fetch_behaviour(sessions: LazySessions, behaviour: Behaviour) -> LazySessions:
    """Sessions of which results come back that this was done to, and the columns that say so.

    Args:
        sessions: in their engine.
        behaviour: such as {"purchased": None, "dwell": 30}; what no column tells is left to those
            who ask for it.
    """
    schema = sessions.rows.collect_schema()
    reasons: dict[str, nw.Expr] = {}
    for name, seconds in behaviour.items():
        own = protect_name(name)
        column = "seconds" if seconds is not None else find_behaviour(own, schema.names())
        if column is not None and column in schema:
            reasons[column] = was_done(column, schema[column], seconds)
    return evolve(
        sessions,
        query_columns=[name for name in sessions.query_columns if name not in reasons],
        result_columns=[*dict.fromkeys((*sessions.result_columns, *reasons))],
        reasons=[*sessions.reasons, *reasons.values()],
    )


def was_done(column: str, kind: Any, seconds: float | None) -> nw.Expr:
    """Was it done? A word that is neither yes nor no is fetched, and then told."""
    value = nw.col(column)
    if seconds is not None:
        return value >= seconds
    if kind == nw.Boolean:
        return value
    if kind.is_numeric():
        return value > 0
    return ~value.cast(nw.String).str.strip_chars().str.to_lowercase().is_in([*NO[:3], ""])
