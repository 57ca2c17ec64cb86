"""A linear model with a random intercept for each query or searcher, by restricted likelihood.

Values are a sum of fixed effects, one draw for each group, and an error. All depends on one ratio:
the variance between groups by that of errors. Where every group has the same rows, it follows from
the mean squares of the analysis of variance; else statsmodels finds it. With the ratio, the rest is
least squares of values from which a part of their group's mean is taken.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.errors import CannotCompare, NotInstalled
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Ranks

_TOLERANCE = 1e-8  # of the gradient, of values whose spread is 1
_SMALLEST_RATIO = 1e-6  # of variances; what an optimiser leaves where it got stuck at nothing


@frozen(eq=False)
class RandomIntercept:
    """The fitted model: fixed effects and their covariance, variances, what is left of values."""

    coefficients: Array
    covariance: Array
    group_variance: float
    error_variance: float
    residuals: Array  # less the fixed effects and the group's own
    rank: int  # of the fixed effects
    joint_rank: int  # of fixed effects and groups together
    row_space: Array  # contrasts that can be estimated within groups: orthonormal rows

    @property
    def rows(self) -> int:
        """How many values there are."""
        return len(self.residuals)

    def degrees(self, contrasts: Array) -> int:
        """Degrees of freedom of these contrasts: of errors, or of groups where groups tell them.

        It is the containment method: what can be estimated within groups is held against errors.
        """
        projected = contrasts @ self.row_space.T @ self.row_space
        if np.allclose(projected, contrasts, atol=COARSE_ROUNDING):
            return self.rows - self.joint_rank
        return self.joint_rank - self.rank


def fit_random_intercept(
    values: Array, fixed: Array, group: Ranks, label: str, feature: str
) -> RandomIntercept:
    """The model of these values.

    Args:
        values: one for each row.
        fixed: the columns of the fixed effects; they span the constant, and none is superfluous.
        group: the number of each row's query or searcher, from 0 on without gaps.
        label: what a message calls the values: the measure.
        feature: what needs statsmodels, for who has not installed it.
    """
    counts = np.bincount(group)
    demeaned = fixed - _group_means(fixed, group)[group]
    sizes, right = np.linalg.svd(demeaned, full_matrices=False)[1:]
    within = sizes > COARSE_ROUNDING * len(values)
    joint_rank = len(counts) + int(within.sum())
    if len(values) - joint_rank < 1 or len(counts) < 2:
        raise CannotCompare(f"{label}: too few values for a model: no error is left to estimate")
    left = _remove_span(values - _group_means(values[:, None], group)[group, 0], demeaned)
    if (left**2).sum() <= (COARSE_ROUNDING**2) * (values**2).sum():
        raise CannotCompare(
            f"{label}: the model does not converge: it leaves no error, so that nothing can be "
            "held against one"
        )
    ratio = variance_ratio(values, fixed, group, label, feature)
    shrink = 1 - 1 / np.sqrt(1 + ratio * counts)
    part = shrink[group][:, None]
    whitened = fixed - part * _group_means(fixed, group)[group]
    target = values - part[:, 0] * _group_means(values[:, None], group)[group, 0]
    inverse = np.linalg.inv(whitened.T @ whitened)
    coefficients = inverse @ (whitened.T @ target)
    errors = target - whitened @ coefficients
    error_variance = float(errors @ errors) / (len(values) - fixed.shape[1])
    marginal = values - fixed @ coefficients
    intercepts = ratio * counts / (1 + ratio * counts)
    intercepts = intercepts * _group_means(marginal[:, None], group)[:, 0]
    return RandomIntercept(
        coefficients=coefficients,
        covariance=error_variance * inverse,
        group_variance=ratio * error_variance,
        error_variance=error_variance,
        residuals=marginal - intercepts[group],
        rank=fixed.shape[1],
        joint_rank=joint_rank,
        row_space=right[within],
    )


def variance_ratio(values: Array, fixed: Array, group: Ranks, label: str, feature: str) -> float:
    """The variance between groups by that of errors, as restricted likelihood has it.

    It is 0 where groups differ by no more than errors make them: the likelihood falls from there.
    """
    if _slope_at_zero(values, fixed, group) <= 0:
        return 0.0
    if _has_equal_groups(fixed, group):
        return _ratio_of_mean_squares(values, fixed, group)
    return _ratio_by_statsmodels(values, fixed, group, label, feature)


def _slope_at_zero(values: Array, fixed: Array, group: Ranks) -> float:
    """The derivative of the restricted likelihood by the ratio, where that is 0."""
    residuals = _remove_span(values, fixed)
    variance = float(residuals @ residuals) / (len(values) - fixed.shape[1])
    sums = np.bincount(group, residuals)
    basis = np.linalg.qr(fixed)[0]
    spanned = np.zeros((int(group.max()) + 1, basis.shape[1]))
    np.add.at(spanned, group, basis)
    return float(sums @ sums / variance - len(values) + (spanned**2).sum())


def _has_equal_groups(fixed: Array, group: Ranks) -> bool:
    """Has every group the same rows, in the same order?"""
    counts = np.bincount(group)
    if (counts != counts[0]).any() or (np.diff(group) < 0).any():
        return False
    cube = fixed.reshape(len(counts), counts[0], -1)
    return bool((cube == cube[:1]).all())


def _ratio_of_mean_squares(values: Array, fixed: Array, group: Ranks) -> float:
    """Of groups alike: from the mean squares of groups and of errors."""
    number = int(group.max()) + 1
    size = len(values) // number
    table = values.reshape(number, size)
    of_group = table.mean(axis=1)
    among = size * float(((of_group - of_group.mean()) ** 2).sum()) / (number - 1)
    errors = _remove_span((table - of_group[:, None]).ravel(), fixed)
    rank = int(np.linalg.matrix_rank(fixed))
    error = float(errors @ errors) / (len(values) - number - rank + 1)
    return (among / error - 1) / size


def _ratio_by_statsmodels(
    values: Array, fixed: Array, group: Ranks, label: str, feature: str
) -> float:
    """By an optimiser; what it is not sure of is refused."""
    import warnings  # noqa: PLC0415

    try:
        from statsmodels.regression.mixed_linear_model import (  # noqa: PLC0415  (an extra)
            MixedLM,
        )
    except ImportError:
        raise NotInstalled(feature, "models") from None
    scaled = values / values.std()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fit = MixedLM(scaled, fixed, group).fit(reml=True, method=["bfgs"], gtol=_TOLERANCE)
        except (Warning, np.linalg.LinAlgError, ValueError) as problem:
            reason = " ".join(str(problem).split()).rstrip(".")
            raise CannotCompare(f"{label}: the model does not converge: {reason}") from None
    ratio = float(np.asarray(fit.cov_re)[0, 0] / fit.scale)
    if not fit.converged or not _SMALLEST_RATIO < ratio < np.inf:
        raise CannotCompare(f"{label}: the model does not converge")
    return ratio


def _group_means(columns: Array, group: Ranks) -> Array:
    counts = np.bincount(group)
    sums = np.zeros((len(counts), columns.shape[1]))
    np.add.at(sums, group, columns)
    return np.asarray(sums / counts[:, None])


def _remove_span(values: Array, columns: Array) -> Array:
    """What least squares leaves of values."""
    coefficients, *_ = np.linalg.lstsq(columns, values, rcond=None)
    return np.asarray(values - columns @ coefficients)
