"""Attributes of queries or sessions: a label, a group, a text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from os import PathLike, fspath
from typing import Any

import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, NoColumn, WrongType
from gainful.read.column_names import (
    QRELS_ROLES,
    QUERY,
    SESSION,
    TABLES,
    USUAL_NAMES,
    Column,
    ColumnMapping,
    list_columns,
    normalise_name,
)
from gainful.read.engines import find_engine
from gainful.read.formats import find_format, find_table_format, is_table
from gainful.read.frames import as_polars, is_frame
from gainful.read.named_columns import InputTable, as_grades, as_table, read_table, text_column
from gainful.read.source import Source, is_file, open_source
from gainful.read.trec_files import number_lines
from gainful.text import name_way, quote
from gainful.types import is_number

AnyLabels = str | PathLike[str] | Mapping[Any, float] | Any
_ID_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": tuple(dict.fromkeys((*QUERY, *TABLES["texts"]["query"].names))),
    "session": SESSION,
}


@frozen(eq=False)
class Labels:
    """A number for each query or session, or for each run and query; null where nobody said one."""

    name: str  # the column
    frame: pl.DataFrame  # id: text; label: number; run: text, if there is one
    source: str


def read_labels(labels: AnyLabels, column: str | None, unit: str) -> Labels:
    """Labels from a file, a frame, or a dict of numbers by query or session.

    Without the name of a column it is the only one that names neither these nor runs.

    Examples:
        >>> read_labels({"q1": 3, "q2": 5}, "satisfaction", "query").frame.rows()
        [('q1', 3.0), ('q2', 5.0)]
    """
    asked = column
    if isinstance(labels, Mapping):
        for name, value in labels.items():
            if not is_number(value):
                raise WrongType(f"labels[{name!r}]", value, "a number")
        columns = {unit: [*map(str, labels)], "label": [*map(float, labels.values())]}
        labels = pl.DataFrame(columns, schema={unit: pl.String, "label": pl.Float64})
        column = "label"
    table = load_table(labels, "labels", "a file, a frame, or {id: number}")
    header = table.header
    ids = header.require_column(_ID_COLUMNS[unit], unit)
    run = header.find_column(TABLES["labels"]["run"].names)
    others = [name for name in table.frame.columns if name not in (ids, run)]
    if column is None and len(others) == 1:
        (column,) = others
    if column not in table.frame.columns:
        known = list_columns(table.frame.columns)
        problem = "which column is the label?" if column is None else f"no column {quote(column)}"
        raise NoColumn(table.name, f"{problem}; known: {known}", "--column NAME")
    columns = {
        "id": table.frame[ids].cast(pl.String),
        "label": parse_labels(table.frame[column], table.locate),
        **({} if run is None else {"run": table.frame[run].cast(pl.String)}),
    }
    frame = pl.DataFrame(columns)
    repeated = frame.filter(pl.struct(frame.drop("label").columns).is_duplicated())
    if not repeated.is_empty():
        problem = f"{quote(repeated['id'][0])} has more than one label"
        raise BadValue(table.name, problem, "one label for each")
    return Labels(asked or column, frame, table.name)


def parse_labels(values: pl.Series, locate: Callable[[int], str]) -> pl.Series:
    """A column as numbers; true and false are 1 and 0, what is empty is null."""
    name, values = values.name, values.alias("")  # polars takes some names for patterns
    if values.dtype == pl.Boolean or values.dtype.is_numeric():
        numbers = values.cast(pl.Float64)
    else:
        nested = values.dtype.is_nested()  # lists and structs, which polars does not cast
        texts = pl.Series(map(str, values)) if nested else values.cast(pl.String).str.strip_chars()
        texts = texts.set(texts == "", None)
        numbers = as_grades(texts)
        wrong = (numbers.is_null() & texts.is_not_null()).arg_true()
        if len(wrong):
            row = int(wrong[0])
            problem = f"{name} {quote(values[row])} is not a number"
            raise BadInput(locate(row), problem, "a number in each row, or nothing")
    infinite = (~numbers.is_finite()).arg_true()
    if len(infinite):
        row = int(infinite[0])
        problem = f"{name} {values[row]} is not finite"
        raise BadInput(locate(row), problem, "a finite number")
    return numbers.alias("label")


def load_table(value: Any, name: str, allowed: str) -> InputTable:
    """A table of a file or a frame, whatever its columns are."""
    if is_frame(value):
        return as_table(as_polars(value, name), name)
    if not isinstance(value, (str, PathLike)):
        raise WrongType(name, value, allowed)
    source = open_source(value)
    return read_table(source, find_table_format(source))


def read_query_column(
    value: Any, column: str, format_name: str | None = None, names: ColumnMapping = USUAL_NAMES
) -> dict[str, str] | None:
    """What a column says of each query; None where there is no table, or no such column in it.

    Examples:
        >>> frame = pl.DataFrame(
        ...     {"query": ["1", "1", "2"], "doc": ["a", "b", "a"], "user": [7, 7, 8]}
        ... )
        >>> read_query_column(frame, "user"), read_query_column(frame, "system")
        ({'1': '7', '2': '8'}, None)
    """
    if isinstance(value, list):
        from gainful.read import rag  # noqa: PLC0415  (few name a column)

        places = (
            (f"record {at}", rag.as_record(item, column) or {}) for at, item in enumerate(value)
        )
        are_records = bool(value and rag.record_kinds(value[0], names))
        return rag.read_field(places, column, names) if are_records else None
    if isinstance(value, (str, PathLike)):
        if fspath(value) == "-" or not is_file(value):
            return None
        source = open_source(value)
        file_format = find_format(source, format_name, names)
        if file_format.name == "rag":
            from gainful.read import json_records, rag  # noqa: PLC0415  (few name a column)

            return rag.read_field(json_records.read_objects(source), column, names)
        table = read_table(source, file_format.name) if is_table(file_format) else None
    else:
        engine = find_engine(value)
        if engine is None and not is_frame(value):
            return None
        if engine is not None:
            from gainful.read.lazy import collect_frame  # noqa: PLC0415  (slow to load)

            queries = (*names.names.get("query", ()), *QUERY)
            wanted = {*map(normalise_name, (column, *queries))}
            value = collect_frame(value, engine, "the frame", wanted, distinct=True)
        table = as_table(as_polars(value, "the frame"), "the frame")
    if table is None or column not in table.frame.columns:
        return None
    kept = _read_names(table, column)  # a role may rename it
    own = {role: own for role, own in names.names.items() if role == "query"}
    table = table.rename(ColumnMapping(own), QRELS_ROLES)
    query = text_column(table, table.header.require(TABLES["judgments"]["query"]))
    return _check_names(pl.DataFrame({"query": query, "name": kept}), table, column)


def _read_names(table: InputTable, column: str) -> pl.Series:
    names = table.frame[column].alias("\0")
    if names.dtype.is_nested():
        problem = f"column {quote(column)} holds lists or objects"
        raise BadInput(table.name, problem, "one text or number each")
    names = names.fill_nan(None) if names.dtype.is_float() else names
    return names.cast(pl.String).str.strip_chars()


def _check_names(frame: pl.DataFrame, table: InputTable, column: str) -> dict[str, str]:
    frame = frame.drop_nulls().unique(maintain_order=True)
    repeated = frame.filter(pl.col("query").is_duplicated())
    if len(repeated):
        query = repeated["query"][0]
        first, second = repeated.filter(pl.col("query") == query)["name"][:2]
        problem = f"query {quote(query)} has two in column {quote(column)}: {first}, {second}"
        raise BadInput(table.name, problem, "one for each query")
    return dict(frame.iter_rows())


_TABLES = (".csv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather")
_EXPECTED = "lines of query, tab, text; or CSV or JSON lines with query and text"
AnyQueries = str | PathLike[str] | Mapping[Any, Any] | Any


def read_attribute(queries: AnyQueries, column: str, unit: str = "query") -> dict[str, str]:
    """What a column of a table of queries says of each; where it says nothing, one is left out.

    Examples:
        >>> read_attribute({"1": {"text": "where to sleep", "lang": "en"}, "2": {}}, "lang")
        {'1': 'en'}
    """
    table = _open_queries(queries)
    ids = table.header.require_column(_ID_COLUMNS[unit], unit)
    if column not in table.frame.columns:
        problem = f"no column {quote(column)}; known: {list_columns(table.frame.columns)}"
        raise NoColumn(table.name, problem, name_way("--group COLUMN", "group="))
    frame = pl.DataFrame({"query": text_column(table, ids), "name": _read_names(table, column)})
    return _check_names(frame.filter(pl.col("name") != ""), table, column)


def read_texts(queries: AnyQueries, *, optional: bool = False) -> dict[str, str]:
    r"""What each query says, by its id; nothing, if that is allowed and there are no texts.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "topics.tsv")
        ...     _ = file.write_text("1\twhere to sleep\n", encoding="utf-8")
        ...     read_texts(file)
        {'1': 'where to sleep'}
    """
    table = _open_queries(queries)
    if optional and table.header.find_column(TABLES["texts"]["text"].names) is None:
        return {}
    columns = {role: _merge_columns(table, column) for role, column in TABLES["texts"].items()}
    texts: dict[str, str] = {}
    for row, (query, words) in enumerate(zip(*columns.values(), strict=True)):
        if query is None or words is None:
            missing = "query" if query is None else "text"
            raise BadInput(table.locate(row), f"there is no {missing}", _EXPECTED)
        if texts.setdefault(query, words) != words:
            raise BadInput(table.locate(row), f"query {quote(query)} has two texts")
    if not texts:
        raise BadInput(table.name, "it has no queries", _EXPECTED)
    return texts


def _open_queries(queries: AnyQueries, subject: str = "queries") -> InputTable:
    """A row for each query: a file, a frame, or {query: text} or {query: {attribute: value}}.

    The suffix of a file says its format. Lines of query, tab, text need no header.
    """
    if isinstance(queries, Mapping):
        rows = [
            {"query": str(query)} | (dict(row) if isinstance(row, Mapping) else {"text": str(row)})
            for query, row in queries.items()
        ]
        for row in rows:
            for name, value in row.items():
                if isinstance(value, Iterable) and not isinstance(value, str):
                    place = f"queries[{row['query']!r}][{name!r}]"
                    raise WrongType(place, value, "a text or number")
        return as_table(pl.DataFrame(rows, infer_schema_length=None, strict=False), "queries")
    if is_frame(queries) or not isinstance(queries, (str, PathLike)):
        content = "{query: attributes}" if subject == "queries" else "{doc: text}"
        return load_table(queries, subject, f"a file, a frame, or {content}")
    source = open_source(queries)
    if source.suffix in _TABLES:
        table = read_table(source, find_table_format(source))
        # In CSV, a cell without anything is an empty text.
        filled = table.frame.fill_null("") if source.suffix == ".csv" else table.frame
        return evolve(table, frame=filled)
    fields = [normalise_name(field) for field in source.first_line().split("\t")]
    has_header = len(fields) > 1 and fields[0] in _ID_COLUMNS["query"]
    return read_table(source, "tsv") if has_header else _split_at_tabs(source)


def read_document_texts(documents: Any, wanted: Collection[str]) -> dict[str, str]:
    """What documents say, of those that are wanted: a table like that of queries, or a dict.

    Examples:
        >>> read_document_texts({"a": "Rome by train", "b": "Oslo"}, ["a", "z"])
        {'a': 'Rome by train'}
    """
    if isinstance(documents, Mapping):
        return {doc: str(documents[doc]) for doc in wanted if doc in documents}
    table = _open_queries(documents, "documents")
    if table.frame.columns == ["query", "text"]:  # lines without a header
        table = evolve(table, frame=table.frame.rename({"query": "doc"}))
    columns = {role: _merge_columns(table, column) for role, column in TABLES["documents"].items()}
    frame = pl.DataFrame(columns).filter(pl.col("doc").is_in(list(wanted))).drop_nulls()
    return dict(frame.unique("doc", keep="first", maintain_order=True).iter_rows())


def _split_at_tabs(source: Source) -> InputTable:
    lines = number_lines(source, comments=False)
    numbers, parts = lines["line"], lines["text"].str.splitn("\t", 2)
    frame = parts.struct.rename_fields(["query", "text"]).struct.unnest()
    return InputTable(frame, source.name, lambda row: f"{source.name}:{numbers[row]}")


def _merge_columns(table: InputTable, column: Column) -> pl.Series:
    table.header.require(column)
    own = {normalise_name(name): name for name in reversed(table.frame.columns)}
    names = [own[name] for name in column.names if name in own]
    floats = table.frame.select(pl.col(pl.Float32, pl.Float64).cast(pl.String))  # texts such as 3.5
    texts = evolve(table, frame=table.frame.with_columns(floats))
    return pl.select(pl.coalesce([text_column(texts, name) for name in names])).to_series()
