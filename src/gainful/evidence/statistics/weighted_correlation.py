"""Pearson's, Spearman's and Kendall's correlation of many weighted samples at once.

A resample of a bootstrap is a weight for each unit: how often it was drawn. Each function takes
such weights, a row for each resample, and gives a coefficient for each row; not a number where one
side does not vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import frozen

from gainful.types import Array, Ranks

_NO_VARIANCE = 1e-12  # of a variance, as a share of the mean square: what rounding leaves


@frozen(eq=False)
class Pair:
    """What each unit has on both sides, in a form that is cheap to weigh."""

    x: Array
    y: Array


def pearson(pair: Pair, weights: Array) -> Array:
    """The product-moment correlation of each weighted sample.

    Examples:
        >>> pair = Pair(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 5.0]))
        >>> round(float(pearson(pair, np.ones((1, 3)))[0]), 4)  # scipy.stats.pearsonr
        0.982
    """
    return _correlate_columns(pair.x[None, :], pair.y[None, :], weights)


def spearman(pair: Pair, weights: Array) -> Array:
    """The correlation of the ranks, which each weighted sample has anew; ties share theirs."""
    return _correlate_columns(_mid_ranks(pair.x, weights), _mid_ranks(pair.y, weights), weights)


def kendall(pair: Pair, weights: Array) -> Array:
    """Kendall's tau-b: pairs of units that both sides order alike, less those they do not."""
    signs = [np.sign(side[:, None] - side[None, :]).astype(np.float32) for side in (pair.x, pair.y)]
    drawn = weights.astype(np.float32)

    def weigh(matrix: Array) -> Array:
        return np.asarray(np.einsum("bi,bi->b", drawn @ matrix, drawn, dtype=np.float64))

    same = weigh(np.asarray(signs[0] * signs[1]))
    possible = np.sqrt(weigh(np.asarray(signs[0] ** 2)) * weigh(np.asarray(signs[1] ** 2)))
    return _divide(same, possible)


COEFFICIENTS: Mapping[str, Callable[[Pair, Array], Array]] = {
    "spearman": spearman,
    "pearson": pearson,
    "kendall": kendall,
}
COEFFICIENT_WORDS = {
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
    "kendall": "Kendall's tau-b",
}


def _correlate_columns(x: Array, y: Array, weights: Array) -> Array:
    total = weights.sum(axis=1, keepdims=True)
    x, y = (side - (weights * side).sum(axis=1, keepdims=True) / total for side in (x, y))
    squares = [(weights * side**2).sum(axis=1) for side in (x, y)]
    product = (weights * x * y).sum(axis=1)
    scale = [_NO_VARIANCE * total[:, 0] * np.abs(side).max() ** 2 for side in (x, y)]
    varies = (squares[0] > scale[0]) & (squares[1] > scale[1])
    return _divide(product, np.where(varies, np.sqrt(squares[0] * squares[1]), 0.0))


def _divide(numerator: Array, denominator: Array) -> Array:
    quotient = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return np.asarray(np.clip(quotient, -1.0, 1.0))


def _mid_ranks(values: Array, weights: Array) -> Array:
    """The rank of each unit in each weighted sample, the mean of its ties."""
    order, starts, group = _group_equal(values)
    by_group = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(by_group, axis=1) - by_group + (by_group + 1) / 2
    ranks: Array = middle[:, group]
    return ranks


def _group_equal(values: Array) -> tuple[Ranks, Ranks, Ranks]:
    """Units in the order of their values, where each group of equal ones begins, whose it is."""
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    return order, starts, group
