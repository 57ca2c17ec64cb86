"""Tables, JSON and what is in memory → judgments or a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, WrongType
from gainful.forks import refuse_lost_threads
from gainful.read import dicts, named_columns, rag, shapes
from gainful.read.column_names import (
    DOC,
    GRADE,
    KNOWN_COLUMNS,
    RELEVANT,
    RETRIEVED,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
    list_columns,
    normalise_name,
)
from gainful.read.engines import find_engine
from gainful.read.frames import as_polars, is_frame, unwrap
from gainful.read.json_records import load_whole
from gainful.read.kinds import QRELS, RUN, Kind, Rows, Value
from gainful.read.lazy_run import LazyRun
from gainful.read.named_columns import Header, InputTable, as_table
from gainful.read.qrels_and_run import NestedDict
from gainful.read.source import Source
from gainful.text import NUMBER_PATTERN, quote


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
    roles, paths = kind.roles, ColumnMapping(fit=columns.fit)
    if _names_path(columns, table.frame):
        roles = {role: name for role, name in roles.items() if role != "doc"}
        paths = evolve(paths, names={"doc": columns.names["doc"]})
    table = table.rename(columns, roles)
    if is_wide(table.frame.schema):
        return rag.read_records(table.name, _iterate_records(table), kind, paths)
    if table.header.find_column(DOC) is None:
        lists = [name for name, dtype in table.frame.schema.items() if dtype.base_type() == pl.List]
        rag.refuse_unknown_lists(table.name, lists, columns, kind)
    return named_columns.extract_rows(table, kind)


def _names_path(columns: ColumnMapping, frame: pl.DataFrame) -> bool:
    paths = columns.names.get("doc", ())
    nested = any(dtype.is_nested() for dtype in frame.dtypes)
    return nested and any("." in path for path in paths) and {*paths}.isdisjoint(frame.columns)


def read_json(source: Source, kind: Kind[Value], columns: ColumnMapping = USUAL_NAMES) -> Value:
    """Judgments or a run from a file with one object {query: {document: number}}, or one list."""
    value, name = load_whole(source), source.name
    if isinstance(value, list):
        return _as_columns(shapes.read_sequence(value, name, kind, columns), kind)
    if not isinstance(value, dict):
        raise BadInput(name, f"{quote(value)} is not an object", "{query: {document: number}}")
    try:
        return _as_columns(shapes.read_mapping(value, name, kind, columns), kind)
    except BadInput as failure:
        _refuse_unknown(value, name, kind, failure)
        raise


def _as_columns(read: NestedDict | Value, kind: Kind[Value]) -> Value:
    return dicts.to_columns(read, kind) if isinstance(read, NestedDict) else read


def _refuse_unknown(
    value: Mapping[str, Any], name: str, kind: Kind[Any], failure: BadInput
) -> None:
    """JSON in which few values can be the documents of a query is probably something else."""
    by_query = [inner for inner in value.values() if _may_be_documents(inner)]
    if failure.where.startswith(f"{name}[") and 2 * len(by_query) <= len(value):
        keys = list_columns([*value])
        problem = (
            f"{failure.problem}: this is JSON, but no known form of {kind.name}; it has {keys}"
        )
        expected = f"{kind.shapes}; logs and traces are for gainful sessions"
        raise BadInput(failure.where, problem, expected)


def _may_be_documents(value: Any) -> bool:
    numbers = value.values() if isinstance(value, dict) else ()
    return isinstance(value, list) or any(
        re.fullmatch(NUMBER_PATTERN, str(number)) for number in numbers
    )


def _frame_tells_both(frame: pl.DataFrame, columns: ColumnMapping) -> bool:
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
            return extract(lazy.collect_qrels(value, engine, name, columns), kind)
        value = lazy.collect_frame(value, engine, name)
    if is_frame(value):
        frame = _read_frame(value, name, columns, grades=kind is QRELS)
        return extract(as_table(frame, name), kind, columns)
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
        return _frame_tells_both(_read_frame(value, "judgments", columns), columns)
    return shapes.tells_both(value, columns)


def _read_frame(
    value: Any, name: str, columns: ColumnMapping, *, grades: bool = False
) -> pl.DataFrame:
    header = Header([*map(str, getattr(value, "columns", ()))], name)
    if grades and "grade" not in columns.names and header.find_column(GRADE) is None:
        return as_polars(value, name)
    mapped = [normalise_name(column) for names in columns.names.values() for column in names]
    return as_polars(value, name, dict.fromkeys((*KNOWN_COLUMNS, *mapped)))
