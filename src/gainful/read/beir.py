"""BEIR folders: judgments in qrels/test.tsv, with columns query-id, corpus-id, score."""

from __future__ import annotations

from pathlib import Path

from gainful.errors import BadInput
from gainful.read import tables
from gainful.read.qrels_and_run import Qrels
from gainful.read.source import open_source


def read_qrels(folder: Path) -> Qrels:
    """The judgments of a BEIR folder: its test split, or the only one there is."""
    qrels_folder = folder / "qrels"
    files = sorted(qrels_folder.glob("*.tsv")) if qrels_folder.is_dir() else []
    if not files:
        raise BadInput(str(folder), "this is a directory, not a file", "a file or a BEIR folder")
    splits = {file.stem: file for file in files}
    split = splits.get("test")
    if split is None and len(files) > 1:
        names = ", ".join(splits)
        raise BadInput(
            str(qrels_folder), f"several splits and no test.tsv: {names}", "name one of them"
        )
    return tables.read_qrels(open_source(split or files[0]), "tsv")
