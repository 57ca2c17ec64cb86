"""Compressed files → their bytes, in pieces, so that a small file cannot fill the memory."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Protocol

from attrs import frozen

from gainful.errors import BadInput
from gainful.progress import report_reading

_INPUT_PIECE = 1 << 18
_OUTPUT_PIECE = 1 << 24
_ALWAYS_ALLOWED = 1 << 30  # bytes that any file may unpack to
_LARGEST_RATIO = 30  # beyond these: runs pack to a fifth or a tenth of their size


class Decompressor(Protocol):
    """What unpacks one stream, as bz2 and lzma have it."""

    @property
    def eof(self) -> bool:
        """Has the stream ended?"""
        ...

    @property
    def unused_data(self) -> bytes:
        """What came behind its end."""
        ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """The next bytes, so many at most."""
        ...


class _GzipDecompressor:
    """zlib's, with the face of the others: what is not unpacked yet is kept."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


def _load(module: str, name: str) -> Callable[[], Decompressor]:
    def open_stream() -> Decompressor:
        return getattr(import_module(module), name)()  # type: ignore[no-any-return]

    return open_stream


_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


@frozen
class Compression:
    """A way to pack a file: what it is called, how it is known, what unpacks it."""

    name: str
    suffix: str
    magic: bytes
    open_stream: Callable[[], Any]
    package: str = ""  # that brings it, where Python does not


COMPRESSIONS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _GzipDecompressor),
    Compression(
        "zstd", ".zst", b"\x28\xb5\x2f\xfd", _load(_ZSTD, "ZstdDecompressor"), "backports.zstd"
    ),
    Compression("bzip2", ".bz2", b"BZh", _load("bz2", "BZ2Decompressor")),
    Compression("xz", ".xz", b"\xfd7zXZ\x00", _load("lzma", "LZMADecompressor")),
    Compression(
        "lz4", ".lz4", b"\x04\x22\x4d\x18", _load("lz4.frame", "LZ4FrameDecompressor"), "lz4"
    ),
)
SUFFIXES = tuple(compression.suffix for compression in COMPRESSIONS)


def find_compression(head: bytes) -> Compression | None:
    """How a file is packed, by its first bytes."""
    return next((each for each in COMPRESSIONS if head.startswith(each.magic)), None)


def decompress(data: bytes, name: str) -> bytes:
    """The bytes of a packed file; one that unpacks to absurdly many is refused."""
    compression = find_compression(data)
    if compression is None:
        raise BadInput(name, "its name says that it is compressed, but it is not")
    limit = max(_ALWAYS_ALLOWED, _LARGEST_RATIO * len(data))
    try:
        parts = list(_take_until(limit, _iterate_parts(data, compression.open_stream, name), name))
    except EOFError:
        problem = f"the {compression.name} file is truncated: it ends too early"
        raise BadInput(name, problem) from None
    except (BadInput, MemoryError):
        raise
    except ImportError:
        problem = f"this is {compression.name}, whose package is not installed"
        raise BadInput(name, problem, f"pip install {compression.package}; or gzip") from None
    except Exception as failure:  # noqa: BLE001  (each library has errors of its own)
        raise BadInput(name, f"the {compression.name} file is damaged: {failure}") from None
    return b"".join(parts)


def _take_until(limit: int, parts: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The parts; refused once they are more than `limit` bytes together."""
    size = 0
    for part in parts:
        size += len(part)
        if size > limit:
            problem = f"it unpacks to more than {limit >> 20} MiB, which is suspicious"
            raise BadInput(name, problem, "an unpacked file")
        yield part


def _iterate_parts(
    data: bytes, open_stream: Callable[[], Decompressor], name: str
) -> Iterator[bytes]:
    """What streams hold, one after the other: files may be joined of several."""
    at, stream = 0, open_stream()
    while at < len(data):
        report_reading(name, len(data), at / len(data) / 2)  # unpacking is half of reading it
        part = stream.decompress(data[at : at + _INPUT_PIECE], _OUTPUT_PIECE)
        at = min(len(data), at + _INPUT_PIECE)
        while part:
            yield part
            part = b"" if stream.eof else stream.decompress(b"", _OUTPUT_PIECE)
        if stream.eof:
            at -= len(stream.unused_data or b"")  # lz4 says None
            if not data[at : at + _INPUT_PIECE].strip(b"\0"):  # padding, as tapes have it
                return
            stream = open_stream()
    raise EOFError
