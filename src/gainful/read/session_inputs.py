"""Whatever a user passes as sessions → `Sessions`."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from os import PathLike, fspath
from typing import Any, TypeGuard

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue, NoColumn, Swapped, WrongType
from gainful.forks import refuse_lost_threads
from gainful.progress import report_reading
from gainful.read import named_columns, shapes
from gainful.read.build_sessions import build_sessions
from gainful.read.column_names import (
    DOC_LISTS,
    GRADE,
    LOG_COLUMNS,
    RANK,
    SCORE,
    SESSION_ROLES,
    TABLES,
    list_columns,
    normalise_name,
)
from gainful.read.delimited import MAX_FIELD
from gainful.read.document_evaluations import PLACES_OF_DOCUMENTS
from gainful.read.engines import find_engine
from gainful.read.formats import (
    SESSION_FORMATS,
    find_format,
    find_record_format,
    find_session_format,
    find_table_format,
    is_short_trec,
    read_rows,
)
from gainful.read.frames import as_polars, is_frame
from gainful.read.json_records import build_columns, first_records, load_whole
from gainful.read.named_columns import TEXT, Header, InputTable
from gainful.read.path_finder import find_first, list_paths
from gainful.read.qrels_and_run import QRELS, RUN, Qrels, Rows
from gainful.read.read_options import AS_USUAL, ReadOptions
from gainful.read.search_results import as_list, is_id
from gainful.read.session_events import (
    SessionEvents,
    describe_names,
    extract_events,
    find_facts,
    is_event_log,
    refuse_lists,
)
from gainful.read.sessions import (
    SessionChoice,
    Sessions,
    check_sessions,
    choose_position,
    combine_systems,
    extract_session_rows,
    name_columns,
    tells_actions,
)
from gainful.read.source import SEPARATORS, Source, make_memory_source, open_source, unwrap_source
from gainful.read.trec_sessions import with_topics
from gainful.text import join_words, name_files

# How much of the work is done when all of the text is in columns, and when they are events.
_SHARE_READ, _SHARE_TYPED = 0.2, 0.5
_AS_QRELS = "sessions first, judgments as qrels: gainful sessions SESSIONS --qrels QRELS"


def read_session_table(source: Source, reading: ReadOptions = AS_USUAL) -> Sessions:
    """Sessions from a file that is a table."""

    def report(share: float) -> None:
        report_reading(source.name, source.size, share)

    report(0.0)
    table_format = find_table_format(source)
    try:
        table = named_columns.read_table(source, table_format, reading.columns, literal_quotes=True)
        report(_SHARE_READ)
        return extract_session_table(table, reading, report)
    except BadInput as error:
        if not reading.columns.names:
            _refuse_other_tables(source, has_all=not isinstance(error, NoColumn))
        raise


def extract_session_table(
    table: InputTable,
    reading: ReadOptions = AS_USUAL,
    report: Callable[[float], None] = lambda _: None,
) -> Sessions:
    """Sessions from a table: queries by their numbers, or from the events of a log."""
    columns, topic = named_columns.split_topic(reading.columns, table.frame.columns)
    if topic is not None:
        table = evolve(table, frame=table.frame.with_columns(table.frame[topic].alias("topic")))
    table = table.rename(columns, SESSION_ROLES)
    facts = find_facts(table.frame, table.header)
    if reading.asks_for_events or is_event_log(table.header, facts):
        log = extract_events(table, reading.events, facts)
        report(_SHARE_TYPED)
        return build_sessions(log, bad=reading.policy, gap=reading.gap)
    refuse_lists(table)
    position = choose_position(table.header, facts.holds_texts)
    frame, problems, ranked = extract_session_rows(table, position)
    sessions = check_sessions(
        frame,
        table.name,
        table.locate,
        bad=reading.policy,
        ranked=ranked,
        first_counts=tells_actions(frame),
        reader_problems=problems,
    )
    note = describe_names(table.header, name_columns(table.header, position))
    return evolve(sessions, notes=(*sessions.notes, note)) if note else sessions


_MAX_FIRST = 50  # records by which a format is recognised
_IN_TWO_FILES = (None, "ubi", "openinference")  # formats of logs that may be
_IN_FILES = ("sessions_format", "ties", "pages", "tool")  # what can only be asked of files
AnySessions = str | PathLike[str] | Sessions | Any  # or any frame, or several systems


def as_sessions(
    value: AnySessions,
    format_name: str | None = None,
    *,
    qrels: Qrels | None = None,
    whole: bool = True,
    behaviour: Mapping[str, float | None] | None = None,
    choice: SessionChoice | None = None,
    **options: Any,
) -> Sessions:
    """Sessions from a path, a frame, or as they are.

    Several files, in a list or by name, are several systems; see `combine_systems`. Of a frame in
    an engine, only the results that these judgments or the searchers say anything about become
    rows, and those that a behaviour such as {"purchased": None, "dwell": 30} was done to, unless
    the whole is asked for; and no sessions that have other values than those of a `choice`, which
    is still to be made. The other options are those of `ReadOptions`.
    """
    refuse_lost_threads()
    reading = ReadOptions(**options)
    systems = name_systems(value, format_name)
    if systems is not None:
        wanted: Any = {"qrels": qrels, "whole": whole, "behaviour": behaviour, **options}
        parts = systems.items()
        return combine_systems(
            {name: as_sessions(part, format_name, **wanted) for name, part in parts}
        )
    value = shapes.zip_columns(value, "sessions") if _holds_columns(value) else take_stream(value)
    sources = _find_sources(value)
    if sources:
        return read_sources(sources, format_name, reading)
    asked = {"sessions_format": format_name, **reading.list_special()}
    for name in _IN_FILES:
        if asked.get(name) is not None:
            raise BadValue(name, asked[name], "no value: it applies to sessions in files")
    engine = find_engine(value)
    if engine is not None:
        from gainful.read import engine_sessions, lazy  # noqa: PLC0415  (slow to load)

        if whole:
            value = lazy.collect_frame(value, engine, "sessions")
        else:
            judged_docs = None if qrels is None else qrels.frame["doc"].unique()
            opened = engine_sessions.open_sessions(value, engine, "sessions", reading)
            chosen = choice if choice is not None and reading.topics is None else SessionChoice()
            value = engine_sessions.fetch_sessions(opened, judged_docs, behaviour or {}, chosen)
    if isinstance(value, (list, tuple)) and shapes.are_records(value):
        frame, nested = build_columns(value)
        value = extract_session_table(named_columns.as_table(frame, "sessions", nested), reading)
    if is_frame(value):
        table = named_columns.as_table(as_polars(value, "sessions"), "sessions")
        value = extract_session_table(table, reading)
    if not isinstance(value, Sessions):
        raise WrongType("sessions", value, "a path, a frame, rows or columns as dicts, or Sessions")
    return _add_topics(value, reading)


def read_sources(
    sources: Sequence[Source], format_name: str | None, reading: ReadOptions
) -> Sessions:
    """Sessions from a file, whatever its format; a log of UBI may have two."""
    file_format = find_session_format(sources[0], format_name)
    by_text = file_format.name != "table" and reading.columns.names.get("topic") == TEXT
    if by_text:
        others = {role: own for role, own in reading.columns.names.items() if role != "topic"}
        reading = evolve(reading, columns=evolve(reading.columns, names=others))
    for name, value in reading.list_special().items():
        if name not in file_format.options:
            allowed = f"no value: sessions in the format {file_format.name} have none"
            raise BadValue(name, value, allowed)
    if file_format.roles and not reading.columns.shared:
        reading.columns.refuse_other_roles(file_format.name, file_format.roles)
    sessions = file_format.read(sources if len(sources) > 1 else sources[0], reading)
    if isinstance(sessions, SessionEvents):
        sessions = build_sessions(sessions, bad=reading.policy, gap=reading.gap)
    for part in sources:
        part.report_end()
    if by_text:
        sessions = _judge_by_text(sessions)
    return _add_topics(sessions, reading)


def _judge_by_text(sessions: Sessions) -> Sessions:
    if "text" not in sessions.frame.columns:
        problem = "it has no texts of queries"
        expected = "a column of topics: --columns topic=NAME (columns=)"
        raise NoColumn(sessions.name, problem, expected)
    frame = sessions.frame.drop("topic", strict=False)
    return evolve(sessions, frame=frame, judged_by="text")


def read_grades(source: Source) -> Rows[Qrels] | None:
    """Evaluations of documents that a trace carries, as judgments by question; None without any."""
    frame = read_sources([source], "openinference", AS_USUAL).frame
    if "grade" not in frame.columns:
        return None
    judged = frame.select(pl.col("text").alias("query"), "doc", "grade").drop_nulls()
    note = f"{source.name}: evaluations of documents in a trace are the judgments, by question"
    judged = judged.unique(maintain_order=True)
    return Rows(QRELS, source.name, judged, lambda row: f"{source.name}, row {row}", notes=[note])


def _add_topics(sessions: Sessions, reading: ReadOptions) -> Sessions:
    topics = reading.topics
    return sessions if topics is None else with_topics(sessions, topics, reading.bad)


def refuse_unknown_json(source: Source) -> None:
    """Records of JSON that are no log that is known, and have no documents of a table either."""
    if re.fullmatch(rb"\s*(\{\s*\}|\[\s*\])\s*", source.head):
        raise BadInput(source.name, "it has no records")
    records = first_records(source) if source.table_format is None else []
    name = find_format(source).name
    if not records and name in ("json", "jsonl") and source.head.lstrip()[:1] not in b"{[":
        load_whole(source)
        raise NoColumn(source.name, "this is JSON, but holds no records", _EXPECTED)
    keys = list(dict.fromkeys(key for record in records for key in record))
    if keys and Header(keys, "").find_column((*LOG_COLUMNS["doc"].names, *DOC_LISTS)) is None:
        if name == "rag" and Header(keys, "").find_column(LOG_COLUMNS["session"].names):
            return  # lists of a log, which its reader refuses
        cells = [cell for record in records for cell in record.values()]
        if not any(cell for cell in cells if isinstance(cell, (list, dict))):
            raise describe_unknown_table(source)
        problem = f"this is JSON, but not a known log: it has {list_columns(keys)}"
        hits = find_first(records[0], _HITS)
        if isinstance(hits, list):
            fields = list_columns(list_paths(hits[0])) if hits else "none"
            problem = f"this is a search response without its query, and no log; hits: {fields}"
            expected = '{query: response, …}; or lines {"query": …, "response": …}'
            raise NoColumn(source.name, problem, f"of a run {expected}")
        if all(isinstance(cell, list) and all(map(is_id, cell)) for cell in cells):
            problem = f"lines of {{query: [document, …]}} are not read; keys: {list_columns(keys)}"
            expected = 'lines {"query": …, "retrieved": […]}, or one object in a .json file'
            raise NoColumn(source.name, problem, expected)
        raise NoColumn(source.name, problem, _EXPECTED)


_RECORD_FORMATS = ", ".join(entry.name for entry in SESSION_FORMATS.values() if entry.of_records)
_EXPECTED = (
    f"{_RECORD_FORMATS}; or a table with session, query and doc: --columns names them, also by "
    "paths such as text=properties.query"
)
_NEED = {"judgments": "judgments lack the", "run": "a run lacks the", "log": "a log lacks the"}
_BESIDE_DOCS = (  # what judgments, runs and logs tell of documents, and texts do not
    *(*GRADE, *SCORE, *RANK),
    *(name for role in ("session", "user", "time", "event") for name in LOG_COLUMNS[role].names),
)
_HITS = ("hits.hits", "responses.0.hits.hits", "response.docs", "root.children")  # of a search


def describe_unknown_table(source: Source) -> BadInput:
    """What a table lacks to be judgments, a run or a log, and how to name its columns."""
    header = Header(list_names(source), source.name)
    are_texts = any(
        all(header.find_column(column.names) for column in table.values())
        for table in (TABLES["texts"], TABLES["documents"])
    )
    if are_texts and header.find_column(_BESIDE_DOCS) is None:
        problem = f"these are texts, not judgments, a run or a log: {header.list_columns()}"
        allowed = "gainful report QRELS RUN… --queries FILE or --documents FILE"
        return NoColumn(source.name, problem, f"{allowed}; with --group, eval --queries FILE")
    words = [f"{_NEED[table]} {join_words(header.list_missing(table))}" for table in _NEED]
    likely = sorted(_NEED, key=lambda table: len(header.find_likely(table)), reverse=True)
    named = [(table, names) for table in likely if (names := header.suggest_names(table))]
    allowed = "these columns; or --columns query=NAME,doc=NAME, … if they have other names; or "
    allowed += f"JSON of {_RECORD_FORMATS}"
    for table, names in named[:1]:
        command = "gainful sessions" if table == "log" else "gainful check"
        allowed = f"{command} {source.name} --columns {names}, if these are the columns"
    problem = f"this is not a known table: {'; '.join(words)}; known: {header.list_columns()}"
    return NoColumn(source.name, problem, allowed)


def find_log(sources: Sequence[object]) -> tuple[Source, Source] | None:
    """The two of these files that are one log: of UBI, or traces and their evaluations."""
    from gainful.read import openinference, ubi  # noqa: PLC0415  (one file does without)

    files = [source for source in sources if isinstance(source, Source)]
    firsts = {source: _list_first_records(source) for source in files}
    for find_kinds, names in (
        (ubi.find_kinds, ("queries", "events")),
        (openinference.find_kinds, ("spans", "evaluations")),
    ):
        kinds = {source: find_kinds(records) for source, records in firsts.items()}
        parts = [[each for each, kind in kinds.items() if kind == {name}] for name in names]
        if [*map(len, parts)] == [1, 1]:
            return parts[0][0], parts[1][0]
    return None


def _list_first_records(source: Source) -> list[dict[str, Any]]:
    records = first_records(source)
    header = {} if records else dict.fromkeys(list_names(source))
    return [header] if any(name in header for name in PLACES_OF_DOCUMENTS) else records


_UBI_CELLS = {"query_response_hit_ids", "event_attributes"}  # a list, and an object


def _refuse_other_tables(source: Source, *, has_all: bool) -> None:
    """Refuse what is known not to be a table of sessions, if columns are missing or cells wrong."""
    from gainful.read import openinference  # noqa: PLC0415  (a table of sessions does without)

    names = list_names(source)
    if source.table_format is None and not first_records(source) and _UBI_CELLS & {*names}:
        problem = "this is a log of UBI in CSV, whose lists and objects cannot be read"
        raise NoColumn(source.name, problem, "JSON lines, Parquet or Arrow")
    header = Header([*map(normalise_name, names)], "")
    lacks_docs = header.find_column(LOG_COLUMNS["doc"].names) is None
    if lacks_docs and openinference.find_kinds(_list_first_records(source)) == {"evaluations"}:
        problem = "these are evaluations of documents, without the traces that list them"
        allowed = "one file of traces and one of evaluations: gainful sessions SPANS"
        raise NoColumn(source.name, problem, f"{allowed} {source.name}")
    file_format = find_format(source)
    is_log = header.find_column(LOG_COLUMNS["session"].names) is not None
    is_ranked = file_format.name == "ratings" or is_short_trec(source)
    # Lists of a log are refused by its reader.
    is_json_run = file_format.name == "json" and _holds_run(source)
    is_ranked |= not is_log and (file_format.name == "rag" or is_json_run)
    if is_ranked or not (has_all or header.list_missing("judgments")):
        problem = f"these are judgments or a run, not sessions ({file_format.description})"
        files = source.name if file_format.name == "rag" else "QRELS RUN"  # which may hold both
        raise Swapped(source.name, problem, f"gainful eval {files}; {_AS_QRELS}")
    refuse_unknown_json(source)


def _holds_run(source: Source) -> bool:
    with suppress(BadInput):
        rows = read_rows(source, RUN)
        return not (rows.mistakes or rows.fields.get("list_count"))
    return False


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
    is_pair = len(paths) == 2 and "-" not in paths and format_name in _IN_TWO_FILES
    if len(paths) < 2 or (is_pair and find_log([*map(open_source, paths)]) is not None):
        return None
    return dict(zip(name_files(paths), value, strict=True))


def list_names(value: Any) -> list[str]:
    """The names of the columns of a file, a frame, or records in memory; none of all else."""
    if isinstance(value, Source):
        if find_table_format(value) in ("parquet", "arrow", "jsonl"):
            return [*dict.fromkeys(key for record in first_records(value) for key in record)]
        csv.field_size_limit(MAX_FIELD)
        lines = [value.first_line().replace("\r", " ")]  # where no line ends
        headers = [next(csv.reader(lines, delimiter=mark), []) for mark in (*SEPARATORS, "\t")]
        return [name.strip() for name in max(headers, key=len)]
    engine = find_engine(value)
    if engine is not None:
        from gainful.read.lazy import read_schema  # noqa: PLC0415  (slow to load)

        return [*read_schema(value, engine, "sessions")]
    if is_frame(value):
        return [*map(str, take_stream(value).columns)]
    rows = [value] if _holds_columns(value) else value
    if not isinstance(rows, (list, tuple)) or not shapes.are_records(rows):
        return []
    return [*dict.fromkeys(str(key) for record in rows[:_MAX_FIRST] for key in record)]


def take_stream(value: Any) -> Any:
    """A frame in memory as one of polars', as a stream can be read once only; pandas' stays."""
    is_here = is_frame(value) and find_engine(value) is None
    return as_polars(value, "sessions") if is_here and not _is_pandas(value) else value


def _find_sources(value: Any) -> list[Source]:
    """The files to read, or the records of a log in memory as a file; none if it is neither."""
    if _is_path(value):
        return [open_source(value)]
    if isinstance(value, (list, tuple)) and value:
        if all(isinstance(each, Source) for each in value):
            return [*value]
        if all(map(_is_path, value)):
            sources = [*map(open_source, value)]
            return [*(find_log(sources) or sources)]
    return open_records(value)


def open_records(value: Any) -> list[Source]:
    """The records of a log in memory as a file would hold them; none if of no known format.

    Phoenix gives its spans as a frame, and clients of APIs give messages as dicts.
    """
    if isinstance(value, pl.DataFrame) or (is_frame(value) and _is_pandas(value)):
        if not _are_trace_columns(map(str, value.columns)):
            return []
        if isinstance(value, pl.DataFrame):
            if find_record_format(value.head(_MAX_FIRST).to_dicts()) is None:
                return []
            buffer = BytesIO()
            value.write_parquet(buffer)
            return [make_memory_source("sessions", ".parquet", buffer.getvalue())]
        value = value.astype(object).where(value.notna(), None).to_dict("records")  # of lists, too
    if not isinstance(value, (list, tuple)) or not shapes.are_records(value):
        return []
    if find_record_format([record.get("_source", record) for record in value[:_MAX_FIRST]]) is None:
        return []

    def as_json(entry: Any) -> Any:
        return entry.tolist() if hasattr(entry, "tolist") else str(entry)

    lines = (json.dumps(record, default=as_json) for record in value)
    return [unwrap_source(make_memory_source("sessions", ".jsonl", "\n".join(lines).encode()))]


def _are_trace_columns(names: Iterable[str]) -> bool:
    hints = ("trace_id", "traceId", "attributes", "messages", "tool_calls", "action_name")
    return any(name.endswith((*hints, "query_response_hit_ids", "turn")) for name in names)


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas"


def _holds_columns(value: object) -> TypeGuard[Mapping[Any, Any]]:
    if not isinstance(value, Mapping) or not value:
        return False
    return all(as_list(cells) is not None for cells in value.values())


def _is_path(value: object) -> bool:
    return isinstance(value, (str, PathLike))


def _holds_sessions(value: object) -> bool:
    if isinstance(value, (str, PathLike, Sessions)) or is_frame(value):
        return True
    records = isinstance(value, (list, tuple)) and shapes.are_records(value)
    return records or find_engine(value) is not None
