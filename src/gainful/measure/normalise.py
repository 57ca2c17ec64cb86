"""What was reached over what was possible, as the convention has it."""

from __future__ import annotations

import numpy as np

from gainful.convention import Empty, NegativeIdeal
from gainful.errors import BadValue, NoIdeal
from gainful.rounding import FINE_ROUNDING
from gainful.types import Array


def normalise_by(
    actual: Array, ideal: Array, empty: Empty, negative_ideal: NegativeIdeal = "empty"
) -> Array:
    """Actual over ideal; where the ideal is not above zero, what the convention's `empty` says.

    Under `skip` those places are masked, so that a mean leaves them out. Some tools divide by an
    ideal below zero too, and rax by 1 instead of an ideal of 0.
    """
    if negative_ideal == "divide_or_dcg":
        ideal = np.where((ideal == 0) & (actual != 0), 1.0, ideal)
    divisible = ideal > 0 if negative_ideal == "empty" else ideal != 0
    if empty == "error" and not divisible.all():
        index = tuple(int(places[0]) for places in np.nonzero(~divisible))
        raise NoIdeal(index, float(ideal[index]))
    fill = float(empty) if empty in (0, 1) else 0.0
    with np.errstate(over="ignore"):  # a huge gain over a tiny ideal
        values = np.divide(actual, ideal, out=np.full(actual.shape, fill), where=divisible)
    if not np.isfinite(values).all():
        raise BadValue("ideal", float(ideal[~np.isfinite(values)][0]), "a larger ideal")
    values[np.abs(values - 1) < FINE_ROUNDING] = 1.0  # the sums were added in different orders
    return np.ma.masked_array(values, mask=~divisible) if empty == "skip" else values
