"""A dict that is no dict by query: one of columns, as `datasets` gives it, or a single record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gainful.errors import BadInput
from gainful.read.column_names import (
    DOC,
    DOC_LISTS,
    QUERY,
    QUERY_TEXT,
    RELEVANT,
    RETRIEVED,
    USUAL_NAMES,
    ColumnMapping,
)
from gainful.read.ranked_items import as_list, is_id

_LISTS = (*RETRIEVED, *RELEVANT, *DOC_LISTS)
_MAPPED_LISTS = ("retrieved", "relevant")


def split_columns(
    value: Mapping[Any, Any], name: str, columns: ColumnMapping = USUAL_NAMES
) -> list[Mapping[Any, Any]] | None:
    """The records of a dict of columns, or of one that is a record; None for a dict by query.

    Examples:
        >>> split_columns({"query": ["1", "2"], "doc": ["a", "b"]}, "judgments")
        [{'query': '1', 'doc': 'a'}, {'query': '2', 'doc': 'b'}]
        >>> split_columns({"query": "1", "relevant": ["a", "b"]}, "judgments")
        [{'query': '1', 'relevant': ['a', 'b']}]
        >>> split_columns({"1": {"a": 1}}, "judgments")
    """
    query = _find_key(value, (*columns.names.get("query", ()), *QUERY, *QUERY_TEXT))
    if query is None:
        parts = [_find_key(value, names) for names in (RETRIEVED, RELEVANT)]
        if None in parts:
            return None
        is_table = all(_holds_lists(value[part]) for part in parts)
        return _zip_columns(value, name) if is_table else [value]
    lists = _find_key(value, (*_list_mapped(columns, _MAPPED_LISTS), *_LISTS))
    docs = _find_key(value, (*_list_mapped(columns, ("doc",)), *DOC))
    if is_id(value[query]):
        return [value] if lists is not None else None
    if as_list(value[query]) is None or (lists is None and docs is None):
        return None
    return _zip_columns(value, name)


def _zip_columns(value: Mapping[Any, Any], name: str) -> list[Mapping[Any, Any]]:
    """Columns as records, row by row."""
    lists = {key: as_list(column) for key, column in value.items()}
    by_name = {key: column for key, column in lists.items() if column is not None}
    if len({len(column) for column in by_name.values()}) > 1:
        lengths = [f"{key} {len(column)}" for key, column in by_name.items()]
        raise BadInput(name, f"columns of different lengths: {', '.join(lengths)}", "equal ones")
    return [dict(zip(by_name, row, strict=True)) for row in zip(*by_name.values(), strict=True)]


def _holds_lists(column: Any) -> bool:
    """Is it a column of lists, and not one list of documents?"""
    first = next(iter(as_list(column) or ()), None)
    return as_list(first) is not None and not isinstance(first, tuple)


def _find_key(value: Mapping[Any, Any], names: Iterable[str]) -> str | None:
    return next((name for name in names if name in value), None)


def _list_mapped(columns: ColumnMapping, roles: Iterable[str]) -> list[str]:
    """What a user calls the columns of these roles."""
    return [name for role in roles for name in columns.names.get(role, ())]
