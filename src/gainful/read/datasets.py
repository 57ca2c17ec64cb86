"""Judgments of known collections: BEIR folders, and datasets of ir_datasets by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from gainful.errors import BadInput
from gainful.read.qrels_and_run import Qrels, build_subtopic_qrels
from gainful.read.search_results import parse_number
from gainful.read.source import DATASET
from gainful.text import shorten

_MAX_ANSWER = 150  # characters of its answer
_INSTALL = "pip install ir-datasets"


def find_beir_file(folder: Path) -> Path:
    """The judgments of a BEIR folder: its test split, or the only one there is."""
    qrels_folder = folder / "qrels"
    files = sorted(qrels_folder.glob("*.tsv")) if qrels_folder.is_dir() else []
    if not files:
        files = sorted(folder.glob("*.tsv")) if folder.name == "qrels" else []
        example = f": {folder.parent}, or {files[0]}" if files else ""
        problem = "this is a directory, not a file"
        raise BadInput(str(folder), problem, f"a file or a BEIR folder{example}")
    splits = {file.stem: file for file in files}
    if "test" not in splits and len(files) > 1:
        names = ", ".join(splits)
        raise BadInput(
            str(qrels_folder), f"several splits and no test.tsv: {names}", "name one of them"
        )
    return splits.get("test", files[0])


def read_qrels(name: str) -> Qrels:
    """The judgments of a dataset; ir_datasets fetches them if it has not yet."""
    dataset_id = name.removeprefix(DATASET)
    if find_spec("ir_datasets") is None:
        raise BadInput(name, "ir_datasets is not installed", _INSTALL)
    import ir_datasets  # noqa: PLC0415  (slow, and only for this)

    try:
        dataset = ir_datasets.load(dataset_id)
    except (KeyError, OSError):
        problem = "ir_datasets knows no such dataset"
        raise BadInput(name, problem, "an id of its catalogue") from None
    if not dataset.has_qrels():
        raise BadInput(name, "this dataset has no judgments", _suggest_parts(dataset_id))
    try:
        rows = [
            (
                qrel.query_id,
                qrel.doc_id,
                qrel.relevance,
                str(getattr(qrel, "subtopic_id", getattr(qrel, "iteration", "0"))),
            )
            for qrel in dataset.qrels_iter()
        ]
    except Exception as failure:  # noqa: BLE001  (a download can fail in any way)
        answer = " ".join(f"{type(failure).__name__}: {failure}".split())
        raise BadInput(name, f"ir_datasets answers: {shorten(answer, _MAX_ANSWER)}") from None
    return read_qrels_rows(name, rows)


def _suggest_parts(name: str) -> str:
    import ir_datasets  # noqa: PLC0415

    parts = [
        part
        for part in sorted(ir_datasets.registry)
        if part.startswith(f"{name}/") and ir_datasets.load(part).has_qrels()
    ]
    return f"one of its parts, such as {', '.join(parts[:3])}" if parts else "one with judgments"


def read_qrels_rows(name: str, rows: Iterable[tuple[Any, Any, Any, Any]]) -> Qrels:
    """Judgments from tuples of query, document, grade and subtopic."""
    records = [
        (str(query), str(doc), parse_number(grade, name, query, doc, "grade"), str(subtopic))
        for query, doc, grade, subtopic in rows
    ]
    columns = {"query": pl.String, "doc": pl.String, "grade": pl.Float64, "subtopic": pl.String}
    frame = pl.DataFrame(records, schema=columns, orient="row")
    return build_subtopic_qrels(frame, name, lambda row: f"{name}, row {row}")
