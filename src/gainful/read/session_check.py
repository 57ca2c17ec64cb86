"""What is there to know of a file of sessions? All that is wrong, and what is worth saying."""

from __future__ import annotations

import numpy as np
import polars as pl

from gainful.errors import BadInput, counted
from gainful.read import named_columns
from gainful.read.file_check import Examined, malformed_lines, without_name
from gainful.read.session_formats import session_format, table_form
from gainful.read.sessions import Sessions, head_is_sessions
from gainful.read.source import Source

_LENGTHS = 12  # numbers of queries that are listed with how many sessions have them


def holds_sessions(source: object) -> bool:
    """Is a file one of sessions, to judge by its content?

    Conversations are runs as well, and taken for runs unless their format is named.
    """
    if not isinstance(source, Source):
        return False
    found = session_format(source).name
    if found != "table":
        return found != "conversation"
    try:
        form = table_form(source)
        return head_is_sessions(named_columns.read(source, form).frame.columns)
    except BadInput:
        return form in ("csv", "tsv") and _header_is_sessions(source)


def _header_is_sessions(source: Source) -> bool:
    line = source.first_line()
    return any(
        head_is_sessions([name.strip('"') for name in line.split(separator)])
        for separator in ",;\t"
    )


def examined_sessions(source: Source, form: str | None = None) -> Examined:
    """All that is to be known of one file as sessions."""
    known = session_format(source, form)
    try:
        read = known.read(source, "skip")
    except BadInput as bad:
        return Examined(source.name, known.name, "sessions", [without_name(source.name, bad)])
    place = f"{source.name}:"
    told = [(where.replace(place, "line "), words) for where, words in read.wrong]
    wrong = malformed_lines(told, "mistake", "")
    lost = [f"{counted(read.lost, 'session')} with them are not counted here"] if read.lost else []
    notes = [*lost, *report(read), *(note for note in read.notes if "left out:" not in note)]
    return Examined(source.name, known.name, "sessions", wrong, notes, sessions=read)


def report(sessions: Sessions) -> list[str]:
    """Sessions, queries and results in numbers."""
    frame, layout = sessions.frame, sessions.layout
    some = frame.filter(pl.col("doc").is_not_null())
    lengths = layout.queries_of
    sizes, often = np.unique(lengths, return_counts=True)
    shown = [f"{size} ({number}×)" for size, number in zip(sizes, often, strict=True)]
    more = f" and {len(shown) - _LENGTHS} more" if len(shown) > _LENGTHS else ""
    empty = len(frame) - len(some)
    listed = layout.lengths - frame["doc"].is_null().gather(layout.queries).to_numpy()
    counts = (len(layout.sessions), len(layout.queries), len(some))
    told = zip(counts, ("session", "query", "result"), strict=True)
    notes = [
        ", ".join(counted(number, what) for number, what in told),
        f"queries a session: {', '.join(shown[:_LENGTHS])}{more}; {lengths.mean():.2f} on average",
        f"results a query: {_between(int(listed.min()), int(listed.max()))}",
    ]
    if empty:
        notes.append(f"{counted(empty, 'query')} returned nothing")
    if len(some):
        again = len(some) - some.select(pl.struct("session", "doc").n_unique()).item()
        share = 100 * again / len(some)
        notes.append(f"{share:.1f} % of the results show a document that the session showed before")
    if "clicked" in frame.columns:
        clicked = int(frame["clicked"].sum())
        notes.append(f"{counted(clicked, 'result')} clicked")
    if sessions.columns:
        notes.append(f"also told: {', '.join(sessions.columns)}")
    return notes


def _between(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
