"""Only some of the sessions, or the beginning of each."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.read.sessions import Sessions
from gainful.types import is_whole_number

_MANY = 1 << 60  # queries; beyond it no column can count


def _check_whole_numbers(**numbers: object) -> None:
    for name, number in numbers.items():
        if number is not None and not (is_whole_number(number) and number >= 1):
            raise BadValue(name, number, "a whole number from 1 on")


def check_choice(
    where: Mapping[str, str] | None, min_queries: int | None, first_queries: int | None
) -> None:
    """Refuse what chooses nothing."""
    if where is not None and not isinstance(where, Mapping):
        raise WrongType("where", where, "{column: value}")
    _check_whole_numbers(min_queries=min_queries, first_queries=first_queries)


def filter_sessions(
    sessions: Sessions,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
) -> Sessions:
    """Only some of the sessions, or the beginning of each."""
    if not where and min_queries is None and first_queries is None:
        return sessions
    check_choice(where, min_queries, first_queries)
    frame = sessions.frame
    for column, value in (where or {}).items():
        if column not in sessions.columns and column != "session":
            raise UnknownName("column", column, ("session", *sessions.columns))
        text = str(value).encode(errors="backslashreplace").decode()  # polars takes UTF-8 only
        fits = frame[column].alias("").cast(pl.String) == text  # a name may be a pattern
        matching_sessions = set(frame["session"].filter(fits.fill_null(value=False)).unique())
        kept = frame["session"].is_in(list(matching_sessions))
        if int(kept.sum()) != int(fits.sum()):
            problem = f"some sessions have more than one {column}"
            raise BadInput(sessions.name, problem, "a column that is the same for a whole session")
        frame = frame.filter(kept)
    if min_queries is not None:
        frame = frame.filter(pl.col("query").max().over("session") >= min(min_queries, _MANY))
    if first_queries is not None:
        frame = frame.filter(pl.col("query") <= min(first_queries, _MANY))
    if not len(frame):
        raise BadInput(sessions.name, "no session is left", "a wider choice of sessions")
    return evolve(sessions, frame=frame, known_layout=None)
