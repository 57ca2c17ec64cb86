"""Standardised scores: how good is a run on a query, beside the others on the same one?

A hard query has low scores and an easy one high ones; standardised, each counts alike. The scores
of a query are mapped to 0 … 1 by a distribution: a normal one of their mean and deviation (Webber,
Moffat & Zobel 2008), a uniform one (Sakai 2016), or their own (Urbano, Lima & Hanjalic 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadValue, UnknownName
from gainful.evidence.pairing import PairedValues
from gainful.types import Array

MIN_RUNS = 3  # of two runs nothing is left but who won
_SLOPE, _MIDDLE = 0.15, 0.5  # Sakai's A and B


@frozen
class Standardisation:
    """One way to standardise, a row for each query and a column for each run."""

    name: str
    words: str
    function: Callable[[Array], Array]


def z_scores(values: Array) -> Array:
    """Deviations from the mean of the query, in its standard deviations; 0 where all are alike.

    Examples:
        >>> z_scores(np.array([[0.25, 0.5, 0.75], [0.5, 0.5, 0.5]])).tolist()
        [[-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    deviations = values - values.mean(axis=1, keepdims=True)
    spread = values.std(axis=1, ddof=1, keepdims=True)
    alike = (values == values[:, :1]).all(axis=1, keepdims=True) | (spread == 0)
    return np.asarray(np.where(alike, 0.0, deviations / np.where(alike, 1.0, spread)))


def normal_scores(values: Array) -> Array:
    """The normal distribution function of z-scores (Webber, Moffat & Zobel 2008).

    Examples:
        >>> normal_scores(np.array([[0.1, 0.2, 0.3]])).round(4).tolist()
        [[0.1587, 0.5, 0.8413]]
    """
    from scipy.special import ndtr  # noqa: PLC0415  (slow to load)

    return np.asarray(ndtr(z_scores(values)))


def uniform_scores(values: Array) -> Array:
    """Z-scores times 0.15 around 0.5, kept between 0 and 1 (Sakai 2016).

    Examples:
        >>> uniform_scores(np.array([[0.1, 0.2, 0.3]])).round(4).tolist()
        [[0.35, 0.5, 0.65]]
    """
    return np.asarray(np.clip(_SLOPE * z_scores(values) + _MIDDLE, 0.0, 1.0))


def empirical_scores(values: Array) -> Array:
    """The share of runs that are not better on the query (Urbano, Lima & Hanjalic 2019).

    Examples:
        >>> empirical_scores(np.array([[0.1, 0.2, 0.2, 0.4]])).tolist()
        [[0.25, 0.75, 0.75, 1.0]]
    """
    ascending = np.sort(values, axis=1)
    counts = [
        np.searchsorted(row, own, side="right") for row, own in zip(ascending, values, strict=True)
    ]
    return np.asarray(np.array(counts) / values.shape[1])


STANDARDISATIONS: Mapping[str, Standardisation] = {
    way.name: way
    for way in (
        Standardisation("normal", "normal scores (Webber et al. 2008)", normal_scores),
        Standardisation("uniform", "uniform scores (Sakai 2016)", uniform_scores),
        Standardisation("empirical", "empirical scores (Urbano et al. 2019)", empirical_scores),
    )
}


def check_standardisation(standardise: str | None, runs: int | None = None) -> None:
    """Refuse a way that is not known, and runs that are too few for any."""
    if standardise is None:
        return
    if not isinstance(standardise, str) or standardise not in STANDARDISATIONS:
        raise UnknownName("standardisation", str(standardise), STANDARDISATIONS)
    if runs is not None and runs < MIN_RUNS:
        allowed = f"at least {MIN_RUNS} to standardise over: of two only who won would be left"
        raise BadValue("runs", runs, allowed)


def standardise_values(paired: PairedValues, standardise: str | None) -> PairedValues:
    """The values of one measure, query by query set beside those of the other runs."""
    if standardise is None:
        return paired
    check_standardisation(standardise, paired.values.shape[1])
    return evolve(paired, values=STANDARDISATIONS[standardise].function(paired.values))


def describe_standardisation(standardise: str | None, runs: int) -> str | None:
    """How scores were standardised, in words."""
    if standardise is None:
        return None
    return f"{STANDARDISATIONS[standardise].words} over {runs} runs"
