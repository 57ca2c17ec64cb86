"""Whatever a user passes as sessions → `Sessions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike, fspath
from typing import Any

import polars as pl

from gainful.errors import BadValue, WrongType
from gainful.forks import refuse_lost_threads
from gainful.read import named_columns, shapes
from gainful.read.column_names import SESSION_ROLES, ColumnMapping, ColumnNames, read_column_names
from gainful.read.durations import parse_duration
from gainful.read.engines import Engine, find_engine
from gainful.read.event_words import EventWords
from gainful.read.frames import as_polars, is_frame
from gainful.read.jsonl import build_columns
from gainful.read.qrels_and_run import Qrels
from gainful.read.session_formats import is_one_log, read_sessions
from gainful.read.session_tables import extract_session_table
from gainful.read.session_topics import with_topics
from gainful.read.sessions import BadPolicy, Sessions
from gainful.read.several_systems import combine_systems
from gainful.read.source import Source
from gainful.read.trace_formats import are_trace_columns, make_trace_source
from gainful.text import name_files

AnySessions = str | PathLike[str] | Sessions | Any  # or any frame, or several systems


def as_sessions(
    value: AnySessions,
    format_name: str | None = None,
    *,
    bad: BadPolicy | None = None,
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
    columns: ColumnNames | None = None,
    tool: str | Sequence[str] | None = None,
    qrels: Qrels | None = None,
    whole: bool = True,
    gap: str | float | timedelta | None = None,
    events: EventWords | None = None,
    behaviour: Mapping[str, float | None] | None = None,
) -> Sessions:
    """Sessions from a path, a frame, or as they are; the options are those of `read_sessions`.

    Several files, in a list or by name, are several systems; see `combine_systems`. Of a frame in
    an engine, only the results that these judgments or the searchers say anything about become
    rows, and those that a behaviour such as {"purchased": None, "dwell": 30} was done to, unless
    the whole is asked for.
    """
    refuse_lost_threads()
    systems = name_systems(value, format_name)
    if systems is not None:
        reading: dict[str, Any] = {
            "bad": bad,
            "ties": ties,
            "topics": topics,
            "pages": pages,
            "columns": columns,
            "tool": tool,
            "gap": gap,
            "events": events,
            "qrels": qrels,
            "whole": whole,
            "behaviour": behaviour,
        }
        return combine_systems(
            {name: as_sessions(part, format_name, **reading) for name, part in systems.items()}
        )
    mapping = read_column_names(columns)
    tools = [tool] if isinstance(tool, str) else tool
    pause = None if gap is None else parse_duration(gap, "gap")
    if is_frame(value) and find_engine(value) is None and not _is_pandas(value):
        value = as_polars(value, "sessions")  # a stream can be read once only
    files = _find_files(value)
    if files is not None:
        return read_sessions(
            files,
            format_name,
            bad=bad,
            ties=ties,
            topics=topics,
            pages=pages,
            columns=mapping,
            tool=tools,
            gap=pause,
            events=events,
        )
    given = {"form": format_name, "ties": ties, "pages": pages, "tool": tools or None}
    for name, option in given.items():
        if option is not None:
            raise BadValue(name, option, "nothing: it is for sessions in files")
    engine = find_engine(value)
    if engine is not None:
        log = {"bad": bad or "error", "gap": pause, "events": events}
        wanted = None if whole else (qrels, behaviour or {})
        value = _collect_from_engine(value, engine, mapping, log, wanted)
    if isinstance(value, (list, tuple)) and shapes.are_records(value):
        value = build_columns(value)
    if is_frame(value):
        table = named_columns.as_table(as_polars(value, "sessions"), "sessions")
        value = extract_session_table(
            table.rename(mapping, SESSION_ROLES), bad or "error", pause, events
        )
    if not isinstance(value, Sessions):
        raise WrongType("sessions", value, "a path, a frame, a list of dicts, or Sessions")
    return value if topics is None else with_topics(value, topics, bad)


def name_systems(
    value: AnySessions, format_name: str | None = None
) -> dict[str, AnySessions] | None:
    """The sessions of several systems by name; None if there is only one thing to read.

    The queries and the events of one log are one thing, though they may be two files.

    Examples:
        >>> name_systems({"old": "runs/bm25.run", "new": "runs/dense.run"})
        {'old': 'runs/bm25.run', 'new': 'runs/dense.run'}
    """
    if isinstance(value, Mapping) and value and all(map(_holds_sessions, value.values())):
        return {str(name): part for name, part in value.items()}
    if not isinstance(value, (list, tuple)) or not all(map(_is_path, value)):
        return None
    paths = [fspath(path) for path in value]
    if len(set(paths)) < len(paths):
        raise BadValue("sessions", paths, "each file once")
    if len(paths) < 2 or is_one_log(paths, format_name):
        return None
    return dict(zip(name_files(paths), value, strict=True))


def _find_files(value: Any) -> Any:
    """The file or files to read, or records of a log in memory; None if it is anything else."""
    if _is_path(value):
        return value
    if isinstance(value, (list, tuple)) and value:
        if all(map(_is_path, value)):
            return value
        return make_trace_source(value, "sessions") if shapes.are_records(value) else None
    is_here = is_frame(value) and find_engine(value) is None
    return _find_log(value) if is_here else None


def _find_log(frame: Any) -> Source | None:
    """The records of a log that a frame holds; None if it has a row for each result."""
    if not _is_pandas(frame):
        return make_trace_source(as_polars(frame, "sessions"), "sessions")
    if not are_trace_columns(map(str, frame.columns)):
        return None
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return make_trace_source(records, "sessions")  # its cells may be lists of dicts


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas"


def _is_path(value: object) -> bool:
    return isinstance(value, (str, PathLike))


def _holds_sessions(value: object) -> bool:
    if isinstance(value, (str, PathLike, Sessions)) or is_frame(value):
        return True
    records = isinstance(value, (list, tuple)) and shapes.are_records(value)
    return records or find_engine(value) is not None


def _collect_from_engine(
    value: Any,
    engine: Engine,
    columns: ColumnMapping,
    log: Mapping[str, Any],
    wanted: tuple[Qrels | None, Mapping[str, float | None]] | None,
) -> Sessions | pl.DataFrame:
    """What is wanted of sessions in an engine, by judgments and by what was done; or all of it."""
    from gainful.read.engine_sessions import open_sessions  # noqa: PLC0415  (slow to load)
    from gainful.read.fetch_sessions import fetch_sessions  # noqa: PLC0415
    from gainful.read.lazy import collect_frame  # noqa: PLC0415

    if wanted is None:
        return collect_frame(value, engine, "sessions")
    qrels, behaviour = wanted
    judged_docs = None if qrels is None else qrels.frame["doc"].unique()
    sessions = open_sessions(value, engine, "sessions", columns, **log)
    return fetch_sessions(sessions, judged_docs, behaviour)
