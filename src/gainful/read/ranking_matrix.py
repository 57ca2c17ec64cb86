"""Plain numbers in lists or arrays → `RankingMatrix`: checked, rectangular, ready to be ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from gainful.errors import BadShape, BadValue, WrongType
from gainful.read.foreign_arrays import to_plain
from gainful.text import shorten
from gainful.types import Array, Ranks

Numbers = ArrayLike | Sequence[Sequence[float]]
_MAX_EXACT = 2.0**53
_MAX_CELLS = 10**8
_ALLOWED = "finite numbers, one list per ranking"


@frozen(eq=False)
class RankingMatrix:
    """Rankings of any length as one matrix, a row each, filled up with zeros."""

    values: Array
    lengths: NDArray[np.intp]
    shape: tuple[int, ...]  # the batch axes; () for a single ranking
    ragged: bool = False

    @property
    def present(self) -> NDArray[np.bool_] | None:
        """Which cells hold a document; None where all do."""
        return np.arange(self.values.shape[1]) < self.lengths[:, None] if self.ragged else None

    def locate(self, row: int, column: int) -> str:
        """The index of a cell as the user wrote it: `[17]`, or `[3][17]` in a batch."""
        batch = [int(index) for index in np.unravel_index(row, self.shape)] if self.shape else []
        return "".join(f"[{index}]" for index in (*batch, column))

    def drop(self, unwanted: NDArray[np.bool_]) -> RankingMatrix:
        """The rankings less some documents; those below them move up."""
        order = np.argsort(unwanted, axis=1, kind="stable")
        lengths = self.lengths - np.count_nonzero(unwanted, axis=1)
        filled = np.arange(self.values.shape[1]) < lengths[:, None]
        values = np.where(filled, np.take_along_axis(self.values, order, axis=1), 0.0)
        return RankingMatrix(values, lengths, self.shape, ragged=True)

    def find(self, mask: NDArray[np.bool_]) -> tuple[str, float]:
        """Index and value of the first cell that is wanted."""
        row, column = (int(index[0]) for index in np.nonzero(mask))
        return self.locate(row, column), float(self.values[row, column])


def read_rankings(numbers: Numbers, argument: str) -> RankingMatrix:
    """Lists, ragged lists or arrays of numbers as `RankingMatrix`; the last axis is the rank.

    Examples:
        >>> read_rankings([[3, 2, 0], [1]], "grades").lengths.tolist()
        [3, 1]
    """
    numbers = to_plain(numbers, argument)
    array = _as_rectangle(numbers, argument)
    if array is None:
        return _check_finite(_pad_lists(numbers, argument), argument)
    array = _check_numbers(array, numbers, argument)
    if array.ndim == 0:
        raise WrongType(argument, numbers, "a ranking: a list or array of numbers")
    if array.size == 0:
        raise BadValue(argument, numbers, "at least one document; this ranking is empty")
    matrix = np.ascontiguousarray(array).reshape(-1, array.shape[-1])
    lengths = np.full(len(matrix), matrix.shape[1], dtype=np.intp)
    return _check_finite(RankingMatrix(matrix, lengths, array.shape[:-1]), argument)


def read_ranking(numbers: Numbers, argument: str) -> RankingMatrix:
    """One list of numbers, for one ranking."""
    rankings = read_rankings(numbers, argument)
    if rankings.shape:
        raise BadShape(argument, f"{len(rankings.lengths)} lists", "one list, for one ranking")
    return rankings


def _as_rectangle(numbers: Any, argument: str) -> NDArray[Any] | None:
    """The input as an array, or None if its lists differ in length."""
    try:
        array: NDArray[Any] = np.asanyarray(numbers)
    except ValueError:  # NumPy's word for lists of different lengths
        return None
    except Exception as failure:  # noqa: BLE001  (objects of other libraries may raise anything)
        allowed = f"{_ALLOWED}; NumPy cannot read this ({shorten(str(failure))})"
        raise WrongType(argument, type(numbers).__name__, allowed) from None
    if array.dtype.kind == "O" and array.ndim == 1 and any(map(_is_list, array)):
        return None
    return array


def _pad_lists(numbers: Any, argument: str) -> RankingMatrix:
    lists = []
    for index, ranking in enumerate(numbers):
        if not _is_list(ranking):
            allowed = "either numbers or lists of numbers, not both"
            raise BadShape(f"{argument}[{index}]", ranking, allowed)
        array = _as_rectangle(ranking, f"{argument}[{index}]")
        if array is None or array.ndim != 1:
            raise BadShape(f"{argument}[{index}]", ranking, "one list of numbers per ranking")
        if array.size == 0:
            raise BadValue(f"{argument}[{index}]", ranking, "at least one document")
        lists.append(_check_numbers(array, ranking, f"{argument}[{index}]"))
    lengths = np.array([len(ranking) for ranking in lists], dtype=np.intp)
    return pad_flat(np.concatenate(lists), lengths, argument)


def pad_flat(flat: Array, lengths: Ranks, argument: str) -> RankingMatrix:
    """Rankings that stand one after the other, as rows of one matrix."""
    _refuse_unequal_lengths(lengths, argument)
    matrix = np.zeros((len(lengths), int(lengths.max())))
    matrix[np.arange(matrix.shape[1]) < lengths[:, None]] = flat
    return RankingMatrix(matrix, lengths, (len(lengths),), ragged=True)


def _refuse_unequal_lengths(lengths: Ranks, argument: str) -> None:
    """Lists are filled up to the longest; that must not take gigabytes."""
    longest = int(lengths.max())
    cells = longest * len(lengths)
    if cells > _MAX_CELLS and cells > 10 * int(lengths.sum()):
        sizes = f"{len(lengths)} lists, the longest of {longest}"
        raise BadShape(argument, sizes, "lists of similar length; split the batch by length")


def _is_list(value: object) -> bool:
    """A list, an array, or a column of a data frame; not a text, and nothing without order."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping, AbstractSet))


def _check_numbers(array: NDArray[Any], numbers: Any, argument: str) -> Array:
    """The numbers as 64-bit floats, or an error for the first entry that is none."""
    if np.ma.is_masked(array):
        place = "".join(f"[{int(index[0])}]" for index in np.nonzero(np.ma.getmaskarray(array)))
        allowed = "a number in every place; mask=~array.mask leaves others out"
        raise BadValue(argument + place, "masked", allowed)
    array = np.asarray(array)
    if (
        array.dtype.kind == "V" and array.dtype.name == "bfloat16"
    ):  # of JAX, which NumPy cannot compute with
        array = array.astype(np.float32)
    if array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.flat):
        array = _as_floats(array, argument)
    if array.dtype.kind not in "buif":
        raise _not_a_number(numbers, argument)
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64, copy=False)
    if array.dtype.kind in "iu" and (np.abs(floats) > _MAX_EXACT).any():
        raise BadValue(argument, int(array.max()), "whole numbers up to 2^53; beyond, use floats")
    return floats


def _as_floats(array: NDArray[Any], argument: str) -> NDArray[Any]:
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise BadValue(argument, "a huge number", "finite numbers") from None


def _not_a_number(numbers: Any, argument: str) -> WrongType:
    """The error for the first entry that is not a number."""
    for index, value in np.ndenumerate(np.array(numbers, dtype=object)):
        if not isinstance(value, Real):
            place = "".join(f"[{position}]" for position in index)
            culprit = str(value) if isinstance(value, str) else value  # not np.str_('a')
            return WrongType(argument + place, culprit, _ALLOWED)
    return WrongType(argument, numbers, _ALLOWED)


def _check_finite(rankings: RankingMatrix, argument: str) -> RankingMatrix:
    if not np.isfinite(rankings.values).all():
        place, value = rankings.find(~np.isfinite(rankings.values))
        padding = "; padding is left out by mask=" if rankings.shape and np.isnan(value) else ""
        raise BadValue(argument + place, value, f"finite numbers{padding}")
    return rankings
