"""Arrays of grades and scores, of whatever library → rankings that measures take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from gainful.errors import BadShape, BadValue, WrongType
from gainful.text import NUMBER_PATTERN, shorten, split_numbers
from gainful.types import Array, Ranks, slices

_IN_NUMPY = ("float16", "float32", "float64", "int", "uint", "bool")  # torch's kinds that it has


def to_plain(value: Any, argument: str) -> Any:
    """Numbers that NumPy can read: typed ones, tensors from any device, Arrow's lists.

    Examples:
        >>> to_plain("[3, 2, 3]", "grades"), to_plain("3 2 3", "grades")
        ([3.0, 2.0, 3.0], [3.0, 2.0, 3.0])
    """
    if isinstance(value, str):
        return _parse_typed_numbers(value, argument)
    if isinstance(value, (list, tuple)):
        foreign = bool(value) and (_is_tensor(value[0]) or _has_128_bits(value[0]))
        return [to_plain(part, argument) for part in value] if foreign else value
    if _is_tensor(value):
        return _from_tensor(value, argument)
    if _has_128_bits(value):
        return value.to_list()
    maker = type(value).__module__.partition(".")[0]
    if maker == "cupy":
        return value.get()
    return value.to_pylist() if maker == "pyarrow" else value


def _parse_typed_numbers(text: str, argument: str) -> list[float]:
    allowed = "numbers, such as '3 2 3 0 1 2' or [3, 2, 3, 0, 1, 2]"
    words = split_numbers(text)
    if text.isdigit() and len(text) > 1:
        raise WrongType(argument, text, f"{allowed}; this can be one grade, or one per digit")
    for word in words:
        if not re.fullmatch(NUMBER_PATTERN, word, re.ASCII):
            raise WrongType(argument, word, allowed)
    return [float(word) for word in words]


def _is_tensor(value: object) -> bool:
    return hasattr(value, "detach") and hasattr(value, "cpu") and hasattr(value, "numpy")


def _has_128_bits(value: object) -> bool:
    is_polars = type(value).__module__.startswith("polars")
    return is_polars and "128" in str(getattr(value, "dtype", ""))


def _from_tensor(tensor: Any, argument: str) -> Any:
    """The numbers of a tensor, wherever it is; of kinds that NumPy lacks as 32-bit floats."""
    try:
        if getattr(tensor, "is_nested", False):
            return [_from_tensor(part, argument) for part in tensor.unbind()]
        plain = tensor.detach().cpu()
        kind = str(plain.dtype).removeprefix("torch.")
        return (plain if kind.startswith(_IN_NUMPY) else plain.float()).numpy()
    except (RuntimeError, TypeError, NotImplementedError) as failure:
        device, reason = getattr(tensor, "device", "?"), shorten(str(failure))
        allowed = f"a dense tensor that has its numbers ({reason})"
        raise WrongType(argument, f"a tensor on {device}", allowed) from None


@frozen(eq=False)
class RowGroups:
    """Which rows of a flat array are one ranking."""

    lengths: Ranks
    order: Ranks | None = None  # the rows group by group; None where they stand so

    def split(self, numbers: Numbers, argument: str) -> RankingMatrix:
        """A ranking for each group, out of a flat array."""
        flat = read_ranking(numbers, argument).flat
        if len(flat) != self.lengths.sum():
            allowed = f"one for each of {self.lengths.sum()} rows"
            raise BadShape(argument, f"{len(flat)} numbers", allowed)
        flat = flat if self.order is None else flat[self.order]
        return RankingMatrix(flat, self.lengths, (len(self.lengths),), ragged=True)


def read_groups(group: Any, qid: Any, row_count: int) -> RowGroups:
    """Groups by their sizes (LightGBM, XGBoost), or by an id in each row (XGBoost, CatBoost).

    Examples:
        >>> read_groups([2, 1], None, 3).lengths.tolist()
        [2, 1]
        >>> read_groups(None, ["a", "a", "b"], 3).lengths.tolist()
        [2, 1]
    """
    if group is not None and qid is not None:
        raise BadValue("qid", qid, "group= or qid=, not both")
    return _read_sizes(group, row_count) if qid is None else _read_ids(qid, row_count)


def drop_masked(mask: Any, numbers: Numbers, argument: str) -> RankingMatrix:
    """Rankings of an array without the places that hold no document, whatever stands there."""
    same_shape = "arrays of one shape; lists of different lengths need no mask"
    array, keep = _as_array(numbers, argument, same_shape), _as_array(mask, "mask", same_shape)
    if keep.dtype.kind not in "biuf" or not np.isin(keep, (0, 1)).all():
        raise WrongType("mask", mask, "True where there is a document, False where there is none")
    keep = keep.astype(bool)
    if keep.shape != array.shape:
        shapes = [" × ".join(map(str, shape)) or "1" for shape in (keep.shape, array.shape)]
        raise BadShape("mask", shapes[0], f"as many as {argument}: {shapes[1]}")
    rankings = read_rankings(np.where(keep, array, 0), argument)
    return rankings.drop(~keep.reshape(-1))


def _as_array(value: Any, argument: str, allowed: str) -> NDArray[Any]:
    try:
        return np.ma.getdata(np.asanyarray(to_plain(value, argument)))
    except Exception:  # noqa: BLE001  (lists of different lengths, huge numbers, other libraries)
        raise BadShape(argument, value, allowed) from None


def _read_sizes(group: Any, row_count: int) -> RowGroups:
    allowed = "the size of each group, such as [3, 2]; ids are qid="
    sizes = _as_array(group, "group", allowed)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise WrongType("group", group, allowed)
    total = sum(map(int, sizes))
    if total != row_count:
        ids = "; these look like an id for each row: qid=" if len(sizes) == row_count else ""
        problem = f"sizes that sum to {row_count}, the number of grades{ids}"
        raise BadShape("group", f"{len(sizes)} sizes that sum to {total}", problem)
    if len(sizes) == row_count > 1:
        readings = f"as sizes {row_count} groups of one, as ids one group of {row_count}"
        both = f"sizes or ids ({readings}): qid=[1, 2, …] or qid=[1, 1, …] says which"
        raise BadShape("group", group, both)
    return RowGroups(sizes.astype(np.intp))


def _read_ids(qid: Any, row_count: int) -> RowGroups:
    allowed = f"an id for each of {row_count} rows"
    ids = _as_array([qid] if isinstance(qid, str) else qid, "qid", allowed)
    if ids.ndim != 1 or len(ids) != row_count:
        raise BadShape("qid", " × ".join(map(str, ids.shape)), allowed)
    if ids.dtype.kind == "O":  # texts beside numbers have no order
        ids = np.array([str(value) for value in ids.tolist()])
    _, first, code = np.unique(ids, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[code]  # groups by first appearance
    order = np.argsort(place, kind="stable")
    in_order = bool((np.diff(place) >= 0).all())
    return RowGroups(np.bincount(place).astype(np.intp), None if in_order else order)


Numbers = ArrayLike | Sequence[Sequence[float]]
_MAX_EXACT = 2.0**53
_MAX_CELLS = 10**8
_ALLOWED = "finite numbers, one list per ranking"


@frozen(eq=False)
class RankingMatrix:
    """Rankings of any length, one after the other; or as one matrix, filled up with zeros."""

    flat: NDArray[Any]  # floats of 64 bit, or of 32 where they were given so
    lengths: Ranks
    shape: tuple[int, ...]  # the batch axes; () for a single ranking
    ragged: bool = False

    @cached_property
    def matrix(self) -> NDArray[Any]:
        """A row for each ranking, its numbers as precise as they were given."""
        if not self.ragged:
            return self.flat.reshape(len(self.lengths), -1)
        longest = max(1, int(self.lengths.max()))
        cells = longest * len(self.lengths)
        if cells > _MAX_CELLS and cells > 10 * int(self.lengths.sum()):
            sizes = f"{len(self.lengths)} lists, the longest of {longest}"
            raise BadShape("grades", sizes, "lists of similar length; split the batch by length")
        matrix = np.zeros((len(self.lengths), longest), self.flat.dtype)
        matrix[np.arange(matrix.shape[1]) < self.lengths[:, None]] = self.flat
        return matrix

    @property
    def values(self) -> Array:
        """A row for each ranking, in 64 bit."""
        return self.matrix.astype(np.float64, copy=False)

    @property
    def present(self) -> NDArray[np.bool_] | None:
        """Which cells of the matrix hold a document; None where all do."""
        return np.arange(self.matrix.shape[1]) < self.lengths[:, None] if self.ragged else None

    @property
    def row(self) -> Ranks:
        """The ranking that each number belongs to."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def split_rows(self, size: int) -> Iterator[slice | Ranks]:
        """Rankings of similar lengths together, at most about so many numbers at a time."""
        if not self.ragged:
            yield from slices(len(self.lengths), size // int(self.lengths[0]))
            return
        magnitude = np.frexp(self.lengths)[1]
        for power in np.unique(magnitude):
            rows = np.flatnonzero(magnitude == power)
            yield from (rows[part] for part in slices(len(rows), size >> int(power)))

    def take(self, rows: slice | Ranks) -> RankingMatrix:
        """Some of the rankings, as a batch of their own."""
        lengths = self.lengths[rows]
        if self.ragged:
            begin = (np.cumsum(self.lengths) - self.lengths)[rows]
            within = np.arange(int(lengths.sum())) - np.repeat(
                np.cumsum(lengths) - lengths, lengths
            )
            flat = self.flat[np.repeat(begin, lengths) + within]
        else:
            flat = self.matrix[rows].reshape(-1)
        return RankingMatrix(flat, lengths, (len(lengths),), self.ragged)

    def drop(self, unwanted: NDArray[np.bool_]) -> RankingMatrix:
        """The rankings less some of their numbers; those below them move up."""
        lengths = np.bincount(self.row[~unwanted], minlength=len(self.lengths))
        return RankingMatrix(self.flat[~unwanted], lengths, self.shape, ragged=True)

    def refuse(self, argument: str, flags: NDArray[np.bool_], allowed: str) -> None:
        """Say where in the argument the first number is that is flagged, and its value."""
        if not flags.any():
            return
        if flags.ndim == 2:  # cells of the matrix
            flags = flags.ravel() if self.present is None else flags[self.present]
        at = int(np.flatnonzero(flags)[0])
        row = int(self.row[at])
        batch = [int(index) for index in np.unravel_index(row, self.shape)] if self.shape else []
        column = at - int(self.lengths[:row].sum())
        place = "".join(f"[{index}]" for index in (*batch, column))
        raise BadValue(argument + place, float(self.flat[at]), allowed)


def read_rankings(numbers: Numbers, argument: str) -> RankingMatrix:
    """Lists, ragged lists or arrays of numbers as `RankingMatrix`; the last axis is the rank.

    Examples:
        >>> read_rankings([[3, 2, 0], [1]], "grades").lengths.tolist()
        [3, 1]
    """
    numbers = to_plain(numbers, argument)
    array = _as_rectangle(numbers, argument)
    if array is None:
        return _check_finite(_join_lists(numbers, argument), argument)
    array = _check_numbers(array, numbers, argument)
    if array.ndim == 0:
        raise WrongType(argument, numbers, "a ranking: a list or array of numbers")
    if array.size == 0:
        raise BadValue(argument, numbers, "at least one document; this ranking is empty")
    shape, size = array.shape[:-1], array.shape[-1]
    lengths = np.full(array.size // size, size, dtype=np.intp)
    return _check_finite(RankingMatrix(array.reshape(-1), lengths, shape), argument)


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


def _join_lists(numbers: Any, argument: str) -> RankingMatrix:
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
    return RankingMatrix(np.concatenate(lists), lengths, (len(lengths),), ragged=True)


def _is_list(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping, AbstractSet))


def _check_numbers(array: NDArray[Any], numbers: Any, argument: str) -> NDArray[Any]:
    """The numbers as floats of 64 or 32 bit, or an error for the first entry that is none."""
    if np.ma.is_masked(array):
        place = "".join(f"[{int(index[0])}]" for index in np.nonzero(np.ma.getmaskarray(array)))
        allowed = "a number in every place; mask=~array.mask leaves others out"
        raise BadValue(argument + place, "masked", allowed)
    array = np.asarray(array)
    if array.dtype.kind in "Vf" and array.dtype.name.startswith(("bfloat", "float8")):  # of JAX
        array = array.astype(np.float32)
    if array.dtype.kind == "O" and all(isinstance(value, Real) for value in array.flat):
        try:
            array = array.astype(np.float64)
        except OverflowError:
            raise BadValue(argument, "a huge number", "finite numbers") from None
    if array.dtype.kind not in "buif":
        raise _not_a_number(numbers, argument)
    if array.dtype == np.float32:
        return array
    with np.errstate(over="ignore"):
        floats: Array = array.astype(np.float64, copy=False)
    if array.dtype.kind in "iu" and (np.abs(floats) > _MAX_EXACT).any():
        raise BadValue(argument, int(array.max()), "whole numbers up to 2^53; beyond, use floats")
    return floats


def _not_a_number(numbers: Any, argument: str) -> WrongType:
    for index, value in np.ndenumerate(np.array(numbers, dtype=object)):
        if not isinstance(value, Real):
            place = "".join(f"[{position}]" for position in index)
            culprit = str(value) if isinstance(value, str) else value  # not np.str_('a')
            return WrongType(argument + place, culprit, _ALLOWED)
    return WrongType(argument, numbers, _ALLOWED)


def _check_finite(rankings: RankingMatrix, argument: str) -> RankingMatrix:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rankings.flat.sum()):  # so are all of them; quicker than to ask each
            return rankings
    has_nan = rankings.shape and np.isnan(rankings.flat).any()
    padding = "; padding is left out by mask=" if has_nan else ""
    rankings.refuse(argument, ~np.isfinite(rankings.flat), f"finite numbers{padding}")
    return rankings
