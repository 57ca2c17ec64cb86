"""What a report says in words and tables: the answer first, then how it is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import ceil, floor, log10
from typing import Any

import numpy as np
from attrs import evolve

from gainful.evidence.comparisons.comparison import (
    Comparison,
    build_table,
    describe_differences,
    describe_groups as tell_groups,
    describe_test,
    list_groups,
)
from gainful.evidence.comparisons.comparison_answer import describe_measure
from gainful.evidence.intervals import (
    Interval,
    MeanIntervals,
    build_table as build_interval_table,
    list_footnotes as list_interval_footnotes,
)
from gainful.evidence.system_groups import System
from gainful.measure.groups import ALL, describe_folding, describe_groups, fold_groups, name_apart
from gainful.measure.results import find_leaders
from gainful.measure.values import Results
from gainful.page.table import Table, to_one_line
from gainful.show.figures.figure import shorten_names
from gainful.show.pages.report_data import PageUnits
from gainful.text import count_noun, format_range, join_words, mark_notes, number_doubles, pluralise
from gainful.types import finite_or_none

_MAX_NAME_LENGTH = 60  # characters of a run's name
_MAX_UNFOLDED = 6  # runs, of more of which tables are folded
_NAME, _MEAN = 1, 2  # columns of a comparison
_UNCLEAR = "Grey: no significant difference from the baseline."


def label_runs(names: Sequence[str]) -> list[str]:
    """Short, distinct names of runs without control characters.

    Examples:
        >>> label_runs(["bm25", "", " "])
        ['bm25', 'run 1', 'run 2']
    """
    lines = [to_one_line(name) or "run" for name in names]
    return number_doubles(shorten_names(lines, _MAX_NAME_LENGTH))


def write_headline(
    comparison: Comparison | None, all_intervals: Sequence[MeanIntervals], results: Results
) -> str:
    """The finding in the first measure, in a sentence or two."""
    if comparison is not None:
        return describe_measure(comparison, comparison.measures[0])
    first, measure = all_intervals[0], next(iter(all_intervals[0].intervals))
    if len(all_intervals) == 1:
        return f"{first.run}: {measure} is {_describe_mean(first.intervals[measure], first.level)}."
    known, direction = _find_means(all_intervals, measure), results.directions[measure]
    leaders = find_leaders(known, direction)
    if not leaders:
        return f"There is no mean {measure}: no {first.unit} counts."
    value = _format_value(known[leaders[0]], first.intervals[measure])
    if len(leaders) == len(all_intervals):
        return f"All {len(leaders)} {pluralise(first.kind)} have the same {measure}: {value}."
    names = join_words(leaders) if len(leaders) < 4 else count_noun(len(leaders), first.kind)
    has = "has" if len(leaders) == 1 else "have"
    best = "lowest" if direction.is_lower else "highest"
    return f"{names} {has} the {best} {measure} ({value})."


def _find_means(all_intervals: Sequence[MeanIntervals], measure: str) -> dict[str, float]:
    means = {item.run: item.intervals[measure].mean for item in all_intervals}
    return {run: mean for run, mean in means.items() if mean is not None}


def describe_answers(
    comparison: Comparison | None, all_intervals: Sequence[MeanIntervals]
) -> list[tuple[str, str]]:
    """For each measure after the first, which is the headline, the answer in a sentence."""
    if comparison is not None:
        others = comparison.measures[1:]
        return [(measure, describe_measure(comparison, measure)) for measure in others]
    if len(all_intervals) > 1:
        return []
    intervals = list(all_intervals[0].intervals.items())[1:]
    level = all_intervals[0].level
    return [(measure, _describe_mean(interval, level)) for measure, interval in intervals]


def _describe_mean(interval: Interval, level: float) -> str:
    if interval.mean is None:
        return "not known"
    words = {"mean": "on average", "sum": "in all", "geometric": "as a geometric mean"}
    text = f"{_format_value(interval.mean, interval)} {words[interval.kind]}"
    if interval.low is None or interval.high is None:
        return text
    low, high = (_format_value(end, interval) for end in (interval.low, interval.high))
    return f"{text} ({level:g} % interval {low} to {high})"


def _format_value(value: float, interval: Interval) -> str:
    return f"{value:.0f}" if interval.kind == "sum" else f"{value:.4f}"


def build_tables(
    comparison: Comparison | None,
    all_intervals: Sequence[MeanIntervals],
    labels: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """The comparison in each measure, sorted by mean; or the means where nothing was compared.

    Systems may be called by `labels` in place of their names; then their means stand elsewhere.
    """
    if comparison is not None:
        tables = [
            _build_comparison_table(comparison, measure, labels or {})
            for measure in comparison.measures
            if not all(pair.identical for pair in comparison.pairs if pair.measure == measure)
        ]
    else:
        tables = [{"head": "Means and intervals", "table": build_interval_table(all_intervals)}]
        intervals = [interval for item in all_intervals for interval in item.intervals.values()]
        if not any(interval.low is not None for interval in intervals):
            tables = []  # plots have the means
    if comparison is not None and comparison.groups is not None:
        shown = list_groups(comparison.groups, comparison.measures, comparison.baseline)
        for part, table in ((part, part.table) for part in shown if part.table is not None):
            # Means of groups have a part of their own.
            kept = [at for at, head in enumerate(table.columns) if not head.startswith("mean")]
            tables.append({"head": part.heading, "table": table.select(kept), "notes": part.lines})
    folded = len(all_intervals) > _MAX_UNFOLDED
    return [{"notes": [], "classes": [], "folded": folded} | table for table in tables]


def _build_comparison_table(
    comparison: Comparison, measure: str, labels: Mapping[str, str]
) -> dict[str, Any]:
    """The best first and in bold; what is not significant is marked, and so are disagreements."""
    table, direction = build_table(comparison, measure), comparison.direction(measure)
    means = dict(zip(comparison.systems, comparison.means[measure].tolist(), strict=True))
    best = find_leaders(means, direction)
    order = sorted(comparison.systems, key=lambda system: -direction.sign * means[system])
    own_rows = dict(zip(comparison.systems, table.rows, strict=True))
    rows, classes = [], []
    for system in order:
        row = list(own_rows[system])
        row[_NAME] = labels.get(system, system)
        is_base = system == comparison.baseline
        pair = None if is_base else comparison.pair(measure, system, comparison.baseline)
        classes.append("" if pair is None or comparison.is_significant(pair) else "unclear")
        rows.append(row)
    bold = [(at, column) for at in range(len(best)) for column in (_NAME, _MEAN)]
    table = evolve(table, rows=rows, bold=frozenset(bold), colours={}, bars={})
    notes = [_UNCLEAR] if "unclear" in classes else []
    if labels:
        table = table.select([at for at in range(len(table.columns)) if at != _MEAN])
    return {
        "head": f"{measure}, {comparison.count_units(measure)}",
        "table": table,
        "classes": classes,
        "notes": [*notes, *describe_differences(comparison, measure)],
    }


def describe_evidence(
    comparison: Comparison | None, all_intervals: Sequence[MeanIntervals]
) -> list[str]:
    """How it is known."""
    lines = [] if comparison is None else describe_test(comparison, verbose=True)
    if comparison is not None and comparison.groups is not None:
        lines += tell_groups(comparison.groups)[:1]
    with_ranges = len(all_intervals) == 1
    lines += list_interval_footnotes(all_intervals, with_ranges=with_ranges, verbose=True)
    return [*lines, *mark_notes(() if comparison is None else comparison.notes)]


def build_quality_table(results: Sequence[Results]) -> Table:
    """What was read, and what is wrong with it."""
    columns = (
        *("run", pluralise(results[0].unit), "missing", "without\njudgments", "retrieved"),
        *("unjudged in\nthe top 10", "tied", "duplicates"),
    )
    rows = [
        (
            result.name,
            *(f"{counts[name]:g}" for name in ("queries", "missing", "extra")),
            f"{counts['retrieved']:.0f}",
            f"{100 * counts['unjudged_at_10']:.1f} %",
            *(f"{counts[name]:.0f}" for name in ("tied", "duplicates")),
        )
        for result, counts in ((result, result.counts) for result in results)
    ]
    return Table(columns, rows, numeric=True, label_columns=1)


def describe_dots(first: MeanIntervals, units: int) -> str:
    """What dots and bars of the plot of means are."""
    if units == 1:
        return f"No interval from a single {first.unit}."
    bar = f"{first.level:g} % interval, for similar {pluralise(first.drawn)}"
    return f"Dot: mean over {pluralise(first.unit)}. Bar: {bar}."


def build_plots(
    all_intervals: Sequence[MeanIntervals], results: Results, *, coloured: bool = False
) -> list[dict[str, Any]]:
    """Of each measure a dot and an interval for each run, the best first, on one scale."""
    plots = []
    for measure in all_intervals[0].intervals:
        direction, known = results.directions[measure], _find_means(all_intervals, measure)
        if not known:
            continue
        best, worst = find_leaders(known, direction), -direction.sign * np.inf
        order = sorted(
            enumerate(all_intervals),
            key=lambda item: -direction.sign * known.get(item[1].run, worst),
        )
        rows, ticks = _build_plot(measure, [item for _, item in order])
        for row, (at, item) in zip(rows, order, strict=True):
            row["best"] = item.run in best and len(best) < len(all_intervals)
            row["colour"] = at if coloured else None
        plot = {"measure": measure, "lower": direction.is_lower, "rows": rows, "ticks": ticks}
        plots.append(plot)
    return plots


def build_groups(systems: Sequence[System]) -> dict[str, Any] | None:
    """Systems by group: a table, and of the first measure a dumbbell for each group.

    None where there are no groups. Of many groups the largest are shown, and the others as one.
    """
    _, first, _ = systems[0]
    if first.grouping is None:
        return None
    folded = [fold_groups(run.group_flags()) for _, run, _ in systems]
    labels = [*dict.fromkeys(label for groups in folded for label in groups)]
    total = name_apart(ALL, labels)
    measures, rows, plotted = list(first.values), [], []
    for measure, label in product(measures, (*labels, total)):
        own = [
            (run, whole if label == total else whole & groups.get(label, False))
            for (_, run, whole), groups in zip(systems, folded, strict=True)
        ]
        means = [finite_or_none(run.mean_of(measure, some)) for run, some in own]
        units = format_range([int(some.sum()) for _, some in own])
        cells = [first.format_value(measure, mean) for mean in means]
        rows.append((measure, label, units, *cells))
        plotted += [(label, means)] if measure == measures[0] else []
    names = [name for name, _, _ in systems]
    runs = list(dict.fromkeys(run for _, run, _ in systems))
    heads = ("measure", first.grouping.name, pluralise(first.unit), *names)
    return {
        "by": first.grouping.name,
        "measure": measures[0],
        "names": names,
        "table": Table(heads, rows, numeric=True, label_columns=2),
        "notes": [*describe_groups(runs), *describe_folding(runs)],
        **_build_dumbbells(plotted),
    }


def _fit_axis(values: Sequence[float]) -> tuple[Callable[[float], float], list[tuple[float, str]]]:
    low, high = min(values), max(values)
    ticks = axis_ticks(min(low, 0.0) if low == high else low, high)
    digits = max(0, -floor(log10(ticks[1] - ticks[0])))

    def percent(value: float) -> float:
        return round(100 * (value - ticks[0]) / (ticks[-1] - ticks[0]), 3)

    return percent, [(percent(tick), f"{tick:.{digits}f}") for tick in ticks]


def _build_dumbbells(plotted: Sequence[tuple[str, list[float | None]]]) -> dict[str, Any]:
    known = [mean for _, means in plotted for mean in means if mean is not None] or [0.0]
    percent, ticks = _fit_axis(known)
    rows = []
    for label, means in plotted:
        dots = [(at, percent(mean)) for at, mean in enumerate(means) if mean is not None]
        places = [place for _, place in dots]
        wide = round(max(places) - min(places), 3) if places else 0.0
        rows.append({"label": label, "dots": dots, "from": min(places, default=0.0), "wide": wide})
    return {"rows": rows, "ticks": ticks}


def _build_plot(
    measure: str, items: Sequence[MeanIntervals]
) -> tuple[list[dict[str, Any]], list[tuple[float, str]]]:
    """A row for each run, and the ticks of the axis, in per cent of its length."""
    intervals = [item.intervals[measure] for item in items]
    ends = [end for own in intervals for end in (own.mean, own.low, own.high) if end is not None]
    percent, ticks = _fit_axis(ends)
    rows = []
    for item, own in zip(items, intervals, strict=True):
        row: dict[str, Any] = {"run": item.run, "mean": "–", "between": "", "at": None}
        if own.mean is not None:
            row |= {"mean": _format_value(own.mean, own), "at": percent(own.mean)}
        if own.low is not None and own.high is not None:
            low, high = percent(own.low), percent(own.high)
            between = f"{_format_value(own.low, own)} … {_format_value(own.high, own)}"
            row |= {"from": low, "wide": round(high - low, 3), "between": between}
        rows.append(row)
    return rows, ticks


def axis_ticks(low: float, high: float) -> list[float]:
    """Round numbers that reach from one to the other.

    Examples:
        >>> axis_ticks(0.31, 0.52)
        [0.3, 0.4, 0.5, 0.6]
    """
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** floor(log10(span / 3))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 4)
    first = floor(low / step + 1e-9)
    last = max(ceil(high / step - 1e-9), first + 1)
    return [round(index * step, 12) for index in range(first, last + 1)]


def describe_sampling(
    units: PageUnits, detailed: int, *, noun: str, work: str, telling: str = "that changed most"
) -> list[str]:
    """What is not in the page, as it would be too much: rows, and the `work` of single ones."""
    size, listed = len(units.all_names), len(units.listed)
    chosen = f"those {telling}, and a sample of the others."
    lines = []
    if listed < size:
        lines.append(f"The table of {noun} has {listed:,} of {size:,}: {chosen}")
    if detailed < size:
        lines.append(f"{work} shown of {detailed:,} of {size:,} {noun}: {chosen}")
    return lines
