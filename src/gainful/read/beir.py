"""BEIR folders: judgments in qrels/test.tsv, with columns query-id, corpus-id, score."""

from __future__ import annotations

from pathlib import Path

from gainful.errors import BadInput
from gainful.read import named_columns
from gainful.read.qrels_and_run import Judgments
from gainful.read.source import opened


def judgments(folder: Path) -> Judgments:
    """The judgments of a BEIR folder: its test split, or the only one there is."""
    qrels = folder / "qrels"
    found = sorted(qrels.glob("*.tsv")) if qrels.is_dir() else []
    if not found:
        raise BadInput(str(folder), "this is a directory, not a file", "a file or a BEIR folder")
    by_name = {file.stem: file for file in found}
    split = by_name.get("test")
    if split is None and len(found) > 1:
        names = ", ".join(by_name)
        raise BadInput(str(qrels), f"several splits and no test.tsv: {names}", "name one of them")
    return named_columns.judgments(opened(split or found[0]), "tsv")
