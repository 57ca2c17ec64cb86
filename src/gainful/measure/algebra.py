"""The vector algebra of Järvelin et al. 2008, appendix, formulas (3) to (5).

Vectors are gain vectors by rank, such as `dcg_curve` gives. Two orders of averaging and
normalising give two different numbers; each has its own name here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gainful.convention import SETTINGS
from gainful.convention.convention import Empty
from gainful.errors import BadShape, BadValue, WrongType
from gainful.measure.ranked_run import normalise_by
from gainful.read.ranking_matrix import to_plain
from gainful.types import Array


def add(vectors: Sequence[ArrayLike]) -> Array:
    """V₁ + V₂ + … + Vₙ, formula (3).

    Examples:
        >>> add([[1, 2], [3, 4]]).tolist()
        [4.0, 6.0]
    """
    with np.errstate(over="ignore"):
        total: Array = _stack(vectors, "vectors").sum(axis=0)
    return _as_vector(total, "sum")


def scale(vector: ArrayLike, by: float) -> Array:
    """R · V, formula (3): such as a query's vector by its query discount.

    Examples:
        >>> scale([3, 6], 0.5).tolist()
        [1.5, 3.0]
    """
    factor = _as_vector(by, "by")
    if factor.ndim:
        raise BadShape("by", by, "one number")
    with np.errstate(over="ignore"):
        scaled = _as_vector(vector, "vector") * factor
    return _as_vector(scaled, "product")


def average(vectors: Sequence[ArrayLike]) -> Array:
    """The average vector, formula (4).

    Examples:
        >>> average([[1, 2], [3, 6]]).tolist()
        [2.0, 4.0]
    """
    stacked = _stack(vectors, "vectors")
    mean: Array = (stacked / len(stacked)).sum(axis=0)
    if np.ma.isMaskedArray(stacked):  # what is left out does not count
        mean = stacked.mean(axis=0)
    return mean


def normalise(vector: ArrayLike, ideal: ArrayLike, *, empty: Empty = 0) -> Array:
    """V over I, rank by rank, formula (5); `empty` says what 0/0 is.

    Examples:
        >>> normalise([3, 4], [3, 5]).tolist()
        [1.0, 0.8]
    """
    SETTINGS["empty"].check(empty)
    actual, best = _as_vector(vector, "vector"), _as_vector(ideal, "ideal")
    if actual.shape[-1:] != best.shape[-1:] or not actual.ndim:
        raise BadShape(
            "ideal", _describe_length(best), f"as long as the vector: {_describe_length(actual)}"
        )
    try:
        left_out = np.ma.getmaskarray(actual) | np.ma.getmaskarray(best)
    except ValueError:
        raise BadShape("ideal", f"{len(best)} vectors", f"one, or {len(actual)}") from None
    numerator, denominator = np.broadcast_arrays(np.asarray(actual), np.asarray(best))
    share = normalise_by(numerator, denominator, empty)
    if not left_out.any():
        return share
    return np.ma.masked_array(share, mask=left_out | np.ma.getmaskarray(share))


def average_of_normalised(
    vectors: Sequence[ArrayLike], ideals: Sequence[ArrayLike], *, empty: Empty = 0
) -> Array:
    """Normalise each vector by its own ideal, then average: every query counts the same.

    Examples:
        >>> average_of_normalised([[1.0], [1.0]], [[1.0], [4.0]]).tolist()
        [0.625]
    """
    mean: Array = normalise(*_pair(vectors, ideals), empty=empty).mean(axis=0)
    return mean


def normalised_average(
    vectors: Sequence[ArrayLike], ideals: Sequence[ArrayLike], *, empty: Empty = 0
) -> Array:
    """Average the vectors, average the ideals, then divide: rich queries count for more.

    Examples:
        >>> normalised_average([[1.0], [1.0]], [[1.0], [4.0]]).tolist()
        [0.4]
    """
    actual, best = _pair(vectors, ideals)
    return normalise(average([*actual]), average([*best]), empty=empty)


def _pair(vectors: Sequence[ArrayLike], ideals: Sequence[ArrayLike]) -> tuple[Array, Array]:
    actual, best = _stack(vectors, "vectors"), _stack(ideals, "ideals")
    if actual.shape != best.shape:
        shapes = (" × ".join(map(str, array.shape)) for array in (best, actual))
        raise BadShape("ideals", next(shapes), f"one for each vector: {next(shapes)}")
    return actual, best


def _describe_length(array: Array) -> object:
    return array.shape[-1] if array.ndim else "a single number"


def _as_vector(value: ArrayLike, argument: str) -> Array:
    try:
        plain = to_plain(value, argument)
        # A masked array stays one: what is left out stays out. A matrix is an array like others.
        array = np.ma.asarray(plain) if np.ma.isMaskedArray(plain) else np.asarray(plain)
    except ValueError:
        allowed = "vectors of one length; k= makes curves equally long"
        raise BadShape(argument, value, allowed) from None
    if array.dtype.kind not in "buif":
        raise WrongType(argument, value, "numbers")
    if not np.isfinite(np.ma.filled(array, 0)).all():
        raise BadValue(argument, value, "finite numbers")
    return array.astype(np.float64)


def _stack(vectors: Sequence[ArrayLike], argument: str) -> Array:
    if isinstance(vectors, (list, tuple)) and any(map(np.ma.isMaskedArray, vectors)):
        try:
            stacked: Any = np.ma.stack([np.ma.asarray(vector) for vector in vectors])
        except ValueError:
            allowed = "at least one vector, all of one length"
            raise BadShape(argument, vectors, allowed) from None
    elif isinstance(vectors, (list, tuple)):  # of whatever holds numbers
        stacked = [to_plain(vector, argument) for vector in vectors]
    else:
        stacked = vectors
    array = _as_vector(stacked, argument)
    if array.ndim < 2 or array.shape[0] == 0:
        raise BadShape(argument, vectors, "at least one vector, all of one length")
    return array
