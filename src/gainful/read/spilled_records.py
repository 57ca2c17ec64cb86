"""Short records of numbers, written and read as they stand in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from attrs import define
from numpy.typing import NDArray

from gainful.read.spilled_rows import Spilled

Records = NDArray[Any]  # of a structured type, which begins with a key


@define(eq=False)
class SpilledRecords(Spilled[Records]):
    """Records of one type."""

    kind: np.dtype[Any]

    def add_columns(self, **columns: NDArray[Any]) -> None:
        """Take some records, by columns."""
        records = np.empty(len(columns["key"]), self.kind)
        for name, values in columns.items():
            records[name] = values
        self.add(records)

    def _join(self, parts: list[Records]) -> Records:
        plain = np.dtype((np.void, self.kind.itemsize))  # else each field would be copied
        views = [part.view(plain) for part in (parts or [np.empty(0, self.kind)])]
        return np.concatenate(views).view(self.kind)

    def _read_keys(self, rows: Records) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = rows["key"]
        return keys

    def _write(self, rows: Records, order: NDArray[np.intp], path: Path) -> None:
        np.take(rows, order).tofile(path)  # an index would copy field by field

    def _read(self, path: Path, start: int, stop: int) -> Records:
        return np.fromfile(path, self.kind, count=stop - start, offset=start * self.kind.itemsize)
