"""The arrays that walk through the rooms, the parts they are cut in, what counts as a number."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from numbers import Integral, Real
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ranks = NDArray[np.intp]  # whole numbers that count or point: ranks, positions, indices


def is_number(value: object) -> TypeGuard[float]:
    """Is it a number, of whatever make? True and False are none.

    Examples:
        >>> is_number(2), is_number(np.float32(0.5)), is_number(True), is_number("2")
        (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def to_float(number: float) -> float:
    """The number as a float; a whole number that is too large is infinite."""
    try:
        return float(number)
    except OverflowError:
        return inf


MAX_COUNT = 1 << 53  # ranks, queries, positions: beyond it a float cannot count


def is_whole_number(value: object) -> TypeGuard[int]:
    """Is it a whole number, of whatever make? True and False are none.

    Examples:
        >>> is_whole_number(2), is_whole_number(np.int64(2)), is_whole_number(2.0)
        (True, True, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def slices(total: int, size: int) -> Iterator[slice]:
    """Parts of so many things in a row, each of `size` (at least 1) but the last.

    Examples:
        >>> [(part.start, part.stop) for part in slices(5, 2)]
        [(0, 2), (2, 4), (4, 5)]
    """
    size = max(1, size)
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def fill_masked(values: object) -> Array:
    """Numbers, not a number where they are masked."""
    return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)


def finite_or_none(value: float | None) -> float | None:
    """A number for JSON, which knows neither NaN nor infinity: None is in their place.

    Examples:
        >>> finite_or_none(0.5), finite_or_none(float("nan"))
        (0.5, None)
    """
    return None if value is None or not np.isfinite(value) else float(value)
