"""The values of fitted models: effects with intervals, variance components, residuals."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.errors import CannotCompare
from gainful.evidence.models.random_intercept import RandomIntercept
from gainful.evidence.models.residual_check import ResidualCheck
from gainful.text import pluralise
from gainful.types import Array


@frozen
class Estimate:
    """An effect: its size, its standard error, its interval, and p if it were 0."""

    term: str
    estimate: float
    error: float
    low: float
    high: float
    degrees: int
    p: float | None  # of a mean, none: nobody asks whether it is 0


@frozen
class TermTest:
    """Are all effects of a term 0 at once?"""

    term: str
    f: float
    degrees: int
    error_degrees: int
    p: float


@frozen
class VarianceComponent:
    """What one source contributes to the variance of values that fixed effects leave."""

    source: str
    variance: float
    sd: float
    share: float


@frozen(kw_only=True)
class FittedModel:
    """The model of one measure."""

    measure: str
    formula: str
    groups: int  # queries or searchers
    values: int
    differences: tuple[Estimate, ...]  # of each system to the baseline
    estimates: tuple[Estimate, ...]  # all that is told, those included
    tests: tuple[TermTest, ...]
    components: tuple[VarianceComponent, ...]
    residuals: ResidualCheck
    notes: tuple[str, ...] = ()


def estimate_effect(
    model: RandomIntercept, term: str, contrast: Array, alpha: float, *, tested: bool = True
) -> Estimate:
    """A contrast of the fixed effects: its interval and p by t."""
    from scipy.stats import t  # noqa: PLC0415  (slow to load)

    estimate = float(contrast @ model.coefficients)
    error = float(np.sqrt(contrast @ model.covariance @ contrast))
    degrees = _count_degrees(model, contrast[None, :], term)
    reach = float(t.isf(alpha / 2, degrees)) * error
    p = float(2 * t.sf(abs(estimate) / error, degrees)) if tested else None
    return Estimate(term, estimate, error, estimate - reach, estimate + reach, degrees, p)


def estimate_mean(model: RandomIntercept, name: str, contrast: Array, alpha: float) -> Estimate:
    """The mean of a system, which nobody asks to be 0."""
    return estimate_effect(model, f"mean of {name}", contrast, alpha, tested=False)


def f_test(model: RandomIntercept, term: str, contrasts: Array) -> TermTest:
    """Are all these contrasts 0 at once, by F?"""
    from scipy.stats import f as f_distribution  # noqa: PLC0415  (slow to load)

    differences = contrasts @ model.coefficients
    covariance = contrasts @ model.covariance @ contrasts.T
    number = len(contrasts)
    ratio = float(differences @ np.linalg.solve(covariance, differences)) / number
    degrees = _count_degrees(model, contrasts, term)
    return TermTest(term, ratio, number, degrees, float(f_distribution.sf(ratio, number, degrees)))


def _count_degrees(model: RandomIntercept, contrasts: Array, term: str) -> int:
    degrees = model.degrees(contrasts)
    if degrees < 1:
        raise CannotCompare(f"{term}: no degrees of freedom are left to test it")
    return degrees


def list_components(model: RandomIntercept, group: str) -> tuple[VarianceComponent, ...]:
    """What groups and errors contribute."""
    total = model.group_variance + model.error_variance
    sources = ((group, model.group_variance), ("error", model.error_variance))
    return tuple(
        VarianceComponent(name, variance, float(np.sqrt(variance)), variance / total)
        for name, variance in sources
    )


def write_notes(
    model: RandomIntercept, check: ResidualCheck, group: str, instead: str
) -> tuple[str, ...]:
    """What one should know of the model: no variance of groups, errors that are not as it says."""
    notes = []
    if not model.group_variance:
        groups = pluralise(group)
        notes.append(f"{groups} differ by no more than errors make them: their variance is 0")
    if check.doubts:
        doubts = " and not ".join(check.doubts)
        notes.append(f"residuals are not {doubts}; {instead} does not need them to be")
    return tuple(notes)
