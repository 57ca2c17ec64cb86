"""A row for each query with a list of ids, and perhaps one of numbers → a row for each document.

What is not as plain, and what is wrong, is left to `rag.read_records`, which reads row by row.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from gainful.read.column_names import (
    LIST_COLUMNS,
    TURN,
    holds_lists,
    normalise_name,
)
from gainful.read.dicts import RISING_SCORES
from gainful.read.qrels_and_run import QRELS, RUN, Kind, Rows, Value


def explode_lists(frame: pl.DataFrame, name: str, kind: Kind[Value]) -> Rows[Value] | None:
    """The rows of plain lists; None of all others."""
    columns = {normalise_name(column): frame[column] for column in frame.columns}

    def find(aliases: Iterable[str]) -> pl.Series | None:
        return next((columns[alias] for alias in aliases if alias in columns), None)

    has_turns = find(TURN) is not None
    query, docs = find(LIST_COLUMNS["query"].names), find((*kind.lists, *LIST_COLUMNS["doc"].names))
    columns = {alias: own for alias, own in columns.items() if holds_lists(own.dtype)}
    numbers, ranks = find(LIST_COLUMNS[kind.number].names), find(LIST_COLUMNS["rank"].names)
    if query is None or docs is None or has_turns or (kind is RUN and ranks is not None):
        return None
    is_named = _holds_ids(query.dtype) and not query.null_count() and query.is_unique().all()
    if not is_named or not _is_list_of_ids(docs):
        return None
    lengths = docs.list.len()
    listed = {"doc": docs, "place": pl.select(pl.int_ranges(1, lengths + 1)).to_series()}
    if numbers is not None:
        inner = getattr(numbers.dtype, "inner", None)
        is_numeric = inner is not None and inner.is_numeric() and not inner.is_decimal()
        if not is_numeric or not (numbers.list.len() == lengths).fill_null(value=False).all():
            return None
        listed[kind.number] = numbers.cast(pl.List(pl.Float64))
    names = query.cast(pl.String)
    rows = pl.DataFrame({"query": names, **listed}).filter(lengths > 0).explode(*listed)
    if numbers is None:
        number = -pl.col("place").cast(pl.Float64) if kind is RUN else pl.lit(1.0)
        rows = rows.with_columns(number.alias(kind.number))
    rows = rows.with_columns(pl.col("doc").cast(pl.String))
    is_odd = pl.col("doc").is_null() | ~pl.col(kind.number).is_finite().fill_null(value=False)
    if rows.select(is_odd.any()).item():
        return None
    if kind is QRELS and rows.select(pl.struct("query", "doc").is_duplicated().any()).item():
        return None
    places = rows["place"]
    return Rows(
        kind,
        name,
        rows.select("query", "doc", kind.number),
        lambda row: f"{name}, row {row}" if kind is QRELS else f"place {places[row]}",
        notes=() if numbers is None or kind is QRELS else _note_rising(rows),
        fields={"silent": tuple(names.filter(lengths == 0))}
        | ({"complete": True} if kind is QRELS else {}),
    )


def _holds_ids(dtype: pl.DataType) -> bool:
    return dtype == pl.String or dtype.is_integer()


def _is_list_of_ids(docs: pl.Series) -> bool:
    is_list = isinstance(docs.dtype, pl.List) and not docs.null_count()
    return is_list and _holds_ids(docs.dtype.inner)  # type: ignore[attr-defined]


def _note_rising(rows: pl.DataFrame) -> tuple[str, ...]:
    step = pl.col("score").diff().filter(pl.col("place") > 1)
    falls, rises = rows.select((step < 0).any().alias("falls"), (step > 0).any()).row(0)
    return (RISING_SCORES,) if rises and not falls else ()
