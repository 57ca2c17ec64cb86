"""What is in memory already → judgments or a run: dicts, frames, relations of engines, lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from gainful.errors import WrongType
from gainful.forks import refuse_lost_threads
from gainful.read import shapes, tables
from gainful.read.column_names import (
    GRADE,
    KNOWN_COLUMNS,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
    normalise_name,
)
from gainful.read.engines import Engine, find_engine
from gainful.read.frames import as_polars, is_frame, unwrap
from gainful.read.lazy_run import LazyRun
from gainful.read.named_columns import Header, as_table
from gainful.read.qrels_and_run import NestedDict, Qrels, Run

_ALLOWED = (
    "a path, a dict by query, a frame (polars, pandas, Arrow, DuckDB, Spark), or a list: of "
    "records, of rows (query, document, {}), or of rankings in query order"
)


def convert_qrels(value: Any, columns: ColumnMapping) -> Qrels | NestedDict:
    """Judgments from a dict, a frame, an engine or a list."""
    value = unwrap(value, "grade")
    if isinstance(value, Mapping):
        return shapes.read_qrels_mapping(value, "judgments", columns)
    if shapes.is_sequence(value):
        return shapes.read_qrels_sequence(value, "judgments", columns)
    refuse_lost_threads()
    engine = find_engine(value)
    if engine is not None:
        from gainful.read.lazy import collect_qrels  # noqa: PLC0415  (slow to load)

        return tables.extract_qrels(collect_qrels(value, engine, "judgments", columns), USUAL_NAMES)
    if is_frame(value):
        frame = _read_frame(value, "judgments", columns, grades=True)
        return tables.extract_qrels(as_table(frame, "judgments"), columns)
    raise WrongType("judgments", value, _ALLOWED.format("grade"))


def convert_run(value: Any, name: str, columns: ColumnMapping) -> Run | NestedDict | LazyRun:
    """A run from a dict, a frame or a list; that of an engine stays there."""
    value = unwrap(value, "score")
    if isinstance(value, Mapping):
        return shapes.read_run_mapping(value, name, columns)
    if shapes.is_sequence(value):
        return shapes.read_run_sequence(value, name, columns)
    refuse_lost_threads()
    engine = find_engine(value)
    if engine is not None:
        return _as_engine_run(value, engine, name, columns)
    if is_frame(value):
        return tables.extract_run(as_table(_read_frame(value, name, columns), name), columns)
    raise WrongType(name, value, _ALLOWED.format("score"))


def tells_both(value: Any, columns: ColumnMapping) -> bool:
    """Does it tell both what was retrieved and what is relevant?"""
    value = unwrap(value, "score")
    if is_frame(value):
        return tables.tells_both(_read_frame(value, "judgments", columns), columns)
    return shapes.tells_both(value, columns)


def _as_engine_run(value: Any, engine: Engine, name: str, columns: ColumnMapping) -> Run | LazyRun:
    """A run that stays in its engine, unless it has lists for cells."""
    from gainful.read.lazy import as_lazy_run, collect_frame, read_schema  # noqa: PLC0415  (slow to load)

    if is_wide(read_schema(value, engine, name)):
        return tables.extract_run(as_table(collect_frame(value, engine, name), name), columns)
    return as_lazy_run(value, engine, name, columns=columns)


def _read_frame(
    value: Any, name: str, columns: ColumnMapping, *, grades: bool = False
) -> pl.DataFrame:
    """A frame in memory, as far as it is needed: all of it where grades may have any name."""
    header = Header([*map(str, getattr(value, "columns", ()))], name)
    if grades and "grade" not in columns.names and header.find_column(GRADE) is None:
        return as_polars(value, name)
    mapped = [normalise_name(column) for names in columns.names.values() for column in names]
    return as_polars(value, name, dict.fromkeys((*KNOWN_COLUMNS, *mapped)))
