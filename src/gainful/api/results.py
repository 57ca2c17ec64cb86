"""What comes back of runs: `Results` of one, `RunResults` of several.

They hold what was measured, show themselves in every format, and can be compared and plotted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl
from attrs import evolve, frozen

from gainful.errors import WrongType
from gainful.evidence.statistics.resampling import DEFAULT_LEVEL, RESAMPLES, SEED
from gainful.measure.measure import Measure
from gainful.measure.results import (
    list_oddities,
    list_run_rows,
    results_page,
    summary_page,
    to_dict,
)
from gainful.measure.values import ByMeasure, RunValues, flatten_names
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, ShownByRun
from gainful.page.table import Table
from gainful.text import count_noun

if TYPE_CHECKING:  # what compares, draws and resamples is slow to load: imported when first called
    import altair as alt

    from gainful.evidence.comparisons.comparison import Comparison
    from gainful.evidence.intervals import MeanIntervals
    from gainful.evidence.method import MethodOptions


@frozen(eq=False, repr=False, kw_only=True)
class Results(RunValues, Shown):
    """A value for every query and measure of a run.

    `results["nDCG@10"]` is the mean of a measure, `mean` has all of them, `per_query` is a frame
    with a row for each query, `worst(10)` the queries to look at first, `to_dict()` all of it as
    plain data; two results are equal if their values and conventions are.

    Examples:
        >>> from gainful import evaluate
        >>> results = evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, ["RR", "P@1"])
        >>> results["RR"], "P@1" in results, list(results)
        (0.5, True, ['RR', 'P@1'])
        >>> results
        Results of run, 1 query, like gainful
        RR   0.5000
        P@1  0.0000
        50 % of the top 10 unjudged
    """

    def page(self, *, per_query: bool = False, verbose: bool = False) -> Page:
        """The run by its means, or query by query; with the whole convention if `verbose`."""
        return results_page([self], per_query=per_query, verbose=verbose)

    def brief(self) -> Page:
        """The means in a few lines, and what was odd."""
        oddities = " · ".join(list_oddities([self]))
        remarks = [line for line in (oddities, *self.notes) if line]
        return summary_page(self, count_noun(len(self.queries), "query"), remarks)

    def list_columns(self, **view: Any) -> dict[str, list[Any]]:
        """Of a frame: a row for each query, unless `per_query=False` is said."""
        columns = super().list_columns(**{"per_query": True} | view)
        if "query" in columns and self.per_query["query"].dtype == pl.Int64:
            columns["query"] = [int(query) for query in columns["query"]]
        return columns

    def compare(
        self,
        *others: Results,
        **options: Unpack[MethodOptions],
    ) -> Comparison:
        """Is another run really better than this one, the baseline?

        Args:
            others: the results of one run or more, by the same judgments and measures.
            **options: how runs are compared (`stats.MethodOptions`), as `gainful.compare` has them.
        """
        from gainful.evidence.comparisons.compare import compare_results  # noqa: PLC0415

        return compare_results([self, *_list_others(others)], **options)

    def plot(
        self,
        *,
        interval: float = DEFAULT_LEVEL,
        resamples: int = RESAMPLES,
        seed: int = SEED,
        **look: Any,
    ) -> alt.TopLevelMixin:
        """A dot for the mean of each measure, a line for its interval, as an Altair chart.

        Args:
            interval: its level in per cent; by t below 25 queries, else by bootstrap (BCa).
            resamples: how often.
            seed: where chance begins.
            **look: title, width, height, dark.
        """
        return RunResults({self.name: self}).plot(
            interval=interval, resamples=resamples, seed=seed, **look
        )


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
        self,
        *others: Results,
        **options: Unpack[MethodOptions],
    ) -> Comparison:
        """Is one of the runs really better than another?

        Args:
            others: the results of more runs, by the same judgments and measures.
            **options: how runs are compared (`stats.MethodOptions`), as `gainful.compare` has them.
        """
        from gainful.evidence.comparisons.compare import compare_results  # noqa: PLC0415

        more = _list_others(others)
        return compare_results([*self.values(), *more] if more else self, **options)

    def plot(
        self,
        *,
        interval: float = DEFAULT_LEVEL,
        resamples: int = RESAMPLES,
        seed: int = SEED,
        **look: Any,
    ) -> alt.TopLevelMixin:
        """A dot for the mean of each run and measure, a line for its interval.

        Args:
            interval: its level in per cent; by t below 25 queries, else by bootstrap (BCa).
            resamples: how often.
            seed: where chance begins.
            **look: title, width, height, dark.
        """
        from gainful.evidence.intervals import mean_intervals  # noqa: PLC0415
        from gainful.show.figures import dots, drawing, figure  # noqa: PLC0415

        shape = figure.Look.from_options(look)
        all_intervals = [
            mean_intervals(results, interval, resamples=resamples, seed=seed)
            for results in self.values()
        ]
        return drawing.draw_altair(dots.draw_chart, dots.build_data(self, all_intervals), shape)

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


def _list_others(others: Sequence[object]) -> list[Results]:
    """The results of other runs; whoever names a baseline or gives a run is told how."""
    results: list[Results] = []
    for other in others:
        runs = list(other.values()) if isinstance(other, RunResults) else [other]
        for run in runs:
            if not isinstance(run, Results):
                way = "what gainful.evaluate returned; baseline= and test= are given by name"
                raise WrongType("other", run, way)
            results.append(run)
    return results
