"""The formats that sessions come in, and which one a file has. To add one, add an entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike

from attrs import frozen

from gainful.errors import UnknownName
from gainful.read import table
from gainful.read.formats import format_of
from gainful.read.sessions import Bad, Sessions, of_table
from gainful.read.source import Source, opened


@frozen
class SessionFormat:
    """One format: what it is, how it is recognised, how it is read."""

    name: str
    what: str
    fits: Callable[[Source], bool]
    read: Callable[[Source, Bad], Sessions]


def _table(source: Source, bad: Bad) -> Sessions:
    return of_table(table.read(source, format_of(source).name), bad)


_ALL = (
    SessionFormat(
        "table", "a table with columns session, query, rank, doc", lambda _: True, _table
    ),
)

SESSION_FORMATS: Mapping[str, SessionFormat] = {known.name: known for known in _ALL}


def read_sessions(
    path: str | PathLike[str], form: str | None = None, *, bad: Bad = "error"
) -> Sessions:
    """Sessions from a file, whatever its format.

    Args:
        path: the file; `-` is standard input.
        form: the name of its format; found by content if it is not named.
        bad: refuse sessions that are not as they should be, or leave them out and say so.
    """
    source = opened(path)
    if form is not None and form not in SESSION_FORMATS:
        raise UnknownName("session format", form, SESSION_FORMATS)
    found = SESSION_FORMATS[form] if form else next(one for one in _ALL if one.fits(source))
    return found.read(source, bad)
