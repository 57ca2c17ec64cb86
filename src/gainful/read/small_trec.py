"""Small TREC files in which all is as usual → dicts, without the engine for large ones.

Whatever is unusual (a comment, a second blank, a document twice, a number that is none, queries
that do not stand together) is left to `read/trec_files.py`, which says what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from math import isfinite
from os import PathLike
from os.path import getsize

from gainful.errors import BadInput
from gainful.read.formats import find_format
from gainful.read.qrels_and_run import MAX_USUAL_GRADE, NestedDict
from gainful.read.source import Source, is_file, open_source

_MAX_BYTES = 4 << 20  # of all files together; beyond it reading by columns is faster
MAX_LONE_BYTES = 16 << 20  # of judgments alone; beyond it reading by columns takes less memory
_PIECE_BYTES = 1 << 19  # of lines that are split together
_SIGNS = frozenset("0123456789.+-eE")  # of numbers that all readers read alike
_QRELS, _RUN = (4, 3), (6, 4)  # how many fields a line has, and where its number stands


def read_small_files(paths: Sequence[object], max_bytes: int = _MAX_BYTES) -> list[NestedDict]:
    """Judgments and runs, the judgments first, if all are small TREC files; else none."""
    nested: list[NestedDict] = []
    for source in _open_small_files(paths, max_bytes):
        pieces = source.iterate_pieces(_PIECE_BYTES)
        mapping = _read_lines(pieces, *(_RUN if nested else _QRELS))
        if mapping is None or (not nested and _look_odd(mapping)):
            return []
        source.report_end()
        nested.append(NestedDict(mapping, source.name))
    return nested


def read_first_lines(source: Source) -> NestedDict:
    """The first lines of a run in which nothing is odd, for notes on what it looks like."""
    mapping: dict[str, dict[str, float]] = {}
    with suppress(ValueError):  # another file may have taken its place
        for line in source.first_lines:
            query, _, doc, _, score, _ = line.encode().split()  # at ASCII blanks
            mapping.setdefault(query.decode(), {})[doc.decode()] = float(score)
    return NestedDict(mapping, source.name)


def _open_small_files(paths: Sequence[object], max_bytes: int) -> list[Source]:
    """The files, if all are plain, small together, and TREC's; else none."""
    files = [path for path in paths if isinstance(path, (str, PathLike)) and is_file(path)]
    if len(files) < len(paths) or sum(map(getsize, files)) > max_bytes:
        return []
    with suppress(BadInput):  # which the full reader tells, after mistakes in files before it
        sources = [open_source(path) for path in files]
        if all(source.path and find_format(source).name == "trec" for source in sources):
            return sources
    return []


def _read_lines(
    pieces: Iterable[bytes], size: int, place: int
) -> dict[str, dict[str, float]] | None:
    """The numbers of documents, at one place of lines of one size; None if any line is unusual."""
    mapping: dict[str, dict[str, float]] = {}
    iterations = set[str]()
    for piece in pieces:
        columns = _split_fields(piece, size)
        numbers = _parse_numbers(columns[place]) if columns else None
        if numbers is None or not _add_rows(mapping, columns[0], columns[2], numbers):
            return None
        iterations.update(columns[1])
        if len(iterations) > 1:  # they may be subtopics
            return None
    return mapping or None


def _split_fields(data: bytes, size: int) -> list[list[str]]:
    if not data.isascii() or any(sign in data for sign in b"#\t\r\v\f"):
        return []
    words = [*data.decode().removesuffix("\n").replace("\n", " \n ").split(" "), "\n"]
    columns = [words[place :: size + 1] for place in range(size + 1)]
    even = len(words) % (size + 1) == 0 and {*columns.pop()} == {"\n"} and "" not in words
    return columns if even else []


def _parse_numbers(texts: list[str]) -> list[float] | None:
    with suppress(ValueError):
        numbers = {text: float(text) for text in {*texts}}
        if _SIGNS.issuperset("".join(numbers)) and all(map(isfinite, numbers.values())):
            return [numbers[text] for text in texts]
    return None


def _add_rows(
    mapping: dict[str, dict[str, float]], queries: list[str], docs: list[str], numbers: list[float]
) -> bool:
    """Add numbers by query and document; are lines of each query together, and documents once?"""
    last = next(reversed(mapping), None)  # whose lines may go on
    begin = 0
    for query, lines in groupby(queries):
        end = begin + sum(1 for _ in lines)
        if query in mapping and (begin or query != last):
            return False
        ranking = mapping.setdefault(query, {})
        size = len(ranking) + end - begin
        ranking.update(zip(docs[begin:end], numbers[begin:end], strict=True))
        if len(ranking) < size:
            return False
        begin = end
    return True


def _look_odd(qrels: Mapping[str, Mapping[str, float]]) -> bool:
    """May judgments be something else, of which the full reader has to speak?"""
    grades = [[*judged.values()] for judged in qrels.values()]
    *_, last = qrels.values()
    return (
        "all" in last
        or max(map(max, grades)) > MAX_USUAL_GRADE
        or (
            len(grades) < sum(map(len, grades))
            and all(each == [*range(1, len(each) + 1)] for each in grades)
        )
    )
