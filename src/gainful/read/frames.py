"""Frames in memory that are not polars': pandas, Arrow and whatever else supports Arrow.

Columns that are Arrow's already, as pandas' texts mostly are, are taken over without a copy.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadInput
from gainful.read.column_names import normalise_name
from gainful.text import quote, shorten

_FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def is_frame(value: object) -> bool:
    """Is it a table with named columns, of whatever make?"""
    if isinstance(value, pl.DataFrame):
        return True
    if hasattr(value, "__arrow_c_stream__"):
        return not is_column(value)
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns")


def is_column(value: object) -> bool:
    """Is it a single column: a Series of pandas or polars, an array of Arrow's?"""
    listed = hasattr(value, "to_frame") or hasattr(value, "to_pylist")
    return listed and not (hasattr(value, "columns") or hasattr(value, "column_names"))


def is_wrapped(value: object) -> bool:
    """Is it an object of another library, or a column by query and document, to be unwrapped?

    ranx' Qrels and Run, what Elasticsearch's client returns, a Series of pandas with two indices.
    """
    maker = type(value).__module__.partition(".")[0]
    if maker == "pandas":
        return is_column(value) and getattr(getattr(value, "index", None), "nlevels", 1) == 2
    return (maker == "ranx" and hasattr(value, "to_dict")) or (
        maker == "elastic_transport" and hasattr(value, "body")
    )


def unwrap(value: Any, number: str) -> Any:
    """What an object of another library holds: a dict, or a frame with this column of numbers."""
    if not is_wrapped(value):
        return value
    if hasattr(value, "body"):
        return value.body
    if not hasattr(value, "index"):
        return value.to_dict()
    levels = zip(value.index.names, ("query", "doc"), strict=True)
    names = [usual if name is None else str(name) for name, usual in levels]
    return value.rename(number).rename_axis(names).reset_index()


class ArrowStream:
    """Nothing but a stream of Arrow, so that nobody asks for what it was before."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._source.__arrow_c_stream__(requested_schema)


def _pandas_column(series: Any) -> pl.Series:
    if getattr(series.dtype, "kind", "O") in "iuf":
        return pl.Series(series.to_numpy())
    if getattr(series.dtype, "storage", "") == "pyarrow" and hasattr(series, "__arrow_c_stream__"):
        return pl.Series(ArrowStream(series))
    pairs = zip(series.tolist(), series.isna().tolist(), strict=True)
    return pl.Series([None if missing else _as_list(cell) for cell, missing in pairs], strict=False)


def _as_list(cell: Any) -> Any:
    """A list where a cell is an array, as pandas reads lists from Parquet; else what it is."""
    return [*map(_as_list, cell.tolist())] if isinstance(cell, np.ndarray) else cell


def _from_pandas(value: Any, name: str, names: Collection[str] | None) -> pl.DataFrame:
    """Column by column, without asking for pyarrow; what nobody needs is there in name only."""
    nulls = pl.Series([None]).new_from_index(0, len(value))
    columns: dict[str, pl.Series] = {}
    for index, column in enumerate(map(str, value.columns)):
        if names is not None and normalise_name(column) not in names:
            columns.setdefault(column, nulls)
            continue
        if column in columns:
            raise BadInput(name, f"there are two columns {quote(column)}", "each column once")
        try:
            columns[column] = _pandas_column(value.iloc[:, index])
        except (*_FAILURES, TypeError, ValueError) as failure:
            problem = f"column {quote(column)} cannot be read: {shorten(str(failure))}"
            raise BadInput(name, problem) from None
    return pl.DataFrame(columns)


def as_polars(value: Any, name: str, names: Collection[str] | None = None) -> pl.DataFrame:
    """A frame as a polars frame; of pandas', if some names are known, only columns called so."""
    try:
        if isinstance(value, pl.DataFrame):
            return value
        if type(value).__module__.partition(".")[0] == "pandas":  # without asking for pyarrow
            return _from_pandas(value, name, names)
        return pl.DataFrame(value)
    except BadInput:
        raise
    except (*_FAILURES, AttributeError, TypeError, ValueError, ImportError) as failure:
        problem = str(failure).split("\n", maxsplit=1)[0]
        raise BadInput(name, f"this frame cannot be read: {problem}") from None
