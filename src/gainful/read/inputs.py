"""Whatever a user passes as judgments or as a run → a value that can be matched.

Files are read here; what is in memory already, in whatever shape, by `read/shapes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any, Literal

from attrs import evolve

from gainful.errors import NoColumn
from gainful.forks import refuse_lost_threads
from gainful.read.column_names import ColumnMapping, ColumnNames, read_column_names
from gainful.read.formats import find_kinds, find_log_format, read_file
from gainful.read.qrels_and_run import (
    QRELS,
    RUN,
    Kind,
    LazyRun,
    NestedDict,
    Qrels,
    Rows,
    Run,
)
from gainful.read.source import exceeds_memory, is_file, open_source

AnyQrels = str | PathLike[str] | Mapping[Any, Any] | Qrels | Any  # or any frame, or lists
AnyColumns = ColumnNames | ColumnMapping
AnyRun = str | PathLike[str] | Mapping[Any, Any] | Run | Any


def as_qrels(
    value: AnyQrels, format_name: str | None = None, columns: AnyColumns | None = None
) -> Qrels | NestedDict:
    """Judgments from a path, a dict, a frame, a list, or as they are."""
    qrels: Qrels | NestedDict = _read(value, QRELS, QRELS.name, format_name, columns)
    return qrels


def _read(
    value: Any, kind: Kind[Any], name: str, format_name: str | None, columns: AnyColumns | None
) -> Any:
    is_path = isinstance(value, (str, PathLike))
    if is_path or isinstance(value, (Qrels, Run)):
        refuse_lost_threads()
    if isinstance(value, Qrels if kind is QRELS else Run):
        return value
    with _choose_columns(columns, "qrels" if kind is QRELS else "run") as names:
        if is_path:
            return read_file(value, kind, format_name, names)
        from gainful.read.shapes import read_value  # noqa: PLC0415  (files do without)

        read = read_value(value, name, kind, names)
        return read if isinstance(read, LazyRun) else read.build()


def as_rows(
    value: Any, kind: Kind[Any], name: str, columns: AnyColumns | None = None
) -> Rows[Any] | Qrels | Run:
    """What is in memory with all that is wrong with its rows; what was read already as it is."""
    if isinstance(value, (Qrels, Run)):
        return value
    from gainful.read import dicts, shapes  # noqa: PLC0415  (files do without)

    with _choose_columns(columns, "qrels" if kind is QRELS else "run") as names:
        read = shapes.read_value(value, name, kind, names)
    if isinstance(read, LazyRun):
        return read.collect()
    return dicts.to_rows(read, kind) if isinstance(read, NestedDict) else read


@contextmanager
def _choose_columns(
    columns: AnyColumns | None, kind: Literal["qrels", "run"]
) -> Iterator[ColumnMapping]:
    """What columns are called; a mapping that is not shared with other tables must fit."""
    mapping = read_column_names(columns)
    try:
        yield mapping.choose_kind(kind)
    except NoColumn:
        mapping.refuse_misfits()  # a name that was misspelt is the reason
        raise
    if mapping is not columns:
        mapping.refuse_unread()


def as_run(
    value: AnyRun,
    format_name: str | None = None,
    name: str = "run",
    columns: AnyColumns | None = None,
) -> Run | NestedDict | LazyRun:
    """A run from a path, a dict, a frame, a list, or as it is; lazy frames stay where they are."""
    run: Run | NestedDict | LazyRun = _read(value, RUN, name, format_name, columns)
    return run


def open_large_run(
    value: AnyRun, format_name: str | None = None, columns: AnyColumns | None = None
) -> LazyRun | None:
    """A run in a file that memory might not hold; None of all others."""
    if not isinstance(value, (str, PathLike)) or not exceeds_memory(value):
        return None
    from gainful.read import lazy  # noqa: PLC0415  (few files are so large)

    with _choose_columns(columns, "run") as names:
        return lazy.open_large_run(value, format_name, names)


def find_run_beside(value: AnyQrels, columns: AnyColumns | None = None) -> AnyRun | None:
    """What was given, as a run too, if it tells both what was retrieved and what is relevant."""
    names = read_column_names(columns).merge_kinds()
    if isinstance(value, (str, PathLike)):
        if not is_file(value):
            return None
        source = open_source(value)
        if len(find_kinds(source, names)) == 2:
            return value
        from gainful.read import json_records, rag  # noqa: PLC0415  (only where no run is named)

        records = json_records.first_records(source)
        for record in [] if find_log_format(records) else records[:1]:
            rag.refuse_unknown_lists(source.name, record, names)
        return None
    from gainful.read import rag, shapes  # noqa: PLC0415  (files do without)

    if shapes.tells_both(value, names):
        return value
    first = shapes.find_first_record(value, names)
    if first is not None:
        rag.refuse_unknown_lists(QRELS.name, first, names)
    return None


def as_qrels_columns(qrels: Qrels | NestedDict) -> Qrels:
    """Judgments as columns."""
    refuse_lost_threads()
    if isinstance(qrels, Qrels):
        return qrels
    from gainful.read.dicts import to_rows  # noqa: PLC0415  (files do without)

    return to_rows(qrels, QRELS).build()


def as_run_columns(run: Run | NestedDict | LazyRun) -> Run:
    """A run as columns, brought into memory if it is in an engine."""
    if isinstance(run, Run):
        return run
    if isinstance(run, LazyRun):
        return run.collect()
    from gainful.read.dicts import to_rows  # noqa: PLC0415  (files do without)

    return to_rows(run, RUN).build()


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
