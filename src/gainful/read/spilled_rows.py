"""Rows that come in any order, to be read again in parts of whole sessions.

A part is all sessions whose hashes fall between two numbers. Rows are held until there are many,
then written to a file in the order of those numbers, so that of every file a part is one stretch.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from attrs import define, field
from numpy.typing import NDArray

KEY = "gainful_key"  # the hash of a session's name
_BITS = 14
BUCKETS = 1 << _BITS  # by the first bits of a hash
_SHIFT = np.uint64(64 - _BITS)
_MAX_HELD = 1_000_000  # rows


@define(eq=False)
class SpilledRows:
    """Rows of one kind, in files of a folder that somebody else removes."""

    folder: Path
    name: str
    counts: NDArray[np.int64] = field(factory=lambda: np.zeros(BUCKETS, dtype=np.int64))
    _held: list[pl.DataFrame] = field(factory=list)
    _files: list[tuple[Path, NDArray[np.int64]]] = field(factory=list)  # and where buckets begin

    def add(self, rows: pl.DataFrame) -> None:
        """Take some rows, which have their hashes."""
        self._held.append(rows)
        if sum(map(len, self._held)) >= _MAX_HELD:
            self._write()

    def finish(self) -> None:
        """There are no more rows."""
        if self._held:
            self._write()

    def _write(self) -> None:
        rows = pl.concat(self._held)
        self._held.clear()
        order, starts = sort_into_buckets(rows[KEY].to_numpy())
        path = self.folder / f"{self.name}{len(self._files)}.arrow"
        rows[order].write_ipc(path, compression="uncompressed")
        self._files.append((path, starts))
        self.counts += np.diff(starts)

    def read(self, buckets: slice) -> pl.DataFrame:
        """The rows of a part."""
        return pl.concat(
            pl.scan_ipc(path)
            .slice(int(starts[buckets.start]), int(starts[buckets.stop] - starts[buckets.start]))
            .collect()
            for path, starts in self._files
        )


def sort_into_buckets(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The order of keys by bucket, and where in it each bucket begins and the last one ends."""
    bucket = (keys >> _SHIFT).astype(np.uint16)
    counts = np.bincount(bucket, minlength=BUCKETS)
    order = np.argsort(bucket, kind="stable")  # of two bytes, which is quick
    return order, np.concatenate([[0], np.cumsum(counts)])


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
