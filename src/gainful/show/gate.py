"""The verdict of a gate: did the run pass, by which rules, and which queries to look at first?"""

from __future__ import annotations

import json

from gainful.errors import counted
from gainful.evidence.gates.verdict import Check, Look, Verdict, apart
from gainful.formula import exact
from gainful.show import results as show_results, table as tables
from gainful.show.table import PLAIN, Table, Terminal, markdown_escaped, one_line
from gainful.show.why import signed

_RULES = {"floor": "floor", "max_drop": "drop at most", "significant": "not worse at"}
_BOLD, _GREEN, _RED, _PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m"


def to_text(verdict: Verdict, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal or the log of a build."""
    colour = _BOLD + (_GREEN if verdict.passed else _RED) if terminal.colour else ""
    ends = _PLAIN if terminal.colour else ""
    told = [tables.wrapped(line, terminal, "  ") for line in headlines(verdict)]
    parts = ["\n".join(f"{colour}{line}{ends}" for line in told)]
    parts.append(tables.to_text(_checks(verdict), terminal=terminal))
    for heading, table in _queries(verdict):
        parts.append(f"{heading}\n\n{tables.to_text(table, terminal=terminal)}")
    parts.append("\n".join(tables.wrapped(line, terminal, "  ") for line in _said(verdict)))
    return "\n\n".join(parts)


def to_markdown(verdict: Verdict) -> str:
    """For a pull request or the summary of a build."""
    head = [f"**{markdown_escaped(line)}**" for line in headlines(verdict)]
    parts = [*head, tables.to_markdown(_checks(verdict))]
    for heading, table in _queries(verdict):
        parts += [heading, tables.to_markdown(table)]
    return "\n\n".join((*parts, *map(markdown_escaped, _said(verdict))))


def to_json(verdict: Verdict) -> str:
    """For a program."""
    return json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def headlines(verdict: Verdict) -> list[str]:
    """The question answered: each broken rule, or that there is none."""
    return [one_line(line) for line in _headlines(verdict)]


def _headlines(verdict: Verdict) -> list[str]:
    if verdict.broken:
        return [f"FAILED: {check.message}" for check in verdict.broken]
    if not verdict.checks:
        return [f"saved: {verdict.results.name} is the baseline in {verdict.saved}"]
    if len(verdict.checks) == 1:
        return [f"passed: {verdict.checks[0].message}"]
    every = "both" if len(verdict.checks) == 2 else f"all {len(verdict.checks)}"
    return [f"passed: {every} rules hold"]


def rule(check: Check) -> str:
    """A rule in a few words."""
    return f"{_RULES[check.rule]} {exact(check.bound)}"


def _checks(verdict: Verdict) -> Table:
    """A line for each rule, and for each measure that has none."""
    tested = any(check.p is not None for check in verdict.checks)
    columns = ["measure", "run", *(["baseline", "change"] if verdict.before else [])]
    columns += [*(["p"] if tested else []), "rule", ""]
    rows = []
    for check in verdict.checks:
        cells = _cells(verdict, check.measure, check.value)
        cells += [_p(check)] if tested else []
        rows.append([*cells, rule(check), "holds" if check.ok else "BROKEN"])
    ruled = {check.measure for check in verdict.checks}
    for name, value in verdict.results.mean.items():
        if name not in ruled:
            cells = _cells(verdict, name, value) + (["–"] if tested else [])
            rows.append([*cells, "–", ""])
    if not verdict.checks:  # nothing was held against it
        columns, rows = columns[:-2], [row[:-2] for row in rows]
        return Table(columns, rows, numbers=True, words=1)
    return Table(columns, rows, numbers=True, words=1, text=(len(columns) - 2, len(columns) - 1))


def _cells(verdict: Verdict, name: str, value: float) -> list[str]:
    cells = [name, f"{value:.4f}"]
    if name in verdict.before:
        now, then = verdict.before[name]
        return [*cells, f"{then:.4f}", signed(now - then)]
    return [*cells, "–", "–"] if verdict.before else cells


def _p(check: Check) -> str:
    return "–" if check.p is None else apart(check.p, check.bound)


def _queries(verdict: Verdict) -> list[tuple[str, Table]]:
    """The queries to look at first, of each measure: those that fell, or the lowest."""
    found: dict[str, list[Look]] = {}
    for look in verdict.look_at:
        found.setdefault(look.measure, []).append(look)
    return [_of_measure(name, looks) for name, looks in found.items()]


def _of_measure(name: str, looks: list[Look]) -> tuple[str, Table]:
    fallen = [
        (look.query, f"{look.before:.4f}", f"{look.now:.4f}", signed(look.now - look.before))
        for look in looks
        if look.before is not None
    ]
    some = "query" if len(looks) == 1 else "queries"
    if fallen:
        table = Table(("query", "baseline", "run", "change"), fallen, numbers=True, words=1)
        return f"Look first at the {some} that fell most by {name}:", table
    lowest = [(look.query, f"{look.now:.4f}") for look in looks]
    table = Table(("query", name), lowest, numbers=True, words=1)
    return f"Look first at the lowest {some} by {name}:", table


def _said(verdict: Verdict) -> list[str]:
    """What one should know, against what it was held, the convention and what was counted."""
    lines = [f"Note: {note}" for note in verdict.notes]
    old = verdict.baseline
    if old is not None:
        lines.append(f"baseline: {old.run}, {counted(old.queries, 'query')}, from {old.name}")
    return [one_line(line) for line in (*lines, *show_results.said([verdict.results]))]
