"""`CollectionResults`: how good are runs on several collections, and on average?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import astuple, frozen

from gainful.evidence.statistics.outcome import DEFAULT_LEVEL
from gainful.evidence.statistics.paired_tests import t_interval
from gainful.measure.notes import describe_convention
from gainful.measure.results import QueryResults, describe_leaders
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table, to_plain_data
from gainful.text import count_noun, join_words, mark_notes
from gainful.types import finite_or_none


@frozen
class CollectionMean:
    """The mean over collections, and its interval; None where it is not defined."""

    mean: float | None
    low: float | None = None
    high: float | None = None


@frozen(eq=False, repr=False, kw_only=True)
class CollectionResults(Shown):
    """The value of each run on each collection, and its mean over collections.

    `values` is {measure: {run: {collection: value}}}, None where a run is missing; `mean` is
    {measure: {run: CollectionMean}}, without a mean where a collection is missing; `results` has
    what `evaluate` gives, {collection: {run: QueryResults}}. Means are over all collections but
    those of `unread`, where a file could not be read.
    """

    results: Mapping[str, Mapping[str, QueryResults]]
    level: float = DEFAULT_LEVEL
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def _first(self) -> QueryResults:
        return next(run for runs in self.results.values() for run in runs.values())

    @property
    def measures(self) -> tuple[str, ...]:
        """Those that were computed."""
        return tuple(self._first.recipes)

    @property
    def collections(self) -> list[str]:
        """Their names."""
        return list(self.results)

    @property
    def runs(self) -> list[str]:
        """The runs, in the order in which they are first found."""
        return list(dict.fromkeys(run for runs in self.results.values() for run in runs))

    @property
    def values(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """{measure: {run: {collection: value}}}."""
        return {
            measure: {
                run: {
                    name: finite_or_none(runs[run][measure]) if run in runs else None
                    for name, runs in self.results.items()
                }
                for run in self.runs
            }
            for measure in self.measures
        }

    @property
    def mean(self) -> dict[str, dict[str, CollectionMean]]:
        """{measure: {run: its mean over collections}}."""
        return {
            measure: {run: self._average(measure, row) for run, row in rows.items()}
            for measure, rows in self.values.items()
        }

    def _average(self, measure: str, row: Mapping[str, float | None]) -> CollectionMean:
        counted = [value for name, value in row.items() if name not in self.unread]
        known = [value for value in counted if value is not None]
        entry = self._first.recipes[measure].entry
        if not known or len(known) < len(counted) or entry.aggregation == "sum":
            return CollectionMean(None)
        mean = float(np.mean(known))
        if np.ptp(known) == 0:  # nothing is known of how collections vary
            return CollectionMean(mean)
        ends = np.concatenate(t_interval(np.array(known)[:, None], 1 - self.level / 100))
        if entry.bounded and not entry.signed:
            ends = ends.clip(0.0, 1.0)
        return CollectionMean(mean, *ends.tolist())

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        mean = {
            measure: {run: to_plain_data(item) for run, item in rows.items()}
            for measure, rows in self.mean.items()
        }
        return {
            "collections": self.collections,
            "runs": self.runs,
            "values": self.values,
            "mean": mean,
            "level": self.level,
            "unread": list(self.unread),
            "notes": list(self.notes),
        }

    def page(self, *, verbose: bool = False) -> Page:
        """A table for each measure: runs by collections, and the mean."""
        number = count_noun(len({*self.results} - {*self.unread}), "collection")
        over = f"{number} without {join_words(self.unread)}" if self.unread else number
        method = f"mean: over {over}, with a {self.level:g} % confidence interval by Student's t"
        brief = f"like {self._first.convention.name}"
        convention = describe_convention(self._first) if verbose else brief
        return Page(
            answer=self._describe_leaders(),
            sections=[Section(measure, self._tabulate(measure)) for measure in self.measures],
            notes=[f"{method} · {convention}", *mark_notes(self.notes)],
            rows=self._list_rows,
            data=self.to_dict,
        )

    def _describe_leaders(self) -> str:
        known = {
            measure: {run: item.mean for run, item in rows.items() if item.mean is not None}
            for measure, rows in self.mean.items()
        }
        several = {measure: means for measure, means in known.items() if len(means) > 1}
        return describe_leaders(several, self._first.directions) if several else ""

    def _tabulate(self, measure: str) -> Table:
        heads = ("run", *self.collections, "mean", "low", "high")
        means = self.mean[measure]
        values = self.values[measure].items()
        rows = [(run, *row.values(), *astuple(means[run])) for run, row in values]
        return Table(heads, rows, numeric=True, label_columns=1)

    def _list_rows(self) -> Table:
        rows: list[tuple[Any, ...]] = []
        for measure, values in self.values.items():
            for run, row in values.items():
                rows += [(measure, run, name, value, None, None) for name, value in row.items()]
                rows.append((measure, run, None, *astuple(self.mean[measure][run])))
        columns = ("measure", "run", "collection", "value", "low", "high")
        return Table(columns, rows, numeric=True, label_columns=3)


def describe_missing(
    results: Mapping[str, Mapping[str, QueryResults]], runs: Sequence[str]
) -> list[str]:
    """Which run is not there for which collections, and so has no mean."""
    missing = {
        run: [name for name, evaluated in results.items() if run not in evaluated] for run in runs
    }
    return [
        f"{run} has no results on {join_words(names)}, so no mean over collections"
        for run, names in missing.items()
        if names
    ]
