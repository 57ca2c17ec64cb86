"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read.source import Source
from gainful.text import quote

_EXPECTED = "one JSON object a line"


def read(source: Source, _: str = "jsonl") -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The objects as a frame, and where each row stands."""

    @cache
    def line_numbers() -> list[int]:
        all_lines = enumerate(source.read_bytes().split(b"\n"), start=1)
        return [number for number, line in all_lines if line.strip()]

    def locate(row: int) -> str:
        return f"{source.name}:{line_numbers()[row]}" if row < len(line_numbers()) else source.name

    try:
        return pl.read_ndjson(source.read_bytes(), infer_schema_length=None), locate
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _read_line_by_line(source), locate


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
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def read_objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers; an empty line is passed over."""
    for number, line in enumerate(source.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{source.name}:{number}"
        try:
            value = load_json(line, place)
        except BadInput:
            raise
        except ValueError:
            problem = f"{quote(line[:60].decode('utf-8', errors='replace'))} is not JSON"
            raise BadInput(place, problem, _EXPECTED) from None
        if not isinstance(value, dict):
            raise BadInput(place, f"{quote(value)} is no object", _EXPECTED)
        yield number, value


def load_json(text: bytes, place: str) -> Any:
    """JSON, in which no object may have a key twice."""

    def refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise BadInput(place, f"the key {quote(repeated)} stands twice in one object")
        return mapping

    try:
        return json.loads(text, object_pairs_hook=refuse_repeats)
    except BadInput:
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
