"""JSON files: one object {query: {document: number}}, or a list of records, rows or lists."""

from __future__ import annotations

from typing import Any

from gainful.errors import BadInput
from gainful.read import dicts, shapes
from gainful.read.column_names import USUAL_NAMES, ColumnMapping
from gainful.read.jsonl import load_whole
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.source import Source
from gainful.text import quote


def read_qrels(source: Source, columns: ColumnMapping = USUAL_NAMES) -> Qrels:
    """Judgments from a file with one object, or one list."""
    value = _load(source)
    if isinstance(value, list):
        qrels = shapes.read_qrels_sequence(value, source.name, columns)
    else:
        qrels = dicts.read_qrels_dict(value, source.name)
    return qrels if isinstance(qrels, Qrels) else dicts.to_qrels(qrels)


def read_run(source: Source, columns: ColumnMapping = USUAL_NAMES) -> Run:
    """A run from a file with one object, or one list."""
    value = _load(source)
    if isinstance(value, list):
        run = shapes.read_run_sequence(value, source.name, columns)
    else:
        run = dicts.read_run_dict(value, source.name)
    return run if isinstance(run, Run) else dicts.to_run(run)


def _load(source: Source) -> Any:
    value = load_whole(source)
    if not isinstance(value, (dict, list)):
        raise BadInput(source.name, f"{quote(value)} is no object", "{query: {document: number}}")
    return value
