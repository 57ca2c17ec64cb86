"""Whatever a user passes as judgments or as a run → a value that can be matched."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from gainful.errors import WrongType
from gainful.read import dicts, named_columns, rag
from gainful.read.engines import find_engine
from gainful.read.formats import read_qrels, read_run
from gainful.read.frames import as_polars, is_frame
from gainful.read.lazy import LazyRun, as_lazy_run, collect_columns
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.source import open_source

AnyQrels = str | PathLike[str] | Mapping[Any, Any] | Qrels | Any  # or any frame
AnyRun = str | PathLike[str] | Mapping[Any, Any] | Run | Any
_ALLOWED = "a path, a dict of dicts, or a frame (polars, pandas, Arrow, DuckDB, Spark)"


def as_qrels(value: AnyQrels, format_name: str | None = None) -> Qrels | NestedDict:
    """Judgments from a path, a dict, a frame, or as they are."""
    if isinstance(value, (str, PathLike)):
        return read_qrels(value, format_name)
    if isinstance(value, Mapping):
        return dicts.read_qrels_dict(value, "judgments")
    engine = find_engine(value)
    if engine is not None:
        names = tuple(named_columns.KNOWN_COLUMNS)
        value = collect_columns(value, engine, "judgments", names)
    if is_frame(value):
        frame = as_polars(value, "judgments", named_columns.KNOWN_COLUMNS)
        return named_columns.extract_qrels(named_columns.as_table(frame, "judgments"))
    if not isinstance(value, Qrels):
        raise WrongType("judgments", value, _ALLOWED)
    return value


def as_run(
    value: AnyRun, format_name: str | None = None, name: str = "run"
) -> Run | NestedDict | LazyRun:
    """A run from a path, a dict, a frame, or as it is; frames of other engines stay there."""
    if isinstance(value, (str, PathLike)):
        return read_run(value, format_name)
    if isinstance(value, Mapping):
        return dicts.read_run_dict(value, name)
    engine = find_engine(value)
    if engine is not None:
        return as_lazy_run(value, engine, name)
    if is_frame(value):
        return named_columns.extract_run(
            named_columns.as_table(as_polars(value, name, named_columns.KNOWN_COLUMNS), name)
        )
    if not isinstance(value, Run):
        raise WrongType(name, value, _ALLOWED)
    return value


def rag_path(value: object) -> str | PathLike[str] | None:
    """The path, if it is that of a file with both what was retrieved and what is relevant."""
    if not isinstance(value, (str, PathLike)) or not Path(value).is_file():
        return None
    return value if len(rag.find_kinds(open_source(value))) == 2 else None


def as_qrels_columns(qrels: Qrels | NestedDict) -> Qrels:
    """Judgments as columns."""
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
    return NestedDict(mapping, run.name)


def as_qrels_dict(qrels: Qrels | NestedDict) -> NestedDict:
    """Judgments as a dict of dicts."""
    if isinstance(qrels, NestedDict):
        return qrels
    return NestedDict(qrels.to_dict(), qrels.name)
