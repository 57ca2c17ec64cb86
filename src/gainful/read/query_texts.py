"""The texts of queries: lines of query, tab, text; CSV or JSON lines with named columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from gainful.errors import BadInput, NoColumn, shown
from gainful.read.source import Source, opened
from gainful.read.trec_files import not_utf8

_QUERY = ("query", "query_id", "qid", "_id", "id")
_TEXT = ("text", "query_text", "title")
_EXPECTED = "lines of query, tab, text; or CSV or JSON lines with query and text"


def read_texts(path: str | PathLike[str]) -> dict[str, str]:
    r"""What each query says, by its id; the form is told by the suffix of the file.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "topics.tsv")
        ...     _ = file.write_text("1\twhere to sleep\n", encoding="utf-8")
        ...     read_texts(file)
        {'1': 'where to sleep'}
    """
    source = opened(path)
    try:
        text = source.content().decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".csv": _rows}
    found: dict[str, str] = {}
    for number, query, words in readers.get(source.suffix, _tabbed)(text, source):
        if found.setdefault(query, words) != words:
            raise BadInput(f"{source.name}:{number}", f"query {shown(query)} has two texts")
    if not found:
        raise BadInput(source.name, "there is not one query in it", _EXPECTED)
    return found


Found = Iterator[tuple[int, str, str]]


def _tabbed(text: str, source: Source) -> Found:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        query, tab, words = line.partition("\t")
        if not tab:
            raise BadInput(f"{source.name}:{number}", "there is no tab in it", _EXPECTED)
        yield number, query.strip(), words.strip()


def _rows(text: str, source: Source) -> Found:
    reader = csv.DictReader(text.splitlines())
    for row in reader:
        yield reader.line_num, *_named(row, f"{source.name}:{reader.line_num}")


def _json_lines(text: str, source: Source) -> Found:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{source.name}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise BadInput(place, "it is no JSON", _EXPECTED) from None
        if not isinstance(row, Mapping):
            raise BadInput(place, f"it is {shown(row)}", "an object with query and text")
        yield number, *_named(row, place)


def _named(row: Mapping[str, Any], place: str) -> tuple[str, str]:
    found = []
    for names in (_QUERY, _TEXT):
        name = next((one for one in names if row.get(one) is not None), None)
        if name is None:
            raise NoColumn(place, f"there is no {names[0]}", f"one of {', '.join(names)}")
        found.append(str(row[name]).strip())
    return found[0], found[1]
