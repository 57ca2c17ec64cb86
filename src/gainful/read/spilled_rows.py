"""Rows that come in any order, to be read again in parts of whole sessions.

A part is all sessions whose hashes fall between two numbers. Rows are held until there are many,
then written to a file in the order of those numbers, so that of every file a part is one stretch.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl
from attrs import define, field
from numpy.typing import NDArray

KEY = "\0key"  # the hash of a session's name
_BITS = 14
BUCKETS = 1 << _BITS  # by the first bits of a hash
_SHIFT = np.uint64(64 - _BITS)
_MAX_HELD = 2_000_000  # rows
Rows = TypeVar("Rows", pl.DataFrame, NDArray[Any])


@define(eq=False)
class Spilled(Generic[Rows]):
    """Rows of one kind, in files of a folder that somebody else removes."""

    folder: Path
    name: str
    counts: NDArray[np.int64] = field(init=False, factory=lambda: np.zeros(BUCKETS, dtype=np.int64))
    _held: list[Rows] = field(init=False, factory=list)
    # And where in each file the buckets begin.
    _files: list[tuple[Path, NDArray[np.int64]]] = field(init=False, factory=list)

    def add(self, rows: Rows) -> None:
        """Take some rows, which have their hashes."""
        self._held.append(rows)
        if sum(map(len, self._held)) >= _MAX_HELD:
            self.finish()

    def finish(self) -> None:
        """Write what is held: there are no more rows, or too many."""
        if not self._held:
            return
        rows = self._join(self._held)
        self._held.clear()
        bucket = (self._read_keys(rows) >> _SHIFT).astype(np.uint16)
        counts = np.bincount(bucket, minlength=BUCKETS)
        order = np.argsort(bucket, kind="stable")  # of two bytes, which is quick
        path = self.folder / f"{self.name}{len(self._files)}"
        self._write(rows, order, path)
        self._files.append((path, np.concatenate([[0], np.cumsum(counts)])))
        self.counts += counts

    def read(self, buckets: slice) -> Rows:
        """The rows of a part."""
        return self._join(
            [
                self._read(path, int(starts[buckets.start]), int(starts[buckets.stop]))
                for path, starts in self._files
            ]
        )

    @abstractmethod
    def _join(self, parts: list[Rows]) -> Rows:
        """All rows of the parts."""

    @abstractmethod
    def _read_keys(self, rows: Rows) -> NDArray[np.uint64]:
        """The hashes of rows."""

    @abstractmethod
    def _write(self, rows: Rows, order: NDArray[np.intp], path: Path) -> None:
        """Write rows in this order."""

    @abstractmethod
    def _read(self, path: Path, start: int, stop: int) -> Rows:
        """The rows of a file from one place to another."""


@define(eq=False)
class SpilledRows(Spilled[pl.DataFrame]):
    """Rows of a table with a column of hashes."""

    def _join(self, parts: list[pl.DataFrame]) -> pl.DataFrame:
        return pl.concat(parts)

    def _read_keys(self, rows: pl.DataFrame) -> NDArray[np.uint64]:
        return rows[KEY].to_numpy()

    def _write(self, rows: pl.DataFrame, order: NDArray[np.intp], path: Path) -> None:
        rows[order].write_ipc(path, compression="uncompressed")

    def _read(self, path: Path, start: int, stop: int) -> pl.DataFrame:
        return pl.scan_ipc(path).slice(start, stop - start).collect()


def hash_sessions(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows, each with the hash of its session."""
    return rows.with_columns(pl.col("session").hash(1).alias(KEY))


def choose_parts(counts: NDArray[np.int64], max_rows: int) -> Iterator[slice]:
    """Stretches of buckets that have so many rows together, or one bucket if it has more."""
    start, total = 0, 0
    for bucket, count in enumerate(counts.tolist()):
        if total and total + count > max_rows:
            yield slice(start, bucket)
            start, total = bucket, 0
        total += count
    if total:
        yield slice(start, BUCKETS)
