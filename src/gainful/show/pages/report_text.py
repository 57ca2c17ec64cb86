"""What a report says in words and tables: the answer first, then how it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from gainful.errors import counted, short
from gainful.evidence.comparison import Comparison
from gainful.evidence.stability import Interval, Stability
from gainful.measure.results import Results
from gainful.show import compare, stability
from gainful.show.results import said as said_of_runs
from gainful.show.table import Table, one_line

_LONG = 60  # characters of a run's name


def labels(names: Sequence[str]) -> list[str]:
    """Names of runs that are not long, steer nothing, and can be told apart.

    Examples:
        >>> labels(["bm25", "x" * 100, "x" * 99])[1:] == ["x" * 57 + "...", "x" * 57 + "... (2)"]
        True
    """
    found: list[str] = []
    for name in names:
        label = one_line(short(name, _LONG)) or "run"
        same, number = label, 1
        while label in found:
            number += 1
            label = f"{same} ({number})"
        found.append(label)
    return found


def title(results: Sequence[Results], queries: int) -> str:
    """What the page is called if nobody says otherwise."""
    if len(results) == 1:
        return f"{results[0].name}, {counted(queries, 'query')}"
    return f"{counted(len(results), 'run')}, {counted(queries, 'query')}"


def answers(found: Comparison | None, stable: Sequence[Stability]) -> list[tuple[str, str]]:
    """For each measure the answer in a sentence."""
    if found is not None:
        return [(measure, _highest(found, measure)) for measure in found.measures]
    if len(stable) > 1:
        return []
    return [(measure, _mean(one, stable[0].level)) for measure, one in stable[0].intervals.items()]


def _mean(one: Interval, level: float) -> str:
    if one.mean is None:
        return "not known"
    kind = {"mean": "on average", "sum": "in all", "geometric": "as a geometric mean"}[one.kind]
    told = f"{_number(one.mean, one)} {kind}"
    if one.low is None or one.high is None:
        return told
    return (
        f"{told}, with {level:g} % confidence {_number(one.low, one)} to {_number(one.high, one)}"
    )


def _number(value: float, one: Interval) -> str:
    return f"{value:.0f}" if one.kind == "sum" else f"{value:.4f}"


def _highest(found: Comparison, measure: str) -> str:
    means = dict(zip(found.systems, found.means[measure].tolist(), strict=True))
    by_mean = sorted(found.systems, key=lambda name: -means[name])
    best = by_mean[0]
    beaten = found.beaten(measure)[best]
    level = [name for name in by_mean[1:] if name not in beaten]
    parts = [f"{best} is highest with {means[best]:.4f}"]
    if beaten:
        parts.append(f"significantly above {_listed(beaten)}")
    if level:
        parts.append(f"not told apart from {_listed(level)}")
    return "; ".join(parts) + "."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def tables(found: Comparison | None, stable: Sequence[Stability]) -> list[dict[str, Any]]:
    """The comparison in each measure with its evidence, or the intervals of one run."""
    if found is None:
        return [{"head": "", "table": stability.table(stable), "told": []}]
    return [
        {
            "head": compare.head(found, measure),
            "table": compare.table_of(found, measure),
            "told": compare.told(found, measure),
        }
        for measure in found.measures
    ]


def evidence(
    found: Comparison | None, reasons: Sequence[str], stable: Sequence[Stability]
) -> list[str]:
    """How it is known, and what could not be."""
    lines = [f"Cannot be compared: {reason}" for reason in reasons]
    lines += [] if found is None else compare.how(found)
    lines += stability.said(stable, ranges=len(stable) == 1)
    return [*lines, *(f"Note: {note}" for note in (() if found is None else found.notes))]


def quality(results: Sequence[Results]) -> Table:
    """What was read, and what is wrong with it."""
    heads = (
        *("run", "queries", "missing", "without\njudgments", "retrieved"),
        *("unjudged in\nthe top 10", "tied", "duplicates"),
    )
    rows = [
        (
            one.name,
            *(f"{one.counts[name]:g}" for name in ("queries", "missing", "extra")),
            f"{one.counts['retrieved']:.0f}",
            f"{100 * one.counts['unjudged_at_10']:.1f} %",
            f"{one.counts['tied']:.0f}",
            f"{one.counts['duplicates']:.0f}",
        )
        for one in results
    ]
    return Table(heads, rows, numbers=True, words=1)


def notes(results: Sequence[Results]) -> list[str]:
    """What one should know before believing a value; what all runs share is said once."""
    told: dict[str, list[str]] = {}
    for one in results:
        for note in one.notes:
            told.setdefault(note, []).append(one.name)
    whole = len(results)
    return [
        note if len(names) == whole else f"{', '.join(names)}: {note}"
        for note, names in told.items()
    ]


def plots(stable: Sequence[Stability]) -> list[dict[str, Any]]:
    """Of each measure a dot and an interval for each run, as parts of one scale."""
    return [
        plot
        for measure in stable[0].intervals
        if (plot := _plot(measure, [one.intervals[measure] for one in stable], stable)) is not None
    ]


def _plot(
    measure: str, intervals: Sequence[Interval], stable: Sequence[Stability]
) -> dict[str, Any] | None:
    ends = [end for one in intervals for end in (one.mean, one.low, one.high) if end is not None]
    if not ends:
        return None
    ticks = scale(min(ends), max(ends))
    first, wide = ticks[0], ticks[-1] - ticks[0]

    def part(value: float) -> float:
        return round(100 * (value - first) / wide, 3)

    rows = []
    for one, run in zip(intervals, stable, strict=True):
        row: dict[str, Any] = {"run": run.run, "mean": "–", "between": "", "at": None}
        if one.mean is not None:
            row |= {"mean": _number(one.mean, one), "at": part(one.mean)}
        if one.low is not None and one.high is not None:
            row |= {
                "from": part(one.low),
                "wide": round(part(one.high) - part(one.low), 3),
                "between": f"{_number(one.low, one)} … {_number(one.high, one)}",
            }
        rows.append(row)
    step = ticks[1] - ticks[0]
    digits = max(0, -floor(log10(step)))
    return {
        "measure": measure,
        "rows": rows,
        "ticks": [(part(tick), f"{tick:.{digits}f}") for tick in ticks],
    }


def scale(low: float, high: float) -> list[float]:
    """Round numbers that reach from one to the other.

    Examples:
        >>> scale(0.31, 0.52)
        [0.3, 0.4, 0.5, 0.6]
    """
    apart = (high - low) or abs(high) or 1.0
    power = 10.0 ** floor(log10(apart / 3))
    step = next(power * part for part in (1, 2, 5, 10) if apart / (power * part) <= 4)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if last <= first:
        last = first + 1
    return [round(at * step, 12) for at in range(first, last + 1)]


def sampled(*, queries: int, listed: int, detailed: int, deeper: bool, ranks: int) -> list[str]:
    """What is not in the page, because it would be too much."""
    lines = []
    if listed < queries:
        lines.append(
            f"The table of queries has {listed:,} of {queries:,}: those that changed most, and a "
            "sample of the others."
        )
    if detailed < queries:
        lines.append(
            f"Rankings are shown of {detailed:,} of {queries:,} queries: those that changed most, "
            "and a sample of the others."
        )
    if deeper:
        lines.append(f"Rankings are shown down to rank {ranks}.")
    return lines


def counted_line(results: Sequence[Results]) -> str:
    """The convention in one line."""
    return said_of_runs(results)[0]


def renamed(names: Sequence[str], given: Sequence[str]) -> Mapping[str, str]:
    """Labels whose names are longer, for whoever wants the whole name."""
    return {label: name for label, name in zip(names, given, strict=True) if label != name}
