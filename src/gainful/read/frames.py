"""Frames in memory that are not polars': pandas, Arrow and whatever else speaks Arrow.

Columns that are Arrow's already, as pandas' texts mostly are, are taken over without a copy.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from gainful.errors import BadInput


def is_frame(value: object) -> bool:
    """Is it a table with named columns, of whatever make?"""
    if isinstance(value, pl.DataFrame) or hasattr(value, "__arrow_c_stream__"):
        return True
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns")


class Stream:
    """Nothing but a stream of Arrow, so that nobody asks for what it was before."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._source.__arrow_c_stream__(requested_schema)


def _column(series: Any) -> pl.Series:
    """A column of pandas'; what is missing there is null here, never the text NaN."""
    if getattr(series.dtype, "kind", "O") in "iuf":
        return pl.Series(series.to_numpy())
    if getattr(series.dtype, "storage", "") == "pyarrow" and hasattr(series, "__arrow_c_stream__"):
        return pl.Series(Stream(series))
    pairs = zip(series.tolist(), series.isna().tolist(), strict=True)
    return pl.Series([None if missing else value for value, missing in pairs])


def as_polars(value: Any, name: str) -> pl.DataFrame:
    """The same as a polars frame."""
    try:
        if isinstance(value, pl.DataFrame):
            return value
        if type(value).__module__.partition(".")[0] == "pandas":  # without asking for pyarrow
            return pl.DataFrame({str(c): _column(value[c]) for c in value.columns})
        return pl.DataFrame(value)
    except (
        pl.exceptions.PolarsError,
        AttributeError,
        TypeError,
        ValueError,
        ImportError,
    ) as failure:
        problem = str(failure).split("\n", maxsplit=1)[0]
        raise BadInput(name, f"this frame cannot be read: {problem}") from None
