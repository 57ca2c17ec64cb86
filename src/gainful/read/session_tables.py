"""A table of any make → `Sessions`: numbered queries as they are, logs event by event."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from gainful.progress import report_reading
from gainful.read import named_columns
from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import SESSION_ROLES
from gainful.read.event_table import describe_names, extract_events, is_event_log
from gainful.read.formats import find_table_format
from gainful.read.log_facts import find_facts
from gainful.read.named_columns import InputTable
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.sessions import Sessions, choose_position, extract_sessions, name_columns
from gainful.read.source import Source

# How much of the work is done when all of the text is in columns, and when they are events.
_SHARE_READ, _SHARE_TYPED = 0.2, 0.5


def read_session_table(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """Sessions from a file that is a table."""

    def report(share: float) -> None:
        report_reading(source.name, source.size, share)

    report(0.0)
    table = named_columns.read_table(source, find_table_format(source), literal_quotes=True)
    report(_SHARE_READ)
    return extract_session_table(table, reading, report)


def extract_session_table(
    table: InputTable,
    reading: ReadOptions = AS_USUAL,
    report: Callable[[float], None] = lambda _: None,
) -> Sessions:
    """Sessions from a table: queries by their numbers, or from the events of a log.

    Args:
        table: a row for each result that was shown, or for each event.
        reading: how columns are called, and what a log means.
        report: told which share of the work is done.
    """
    table = table.rename(reading.columns, SESSION_ROLES)
    facts = find_facts(table.frame, table.header)
    if reading.asks_for_events or is_event_log(table.header, facts):
        log = extract_events(table, reading.events, facts)
        report(_SHARE_TYPED)
        return build_sessions(log, bad=reading.policy, gap=reading.gap)
    position = choose_position(table.header, facts.holds_texts)
    sessions = extract_sessions(table, reading.policy, position)
    note = describe_names(table.header, name_columns(table.header, position))
    return evolve(sessions, notes=(*sessions.notes, note)) if note else sessions
