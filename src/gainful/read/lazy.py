"""Runs that stay where they are: frames of lazy polars, DuckDB or Spark, and large files.

The columns of a run are found in its engine; nothing is read until it is matched. Of a file that
memory would not hold, some lines at a time are read, as in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from os import PathLike
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve, field, frozen

from gainful.errors import BadInput
from gainful.read.binary_tables import scan_parquet
from gainful.read.column_names import (
    DOC,
    KNOWN_COLUMNS,
    QRELS_ROLES,
    QUERY,
    RANK,
    RUN_ROLES,
    SCORE,
    USUAL_NAMES,
    ColumnMapping,
    is_wide,
    list_columns,
    normalise_name,
    protect_name,
    restore_name,
)
from gainful.read.delimited import ends_within_quotes, guess_separator, read_head
from gainful.read.engines import POLARS, Engine, as_narwhals, report_engine_errors
from gainful.read.formats import find_format, read_rows
from gainful.read.named_columns import (
    Header,
    InputTable,
    as_table,
    build_part,
    extract,
    read_table,
)
from gainful.read.qrels_and_run import RUN, LazyRun, Rows, Run
from gainful.read.source import Source, make_memory_source, open_source
from gainful.read.trec_files import RUN_LINES, describe_trailing, find_run_format, note_comments
from gainful.text import quote


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
    reader = partial(build_part, kind=RUN, name=name, own_names=own)
    return LazyRun(chosen, engine, reader, name, ids)


def read_schema(native: Any, engine: Engine, name: str) -> Mapping[str, Any]:
    """The columns of a frame and what they hold."""
    with report_engine_errors(engine, name):
        return as_narwhals(native).collect_schema()


def collect_frame(
    native: Any,
    engine: Engine,
    name: str,
    names: Collection[str] | None = None,
    *,
    distinct: bool = False,
) -> pl.DataFrame:
    """A frame in memory, perhaps each row of it once.

    Where some names are known, other columns are there in name only.
    """
    with report_engine_errors(engine, name):
        frame, _ = open_columns(native, engine, USUAL_NAMES, QRELS_ROLES, name)
        own = {column: restore_name(column) for column in frame.collect_schema().names()}
        needed = [each for each in own if names is None or normalise_name(own[each]) in names]
        chosen = frame.select(*(needed or own))
        rows = engine.collect((chosen.unique() if distinct else chosen).to_native())
    others = {each: pl.lit(None) for each in own if each not in rows.columns}
    return rows.with_columns(**others).select(*own).rename(own)


def select_qrels(native: Any, engine: Engine, name: str) -> tuple[nw.LazyFrame[Any], str]:
    """The columns that judgments need, where they are, and which of them has the queries."""
    with report_engine_errors(engine, name):
        frame, _ = open_columns(native, engine, USUAL_NAMES, QRELS_ROLES, name)
        header = Header(frame.collect_schema().names(), name)
        query, _ = header.require_ids()
        if header.grade_column() is None:  # the others are named in what is said of that
            return frame, query
        wanted = [column for alias in KNOWN_COLUMNS if (column := header.find_column((alias,)))]
        return frame.select(*dict.fromkeys(wanted)), query


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
    return frame, columns.find_renames(names, roles, name)


_QUERIES_PER_BATCH = 10_000


@frozen(eq=False, kw_only=True)
class FileRun(LazyRun):
    """A run that stays in its file."""

    name: str
    source: Source
    columns: ColumnMapping
    notes: list[str] = field(factory=list)
    frame: Any = field(init=False, default=None)
    reader: Any = field(init=False, default=None)
    engine: Engine = field(init=False, default=POLARS)  # its rows have an order, too

    def head(self, limit: int) -> Run:
        """The first rows."""
        first = next(self.stream())
        return evolve(first, frame=first.frame.head(limit))


@frozen(eq=False, kw_only=True)
class ListRun(FileRun):
    """A run with a row for each query, which has lists of documents."""

    table: pl.LazyFrame

    def stream(self) -> Iterator[Run]:
        """Some queries at a time; none may come again."""
        row, seen = 1, set[str]()
        with report_engine_errors(self.engine, self.name):
            for rows in self.engine.stream(self.table):
                for some in rows.iter_slices(_QUERIES_PER_BATCH):
                    run = self._read(some, row)
                    _refuse_repeats(run, seen)
                    yield run
                    row += len(some)

    def _read(self, rows: pl.DataFrame, first_row: int) -> Run:
        def locate(row: int) -> str:
            return f"{self.name}, row {first_row + row}"

        read = extract(InputTable(rows, self.name, locate, padded=False), RUN, self.columns)
        return evolve(read, fields={**read.fields, "part": True}).build()


def _refuse_repeats(run: Run, seen: set[str]) -> None:
    """Refuse queries that came before with another list, and add these to them."""
    queries = {*run.frame["query"].unique(), *run.empty_queries}
    for query in sorted(queries & seen)[:1]:
        raise BadInput(run.name, f"query {quote(query)} comes twice", "each query once")
    seen |= queries


_PIECE_BYTES = 50_000_000
_MOST_QUOTED = 4  # pieces that are held until a quote is closed


@frozen(eq=False, kw_only=True)
class LineRun(FileRun):
    """A run in a file of lines."""

    format_name: str
    header: bytes  # the lines above the rows of a table

    def stream(self) -> Iterator[Run]:
        """Some lines at a time; when all have come, notes say what was passed over."""
        lines, trailing, commented = 0, 0, False
        names: list[str] | None = None
        seen = set[str]()
        for piece in self._iterate_pieces():
            if piece.strip():
                header = self.header if lines else b""
                try:
                    rows, run, table = self._read(header + piece)
                except BadInput:  # once more, to name its line
                    blank_lines = b"\n" * (lines - header.count(b"\n"))
                    rows, run, table = self._read(header + blank_lines + piece)
                if self.format_name == "trec":
                    trailing += int(rows.frame["more"].sum())
                    commented = commented or bool(rows.notes)
                if table is not None:
                    names = self._refuse_other_names(table, names, lines + 1)
                    if names == ["lists"]:
                        _refuse_repeats(run, seen)
                yield run
            lines += piece.count(b"\n")
        self.source.report_end()
        comments = note_comments(self.source) if commented else []
        self.notes[1:] = [*describe_trailing(trailing), *comments]

    def _iterate_pieces(self) -> Iterator[bytes]:
        """Whole rows: in CSV, a line may end within quotes."""
        rows, separator = b"", guess_separator(self.header.rstrip().rpartition(b"\n")[2])
        for piece in self.source.iterate_pieces(_PIECE_BYTES):
            rows += piece
            if self.format_name != "csv" or not ends_within_quotes(rows, separator):
                yield rows
                rows = b""
            elif len(rows) > _MOST_QUOTED * _PIECE_BYTES:
                problem = f"a quote is not closed within {len(rows) >> 20} MiB of lines"
                raise BadInput(self.name, problem, "two quotes around a field, or none")
        yield rows

    def _read(self, text: bytes) -> tuple[Rows[Run], Run, InputTable | None]:
        """The rows of a piece; of JSON lines, whose names may change, with the table."""
        source = make_memory_source(self.name, self.source.suffix, text)
        table: InputTable | None = None
        rows: Rows[Run] | None = None
        if self.format_name == "jsonl":
            with suppress(BadInput):  # what `read_rows` says of it, it says better
                table = read_table(source, self.format_name)
                rows = extract(table, RUN, self.columns)
        if rows is None:
            rows = read_rows(source, RUN, self.format_name, self.columns)
        rows = evolve(rows, fields={**rows.fields, "part": True})
        return rows, rows.build(), table

    def _refuse_other_names(
        self, table: InputTable, before: list[str] | None, line: int
    ) -> list[str]:
        """The columns that count, with lists or else by name; those of the rows before."""
        names = ["lists"]
        if not any(dtype.is_nested() for dtype in table.frame.dtypes):
            header = table.rename(self.columns, RUN_ROLES).header
            names = [header.find_column(each) or "" for each in (QUERY, DOC, (*SCORE, *RANK))]
        if names != (before or names):
            known = list_columns(before or [])
            problem = f"this has {list_columns(names)}, the lines above {known}"
            raise BadInput(f"{self.name}:{line}", problem, "the same columns in all lines")
        return names


def open_large_run(
    path: str | PathLike[str], format_name: str | None, columns: ColumnMapping
) -> LazyRun | None:
    """A run in a file whose rows can be read some at a time; None of any other file."""
    source = open_source(path)
    name = find_format(source, format_name, columns).name
    note = f"{source.size / 1e6:,.1f} MB may need more memory than there is: read in parts"
    notes = [f"{source.name}: {note}"]
    of_file: dict[str, Any] = {
        "name": source.name,
        "source": source,
        "columns": columns,
        "notes": notes,
    }
    if name == "parquet" and source.path is not None:
        frame = scan_parquet(source.path)
        renamed = as_table(frame.head(0).collect(), source.name).rename(columns, RUN_ROLES)
        if is_wide(renamed.frame.schema):
            return ListRun(**of_file, table=frame)
        run = as_lazy_run(frame, POLARS, source.name, columns)
        return evolve(run, notes=notes, first_row=1)
    header: bytes | None = b""
    if name in ("csv", "tsv"):
        header = read_head(source, name, columns)
    is_short = name == "trec" and find_run_format(source) is not RUN_LINES
    has_lines = name in ("trec", "csv", "tsv", "jsonl") and not is_short
    if source.data is not None or header is None or not has_lines:
        return None
    return LineRun(**of_file, format_name=name, header=header)
