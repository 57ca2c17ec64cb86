"""Where text comes from: a file, a compressed one, or a pipe; opened with care.

A plain file stays on disk and is scanned there. What is compressed or piped is held in memory.
"""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

import numpy as np
from attrs import field, frozen

from gainful.errors import BadInput, WrongType

_HEAD = 1 << 16
_STRETCH = 1 << 20
_COMMENT = ord("#")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_MARK = b"\xef\xbb\xbf"  # a byte-order mark, which some editors put before UTF-8
_NO_TEXT = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@frozen
class Tidiness:
    """What makes a text slow to read, or fast."""

    single: bool  # does one separator stand between any two fields, and no other blank anywhere?
    commented: bool  # may there be comments? To look for them takes time


@frozen(eq=False)
class Source:
    """A text by name: its first bytes, its suffix without .gz or .zst, and how to get the rest."""

    name: str
    suffix: str
    head: bytes = field(repr=False)
    path: Path | None = None  # a plain file, which can be scanned where it is
    data: bytes | None = field(default=None, repr=False)

    def text(self) -> Path | BytesIO:
        """What a reader of text reads: the path, or the bytes without a byte-order mark."""
        return self.path if self.path is not None else BytesIO(self.content())

    @property
    def resembles_zlib(self) -> bool:
        """Would polars take this text for compressed data, as one that begins with x^2?"""
        return self.head[:2] in (b"x\x01", b"x^", b"x\x9c", b"x\xda")

    def content(self) -> bytes:
        """All of it."""
        data = self.data if self.data is not None else _read(self.path, self.name)
        return data.removeprefix(_MARK)

    def tidiness(self, separator: bytes, other: bytes) -> Tidiness:
        """How tidy are its lines, if this byte stands between fields and the other nowhere?"""
        try:
            with self._stream() as stream:
                return _tidiness(stream, separator[0], other[0])
        except OSError as failure:  # it may be gone by now
            raise BadInput(self.name, f"cannot be read: {failure}") from None

    def _stream(self) -> BinaryIO:
        return BytesIO(self.content()) if self.path is None else self.path.open("rb")

    def first_lines(self) -> list[str]:
        """The lines of its head that are whole, and neither empty nor comments; at least one."""
        head, _, cut = self.head.rpartition(b"\n")
        if not head.strip():  # a line longer than the head
            head = next((line for line in self._lines() if line.strip()), b"")
        elif len(self.head) < _HEAD:
            head += b"\n" + cut
        lines = [line.strip() for line in head.decode("utf-8", errors="replace").split("\n")]
        return [line for line in lines if line and not line.startswith("#")] or [""]

    def first_line(self) -> str:
        """The first line that is neither empty nor a comment."""
        return self.first_lines()[0]

    def _lines(self) -> Iterator[bytes]:
        with self._stream() as stream:
            yield from stream


def _tidiness(stream: BinaryIO, separator: int, other: int) -> Tidiness:
    """The same, a stretch at a time, so that hundreds of megabytes take no memory."""
    buffer = np.empty(_STRETCH, np.uint8)
    last = commented = False  # did the stretch before end with a separator?
    while size := stream.readinto(buffer.data):  # type: ignore[attr-defined]
        part = buffer[:size]
        here = part == separator
        if (last and here[0]) or (here[1:] & here[:-1]).any() or (part == other).any():
            return Tidiness(single=False, commented=True)
        last = bool(here[-1])
        commented = commented or bool((part == _COMMENT).any())
    return Tidiness(single=True, commented=commented)


def opened(path: str | PathLike[str]) -> Source:
    """The text at a path; `-` is standard input. What cannot be text is refused here."""
    name = fspath(path)
    if not isinstance(name, str):
        raise WrongType("path", path, "a path as text")
    if name == "-":
        return _held("stdin", "", _unpacked_if_need_be(_piped(), "stdin"))
    if "\0" in name:
        raise BadInput(name, "there is no such file")
    file = Path(name)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    packed = suffixes[-1:] in ([".gz"], [".zst"])
    suffix = "".join(suffixes[-2:-1] if packed else suffixes[-1:])
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
            if not file.is_file():  # a pipe such as <(zcat run.gz) can be read only once
                return _held(name, suffix, _unpacked_if_need_be(head + stream.read(), name))
    except OSError as failure:
        raise BadInput(name, _reason(failure)) from None
    if head.startswith((_GZIP, _ZSTD)) or packed:
        return _held(name, suffix, _unpacked(_read(file, name), name))
    if head.startswith(_MARK) or _old_mac(head) or not head.strip():
        return _held(name, suffix, _read(file, name))  # what scanning in place would get wrong
    return Source(name, suffix, _checked(head, name), path=file)


def _old_mac(head: bytes) -> bool:
    """Do lines end as on a Macintosh of the last century?"""
    return b"\r" in head and b"\n" not in head


def _held(name: str, suffix: str, data: bytes) -> Source:
    data = data.removeprefix(_MARK)
    if _old_mac(data[:_HEAD]):
        data = data.replace(b"\r", b"\n")
    if len(data) > _HEAD and not data[:_HEAD].strip():
        return Source(name, suffix, _checked(data.lstrip()[:_HEAD], name), data=data)
    return Source(name, suffix, _checked(data[:_HEAD], name), data=data)


def _checked(head: bytes, name: str) -> bytes:
    if not head.strip():
        raise BadInput(name, "the file is empty")
    if head.startswith(b"PAR1"):
        return head
    if head[:2] in _NO_TEXT:
        raise BadInput(name, f"this is {_NO_TEXT[head[:2]]} text", "UTF-8")
    if b"\0" in head:
        raise BadInput(name, "this is a binary file", "text, or Parquet")
    return head


def _piped() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise BadInput("stdin", "there is nothing to read", "a file, or - with a pipe")
    return sys.stdin.buffer.read()


def _read(file: Path | None, name: str) -> bytes:
    try:
        return file.read_bytes() if file is not None else b""
    except OSError as failure:
        raise BadInput(name, _reason(failure)) from None


def _unpacked_if_need_be(data: bytes, name: str) -> bytes:
    return _unpacked(data, name) if data.startswith((_GZIP, _ZSTD)) else data


def _unpacked(data: bytes, name: str) -> bytes:
    if data.startswith(_GZIP):
        try:
            return gzip.decompress(data)
        except EOFError:
            raise BadInput(name, "the gzip file is truncated: it ends in mid-stream") from None
        except (OSError, zlib.error) as failure:
            raise BadInput(name, f"the gzip file is damaged: {failure}") from None
    if data.startswith(_ZSTD):
        return _unpacked_zstd(data, name)
    raise BadInput(name, "its name says that it is compressed, but it is not")


def _unpacked_zstd(data: bytes, name: str) -> bytes:
    from zstandard import ZstdDecompressor, ZstdError  # noqa: PLC0415  (rarely needed)

    parts, rest = [], data
    try:
        while rest:  # files may be joined of several frames
            frame = ZstdDecompressor().decompressobj()
            parts.append(frame.decompress(rest))
            if not frame.eof:
                raise BadInput(name, "the zstd file is truncated: it ends in mid-stream")
            rest = frame.unused_data
    except ZstdError as failure:
        raise BadInput(name, f"the zstd file is damaged: {failure}") from None
    return b"".join(parts)


def _reason(failure: OSError) -> str:
    if isinstance(failure, FileNotFoundError):
        return "there is no such file"
    if isinstance(failure, IsADirectoryError):
        return "this is a directory, not a file"
    return f"cannot be read: {failure.strerror or failure}"
