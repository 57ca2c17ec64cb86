"""Results of runs: a table of runs × measures, what was counted, and the convention in a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from gainful.convention import CONVENTIONS, SETTINGS, Convention, like
from gainful.evidence.stability import Stability
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.show import stability, table as tables
from gainful.show.bars import Fractions, bar_fractions
from gainful.show.csv_cells import to_csv_text
from gainful.show.table import PLAIN, Table, Terminal
from gainful.text import count_noun

_MAX_MEASURES = 8  # measures; beyond, they stand below one another
_IDEAL_WORDS = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_SUMMED_COUNTS = ("missing", "extra", "tied", "duplicates", "retrieved")


def to_text(
    results: Sequence[Results],
    *,
    per_query: bool,
    terminal: Terminal = PLAIN,
    stabilities: Sequence[Stability] = (),
) -> str:
    """The table, the intervals if there are any, the convention and what was counted."""
    table = _build_query_table(results, with_mean=True) if per_query else _build_run_table(results)
    if not per_query:
        turned_table = _build_measure_table(results)
        width, turned_width = _text_width(table), _text_width(turned_table)
        max_width = terminal.width or (width if len(results[0].values) <= _MAX_MEASURES else 0)
        table = turned_table if width > max_width and turned_width < width else table
    text = tables.to_text(table, terminal=terminal)
    lines = list_footnotes(results, stabilities)
    if terminal.width is not None:
        lines = [fill(line, terminal.width, break_long_words=False) for line in lines]
    interval_parts = (
        [tables.to_text(stability.build_table(stabilities), terminal=terminal), ""]
        if stabilities
        else []
    )
    return "\n".join((text, "", *interval_parts, *lines))


def _text_width(table: Table) -> int:
    """How many characters it needs, bars and colours aside."""
    return max(map(len, tables.to_text(table).splitlines()))


def to_markdown(
    results: Sequence[Results], *, per_query: bool, stabilities: Sequence[Stability] = ()
) -> str:
    """The same as Markdown."""
    result_tables = [
        _build_query_table(results, with_mean=True) if per_query else _build_run_table(results)
    ]
    result_tables += [stability.build_table(stabilities)] if stabilities else []
    return "\n\n".join(
        (*map(tables.to_markdown, result_tables), *list_footnotes(results, stabilities))
    )


def to_latex(
    results: Sequence[Results], *, per_query: bool, stabilities: Sequence[Stability] = ()
) -> str:
    """A booktabs tabular, the convention as a comment above it."""
    result_tables = [
        _build_query_table(results, with_mean=True) if per_query else _build_run_table(results)
    ]
    result_tables += [stability.build_table(stabilities)] if stabilities else []
    notes = [f"% {' '.join(line.split())}" for line in list_footnotes(results, stabilities)]
    return "\n".join((*notes, "\n\n".join(map(tables.to_latex, result_tables))))


def to_csv(
    results: Sequence[Results],
    *,
    per_query: bool,
    separator: str = ",",
    stabilities: Sequence[Stability] = (),
) -> str:
    """One line for each run, or each run and query, at full precision; intervals come last."""
    rows: list[list[Any]] = [["run", *(["query"] if per_query else []), *results[0].values]]
    rows[0] += stability.list_columns(stabilities)
    for at, run_results in enumerate(results):
        if not per_query:
            interval_cells = stability.format_cells(stabilities[at]) if stabilities else []
            rows.append(
                [run_results.name, *map(_as_float, run_results.mean.values()), *interval_cells]
            )
            continue
        rows += [
            [run_results.name, query, *map(_as_float, values.values())]
            for query, values in run_results.values_by_query().items()
        ]
    return to_csv_text(rows, separator)


def to_json_lines(
    results: Sequence[Results], *, per_query: bool, stabilities: Sequence[Stability] = ()
) -> str:
    """One object for each run, or each run and query."""
    lines: list[dict[str, Any]] = []
    for at, run_results in enumerate(results):
        if per_query:
            query_items = run_results.values_by_query().items()
            lines += [
                {"run": run_results.name, "query": query, **values} for query, values in query_items
            ]
        else:
            mean: dict[str, Any] = run_results.to_dict()["mean"]
            interval_data = {"stability": stabilities[at].to_dict()} if stabilities else {}
            lines.append({"run": run_results.name, **mean, **interval_data})
    return "\n".join(json.dumps(line, ensure_ascii=False, allow_nan=False) for line in lines)


def to_dict(results: Sequence[Results], stabilities: Sequence[Stability] = ()) -> dict[str, Any]:
    """All of it as data; counts are those of all runs together."""
    dicts = [run.to_dict() for run in results]
    for run, run_stability in zip(
        dicts, stabilities, strict=False
    ):  # all runs have one, or none has
        run["stability"] = run_stability.to_dict()
    counts: dict[str, Any] = dict(dicts[0]["counts"])
    for name in _SUMMED_COUNTS:
        counts[name] = sum(run["counts"][name] for run in dicts)
    counts["unjudged_at_10"] = float(np.mean([run["counts"]["unjudged_at_10"] for run in dicts]))
    kept_keys = ("mean", "stability", "per_query", "counts", "notes")
    return {
        "runs": [
            {"name": run.name} | {key: data[key] for key in kept_keys if key in data}
            for run, data in zip(results, dicts, strict=True)
        ],
        "convention": dicts[0]["convention"],
        "counts": counts,
    }


def to_json(results: Sequence[Results], stabilities: Sequence[Stability] = ()) -> str:
    """The same as text."""
    return json.dumps(to_dict(results, stabilities), indent=2, ensure_ascii=False, allow_nan=False)


def list_footnotes(results: Sequence[Results], stabilities: Sequence[Stability] = ()) -> list[str]:
    """The convention in one line, what was counted, and what one should know."""
    notes = [
        f"Note: {run_results.name}: {note}" for run_results in results for note in run_results.notes
    ]
    notes = [*stability.list_footnotes(stabilities), *notes]
    same_number = len({len(run_results.queries) for run_results in results}) == 1
    queries = [count_noun(len(run_results.queries), "query") for run_results in results]
    summary = " · ".join([*(queries[:1] if same_number else []), describe_convention(results[0])])
    count_lines = [
        " · ".join([*([] if same_number else [query_count]), run_results.describe_counts()])
        for query_count, run_results in zip(queries, results, strict=True)
    ]
    if len(set(count_lines)) == 1:
        return [summary, count_lines[0], *notes]
    named_lines = [
        f"{run_results.name}: {line}"
        for run_results, line in zip(results, count_lines, strict=True)
    ]
    return [summary, *named_lines, *notes]


def describe_convention(results: Results) -> str:
    """How the numbers came about, in one line; what differs between measures is said of each."""
    convention = results.convention
    cumulated_recipes = {
        name: recipe for name, recipe in results.recipes.items() if recipe.measure.entry.cumulated
    }
    rel_recipes = {
        measure_name: recipe
        for measure_name, recipe in results.recipes.items()
        if "rel" in recipe.measure.entry.arguments
    }
    ties_recipes = {
        measure_name: recipe
        for measure_name, recipe in results.recipes.items()
        if "ties" in recipe.measure.entry.params
    }
    max_grade_recipes = {
        measure_name: recipe
        for measure_name, recipe in results.recipes.items()
        if "max_grade" in recipe.measure.entry.arguments
    }
    missing = {"zero": "a missing query scores 0", "skip": "missing queries are left out"}
    parts = [
        _name_convention(convention),
        *_describe_by_measure(cumulated_recipes, lambda recipe: f"gain {recipe.gain.text()}"),
        *_describe_by_measure(
            _select_with_discount(cumulated_recipes),
            lambda recipe: f"discount {recipe.discount.text()}",
        ),
        *_describe_by_measure(
            cumulated_recipes, lambda recipe: _IDEAL_WORDS[str(recipe.convention.ideal)]
        ),
        *_describe_by_measure(
            rel_recipes,
            lambda recipe: f"relevant from grade {recipe.function_arguments()['rel']:g} on",
        ),
        *_describe_by_measure(
            max_grade_recipes, lambda recipe: f"best grade {recipe.convention.max_grade:g}"
        ),
        *_describe_by_measure(
            ties_recipes, lambda recipe: f"ties {SETTINGS['ties'].describe(recipe.convention.ties)}"
        ),
        missing.get(str(convention.missing), "a missing query is refused"),
    ]
    return " · ".join(parts)


def _select_with_discount(recipes: Mapping[str, Recipe]) -> dict[str, Recipe]:
    return {name: recipe for name, recipe in recipes.items() if recipe.measure.entry.discounted}


def _describe_by_measure(
    recipes: Mapping[str, Recipe], describe: Callable[[Recipe], str]
) -> list[str]:
    """One thing said of all measures at once, or of each group of them by name."""
    groups: dict[str, list[str]] = {}
    for name, recipe in recipes.items():
        groups.setdefault(describe(recipe), []).append(name)
    if len(groups) <= 1:
        return list(groups)
    return [f"{', '.join(names)}: {text}" for text, names in groups.items()]


def _name_convention(convention: Convention) -> str:
    """Whose habits these are, and which of them were changed."""
    source = "gainful's habits" if convention.name == "gainful" else f"like {convention.name}"
    differences = (
        convention.differences(like(convention.name)) if convention.name in CONVENTIONS else {}
    )
    changes = ", ".join(f"{name}={value}" for name, (value, _) in differences.items())
    return f"{source}, but {changes}" if changes else source


def _build_run_table(results: Sequence[Results]) -> Table:
    rows = [
        (
            run_results.name,
            *map(_format_value, run_results.mean.items(), [run_results] * len(run_results.values)),
        )
        for run_results in results
    ]
    means = [run_results.mean for run_results in results]
    bars = {
        at: bar_fractions(
            [mean[name] for mean in means], bounded=_has_upper_bound(results[0], name)
        )
        for at, name in enumerate(results[0].values, start=1)
    }
    return Table(("run", *results[0].values), rows, numeric=True, label_columns=1, bars=bars)


def _has_upper_bound(results: Results, name: str) -> bool:
    return results.recipes[name].measure.entry.bounded


def _build_measure_table(results: Sequence[Results]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = [
        (
            name,
            *(
                _format_value((name, run_results.mean[name]), run_results)
                for run_results in results
            ),
        )
        for name in results[0].values
    ]
    means = [run_results.mean for run_results in results]
    measure_fractions = [
        bar_fractions([mean[name] for mean in means], bounded=_has_upper_bound(results[0], name))
        for name in results[0].values
    ]
    bars = {at + 1: [part[at] for part in measure_fractions] for at in range(len(results))}
    columns = ("measure", *(run_results.name for run_results in results))
    return Table(columns, rows, numeric=True, label_columns=1, bars=bars)


def _build_query_table(results: Sequence[Results], *, with_mean: bool) -> Table:
    rows = []
    for run_results in results:
        for query, values in run_results.values_by_query().items():
            rows.append(
                (
                    run_results.name,
                    query,
                    *(_format_value(pair, run_results) for pair in values.items()),
                )
            )
        if with_mean:
            rows.append(
                (
                    run_results.name,
                    "all",
                    *(_format_value(pair, run_results) for pair in run_results.mean.items()),
                )
            )
    columns = ("run", "query", *results[0].values)
    return Table(
        columns,
        rows,
        numeric=True,
        label_columns=2,
        bars=_build_query_bars(results, with_mean=with_mean),
    )


def _build_query_bars(results: Sequence[Results], *, with_mean: bool) -> dict[int, Fractions]:
    """A bar for each query; one for the mean too where that is no sum."""
    bars: dict[int, Fractions] = {}
    for at, name in enumerate(results[0].values, start=2):
        is_sum = results[0].recipes[name].measure.entry.aggregation == "sum"
        values: list[float | None] = []
        for run_results in results:
            values += [
                query_values[name] for query_values in run_results.values_by_query().values()
            ]
            values += [None if is_sum else run_results.mean[name]] if with_mean else []
        bars[at] = bar_fractions(values, bounded=_has_upper_bound(results[0], name))
    return bars


def _format_value(pair: tuple[str, float | None], results: Results) -> str:
    name, value = pair
    if value is None or np.isnan(value):
        return "–"
    is_sum = results.recipes[name].measure.entry.aggregation == "sum"
    return f"{value:.0f}" if is_sum else f"{value:.4f}"


def _as_float(value: float | None) -> float | None:
    return None if value is None else float(value)  # counts are written as other values are
