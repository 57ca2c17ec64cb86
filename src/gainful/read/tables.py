"""Tables → judgments or a run, whether long (a row for each document) or wide (for each query)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from gainful.read import named_columns, rag
from gainful.read.column_names import (
    QRELS_ROLES,
    RELEVANT,
    RETRIEVED,
    RUN_ROLES,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
    normalise_name,
)
from gainful.read.named_columns import InputTable
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.source import Source


def read_qrels(source: Source, format_name: str, columns: ColumnMapping = USUAL_NAMES) -> Qrels:
    """Judgments from a file with columns such as query, doc, grade."""
    return extract_qrels(named_columns.read_table(source, format_name), columns)


def read_run(source: Source, format_name: str, columns: ColumnMapping = USUAL_NAMES) -> Run:
    """A run from a file with columns such as query, doc, score (or rank)."""
    return extract_run(named_columns.read_table(source, format_name), columns)


def extract_qrels(table: InputTable, columns: ColumnMapping) -> Qrels:
    """Judgments from a table whose columns may have other names than the usual ones."""
    table = table.rename(columns, QRELS_ROLES)
    if is_wide(table.frame.schema):
        return rag.read_qrels_records(table.name, _iterate_records(table))
    return named_columns.extract_qrels(table)


def extract_run(table: InputTable, columns: ColumnMapping) -> Run:
    """A run from a table whose columns may have other names than the usual ones."""
    table = table.rename(columns, RUN_ROLES)
    if is_wide(table.frame.schema):
        return rag.read_run_records(table.name, _iterate_records(table))
    return named_columns.extract_run(table)


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
