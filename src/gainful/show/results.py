"""Results of runs: a table of runs × measures, what was counted, and the convention in a line."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from typing import Any

import numpy as np

from gainful.convention import CONVENTIONS, HABITS, Convention, like
from gainful.errors import counted
from gainful.measure.recipe import Recipe
from gainful.measure.results import Results
from gainful.show import table as tables
from gainful.show.table import PLAIN, Table, Terminal

_WIDE = 8  # measures; beyond, they stand below one another
_IDEAL = {"judged": "ideal from all judged", "list": "ideal from the list itself"}
_COUNTED = ("missing", "extra", "tied", "duplicates", "retrieved")


def to_text(runs: Sequence[Results], *, per_query: bool, terminal: Terminal = PLAIN) -> str:
    """The table, and under it the convention and what was counted."""
    table = _by_query(runs, mean=True) if per_query else _by_run(runs)
    text = tables.to_text(table, terminal=terminal)
    too_wide = terminal.width is not None and max(map(len, text.splitlines())) > terminal.width
    if not per_query and (len(runs[0].values) > _WIDE or too_wide):
        text = tables.to_text(_by_measure(runs), terminal=terminal)
    return "\n".join((text, "", *said(runs)))


def to_markdown(runs: Sequence[Results], *, per_query: bool) -> str:
    """The same as Markdown."""
    table = _by_query(runs, mean=True) if per_query else _by_run(runs)
    return "\n\n".join((tables.to_markdown(table), *said(runs)))


def to_latex(runs: Sequence[Results], *, per_query: bool) -> str:
    """A booktabs tabular, the convention as a comment above it."""
    table = _by_query(runs, mean=True) if per_query else _by_run(runs)
    notes = [f"% {' '.join(line.split())}" for line in said(runs)]
    return "\n".join((*notes, tables.to_latex(table)))


def to_csv(runs: Sequence[Results], *, per_query: bool, separator: str = ",") -> str:
    """One line for each run, or each run and query, at full precision."""
    buffer = StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    names = list(runs[0].values)
    writer.writerow(["run", *(["query"] if per_query else []), *names])
    for one in runs:
        if not per_query:
            writer.writerow([one.name, *map(_exact, one.mean.values())])
            continue
        for query, values in one.by_query().items():
            writer.writerow([one.name, query, *map(_exact, values.values())])
    return buffer.getvalue().removesuffix("\n")


def to_json_lines(runs: Sequence[Results], *, per_query: bool) -> str:
    """One object for each run, or each run and query."""
    lines: list[dict[str, Any]] = []
    for one in runs:
        if per_query:
            found = one.by_query().items()
            lines += [{"run": one.name, "query": query, **values} for query, values in found]
        else:
            mean: dict[str, Any] = one.to_dict()["mean"]
            lines.append({"run": one.name, **mean})
    return "\n".join(json.dumps(line, ensure_ascii=False, allow_nan=False) for line in lines)


def to_dict(runs: Sequence[Results]) -> dict[str, Any]:
    """All of it as data; counts are those of all runs together."""
    told = [one.to_dict() for one in runs]
    counts: dict[str, Any] = dict(told[0]["counts"])
    for name in _COUNTED:
        counts[name] = sum(one["counts"][name] for one in told)
    counts["unjudged_at_10"] = float(np.mean([one["counts"]["unjudged_at_10"] for one in told]))
    kept = ("mean", "per_query", "counts", "notes")
    return {
        "runs": [
            {"name": one.name} | {key: data[key] for key in kept if key in data}
            for one, data in zip(runs, told, strict=True)
        ],
        "convention": told[0]["convention"],
        "counts": counts,
    }


def to_json(runs: Sequence[Results]) -> str:
    """The same as text."""
    return json.dumps(to_dict(runs), indent=2, ensure_ascii=False, allow_nan=False)


def said(runs: Sequence[Results]) -> list[str]:
    """The convention in one line, what was counted, and what one should know."""
    notes = [f"Note: {one.name}: {note}" for one in runs for note in one.notes]
    same = len({len(one.queries) for one in runs}) == 1
    queries = [counted(len(one.queries), "query") for one in runs]
    whole = " · ".join([*(queries[:1] if same else []), convention(runs[0])])
    lines = [
        " · ".join([*([] if same else [q]), _counts(one)])
        for q, one in zip(queries, runs, strict=True)
    ]
    if len(set(lines)) == 1:
        return [whole, lines[0], *notes]
    told = [f"{one.name}: {line}" for one, line in zip(runs, lines, strict=True)]
    return [whole, *told, *notes]


def convention(one: Results) -> str:
    """How the numbers came about, in one line."""
    habits = one.convention
    parts = [_whose(habits)]
    gained = [how for how in one.recipes.values() if how.measure.entry.cumulated]
    gained.sort(key=lambda how: not how.measure.entry.discounted)
    formulas = list(dict.fromkeys(map(_formula, gained)))
    parts += [text for text in formulas if not any(f.startswith(f"{text}, ") for f in formulas)]
    parts += dict.fromkeys(_IDEAL[str(how.convention.ideal)] for how in gained)
    if any("rel" in how.measure.entry.takes for how in one.recipes.values()):
        parts.append(f"relevant from grade {1 if habits.rel is None else habits.rel:g} on")
    parts.append(f"ties {HABITS['ties'].words(habits.ties)}")
    missing = {"zero": "a missing query scores 0", "skip": "missing queries are left out"}
    parts.append(missing.get(str(habits.missing), "a missing query is refused"))
    return " · ".join(parts)


def _whose(habits: Convention) -> str:
    """Whose habits these are, and which of them were changed."""
    whose = "gainful's habits" if habits.name == "gainful" else f"like {habits.name}"
    changed = habits.differences(like(habits.name)) if habits.name in CONVENTIONS else {}
    but = ", ".join(f"{name}={mine}" for name, (mine, _) in changed.items())
    return f"{whose}, but {but}" if but else whose


def _formula(how: Recipe) -> str:
    formula = f"gain {how.gain.text()}"
    return f"{formula}, discount {how.discount.text()}" if how.measure.entry.discounted else formula


def _counts(one: Results) -> str:
    counts = one.counts
    told = [
        f"{counts['missing']:g} missing",
        f"{100 * counts['unjudged_at_10']:.1f} % of the top 10 unjudged",
    ]
    told += [f"{counts['tied']:g} tied", counted(int(counts["duplicates"]), "duplicate")]
    if counts["extra"]:
        told.insert(1, f"{counts['extra']:g} without judgments")
    return " · ".join(told)


def _by_run(runs: Sequence[Results]) -> Table:
    rows = [(one.name, *map(_shown, one.mean.items(), [one] * len(one.values))) for one in runs]
    return Table(("run", *runs[0].values), rows, numbers=True, words=1)


def _by_measure(runs: Sequence[Results]) -> Table:
    """Runs side by side, where there are many measures."""
    rows = [
        (name, *(_shown((name, one.mean[name]), one) for one in runs)) for name in runs[0].values
    ]
    return Table(("measure", *(one.name for one in runs)), rows, numbers=True, words=1)


def _by_query(runs: Sequence[Results], *, mean: bool) -> Table:
    rows = []
    for one in runs:
        for query, values in one.by_query().items():
            rows.append((one.name, query, *(_shown(pair, one) for pair in values.items())))
        if mean:
            rows.append((one.name, "all", *(_shown(pair, one) for pair in one.mean.items())))
    return Table(("run", "query", *runs[0].values), rows, numbers=True, words=2)


def _shown(pair: tuple[str, float | None], one: Results) -> str:
    name, value = pair
    if value is None or np.isnan(value):
        return "–"
    whole = one.recipes[name].measure.entry.mean == "sum"
    return f"{value:.0f}" if whole else f"{value:.4f}"


def _exact(value: float | None) -> str:
    return "" if value is None or np.isnan(value) else repr(float(value))
