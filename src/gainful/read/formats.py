"""The formats there are, and which one a file has. To add one, add an entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike, fspath
from pathlib import Path

from attrs import frozen

from gainful.errors import BadInput, UnknownName
from gainful.read import beir, datasets, dicts, named_columns, rag, trec_files
from gainful.read.qrels_and_run import Judgments, Run
from gainful.read.source import Source, opened


@frozen
class Format:
    """One format: what it is, how it is recognised, how it is read."""

    name: str
    what: str
    fits: Callable[[Source], bool]
    judgments: Callable[[Source], Judgments]
    run: Callable[[Source], Run]


def _is_parquet(source: Source) -> bool:
    return source.head.startswith(b"PAR1")


def _is_json(source: Source) -> bool:
    """One object of objects, over as many lines as it likes."""
    if source.suffix in (".jsonl", ".ndjson") or not source.head.lstrip().startswith(b"{"):
        return False
    line = source.first_line()
    if source.suffix == ".json" or not line.endswith("}"):
        return True
    try:
        inner = json.loads(line).values()
    except ValueError:
        return False
    return bool(inner) and all(isinstance(value, (dict, list)) for value in inner)


def _is_json_lines(source: Source) -> bool:
    return source.head.lstrip().startswith(b"{")


def _is_table(separators: str) -> Callable[[Source], bool]:
    def fits(source: Source) -> bool:
        line = source.first_line()
        return any(
            named_columns.known_columns(part.strip('"') for part in line.split(separator))
            or (source.suffix == ".csv" and separator in line and len(line.split()) < 4)
            for separator in separators
        )

    return fits


def _named_columns(name: str, what: str, fits: Callable[[Source], bool]) -> Format:
    return Format(
        name,
        what,
        fits,
        partial(named_columns.judgments, form=name),
        partial(named_columns.run, form=name),
    )


_ALL = (
    _named_columns("parquet", "a Parquet file with named columns", _is_parquet),
    Format("rag", "JSON lines with retrieved and relevant", rag.is_rag, rag.judgments, rag.run),
    Format("json", "one JSON object of objects", _is_json, dicts.judgments, dicts.run),
    _named_columns("jsonl", "JSON lines with named fields", _is_json_lines),
    _named_columns("csv", "a table with named columns", _is_table(",;")),
    _named_columns("tsv", "the same with tabs", _is_table("\t")),
    Format("trec", "TREC's lines of fields", lambda _: True, trec_files.judgments, trec_files.run),
)

FORMATS: Mapping[str, Format] = {known.name: known for known in _ALL}


def read_judgments(path: str | PathLike[str], form: str | None = None) -> Judgments:
    """Judgments from a file, whatever its format, from a BEIR folder, or of a dataset.

    Args:
        path: the file; `-` is standard input; or an id of ir_datasets.
        form: the name of its format; found by content and suffix if it is not named.
    """
    if fspath(path) != "-" and Path(path).is_dir():
        return beir.judgments(Path(path))
    if datasets.is_dataset(fspath(path)):
        return datasets.judgments(fspath(path))
    source = opened(path)
    return format_of(source, form).judgments(source)


def read_run(path: str | PathLike[str], form: str | None = None) -> Run:
    """A run from a file, whatever its format."""
    if fspath(path) != "-" and Path(path).is_dir():
        raise BadInput(fspath(path), "this is a directory, not a file")
    source = opened(path)
    return format_of(source, form).run(source)


def format_of(source: Source, form: str | None = None) -> Format:
    """The format by its name, or else by what the file looks like."""
    if form is None:
        return next(known for known in _ALL if known.fits(source))
    if form not in FORMATS:
        raise UnknownName("format", form, FORMATS)
    return FORMATS[form]
