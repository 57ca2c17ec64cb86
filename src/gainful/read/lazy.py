"""Frames of lazy polars, DuckDB or Spark → runs that stay there, or rows in memory.

The columns of a run are found and cast there; nothing is computed until it is matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve

from gainful.errors import BadInput
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
from gainful.read.kinds import RUN
from gainful.read.lazy_run import LazyRun, as_narwhals
from gainful.read.named_columns import Header, InputTable, as_table, extract_rows, invert_renames
from gainful.read.qrels_and_run import Run
from gainful.text import count_noun, quote

_ID_TYPES = (nw.String, nw.Categorical, nw.Enum)


def as_lazy_run(
    native: Any,
    engine: Engine,
    name: str,
    number: Literal["score", "grade"] = "score",
    columns: ColumnMapping = USUAL_NAMES,
) -> LazyRun:
    """A run from a frame of an engine: its columns by name, ids as text, scores as numbers."""
    with report_engine_errors(engine, name):
        frame, own_names = open_columns(native, engine, columns, RUN_ROLES, name)
        schema = dict(frame.collect_schema())
        header = Header(list(schema), name, own_names)
        query, doc = header.require_ids()
        column, kind = (
            header.score_column() if number == "score" else (header.grade_column(), "grade")
        )
        if column is None:
            header.refuse_unknown_grades(key for key, kind in schema.items() if kind.is_numeric())
        _refuse_other_types(schema, (query, doc), column, name)
        value = nw.lit(1.0) if column is None else nw.col(column).cast(nw.Float64)
        value = -value if kind == "rank" else value
        chosen = frame.select(
            nw.col(query).cast(nw.String).alias("query"),
            nw.col(doc).cast(nw.String).alias("doc"),
            (value + 0.0).alias(number),  # -0.0 is 0.0, in every engine
        )
    ids = {
        id_name: "whole numbers" if schema[column].is_integer() else "texts"
        for id_name, column in (("query", query), ("doc", doc))
    }
    return LazyRun(chosen, engine, name, number, ids)


def collect_run(run: LazyRun) -> Run:
    """The whole run in memory, for those who have to look at every document of a query."""
    memory_run = extract_rows(as_table(run.collect(run.frame), run.name), RUN).build()
    note = f"the run was brought into memory, from {run.engine.name}"
    return evolve(memory_run, ids=run.ids, notes=(note,))


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
    with report_engine_errors(engine, name):
        frame, own_names = open_columns(native, engine, columns, QRELS_ROLES, name)
        header = Header(frame.collect_schema().names(), name, own_names)
        wanted = [column for alias in KNOWN_COLUMNS if (column := header.find_column((alias,)))]
        if not is_wide(frame.collect_schema()):
            header.require_ids()
            if header.grade_column() is None:  # the others are named in what is said of that
                wanted = list(header.columns)
        chosen = frame.select(*dict.fromkeys(wanted)).to_native()
        rows = engine.collect(chosen).rename(restore_name)
        return evolve(as_table(rows, name), own_names=own_names)


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


def _refuse_other_types(
    schema: dict[str, Any], ids: tuple[str, str], number: str | None, name: str
) -> None:
    for column in ids:
        kind = schema[column]
        if not (kind.is_integer() or kind in _ID_TYPES):
            raise BadInput(
                name, f"column {quote(column)} holds {kind}", "texts or whole numbers; cast it"
            )
    if number is not None and not schema[number].is_numeric():
        raise BadInput(name, f"column {quote(number)} holds {schema[number]}", "numbers; cast it")


def _is_missing(column: str) -> nw.Expr:
    return nw.col(column).is_null() | (nw.col(column) == "")


def row_defects(number: str) -> dict[str, tuple[nw.Expr, str]]:
    """What a row can lack, and how that is said."""
    return {
        "no_query": (_is_missing("query"), "no query"),
        "no_doc": (_is_missing("doc"), "no doc"),
        "no_number": (
            nw.col(number).is_null() | ~nw.col(number).is_finite(),
            f"no {number} that is a finite number",
        ),
    }


def refuse_bad_rows(run: LazyRun, counts: Mapping[str, int]) -> None:
    """Rows that lack something are counted and shown, not left out."""
    for name, (flags, words) in row_defects(run.number).items():
        if counts[name]:
            row = run.collect(run.frame.filter(flags).head(1)).row(0, named=True)
            values = ", ".join(f"{column} {_quote_value(value)}" for column, value in row.items())
            has = "has" if counts[name] == 1 else "have"
            raise run.bad_input(
                f"{count_noun(counts[name], 'row')} {has} {words}, such as {values}"
            )


def _quote_value(value: object) -> str:
    return "null" if value is None else quote(str(value))


__all__ = [
    "as_lazy_run",
    "collect_frame",
    "collect_qrels",
    "collect_run",
    "read_schema",
    "refuse_bad_rows",
    "row_defects",
]
