"""The arrays that walk through the rooms, and what counts as a number."""

from __future__ import annotations

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


def is_whole_number(value: object) -> TypeGuard[int]:
    """Is it a whole number, of whatever make? True and False are none.

    Examples:
        >>> is_whole_number(2), is_whole_number(np.int64(2)), is_whole_number(2.0)
        (True, True, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)
