"""The formats there are, and which one a file has. To add one, add an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from attrs import frozen

from gainful.errors import BadInput, UnknownName
from gainful.read.column_names import USUAL_NAMES, ColumnMapping, are_column_names
from gainful.read.kinds import QRELS, RUN, Kind, Rows, Value
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.source import ARROW_STREAM, DATASET, Source, is_folder, open_source


@frozen
class FileFormat:
    """One format of files: its name, what it is, how it is recognised."""

    name: str
    description: str
    fits: Callable[[Source], bool]


@frozen
class Format(FileFormat):
    """One format of judgments and runs, how they are read from it, and what its reader takes."""

    read: Callable[..., Any]  # of a source, a kind and the options → `Rows`, or the value
    options: tuple[str, ...] = ()  # columns; every (line looked at); format_name


FormatT = TypeVar("FormatT", bound=FileFormat)


def _is_parquet(source: Source) -> bool:
    return source.head.startswith(b"PAR1")


def _is_arrow(source: Source) -> bool:
    return source.head.startswith((b"ARROW1", ARROW_STREAM))


def _is_ratings(source: Source) -> bool:
    """Is it JSON or CSV as tools of search teams write it?"""
    line = source.first_line()
    if not (line.startswith("{") or "," in line):  # nor is more code loaded for TREC's files
        return False
    return bool(import_module("gainful.read.ratings").find_kinds(source))


def _is_rag(source: Source, columns: ColumnMapping = USUAL_NAMES) -> bool:
    """Does its first line tell what was retrieved, or what is relevant?"""
    if not (source.first_line().startswith("{") or source.head.lstrip().startswith(b"[")):
        return False
    return bool(import_module("gainful.read.rag").find_kinds(source, columns))


def find_kinds(source: Source, columns: ColumnMapping = USUAL_NAMES) -> set[str]:
    """Which of judgments and run a file certainly holds: both, where it tells both."""
    if _is_ratings(source):
        return {*import_module("gainful.read.ratings").find_kinds(source)}
    return {*import_module("gainful.read.rag").find_kinds(source, columns)}


def _is_json(source: Source) -> bool:
    """One object of objects or one list, over as many lines as it likes."""
    if source.head.lstrip().startswith(b"["):
        return source.suffix == ".json" or bool(re.match(rb"\s*\[\s*[\[{]", source.head))
    if source.suffix in (".jsonl", ".ndjson") or not source.head.lstrip().startswith(b"{"):
        return False
    line = source.first_line()
    if source.suffix == ".json" or not line.endswith("}"):
        return True
    try:
        inner = json.loads(line).values()
    except ValueError:
        return False
    return bool(inner) and all(isinstance(value, (dict, list)) for value in inner)


def _is_json_lines(source: Source) -> bool:
    return source.head.lstrip().startswith(b"{")


def _make_table_check(separators: str) -> Callable[[Source], bool]:
    def is_table(source: Source) -> bool:
        line = source.first_line()
        return any(
            are_column_names(part.strip('"') for part in line.split(separator))
            or (source.suffix == ".csv" and separator in line and len(line.split()) < 4)
            for separator in separators
        )

    return is_table


def _load(reader: str) -> Callable[..., Any]:
    """A reader `module.function`, whose module is loaded when a file is first read with it."""
    module, _, function = reader.partition(".")

    def read(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"gainful.read.{module}"), function)(*arguments, **options)

    return read


_READ_TABLE = _load("tables.read_rows")
_TABLE = ("columns", "format_name")
_ALL = (
    Format("parquet", "a Parquet file with named columns", _is_parquet, _READ_TABLE, _TABLE),
    Format(
        "arrow",
        "an Arrow (file or stream) or Feather file with named columns",
        _is_arrow,
        _READ_TABLE,
        _TABLE,
    ),
    Format(
        "ratings",
        "ratings of Quepid, RRE, the Search Relevance Workbench or _rank_eval",
        _is_ratings,
        _load("ratings.read"),
    ),
    Format(
        "rag", "JSON lines with retrieved and relevant", _is_rag, _load("rag.read"), ("columns",)
    ),
    Format(
        "json",
        "one JSON object of objects, or a list",
        _is_json,
        _load("tables.read_json"),
        ("columns",),
    ),
    Format("jsonl", "JSON lines with named fields", _is_json_lines, _READ_TABLE, _TABLE),
    Format("csv", "a table with named columns", _make_table_check(",;"), _READ_TABLE, _TABLE),
    Format(
        "tsv",
        "a table with named columns, separated by tabs",
        _make_table_check("\t"),
        _READ_TABLE,
        _TABLE,
    ),
    Format(
        "trec",
        "TREC's lines of fields",
        lambda _: True,
        _load("trec_files.read_rows"),
        ("every",),
    ),
)

FORMATS: Mapping[str, Format] = {file_format.name: file_format for file_format in _ALL}


def read_file(
    path: str | PathLike[str],
    kind: Kind[Value],
    format_name: str | None = None,
    columns: ColumnMapping = USUAL_NAMES,
) -> Value:
    """Judgments or a run from a file, whatever its format; judgments also of a known collection.

    Args:
        path: the file; `-` is standard input; of judgments also a BEIR folder or an id of
            ir_datasets.
        kind: `QRELS` or `RUN`.
        format_name: the name of its format; found by content and suffix if it is not named.
        columns: what its columns are called, if it has some.
    """
    if fspath(path) != "-" and is_folder(path):
        if kind is RUN:
            raise BadInput(fspath(path), "this is a directory, not a file")
        path, format_name = _load("datasets.find_beir_file")(Path(path)), "tsv"
    if kind is QRELS and fspath(path).startswith(DATASET):
        value: Value = _load("datasets.read_qrels")(fspath(path))
        return value
    source = open_source(path)
    value = build_value(read_rows(source, kind, format_name, columns))
    source.report_end()
    return value


def read_qrels(path: str | PathLike[str], *options: Any, **more: Any) -> Qrels:
    """Judgments from a file; see `read_file`."""
    return read_file(path, QRELS, *options, **more)


def read_run(path: str | PathLike[str], *options: Any, **more: Any) -> Run:
    """A run from a file; see `read_file`."""
    return read_file(path, RUN, *options, **more)


def read_rows(
    source: Source,
    kind: Kind[Value],
    format_name: str | None = None,
    columns: ColumnMapping = USUAL_NAMES,
    *,
    every: bool = False,
) -> Rows[Value] | Value:
    """The rows of a file and what is wrong with some; of formats read as a whole, the value.

    Args:
        source: the file.
        kind: `QRELS` or `RUN`.
        format_name: the name of its format; found by content and suffix if it is not named.
        columns: what its columns are called, if it has some.
        every: is every line looked at, so that all that is wrong is found?
    """
    file_format = find_format(source, format_name, columns)
    known = {"columns": columns, "every": every, "format_name": file_format.name}
    options = {name: known[name] for name in file_format.options}
    read: Rows[Value] | Value = file_format.read(source, kind, **options)
    return read


def build_value(read: Rows[Value] | Value) -> Value:
    """Judgments or a run, or an error for the first row that is not sound."""
    return read.build() if isinstance(read, Rows) else read


def find_format(
    source: Source, format_name: str | None = None, columns: ColumnMapping = USUAL_NAMES
) -> Format:
    """The format of judgments or a run, by its name or by what the file looks like."""
    return choose_format(FORMATS, source, format_name or _find_named_header(source, columns))


def _find_named_header(source: Source, columns: ColumnMapping) -> str | None:
    """The format of a text whose first line has columns that the user named."""
    if columns.names and _is_rag(source, columns):
        return "rag"
    named = {name for names in columns.names.values() for name in names}
    for separator, format_name in ((",", "csv"), (";", "csv"), ("\t", "tsv")):
        header = {part.strip(' "') for part in source.first_line().split(separator)}
        if len(header) > 1 and header & named:
            return format_name
    return None


def choose_format(
    formats: Mapping[str, FormatT], source: Source, format_name: str | None, noun: str = "format"
) -> FormatT:
    """The format that is named, or the first that fits the file."""
    if format_name is None:
        return next(file_format for file_format in formats.values() if file_format.fits(source))
    if format_name not in formats:
        raise UnknownName(noun, format_name, formats)
    return formats[format_name]
