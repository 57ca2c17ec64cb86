"""Rows that are found one after the other, kept as columns.

A million rows of Python's own values take ten times the memory of the same columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

_BATCH_ROWS = 1 << 14


class RowBuffer:
    """Rows of some columns, to be added some at a time, and taken as a frame.

    Examples:
        >>> rows = RowBuffer({"doc": pl.String, "rank": pl.Int64})
        >>> rows.extend([["a"], [1]])
        >>> rows.extend([["b", "c"], [2, 3]])
        >>> rows.to_frame().rows()
        [('a', 1), ('b', 2), ('c', 3)]
    """

    def __init__(self, schema: Mapping[str, type[pl.DataType]]) -> None:
        """No rows yet, of columns with these names and types."""
        self._schema = dict(schema)
        self._columns: list[list[Any]] = [[] for _ in self._schema]
        self._frames: list[pl.DataFrame] = []

    def extend(self, columns: Iterable[Iterable[Any]]) -> None:
        """Some more rows, as columns of the same length."""
        for column, values in zip(self._columns, columns, strict=True):
            column.extend(values)
        if len(self._columns[0]) >= _BATCH_ROWS:
            self._pack()

    def to_frame(self) -> pl.DataFrame:
        """All rows, in the order in which they came; there are none in the buffer afterwards."""
        self._pack()
        frames, self._frames = self._frames, []
        return pl.concat(frames) if frames else pl.DataFrame(schema=self._schema)

    def _pack(self) -> None:
        if self._columns[0]:
            pairs = zip(self._schema.items(), self._columns, strict=True)
            series = [pl.Series(name, values, dtype) for (name, dtype), values in pairs]
            self._frames.append(pl.DataFrame(series))
            self._columns = [[] for _ in self._schema]


class TextBuffer:
    """Texts, to be added some at a time and taken as one column."""

    def __init__(self) -> None:
        """No texts yet."""
        self._texts: list[str] = []
        self._parts: list[pl.Series] = []

    def extend(self, texts: Iterable[str]) -> None:
        """Some more of them."""
        self._texts.extend(texts)
        if len(self._texts) >= _BATCH_ROWS:
            self._pack()

    def to_series(self) -> pl.Series:
        """All texts, in the order in which they came; there are none here afterwards."""
        self._pack()
        parts, self._parts = self._parts, []
        return pl.concat(parts)

    def _pack(self) -> None:
        self._parts.append(pl.Series(self._texts, dtype=pl.String))
        self._texts = []
