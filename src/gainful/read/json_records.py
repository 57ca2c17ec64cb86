"""Records of JSON, whatever holds them: lines, one list, one object, or the rows of a table.

Logs and traces come as one object a line, as one list, or as a table whose cells are nested. A
line that is no JSON does not hide the others: it is told as a record that cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from attrs import frozen

from gainful.errors import BadInput
from gainful.progress import report_reading
from gainful.read import binary_tables, named_columns
from gainful.read.json_text import NoObject, decode_objects, parse_object
from gainful.read.jsonl import is_whole, load_whole
from gainful.read.source import Source
from gainful.text import quote

_REPORT_EVERY = 1 << 14  # records between two words on progress
_MAX_FIRST = 50  # records that are looked at to recognise a format
_BATCH = 32  # records read together: few enough for the cache, and the collector of garbage
_BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow"}


@frozen(eq=False)
class Unreadable:
    """A record that cannot be read, and why."""

    problem: str


Item = TypeVar("Item")
Record = dict[str, Any] | Unreadable
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
    table = binary_format(source)
    if table is not None:
        rows = named_columns.read_table(source, table).frame.iter_rows(named=True)
        return RecordFile(name, enumerate(rows, start=1), lambda row: f"{name}, row {row}")
    if is_whole(source):
        return RecordFile(name, _read_whole(source), lambda index: f"{name}[{index}]")
    return RecordFile(name, _read_lines(source), lambda line: f"{name}:{line}")


def _read_lines(source: Source) -> Records:
    for batch in iterate_batches(iterate_lines(source)):
        numbers, lines = zip(*batch, strict=True)
        yield from zip(numbers, decode_objects(lines) or map(parse_line, lines), strict=True)


def iterate_batches(records: Iterator[Item]) -> Iterator[list[Item]]:
    """Some records at a time: what is done to all of them is done column by column."""
    while batch := list(islice(records, _BATCH)):
        yield batch


def first_records(source: Source) -> list[dict[str, Any]]:
    """Some records of the beginning, by which a format is recognised; none if it has no records."""
    table = binary_format(source)
    if table is None and not source.head.lstrip().startswith((b"{", b"[")):
        return []
    try:
        records = read_records(source).records if table is None else _read_rows(source, table)
        first = [record for _, (_, record) in zip(range(_MAX_FIRST), records, strict=False)]
    except BadInput:  # who reads it says so
        return []
    return [record for record in first if isinstance(record, dict)]


def _read_rows(source: Source, table: str) -> Records:
    """The first rows of a table, whose other rows may be many."""
    if table == "parquet":
        frame = binary_tables.read_parquet(source, _MAX_FIRST)
    else:
        frame = named_columns.read_table(source, table).frame.head(_MAX_FIRST)
    yield from enumerate(frame.iter_rows(named=True), start=1)


def binary_format(source: Source) -> str | None:
    """Parquet or Arrow, if it is one of them."""
    return next((form for mark, form in _BINARY.items() if source.head.startswith(mark)), None)


def _read_whole(source: Source) -> Records:
    value = load_whole(source)
    entries = value if isinstance(value, list) else [value]
    for index, entry in enumerate(entries):
        yield (
            index,
            entry if isinstance(entry, dict) else Unreadable(f"{quote(entry)} is no object"),
        )


def iterate_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not empty, with their numbers."""
    size, done = max(source.size, 1), 0
    for number, line in enumerate(source.iterate_lines(), start=1):
        done += len(line)
        if number % _REPORT_EVERY == 0:
            report_reading(source.name, size, min(done / size, 1.0) / 2)
        text = line.strip()
        if text:
            yield number, text


def parse_line(line: bytes) -> Record:
    """The record of a line, or why it cannot be read."""
    try:
        return parse_object(line)
    except NoObject as failure:
        return Unreadable(str(failure))
