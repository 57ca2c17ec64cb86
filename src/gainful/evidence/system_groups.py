"""Which sessions are of which system, and what is one of them set against?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from attrs import frozen

from gainful.errors import BadInput
from gainful.evidence.comparisons.compare import is_paired
from gainful.evidence.comparisons.comparison_answer import label_system
from gainful.evidence.intervals import DrawnUnits
from gainful.evidence.statistics.bootstrap import bootstrap_band
from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import SessionRecipe
from gainful.measure.sessions.analysis import best_queries, query_vectors
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.session_values import curve_terms
from gainful.measure.values import Results
from gainful.read.sessions import CONVERSATION, SYSTEM
from gainful.text import quote
from gainful.types import Array, Flags

System = tuple[str, Results, Flags]  # its name, and which of these results are its


def list_systems(results: Sequence[Results]) -> list[System]:
    """Runs, each with all of its results, or the systems of sessions."""
    first = results[0]
    if isinstance(first, SessionResults):
        return group_systems(first).systems
    return [(run.name, run, np.ones(len(run.ids), dtype=bool)) for run in results]


@frozen(eq=False, kw_only=True)
class SystemGroups:
    """The sessions of each system, in the order in which systems appear."""

    results: SessionResults
    by: str | None  # the column that names the system; None where there is none
    flags: Mapping[str, Flags]  # by the name of the system: which sessions are its
    has_pairs: bool  # had all systems the same conversations?

    @property
    def names(self) -> list[str]:
        """The systems as the column names them."""
        return list(self.flags)

    @property
    def labels(self) -> list[str]:
        """What the systems are called in a sentence: system 2, but bm25."""
        kind = self.by or SYSTEM
        return [label_system(kind, name) for name in self.flags]

    @property
    def systems(self) -> list[System]:
        """Each system by what it is called in a sentence."""
        flags = zip(self.labels, self.flags.values(), strict=True)
        return [(label, self.results, own) for label, own in flags]

    @property
    def unit(self) -> str:
        """What has a value: a session, or a conversation that several systems had."""
        return CONVERSATION if self.has_pairs else "session"

    @property
    def sessions(self) -> MatchedSessions:
        """What was matched."""
        return self.results.matched_sessions

    @property
    def unit_names(self) -> pl.Series:
        """What each session is called, or the conversation that it is."""
        return self.results.columns[self.unit].alias("").cast(pl.String)


def group_systems(results: SessionResults, by: str | None = None) -> SystemGroups:
    """The sessions by system: those of a column (system, if present), or all as one system."""
    columns = results.columns
    column = SYSTEM if by is None and SYSTEM in columns.columns else by
    if column is None:
        flags = {keys.get("", results.name): flags for keys, flags in results.group_sessions(())}
        return SystemGroups(results=results, by=None, flags=flags, has_pairs=False)
    (name,) = results.group_names(column)
    systems = columns[name].alias("").cast(pl.String)
    if systems.null_count():
        session = columns["session"].filter(systems.is_null())[0]
        problem = f"session {quote(session)} has no {name}"
        raise BadInput(results.name, problem, f"a {name} for every session")
    has_pairs = name == SYSTEM and is_paired(results)
    names = systems.unique(maintain_order=True)
    return SystemGroups(
        results=results,
        by=name,
        flags={
            system: (systems == system).to_numpy()
            for system in (names if has_pairs else names.sort()).to_list()
        },
        has_pairs=has_pairs,
    )


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
    terms = curve_terms(sessions, recipe)
    sums, counts = (array.reshape(sessions.size, -1) for array in (terms.upper, terms.lower))
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
    unit = drawn.select(flags)
    sums, counts = (UnitSums.from_values(array[flags], unit).sums for array in sums_and_counts)
    if len(sums) < 2:
        return np.full((2, sums.shape[1]), np.nan)
    return bootstrap_band(sums, counts, resampling)


def _join_bands(bands: Sequence[Array]) -> Bands:
    ends = np.concatenate(bands, axis=1)
    return {
        side: pl.Series(values).fill_nan(None)
        for side, values in zip(("low", "high"), ends, strict=True)
    }
