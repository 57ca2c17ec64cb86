"""A table of any make → `Sessions`: numbered queries as they are, logs event by event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from attrs import evolve

from gainful.progress import report_reading
from gainful.read import named_columns
from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import SESSION_ROLES, USUAL_NAMES, ColumnMapping
from gainful.read.event_table import describe_names, extract_events, is_event_log
from gainful.read.event_words import EventWords
from gainful.read.formats import find_format
from gainful.read.log_facts import find_facts
from gainful.read.named_columns import InputTable
from gainful.read.sessions import (
    BadPolicy,
    Sessions,
    choose_position,
    extract_sessions,
    name_columns,
)
from gainful.read.source import Source

# How much of the work is done when all of the text is in columns, and when they are events.
_SHARE_READ, _SHARE_TYPED = 0.2, 0.5


def read_session_table(
    source: Source,
    bad: BadPolicy = "error",
    columns: ColumnMapping = USUAL_NAMES,
    gap: timedelta | None = None,
    events: EventWords | None = None,
) -> Sessions:
    """Sessions from a file that is a table."""

    def report(share: float) -> None:
        report_reading(source.name, source.size, share)

    report(0.0)
    table = named_columns.read_table(source, guess_table_format(source), literal_quotes=True)
    report(_SHARE_READ)
    named = table.rename(columns, SESSION_ROLES)
    return extract_session_table(named, bad, gap, events, report)


def extract_session_table(
    table: InputTable,
    bad: BadPolicy = "error",
    gap: timedelta | None = None,
    events: EventWords | None = None,
    report: Callable[[float], None] = lambda _: None,
) -> Sessions:
    """Sessions from a table: queries by their numbers, or from the events of a log.

    Args:
        table: a row for each result that was shown, or for each event.
        bad: refuse what is not as it should be, or leave it out and say so.
        gap: of a log: the pause after which a session of the user ends.
        events: of a log: what its words for events mean.
        report: told which share of the work is done.
    """
    facts = find_facts(table.frame, table.header)
    if gap is not None or events is not None or is_event_log(table.header, facts):
        log = extract_events(table, events, facts)
        report(_SHARE_TYPED)
        return build_sessions(log, bad=bad, gap=gap)
    position = choose_position(table.header, facts.holds_texts)
    sessions = extract_sessions(table, bad, position)
    note = describe_names(table.header, name_columns(table.header, position))
    return evolve(sessions, notes=(*sessions.notes, note)) if note else sessions


def guess_table_format(source: Source) -> str:
    """Which kind of table: Parquet, Arrow, JSON lines, or text with tabs or commas."""
    format_name = find_format(source).name
    if format_name in ("parquet", "arrow", "jsonl", "csv", "tsv"):
        return format_name
    if format_name == "trec":
        return "tsv" if "\t" in source.first_line() else "csv"
    return "jsonl"
