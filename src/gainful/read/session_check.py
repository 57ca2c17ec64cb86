"""What is there to know of a file of sessions? All that is wrong, and what is worth saying."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from gainful.errors import BadInput
from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.file_check import FileReport, describe_mistakes, strip_file_name
from gainful.read.formats import find_session_format
from gainful.read.read_options import ReadOptions
from gainful.read.session_inputs import read_sources
from gainful.read.sessions import Sessions
from gainful.read.source import Source
from gainful.text import count_noun

_MAX_LENGTHS = 12  # numbers of queries that are listed with how many sessions have them


def examine_sessions(
    source: Source,
    format_name: str | None = None,
    columns: ColumnMapping = USUAL_NAMES,
    *,
    events: Source | None = None,
    tool: Sequence[str] = (),
) -> FileReport:
    """All that is to be known of one file as sessions; of a log, with the file of its events."""
    file_format = find_session_format(source, format_name)
    mapped = "columns" in file_format.options and (
        "session" in columns.names or file_format.of_records
    )
    reading = ReadOptions(
        bad="skip",
        columns=columns if mapped else None,
        tool=tool if "tool" in file_format.options else None,
    )
    sources = [source] if events is None else [source, events]
    name = " and ".join(part.name for part in sources)
    try:
        sessions = read_sources(sources, file_format.name, reading)
    except BadInput as error:
        return FileReport(name, file_format.name, "sessions", [strip_file_name(name, error)])
    prefix = f"{source.name}:" if events is None else ""
    mistakes = [
        (location.replace(prefix, "line ") if prefix else location, words)
        for location, words in sessions.problems
    ]
    problems = describe_mistakes(mistakes, "mistake", "")
    dropped_notes = (
        [f"{count_noun(sessions.dropped_count, 'session')} with them are not counted here"]
        if sessions.dropped_count
        else []
    )
    notes = [
        *dropped_notes,
        *describe_sessions(sessions),
        *(note for note in sessions.notes if "left out:" not in note),
    ]
    return FileReport(name, file_format.name, "sessions", problems, notes, sessions=sessions)


def describe_sessions(sessions: Sessions) -> list[str]:
    """Sessions, queries and results in numbers."""
    frame, layout = sessions.frame, sessions.layout
    results = frame.filter(pl.col("doc").is_not_null())
    lengths = layout.queries_per_session
    sizes, frequencies = np.unique(lengths, return_counts=True)
    length_counts = [f"{size} ({number}×)" for size, number in zip(sizes, frequencies, strict=True)]
    more = (
        f" and {len(length_counts) - _MAX_LENGTHS} more"
        if len(length_counts) > _MAX_LENGTHS
        else ""
    )
    empty = len(frame) - len(results)
    result_counts = (
        layout.query_lengths - frame["doc"].is_null().gather(layout.query_starts).to_numpy()
    )
    counts = (len(layout.session_starts), len(layout.query_starts), len(results))
    counts_and_nouns = zip(counts, ("session", "query", "result"), strict=True)
    notes = [
        ", ".join(count_noun(number, noun) for number, noun in counts_and_nouns),
        (
            f"queries a session: {', '.join(length_counts[:_MAX_LENGTHS])}{more}; "
            f"{lengths.mean():.2f} on average"
        ),
        f"results a query: {_format_range(int(result_counts.min()), int(result_counts.max()))}",
    ]
    if empty:
        notes.append(f"{count_noun(empty, 'query')} returned nothing")
    if len(results):
        repeat_count = len(results) - results.select(pl.struct("session", "doc").n_unique()).item()
        share = 100 * repeat_count / len(results)
        notes.append(f"{share:.1f} % of the results show a document that the session showed before")
    if "clicked" in frame.columns:
        clicked = int(frame["clicked"].sum())
        notes.append(f"{count_noun(clicked, 'result')} clicked")
    if sessions.columns:
        notes.append(f"also told: {', '.join(sessions.columns)}")
    return notes


def _format_range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
