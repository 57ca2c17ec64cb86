"""Whatever a user passes as judgments or as a run → a value that can be matched."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from gainful.errors import WrongType
from gainful.read import dicts, named_columns, rag
from gainful.read.engines import engine_of
from gainful.read.formats import read_judgments, read_run
from gainful.read.frames import as_polars, is_frame
from gainful.read.lazy import Elsewhere, elsewhere, some_columns
from gainful.read.qrels_and_run import Judgments, Nested, Run
from gainful.read.source import opened

AnyJudgments = str | PathLike[str] | Mapping[Any, Any] | Judgments | Any  # or any frame
AnyRun = str | PathLike[str] | Mapping[Any, Any] | Run | Any
_ALLOWED = "a path, a dict of dicts, or a frame (polars, pandas, Arrow, DuckDB, Spark)"


def as_judgments(value: AnyJudgments, form: str | None = None) -> Judgments | Nested:
    """Judgments from a path, a dict, a frame, or as they are."""
    if isinstance(value, (str, PathLike)):
        return read_judgments(value, form)
    if isinstance(value, Mapping):
        return dicts.judgments_of(value, "judgments")
    engine = engine_of(value)
    if engine is not None:
        known = tuple(named_columns.UNDERSTOOD)
        value = some_columns(value, engine, "judgments", known)
    if is_frame(value):
        held = as_polars(value, "judgments", named_columns.UNDERSTOOD)
        return named_columns.judgments_of(named_columns.of_frame(held, "judgments"))
    if not isinstance(value, Judgments):
        raise WrongType("judgments", value, _ALLOWED)
    return value


def as_run(value: AnyRun, form: str | None = None, name: str = "run") -> Run | Nested | Elsewhere:
    """A run from a path, a dict, a frame, or as it is; frames of other engines stay there."""
    if isinstance(value, (str, PathLike)):
        return read_run(value, form)
    if isinstance(value, Mapping):
        return dicts.run_of(value, name)
    engine = engine_of(value)
    if engine is not None:
        return elsewhere(value, engine, name)
    if is_frame(value):
        return named_columns.run_of(
            named_columns.of_frame(as_polars(value, name, named_columns.UNDERSTOOD), name)
        )
    if not isinstance(value, Run):
        raise WrongType(name, value, _ALLOWED)
    return value


def path_of_both(value: object) -> str | PathLike[str] | None:
    """The path, if it is that of a file with both what was retrieved and what is relevant."""
    if not isinstance(value, (str, PathLike)) or not Path(value).is_file():
        return None
    return value if len(rag.holds(opened(value))) == 2 else None


def as_columns(qrels: Judgments | Nested) -> Judgments:
    """Judgments as columns."""
    if isinstance(qrels, Judgments):
        return qrels
    return dicts.as_judgments(qrels)


def as_run_columns(run: Run | Nested) -> Run:
    """A run as columns."""
    return run if isinstance(run, Run) else dicts.as_run(run)


def as_texts(run: Nested) -> Nested:
    """A run whose ids are texts, if the first of any query are whole numbers."""
    firsts = (next(iter(inner), "") for inner in run.mapping.values())
    if all(isinstance(one, str) for one in (*run.mapping, *firsts)):
        return run
    held = {str(q): {str(d): s for d, s in inner.items()} for q, inner in run.mapping.items()}
    return Nested(held, run.name)


def as_nested(qrels: Judgments | Nested) -> Nested:
    """Judgments as a dict of dicts."""
    if isinstance(qrels, Nested):
        return qrels
    return Nested(qrels.nested(), qrels.name)
