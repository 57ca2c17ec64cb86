"""Frames of lazy polars, DuckDB or Spark → runs that stay there, or rows in memory.

The columns of a run are found there; nothing is read until it is matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve

from gainful.read.column_names import (
    KNOWN_COLUMNS,
    QRELS_ROLES,
    RUN_ROLES,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
    protect_name,
    restore_name,
)
from gainful.read.engines import Engine, report_engine_errors
from gainful.read.lazy_run import LazyRun, as_narwhals
from gainful.read.named_columns import Header, InputTable, as_table, invert_renames
from gainful.read.qrels_and_run import Run


def as_lazy_run(
    native: Any, engine: Engine, name: str, columns: ColumnMapping = USUAL_NAMES
) -> LazyRun:
    """A run from a frame of an engine: its columns are found, and nothing is read yet."""
    with report_engine_errors(engine, name):
        frame, own_names = open_columns(native, engine, columns, RUN_ROLES, name)
        schema = frame.collect_schema()
        header = Header(list(schema), name, own_names)
        query, doc = header.require_ids()
        number, role = header.score_column()
        roles = {"query": query, "doc": doc, role: number}
        chosen = frame.select(nw.col(column).alias(role) for role, column in roles.items())
    ids = {
        role: "whole numbers" if schema[roles[role]].is_numeric() else "texts"
        for role in ("query", "doc")
    }
    own = {role: restore_name(header.own_name(column)) for role, column in roles.items()}
    return LazyRun(chosen, engine, name, ids, own)


def collect_run(run: LazyRun) -> Run:
    """The whole run in memory, for those who have to look at every document of a query."""
    frame = pl.concat([rows.frame for rows in run.stream()])
    note = f"the run was brought into memory, from {run.engine.name}"
    return Run(frame, run.name, ids=run.ids, notes=(note,))


def read_schema(native: Any, engine: Engine, name: str) -> Mapping[str, Any]:
    """The columns of a frame and what they hold."""
    with report_engine_errors(engine, name):
        return as_narwhals(native).collect_schema()


def collect_frame(native: Any, engine: Engine, name: str) -> pl.DataFrame:
    """A whole frame, in memory."""
    with report_engine_errors(engine, name):
        return engine.collect(as_narwhals(native).to_native())


def collect_qrels(
    native: Any, engine: Engine, name: str, columns: ColumnMapping = USUAL_NAMES
) -> InputTable:
    """The columns of judgments in memory, which every engine can spare."""
    frame, own_names = select_qrels(native, engine, name, columns)
    with report_engine_errors(engine, name):
        rows = engine.collect(frame.to_native()).rename(restore_name)
    return evolve(as_table(rows, name), own_names=own_names)


def select_qrels(
    native: Any, engine: Engine, name: str, columns: ColumnMapping = USUAL_NAMES
) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
    """The columns that judgments need, where they are; and what the user calls them."""
    with report_engine_errors(engine, name):
        frame, own_names = open_columns(native, engine, columns, QRELS_ROLES, name)
        header = Header(frame.collect_schema().names(), name, own_names)
        wanted = [column for alias in KNOWN_COLUMNS if (column := header.find_column((alias,)))]
        if not is_wide(frame.collect_schema()):
            header.require_ids()
            if header.grade_column() is None:  # the others are named in what is said of that
                wanted = list(header.columns)
        return frame.select(*dict.fromkeys(wanted)), own_names


def open_columns(
    native: Any, engine: Engine, columns: ColumnMapping, roles: Mapping[str, str], name: str
) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
    """A frame whose columns are called as they are looked for, others by protected names.

    Beside it, what the user calls those that have a role.
    """
    names = as_narwhals(native).collect_schema().names()
    protected = [*map(protect_name, names)]
    frame = as_narwhals(native if protected == names else engine.rename(native, protected))
    if columns.names:
        selected = columns.select(names, roles, name)
        own = (nw.col(protect_name(own)).alias(protect_name(new)) for own, new in selected.items())
        grade = [nw.lit(1.0).alias("grade")] if columns.lacks_grades(roles) else []
        frame = frame.select(*own, *grade)
    return frame, invert_renames(columns.find_renames(names, roles, name))
