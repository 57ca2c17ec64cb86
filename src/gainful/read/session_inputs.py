"""Whatever a user passes as sessions → `Sessions`."""

from __future__ import annotations

from os import PathLike
from typing import Any

from gainful.errors import BadValue, WrongType
from gainful.read import named_columns
from gainful.read.engines import find_engine
from gainful.read.frames import as_polars, is_frame
from gainful.read.lazy import collect_frame
from gainful.read.session_formats import read_sessions
from gainful.read.session_topics import with_topics
from gainful.read.sessions import BadPolicy, Sessions, extract_sessions

AnySessions = str | PathLike[str] | Sessions | Any  # or any frame


def as_sessions(
    value: AnySessions,
    format_name: str | None = None,
    *,
    bad: BadPolicy = "error",
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
) -> Sessions:
    """Sessions from a path, a frame, or as they are; the options are those of `read_sessions`."""
    if isinstance(value, (str, PathLike)):
        return read_sessions(value, format_name, bad=bad, ties=ties, topics=topics, pages=pages)
    for name, option in (("form", format_name), ("ties", ties), ("pages", pages)):
        if option is not None:
            raise BadValue(name, option, "nothing: it is for sessions in files")
    engine = find_engine(value)
    if engine is not None:
        value = collect_frame(value, engine, "sessions")
    if is_frame(value):
        frame = as_polars(value, "sessions")
        value = extract_sessions(named_columns.as_table(frame, "sessions"), bad)
    if not isinstance(value, Sessions):
        raise WrongType("sessions", value, "a path, a frame, or Sessions")
    return value if topics is None else with_topics(value, topics)
