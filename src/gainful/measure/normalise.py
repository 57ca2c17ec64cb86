"""What was reached over what was possible, as the convention has it."""

from __future__ import annotations

import numpy as np

from gainful.convention import Empty
from gainful.errors import BadValue
from gainful.formula import Array

_ROUNDING = 1e-13


def ratio(actual: Array, ideal: Array, empty: Empty) -> Array:
    """Actual over ideal; where the ideal is not above zero, what the convention's `empty` says.

    Under `skip` those places are masked, so that a mean leaves them out.
    """
    some = ideal > 0
    if empty == "error" and not some.all():
        where = "".join(f"[{int(index[0])}]" for index in np.nonzero(~some))
        value = float(ideal[~some][0])
        raise BadValue(f"ideal{where}", value, "an ideal above zero (empty=error)")
    fill = float(empty) if empty in (0, 1) else 0.0
    with np.errstate(over="ignore"):  # a huge gain over a tiny ideal
        found = np.divide(actual, ideal, out=np.full(actual.shape, fill), where=some)
    if not np.isfinite(found).all():
        raise BadValue("ideal", float(ideal[~np.isfinite(found)][0]), "a larger ideal")
    found[np.abs(found - 1) < _ROUNDING] = 1.0  # the sums were added in different orders
    return np.ma.masked_array(found, mask=~some) if empty == "skip" else found
