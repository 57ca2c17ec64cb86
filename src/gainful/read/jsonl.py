"""JSON lines: one object a line."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
import polars as pl

from gainful.errors import BadInput
from gainful.read.source import Source
from gainful.text import quote

HALF = re.compile(rb"\\u[dD][89a-fA-F]")
ESCAPED_KEY_OR_HALF = re.compile(rb'\\u[0-9a-fA-F]{4}[^"]*"\s*:|\\u[dD][89a-fA-F]')
_MAX_COUNTED = 64  # keys; of more, to count each takes longer than to read the lines
_EXPECTED = "one JSON object a line"


def read(source: Source, _: str = "jsonl") -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The objects as a frame, and where each row stands."""

    @cache
    def line_numbers() -> list[int]:
        all_lines = enumerate(source.read_bytes().split(b"\n"), start=1)
        return [number for number, line in all_lines if line.strip()]

    def locate(row: int) -> str:
        return f"{source.name}:{line_numbers()[row]}" if row < len(line_numbers()) else source.name

    text = source.read_bytes()
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _read_line_by_line(source), locate
    if _needs_care(text, frame):
        deque(read_objects(source), maxlen=0)  # what polars takes silently is refused here
    return frame, locate


def _needs_care(text: bytes, frame: pl.DataFrame) -> bool:
    """May a key stand twice in an object, or half a character in a text? A quick look says no."""
    if frame.width > _MAX_COUNTED:
        return True
    names = [f'"{name}"'.encode() for name in frame.columns]
    repeated = any(text.count(name) > frame.height for name in names)
    return repeated or ESCAPED_KEY_OR_HALF.search(text) is not None


def _read_line_by_line(source: Source) -> pl.DataFrame:
    return build_columns([value for _, value in read_objects(source)])


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


class NoObject(ValueError):
    """What a line holds instead of an object, in words."""

    def __init__(self, problem: str, expected: str = "") -> None:
        """The problem, and what would be right."""
        super().__init__(problem)
        self.expected = expected


def parse_object(line: bytes) -> dict[str, Any]:
    """The object of a line.

    Examples:
        >>> parse_object(b'{"a": 1}')
        {'a': 1}
    """
    try:
        value = decode_json(line)
    except NoObject:
        raise
    except (ValueError, RecursionError):
        problem = f"{quote(line[:60].decode('utf-8', errors='replace'))} is not JSON"
        raise NoObject(problem, _EXPECTED) from None
    if type(value) is not dict:
        raise NoObject(f"{quote(value)} is no object", _EXPECTED)
    return value


def decode_json(text: bytes) -> Any:
    """What JSON says in which no object has a key twice, and no text half a character."""
    if b"\\u003" not in text:  # no colon is escaped
        try:
            value = _FAST_DECODER.decode(text)
            # Of a key that stands twice it keeps one, and a colon goes with the other.
            if _ENCODER.encode(value).count(b":") == text.count(b":"):
                return value
        except (ValueError, RecursionError):
            pass  # a closer look says why, or forgives
    value = _DECODER.decode(text.decode())
    if HALF.search(text) is not None:
        _refuse_half_characters(value)
    return value


def _refuse_half_characters(value: Any) -> None:
    """One of a pair of surrogates alone is no character, and no file could hold it again."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as failure:
        half = f"\\u{ord(str(failure.object)[failure.start]):04x}"
        raise NoObject(f"{half} is half a character", "both halves of it") from None


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """No object may have a key twice."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise NoObject(f"the key {quote(repeated)} stands twice in one object")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_repeats)
_FAST_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()


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
        raise BadInput(source.name, f"this is not JSON: {failure}") from None


def load_json(text: bytes, place: str) -> Any:
    """What JSON says; what it may not have is refused with its place."""
    try:
        return decode_json(text)
    except NoObject as failure:
        raise BadInput(place, str(failure), failure.expected) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
