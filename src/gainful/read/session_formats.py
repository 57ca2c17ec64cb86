"""The formats that sessions come in, and which one a file has. To add one, add an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from os import PathLike, fspath
from typing import Any

from attrs import frozen

from gainful.errors import BadValue, NoColumn, Swapped
from gainful.read import conversations, dynamic_domain, session_xml, ubi
from gainful.read.column_names import USUAL_NAMES, ColumnMapping, list_columns
from gainful.read.event_words import LOG_COLUMNS, EventWords
from gainful.read.formats import FileFormat, choose_format, find_format
from gainful.read.json_records import binary_format, first_records
from gainful.read.named_columns import Header
from gainful.read.session_tables import read_session_table
from gainful.read.session_topics import with_topics
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.source import Source, open_source
from gainful.read.trace_formats import TRACE_FORMATS, find_trace_format
from gainful.text import NUMBER_PATTERN


@frozen
class SessionFormat(FileFormat):
    """One format of sessions, how they are read from it, and what can be asked of it."""

    read: Callable[..., Sessions]
    options: tuple[str, ...] = ()


def _has_trace_format(name: str, source: Source) -> bool:
    return find_trace_format(source) == name


_ALL = (
    SessionFormat(
        "trec-session",
        "XML of the TREC Session Track",
        session_xml.is_session_xml,
        session_xml.read_session_xml,
        ("pages",),
    ),
    SessionFormat(
        "dd",
        "a run of TREC Dynamic Domain",
        dynamic_domain.is_dynamic_domain,
        dynamic_domain.read_dynamic_domain,
    ),
    SessionFormat(
        "conversation",
        "a TREC run whose query ids carry the turn, such as 106_3",
        conversations.is_conversation,
        conversations.read_conversations,
        ("ties",),
    ),
    *(
        SessionFormat(
            entry.name,
            entry.description,
            partial(_has_trace_format, entry.name),
            entry.read,
            entry.options,
        )
        for entry in TRACE_FORMATS
    ),
    SessionFormat(
        "table",
        "a table of sessions or of the events of a log",
        lambda _: True,
        read_session_table,
        ("columns", "gap", "events"),
    ),
)

SESSION_FORMATS: Mapping[str, SessionFormat] = {entry.name: entry for entry in _ALL}


def read_sessions(
    path: str | PathLike[str] | Source | Sequence[str | PathLike[str]],
    format_name: str | None = None,
    *,
    bad: BadPolicy | None = None,
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
    columns: ColumnMapping = USUAL_NAMES,
    tool: Sequence[str] | None = None,
    gap: timedelta | None = None,
    events: EventWords | None = None,
) -> Sessions:
    """Sessions from a file, whatever its format.

    Args:
        path: the file, or what was opened; `-` is standard input. A log of UBI may have two.
        format_name: the name of its format; found by content if it is not named.
        bad: refuse sessions that are not as they should be (as without it), or leave them out and
            say so; those that `topics` does not name are refused only if this asks for it.
        ties: of conversations: results of equal score by document id, descending
            (`doc_descending`, the default, as trec_eval does), or as they came (`input`).
        topics: a file of lines `session topic`, whose topics count instead.
        pages: of the Session Track: does a further page continue the list (`merge`, the default)
            or `count` as a query?
        columns: of a table: what its columns are called.
        tool: of traces and transcripts: the names of the tools that search.
        gap: of a log: the pause after which a session of the user ends.
        events: of a log: what its words for events mean, such as {"shown": "view"}.
    """
    if isinstance(path, Source):
        sources = [path]
    else:
        paths = [path] if isinstance(path, (str, PathLike)) else path
        sources = [open_source(part) for part in paths]
    source = sources[0]
    file_format = find_session_format(source, format_name)
    if format_name is None and file_format.name == "table":
        _refuse_judgments(source)
        _refuse_unknown_json(source, columns)
    all_options = {
        "ties": ties,
        "pages": pages,
        "columns": columns if columns.names else None,
        "tool": tool or None,
        "gap": gap,
        "events": events,
    }
    options: dict[str, Any] = {
        name: value for name, value in all_options.items() if value is not None
    }
    for name, value in options.items():
        if name not in file_format.options:
            raise BadValue(
                name,
                dict(columns.names) if name == "columns" else value,
                f"nothing: sessions in the format {file_format.name} have none",
            )
    several = sources if len(sources) > 1 else source
    sessions = file_format.read(several, bad or "error", **options)
    for part in sources:
        part.report_end()
    return sessions if topics is None else with_topics(sessions, topics, bad)


def is_one_log(paths: Sequence[str | PathLike[str]], format_name: str | None = None) -> bool:
    """Are two files the queries and the events of one log of UBI, and not two systems?"""
    names = [fspath(path) for path in paths]
    if len(names) != 2 or "-" in names or format_name not in (None, "ubi"):
        return False
    kinds = [ubi.find_kinds(first_records(open_source(path))) for path in paths]
    return {"queries"} in kinds and {"events"} in kinds


def find_session_format(source: Source, format_name: str | None = None) -> SessionFormat:
    """The format of sessions, by its name or by what the file looks like."""
    if format_name is None and find_format(source).name != "trec":
        format_name = find_trace_format(source) or "table"
    return choose_format(SESSION_FORMATS, source, format_name, "session format")


def _refuse_judgments(source: Source) -> None:
    """Lines of four fields, the last a number, are judgments."""
    fields = source.first_line().split()
    if len(fields) == 4 and re.fullmatch(NUMBER_PATTERN, fields[3], re.ASCII):
        raise Swapped(
            source.name,
            "these look like judgments, not like sessions: their lines have four fields",
            "sessions first, judgments as qrels: gainful sessions SESSIONS --qrels QRELS",
        )


def _refuse_unknown_json(source: Source, columns: ColumnMapping) -> None:
    """Records of JSON that are no log that is known, and have no documents of a table either."""
    records = first_records(source) if binary_format(source) is None else []
    keys = list(dict.fromkeys(key for record in records for key in record))
    if keys and not columns.names and Header(keys, "").find_column(LOG_COLUMNS["doc"]) is None:
        kinds = ", ".join(entry.name for entry in TRACE_FORMATS)
        raise NoColumn(
            source.name,
            f"this is JSON, but no log that is known: it has {list_columns(keys)}",
            f"{kinds}; or a table with session, query and doc, and --columns that names them",
        )
