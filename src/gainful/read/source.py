"""Where text comes from: a file, a compressed one, or a pipe; opened with care.

A plain file stays on disk and is scanned there; a compressed one is unpacked in pieces, and held in
memory only by readers that need all of it. What is piped is held in memory.
"""

from __future__ import annotations

import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from io import SEEK_CUR, BufferedReader, BytesIO, RawIOBase
from math import inf
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from attrs import evolve, field, frozen

from gainful.errors import BadInput, BadValue, Changed, WrongType
from gainful.progress import report_reading
from gainful.text import decode_path

_INPUT_PIECE = 1 << 18
_OUTPUT_PIECE = 1 << 24
_ALWAYS_ALLOWED = 1 << 30  # bytes that any file may unpack to
_LARGEST_RATIO = 30  # beyond these: runs pack to a fifth or a tenth of their size
_USUAL_RATIO = 8  # of them
_MAGIC_SIZE = 8
_MAX_HELD = 1 << 27  # bytes of an unpacked file that is not unpacked again for each reading


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
    Compression("gzip", ".gz", b"\x1f\x8b", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)),
    Compression(
        *("zstd", ".zst", b"\x28\xb5\x2f\xfd"),
        lambda: import_module(_ZSTD).ZstdDecompressor(),
        "backports.zstd",
    ),
    Compression("bzip2", ".bz2", b"BZh", lambda: import_module("bz2").BZ2Decompressor()),
    Compression("xz", ".xz", b"\xfd7zXZ\x00", lambda: import_module("lzma").LZMADecompressor()),
    Compression(
        *("lz4", ".lz4", b"\x04\x22\x4d\x18"),
        lambda: import_module("lz4.frame").LZ4FrameDecompressor(),
        "lz4",
    ),
)
SUFFIXES = tuple(compression.suffix for compression in COMPRESSIONS)


def find_compression(head: bytes) -> Compression | None:
    """How a file is packed, by its first bytes."""
    return next((each for each in COMPRESSIONS if head.startswith(each.magic)), None)


def decompress(data: bytes, name: str) -> bytes:
    """The bytes of a packed file; one that unpacks to absurdly many is refused."""
    return b"".join(_unpack(BytesIO(data), len(data), name, 0.5))  # half of reading it


def _unpack(stream: BinaryIO, size: int, name: str, whole: float = 1.0) -> Iterator[bytes]:
    compression = find_compression(stream.read(_MAGIC_SIZE))
    if compression is None:
        raise BadInput(name, "its name says that it is compressed, but it is not")
    stream.seek(0)
    limit = max(_ALWAYS_ALLOWED, _LARGEST_RATIO * size)
    try:
        for part in _iterate_parts(stream, compression.open_stream, limit, name):
            report_reading(name, size, whole * stream.tell() / size)
            yield part
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


class _UnpackedStream(RawIOBase):
    """What a packed file holds, of which little is in memory at a time."""

    def __init__(self, file: Path, name: str) -> None:
        self._file = file.open("rb")
        self._parts = _unpack(self._file, file.stat().st_size, name)
        self._left = b""

    def close(self) -> None:
        self._file.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._parts, b"")
        size = min(len(self._left), len(buffer))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _open_packed(file: Path, name: str) -> BinaryIO:
    return BufferedReader(_UnpackedStream(file, name), _HEAD_SIZE)


def _iterate_parts(
    packed: BinaryIO, open_stream: Callable[[], Any], limit: int, name: str
) -> Iterator[bytes]:
    """What streams hold, one after the other, as files may be joined; refused beyond a limit."""
    stream, size = open_stream(), 0
    while piece := packed.read(_INPUT_PIECE):
        part = stream.decompress(piece, _OUTPUT_PIECE)
        while part:
            size += len(part)
            if size > limit:
                problem = f"it unpacks to more than {limit >> 20} MiB, which is suspicious"
                raise BadInput(name, problem, "an unpacked file")
            yield part
            left = getattr(stream, "unconsumed_tail", b"")  # of zlib; others keep it themselves
            part = b"" if stream.eof else stream.decompress(left, _OUTPUT_PIECE)
        if stream.eof:
            packed.seek(-len(stream.unused_data or b""), SEEK_CUR)  # lz4 says None
            rest = packed.read(_INPUT_PIECE)
            if not rest.strip(b"\0"):  # padding, as tapes have it
                return
            packed.seek(-len(rest), SEEK_CUR)
            stream = open_stream()
    raise EOFError


_HEAD_SIZE = _TAIL_SIZE = 1 << 16
_PIECE_BYTES = 1 << 24  # of lines that are read together
PACKED_HEADS = (b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x1f\x8b", b"(\xb5")  # polars unpacks these
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # a byte-order mark, which some editors put before UTF-8
JSON_LINES = (".jsonl", ".ndjson")  # suffixes
SEPARATORS = ",;|"  # of fields in CSV
DATASET = "irds:"  # before the id of a dataset: a typo must not start a download
ARROW_STREAM = b"\xff\xff\xff\xff"  # before every message of a stream of Arrow's
_TABLES = {b"PAR1": "parquet", b"ARROW1": "arrow", ARROW_STREAM: "arrow"}  # Feather's are Arrow's
_MEMORY_PER_BYTE = 2  # that rows of a run take, at most
_PARQUET_RATIO = 4  # bytes of text that one of Parquet usually stands for
_MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_OTHER_MARKS = {  # of which the first two begin with one of the others
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


@frozen(eq=False)
class Source:
    """A text by name: its first bytes, its suffix without .gz, and how to get the rest."""

    name: str
    suffix: str
    head: bytes = field(repr=False)
    path: Path | None = None  # a plain file, which can be scanned where it is
    data: bytes | None = field(default=None, repr=False)
    packed: Path | None = None  # a compressed file, which is unpacked when it is read
    _tail: list[bytes] = field(init=False, repr=False, factory=list)  # once that was all read

    def path_or_stream(self) -> Path | BytesIO:
        """What a reader of text reads: the path, or the bytes without a byte-order mark."""
        return self.path if self.path is not None else BytesIO(self.read_bytes())

    @property
    def size(self) -> int:
        """How many bytes there are to read; of a compressed file, an estimate."""
        if self.data is not None:
            return len(self.data)
        return measure_size(self.path or self.packed or "")

    @property
    def table_format(self) -> str | None:
        """Parquet or Arrow, if it is one of them."""
        return next((name for mark, name in _TABLES.items() if self.head.startswith(mark)), None)

    def report_end(self) -> None:
        """Say that all of it has been read."""
        report_reading(self.name, self.size, 1.0)

    def read_bytes(self) -> bytes:
        """All of it."""
        if self.packed is not None:
            return self._content
        data = _read_file(self.path, self.name) if self.data is None else self.data
        return data.removeprefix(BYTE_ORDER_MARK)

    @cached_property
    def _content(self) -> bytes:
        return decompress(_read_file(self.packed, self.name), self.name)

    def read_tail(self) -> bytes:
        """Its last bytes."""
        if self.path is not None:
            with self.path.open("rb") as stream:
                stream.seek(max(0, stream.seek(0, 2) - _TAIL_SIZE))
                return stream.read()
        return self._tail[0] if self._tail else self.read_bytes()[-_TAIL_SIZE:]

    def _open_stream(self) -> BinaryIO:
        if self.packed is not None and self.size > _MAX_HELD:
            return _open_packed(self.packed, self.name)
        return BytesIO(self.read_bytes()) if self.path is None else self.path.open("rb")

    @cached_property
    def first_lines(self) -> list[str]:
        """The lines of its head that are whole, and neither empty nor comments; at least one."""
        head, _, cut = self.head.rpartition(b"\n")
        if not head.strip():  # a line longer than the head
            head = next((line for line in self.iterate_lines() if line.strip()), b"")
        elif len(self.head) < _HEAD_SIZE:
            head += b"\n" + cut
        lines = [line.strip().decode("utf-8", errors="replace") for line in head.split(b"\n")]
        return [line for line in lines if line and not line.startswith("#")] or [""]

    def first_line(self) -> str:
        """The first line that is neither empty nor a comment."""
        return self.first_lines[0]

    def count_comments(self) -> int:
        """How many lines begin with #, perhaps after blanks?"""
        comments = re.compile(rb"(?m)^[ \t\r\v\f]*#")
        return sum(len(comments.findall(piece)) for piece in self.iterate_pieces() if b"#" in piece)

    def iterate_pieces(self, size: int = _PIECE_BYTES) -> Iterator[bytes]:
        """Whole lines of it, in chunks of about this many bytes; reports the progress."""
        done, tail, size_before = 0, b"", self.size
        try:
            with self._open_stream() as stream:
                while piece := stream.read(size):
                    piece += stream.readline()
                    tail = piece[-_TAIL_SIZE:]
                    yield piece
                    done += len(piece)
                    if self.path is not None:  # else it was told as it was unpacked
                        report_reading(self.name, self.size, done / (max(self.size, done) + 1))
            self._tail[:] = [tail]
            if self.path is not None and size_before and {size_before, self.size} != {done}:
                raise describe_change(self.name, min(size_before, self.size, done))
        except OSError as failure:  # it may be gone by now
            raise BadInput(self.name, f"cannot be read: {failure}") from None

    def iterate_lines(self) -> Iterator[bytes]:
        """Its lines, one after the other, with what ends them."""
        with self._open_stream() as stream:
            yield from stream

    def locate_rows(
        self, number_lines: Callable[[], Sequence[int]] | None = None
    ) -> Callable[[int], str]:
        """Where the n-th row stands; lines are numbered only once a message needs it.

        Without numbers of lines, rows are all lines that are not empty.
        """

        def number_filled() -> list[int]:
            lines = enumerate(self.iterate_lines(), start=1)
            return [number for number, line in lines if line.strip()]

        numbers = cache(number_lines or number_filled)
        return lambda row: f"{self.name}:{numbers()[row]}" if row < len(numbers()) else self.name


def describe_change(name: str, byte: int) -> Changed:
    """A file was cut or grew while it was read."""
    return Changed(name, f"it changed while it was read, at byte {byte}")


def is_path(text: str) -> bool:
    """Does a text look like the path of a file, and not like the id of a document?"""
    plain = (".txt", ".run", ".trec", ".res", ".csv", ".tsv", ".json", ".jsonl", ".ndjson")
    suffixes = (*plain, ".parquet", ".arrow", ".feather", *SUFFIXES)
    return "/" in text or "\\" in text or text.lower().endswith(suffixes)


def is_file(path: str | PathLike[str]) -> bool:
    """Is there a file of that name? Of a name that no file can have there is none."""
    return os.path.isfile(path)  # noqa: PTH113  (Path raises where a name is too long)


def is_folder(path: str | PathLike[str]) -> bool:
    """Is there a folder of that name? Of a name that none can have there is none."""
    return os.path.isdir(path)  # noqa: PTH112  (Path raises where a name is too long)


def measure_size(path: str | PathLike[str]) -> int:
    """How many bytes a file has, 0 if it is gone; of a compressed one, an estimate of them all."""
    try:
        size = os.stat(path).st_size  # noqa: PTH116  (Path raises where a name is too long)
    except (OSError, ValueError):  # it may be gone by now
        return 0
    return size * (_USUAL_RATIO if fspath(path).lower().endswith(SUFFIXES) else 1)


def choose_engine() -> str:
    """Which engine the environment variable GAINFUL_ENGINE names; nothing if either will do."""
    own = os.environ.get("GAINFUL_ENGINE", "")
    if own.strip().lower() not in ("", "native", "pure"):
        raise BadValue("GAINFUL_ENGINE", own, "pure; or native, as without it")
    return own.strip().lower()


def exceeds_memory(*paths: str | PathLike[str]) -> bool:
    """Might runs in these files need more memory than there is?

    The environment variable GAINFUL_MEMORY says how many megabytes there are, or else the system
    and its container do.
    """
    own = os.environ.get("GAINFUL_MEMORY", "").strip()
    if own and not own.isdecimal():
        raise BadValue("GAINFUL_MEMORY", own, "a whole number of megabytes, such as 2000")
    memory = int(own) * 1e6 if own else _find_memory()
    packed = [_PARQUET_RATIO if fspath(path).lower().endswith(".parquet") else 1 for path in paths]
    sizes = zip(map(measure_size, paths), packed, strict=True)
    return sum(size * ratio for size, ratio in sizes) * _MEMORY_PER_BYTE > memory


def _find_memory() -> float:
    limits = [*map(_read_proc, _MEMORY_LIMITS)]
    available = re.findall(r"MemAvailable: *(\d+) kB", _read_proc("/proc/meminfo"))
    free = [float(number) * 1024 for number in available]
    if not free and hasattr(os, "sysconf"):
        free = [float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))]
    return min([*free, *(float(limit) for limit in limits if limit.isdecimal())], default=inf)


def _read_proc(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def open_source(path: str | PathLike[str]) -> Source:
    """The text at a path; `-` is standard input. What cannot be text is refused here.

    Records of JSON come without what a search engine or an exporter put around them.
    """
    return unwrap_source(_open_text(path))


def unwrap_source(source: Source) -> Source:
    """A text, or the records that its envelope of JSON holds."""
    if source.head.lstrip()[:1] not in (b"{", b"[", b"\x1e"):
        return source
    from gainful.read.json_text import unwrap  # noqa: PLC0415  (only JSON has them)

    records = unwrap(source.head, source.read_bytes, source.name)
    if records is None:
        return source
    return make_memory_source(source.name, ".json" if records[:1] == b"[" else ".jsonl", records)


def _open_text(path: str | PathLike[str]) -> Source:
    name = fspath(path)
    if not isinstance(name, str):
        raise WrongType("path", path, "a path as text")
    if name == "-":
        return make_memory_source("stdin", "", _read_stdin())
    if not name or "\0" in name:
        raise BadInput(name or "''", "there is no such file")
    file = Path(name)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in SUFFIXES
    suffix = "".join(suffixes[-2:-1] if compressed else suffixes[-1:])
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD_SIZE)
            # A pipe such as <(zcat run.gz) can be read only once, and files of /proc have no size.
            if not file.is_file() or file.stat().st_size < len(head):
                return make_memory_source(name, suffix, head + stream.read())
    except OSError as failure:
        raise BadInput(name, _describe_os_error(failure)) from None
    is_packed = compressed or find_compression(head) is not None
    printable = decode_path(name)
    if is_packed:
        with _open_packed(file, printable) as stream:
            head = stream.read(_HEAD_SIZE)
    is_odd = head.startswith(BYTE_ORDER_MARK) or _has_mac_line_ends(head) or not head.strip()
    if is_odd or (printable != name and not is_packed):  # which polars cannot scan, or even open
        return make_memory_source(printable, suffix, _read_file(file, name))
    text = Source(printable, suffix, _check_head(head, printable))
    return evolve(text, packed=file) if is_packed else evolve(text, path=file)


def _has_mac_line_ends(head: bytes) -> bool:
    is_table = head.startswith((*_TABLES,))  # in which both are bytes of numbers
    return not is_table and b"\r" in head.strip() and b"\n" not in head


def make_memory_source(name: str, suffix: str, data: bytes) -> Source:
    """A text, or a binary table, that is in memory already, perhaps packed."""
    data = data if find_compression(data) is None else decompress(data, name)
    data = data.removeprefix(BYTE_ORDER_MARK)
    if _has_mac_line_ends(data[:_HEAD_SIZE]):
        data = data.replace(b"\r", b"\n")
    filled = data if data[:_HEAD_SIZE].strip() else data.lstrip()
    return Source(name, suffix, _check_head(filled[:_HEAD_SIZE], name), data=data)


def _check_head(head: bytes, name: str) -> bytes:
    if not head.strip():
        raise BadInput(name, "the file is empty")
    if head.startswith((*_TABLES,)):
        return head
    for mark, encoding in _OTHER_MARKS.items():
        if head.startswith(mark):
            raise BadInput(name, f"this is {encoding} text", "UTF-8")
    if b"\0" in head:
        raise BadInput(name, "this is a binary file", "text, Parquet or Arrow")
    return head


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise BadInput("stdin", "there is nothing to read", "a file, or - with a pipe")
    if not hasattr(sys.stdin, "buffer"):  # io.StringIO
        return sys.stdin.read().encode()
    return sys.stdin.buffer.read()


def _read_file(file: Path | None, name: str) -> bytes:
    try:
        return file.read_bytes() if file is not None else b""
    except OSError as failure:
        raise BadInput(name, _describe_os_error(failure)) from None


def _describe_os_error(failure: OSError) -> str:
    if isinstance(failure, FileNotFoundError):
        return "there is no such file"
    if isinstance(failure, IsADirectoryError):
        return "this is a directory, not a file"
    return f"cannot be read: {failure.strerror or failure}"
