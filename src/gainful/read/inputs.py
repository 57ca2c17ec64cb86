"""Whatever a user passes as judgments or as a run → a value that can be matched."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl
from attrs import evolve

from gainful.errors import WrongType
from gainful.forks import refuse_lost_threads
from gainful.read import dicts, rag, shapes, tables
from gainful.read.column_names import (
    GRADE,
    KNOWN_COLUMNS,
    USUAL_NAMES,
    ColumnMapping,
    ColumnNames,
    is_wide,
    normalise_name,
    read_column_names,
)
from gainful.read.engines import Engine, find_engine
from gainful.read.formats import read_qrels, read_run
from gainful.read.frames import as_polars, is_frame
from gainful.read.lazy_run import LazyRun
from gainful.read.named_columns import Header, as_table
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.source import open_source

AnyQrels = str | PathLike[str] | Mapping[Any, Any] | Qrels | Any  # or any frame, or lists
AnyRun = str | PathLike[str] | Mapping[Any, Any] | Run | Any
_ALLOWED = (
    "a path, a dict by query, a frame (polars, pandas, Arrow, DuckDB, Spark), or a list: of "
    "records, of rows (query, document, {}), or of rankings in query order"
)


def as_qrels(
    value: AnyQrels, format_name: str | None = None, columns: ColumnNames | None = None
) -> Qrels | NestedDict:
    """Judgments from a path, a dict, a frame, a list, or as they are."""
    names = read_column_names(columns)
    if not isinstance(value, Mapping) and not shapes.is_sequence(value):
        refuse_lost_threads()
    if isinstance(value, (str, PathLike)):
        return read_qrels(value, format_name, names)
    if isinstance(value, Mapping):
        return shapes.read_qrels_mapping(value, "judgments", names)
    if isinstance(value, Qrels):
        return value
    engine = find_engine(value)
    if engine is not None:
        from gainful.read.lazy import collect_qrels  # noqa: PLC0415  (slow to load)

        return tables.extract_qrels(collect_qrels(value, engine, "judgments", names), USUAL_NAMES)
    if is_frame(value):
        frame = _read_frame(value, "judgments", names, grades=True)
        return tables.extract_qrels(as_table(frame, "judgments"), names)
    if shapes.is_sequence(value):
        return shapes.read_qrels_sequence(value, "judgments", names)
    raise WrongType("judgments", value, _ALLOWED.format("grade"))


def as_run(
    value: AnyRun,
    format_name: str | None = None,
    name: str = "run",
    columns: ColumnNames | None = None,
) -> Run | NestedDict | LazyRun:
    """A run from a path, a dict, a frame, a list, or as it is; lazy frames stay where they are."""
    names = read_column_names(columns)
    if not isinstance(value, Mapping) and not shapes.is_sequence(value):
        refuse_lost_threads()
    if isinstance(value, (str, PathLike)):
        return read_run(value, format_name, names)
    if isinstance(value, Mapping):
        return shapes.read_run_mapping(value, name, names)
    if isinstance(value, Run):
        return value
    engine = find_engine(value)
    if engine is not None:
        return _as_engine_run(value, engine, name, names)
    if is_frame(value):
        return tables.extract_run(as_table(_read_frame(value, name, names), name), names)
    if shapes.is_sequence(value):
        return shapes.read_run_sequence(value, name, names)
    raise WrongType(name, value, _ALLOWED.format("score"))


def as_run_in_memory(
    value: AnyRun,
    format_name: str | None = None,
    name: str = "run",
    columns: ColumnNames | None = None,
) -> Run | NestedDict:
    """A run as `as_run` reads it, brought here if it is in an engine."""
    run = as_run(value, format_name, name, columns)
    if not isinstance(run, LazyRun):
        return run
    from gainful.read.lazy import collect_run  # noqa: PLC0415  (slow to load)

    return collect_run(run)


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


def find_run_beside(value: AnyQrels, columns: ColumnNames | None = None) -> AnyRun | None:
    """What was given, as a run too, if it tells both what was retrieved and what is relevant."""
    names = read_column_names(columns)
    if isinstance(value, (str, PathLike)):
        return value if Path(value).is_file() and _file_tells_both(value, names) else None
    if is_frame(value):
        return value if tables.tells_both(_read_frame(value, "judgments", names), names) else None
    return value if shapes.tells_both(value, names) else None


def _file_tells_both(path: str | PathLike[str], columns: ColumnMapping) -> bool:
    return len(rag.find_kinds(open_source(path), columns)) == 2


def as_qrels_columns(qrels: Qrels | NestedDict) -> Qrels:
    """Judgments as columns."""
    refuse_lost_threads()
    if isinstance(qrels, Qrels):
        return qrels
    return dicts.to_qrels(qrels)


def as_run_columns(run: Run | NestedDict) -> Run:
    """A run as columns."""
    return run if isinstance(run, Run) else dicts.to_run(run)


def as_text_ids(run: NestedDict) -> NestedDict:
    """A run whose ids are texts, if the first of any query are whole numbers."""
    firsts = (next(iter(inner), "") for inner in run.mapping.values())
    if all(isinstance(key, str) for key in (*run.mapping, *firsts)):
        return run
    mapping = {str(q): {str(d): s for d, s in inner.items()} for q, inner in run.mapping.items()}
    return evolve(run, mapping=mapping)


def as_qrels_dict(qrels: Qrels | NestedDict) -> NestedDict:
    """Judgments as a dict of dicts."""
    if isinstance(qrels, NestedDict):
        return qrels
    return NestedDict(qrels.to_dict(), qrels.name, qrels.notes, qrels.list_count)
