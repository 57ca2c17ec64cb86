"""A further column of judgments or a run, by query: what each query belongs to."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read.column_names import (
    QRELS_COLUMNS,
    QRELS_ROLES,
    QUERY,
    USUAL_NAMES,
    ColumnMapping,
    normalise_name,
    restore_name,
)
from gainful.read.engines import Engine, find_engine, report_engine_errors
from gainful.read.formats import find_format, is_table
from gainful.read.frames import as_polars, is_frame
from gainful.read.named_columns import InputTable, as_table, read_table, text_column
from gainful.read.source import is_file, open_source
from gainful.text import quote


def read_query_column(
    value: Any, column: str, format_name: str | None = None, names: ColumnMapping = USUAL_NAMES
) -> dict[str, str] | None:
    """What a column says of each query; None where there is no table, or no such column in it.

    Examples:
        >>> frame = pl.DataFrame(
        ...     {"query": ["1", "1", "2"], "doc": ["a", "b", "a"], "user": [7, 7, 8]}
        ... )
        >>> read_query_column(frame, "user"), read_query_column(frame, "system")
        ({'1': '7', '2': '8'}, None)
    """
    table = _find_table(value, column, format_name, names)
    if table is None or column not in table.frame.columns:
        return None
    kept = table.frame[column].alias("\0")  # a role may rename it
    table = table.rename(_only_queries(names), QRELS_ROLES)
    query = text_column(table, table.header.require(QRELS_COLUMNS["query"]))
    frame = pl.DataFrame({"query": query, "name": kept.cast(pl.String)})
    return _check_names(frame.drop_nulls().unique(maintain_order=True), table, column)


def _only_queries(names: ColumnMapping) -> ColumnMapping:
    return ColumnMapping({role: own for role, own in names.names.items() if role == "query"})


def _find_table(
    value: Any, column: str, format_name: str | None, names: ColumnMapping
) -> InputTable | None:
    engine = find_engine(value)
    if engine is not None:
        return as_table(_collect_columns(value, engine, column, names), "the frame")
    if is_frame(value):
        return as_table(as_polars(value, "the frame"), "the frame")
    if not isinstance(value, (str, PathLike)) or fspath(value) == "-" or not is_file(value):
        return None
    source = open_source(value)
    file_format = find_format(source, format_name, names)
    return read_table(source, file_format.name) if is_table(file_format) else None


def _collect_columns(value: Any, engine: Engine, column: str, names: ColumnMapping) -> pl.DataFrame:
    """The columns of queries and of what they belong to, each pair of them once, in memory."""
    from gainful.read.lazy import open_columns  # noqa: PLC0415  (slow to load)

    with report_engine_errors(engine, "the frame"):
        frame, _ = open_columns(value, engine, USUAL_NAMES, QRELS_ROLES, "the frame")
        queries = (*names.names.get("query", ()), *QUERY)
        wanted = [
            protected
            for protected in frame.collect_schema().names()
            if (name := restore_name(protected)) == column
            or name in queries
            or normalise_name(name) in queries
        ]
        return engine.collect(frame.select(*wanted).unique().to_native()).rename(restore_name)


def _check_names(frame: pl.DataFrame, table: InputTable, column: str) -> dict[str, str]:
    """One name for each query."""
    repeated = frame.filter(pl.col("query").is_duplicated())
    if len(repeated):
        query = repeated["query"][0]
        first, second = repeated.filter(pl.col("query") == query)["name"][:2]
        problem = f"query {quote(query)} has two in column {quote(column)}: {first}, {second}"
        raise BadInput(table.name, problem, "one for each query")
    return dict(frame.iter_rows())
