"""How commands read sessions: the options they share, and the sessions these choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from gainful.cli.options import Decorator
from gainful.errors import BadValue
from gainful.measure.sessions.evaluate import chosen
from gainful.read.formats import FORMATS
from gainful.read.session_formats import SESSION_FORMATS, read_sessions
from gainful.read.sessions import Bad, Sessions

_OF_SESSIONS = (
    click.option("--where", multiple=True, metavar="COLUMN=VALUE", help="Only these sessions."),
    click.option(
        "--min-queries", type=int, metavar="N", help="Only sessions of at least N queries."
    ),
    click.option(
        "--first-queries", type=int, metavar="N", help="Only the first N queries of each."
    ),
    click.option(
        "--sessions-format",
        type=click.Choice(list(SESSION_FORMATS)),
        help="How sessions are written. [found out]",
    ),
    click.option(
        "--topics", metavar="FILE", help="Lines of session and topic, whose judgments count."
    ),
    click.option(
        "--pages",
        type=click.Choice(("merge", "count")),
        help="Of Session Track XML: does a further page continue the list, or count? [merge]",
    ),
    click.option("--skip-bad", is_flag=True, help="Leave malformed sessions out, and count them."),
)
_ALSO = (
    click.option(
        "--judgments-format",
        type=click.Choice(list(FORMATS)),
        help="How judgments are written. [found out]",
    ),
    click.option(
        "--ties",
        type=click.Choice(("doc_descending", "input")),
        help="Of conversations: how are equal scores ranked? [doc_descending]",
    ),
)
READING = (
    *("where", "min_queries", "first_queries", "sessions_format", "topics", "ties", "pages"),
    "skip_bad",
)


def session_reading() -> Decorator:
    """The options that say which sessions are read, and how."""
    return _with((*_OF_SESSIONS, *_ALSO))


def study_reading() -> Decorator:
    """The same for commands of runs, which have options for ties and judgments already."""
    return _with(_OF_SESSIONS)


def _with(options: Sequence[Decorator]) -> Decorator:
    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def sessions_from(
    file: str,
    *,
    where: tuple[str, ...],
    min_queries: int | None,
    first_queries: int | None,
    sessions_format: str | None,
    topics: str | None,
    ties: str | None,
    pages: str | None,
    skip_bad: bool,
) -> Sessions:
    """The sessions of a file that were asked for."""
    bad: Bad = "skip" if skip_bad else "error"
    held = read_sessions(file, sessions_format, bad=bad, ties=ties, topics=topics, pages=pages)
    return chosen(held, _conditions(where), min_queries, first_queries)


def _conditions(where: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for one in where:
        column, equals, value = one.partition("=")
        if not equals:
            raise BadValue("where", one, "COLUMN=VALUE, such as scenario=D")
        if column.strip() in found:
            raise BadValue("where", one, f"one condition on {column.strip()}")
        found[column.strip()] = value.strip()
    return found
