"""The records of a UBI file as columns of text: JSON lines, one list, Parquet or Arrow.

What is nested stays JSON in a text, which is looked into by paths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl
from attrs import frozen

from gainful.read import named_columns
from gainful.read.json_records import (
    ESCAPED_KEY_OR_HALF,
    Record,
    Unreadable,
    binary_format,
    is_whole,
    parse_line,
    read_records,
)
from gainful.read.source import Source

UNREADABLE = "one JSON object a line, with a list of ids for its hits"
FIELDS = (
    *("application", "action_name", "query_id", "session_id", "client_id", "user_id"),
    *("timestamp", "user_query", "query_attributes", "event_attributes"),
    "query_response_hit_ids",
)
_OLD_HITS = ("query_response_objects_ids", "query_response_object_ids")  # of drafts and 1.0
_ALL = (*FIELDS, *_OLD_HITS)


@frozen(eq=False)
class UbiFile:
    """Fields as texts, `wrong` where a line cannot be read, and where each row stands."""

    frame: pl.DataFrame
    locate: Callable[[int], str]


def read_ubi_file(
    source: Source, select: Callable[[pl.DataFrame], pl.DataFrame], own: Sequence[str] = ()
) -> UbiFile:
    """The records of a file, a column for each field that is wanted.

    Args:
        source: JSON lines, JSON, Parquet or Arrow.
        select: what is wanted of some rows, which is much less than all that is told.
        own: fields beside those of UBI; their columns are called as `name_own` says.
    """
    fields = (*_ALL, *own)
    table = binary_format(source)
    if table is not None:
        frame = _as_texts(named_columns.read_table(source, table).frame, fields)
        return UbiFile(select(_finish(frame)), lambda row: f"{source.name}, row {row + 1}")
    if is_whole(source):
        file = read_records(source)
        entries = list(file.records)
        frame = _tabulate_records((record for _, record in entries), fields)
        return UbiFile(select(_finish(frame)), lambda row: file.locate(entries[row][0]))
    frames = []
    for piece in source.iterate_pieces():
        scanned = None if ESCAPED_KEY_OR_HALF.search(piece) else _scan_lines(piece, fields)
        if scanned is None or _repeats_keys(piece, scanned):
            lines = (line for line in piece.split(b"\n") if line.strip())
            scanned = _tabulate_records(map(parse_line, lines), fields)
        frames.append(select(_finish(scanned)))
    return UbiFile(pl.concat(frames), source.locate_rows())


def _repeats_keys(piece: bytes, frame: pl.DataFrame) -> bool:
    """Has a record a field twice, of which one would be taken silently?"""
    names = [
        f'"{name}"'.encode() for name in frame.columns if frame[name].null_count() < len(frame)
    ]
    often = [name for name in names if piece.count(name) > len(frame)]
    if not often:  # as nearly always: what is nested has other names
        return False
    return any(
        isinstance(parse_line(line), Unreadable)
        for line in piece.split(b"\n")
        if any(line.count(name) > 1 for name in often)
    )


def _scan_lines(text: bytes, fields: Sequence[str]) -> pl.DataFrame | None:
    try:
        return pl.read_ndjson(text, schema=dict.fromkeys(fields, pl.String))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def _tabulate_records(records: Iterable[Record], fields: Sequence[str]) -> pl.DataFrame:
    """Record by record, where one may be cut off."""
    rows: list[tuple[Any, ...]] = []
    for record in records:
        if isinstance(record, Unreadable):
            rows.append((*[None] * len(fields), record.problem))
            continue
        rows.append((*(_write(record.get(name)) for name in fields), None))
    schema = dict.fromkeys((*fields, "\0wrong"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _write(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _as_texts(frame: pl.DataFrame, fields: Sequence[str]) -> pl.DataFrame:
    """The fields of a table as texts; what is nested as JSON."""
    columns = []
    for name in fields:
        if name not in frame.columns:
            columns.append(pl.Series(name, [None] * len(frame), dtype=pl.String))
            continue
        values = frame[name]
        if values.dtype.is_nested():
            wrapped = values.to_frame("v").select(pl.struct("v").struct.json_encode())
            inner = wrapped.to_series().str.json_path_match("$.v")
            values = pl.select(pl.when(values.is_not_null()).then(inner)).to_series()
        elif isinstance(values.dtype, pl.Datetime):
            values = values.dt.to_string("iso:strict")
        columns.append(values.cast(pl.String).alias(name))
    return pl.DataFrame(columns)


def _finish(frame: pl.DataFrame) -> pl.DataFrame:
    texts = {name: pl.when(pl.col(name) != "").then(pl.col(name)) for name in frame.columns}
    wrong = texts.pop("\0wrong", pl.lit(None, dtype=pl.String))
    hits = pl.coalesce(*(texts.pop(name) for name in (FIELDS[-1], *_OLD_HITS)))
    columns = {FIELDS[-1]: hits, "wrong": wrong, **{name_own(name): texts[name] for name in texts}}
    return frame.select(column.alias(name) for name, column in columns.items())


def name_own(field: str) -> str:
    """The column of a field: that of another name may not stand for one of ours."""
    return field if field in FIELDS else f"\0{field}"
