"""Results of runs: a table of runs × measures, what was counted, and the convention in a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from gainful.convention import CONVENTIONS, HABITS, Convention, like
from gainful.errors import counted
from gainful.evidence.stability import Stability
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.show import stability, table as tables
from gainful.show.bars import Fractions, fractions
from gainful.show.csv_cells import separated
from gainful.show.table import PLAIN, Table, Terminal

_WIDE = 8  # measures; beyond, they stand below one another
_IDEAL = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_COUNTED = ("missing", "extra", "tied", "duplicates", "retrieved")


def to_text(
    runs: Sequence[Results],
    *,
    per_query: bool,
    terminal: Terminal = PLAIN,
    stable: Sequence[Stability] = (),
) -> str:
    """The table, the intervals if there are any, the convention and what was counted."""
    table = _by_query(runs, mean=True) if per_query else _by_run(runs)
    if not per_query:
        other = _by_measure(runs)
        wide, turned = _wide(table), _wide(other)
        most = terminal.width or (wide if len(runs[0].values) <= _WIDE else 0)
        table = other if wide > most and turned < wide else table
    text = tables.to_text(table, terminal=terminal)
    lines = said(runs, stable)
    if terminal.width is not None:
        lines = [fill(line, terminal.width, break_long_words=False) for line in lines]
    sure = [tables.to_text(stability.table(stable), terminal=terminal), ""] if stable else []
    return "\n".join((text, "", *sure, *lines))


def _wide(table: Table) -> int:
    """How many characters it needs, bars and colours aside."""
    return max(map(len, tables.to_text(table).splitlines()))


def to_markdown(
    runs: Sequence[Results], *, per_query: bool, stable: Sequence[Stability] = ()
) -> str:
    """The same as Markdown."""
    found = [_by_query(runs, mean=True) if per_query else _by_run(runs)]
    found += [stability.table(stable)] if stable else []
    return "\n\n".join((*map(tables.to_markdown, found), *said(runs, stable)))


def to_latex(runs: Sequence[Results], *, per_query: bool, stable: Sequence[Stability] = ()) -> str:
    """A booktabs tabular, the convention as a comment above it."""
    found = [_by_query(runs, mean=True) if per_query else _by_run(runs)]
    found += [stability.table(stable)] if stable else []
    notes = [f"% {' '.join(line.split())}" for line in said(runs, stable)]
    return "\n".join((*notes, "\n\n".join(map(tables.to_latex, found))))


def to_csv(
    runs: Sequence[Results],
    *,
    per_query: bool,
    separator: str = ",",
    stable: Sequence[Stability] = (),
) -> str:
    """One line for each run, or each run and query, at full precision; intervals come last."""
    rows: list[list[Any]] = [["run", *(["query"] if per_query else []), *runs[0].values]]
    rows[0] += stability.columns(stable)
    for at, one in enumerate(runs):
        if not per_query:
            more = stability.cells(stable[at]) if stable else []
            rows.append([one.name, *map(_real, one.mean.values()), *more])
            continue
        rows += [
            [one.name, query, *map(_real, found.values())]
            for query, found in one.by_query().items()
        ]
    return separated(rows, separator)


def to_json_lines(
    runs: Sequence[Results], *, per_query: bool, stable: Sequence[Stability] = ()
) -> str:
    """One object for each run, or each run and query."""
    lines: list[dict[str, Any]] = []
    for at, one in enumerate(runs):
        if per_query:
            found = one.by_query().items()
            lines += [{"run": one.name, "query": query, **values} for query, values in found]
        else:
            mean: dict[str, Any] = one.to_dict()["mean"]
            more = {"stability": stable[at].to_dict()} if stable else {}
            lines.append({"run": one.name, **mean, **more})
    return "\n".join(json.dumps(line, ensure_ascii=False, allow_nan=False) for line in lines)


def to_dict(runs: Sequence[Results], stable: Sequence[Stability] = ()) -> dict[str, Any]:
    """All of it as data; counts are those of all runs together."""
    told = [one.to_dict() for one in runs]
    for one, sure in zip(told, stable, strict=False):  # all runs have one, or none has
        one["stability"] = sure.to_dict()
    counts: dict[str, Any] = dict(told[0]["counts"])
    for name in _COUNTED:
        counts[name] = sum(one["counts"][name] for one in told)
    counts["unjudged_at_10"] = float(np.mean([one["counts"]["unjudged_at_10"] for one in told]))
    kept = ("mean", "stability", "per_query", "counts", "notes")
    return {
        "runs": [
            {"name": one.name} | {key: data[key] for key in kept if key in data}
            for one, data in zip(runs, told, strict=True)
        ],
        "convention": told[0]["convention"],
        "counts": counts,
    }


def to_json(runs: Sequence[Results], stable: Sequence[Stability] = ()) -> str:
    """The same as text."""
    return json.dumps(to_dict(runs, stable), indent=2, ensure_ascii=False, allow_nan=False)


def said(runs: Sequence[Results], stable: Sequence[Stability] = ()) -> list[str]:
    """The convention in one line, what was counted, and what one should know."""
    notes = [f"Note: {one.name}: {note}" for one in runs for note in one.notes]
    notes = [*stability.said(stable), *notes]
    same = len({len(one.queries) for one in runs}) == 1
    queries = [counted(len(one.queries), "query") for one in runs]
    whole = " · ".join([*(queries[:1] if same else []), convention(runs[0])])
    lines = [
        " · ".join([*([] if same else [q]), one.counted()])
        for q, one in zip(queries, runs, strict=True)
    ]
    if len(set(lines)) == 1:
        return [whole, lines[0], *notes]
    told = [f"{one.name}: {line}" for one, line in zip(runs, lines, strict=True)]
    return [whole, *told, *notes]


def convention(one: Results) -> str:
    """How the numbers came about, in one line; what differs between measures is said of each."""
    habits = one.convention
    cumulated = {name: how for name, how in one.recipes.items() if how.measure.entry.cumulated}
    with_rel = {n: how for n, how in one.recipes.items() if "rel" in how.measure.entry.takes}
    ranked = {n: how for n, how in one.recipes.items() if "ties" in how.measure.entry.params}
    scaled = {n: how for n, how in one.recipes.items() if "max_grade" in how.measure.entry.takes}
    missing = {"zero": "a missing query scores 0", "skip": "missing queries are left out"}
    parts = [
        _whose(habits),
        *_told(cumulated, lambda how: f"gain {how.gain.text()}"),
        *_told(_discounted(cumulated), lambda how: f"discount {how.discount.text()}"),
        *_told(cumulated, lambda how: _IDEAL[str(how.convention.ideal)]),
        *_told(with_rel, lambda how: f"relevant from grade {how.settings()['rel']:g} on"),
        *_told(scaled, lambda how: f"best grade {how.convention.max_grade:g}"),
        *_told(ranked, lambda how: f"ties {HABITS['ties'].words(how.convention.ties)}"),
        missing.get(str(habits.missing), "a missing query is refused"),
    ]
    return " · ".join(parts)


def _discounted(recipes: Mapping[str, Recipe]) -> dict[str, Recipe]:
    return {name: how for name, how in recipes.items() if how.measure.entry.discounted}


def _told(recipes: Mapping[str, Recipe], words: Callable[[Recipe], str]) -> list[str]:
    """One thing said of all measures at once, or of each group of them by name."""
    groups: dict[str, list[str]] = {}
    for name, how in recipes.items():
        groups.setdefault(words(how), []).append(name)
    if len(groups) <= 1:
        return list(groups)
    return [f"{', '.join(names)}: {text}" for text, names in groups.items()]


def _whose(convention: Convention) -> str:
    """Whose habits these are, and which of them were changed."""
    whose = "gainful's habits" if convention.name == "gainful" else f"like {convention.name}"
    changed = (
        convention.differences(like(convention.name)) if convention.name in CONVENTIONS else {}
    )
    but = ", ".join(f"{name}={mine}" for name, (mine, _) in changed.items())
    return f"{whose}, but {but}" if but else whose


def _by_run(runs: Sequence[Results]) -> Table:
    rows = [(one.name, *map(_shown, one.mean.items(), [one] * len(one.values))) for one in runs]
    means = [one.mean for one in runs]
    bars = {
        at: fractions([mean[name] for mean in means], bounded=_bounded(runs[0], name))
        for at, name in enumerate(runs[0].values, start=1)
    }
    return Table(("run", *runs[0].values), rows, numbers=True, words=1, bars=bars)


def _bounded(one: Results, name: str) -> bool:
    return one.recipes[name].measure.entry.bounded


def _by_measure(runs: Sequence[Results]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = [
        (name, *(_shown((name, one.mean[name]), one) for one in runs)) for name in runs[0].values
    ]
    means = [one.mean for one in runs]
    parts = [
        fractions([mean[name] for mean in means], bounded=_bounded(runs[0], name))
        for name in runs[0].values
    ]
    bars = {at + 1: [part[at] for part in parts] for at in range(len(runs))}
    columns = ("measure", *(one.name for one in runs))
    return Table(columns, rows, numbers=True, words=1, bars=bars)


def _by_query(runs: Sequence[Results], *, mean: bool) -> Table:
    rows = []
    for one in runs:
        for query, values in one.by_query().items():
            rows.append((one.name, query, *(_shown(pair, one) for pair in values.items())))
        if mean:
            rows.append((one.name, "all", *(_shown(pair, one) for pair in one.mean.items())))
    columns = ("run", "query", *runs[0].values)
    return Table(columns, rows, numbers=True, words=2, bars=_bars_by_query(runs, mean=mean))


def _bars_by_query(runs: Sequence[Results], *, mean: bool) -> dict[int, Fractions]:
    """A bar for each query; one for the mean too where that is no sum."""
    bars: dict[int, Fractions] = {}
    for at, name in enumerate(runs[0].values, start=2):
        whole = runs[0].recipes[name].measure.entry.mean == "sum"
        values: list[float | None] = []
        for one in runs:
            values += [found[name] for found in one.by_query().values()]
            values += [None if whole else one.mean[name]] if mean else []
        bars[at] = fractions(values, bounded=_bounded(runs[0], name))
    return bars


def _shown(pair: tuple[str, float | None], one: Results) -> str:
    name, value = pair
    if value is None or np.isnan(value):
        return "–"
    whole = one.recipes[name].measure.entry.mean == "sum"
    return f"{value:.0f}" if whole else f"{value:.4f}"


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)  # counts are written as other values are
