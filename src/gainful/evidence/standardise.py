"""Standardised scores: how good is a run on a query, beside the others on the same one?

A hard query has low scores and an easy one high ones; standardised, each counts alike. The scores
of a query are mapped to 0 … 1 by a normal distribution of their mean and deviation (Webber, Moffat
& Zobel 2008).
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from gainful.errors import BadValue, UnknownName
from gainful.evidence.pairing import PairedValues
from gainful.types import Array

STANDARDISATIONS = ("normal",)
_MIN_RUNS = 3  # of two runs nothing is left but who won


def normal_scores(values: Array) -> Array:
    """The normal distribution function of z-scores, a row for each query; 0.5 where all are alike.

    Examples:
        >>> normal_scores(np.array([[0.1, 0.2, 0.3], [0.5, 0.5, 0.5]])).round(4).tolist()
        [[0.1587, 0.5, 0.8413], [0.5, 0.5, 0.5]]
    """
    from scipy.special import ndtr  # noqa: PLC0415  (slow to load)

    deviations = values - values.mean(axis=1, keepdims=True)
    spread = values.std(axis=1, ddof=1, keepdims=True)
    alike = (values == values[:, :1]).all(axis=1, keepdims=True) | (spread == 0)
    return np.asarray(ndtr(np.where(alike, 0.0, deviations / np.where(alike, 1.0, spread))))


def check_standardisation(standardise: str | None) -> None:
    """Refuse a way that is not known."""
    if standardise is not None and standardise not in STANDARDISATIONS:
        raise UnknownName("standardisation", str(standardise), STANDARDISATIONS)


def standardise_values(paired: PairedValues, standardise: str | None) -> PairedValues:
    """The values of one measure, query by query set beside those of the other runs."""
    if standardise is None:
        return paired
    runs = paired.values.shape[1]
    if runs < _MIN_RUNS:
        allowed = f"at least {_MIN_RUNS} to standardise over: of two only who won would be left"
        raise BadValue("runs", runs, allowed)
    return evolve(paired, values=normal_scores(paired.values))


def describe_standardisation(standardise: str | None, runs: int) -> str | None:
    """How scores were standardised, in words."""
    words = f"normal scores (Webber et al. 2008) over {runs} runs"
    return None if standardise is None else words
