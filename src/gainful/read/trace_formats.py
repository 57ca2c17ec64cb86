"""Logs that say in JSON what was searched: UBI, traces, transcripts, turns, runs of iKAT.

Each is recognised by its first records, and read as sessions. To add one, add an entry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from io import BytesIO
from typing import Any

import polars as pl
from attrs import evolve, frozen

from gainful.read import chat, ikat, openinference, turns, ubi
from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.event_words import EventWords
from gainful.read.json_records import first_records
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.source import Source, make_memory_source, unwrap_source

_MAX_FIRST = 50  # records by which a format is recognised


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
    return guess_format(first_records(source))


def guess_format(records: Sequence[dict[str, Any]]) -> str | None:
    """The format that some records are in; None if it is none that is known."""
    return next((entry.name for entry in TRACE_FORMATS if entry.fits(records)), None)


def are_trace_columns(names: Iterable[str]) -> bool:
    """May a frame with these columns hold records of a log, and not a row for each result?"""
    hints = ("trace_id", "traceId", "messages", "action_name", "query_response_hit_ids", "turn")
    return any(name.endswith(hints) for name in names)


def _as_json(value: Any) -> Any:
    """What JSON has no words for: arrays as lists, all else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def make_trace_source(value: Any, name: str) -> Source | None:
    """Records of a program, or a frame of them, as a file would hold them; None if it has others.

    Phoenix gives its spans as a frame, and clients of APIs give messages as dicts.
    """
    if isinstance(value, pl.DataFrame):
        if not are_trace_columns(value.columns):
            return None
        if guess_format(value.head(_MAX_FIRST).to_dicts()) is None:
            return None
        buffer = BytesIO()
        value.write_parquet(buffer)
        return make_memory_source(name, ".parquet", buffer.getvalue())
    first = [record for record in value[:_MAX_FIRST] if isinstance(record, dict)]
    if guess_format([record.get("_source", record) for record in first]) is None:
        return None
    lines = (json.dumps(record, default=_as_json) for record in value)
    return unwrap_source(make_memory_source(name, ".jsonl", "\n".join(lines).encode()))
