"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import polars as pl

from gainful.errors import BadInput, shown
from gainful.read.source import Source

_EXPECTED = "one JSON object a line"


def read(source: Source, _: str = "jsonl") -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The objects as a frame, and where each row stands."""

    @cache
    def lines() -> list[int]:
        every = enumerate(source.content().split(b"\n"), start=1)
        return [number for number, line in every if line.strip()]

    def where(row: int) -> str:
        return f"{source.name}:{lines()[row]}" if row < len(lines()) else source.name

    try:
        return pl.read_ndjson(source.content(), infer_schema_length=None), where
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _one_by_one(source), where


def _one_by_one(source: Source) -> pl.DataFrame:
    """Fields of which lines disagree what they are; those that are mixed become text."""
    rows = [value for _, value in objects(source)]
    columns: dict[str, pl.Series] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pl.Series(name, values, strict=True)
        except (TypeError, pl.exceptions.PolarsError):
            columns[name] = pl.Series(name, [_told(value) for value in values], dtype=pl.String)
    return pl.DataFrame(columns)


def _told(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers; an empty line is passed over."""
    for number, line in enumerate(source.content().split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{source.name}:{number}"
        try:
            value = loaded(line, where)
        except BadInput:
            raise
        except ValueError:
            problem = f"{shown(line[:60].decode('utf-8', errors='replace'))} is not JSON"
            raise BadInput(where, problem, _EXPECTED) from None
        if not isinstance(value, dict):
            raise BadInput(where, f"{shown(value)} is no object", _EXPECTED)
        yield number, value


def loaded(text: bytes, where: str) -> Any:
    """JSON, in which no object may have a key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise BadInput(where, f"the key {shown(twice)} stands twice in one object")
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except BadInput:
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
