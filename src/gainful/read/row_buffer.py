"""Rows that are found one after the other, kept as columns.

A million rows of Python's own values take ten times the memory of the same columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

_BATCH_ROWS = 1 << 14


class RowBuffer:
    """Rows of some columns, to be added one by one and taken as a frame.

    Examples:
        >>> rows = RowBuffer({"doc": pl.String, "rank": pl.Int64})
        >>> rows.add(("a", 1))
        >>> rows.to_frame().row(0)
        ('a', 1)
    """

    def __init__(self, schema: Mapping[str, type[pl.DataType]]) -> None:
        """No rows yet, of columns with these names and types."""
        self._schema = dict(schema)
        self._rows: list[tuple[Any, ...]] = []
        self._frames: list[pl.DataFrame] = []
        self._count = 0

    def __len__(self) -> int:
        """How many rows there are."""
        return self._count

    def add(self, row: tuple[Any, ...]) -> None:
        """One more row."""
        self._rows.append(row)
        self._count += 1
        if len(self._rows) >= _BATCH_ROWS:
            self._pack()

    def extend(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Some more rows."""
        before = len(self._rows)
        self._rows.extend(rows)
        self._count += len(self._rows) - before
        if len(self._rows) >= _BATCH_ROWS:
            self._pack()

    def to_frame(self) -> pl.DataFrame:
        """All rows, in the order in which they came; there are none in the buffer afterwards."""
        self._pack()
        frames, self._frames, self._count = self._frames, [], 0
        return pl.concat(frames) if frames else pl.DataFrame(schema=self._schema)

    def _pack(self) -> None:
        if self._rows:
            columns = zip(self._schema.items(), zip(*self._rows, strict=True), strict=True)
            frame = pl.DataFrame(
                [pl.Series(name, values, dtype) for (name, dtype), values in columns]
            )
            self._frames.append(frame)
            self._rows = []


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
