"""Intervals of the means of sessions: how much do they depend on who happened to search?

Sessions are drawn again, one by one, or all of a searcher (or of a cluster of conversations)
together, as these are not independent.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gainful.evidence.drawn_units import DrawnUnits
from gainful.evidence.find_interval import Averaged, Interval, find_intervals
from gainful.evidence.mean_intervals import MeanIntervals
from gainful.evidence.statistics.resampling import Resampling
from gainful.measure.sessions.session_values import SessionValues
from gainful.types import Flags, finite_or_none

MOST_DRAWN = 2000  # sessions or searchers; of more, drawing takes long and tells no more than t


def session_intervals(
    results: SessionValues,
    groups: Mapping[str, Flags],
    resampling: Resampling,
    *,
    unit: str,
    drawn: DrawnUnits,
    kind: str = "system",
) -> list[MeanIntervals]:
    """The intervals of the means of each group, in every measure.

    Args:
        results: of the sessions.
        groups: which sessions belong to each, by name.
        resampling: the level, the resamples and the seed.
        unit: what a session is called: session, or conversation.
        drawn: what is drawn again.
        kind: what the groups are called.
    """
    level = round(100 * (1 - resampling.alpha), 6)
    all_intervals = []
    for group, flags in groups.items():
        intervals, notes = {}, []
        for measure in results.values:
            intervals[measure], reason = _find_interval(
                results, measure, flags, resampling, unit, drawn
            )
            notes += [f"{measure}: {reason}"] if reason else []
        all_intervals.append(
            MeanIntervals(
                *(group, level, resampling.resamples, resampling.seed, intervals, tuple(notes)),
                kind=kind,
                unit=unit,
                drawn=drawn.name,
            )
        )
    return all_intervals


def _find_interval(  # noqa: PLR0917  (all of one mean)
    results: SessionValues,
    measure: str,
    flags: Flags,
    resampling: Resampling,
    unit: str,
    drawn: DrawnUnits,
) -> tuple[Interval, str]:
    """The interval of one group in one measure, and why there is none."""
    if results.has_joint_mean(measure):
        mean = finite_or_none(results.mean_of(measure, flags))
        return Interval(mean), "the mean is not one of values, so there is no interval"
    values = np.ma.asarray(results.values[measure])
    rows = np.flatnonzero(flags & ~np.ma.getmaskarray(values))
    cluster = drawn.select(rows)
    if cluster is not None and cluster.size > 1 and not cluster.any():
        mean = finite_or_none(results.mean_of(measure, flags))
        return Interval(mean), f"all are of one {drawn.name}: no interval"
    averaged = Averaged(
        values.data[rows],
        [results.ids[row] for row in rows.tolist()],
        results.recipes[measure].entry,
        cluster,
    )
    (interval,) = find_intervals([averaged], resampling, unit=unit, most_drawn=MOST_DRAWN)
    return interval
