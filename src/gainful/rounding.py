"""Equal but for rounding: how near two numbers are that were only added up in different orders.

One rule for all rooms. Where numbers are read closer or more widely than usual, the size has a
name of its own here, and no other file has one.
"""

from __future__ import annotations

import numpy as np

from gainful.types import Array, Flags

ROUNDING = 1e-12  # of the size of the numbers: what is nearer to another is the same
FINE_ROUNDING = 1e-13  # where only a handful of sums lie between the two
COARSE_ROUNDING = 1e-9  # after long computations: of matrices, of bounds over many gradings


def is_negligible(
    difference: float | Array, size: float | Array = 1.0, tolerance: float = ROUNDING
) -> Flags:
    """Is a difference only one of rounding, for numbers of this size?

    Examples:
        >>> bool(is_negligible(0.1 + 0.2 - 0.3)), bool(is_negligible(0.001))
        (True, False)
    """
    flags: Flags = np.abs(difference) <= tolerance * np.abs(size)
    return flags
