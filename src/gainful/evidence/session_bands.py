"""Bands around mean vectors of sessions: where would they be with other sessions of the kind?

Sessions are drawn again whole, each with all its queries (percentile bootstrap), and those of one
searcher together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from gainful.evidence.drawn_units import DrawnUnits
from gainful.evidence.statistics.bootstrap import bootstrap_band
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.match.sessions import MatchedSessions
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.curve import mean_terms
from gainful.measure.sessions.last_queries import best_queries, query_vectors
from gainful.types import Array, Flags

Bands = dict[str, pl.Series]  # low and high, position by position, group after group
_SumsAndCounts = tuple[Array, Array]


def curve_bands(
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    groups: Sequence[Flags],
    drawn: DrawnUnits,
    resampling: Resampling,
) -> Bands:
    """Around the mean vector of each group, as `curve` has them side by side."""
    sums, counts = (array.reshape(sessions.size, -1) for array in mean_terms(sessions, recipe))
    return _join_bands(
        [_resample_band((sums, counts), flags, drawn, resampling) for flags in groups]
    )


def last_query_bands(  # noqa: PLR0917  (all that bands are made of)
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    groups: Sequence[Flags],
    non_last: str,
    drawn: DrawnUnits,
    resampling: Resampling,
) -> Bands:
    """Around the mean gain of last queries, of those before and of the best, group after group."""
    vectors = query_vectors(sessions, recipe)
    is_earlier = np.ones(len(sessions.position), dtype=bool)
    is_earlier[sessions.last_query] = False
    counts = np.bincount(sessions.session[is_earlier], minlength=sessions.size).astype(np.float64)
    earlier_sums = np.zeros((sessions.size, vectors.shape[1]))
    np.add.at(earlier_sums, sessions.session[is_earlier], vectors[is_earlier])
    if non_last == "within":
        earlier_sums /= np.maximum(counts, 1)[:, None]
        counts = (counts > 0).astype(np.float64)
    ones = np.ones((sessions.size, vectors.shape[1]))
    kinds = [
        (vectors[sessions.last_query], ones),
        (earlier_sums, ones * counts[:, None]),
        (vectors[best_queries(sessions, vectors[:, -1])], ones),
    ]
    return _join_bands(
        [_resample_band(kind, flags, drawn, resampling) for flags in groups for kind in kinds]
    )


def _resample_band(
    sums_and_counts: _SumsAndCounts, flags: Flags, drawn: DrawnUnits, resampling: Resampling
) -> Array:
    """The low and the high end; not a number where there are no two searchers to draw from."""
    unit = drawn.select(flags)
    sums, counts = (UnitSums.from_values(array[flags], unit).sums for array in sums_and_counts)
    if len(sums) < 2:
        return np.full((2, sums.shape[1]), np.nan)
    return np.stack(bootstrap_band(sums, counts, resampling))


def _join_bands(bands: Sequence[Array]) -> Bands:
    ends = np.concatenate(bands, axis=1)
    return {
        side: pl.Series(values).fill_nan(None)
        for side, values in zip(("low", "high"), ends, strict=True)
    }
