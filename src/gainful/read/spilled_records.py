"""Short records that come in any order, to be read again in parts of whole sessions.

As `SpilledRows`, but of numbers alone, which are written and read as they stand in memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from gainful.read.spilled_rows import BUCKETS, sort_into_buckets

Records = NDArray[Any]  # of a structured type
_MAX_HELD = 2_000_000  # records


@define(eq=False)
class SpilledRecords:
    """Records of one kind, which begin with a key, in files of a folder that somebody removes."""

    folder: Path
    name: str
    kind: np.dtype[Any]
    counts: NDArray[np.int64] = field(factory=lambda: np.zeros(BUCKETS, dtype=np.int64))
    _held: list[Records] = field(factory=list)
    _files: list[tuple[Path, NDArray[np.int64]]] = field(factory=list)  # and where buckets begin

    def add(self, **columns: NDArray[Any]) -> None:
        """Take some records, by columns."""
        records = np.empty(len(columns["key"]), self.kind)
        for name, values in columns.items():
            records[name] = values
        self._held.append(records)
        if sum(map(len, self._held)) >= _MAX_HELD:
            self._write()

    def finish(self) -> None:
        """There are no more records."""
        if self._held:
            self._write()

    def _write(self) -> None:
        records = np.concatenate(self._held)
        self._held.clear()
        order, starts = sort_into_buckets(records["key"])
        path = self.folder / f"{self.name}{len(self._files)}.records"
        np.take(records, order).tofile(path)  # an index would copy field by field
        self._files.append((path, starts))
        self.counts += np.diff(starts)

    def read(self, buckets: slice) -> Records:
        """The records of a part."""
        return np.concatenate(
            [
                np.fromfile(
                    path,
                    self.kind,
                    count=int(starts[buckets.stop] - starts[buckets.start]),
                    offset=int(starts[buckets.start]) * self.kind.itemsize,
                )
                for path, starts in self._files
            ]
            or [np.empty(0, self.kind)]
        )
