"""Parquet and Arrow files: named columns in a form that polars reads.

Where such a file is damaged, polars' threads may print lines of their own on standard error before
they give up. What is printed there while a file is read is held back, and let out only if the file
could be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import SEEK_CUR, BytesIO
from os import PathLike
from pathlib import Path
from struct import Struct, error, unpack_from
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO

import polars as pl

from gainful.errors import BadInput
from gainful.read.source import ARROW_STREAM, Source, open_source

_CONTINUES = b"\xff\xff\xff\xff"  # before the length of a message
_SHORT, _WHOLE, _LONG, _PAIR = Struct("<H"), Struct("<i"), Struct("<q"), Struct("<qq")
# Numbers of the fields of a message, a dictionary and a batch, in Arrow's own schema of them.
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3
_DICTIONARY, _BATCH = 2, 3
_DICTIONARY_DATA, _BUFFERS, _COMPRESSION = 1, 2, 3
_LARGEST, _MAX_RATIO = 1 << 28, 1000  # bytes of a buffer unpacked, or so often its size


def check_arrow(content: bytes, name: str) -> None:
    """Refuse a file or stream in which a buffer is longer than what is there."""
    try:
        for body, offset, length, is_packed in _list_buffers(content):
            present = offset >= 0 and length >= 0 and offset + length <= len(body)
            size = length
            if present and is_packed and length >= _LONG.size:
                (size,) = _LONG.unpack_from(body, offset)
                present = size <= max(_LARGEST, _MAX_RATIO * length)
            if not present:
                problem = f"cannot be read as Arrow: a buffer of {size} bytes is not there"
                raise BadInput(name, problem)
    except (error, IndexError):  # it ends before it says so
        return


def _list_buffers(content: bytes) -> Iterator[tuple[memoryview, int, int, bool]]:
    """Of each buffer: the body of its message, where in it and how long it is, and is it packed?"""
    for message, body in _list_messages(content):
        batch = _find_batch(content, _follow(content, message))
        vector = None if batch is None else _find_field(content, batch, _BUFFERS)
        if batch is None or vector is None:
            continue
        is_packed = _find_field(content, batch, _COMPRESSION) is not None
        start = _follow(content, vector)
        (count,) = _WHOLE.unpack_from(content, start)
        for number in range(count):
            offset, size = _PAIR.unpack_from(content, start + 4 + number * _PAIR.size)
            yield body, offset, size, is_packed


def _list_messages(content: bytes) -> Iterator[tuple[int, memoryview]]:
    """The messages of a stream, which a file has between its schema and its footer."""
    begins = (at for at in range(0, len(content), 8) if content.startswith(_CONTINUES, at))
    place = next(begins, 0)
    while content.startswith(_CONTINUES, place):
        (length,) = _WHOLE.unpack_from(content, place + 4)
        message = place + 8
        if length <= 0:  # there are no more
            return
        at = _find_field(content, _follow(content, message), _BODY_LENGTH)
        body_length = 0 if at is None else max(0, _LONG.unpack_from(content, at)[0])
        start = message + length
        yield message, memoryview(content)[start : start + body_length]
        place = start + body_length


def _find_batch(content: bytes, root: int) -> int | None:
    """Where the batch of a message stands, if it has one."""
    kind, header = (_find_field(content, root, number) for number in (_HEADER_TYPE, _HEADER))
    if kind is None or header is None or content[kind] not in (_DICTIONARY, _BATCH):
        return None
    if content[kind] == _BATCH:
        return _follow(content, header)
    data = _find_field(content, _follow(content, header), _DICTIONARY_DATA)
    return None if data is None else _follow(content, data)


def _follow(content: bytes, place: int) -> int:
    return place + int(_WHOLE.unpack_from(content, place)[0])


def _find_field(content: bytes, table: int, number: int) -> int | None:
    """Where a field of a table stands; None if it is left out."""
    fields = table - _WHOLE.unpack_from(content, table)[0]
    (size,) = _SHORT.unpack_from(content, fields)
    at = 4 + 2 * number
    if at + 2 > size:
        return None
    (distance,) = _SHORT.unpack_from(content, fields + at)
    return table + distance if distance else None


_MAGIC = b"PAR1"
_PAGES_UP_TO = 1 << 24  # bytes of a file whose pages are looked at
_LARGEST_PAGE = 1 << 28  # bytes of a page unpacked, or a thousand times its size
_VALUES_PER_BYTE = 100_000  # of a column that says one thing again and again
_DEEPEST = 16
# Kinds of values; whole numbers have 4 to 6, and 11, a map, is in no Parquet file.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
# Fields by number, as parquet.thrift has them.
_ROWS, _GROUPS, _COLUMNS, _COLUMN_META = 3, 4, 1, 3
_VALUES, _PACKED, _DATA_AT, _DICTIONARY_AT = 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED = 2, 3
_PAGE_COUNTS = {5: (1,), 7: (1,), 8: (1, 2, 3)}  # of data, of a dictionary, of data (version 2)

Record = dict[int, Any]


def _read_record(stream: BinaryIO, depth: int = 0) -> Record:
    """The fields of a record of Thrift's compact protocol, by their numbers."""
    _require(depth <= _DEEPEST)
    record: Record = {}
    field = 0
    while header := _read_byte(stream):
        field = field + (header >> 4) if header >> 4 else _read_number(stream)
        record[field] = _READERS[header & 15](stream, depth + 1)
    return record


def _read_list(stream: BinaryIO, depth: int) -> list[Any]:
    _require(depth <= _DEEPEST)
    header = _read_byte(stream)
    size = header >> 4 if header >> 4 < 15 else _read_varint(stream)
    kind = _BYTE if header & 15 in (_TRUE, _FALSE) else header & 15
    return [_READERS[kind](stream, depth + 1) for _ in range(size)]


def _read_byte(stream: BinaryIO) -> int:
    return stream.read(1)[0]


def _read_varint(stream: BinaryIO) -> int:
    value = shift = 0
    while (byte := _read_byte(stream)) & 128:
        value |= (byte & 127) << shift
        shift += 7
        _require(shift <= 63)
    return value | byte << shift


def _read_number(stream: BinaryIO) -> int:
    zigzag = _read_varint(stream)
    return zigzag >> 1 ^ -(zigzag & 1)


_READERS: dict[int, Callable[[BinaryIO, int], Any]] = {
    _TRUE: lambda *_: True,
    _FALSE: lambda *_: False,
    _BYTE: lambda stream, _: _read_byte(stream),
    **dict.fromkeys((4, 5, 6), lambda stream, _: _read_number(stream)),
    _DOUBLE: lambda stream, _: stream.seek(8, SEEK_CUR),
    _BINARY: lambda stream, _: stream.seek(_read_varint(stream), SEEK_CUR),
    **dict.fromkeys((_LIST, _SET), _read_list),
    _STRUCT: _read_record,
}


def check_parquet(file: str | PathLike[str] | bytes, name: str) -> None:
    """Refuse a Parquet file whose footer, or a page, claims what the file cannot hold."""
    with BytesIO(file) if isinstance(file, bytes) else Path(file).open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            problem = "cannot be read as Parquet: it does not start like a Parquet file"
            raise BadInput(name, problem)
        try:
            _check_sizes(stream)
        except (AttributeError, TypeError, LookupError, OverflowError):  # or another kind of field
            raise BadInput(name, "the Parquet file is damaged: its sizes are wrong") from None


def _check_sizes(stream: BinaryIO) -> None:
    """Every column lies in the file, every page in its column, and unpacks to a credible size."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - 8))
    tail = stream.read()
    _require(len(tail) == 8 and tail.endswith(_MAGIC))
    footer_start = size - 8 - int(unpack_from("<I", tail)[0])
    _require(footer_start >= len(_MAGIC))
    stream.seek(footer_start)
    footer = _read_record(BytesIO(stream.read()))
    most = size * _VALUES_PER_BYTE
    _require(0 <= footer[_ROWS] <= most)
    groups = footer.get(_GROUPS, [])
    columns = [column[_COLUMN_META] for group in groups for column in group[_COLUMNS]]
    ranges = []
    for column in columns:
        starts = (column[_DATA_AT], column.get(_DICTIONARY_AT))
        begin = min(filter(None, starts), default=0)  # a column without values has no data
        end = begin + column[_PACKED]
        _require(len(_MAGIC) <= begin <= end <= size and 0 <= column[_VALUES] <= most)
        ranges.append((begin, end))
    if size > _PAGES_UP_TO and not isinstance(stream, BytesIO):
        return
    stream.seek(0)
    pages = BytesIO(stream.read())
    for column, (begin, end) in zip(columns, ranges, strict=True):
        pages.seek(begin)
        while pages.tell() < end:
            page = _read_record(pages)
            packed, unpacked = page[_PAGE_PACKED], page[_PAGE_UNPACKED]
            _require(0 <= packed <= end - pages.tell())
            _require(0 <= unpacked <= max(_LARGEST_PAGE, 1000 * packed))
            for kind, fields in _PAGE_COUNTS.items():
                numbers = [page.get(kind, {}).get(field, 0) for field in fields]
                _require(all(0 <= number <= max(column[_VALUES], unpacked) for number in numbers))
            pages.seek(packed, SEEK_CUR)


def _require(sound: bool) -> None:
    if not sound:
        raise LookupError


_STDERR = 2
_ONE_READER = Lock()  # standard error is one for all threads


def read_parquet(source: Source, max_rows: int | None = None) -> pl.DataFrame:
    """A Parquet file whose sizes have been checked, or its first rows."""
    file = source.path or source.read_bytes()
    check_parquet(file, source.name)
    readable = BytesIO(file) if isinstance(file, bytes) else file
    return _read(source, "Parquet", lambda: pl.read_parquet(readable, n_rows=max_rows, glob=False))


def scan_parquet(path: str | PathLike[str]) -> pl.LazyFrame:
    """A Parquet file that stays on disk; all its pages are read once, so that damage shows here."""
    source = open_source(path)
    check_parquet(source.path or source.read_bytes(), source.name)
    frame = pl.scan_parquet(Path(path), glob=False)
    pages = frame.select(pl.all().null_count())
    _read(source, "Parquet", lambda: pages.collect(engine="streaming"))
    return frame


def read_arrow(source: Source) -> pl.DataFrame:
    """An Arrow file, which Feather's are too, or a stream of Arrow's that was saved."""
    read = pl.read_ipc_stream if source.head.startswith(ARROW_STREAM) else pl.read_ipc
    content = source.read_bytes()
    check_arrow(content, source.name)
    return _read(source, "Arrow", lambda: read(BytesIO(content)))


def _read(source: Source, kind: str, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    try:
        return _hold_back_errors(read)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as failure:
        problem = str(failure).split("\n", maxsplit=1)[0]
        raise BadInput(source.name, f"cannot be read as {kind}: {problem}") from None


def _hold_back_errors(read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """What is printed on standard error meanwhile comes afterwards, or not at all on a failure."""
    with _ONE_READER, TemporaryFile() as held_back:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # there is none
            return read()
        try:
            os.dup2(held_back.fileno(), _STDERR)
            frame = read()
        finally:  # at once, and not by a function of Python that Ctrl-C may keep from running
            os.dup2(stderr, _STDERR)
            os.close(stderr)
        held_back.seek(0)
        if printed := held_back.read():
            os.write(_STDERR, printed)
        return frame
