"""How commands read sessions: the options they share, and the sessions these choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from gainful.cli.options import Decorator
from gainful.errors import BadValue
from gainful.read.filter_sessions import filter_sessions
from gainful.read.formats import FORMATS
from gainful.read.session_formats import SESSION_FORMATS, read_sessions
from gainful.read.sessions import BadPolicy, Sessions

_SESSION_OPTIONS = (
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
_FORMAT_AND_TIES_OPTIONS = (
    click.option(
        "--qrels-format",
        type=click.Choice(list(FORMATS)),
        help="How judgments are written. [found out]",
    ),
    click.option(
        "--ties",
        type=click.Choice(("doc_descending", "input")),
        help="Of conversations: how are equal scores ranked? [doc_descending]",
    ),
)
READING_PARAMETERS = (
    *("where", "min_queries", "first_queries", "sessions_format", "topics", "ties", "pages"),
    "skip_bad",
)


def session_reading_options() -> Decorator:
    """The options that say which sessions are read, and how."""
    return _combine_options((*_SESSION_OPTIONS, *_FORMAT_AND_TIES_OPTIONS))


def study_reading_options() -> Decorator:
    """The same for commands of runs, which have options for ties and judgments already."""
    return _combine_options(_SESSION_OPTIONS)


def _combine_options(options: Sequence[Decorator]) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def parse_reading(options: dict[str, Any]) -> dict[str, Any]:
    """What the options of reading mean to `choose_sessions`; they are taken out of `options`."""
    reading = {name: options.pop(name) for name in READING_PARAMETERS}
    reading["bad"] = "skip" if reading.pop("skip_bad") else "error"
    reading["where"] = _parse_conditions(reading["where"])
    return reading


def load_sessions(
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
    bad: BadPolicy = "skip" if skip_bad else "error"
    sessions = read_sessions(file, sessions_format, bad=bad, ties=ties, topics=topics, pages=pages)
    return filter_sessions(sessions, _parse_conditions(where), min_queries, first_queries)


def _parse_conditions(where: tuple[str, ...]) -> dict[str, str]:
    conditions = {}
    for condition in where:
        column, equals, value = condition.partition("=")
        if not equals:
            raise BadValue("where", condition, "COLUMN=VALUE, such as scenario=D")
        if column.strip() in conditions:
            raise BadValue("where", condition, f"one condition on {column.strip()}")
        conditions[column.strip()] = value.strip()
    return conditions
