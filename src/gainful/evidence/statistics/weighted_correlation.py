"""Pearson's, Spearman's and Kendall's correlation of many weighted samples at once.

A resample of a bootstrap is a weight for each unit: how often it was drawn. Each function takes
such weights, a row for each resample, and gives what correlates values with a label: a coefficient
for each row, not a number where one side does not vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gainful.types import Array, Ranks

_NO_VARIANCE = 1e-12  # of a variance, as a share of the mean square: what rounding leaves


Correlate = Callable[[Array], Array]  # a value for each unit → a coefficient for each sample


def pearson(label: Array, weights: Array) -> Correlate:
    """The product-moment correlation with the label, of each weighted sample.

    Examples:
        >>> correlate = pearson(np.array([2.0, 4.0, 5.0]), np.ones((1, 3)))
        >>> round(float(correlate(np.array([1.0, 2.0, 3.0]))[0]), 4)  # scipy.stats.pearsonr
        0.982
    """
    return _correlate_with(label[None, :], weights, lambda values: values[None, :])


def spearman(label: Array, weights: Array) -> Correlate:
    """The correlation of the ranks, which each weighted sample has anew; ties share theirs."""
    return _correlate_with(
        _mid_ranks(label, weights), weights, lambda values: _mid_ranks(values, weights)
    )


def kendall(label: Array, weights: Array) -> Correlate:
    """Kendall's tau-b: pairs of units that both sides order alike, less those they do not."""
    drawn = weights.astype(np.float32)

    def weigh(matrix: Array) -> Array:
        return np.asarray(np.einsum("bi,bi->b", drawn @ matrix, drawn, dtype=np.float64))

    label_signs = _pair_signs(label)
    label_pairs = weigh(label_signs**2)

    def correlate(values: Array) -> Array:
        signs = _pair_signs(values)
        possible = np.sqrt(weigh(signs**2) * label_pairs)
        return _divide(weigh(signs * label_signs), possible)

    return correlate


# What is computed of the label is computed once for all measures that are held against it.
COEFFICIENTS: Mapping[str, Callable[[Array, Array], Correlate]] = {
    "spearman": spearman,
    "pearson": pearson,
    "kendall": kendall,
}
COEFFICIENT_WORDS = {
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
    "kendall": "Kendall's tau-b",
}


def _pair_signs(values: Array) -> Array:
    return np.asarray(np.sign(values[:, None] - values[None, :]), dtype=np.float32)


def _correlate_with(label: Array, weights: Array, convert: Callable[[Array], Array]) -> Correlate:
    total = weights.sum(axis=1, keepdims=True)
    weighted = weights * (label - (weights * label).sum(axis=1, keepdims=True) / total)
    label_squares = _sum_squares(label, weights, total)

    def correlate(values: Array) -> Array:
        numbers = convert(values)
        squares = _sum_squares(numbers, weights, total)
        product = (weighted * (numbers - numbers[:, :1])).sum(axis=1)
        return _divide(product, np.sqrt(squares * label_squares))

    return correlate


def _sum_squares(values: Array, weights: Array, total: Array) -> Array:
    """The weighted squares around the mean of each sample; 0 where only rounding is left."""
    centred = values - (weights * values).sum(axis=1, keepdims=True) / total
    squares = (weights * centred**2).sum(axis=1)
    slack = _NO_VARIANCE * total[:, 0] * float(np.abs(centred).max()) ** 2
    return np.where(squares > slack, squares, 0.0)


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
