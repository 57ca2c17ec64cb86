"""JSON lines: one object a line."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read.json_text import EXPECTED, NoObject, load_json, parse_object, stops_early
from gainful.read.source import Source
from gainful.text import quote

ESCAPED_KEY_OR_HALF = re.compile(rb'\\u[0-9a-fA-F]{4}[^"]*"\s*:|\\u[dD][89a-fA-F]')
_MAX_COUNTED = 64  # keys; of more, to count each takes longer than to read the lines


def read(source: Source, _: str = "jsonl") -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The objects as a frame, and where each row stands."""
    if is_whole(source):
        return _read_whole(source)
    text, locate = source.read_bytes(), source.locate_rows()
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return build_columns([value for _, value in read_objects(source)]), locate
    if _needs_care(text, frame):
        deque(read_objects(source), maxlen=0)  # what polars takes silently is refused here
    return frame, locate


def is_whole(source: Source) -> bool:
    """Is it one list or one object over several lines, and not an object a line?"""
    if source.head.lstrip().startswith(b"["):
        return True
    line = source.first_line()
    if source.suffix in (".jsonl", ".ndjson"):  # of which the first line may be cut off
        return line == "{"
    return not (line.startswith("{") and line.endswith("}"))


def _read_whole(source: Source) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """One list of objects, or one object, as a frame."""
    value = load_whole(source)
    rows = value if isinstance(value, list) else [value]
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadInput(f"{source.name}[{index}]", f"{quote(row)} is no object", EXPECTED)
    return build_columns(rows), lambda row: f"{source.name}[{row}]"


def _needs_care(text: bytes, frame: pl.DataFrame) -> bool:
    """May a key stand twice in an object, or half a character in a text? A quick look says no."""
    if frame.width > _MAX_COUNTED:
        return True
    names = [f'"{name}"'.encode() for name in frame.columns]
    repeated = any(text.count(name) > frame.height for name in names)
    return repeated or ESCAPED_KEY_OR_HALF.search(text) is not None


def build_columns(rows: Sequence[Mapping[Any, Any]]) -> pl.DataFrame:
    """Records as columns; a field of which records disagree what it is becomes text."""
    columns: dict[str, pl.Series] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        values, name = [row.get(key) for row in rows], str(key)
        try:
            columns[name] = pl.Series(name, values, strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            columns[name] = pl.Series(name, [_as_text(value) for value in values], dtype=pl.String)
    return pl.DataFrame(columns)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError):  # what JSON has no words for
        return str(value)


def read_objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers; an empty line is passed over."""
    for number, line in enumerate(source.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        value = load_object(line, f"{source.name}:{number}")
        yield number, value


def load_object(line: bytes, place: str) -> dict[str, Any]:
    """The object of a line, or an error that says what it is instead."""
    try:
        return parse_object(line)
    except NoObject as failure:
        raise BadInput(place, str(failure), failure.expected) from None


def is_json_list(source: Source) -> bool:
    """Is it one list of objects, over as many lines as it likes?"""
    return bool(re.match(rb"\s*\[\s*\{", source.head))


def load_whole(source: Source) -> Any:
    """What a file of JSON holds that is one object or one list."""
    try:
        return load_json(source.read_bytes(), source.name)
    except BadInput:
        raise
    except ValueError as failure:
        is_cut = isinstance(failure, json.JSONDecodeError) and stops_early(failure)
        problem = "the JSON is cut off" if is_cut else "this is not JSON"
        raise BadInput(source.name, f"{problem}: {failure}") from None
