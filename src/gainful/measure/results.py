"""The pages of runs: by their means, or query by query; and all of it as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve

from gainful.measure.convention_words import name_convention
from gainful.measure.footnotes import list_footnotes
from gainful.measure.leaders import ANSWER_DECIMALS, describe_leaders, find_leaders, name_best
from gainful.measure.notes import NO_OVERLAP
from gainful.measure.run_values import RunValues
from gainful.page.page import Page, Section
from gainful.page.table import Fractions, Table, bar_fractions
from gainful.page.to_text import text_width
from gainful.text import count_noun, format_range, shorten

_MAX_MEASURES = 8  # measures; beyond, they stand below one another
_MAX_ID_LENGTH = 30  # characters of a query in a sentence
_CHANCE_ADVICE = "gainful compare tells whether that is more than chance."
_MEAN_WORDS = {"mean": "a mean", "geometric": "a geometric mean"}
_SUMMED_COUNTS = ("missing", "extra", "tied", "duplicates", "retrieved")


def results_page(
    results: Sequence[RunValues],
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


def describe_answer(results: Sequence[RunValues]) -> str:
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
    return f"{describe_leaders(means_by_measure, results[0].directions)} {_CHANCE_ADVICE}"


def _describe_run(results: RunValues, measure: str) -> str:
    """The mean of one measure, and from where to where its queries go."""
    unmatched = next((note for note in results.notes if note.startswith(NO_OVERLAP)), "")
    if unmatched:
        return f"{unmatched[0].upper()}{unmatched[1:]}."
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


def _build_section(results: Sequence[RunValues], width: int | None) -> Section:
    """The table of means; in a paper it has a caption."""
    bold = f"; {name_best(results[0].directions)} is bold"
    runs = "" if len(results) == 1 else bold
    queries = format_range([len(run.queries) for run in results])
    source = name_convention(results[0].convention)
    caption = f"Means over {queries} queries, computed {source}{runs}."
    return Section(table=_choose_table(results, width), caption=caption, label="tab:results")


def to_dict(results: Sequence[RunValues]) -> dict[str, Any]:
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


def _choose_table(results: Sequence[RunValues], width: int | None) -> Table:
    """Runs below one another, or side by side where so many measures do not fit."""
    table, turned_table = _build_run_table(results), _build_measure_table(results)
    table_width = text_width(table)
    max_width = width or (table_width if len(results[0].values) <= _MAX_MEASURES else 0)
    is_turned = table_width > max_width and text_width(turned_table) < table_width
    return turned_table if is_turned else table


def _build_run_table(results: Sequence[RunValues]) -> Table:
    rows = [(run.name, *_format_values(run, run.mean)) for run in results]
    bars = dict(enumerate(_mean_bars(results), start=1))
    best = frozenset((row, at + 1) for row, at in _find_best(results))
    columns = ("run", *results[0].values)
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=best)


def _build_measure_table(results: Sequence[RunValues]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = list(zip(*(_format_values(run, run.mean) for run in results), strict=True))
    rows = [(name, *values) for name, values in zip(results[0].values, rows, strict=True)]
    bars = dict(enumerate(zip(*_mean_bars(results), strict=True), start=1))
    best = frozenset((at, row + 1) for row, at in _find_best(results))
    columns = ("measure", *(run.name for run in results))
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars, bold=best)


def _find_best(results: Sequence[RunValues]) -> Iterator[tuple[int, int]]:
    """The number of the run and of the measure of each best mean; of one run, none is."""
    means = [run.mean for run in results]
    for at, (name, recipe) in enumerate(results[0].recipes.items()):
        by_run = {str(row): mean[name] for row, mean in enumerate(means)}
        leaders = find_leaders(by_run, recipe.direction)
        if recipe.entry.aggregation != "sum" and len(leaders) < len(results):
            yield from ((int(row), at) for row in leaders)


def _mean_bars(results: Sequence[RunValues]) -> list[Fractions]:
    """The bars of each measure, of all runs."""
    means = [run.mean for run in results]
    return [
        bar_fractions([mean[name] for mean in means], bounded=recipe.entry.bounded)
        for name, recipe in results[0].recipes.items()
    ]


def _build_query_table(results: Sequence[RunValues]) -> Table:
    """A row for each run and query, and one for the mean of each run."""
    rows = []
    for run in results:
        by_query = run.values_by_id().items()
        rows += [(run.name, query, *_format_values(run, values)) for query, values in by_query]
        rows.append((run.name, "all", *_format_values(run, run.mean)))
    columns, bars = ("run", "query", *results[0].values), _query_bars(results)
    return Table(columns, rows, numeric=True, label_columns=2, bars=bars)


def _query_bars(results: Sequence[RunValues]) -> dict[int, Fractions]:
    """A bar for each query; one for the mean too where that is no sum."""
    bars: dict[int, Fractions] = {}
    for at, (name, recipe) in enumerate(results[0].recipes.items(), start=2):
        entry = recipe.entry
        values: list[float | None] = []
        for run in results:
            values += [row[name] for row in run.values_by_id().values()]
            values.append(None if entry.aggregation == "sum" else run.mean[name])
        bars[at] = bar_fractions(values, bounded=entry.bounded)
    return bars


def list_run_rows(results: Sequence[RunValues]) -> Table:
    """The mean of each run, at full precision."""
    rows = [(run.name, *_as_floats(run.mean.values())) for run in results]
    return Table(("run", *results[0].values), rows, numeric=True, label_columns=1)


def _list_query_rows(results: Sequence[RunValues]) -> Table:
    rows = [
        (run.name, query, *_as_floats(values.values()))
        for run in results
        for query, values in run.values_by_id().items()
    ]
    return Table(("run", "query", *results[0].values), rows, numeric=True, label_columns=2)


def _as_floats(values: Iterable[float | None]) -> list[float | None]:
    """Counts are written as other values are."""
    return [None if value is None else float(value) for value in values]


def _format_values(results: RunValues, values: Mapping[str, float | None]) -> list[str]:
    return [results.format_value(name, value) for name, value in values.items()]
