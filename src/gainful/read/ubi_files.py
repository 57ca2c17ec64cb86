"""The records of a UBI file as columns of text: JSON lines, one list, Parquet or Arrow.

What is nested stays JSON in a text, which is looked into by paths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
from attrs import frozen

from gainful.read import named_columns
from gainful.read.json_records import Record, Unreadable, binary_format, parse_line, read_records
from gainful.read.jsonl import ESCAPED_KEY_OR_HALF, is_whole
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


def read_ubi_file(source: Source, select: Callable[[pl.DataFrame], pl.DataFrame]) -> UbiFile:
    """The records of a file, a column for each field that is wanted.

    Args:
        source: JSON lines, JSON, Parquet or Arrow.
        select: what is wanted of some rows, which is much less than all that is told.
    """
    table = binary_format(source)
    if table is not None:
        frame = named_columns.read_table(source, table).frame
        return UbiFile(
            select(_finish(_as_texts(frame))), lambda row: f"{source.name}, row {row + 1}"
        )
    if is_whole(source):
        return _read_one_by_one(source, select)
    frames = []
    for piece in source.iterate_pieces():
        scanned = None if ESCAPED_KEY_OR_HALF.search(piece) else _scan_lines(piece)
        if scanned is None or _repeats_keys(piece, scanned):
            scanned = _tabulate_records(
                parse_line(line) for line in piece.split(b"\n") if line.strip()
            )
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


def _scan_lines(text: bytes) -> pl.DataFrame | None:
    """All lines at once; None if one of them is not what it should be."""
    try:
        return pl.read_ndjson(text, schema=dict.fromkeys(_ALL, pl.String))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def _read_one_by_one(source: Source, select: Callable[[pl.DataFrame], pl.DataFrame]) -> UbiFile:
    file = read_records(source)
    entries = list(file.records)
    frame = _tabulate_records(record for _, record in entries)
    return UbiFile(select(_finish(frame)), lambda row: file.locate(entries[row][0]))


def _tabulate_records(records: Iterable[Record]) -> pl.DataFrame:
    """Record by record, where one may be cut off."""
    rows: list[tuple[Any, ...]] = []
    for record in records:
        if isinstance(record, Unreadable):
            rows.append((*[None] * len(_ALL), record.problem))
            continue
        rows.append((*(_write(record.get(name)) for name in _ALL), None))
    schema = dict.fromkeys((*_ALL, "wrong"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _write(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """The fields of a table as texts; what is nested as JSON."""
    columns = []
    for name in _ALL:
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
    """The fields of every version under their last names; an empty text is none."""
    texts = [pl.when(pl.col(name) != "").then(pl.col(name)).alias(name) for name in FIELDS[:-1]]
    wrong = pl.col("wrong") if "wrong" in frame.columns else pl.lit(None, dtype=pl.String)
    names = (FIELDS[-1], *_OLD_HITS)
    hits = pl.coalesce(*(pl.when(pl.col(name) != "").then(pl.col(name)) for name in names))
    return frame.select(*texts, hits.alias(FIELDS[-1]), wrong.alias("wrong"))
