"""Records of JSON, whatever holds them: lines, one list, one object, or the rows of a table.

Logs and traces come as one object a line, as one list, or as a table whose cells are nested. A
line that is no JSON does not hide the others: it is reported as a record that cannot be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl
from attrs import frozen

from gainful.errors import BadInput
from gainful.progress import report_reading
from gainful.read import binary_tables
from gainful.read.json_text import (
    Record,
    Unreadable,
    as_text,
    check_object,
    load_json,
    parse_line,
    stops_early,
)
from gainful.read.source import JSON_LINES, Source

_REPORT_EVERY = 1 << 14  # records between two words on progress
_MAX_FIRST = 50  # records that are looked at to recognise a format
_ESCAPED_KEY_OR_HALF = re.compile(rb'\\u[0-9a-fA-F]{4}[^"]*"\s*:|\\u[dD][89a-fA-F]')
_MAX_COUNTED = 64  # keys; of more, to count each takes longer than to read the lines
_NESTED = re.compile(rb'"\s*:\s*[\[{]')
Nested = Mapping[str, int]  # by column, the first row with a list or an object among texts
Records = Iterator[tuple[int, Record]]  # the number of each, by which it is located


@frozen(eq=False)
class RecordFile:
    """The records of a file, to be read once, and where each stands."""

    name: str
    records: Records
    locate: Callable[[int], str]


def read_records(source: Source) -> RecordFile:
    """The records of a file, one after the other."""
    name = source.name
    table = source.table_format
    if table is not None:
        rows = read_binary(source, table).iter_rows(named=True)
        return RecordFile(name, enumerate(rows, start=1), lambda row: f"{name}, row {row}")
    if is_whole(source):
        value = load_whole(source)
        records = enumerate(map(check_object, value if isinstance(value, list) else [value]))
        return RecordFile(name, records, lambda index: f"{name}[{index}]")
    return RecordFile(name, _read_lines(source), lambda line: f"{name}:{line}")


def _read_lines(source: Source) -> Records:
    """The records of lines that are not empty, with the numbers of these."""
    size, done = max(source.size, 1), 0
    for number, line in enumerate(source.iterate_lines(), start=1):
        done += len(line)
        if number % _REPORT_EVERY == 0:
            report_reading(source.name, size, min(done / size, 1.0) / 2)
        text = line.strip()
        if text:
            yield number, parse_line(text)


def first_records(source: Source) -> list[dict[str, Any]]:
    """Some records of the beginning, by which a format is recognised; none if it has no records."""
    table = source.table_format
    begins = source.head.lstrip().startswith((b"{", b"["))
    if table is None and not begins and source.suffix not in JSON_LINES:
        return []
    try:
        if table is not None:
            return read_binary(source, table, _MAX_FIRST).to_dicts()
        first = [record for _, record in islice(read_records(source).records, _MAX_FIRST)]
    except BadInput:  # who reads it says so
        return []
    return [record for record in first if isinstance(record, dict)]


def read_binary(source: Source, table: str, first: int | None = None) -> pl.DataFrame:
    """A Parquet or Arrow file, or its first rows."""
    if table == "parquet":
        return binary_tables.read_parquet(source, first)
    frame = binary_tables.read_arrow(source)
    return frame if first is None else frame.head(first)


def read_frame(
    source: Source,
) -> tuple[pl.DataFrame, Nested, Callable[[int], str], Mapping[int, BadInput]]:
    """The records of a file as a frame, where each stands, and why some are no objects.

    The rows of these are empty.
    """
    frame = None if is_whole(source) else _read_lines_fast(source)
    if frame is not None:
        return frame, {}, source.locate_rows(), {}
    records = list(iterate_objects(source))
    failures = enumerate(record for _, record in records)
    problems = {row: record for row, record in failures if isinstance(record, BadInput)}
    rows = [{} if isinstance(record, BadInput) else record for _, record in records]
    return *build_columns(rows), lambda row: records[row][0], problems


def _read_lines_fast(source: Source) -> pl.DataFrame | None:
    text = source.read_bytes()
    frame = scan_lines(text)
    if frame is None:
        return None
    texts = (values for values in frame if values.dtype == pl.String)
    starts = ((values, mark) for values in texts for mark in "[{")
    may_be_nested = any(values.str.starts_with(mark).any() for values, mark in starts)
    may_be_nested = may_be_nested and _NESTED.search(text) is not None  # polars makes it text
    return None if may_be_nested else frame


def scan_lines(text: bytes, fields: Sequence[str] | None = None) -> pl.DataFrame | None:
    """Lines of JSON as polars reads them, whole or some fields as texts.

    None where one is no object, or has a key twice, of which polars would take one silently.
    """
    schema = None if fields is None else dict.fromkeys(fields, pl.String)
    try:
        frame = pl.read_ndjson(text, schema=schema, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    columns = (each for each in frame if fields is None or each.null_count() < frame.height)
    names = [f'"{each.name}"'.encode() for each in columns]
    often = [b""]  # in every line
    if len(names) <= _MAX_COUNTED and _ESCAPED_KEY_OR_HALF.search(text) is None:
        often = [name for name in names if text.count(name) > frame.height]
    if not often:  # as nearly always: what is nested has other names
        return frame
    lines = (line for line in text.split(b"\n") if any(line.count(name) > 1 for name in often))
    records = (parse_line(line) for line in lines if line.strip())
    return None if any(isinstance(record, Unreadable) for record in records) else frame


def iterate_objects(source: Source) -> Iterator[tuple[str, dict[str, Any] | BadInput]]:
    """The objects of a file with their places, or why a record is none."""
    file = read_records(source)
    for number, record in file.records:
        place = file.locate(number)
        if isinstance(record, Unreadable):
            yield place, BadInput(place, record.problem, record.expected)
        else:
            yield place, record


def read_objects(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file with their places; the first record that is none is an error."""
    for place, record in iterate_objects(source):
        if isinstance(record, BadInput):
            raise record
        yield place, record


def is_whole(source: Source) -> bool:
    """Is it one list or one object over several lines, and not an object a line?"""
    head = source.head.lstrip()
    if head.startswith(b"["):
        return re.match(rb"\[.*\]\s*\n\s*\{", head) is None
    line = source.first_line()
    if source.suffix in JSON_LINES:  # of which the first line may be cut off
        return line == "{"
    return not (line.startswith("{") and line.endswith("}"))


def build_columns(rows: Sequence[Mapping[Any, Any]]) -> tuple[pl.DataFrame, Nested]:
    """Records as columns; a field of which records disagree what it is becomes text.

    Beside them, where the first list or object stands among the texts or numbers of a column.
    """
    columns: dict[str, pl.Series] = {}
    nested: dict[str, int] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        values, name = [row.get(key) for row in rows], str(key)
        kinds = {*map(type, values)}
        is_mixed = bool in kinds and not kinds <= {bool, type(None)}  # polars takes true for 1
        try:
            columns[name] = pl.Series(name, values, pl.String if is_mixed else None, strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            columns[name] = pl.Series(name, map(as_text, values), dtype=pl.String)
            are_nested = [isinstance(value, (list, dict)) for value in values]
            if any(are_nested):
                nested[name] = are_nested.index(True)
    return pl.DataFrame(columns), nested


def load_whole(source: Source) -> Any:
    """What a file of JSON holds that is one object or one list."""
    try:
        return load_json(source.read_bytes(), source.name)
    except BadInput:
        raise
    except ValueError as failure:
        is_cut = isinstance(failure, json.JSONDecodeError) and stops_early(failure)
        problem = "the JSON is truncated" if is_cut else "this is not JSON"
        expected = "" if is_cut else "one object or one list; several objects are lines of .jsonl"
        raise BadInput(source.name, f"{problem}: {failure}", expected) from None
