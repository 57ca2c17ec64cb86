"""The texts of queries: lines of query, tab, text; CSV or JSON lines with named columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from gainful.errors import BadInput, NoColumn
from gainful.read.delimited import MAX_FIELD
from gainful.read.jsonl import read_objects
from gainful.read.source import Source, open_source
from gainful.read.trec_files import utf8_error
from gainful.text import quote

_LINE_END = re.compile("\r\n?|\n")  # and no other: a text may hold U+2028 or a form feed
_QUERY = ("query", "query_id", "qid", "_id", "id")
_TEXT = ("text", "query_text", "title")
_EXPECTED = "lines of query, tab, text; or CSV or JSON lines with query and text"


def read_query_texts(path: str | PathLike[str]) -> dict[str, str]:
    r"""What each query says, by its id; the form is told by the suffix of the file.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "topics.tsv")
        ...     _ = file.write_text("1\twhere to sleep\n", encoding="utf-8")
        ...     read_query_texts(file)
        {'1': 'where to sleep'}
    """
    source = open_source(path)
    try:
        text = source.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise utf8_error(source) from None
    readers = {".jsonl": _read_json_lines, ".ndjson": _read_json_lines, ".csv": _read_csv_rows}
    texts: dict[str, str] = {}
    for number, query, words in readers.get(source.suffix, _read_tab_lines)(text, source):
        if texts.setdefault(query, words) != words:
            raise BadInput(f"{source.name}:{number}", f"query {quote(query)} has two texts")
    if not texts:
        raise BadInput(source.name, "there is not one query in it", _EXPECTED)
    return texts


NumberedTexts = Iterator[tuple[int, str, str]]


def _read_tab_lines(text: str, source: Source) -> NumberedTexts:
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if not line.strip():
            continue
        query, tab, words = line.partition("\t")
        if not tab:
            raise BadInput(f"{source.name}:{number}", "there is no tab in it", _EXPECTED)
        yield number, query.strip(), words.strip()


def _read_csv_rows(text: str, source: Source) -> NumberedTexts:
    csv.field_size_limit(MAX_FIELD)
    reader = csv.DictReader(_LINE_END.split(text))
    for row in reader:
        yield reader.line_num, *_pick_query_and_text(row, f"{source.name}:{reader.line_num}")


def _read_json_lines(_: str, source: Source) -> NumberedTexts:
    for number, row in read_objects(source):
        yield number, *_pick_query_and_text(row, f"{source.name}:{number}")


def _pick_query_and_text(row: Mapping[str, Any], place: str) -> tuple[str, str]:
    values = []
    for names in (_QUERY, _TEXT):
        name = next((candidate for candidate in names if row.get(candidate) is not None), None)
        if name is None:
            raise NoColumn(place, f"there is no {names[0]}", f"one of {', '.join(names)}")
        values.append(str(row[name]).strip())
    return values[0], values[1]
