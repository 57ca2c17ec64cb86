"""Judgments by the id of a dataset in ir_datasets, such as msmarco-passage/trec-dl-2019/judged."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gainful.errors import BadInput, short
from gainful.read.qrels_and_run import Judgments
from gainful.read.subtopic_qrels import of_rows

PREFIX = "irds:"
_LONGEST = 150  # characters of its answer
_INSTALL = "pip install 'gainful[datasets]' for ids of ir_datasets"


def is_dataset(name: str) -> bool:
    """Is it the id of a dataset? With irds: before it, it must be; else no file is called so."""
    if name.startswith(PREFIX):
        return True
    likely = re.fullmatch(r"[a-z0-9][\w/-]*", name, re.ASCII)  # no suffix, as files mostly have
    if not likely or Path(name).exists() or find_spec("ir_datasets") is None:
        return False
    return _knows(name)


def judgments(name: str) -> Judgments:
    """The judgments of a dataset; ir_datasets fetches them if it has not yet."""
    known = name.removeprefix(PREFIX)
    if find_spec("ir_datasets") is None:
        raise BadInput(name, "ir_datasets is not installed", _INSTALL)
    if not _knows(known):
        raise BadInput(name, "ir_datasets knows no such dataset", "an id of its catalogue")
    import ir_datasets  # noqa: PLC0415  (slow, and only for this)

    dataset = ir_datasets.load(known)
    if not dataset.has_qrels():
        raise BadInput(name, "this dataset has no judgments", _with_judgments(known))
    try:
        rows = [_row(one) for one in dataset.qrels_iter()]
    except Exception as failure:  # noqa: BLE001  (a download can fail in any way)
        told = " ".join(f"{type(failure).__name__}: {failure}".split())
        raise BadInput(name, f"ir_datasets answers: {short(told, _LONGEST)}") from None
    return of_rows(name, rows)


def _knows(name: str) -> bool:
    import ir_datasets  # noqa: PLC0415

    try:
        ir_datasets.load(name)
    except (KeyError, OSError):
        return False
    return True


def _row(one: Any) -> tuple[str, str, float, str]:
    subtopic = getattr(one, "subtopic_id", getattr(one, "iteration", "0"))
    return one.query_id, one.doc_id, one.relevance, str(subtopic)


def _with_judgments(name: str) -> str:
    """Its parts that have some, to choose from."""
    import ir_datasets  # noqa: PLC0415

    parts = [
        part
        for part in sorted(ir_datasets.registry)
        if part.startswith(f"{name}/") and ir_datasets.load(part).has_qrels()
    ]
    return f"one of its parts, such as {', '.join(parts[:3])}" if parts else "one that has them"
