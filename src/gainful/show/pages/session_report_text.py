"""What a report of sessions says in words and tables beside what every report says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from gainful.evidence.find_interval import Interval
from gainful.evidence.mean_intervals import MeanIntervals
from gainful.evidence.system_groups import SystemGroups
from gainful.match.sessions import MatchedSessions
from gainful.page.table import Table
from gainful.text import count_noun, pluralise
from gainful.types import Flags, Ranks

_TOP = 10  # results of a query that are looked at


def default_title(groups: SystemGroups, units: int) -> str:
    """What the page is called if nobody says otherwise."""
    number = count_noun(units, groups.unit)
    if len(groups.flags) == 1:
        return f"{Path(groups.labels[0]).name}, {number}"
    kind = groups.by or "system"
    return f"{count_noun(len(groups.flags), kind)}, {number}"


def build_means_table(groups: SystemGroups, all_intervals: Sequence[MeanIntervals]) -> Table:
    """A row for each system: by measure the mean and its interval."""
    first = all_intervals[0]
    measures = list(first.intervals)
    heads = [head for name in measures for head in (name, f"{first.level:g} % interval")]
    rows = [
        (
            system.run,
            *(cell for name in measures for cell in _format_interval(system.intervals[name])),
        )
        for system in all_intervals
    ]
    return Table((groups.by or "system", *heads), rows, numeric=True, label_columns=1)


def _format_interval(interval: Interval) -> tuple[str, str]:
    mean = "–" if interval.mean is None else f"{interval.mean:.4f}"
    if interval.low is None or interval.high is None:
        return mean, "–"
    return mean, f"{interval.low:.4f} … {interval.high:.4f}"


def build_counts_table(groups: SystemGroups) -> Table:
    """What was read of each system: sessions, queries, results, and what is known of these."""
    sessions = groups.sessions
    queries = sessions.query_counts.astype(np.int64)
    known = _count_known(groups)
    heads = ["sessions", "queries", "queries\nper session", "results", *known]
    rows = []
    for label, flags in zip(groups.labels, groups.flags.values(), strict=True):
        of_query = flags[sessions.session]
        number, asked = int(flags.sum()), int(queries[flags].sum())
        row = [label, f"{number:,}", f"{asked:,}", f"{asked / number:.2f}"]
        row.append(f"{int(sessions.retrieved[of_query].sum()):,}")
        rows.append([*row, *(f"{int(counts[of_query].sum()):,}" for counts in known.values())])
        if not sessions.observed:
            rows[-1].append(_share_unjudged(sessions, of_query))
    heads += [] if sessions.observed else [f"unjudged in\nthe top {_TOP}"]
    return Table((groups.by or "system", *heads), rows, numeric=True, label_columns=1)


def _count_known(groups: SystemGroups) -> dict[str, Ranks]:
    """By query how many results were judged, or clicked, or whatever else gains."""
    sessions = groups.sessions
    judged, number = sessions.judged, len(sessions.position)
    if sessions.observed:
        gained = judged.query[judged.grade > 0]
        return {sessions.observed: np.bincount(gained, minlength=number)}
    known = {"judged": np.bincount(judged.query, minlength=number)}
    if "clicked" in sessions.rows.columns:
        clicks = sessions.rows["clicked"].cast(pl.Float64, strict=False).fill_null(0.0) > 0
        clicked = sessions.query_of_row[clicks.to_numpy()]
        known["clicked"] = np.bincount(clicked, minlength=number)
    return known


def _share_unjudged(sessions: MatchedSessions, of_query: Flags) -> str:
    """How many of the first results of these queries nobody judged, in per cent."""
    seen = int(np.minimum(sessions.retrieved, _TOP)[of_query].sum())
    judged = sessions.judged
    known = int((of_query[judged.query] & (judged.rank <= _TOP)).sum())
    return f"{100 * max(1 - known / seen, 0.0) if seen else 0.0:.1f} %"


def describe_sampling(
    groups: SystemGroups, *, units: int, listed: int, detailed: int, has_details: bool
) -> list[str]:
    """What is not in the page, because it would be too much."""
    words = pluralise(groups.unit)
    telling = "that changed most" if groups.has_pairs else "farthest from the median"
    chosen = f"those {telling}, and a sample of the others."
    lines = []
    if listed < units:
        lines.append(f"The table of {words} has {listed:,} of {units:,}: {chosen}")
    if has_details and detailed < units:
        lines.append(
            f"What each query brought is shown of {detailed:,} of {units:,} {words}: {chosen}"
        )
    return lines


def list_measures(groups: SystemGroups) -> dict[str, Any]:
    """The measures in full, by the names that they were given."""
    return {name: str(measure) for name, measure in groups.results.measures.items()}
