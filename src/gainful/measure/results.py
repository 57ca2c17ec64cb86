"""`Results`: the values of one run, with the convention and the counts that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.convention import Convention
from gainful.measure.entry import Aggregation
from gainful.measure.footnotes import list_footnotes, list_oddities, name_source
from gainful.measure.leaders import ANSWER_DECIMALS, describe_leaders, find_leaders
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Fractions, Table, bar_fractions
from gainful.page.to_text import text_width
from gainful.text import count_noun, format_range, shorten
from gainful.types import Array, finite_or_none

_MAX_MEASURES = 8  # measures; beyond, they stand below one another
_MAX_ID_LENGTH = 30  # characters of a query in a sentence
_CHANCE_ADVICE = "gainful compare tells whether that is more than chance."
_MEAN_WORDS = {"mean": "a mean", "geometric": "a geometric mean"}
_SUMMED_COUNTS = ("missing", "extra", "tied", "duplicates", "retrieved")


@frozen(eq=False, repr=False)
class Results(Shown):
    """A value for every query and measure.

    `mean` is one number for each measure, `per_query` a frame with a row for each query,
    `to_dict()` all of it as plain data.

    Examples:
        >>> from gainful import evaluate
        >>> results = evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, ["RR", "P@1"])
        >>> results.mean
        {'RR': 0.5, 'P@1': 0.0}
        >>> results
        Results of run, 1 query, like gainful
        RR   0.5000
        P@1  0.0000
        50 % of the top 10 unjudged
    """

    name: str
    queries: Sequence[str]
    values: Mapping[str, Array]  # by the caller's name of the measure; masked where left out
    recipes: Mapping[str, Recipe]
    convention: Convention
    counts: Mapping[str, float]
    notes: Sequence[str] = field(default=())  # what one should know before believing a value

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures by the caller's names for them."""
        return {name: Measure.from_recipe(recipe) for name, recipe in self.recipes.items()}

    @property
    def mean(self) -> dict[str, float]:
        """One number for each measure: the mean over queries, or the sum of what is counted."""
        return {name: self._aggregate(name) for name in self.values}

    def select_measures(self, names: Sequence[str]) -> Results:
        """Results of some of the measures alone."""
        return evolve(
            self,
            values={name: self.values[name] for name in names},
            recipes={name: self.recipes[name] for name in names},
        )

    def _aggregate(self, name: str) -> float:
        values = np.ma.compressed(np.ma.asarray(self.values[name]))
        return aggregate(values, self.recipes[name].entry.aggregation)

    @property
    def per_query(self) -> pl.DataFrame:
        """A row for each query, a column for each measure; null where a query is left out."""
        columns = {
            name: pl.Series(name, _as_list(values), dtype=pl.Float64, strict=False)
            for name, values in self.values.items()
        }
        return pl.DataFrame({"query": pl.Series("query", list(self.queries)), **columns})

    def values_by_query(self) -> dict[str, dict[str, float | None]]:
        """{query: {measure: value}}."""
        columns = [_as_list(values) for values in self.values.values()]
        names = list(self.values)
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(self.queries, zip(*columns, strict=True), strict=True)
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data: dict[str, Any] = {
            "mean": self.mean_or_none(),
            "per_query": self.values_by_query(),
            "convention": self.convention_data(),
            "counts": dict(self.counts),
        }
        return data | ({"notes": list(self.notes)} if self.notes else {})

    def mean_or_none(self) -> dict[str, float | None]:
        """One number for each measure; None where no query counts."""
        return {name: finite_or_none(value) for name, value in self.mean.items()}

    def convention_data(self) -> dict[str, Any]:
        """The convention as plain data, and what the measures are called in full."""
        return {
            "like": self.convention.name,
            **self.convention.settings(),
            "measures": {name: str(measure) for name, measure in self.measures.items()},
        }

    def page(self, *, per_query: bool = False, verbose: bool = False) -> Page:
        """The run by its means, or query by query; with the whole convention if `verbose`."""
        return results_page([self], per_query=per_query, verbose=verbose)

    def summary(self) -> Page:
        """The run in a few lines."""
        return summary_page(self)


def aggregate(values: Array, aggregation: Aggregation) -> float:
    """One number for all queries that count; not a number where none does."""
    if aggregation == "sum":
        return float(values.sum())
    if not values.size:
        return float("nan")
    mean = float(values.mean())
    return float(np.exp(mean)) if aggregation == "geometric" else mean


def _as_list(values: Array) -> list[float | None]:
    return list(np.ma.asarray(values).tolist())


def results_page(
    results: Sequence[Results],
    *,
    per_query: bool = False,
    verbose: bool = False,
    notes: Sequence[str] = (),
) -> Page:
    """Runs by their means, or query by query; `notes` stand before those of the runs."""
    page = Page(
        answer=describe_answer(results),
        notes=list_footnotes(results, notes, verbose=verbose),
        data=lambda: to_dict(results),
    )
    if per_query:
        return evolve(
            page,
            sections=[lambda _: [Section(table=_build_query_table(results))]],
            rows=lambda: _list_query_rows(results),
        )
    return evolve(
        page,
        sections=[lambda width: [_build_section(results, width)]],
        rows=lambda: list_run_rows(results),
        records=lambda: [{"run": run.name, **run.to_dict()["mean"]} for run in results],
    )


def describe_answer(results: Sequence[Results]) -> str:
    """How good is the run, or which is highest, in a sentence or two."""
    graded = [
        name for name, recipe in results[0].recipes.items() if recipe.entry.aggregation != "sum"
    ]
    if not graded:
        return ""
    if len(results) == 1:
        return _describe_run(results[0], graded[0])
    means = {run.name: run.mean for run in results}
    means_by_measure = {
        measure: {name: values[measure] for name, values in means.items()} for measure in graded
    }
    return f"{describe_leaders(means_by_measure)} {_CHANCE_ADVICE}"


def _describe_run(results: Results, measure: str) -> str:
    """The mean of one measure, and from where to where its queries go."""
    mean = results.mean[measure]
    if np.isnan(mean):
        return f"No query counts in {measure}, so {results.name} has no mean."
    kind = _MEAN_WORDS[results.recipes[measure].entry.aggregation]
    queries = count_noun(len(results.queries), "query")
    text = f"{results.name} has {kind} {measure} of {mean:.{ANSWER_DECIMALS}f} over {queries}"
    values = np.ma.masked_invalid(np.ma.asarray(results.values[measure]))
    if values.count() < 2 or kind != _MEAN_WORDS["mean"] or values.min() == values.max():
        return f"{text}."
    low, high = (
        f"{values[at]:.{ANSWER_DECIMALS}f} ({shorten(results.queries[at], _MAX_ID_LENGTH)})"
        for at in (int(values.argmin()), int(values.argmax()))
    )
    return f"{text}, from {low} to {high}."


def _build_section(results: Sequence[Results], width: int | None) -> Section:
    """The table of means; in a paper it has a caption."""
    runs = "" if len(results) == 1 else "; the highest of each measure is bold"
    queries = format_range([len(run.queries) for run in results])
    source = name_source(results[0].convention)
    caption = f"Means over {queries} queries, computed {source}{runs}."
    return Section(table=_choose_table(results, width), caption=caption, label="tab:results")


def summary_page(results: Results) -> Page:
    """One run in a few lines, for a prompt or a notebook."""
    queries = count_noun(len(results.queries), "query")
    headline = f"Results of {results.name}, {queries}, like {results.convention.name}"
    name_width = max(map(len, results.values), default=0)
    lines = [f"{name:<{name_width}}  {value:.4f}" for name, value in results.mean.items()]
    rows = [(name, _format_value(results, name, value)) for name, value in results.mean.items()]
    table = Table(("measure", "mean"), rows, numeric=True, label_columns=1)
    remarks = (*filter(None, [" · ".join(list_oddities([results]))]), *results.notes)
    return Page(
        sections=[
            Section(lines=(headline, *lines, *remarks), forms=("table",)),
            Section(headline, table, remarks, forms=("html",)),
        ]
    )


def to_dict(results: Sequence[Results]) -> dict[str, Any]:
    """Several runs as data; counts are those of all runs together."""
    dicts = [run.to_dict() for run in results]
    counts: dict[str, Any] = dict(dicts[0]["counts"])
    for name in _SUMMED_COUNTS:
        counts[name] = sum(run["counts"][name] for run in dicts)
    counts["unjudged_at_10"] = float(np.mean([run["counts"]["unjudged_at_10"] for run in dicts]))
    return {
        "runs": [
            {"name": run.name} | {key: data[key] for key in data if key != "convention"}
            for run, data in zip(results, dicts, strict=True)
        ],
        "convention": dicts[0]["convention"],
        "counts": counts,
    }


def _choose_table(results: Sequence[Results], width: int | None) -> Table:
    """Runs below one another, or side by side where so many measures do not fit."""
    table, turned_table = _build_run_table(results), _build_measure_table(results)
    table_width = text_width(table)
    max_width = width or (table_width if len(results[0].values) <= _MAX_MEASURES else 0)
    is_turned = table_width > max_width and text_width(turned_table) < table_width
    return turned_table if is_turned else table


def _build_run_table(results: Sequence[Results]) -> Table:
    rows = [(run.name, *_format_values(run, run.mean)) for run in results]
    bars = dict(enumerate(_mean_bars(results), start=1))
    highest = frozenset((row, at + 1) for row, at in _find_highest(results))
    columns = ("run", *results[0].values)
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=highest)


def _build_measure_table(results: Sequence[Results]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = list(zip(*(_format_values(run, run.mean) for run in results), strict=True))
    rows = [(name, *values) for name, values in zip(results[0].values, rows, strict=True)]
    bars = dict(enumerate(zip(*_mean_bars(results), strict=True), start=1))
    highest = frozenset((at, row + 1) for row, at in _find_highest(results))
    columns = ("measure", *(run.name for run in results))
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=highest)


def _find_highest(results: Sequence[Results]) -> Iterator[tuple[int, int]]:
    """The number of the run and of the measure of each highest mean; of one run, none is."""
    means = [run.mean for run in results]
    for at, (name, recipe) in enumerate(results[0].recipes.items()):
        by_run = {str(row): mean[name] for row, mean in enumerate(means)}
        leaders = find_leaders(by_run)
        if recipe.entry.aggregation != "sum" and len(leaders) < len(results):
            yield from ((int(row), at) for row in leaders)


def _mean_bars(results: Sequence[Results]) -> list[Fractions]:
    """The bars of each measure, of all runs."""
    means = [run.mean for run in results]
    return [
        bar_fractions([mean[name] for mean in means], bounded=recipe.entry.bounded)
        for name, recipe in results[0].recipes.items()
    ]


def _build_query_table(results: Sequence[Results]) -> Table:
    """A row for each run and query, and one for the mean of each run."""
    rows = []
    for run in results:
        by_query = run.values_by_query().items()
        rows += [(run.name, query, *_format_values(run, values)) for query, values in by_query]
        rows.append((run.name, "all", *_format_values(run, run.mean)))
    columns, bars = ("run", "query", *results[0].values), _query_bars(results)
    return Table(columns, rows, numeric=True, label_columns=2, bars=bars)


def _query_bars(results: Sequence[Results]) -> dict[int, Fractions]:
    """A bar for each query; one for the mean too where that is no sum."""
    bars: dict[int, Fractions] = {}
    for at, (name, recipe) in enumerate(results[0].recipes.items(), start=2):
        entry = recipe.entry
        values: list[float | None] = []
        for run in results:
            values += [row[name] for row in run.values_by_query().values()]
            values.append(None if entry.aggregation == "sum" else run.mean[name])
        bars[at] = bar_fractions(values, bounded=entry.bounded)
    return bars


def list_run_rows(results: Sequence[Results]) -> Table:
    """The mean of each run, at full precision."""
    rows = [(run.name, *_as_floats(run.mean.values())) for run in results]
    return Table(("run", *results[0].values), rows, numeric=True, label_columns=1)


def _list_query_rows(results: Sequence[Results]) -> Table:
    rows = [
        (run.name, query, *_as_floats(values.values()))
        for run in results
        for query, values in run.values_by_query().items()
    ]
    return Table(("run", "query", *results[0].values), rows, numeric=True, label_columns=2)


def _as_floats(values: Iterable[float | None]) -> list[float | None]:
    """Counts are written as other values are."""
    return [None if value is None else float(value) for value in values]


def _format_values(results: Results, values: Mapping[str, float | None]) -> list[str]:
    return [_format_value(results, name, value) for name, value in values.items()]


def _format_value(results: Results, name: str, value: float | None) -> str:
    if value is None or np.isnan(value):
        return "–"
    is_sum = results.recipes[name].entry.aggregation == "sum"
    return f"{value:.0f}" if is_sum else f"{value:.4f}"
