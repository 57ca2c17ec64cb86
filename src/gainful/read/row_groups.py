"""Flat arrays in groups (`group=`, `qid=`) and padded ones (`mask=`) → `RankingMatrix`."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from gainful.errors import BadShape, BadValue, WrongType
from gainful.read.foreign_arrays import to_plain
from gainful.read.ranking_matrix import (
    Numbers,
    RankingMatrix,
    pad_flat,
    read_ranking,
    read_rankings,
)
from gainful.types import Ranks


@frozen(eq=False)
class RowGroups:
    """Which rows of a flat array are one ranking."""

    lengths: Ranks
    order: Ranks | None = None  # the rows group by group; None where they stand so

    def split(self, numbers: Numbers, argument: str) -> RankingMatrix:
        """A ranking for each group, out of a flat array."""
        flat = read_ranking(numbers, argument).values[0]
        if len(flat) != self.lengths.sum():
            allowed = f"one for each of {self.lengths.sum()} rows"
            raise BadShape(argument, f"{len(flat)} numbers", allowed)
        return pad_flat(flat if self.order is None else flat[self.order], self.lengths, argument)


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


def drop_masked(numbers: Numbers, mask: Any, argument: str) -> RankingMatrix:
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
    return rankings.drop(~keep.reshape(rankings.values.shape))


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
    """Groups in the order in which their ids first appear, wherever their rows stand."""
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
