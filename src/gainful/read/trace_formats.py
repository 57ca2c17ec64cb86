"""Logs that say in JSON what was searched: UBI, traces, transcripts, turns, runs of iKAT.

Each is recognised by its first records, and read as sessions. To add one, add an entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from attrs import evolve, frozen

from gainful.read import chat, ikat, openinference, turns, ubi
from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.event_words import EventWords
from gainful.read.json_records import first_records
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.source import Source


@frozen
class TraceFormat:
    """One format of records: how it is recognised, how it is read, what can be asked of it."""

    name: str
    description: str
    fits: Callable[[Sequence[dict[str, Any]]], bool]
    read: Callable[..., Sessions]
    options: tuple[str, ...]


def _read_openinference(
    source: Source,
    bad: BadPolicy = "error",
    columns: ColumnMapping = USUAL_NAMES,
    tool: Sequence[str] = (),
    gap: timedelta | None = None,
) -> Sessions:
    events = openinference.read_openinference(source, columns, tool)
    return build_sessions(events, bad=bad, gap=gap)


def _read_chat(
    source: Source,
    bad: BadPolicy = "error",
    columns: ColumnMapping = USUAL_NAMES,
    tool: Sequence[str] = (),
) -> Sessions:
    return build_sessions(chat.read_chat(source, columns, tool), bad=bad)


def read_ubi(
    source: Source | Sequence[Source],
    bad: BadPolicy = "error",
    columns: ColumnMapping = USUAL_NAMES,
    gap: timedelta | None = None,
    events: EventWords | None = None,
) -> Sessions:
    """Sessions from the queries and events of one or two files; judged by what was asked."""
    sources = [source] if isinstance(source, Source) else source
    log = ubi.read_ubi(sources, columns, gap, events)
    return evolve(build_sessions(log, bad=bad, gap=gap), judged_by="text")


TRACE_FORMATS = (
    TraceFormat(
        "ubi",
        "queries and events of User Behavior Insights (UBI 1.x), in one file or in two",
        ubi.is_ubi,
        read_ubi,
        ("columns", "gap", "events"),
    ),
    TraceFormat(
        "openinference",
        "traces of LLM applications: OpenInference, or OpenTelemetry's GenAI convention",
        openinference.is_openinference,
        _read_openinference,
        ("columns", "tool", "gap"),
    ),
    TraceFormat("ikat", "a run of TREC iKAT as JSON", ikat.is_ikat, ikat.read_ikat, ()),
    TraceFormat(
        "turns",
        "turns of conversations with what was retrieved for each",
        turns.is_turns,
        turns.read_turns,
        ("columns",),
    ),
    TraceFormat(
        "chat",
        "chat messages of agents with calls of a search tool",
        chat.is_chat,
        _read_chat,
        ("columns", "tool"),
    ),
)


def find_trace_format(source: Source) -> str | None:
    """The format of the records of a file; None if it has none that is known."""
    records = first_records(source)
    return next((entry.name for entry in TRACE_FORMATS if entry.fits(records)), None)
