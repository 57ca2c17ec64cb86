"""What a report says in words and tables: the answer first, then how it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from gainful.evidence.comparisons.comparison import (
    Comparison,
    build_table,
    describe_differences,
    describe_test,
    format_heading,
)
from gainful.evidence.comparisons.comparison_answer import describe_measure
from gainful.evidence.intervals import (
    Interval,
    MeanIntervals,
    build_table as build_interval_table,
    list_footnotes as list_interval_footnotes,
)
from gainful.measure.values import Results
from gainful.page.table import Table, to_one_line
from gainful.show.pages.report_data import Choice
from gainful.text import count_noun, mark_notes, pluralise, shorten

_MAX_NAME_LENGTH = 60  # characters of a run's name


def label_runs(names: Sequence[str]) -> list[str]:
    """Names of runs that are not long, steer nothing, and can be told apart.

    Examples:
        >>> label_runs(["bm25", "x" * 100, "x" * 99])[1:] == [
        ...     "x" * 57 + "...",
        ...     "x" * 57 + "... (2)",
        ... ]
        True
    """
    run_labels: list[str] = []
    for name in names:
        label = to_one_line(shorten(name, _MAX_NAME_LENGTH)) or "run"
        base_label, suffix = label, 1
        while label in run_labels:
            suffix += 1
            label = f"{base_label} ({suffix})"
        run_labels.append(label)
    return run_labels


def default_title(systems: Sequence[str], kind: str, units: str) -> str:
    """What the page is called if nobody says otherwise: its system, or how many; and its units."""
    return f"{systems[0] if len(systems) == 1 else count_noun(len(systems), kind)}, {units}"


def describe_answers(
    comparison: Comparison | None, all_intervals: Sequence[MeanIntervals]
) -> list[tuple[str, str]]:
    """For each measure the answer in a sentence."""
    if comparison is not None:
        return [(measure, describe_measure(comparison, measure)) for measure in comparison.measures]
    if len(all_intervals) > 1:
        return []
    return [
        (measure, _describe_mean(interval, all_intervals[0].level))
        for measure, interval in all_intervals[0].intervals.items()
    ]


def _describe_mean(interval: Interval, level: float) -> str:
    if interval.mean is None:
        return "not known"
    kind = {"mean": "on average", "sum": "in all", "geometric": "as a geometric mean"}[
        interval.kind
    ]
    text = f"{_format_value(interval.mean, interval)} {kind}"
    if interval.low is None or interval.high is None:
        return text
    low, high = (_format_value(end, interval) for end in (interval.low, interval.high))
    return f"{text}, with {level:g} % confidence {low} to {high}"


def _format_value(value: float, interval: Interval) -> str:
    return f"{value:.0f}" if interval.kind == "sum" else f"{value:.4f}"


def build_tables(
    comparison: Comparison | None, all_intervals: Sequence[MeanIntervals]
) -> list[dict[str, Any]]:
    """The comparison in each measure with its evidence, or the intervals of one run."""
    if comparison is None:
        return [{"head": "", "table": build_interval_table(all_intervals), "notes": []}]
    return [
        {
            "head": format_heading(comparison, measure),
            "table": build_table(comparison, measure),
            "notes": describe_differences(comparison, measure),
        }
        for measure in comparison.measures
    ]


def describe_evidence(
    comparison: Comparison | None, reasons: Sequence[str], all_intervals: Sequence[MeanIntervals]
) -> list[str]:
    """How it is known, and what could not be."""
    lines = [f"Cannot be compared: {reason}" for reason in reasons]
    lines += [] if comparison is None else describe_test(comparison, verbose=True)
    lines += list_interval_footnotes(
        all_intervals, with_ranges=len(all_intervals) == 1, verbose=True
    )
    return [*lines, *mark_notes(() if comparison is None else comparison.notes)]


def build_quality_table(results: Sequence[Results]) -> Table:
    """What was read, and what is wrong with it."""
    columns = (
        *("run", "queries", "missing", "without\njudgments", "retrieved"),
        *("unjudged in\nthe top 10", "tied", "duplicates"),
    )
    rows = [
        (
            result.name,
            *(f"{result.counts[name]:g}" for name in ("queries", "missing", "extra")),
            f"{result.counts['retrieved']:.0f}",
            f"{100 * result.counts['unjudged_at_10']:.1f} %",
            f"{result.counts['tied']:.0f}",
            f"{result.counts['duplicates']:.0f}",
        )
        for result in results
    ]
    return Table(columns, rows, numeric=True, label_columns=1)


def describe_dots(level: float, unit: str = "query", drawn: str = "query") -> str:
    """What dots and bars of the plot of means are."""
    verb = "asked" if drawn == "query" else "looked at"
    return (
        f"Dot: the mean over {pluralise(unit)}. Bar: its {level:g} % interval, were other "
        f"{pluralise(drawn)} of the same kind {verb}."
    )


def build_plots(all_intervals: Sequence[MeanIntervals]) -> list[dict[str, Any]]:
    """Of each measure a dot and an interval for each run, as parts of one scale."""
    return [
        plot
        for measure in all_intervals[0].intervals
        if (
            plot := _build_plot(
                measure, [run.intervals[measure] for run in all_intervals], all_intervals
            )
        )
        is not None
    ]


def _build_plot(
    measure: str, intervals: Sequence[Interval], all_intervals: Sequence[MeanIntervals]
) -> dict[str, Any] | None:
    endpoints = [
        end
        for interval in intervals
        for end in (interval.mean, interval.low, interval.high)
        if end is not None
    ]
    if not endpoints:
        return None
    ticks = axis_ticks(min(endpoints), max(endpoints))
    first, span = ticks[0], ticks[-1] - ticks[0]

    def percent(value: float) -> float:
        return round(100 * (value - first) / span, 3)

    rows = []
    for interval, run in zip(intervals, all_intervals, strict=True):
        row: dict[str, Any] = {"run": run.run, "mean": "–", "between": "", "at": None}
        if interval.mean is not None:
            row |= {"mean": _format_value(interval.mean, interval), "at": percent(interval.mean)}
        if interval.low is not None and interval.high is not None:
            ends = (interval.low, interval.high)
            row |= {
                "from": percent(interval.low),
                "wide": round(percent(interval.high) - percent(interval.low), 3),
                "between": " … ".join(_format_value(end, interval) for end in ends),
            }
        rows.append(row)
    step = ticks[1] - ticks[0]
    digits = max(0, -floor(log10(step)))
    return {
        "measure": measure,
        "rows": rows,
        "ticks": [(percent(tick), f"{tick:.{digits}f}") for tick in ticks],
    }


def axis_ticks(low: float, high: float) -> list[float]:
    """Round numbers that reach from one to the other.

    Examples:
        >>> axis_ticks(0.31, 0.52)
        [0.3, 0.4, 0.5, 0.6]
    """
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** floor(log10(span / 3))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 4)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if last <= first:
        last = first + 1
    return [round(index * step, 12) for index in range(first, last + 1)]


def describe_sampling(
    choice: Choice, detailed: int, *, units: str, work: str, telling: str = "that changed most"
) -> list[str]:
    """What is not in the page, as it would be too much: rows, and the `work` of single ones."""
    all_units, listed = len(choice.table.queries), len(choice.listed)
    chosen = f"those {telling}, and a sample of the others."
    lines = []
    if listed < all_units:
        lines.append(f"The table of {units} has {listed:,} of {all_units:,}: {chosen}")
    if detailed < all_units:
        lines.append(f"{work} shown of {detailed:,} of {all_units:,} {units}: {chosen}")
    return lines


def map_full_names(labels: Sequence[str], full_names: Sequence[str]) -> Mapping[str, str]:
    """Labels whose names are longer, for whoever wants the whole name."""
    return {label: name for label, name in zip(labels, full_names, strict=True) if label != name}
