"""`Results`: the values of one run, with the convention and the counts that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from gainful.convention import CONVENTIONS, SETTINGS, Convention, like
from gainful.measure.convention_words import describe_by_measure, name_convention
from gainful.measure.entry import Aggregation
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Fractions, Table, bar_fractions
from gainful.page.to_text import text_width
from gainful.text import count_noun
from gainful.types import Array, finite_or_none

_MAX_MEASURES = 8  # measures; beyond, they stand below one another
_IDEAL_WORDS = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_MISSING_WORDS = {"zero": "a missing query scores 0", "skip": "missing queries are left out"}
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
        0 missing · 50.0 % of the top 10 unjudged · 0 tied · 0 duplicates
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

    def describe_counts(self) -> str:
        """What was missing, unjudged, tied and duplicated, in a line."""
        counts = self.counts
        parts = [f"{counts['missing']:g} missing"]
        parts += [f"{counts['extra']:g} without judgments"] if counts["extra"] else []
        parts.append(f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged")
        parts += [f"{counts['tied']:g} tied", count_noun(int(counts["duplicates"]), "duplicate")]
        return " · ".join(parts)

    def page(self, *, per_query: bool = False) -> Page:
        """The run by its means, or query by query."""
        return results_page([self], per_query=per_query)

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
    results: Sequence[Results], *, per_query: bool = False, notes: Sequence[str] = ()
) -> Page:
    """Runs by their means, or query by query; `notes` stand before those of the runs."""
    if per_query:
        return Page(
            sections=[lambda _: [Section(table=_build_query_table(results))]],
            notes=list_footnotes(results, notes),
            rows=lambda: _list_query_rows(results),
            data=lambda: to_dict(results),
        )
    return Page(
        sections=[lambda width: [Section(table=_choose_table(results, width))]],
        notes=list_footnotes(results, notes),
        rows=lambda: list_run_rows(results),
        records=lambda: [{"run": run.name, **run.to_dict()["mean"]} for run in results],
        data=lambda: to_dict(results),
    )


def summary_page(results: Results) -> Page:
    """One run in a few lines, for a prompt or a notebook."""
    queries = count_noun(len(results.queries), "query")
    headline = f"Results of {results.name}, {queries}, like {results.convention.name}"
    name_width = max(map(len, results.values), default=0)
    lines = [f"{name:<{name_width}}  {value:.4f}" for name, value in results.mean.items()]
    rows = [(name, _format_value(results, name, value)) for name, value in results.mean.items()]
    table = Table(("measure", "mean"), rows, numeric=True, label_columns=1)
    remarks = (results.describe_counts(), *results.notes)
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


def list_footnotes(results: Sequence[Results], notes: Sequence[str] = ()) -> list[str]:
    """The convention in one line, what was counted, other `notes`, and those of the runs."""
    all_notes = [*notes, *(f"Note: {run.name}: {note}" for run in results for note in run.notes)]
    same_number = len({len(run.queries) for run in results}) == 1
    queries = [count_noun(len(run.queries), "query") for run in results]
    summary = " · ".join([*(queries[:1] if same_number else []), describe_convention(results[0])])
    count_lines = [
        " · ".join([*([] if same_number else [query_count]), run.describe_counts()])
        for query_count, run in zip(queries, results, strict=True)
    ]
    if len(set(count_lines)) == 1:
        return [summary, count_lines[0], *all_notes]
    named_lines = [f"{run.name}: {line}" for run, line in zip(results, count_lines, strict=True)]
    return [summary, *named_lines, *all_notes]


def describe_convention(results: Results) -> str:
    """How the numbers came about, in one line; what differs between measures is said of each."""
    convention, recipes = results.convention, results.recipes

    def describe(says: Callable[[Recipe], bool], text: Callable[[Recipe], str]) -> list[str]:
        return describe_by_measure({k: v for k, v in recipes.items() if says(v)}, text)

    parts = [
        name_convention(convention, _find_convention(convention)),
        *describe(_is_cumulated, lambda recipe: f"gain {recipe.gain.text()}"),
        *describe(
            lambda recipe: _is_cumulated(recipe) and recipe.entry.discounted,
            lambda recipe: f"discount {recipe.discount.text()}",
        ),
        *describe(_is_cumulated, lambda recipe: _IDEAL_WORDS[str(recipe.convention.ideal)]),
        *describe(
            lambda recipe: "rel" in recipe.entry.arguments,
            lambda recipe: f"relevant from grade {recipe.function_arguments()['rel']:g} on",
        ),
        *describe(
            lambda recipe: "max_grade" in recipe.entry.arguments,
            lambda recipe: f"best grade {recipe.convention.max_grade:g}",
        ),
        *describe(
            lambda recipe: "ties" in recipe.entry.params,
            lambda recipe: f"ties {SETTINGS['ties'].describe(recipe.convention.ties)}",
        ),
        _MISSING_WORDS.get(str(convention.missing), "a missing query is refused"),
    ]
    return " · ".join(parts)


def _is_cumulated(recipe: Recipe) -> bool:
    return recipe.entry.cumulated


def _find_convention(convention: Convention) -> Convention | None:
    """The convention of that name as the table has it, if it is one of the table."""
    return like(convention.name) if convention.name in CONVENTIONS else None


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
    return Table(("run", *results[0].values), rows, numeric=True, label_columns=1, bars=bars)


def _build_measure_table(results: Sequence[Results]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = list(zip(*(_format_values(run, run.mean) for run in results), strict=True))
    rows = [(name, *values) for name, values in zip(results[0].values, rows, strict=True)]
    bars = dict(enumerate(zip(*_mean_bars(results), strict=True), start=1))
    columns = ("measure", *(run.name for run in results))
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars)


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
