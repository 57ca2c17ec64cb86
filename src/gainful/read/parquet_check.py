"""Is a Parquet file what its own sizes say? Damaged ones make an allocator end the process.

The footer and the page headers are records of Thrift's compact protocol. Only their numbers are
looked at: sizes and counts that the file cannot hold are refused before polars reads it. In files
above 16 MiB the headers of pages are not looked at, so damage there can still abort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from struct import unpack_from
from typing import Any

from gainful.errors import BadInput

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
_PAGE_KINDS, _PAGE_COUNTS = (5, 7, 8), (1, 2, 3)  # of data, of a dictionary, of data (version 2)

Record = dict[int, Any]


class _Damaged(Exception):
    """What cannot be in a sound file."""


class _Records:
    """Reads records one after the other from bytes."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def read_record(self, depth: int = 0) -> Record:
        if depth > _DEEPEST:
            raise _Damaged
        record: Record = {}
        field = 0
        while header := self._read_byte():
            field = field + (header >> 4) if header >> 4 else self._read_number()
            record[field] = self._read_value(header & 15, depth)
        return record

    def _read_value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        readers: dict[int, Callable[[], Any]] = {
            _BYTE: self._read_byte,
            **dict.fromkeys((4, 5, 6), self._read_number),
            _DOUBLE: lambda: self._skip(8),
            _BINARY: lambda: self._skip(self._read_varint()),
            **dict.fromkeys((_LIST, _SET), lambda: self._read_list(depth + 1)),
            _STRUCT: lambda: self.read_record(depth + 1),
        }
        if kind not in readers:
            raise _Damaged
        return readers[kind]()

    def _read_list(self, depth: int) -> list[Any]:
        if depth > _DEEPEST:
            raise _Damaged
        header = self._read_byte()
        size = header >> 4 if header >> 4 < 15 else self._read_varint()
        if size > len(self.data) - self.at:
            raise _Damaged
        kind = header & 15
        if kind in (_TRUE, _FALSE):
            return [self._read_byte() for _ in range(size)]
        return [self._read_value(kind, depth) for _ in range(size)]

    def _read_byte(self) -> int:
        if not 0 <= self.at < len(self.data):
            raise _Damaged
        self.at += 1
        return self.data[self.at - 1]

    def _read_varint(self) -> int:
        value = shift = 0
        while (byte := self._read_byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise _Damaged
        return value | byte << shift

    def _read_number(self) -> int:
        zigzag = self._read_varint()
        return zigzag >> 1 ^ -(zigzag & 1)

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self.data):
            raise _Damaged


def check_parquet(file: str | PathLike[str] | bytes, name: str) -> None:
    """Refuse a Parquet file whose footer, or a page, claims what the file cannot hold."""
    if _read_head(file) != _MAGIC:
        raise BadInput(name, "cannot be read as Parquet: it does not begin as such files do")
    try:
        if isinstance(file, bytes):
            _check_footer(_find_footer(file[-8:], file, len(file)), len(file))
            _check_pages(file)
        else:
            _check_file(Path(file))
    except (_Damaged, AttributeError, TypeError, LookupError):  # a field of another kind
        raise BadInput(name, "the Parquet file is damaged: its sizes are wrong") from None


def _read_head(file: str | PathLike[str] | bytes) -> bytes:
    if isinstance(file, bytes):
        return file[: len(_MAGIC)]
    with Path(file).open("rb") as stream:
        return stream.read(len(_MAGIC))


def _check_file(path: Path) -> None:
    size = path.stat().st_size
    if size <= _PAGES_UP_TO:
        data = path.read_bytes()
        _check_footer(_find_footer(data[-8:], data, size), size)
        _check_pages(data)
        return
    with path.open("rb") as stream:
        stream.seek(-8, 2)
        tail = stream.read(8)
        stream.seek(max(0, size - 8 - _footer_size(tail)))
        _check_footer(_Records(stream.read()).read_record(), size)


def _footer_size(tail: bytes) -> int:
    if len(tail) < 8 or tail[4:] != _MAGIC:
        raise _Damaged
    return int(unpack_from("<I", tail)[0])


def _find_footer(tail: bytes, data: bytes, size: int) -> Record:
    begin = size - 8 - _footer_size(tail)
    if begin < len(_MAGIC):
        raise _Damaged
    return _Records(data, begin).read_record()


def _check_footer(footer: Record, size: int) -> None:
    """Every column lies in the file, and has no more values than so many bytes could say."""
    most = size * _VALUES_PER_BYTE
    _require(0 <= footer[_ROWS] <= most)
    for column in _iterate_columns(footer):
        begin, end = _column_range(column)
        _require(len(_MAGIC) <= begin <= end <= size and 0 <= column[_VALUES] <= most)


def _iterate_columns(footer: Record) -> Iterator[Record]:
    for group in footer.get(_GROUPS, []):
        for column in group[_COLUMNS]:
            yield column[_COLUMN_META]


def _column_range(column: Record) -> tuple[int, int]:
    begin = min(column[_DATA_AT], column.get(_DICTIONARY_AT) or column[_DATA_AT])
    return begin, begin + column[_PACKED]


def _check_pages(data: bytes) -> None:
    """Every page lies in its column, and unpacks to what can be believed."""
    for column in _iterate_columns(_find_footer(data[-8:], data, len(data))):
        begin, end = _column_range(column)
        records = _Records(data, begin)
        while records.at < end:
            page = records.read_record()
            packed, unpacked = page[_PAGE_PACKED], page[_PAGE_UNPACKED]
            _require(0 <= packed <= end - records.at)
            _require(0 <= unpacked <= max(_LARGEST_PAGE, 1000 * packed))
            for kind in _PAGE_KINDS:
                numbers = [page.get(kind, {}).get(field, 0) for field in _PAGE_COUNTS]
                _require(all(0 <= number <= max(column[_VALUES], unpacked) for number in numbers))
            records.at += packed


def _require(sound: bool) -> None:
    if not sound:
        raise _Damaged
