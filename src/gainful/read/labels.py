"""What users said: a number for each query or session, from a column of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Literal

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, BadValue, NoColumn, WrongType
from gainful.read.column_names import QUERY, SESSION, list_columns
from gainful.read.formats import find_format, is_table
from gainful.read.frames import as_polars, is_frame
from gainful.read.named_columns import TRUTHS, InputTable, as_table, read_table
from gainful.read.source import Source, open_source
from gainful.text import quote
from gainful.types import is_number

Unit = Literal["query", "session"]
AnyLabels = str | PathLike[str] | Mapping[Any, float] | Any
_ID_COLUMNS: Mapping[Unit, tuple[str, ...]] = {
    "query": QUERY,
    "session": SESSION,
}
_RUN_COLUMNS = ("run", "system", "run_id")
_TABLE_FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@frozen(eq=False)
class Labels:
    """A number for each query or session, or for each run and query; null where nobody said one."""

    name: str  # the column
    frame: pl.DataFrame  # id: text; label: number; run: text, if there is one
    source: str


def read_labels(labels: AnyLabels, column: str | None, unit: Unit) -> Labels:
    """Labels from a file, a frame, or a dict of numbers by query or session.

    Without the name of a column it is the only one that names neither these nor runs.

    Examples:
        >>> read_labels({"q1": 3, "q2": 5}, "satisfaction", "query").frame.rows()
        [('q1', 3.0), ('q2', 5.0)]
    """
    if isinstance(labels, Mapping):
        for name, value in labels.items():
            if not is_number(value):
                raise WrongType(f"labels[{name!r}]", value, "a number")
        frame = pl.DataFrame(
            {"id": [str(name) for name in labels], "label": [float(v) for v in labels.values()]},
            schema={"id": pl.String, "label": pl.Float64},
        )
        return Labels(column or "label", _refuse_repeats(frame, "labels"), "labels")
    table = _load_table(labels)
    header = table.header
    ids = header.require_column(_ID_COLUMNS[unit], unit)
    run = header.find_column(_RUN_COLUMNS)
    others = [name for name in table.frame.columns if name not in (ids, run)]
    if column is None and len(others) == 1:
        (column,) = others
    if column not in table.frame.columns:
        known = list_columns(table.frame.columns)
        problem = "which column is the label?" if column is None else f"no column {quote(column)}"
        raise NoColumn(table.name, f"{problem}; there are {known}", "--column NAME")
    columns = {
        "id": table.frame[ids].cast(pl.String),
        "label": parse_labels(table.frame[column], table.locate),
        **({} if run is None else {"run": table.frame[run].cast(pl.String)}),
    }
    return Labels(column, _refuse_repeats(pl.DataFrame(columns), table.name), table.name)


def parse_labels(values: pl.Series, locate: Callable[[int], str]) -> pl.Series:
    """A column as numbers; true and false are 1 and 0, what is empty is null."""
    name, values = values.name, values.alias("")  # polars takes some names for patterns
    if values.dtype == pl.Boolean or values.dtype.is_numeric():
        numbers = values.cast(pl.Float64)
    else:
        texts = values.cast(pl.String).str.strip_chars()
        texts = texts.set(texts == "", None)
        truths = texts.str.to_lowercase().replace_strict(TRUTHS, default=None)
        numbers = texts.cast(pl.Float64, strict=False).fill_null(truths.cast(pl.Float64))
        wrong = (numbers.is_null() & texts.is_not_null()).arg_true()
        if len(wrong):
            row = int(wrong[0])
            problem = f"{name} {quote(values[row])} is not a number"
            raise BadInput(locate(row), problem, "a number in each row, or nothing")
    infinite = (~numbers.is_finite()).arg_true()
    if len(infinite):
        row = int(infinite[0])
        problem = f"{values.name} {values[row]} is not finite"
        raise BadInput(locate(row), problem, "a finite number")
    return numbers.alias("label")


def _load_table(labels: AnyLabels) -> InputTable:
    if is_frame(labels):
        return as_table(as_polars(labels, "labels"), "labels")
    if not isinstance(labels, (str, PathLike)):
        raise WrongType("labels", labels, "a file, a frame, or {id: number}")
    source = open_source(labels)
    return read_table(source, _find_table_format(source))


def _find_table_format(source: Source) -> str:
    """The format of a table, by its suffix or by what it looks like."""
    file_format = find_format(source, _TABLE_FORMATS.get(source.suffix))
    if not is_table(file_format):
        allowed = "a table with named columns: CSV, TSV, JSON lines, Parquet"
        raise BadInput(source.name, "this is no table with named columns", allowed)
    return file_format.name


def _refuse_repeats(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    keys = [column for column in ("run", "id") if column in frame.columns]
    repeated = frame.filter(pl.struct(keys).is_duplicated())
    if not repeated.is_empty():
        problem = f"{quote(repeated['id'][0])} has more than one label"
        raise BadValue(name, problem, "one label for each")
    return frame
