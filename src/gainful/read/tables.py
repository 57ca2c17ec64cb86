"""Tables and JSON → judgments or a run, a row for each document (long) or for each query (wide)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read import dicts, named_columns, rag, shapes
from gainful.read.column_names import (
    DOC,
    RELEVANT,
    RETRIEVED,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
    normalise_name,
)
from gainful.read.jsonl import load_whole
from gainful.read.kinds import Kind, Rows, Value
from gainful.read.named_columns import InputTable
from gainful.read.qrels_and_run import NestedDict
from gainful.read.source import Source
from gainful.text import quote


def read_rows(
    source: Source, kind: Kind[Value], columns: ColumnMapping, format_name: str
) -> Rows[Value] | Value:
    """The rows of a file with columns such as query, doc, and grade or score (or rank)."""
    return extract_rows(named_columns.read_table(source, format_name, columns), kind, columns)


def extract(table: InputTable, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES) -> Value:
    """Judgments or a run from a table whose columns may have other names than the usual ones."""
    rows = extract_rows(table, kind, columns)
    return rows.build() if isinstance(rows, Rows) else rows


def extract_rows(
    table: InputTable, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES
) -> Rows[Value] | Value:
    """The rows of a table; of one with lists for cells, what they are together."""
    table = table.rename(columns, kind.roles)
    if is_wide(table.frame.schema):
        return rag.read_records(table.name, _iterate_records(table), kind)
    if table.header.find_column(DOC) is None:
        lists = [name for name, dtype in table.frame.schema.items() if dtype.base_type() == pl.List]
        rag.refuse_unknown_lists(table.name, lists, columns)
    return named_columns.extract_rows(table, kind)


def read_json(source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES) -> Value:
    """Judgments or a run from a file with one object {query: {document: number}}, or one list."""
    value = load_whole(source)
    if isinstance(value, list):
        read = shapes.read_sequence(value, source.name, kind, columns)
    elif isinstance(value, dict):
        read = dicts.read_dict(value, source.name, kind)
    else:
        raise BadInput(source.name, f"{quote(value)} is no object", "{query: {document: number}}")
    return dicts.to_columns(read, kind) if isinstance(read, NestedDict) else read


def tells_both(frame: pl.DataFrame, columns: ColumnMapping) -> bool:
    """Has each row both what was retrieved and what is relevant?"""
    lists = {normalise_name(name) for name, kind in frame.schema.items() if kind.is_nested()}
    roles = {"retrieved": RETRIEVED, "relevant": RELEVANT}
    return all(
        lists & {*aliases, *map(normalise_name, columns.names.get(role, ()))}
        for role, aliases in roles.items()
    )


def _iterate_records(table: InputTable) -> Iterator[tuple[str, dict[str, Any]]]:
    names = [normalise_name(name) for name in table.frame.columns]
    for number, row in enumerate(table.frame.iter_rows()):
        yield table.locate(number), dict(zip(names, row, strict=True))
