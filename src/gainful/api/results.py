"""`RunResults`: the results of several runs, with intervals where these were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl
from attrs import evolve

from gainful.measure.measure import Measure
from gainful.measure.results import (
    Results,
    list_others,
    list_run_rows,
    results_page,
    to_dict,
)
from gainful.measure.values import ByMeasure, flatten_names
from gainful.page.page import Page, Section
from gainful.page.shown import ShownByRun
from gainful.page.table import Table

if TYPE_CHECKING:  # what compares, draws and resamples is slow to load: imported when first called
    import altair as alt

    import gainful
    from gainful.evidence.intervals import MeanIntervals


class RunResults(ShownByRun[Results]):
    r"""The results of several runs by name; with `intervals` where they were asked for.

    Examples:
        >>> from gainful import evaluate
        >>> results = evaluate({"1": ["a"]}, {"one": {"1": ["a"]}, "two": {"1": ["b", "a"]}}, "RR")
        >>> results["two"]["RR"], results.mean
        (0.5, {'one': {'RR': 1.0}, 'two': {'RR': 0.5}})
        >>> results.to_csv()
        'run,RR\none,1.0\ntwo,0.5'
    """

    def __init__(
        self, results: Mapping[str, Results], intervals: Sequence[MeanIntervals] = ()
    ) -> None:
        """Results by name; all runs have intervals, or none has."""
        super().__init__(results)
        self.intervals = intervals

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """One number for each run and measure."""
        return ByMeasure((name, results.mean) for name, results in self.items())

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each run and query, a column for each measure."""
        frames = [
            results.per_query.select(pl.lit(name).alias("run"), pl.all())
            for name, results in self.items()
        ]
        return pl.concat(frames)

    def worst(
        self, n: int | str | Measure = 10, measure: str | Measure | None = None
    ) -> pl.DataFrame:
        """The queries with the lowest values of each run, the lowest first.

        Args:
            n: how many of each run; or the measure, by which the ten worst are shown.
            measure: by which measure; the first if none is named.
        """
        frames = [
            results.worst(n, measure).select(pl.lit(name).alias("run"), pl.all())
            for name, results in self.items()
        ]
        return pl.concat(frames)

    def page(self, *, per_query: bool = False, verbose: bool = False) -> Page:
        """Runs by their means, or query by query; intervals, if there are any, below."""
        runs, all_intervals = list(self.values()), self.intervals
        if not all_intervals:
            return results_page(runs, per_query=per_query, verbose=verbose)
        from gainful.evidence.intervals import (  # noqa: PLC0415
            build_table,
            describe_interval,
            list_footnotes,
        )

        notes = list_footnotes(all_intervals, verbose=verbose)
        page = results_page(runs, per_query=per_query, verbose=verbose, notes=notes)
        page = evolve(
            page,
            answer=" ".join(filter(None, [page.answer, describe_interval(all_intervals)])),
            sections=[*page.sections, Section(table=build_table(all_intervals))],
            data=self.to_dict,
        )
        return page if per_query else evolve(page, rows=self._rows, records=self._records)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data; counts are those of all runs together."""
        data = to_dict(list(self.values()))
        if self.intervals:
            data["runs"] = [
                {"name": run["name"], "mean": run["mean"], "intervals": run_intervals.to_dict()}
                | run
                for run, run_intervals in zip(data["runs"], self.intervals, strict=True)
            ]
        return data

    def to_flat(self) -> dict[str, float]:
        """The means under names of small letters, digits and _, each run's name before them."""
        means = self.mean.items()
        return flatten_names(
            {f"{run} {name}": mean for run, by_name in means for name, mean in by_name.items()}
        )

    def compare(
        self, *others: Results, **options: Unpack[gainful.stats.MethodOptions]
    ) -> gainful.Comparison:
        """Is one of the runs really better than another?

        Args:
            others: the results of more runs, by the same judgments and measures.
            **options: how runs are compared (`stats.MethodOptions`), as `gainful.compare` has them.
        """
        import gainful  # noqa: PLC0415

        more = list_others(others)
        return gainful.compare([*self.values(), *more] if more else self, **options)

    def plot(self, **options: Any) -> alt.TopLevelMixin:
        """A dot for the mean of each run and measure, a line for its interval.

        Args:
            **options: of `gainful.figures.dots`: interval, resamples, seed; title, width, height,
                dark.
        """
        import gainful  # noqa: PLC0415

        return gainful.figures.dots(self, **options)

    def list_expressions(self) -> Mapping[str, str]:
        """What an attribute of a measure could be called, and what to write for it."""
        first = next(iter(self.values())).list_expressions()
        return {
            guess: place.replace("results[", "results[run][", 1) for guess, place in first.items()
        }

    def _rows(self) -> Table:
        from gainful.evidence.intervals import list_cells, list_columns  # noqa: PLC0415

        table = list_run_rows(list(self.values()))
        rows = [
            (*row, *list_cells(run_intervals))
            for row, run_intervals in zip(table.rows, self.intervals, strict=True)
        ]
        return evolve(table, columns=(*table.columns, *list_columns(self.intervals[0])), rows=rows)

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"run": run["name"], **run["mean"], "intervals": run["intervals"]}
            for run in self.to_dict()["runs"]
        ]
