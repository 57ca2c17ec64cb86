"""Sums that come out the same in any order, on any number of threads; values that are equal."""

from __future__ import annotations

import numpy as np

from gainful.rounding import ROUNDING
from gainful.types import Array

_BITS = 52  # whole numbers below 2**53 are exact, and so are their sums


def round_to_grid(
    values: Array, max_terms: int, magnitude: Array | None = None
) -> tuple[Array, Array]:
    """Values as whole numbers of a fine grid, and how many steps of it make 1, by column.

    Sums of so many of them are exact, so that neither the order in which they are added nor the
    number of threads that add them can change a count. The grid is so fine that a value is off
    by less than one part in 2**52/most_added of the largest. `size` is what they were made of, if
    that was larger: what is left of it after rounding is nothing then.
    """
    largest = np.abs(values).max(axis=0, initial=0.0) if magnitude is None else magnitude
    bits = _BITS - int(np.ceil(np.log2(max(max_terms, 2))))
    exponent = np.where(largest > 0, bits - np.ceil(np.log2(np.where(largest > 0, largest, 1))), 0)
    steps = np.exp2(np.minimum(exponent, 1000))
    return np.rint(values * steps), steps


def drop_rounding_noise(values: Array) -> Array:
    """Values of which those of one row that differ by rounding alone do not differ.

    Sums that come in another order are rounded otherwise, on another machine always the same way:
    a test of signs would take that for evidence.

    Examples:
        >>> drop_rounding_noise(np.array([[0.1 + 0.2, 0.3, 0.4]])).tolist()
        [[0.3, 0.3, 0.4]]
    """
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    gaps = np.diff(ascending, axis=1, prepend=-np.inf)
    new = gaps > ROUNDING * np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    first = np.maximum.accumulate(np.where(new, np.arange(values.shape[1]), 0), axis=1)
    cleaned = np.empty_like(values)
    np.put_along_axis(cleaned, order, np.take_along_axis(ascending, first, axis=1), axis=1)
    return cleaned
