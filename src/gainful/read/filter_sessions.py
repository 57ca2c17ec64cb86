"""Only some of the sessions, or the beginning of each."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from attrs import evolve, frozen

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


@frozen
class SessionChoice:
    """Which sessions are asked for: with these values, of so many queries; and how much of each."""

    where: Mapping[str, str] = {}
    min_queries: int | None = None
    first_queries: int | None = None

    def __attrs_post_init__(self) -> None:
        check_choice(self.where, self.min_queries, self.first_queries)

    def choose(self, sessions: Sessions) -> Sessions:
        """What is asked for of these sessions, which may be nothing."""
        if not self.where and self.min_queries is None and self.first_queries is None:
            return sessions
        frame = sessions.frame
        for column, value in self.where.items():
            if column not in sessions.columns and column != "session":
                raise UnknownName("column", column, ("session", *sessions.columns))
            text = str(value).encode(errors="backslashreplace").decode()  # polars takes UTF-8 only
            fits = frame[column].alias("").cast(pl.String) == text  # a name may be a pattern
            matching_sessions = set(frame["session"].filter(fits.fill_null(value=False)).unique())
            kept = frame["session"].is_in(list(matching_sessions))
            if int(kept.sum()) != int(fits.sum()):
                problem = f"some sessions have more than one {column}"
                allowed = "a column that is the same for a whole session"
                raise BadInput(sessions.name, problem, allowed)
            frame = frame.filter(kept)
        if self.min_queries is not None:
            enough = pl.col("query").max().over("session") >= min(self.min_queries, _MANY)
            frame = frame.filter(enough)
        if self.first_queries is not None:
            frame = frame.filter(pl.col("query") <= min(self.first_queries, _MANY))
        return evolve(sessions, frame=frame, known_layout=None)


def filter_sessions(sessions: Sessions, choice: SessionChoice) -> Sessions:
    """Only some of the sessions, or the beginning of each; refused if none is left."""
    chosen = choice.choose(sessions)
    if not len(chosen.frame):
        raise nothing_chosen(sessions.name)
    return chosen


def nothing_chosen(name: str) -> BadInput:
    """A choice of sessions that leaves none."""
    return BadInput(name, "no session is left", "a wider choice of sessions")
