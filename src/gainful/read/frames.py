"""Frames in memory that are not polars': pandas, Arrow and whatever else supports Arrow.

Columns that are Arrow's already, as pandas' texts mostly are, are taken over without a copy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadInput, Duplicated
from gainful.read.column_names import DOC, QUERY, are_column_names, normalise_name
from gainful.text import quote, shorten

_MISSING = ("NAType", "NaTType")  # of pandas, which need not be there
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
    """Is it an object of another library, or a column with names of its own, to be unwrapped?

    ranx' Qrels and Run, what Elasticsearch's client returns, a Series of pandas by query and
    document, or with a ranking for each query that its index names.
    """
    maker = type(value).__module__.partition(".")[0]
    if maker == "pandas":
        levels = getattr(getattr(value, "index", None), "nlevels", 0)
        return is_column(value) and (levels == 2 or (levels > 0 and _has_named_rankings(value)))
    return (maker == "ranx" and hasattr(value, "to_dict")) or open_response(value) is not value


def open_response(value: Any) -> Any:
    """The dict that Elasticsearch's client wraps; any other value as it is."""
    is_response = type(value).__module__.partition(".")[0] == "elastic_transport"
    return getattr(value, "body", value) if is_response else value


def _has_named_rankings(series: Any) -> bool:
    """Does an index other than 0, 1, 2, … name the queries of lists, or of dicts of numbers?"""
    first = next((cell for cell in series if not isinstance(cell, (float, type(None)))), None)
    is_ranking = isinstance(first, (list, set, frozenset, np.ndarray))
    if isinstance(first, Mapping):
        numbers = all(isinstance(value, Real) for value in first.values())
        is_ranking = numbers and not are_column_names(map(str, first))
    return is_ranking and series.index.tolist() != [*range(len(series))]


def _read_by_index(series: Any, name: str) -> dict[Any, Any]:
    """The rankings of a Series by the queries in its index."""
    queries = [_restore_whole(query) for query in series.index.tolist()]
    if series.index.hasnans:
        raise BadInput(name, "a query in the index is missing", "an index that names each query")
    by_query = dict(zip(queries, series.tolist(), strict=True))
    if len(by_query) < len(queries):
        query = next(query for query in queries if queries.count(query) > 1)
        raise Duplicated(name, f"query {quote(query)} comes twice in the index", "each query once")
    return by_query


def _restore_whole(query: Any) -> Any:
    """A whole number that became 1.0 beside a missing one, or in a merge."""
    return int(query) if isinstance(query, float) and query.is_integer() else query


def unwrap(value: Any, number: str, name: str) -> Any:
    """What an object of another library holds: a dict, or a frame with this column of numbers."""
    if not is_wrapped(value):
        return value
    if (response := open_response(value)) is not value:
        return response
    if not hasattr(value, "index"):
        return value.to_dict()
    if value.index.nlevels != 2:
        return _read_by_index(value, name)
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
    cells = [None if missing else _as_list(cell) for cell, missing in pairs]
    if _are_alike(cells):
        column = pl.Series(cells, strict=False)
        if not column.dtype.is_integer():
            return column  # else NumPy's whole numbers may have cut the fractions behind them
        return pl.Series([int(v) if isinstance(v, np.integer) else v for v in cells], strict=False)
    return pl.Series([_clear_missing(cell) for cell in cells], dtype=pl.Object)


def _are_alike(cells: list[Any]) -> bool:
    """Can lists in cells become a column of polars', which would make texts of all that differs?"""
    lists = [cell for cell in cells if isinstance(cell, (list, tuple, set, frozenset))]
    if any(isinstance(cell, (set, frozenset)) for cell in lists):
        return False
    kinds = set(map(type, chain.from_iterable(lists))) - {type(None)}
    if any(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return False
    return any(all(issubclass(kind, alike) for kind in kinds) for alike in (str, Real, dict))


def _clear_missing(cell: Any) -> Any:
    """A list with None for what pandas calls missing."""
    if not isinstance(cell, (list, tuple)):
        return cell
    return [None if type(entry).__name__ in _MISSING else entry for entry in cell]


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


def reset_ids(value: Any, mapped: Collection[str]) -> Any:
    """A frame of pandas with queries and documents as columns, where its index names them.

    Args:
        value: a frame of any make.
        mapped: what else the user calls such columns.
    """
    index = getattr(value, "index", None)
    if index is None or not hasattr(index, "names"):
        return value
    columns = {normalise_name(str(column)) for column in value.columns}
    levels = [level for level in index.names if level is not None]
    named = {level: normalise_name(str(level)) for level in levels}
    missing = {alias for known in (QUERY, DOC) if columns.isdisjoint(known) for alias in known}
    missing |= {*mapped} - columns
    chosen = [level for level, name in named.items() if name in missing]
    return value.reset_index(level=chosen) if chosen else value


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
