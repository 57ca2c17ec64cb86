"""The formats there are, and which one a file has. To add one, add an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from attrs import frozen

from gainful.errors import BadInput, NoColumn, Swapped, check_name
from gainful.read.column_names import (
    LIST_COLUMNS,
    USUAL_NAMES,
    ColumnMapping,
    are_column_names,
    find_list_kinds,
    normalise_name,
)
from gainful.read.qrels_and_run import QRELS, RUN, Kind, Rows, Value
from gainful.read.source import DATASET, JSON_LINES, SEPARATORS, Source, is_folder, open_source
from gainful.text import NUMBER_PATTERN


@frozen
class Format:
    """One format of files: what it holds, how it is recognised and read, what can be asked of it.

    A reader of judgments and runs takes a `Source`, a `Kind` and its options, and gives `Rows`.
    One of sessions takes a `Source` and `ReadOptions`, and gives `Sessions` or events.
    """

    name: str
    description: str
    holds: tuple[str, ...]  # judgments, run, sessions
    fits: Callable[..., bool]  # of a source, or of the first records in it
    read: Callable[..., Any]
    options: tuple[str, ...] = ()
    example: str = ""  # how a file begins
    of_records: bool = False  # is it recognised by records of JSON or of a table?
    roles: tuple[str, ...] = ()  # which --columns names by paths into its records


def _load(reader: str) -> Callable[..., Any]:
    module, _, function = reader.partition(".")

    def read(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"gainful.read.{module}"), function)(*arguments, **options)

    return read


def _find_ratings(source: Source) -> set[str]:
    line = source.first_line()
    may_be = line.startswith(("{", "[")) or "," in line or " qid:" in line
    # For TREC's files no more code is loaded.
    return {*_load("ratings.find_kinds")(source)} if may_be else set()


def _is_rag(source: Source, columns: ColumnMapping = USUAL_NAMES) -> bool:
    may_be = source.first_line().startswith("{") or source.head.lstrip().startswith(b"[")
    return may_be and bool(_load("rag.find_kinds")(source, columns))


def find_kinds(source: Source, columns: ColumnMapping = USUAL_NAMES) -> set[str]:
    """Which of judgments and run a file certainly holds: both, where it tells both."""
    if source.table_format is not None:
        records = _load("json_records.first_records")(source)
        items = [item for record in records for item in record.items()]
        return find_list_kinds([name for name, cell in items if isinstance(cell, list)], columns)
    kinds: set[str] = _find_ratings(source) or _load("rag.find_kinds")(source, columns)
    kinds = kinds or _load("rag.find_kinds_by_query")(source, columns)
    headers = [_split_header(source.first_line(), mark) for mark in (*SEPARATORS, "\t")]
    both = [each for header in headers if len(each := find_list_kinds(header, columns)) == 2]
    return kinds or (both[0] if both else kinds)  # of CSV, which is refused


def _is_json(source: Source) -> bool:
    """One object of objects or one list, over as many lines as it likes."""
    line = source.first_line()
    if source.suffix == ".json":  # though it may be XML, a table or TREC's lines
        is_other = _is_trec(line) or _is_text_table(f"{SEPARATORS}\t", source)
        return line.startswith(("{", "[")) or not (line.startswith("<") or is_other)
    if source.head.lstrip().startswith(b"["):
        return bool(re.match(rb"\s*\[\s*[\[{]", source.head))
    if source.suffix in JSON_LINES or not source.head.lstrip().startswith(b"{"):
        return False
    if not line.endswith("}"):
        return True
    try:
        inner = json.loads(line).values()
    except (ValueError, RecursionError):
        return False
    return bool(inner) and all(isinstance(value, (dict, list)) for value in inner)


def _is_trec(line: str) -> bool:
    """Have its fields a number where judgments (last) or a run (fifth) have one?"""
    fields = line.split()
    number = fields[min(len(fields), 5) - 1] if len(fields) > 2 else ""
    return re.fullmatch(NUMBER_PATTERN, number, re.ASCII) is not None


def _is_text_table(separators: str, source: Source) -> bool:
    line = source.first_line()
    if any(are_column_names(_split_header(line, separator)) for separator in separators):
        return True
    if source.suffix not in (".csv", ".tsv") or not any(mark in line for mark in separators):
        return False
    fields = line.split()
    if separators == "\t":
        plain = len(fields) == len(line.split("\t"))
    else:  # documents may have commas
        others = "".join((*fields[:2], *fields[3:]))
        plain = len(fields) > 3 and not any(mark in others for mark in separators)
    return not (plain and _is_trec(line))


def _split_header(line: str, separator: str) -> list[str]:
    return [part.strip(' "') for part in line.split(separator)]


_RANKED = ("judgments", "run")
_SESSIONS = ("sessions",)
_LABELS = ("topic", "system", "scenario", "searcher")
_SEARCH = ("session", "text", "doc", "retrieved")
_READ_TABLE = _load("named_columns.read_rows")
_TABLE = ("columns", "format_name")
_ALL = (
    Format(
        "parquet",
        "a Parquet file with named columns",
        *(_RANKED, lambda source: source.table_format == "parquet", _READ_TABLE, _TABLE),
    ),
    Format(
        "arrow",
        "an Arrow (file or stream) or Feather file with named columns",
        *(_RANKED, lambda source: source.table_format == "arrow", _READ_TABLE, _TABLE),
    ),
    Format(
        "ratings",
        "ratings of Quepid, RRE, the Search Relevance Workbench, _rank_eval or LETOR",
        *(_RANKED, lambda source: bool(_find_ratings(source)), _load("ratings.read"), ("columns",)),
        example='{"queries": [{"query": "lamp", "ratings": {"a": 3}}]}',
    ),
    Format(
        "rag",
        "JSON lines with the fields retrieved and relevant",
        *(_RANKED, _is_rag, _load("rag.read"), ("columns",)),
        example='{"query": "1", "retrieved": ["a", "b"], "relevant": ["a"]}',
    ),
    Format(
        "json",
        "one JSON object of objects, or a list",
        *(_RANKED, _is_json, _load("shapes.read_json"), ("columns",)),
        example='{"1": {"a": 2, "b": 0}}',
    ),
    Format(
        "jsonl",
        "JSON lines with named fields",
        _RANKED,
        lambda source: source.head.lstrip()[:1] == b"{" or source.suffix in JSON_LINES,
        *(_READ_TABLE, _TABLE),
        example='{"query": "1", "doc": "a", "score": 0.9}',
    ),
    Format(
        "csv",
        "a table with named columns",
        *(_RANKED, partial(_is_text_table, SEPARATORS), _READ_TABLE, _TABLE),
        example="query,doc,score\n1,a,0.9",
    ),
    Format(
        "tsv",
        "a table with named columns, separated by tabs",
        *(_RANKED, partial(_is_text_table, "\t"), _READ_TABLE, _TABLE),
        example="query\tdoc\tscore\n1\ta\t0.9",
    ),
    Format(
        "trec",
        "TREC format: fields separated by white space",
        *(_RANKED, lambda _: True, _load("trec_files.read_rows"), ("every", "columns")),
        example="1 Q0 a 1 0.9 bm25",
    ),
    Format(
        "trec-session",
        "XML of the TREC Session Track",
        *(_SESSIONS, lambda source: source.head.lstrip().startswith(b"<")),
        _load("trec_sessions.read_session_xml"),
        options=("pages",),
        example='<sessiontrack2012><session num="1"><topic num="1"/></session></sessiontrack2012>',
    ),
    Format(
        "dd",
        "a run of TREC Dynamic Domain",
        _SESSIONS,
        _load("trec_sessions.is_dynamic_domain"),
        _load("trec_sessions.read_dynamic_domain"),
        example="DD16-1\t0\ta\t0.9\t1\tDD16-1.1:3",
    ),
    Format(
        "conversation",
        "a TREC run whose query ids contain the turn, such as 106_3",
        *(_SESSIONS, _load("trec_sessions.is_conversation")),
        *(_load("trec_sessions.read_conversations"), ("ties",)),
        example="106_1 Q0 a 1 0.9 bm25\n106_2 Q0 b 1 0.8 bm25",
    ),
    Format(
        "ubi",
        "queries and events of User Behavior Insights (UBI 1.x), in one file or in two",
        *(_SESSIONS, _load("ubi.find_kinds"), _load("ubi.read_ubi"), ("columns", "gap", "events")),
        example='{"query_id": "q", "client_id": "c", "user_query": "lamp", '
        '"query_response_hit_ids": ["a"], "timestamp": "2024-05-01T10:00:00Z"}',
        of_records=True,
        roles=("session", "text", "doc", "seconds", *_LABELS),
    ),
    Format(
        "openinference",
        "traces of LLM applications: OpenInference, or OpenTelemetry's GenAI convention",
        _SESSIONS,
        _load("openinference.is_openinference"),
        _load("openinference.read_openinference"),
        options=("columns", "tool", "gap"),
        example='{"context": {"trace_id": "t", "span_id": "s"}, "attributes": '
        '{"openinference.span.kind": "RETRIEVER", "session.id": "c", "input.value": "lamp", '
        '"retrieval.documents.0.document.id": "a"}}',
        of_records=True,
        roles=(*_SEARCH, *_LABELS),
    ),
    Format(
        "ikat",
        "a run of TREC iKAT as JSON",
        *(_SESSIONS, _load("turns.is_ikat"), _load("turns.read_ikat")),
        example='{"metadata": {"run_id": "r"}, "turn_id": "9-1_1", "references": {"a": 0.9}}',
        of_records=True,
    ),
    Format(
        "turns",
        "turns of conversations with the documents retrieved for each",
        *(_SESSIONS, _load("turns.is_turns"), _load("turns.read_turns"), ("columns",)),
        example='{"conversation": "c", "turn": 1, "query": "lamp", "retrieved": ["a", "b"]}',
        of_records=True,
        roles=(*_SEARCH, "query", "topic", "system"),
    ),
    Format(
        "chat",
        "chat messages of agents with calls of a search tool",
        *(_SESSIONS, _load("chat.is_chat"), _load("chat.read_chat"), ("columns", "tool")),
        example='{"id": "c", "messages": [{"role": "assistant", "tool_calls": [{"id": "1", '
        '"function": {"name": "search", "arguments": "{\\"query\\": \\"lamp\\"}"}}]}, '
        '{"role": "tool", "tool_call_id": "1", "content": "[{\\"id\\": \\"a\\"}]"}]}',
        of_records=True,
        roles=(*_SEARCH, *_LABELS),
    ),
    Format(
        "table",
        "a table of sessions or of the events of a log",
        *(_SESSIONS, lambda _: True, _load("session_inputs.read_session_table")),
        options=("columns", "gap", "events"),
        example="session,query,rank,doc\ns,1,1,a",
    ),
)

FORMATS: Mapping[str, Format] = {entry.name: entry for entry in _ALL}
RUN_FORMATS = {name: entry for name, entry in FORMATS.items() if "run" in entry.holds}
SESSION_FORMATS = {name: entry for name, entry in FORMATS.items() if "sessions" in entry.holds}


def read_file(
    path: str | PathLike[str],
    kind: Kind[Value],
    format_name: str | None = None,
    columns: ColumnMapping = USUAL_NAMES,
) -> Value:
    """Judgments or a run from a file or `-`; judgments also of BEIR's folders and ir_datasets.

    A format that is not named is found by content and suffix.
    """
    if fspath(path) != "-" and is_folder(path):
        if kind is RUN:
            expected = "a file"
            if any(Path(path).glob("*.json")):
                expected += '; answers of a search engine as lines {"query": …, "response": …}'
            raise BadInput(fspath(path), "this is a directory, not a file", expected)
        path = _load("datasets.find_beir_file")(Path(path))
        format_name, columns = "tsv", USUAL_NAMES
    if kind is QRELS and fspath(path).startswith(DATASET):
        value: Value = _load("datasets.read_qrels")(fspath(path))
        return value
    source = open_source(path)
    value = read_rows(source, kind, format_name, columns).build()
    source.report_end()
    return value


def read_rows(
    source: Source,
    kind: Kind[Value],
    format_name: str | None = None,
    columns: ColumnMapping = USUAL_NAMES,
    *,
    every: bool = False,
) -> Rows[Value]:
    """The rows of a file and what is wrong with some.

    Its arguments are those of `read_file`; `every` line is looked at to find all that is wrong.
    """
    file_format = find_format(source, format_name, columns)
    known = {"columns": columns, "every": every, "format_name": file_format.name}
    options = {name: known[name] for name in file_format.options}
    rows: Rows[Value] | None = None
    try:
        rows = file_format.read(source, kind, **options)
        if not rows.mistakes:
            return rows
        error = rows.list_problems(1)[0]
    except BadInput as failure:
        error = failure
    records = _load("json_records.first_records")(source)
    log = None if format_name else find_log_format(records)
    if log is not None and log.name == "openinference" and kind is QRELS:
        graded: Rows[Value] | None = _load("session_inputs.read_grades")(source)
        if graded is not None:
            return graded
    is_unknown = isinstance(error, (NoColumn, Swapped)) and not columns.names
    if log is not None or is_unknown:
        _load("file_check.refuse_sessions")(source)
    if is_unknown and isinstance(error, NoColumn):
        refuse_unknown_records(source, kind)
    if rows is None:
        raise error
    return rows


def refuse_unknown_records(source: Source, kind: Kind[Any]) -> None:
    """Say which lists of a record with other names may be which, or that it is no known JSON."""
    for record in _load("json_records.first_records")(source)[:1]:
        queries = {*map(normalise_name, record)} & {*LIST_COLUMNS["query"].names}
        wanted = kind if queries else None  # in a log, one list says nothing
        _load("rag.refuse_unknown_lists")(source.name, record, USUAL_NAMES, wanted)
    _load("session_inputs.refuse_unknown_json")(source)


def find_format(
    source: Source, format_name: str | None = None, columns: ColumnMapping = USUAL_NAMES
) -> Format:
    """The format of judgments or a run, by its name or by what the file looks like."""
    name = format_name or _find_named_header(source, columns)
    if name is not None:
        return RUN_FORMATS[check_name("format", name, RUN_FORMATS)]
    return next(entry for entry in RUN_FORMATS.values() if entry.fits(source))


def find_session_format(source: Source, format_name: str | None = None) -> Format:
    """The format of sessions, by its name or by what the file looks like."""
    if format_name is not None:
        return SESSION_FORMATS[check_name("session format", format_name, SESSION_FORMATS)]
    if find_format(source).name == "trec":  # as is all that is neither JSON nor a table
        texts = (entry for entry in SESSION_FORMATS.values() if not entry.of_records)
        return next(entry for entry in texts if entry.fits(source))
    records = _load("json_records.first_records")(source)
    return find_record_format(records) or SESSION_FORMATS["table"]


def find_record_format(records: Sequence[dict[str, Any]]) -> Format | None:
    """The format that some records are in; None if it is none that is known."""
    known = (entry for entry in SESSION_FORMATS.values() if entry.of_records)
    return next((entry for entry in known if records and entry.fits(records)), None)


def find_log_format(records: Sequence[dict[str, Any]]) -> Format | None:
    """The format of some records if it is a log's, of which no record is a query with its lists."""
    log = find_record_format(records)
    return log if log is not None and log.name in ("ubi", "openinference", "chat") else None


def find_table_format(source: Source) -> str:
    """Which kind of table a file is: Parquet, Arrow, JSON lines, or text with tabs or commas."""
    file_format = find_format(source)
    if is_table(file_format):
        return file_format.name
    if file_format.name == "trec":
        return "tsv" if "\t" in source.first_line() else "csv"
    return source.suffix[1:] if source.suffix in (".csv", ".tsv") else "jsonl"


def is_short_trec(source: Source) -> bool:
    """Are its lines those of TREC's judgments, or of a run without ranks and names?"""
    line = source.first_line()
    return find_format(source).name == "trec" and len(line.split()) < 5 and _is_trec(line)


def is_table(file_format: Format) -> bool:
    """Has a format named columns?"""
    return file_format.read is _READ_TABLE


def _find_named_header(source: Source, columns: ColumnMapping) -> str | None:
    """The format of a text whose first line has columns that the user named."""
    if columns.names and _is_rag(source, columns):
        return "rag"
    named = {name for names in columns.names.values() for name in names}
    for separator in (*SEPARATORS, "\t"):
        header = _split_header(source.first_line(), separator)
        positions = {str(number) for number, _ in enumerate(header, 1)}
        if len(header) > 1 and named & {*header, *positions}:
            return "tsv" if separator == "\t" else "csv"
    return None
