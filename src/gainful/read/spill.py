"""Rows that come in any order, to be read again in parts of whole owners: sessions, users, queries.

A part is all owners whose hashes fall between two numbers. Rows are held until there are many, then
written to a file that has no name where the system permits that, so that nothing is left behind.
"""

from __future__ import annotations

import errno
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from typing import IO, Any

import numpy as np
import polars as pl
from attrs import define, field
from numpy.typing import NDArray

from gainful.errors import BadInput
from gainful.read.engines import Engine, report_engine_errors
from gainful.text import quote
from gainful.threads import map_ahead, take_ahead

KEY = "\0key"  # the hash of an owner's name
MAX_OWNER_ROWS = 10_000_000  # of one owner, which memory holds together
_BITS = 8
BUCKETS = 1 << _BITS  # by the first bits of a hash
_SHIFT = np.uint64(64 - _BITS)
_MAX_HELD = 2_000_000  # rows
_MAX_KEPT = 500_000  # rows in all that are never written
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of an Arrow stream
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_Starts = NDArray[np.int64]  # where each bucket begins, and the last one ends


@define(eq=False)
class Spill:
    """Rows of one kind with the hashes of their owners."""

    name: str  # of what they come from, for messages
    owners: Sequence[str] = ()  # columns of their names, if there may be too many rows of one
    counts: NDArray[np.int64] = field(init=False, factory=lambda: np.zeros(BUCKETS, dtype=np.int64))
    _empty: pl.DataFrame = field(init=False, factory=pl.DataFrame)  # which has their columns
    _held: list[pl.DataFrame] = field(init=False, factory=list)
    _kept: tuple[pl.DataFrame, _Starts] | None = field(init=False, default=None)
    _file: IO[bytes] | None = field(init=False, default=None)
    _head: bytes = field(init=False, default=b"")  # of a stream of them
    _blocks: list[_Starts] = field(init=False, factory=list)  # in bytes of the file

    def add(self, rows: pl.DataFrame) -> None:
        """Take some rows, which have their hashes."""
        self._empty = rows.clear()
        self._held.append(rows)
        if sum(map(len, self._held)) >= _MAX_HELD:
            self._write(*self._sort())

    def finish(self) -> None:
        """There are no more rows."""
        if not self._held:
            return
        rows, starts = self._sort()
        if self._file is None and len(rows) <= _MAX_KEPT:
            self._kept = rows, starts
        else:
            self._write(rows, starts)

    def _sort(self) -> tuple[pl.DataFrame, _Starts]:
        rows = pl.concat(self._held, rechunk=True)
        self._held.clear()
        bucket = (rows[KEY].to_numpy() >> _SHIFT).astype(np.uint8)
        counts = np.bincount(bucket, minlength=BUCKETS)
        self.counts += counts
        order = np.argsort(bucket, kind="stable")  # of single bytes, which is quick
        return rows[order], np.concatenate([[0], np.cumsum(counts)])

    def _write(self, rows: pl.DataFrame, starts: _Starts) -> None:
        """A block of the file: the rows of each bucket as a message of an Arrow stream.

        So those of many buckets are read at once, with the head of a stream before them.
        """
        with _report_full_disk(self.name):
            self._file = self._file or _open_file(self)
            places = [self._file.seek(0, 2)]
            for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
                if stop > start:
                    rows[start:stop].write_ipc_stream(stream := BytesIO(), compression="lz4")
                    message = stream.getbuffer()
                    size = 8 + int.from_bytes(message[4:8], "little")  # of the head: its columns
                    self._head = bytes(message[:size])
                    self._file.write(message[size : -len(_END)])
                places.append(self._file.tell())
            self._file.flush()
        self._blocks.append(np.array(places))

    def read(self, buckets: slice) -> pl.DataFrame:
        """The rows of a part."""
        if self.owners:
            names = (
                pl.read_ipc_stream(stretch, columns=[*self.owners])
                for stretch in self._find(buckets)
            )
            total = int(self.counts[buckets].sum())
            refuse_large_owners(names, self.owners, total, self.name)
        parts = [self._empty, *map(pl.read_ipc_stream, self._find(buckets))]
        if self._kept is not None:
            rows, starts = self._kept
            parts.append(rows[starts[buckets.start] : starts[buckets.stop]])
        return pl.concat(parts)

    def _find(self, buckets: slice) -> Iterator[BytesIO]:
        for places in self._blocks:
            start, stop = places[buckets.start], places[buckets.stop]
            if stop > start and self._file is not None:
                self._file.seek(start)
                yield BytesIO(self._head + self._file.read(stop - start) + _END)


def _open_file(owner: object) -> IO[bytes]:
    """A file that is closed, and thus gone, when its owner is."""
    file = tempfile.TemporaryFile(prefix="gainful-")  # noqa: SIM115
    weakref.finalize(owner, _close, file)
    return file


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # a full disk, which was told when rows were written
        file.close()


@contextmanager
def _report_full_disk(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        if failure.errno not in _FULL:
            raise
        problem = f"no space is left in it for rows of {name}"
        allowed = "free space there, or another folder: set the environment variable TMPDIR"
        raise BadInput(tempfile.gettempdir(), problem, allowed) from None


@define(eq=False)
class RepeatFinder:
    """Any number of hashes, of which two may be equal."""

    name: str  # of what they come from, for messages
    _held: list[NDArray[np.uint64]] = field(init=False, factory=list)  # sorted, each of them
    _file: IO[bytes] | None = field(init=False, default=None)
    _blocks: list[tuple[int, _Starts]] = field(init=False, factory=list)  # where it is in the file

    def take(self, engine: Engine, hashes: Any) -> None:
        """Take the rows of one column, of which two batches are sorted while the next ones come."""
        with report_engine_errors(engine, self.name), closing(engine.stream(hashes)) as batches:
            for ordered in map_ahead(lambda rows: np.sort(rows.to_series().to_numpy()), batches):
                self._add(ordered)

    def _add(self, ordered: NDArray[np.uint64]) -> None:
        self._held.append(ordered)
        if self._file is None and sum(map(len, self._held)) <= _MAX_KEPT:
            return
        with _report_full_disk(self.name):
            self._file = self._file or _open_file(self)
            for block in self._held:
                starts = np.searchsorted(block, np.arange(BUCKETS, dtype=np.uint64) << _SHIFT)
                self._blocks.append((self._file.tell(), np.append(starts, len(block))))
                self._file.write(block.data)
            self._file.flush()
        self._held.clear()

    def has_repeats(self) -> bool:
        """Are two of all that were taken equal?"""
        counts = sum((np.diff(starts) for _, starts in self._blocks), np.zeros(BUCKETS, np.int64))
        parts = [self._held] if self._held else map(self._read, choose_parts(counts, _MAX_HELD))
        together = (np.sort(np.concatenate(part)) for part in parts)
        return any((hashes[1:] == hashes[:-1]).any() for hashes in together)

    def _read(self, buckets: slice) -> list[NDArray[np.uint64]]:
        arrays = list[NDArray[np.uint64]]()
        if self._file is None:
            return arrays
        for place, starts in self._blocks:
            first, last = int(starts[buckets.start]), int(starts[buckets.stop])
            self._file.seek(place + 8 * first)
            arrays.append(np.frombuffer(self._file.read(8 * (last - first)), dtype=np.uint64))
        return arrays


def name_owners(columns: Sequence[str]) -> pl.Expr:
    """The owner of each row: what the first of these columns says that says anything."""
    names = [pl.col(column).cast(pl.String) for column in columns]
    return pl.coalesce(*(pl.when(name != "").then(name) for name in names), pl.lit(""))


def refuse_large_owners(
    rows: Iterable[pl.DataFrame], owners: Sequence[str], total: int, name: str
) -> None:
    """Refuse more rows of one owner than memory is asked to hold."""
    if total <= MAX_OWNER_ROWS:
        return
    known = [pl.when(pl.col(each).cast(pl.String) != "").then(pl.lit(each)) for each in owners]
    kinds = pl.coalesce(*known, pl.lit(owners[0])).alias("kind"), name_owners(owners).alias("owner")
    counts = pl.concat([some.group_by(*kinds).len("rows") for some in rows])
    most = counts.group_by("kind", "owner").agg(pl.col("rows").sum()).sort("rows")
    kind, owner, count = most.row(-1)
    if count > MAX_OWNER_ROWS:
        problem = f"{kind} {quote(owner)} alone has {count:,} rows"
        raise BadInput(name, problem, f"at most {MAX_OWNER_ROWS:,} rows of one {kind}")


def choose_parts(counts: NDArray[np.int64], max_rows: int) -> Iterator[slice]:
    """Stretches of buckets that have so many rows together, or one bucket if it has more.

    None is left out, though it may be empty.
    """
    start, total = 0, 0
    for bucket, count in enumerate(counts.tolist()):
        if total and count and total + count > max_rows:
            yield slice(start, bucket)
            start, total = bucket, 0
        total += count
    if total:
        yield slice(start, BUCKETS)


def take_rows(engine: Engine, name: str, native: Any, take: Callable[[pl.DataFrame], None]) -> None:
    """Take a result of an engine, which goes on while some rows of it are taken."""
    with report_engine_errors(engine, name), closing(engine.stream(native)) as rows:
        take_ahead(take, rows)
