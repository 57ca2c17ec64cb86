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
    ColumnMapping,
    is_wide,
    normalise_name,
)
from gainful.read.engines import find_engine
from gainful.read.frames import as_polars, is_frame, unwrap
from gainful.read.kinds import QRELS, RUN, Kind, Value
from gainful.read.lazy_run import LazyRun
from gainful.read.named_columns import Header, as_table
from gainful.read.qrels_and_run import NestedDict

_ALLOWED = (
    "a path, a dict by query, a frame (polars, pandas, Arrow, DuckDB, Spark), or a list: of "
    "records, of rows (query, document, {}), or of rankings in query order"
)


def convert(value: Any, name: str, kind: Kind[Value], columns: ColumnMapping) -> Value | NestedDict:
    """Judgments or a run from a dict, a list, a frame or an engine."""
    value = unwrap(value, kind.number)
    if isinstance(value, Mapping):
        return shapes.read_mapping(value, name, kind, columns)
    if shapes.is_sequence(value):
        return shapes.read_sequence(value, name, kind, columns)
    refuse_lost_threads()
    engine = find_engine(value)
    if engine is not None:
        from gainful.read import lazy  # noqa: PLC0415  (slow to load)

        if kind is QRELS:
            return tables.extract(lazy.collect_qrels(value, engine, name, columns), kind)
        value = lazy.collect_frame(value, engine, name)
    if is_frame(value):
        frame = _read_frame(value, name, columns, grades=kind is QRELS)
        return tables.extract(as_table(frame, name), kind, columns)
    raise WrongType(name, value, _ALLOWED.format(kind.number))


def find_lazy_run(value: Any, name: str, columns: ColumnMapping) -> LazyRun | None:
    """A run that stays in its engine; None if there is none, or lists for cells."""
    value = unwrap(value, RUN.number)
    if isinstance(value, Mapping) or shapes.is_sequence(value):
        return None
    refuse_lost_threads()
    engine = find_engine(value)
    if engine is None:
        return None
    from gainful.read import lazy  # noqa: PLC0415  (slow to load)

    if is_wide(lazy.read_schema(value, engine, name)):
        return None
    return lazy.as_lazy_run(value, engine, name, columns=columns)


def tells_both(value: Any, columns: ColumnMapping) -> bool:
    """Does it tell both what was retrieved and what is relevant?"""
    value = unwrap(value, "score")
    if is_frame(value):
        return tables.tells_both(_read_frame(value, "judgments", columns), columns)
    return shapes.tells_both(value, columns)


def _read_frame(
    value: Any, name: str, columns: ColumnMapping, *, grades: bool = False
) -> pl.DataFrame:
    """A frame in memory, as far as it is needed: all of it where grades may have any name."""
    header = Header([*map(str, getattr(value, "columns", ()))], name)
    if grades and "grade" not in columns.names and header.find_column(GRADE) is None:
        return as_polars(value, name)
    mapped = [normalise_name(column) for names in columns.names.values() for column in names]
    return as_polars(value, name, dict.fromkeys((*KNOWN_COLUMNS, *mapped)))
