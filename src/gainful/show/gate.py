"""The verdict of a gate: did the run pass, by which rules, and which queries to look at first?"""

from __future__ import annotations

import json

from gainful.evidence.gates.verdict import Check, QueryToLookAt, Verdict, format_distinct
from gainful.formula import format_exact
from gainful.show import results as show_results, table as tables
from gainful.show.table import PLAIN, Table, Terminal, escape_markdown, to_one_line
from gainful.text import count_noun, format_change

_RULE_WORDS = {"floor": "floor", "max_drop": "drop at most", "significant": "not worse at"}
_BOLD, _GREEN, _RED, _RESET = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m"


def to_text(verdict: Verdict, *, terminal: Terminal = PLAIN) -> str:
    """For a terminal or the log of a build."""
    colour = _BOLD + (_GREEN if verdict.passed else _RED) if terminal.colour else ""
    reset = _RESET if terminal.colour else ""
    headline_lines = [tables.wrap_text(line, terminal, "  ") for line in list_headlines(verdict)]
    parts = ["\n".join(f"{colour}{line}{reset}" for line in headline_lines)]
    parts.append(tables.to_text(_build_check_table(verdict), terminal=terminal))
    for heading, table in _build_query_tables(verdict):
        parts.append(f"{heading}\n\n{tables.to_text(table, terminal=terminal)}")
    parts.append(
        "\n".join(tables.wrap_text(line, terminal, "  ") for line in _list_footnotes(verdict))
    )
    return "\n\n".join(parts)


def to_markdown(verdict: Verdict) -> str:
    """For a pull request or the summary of a build."""
    head = [f"**{escape_markdown(line)}**" for line in list_headlines(verdict)]
    parts = [*head, tables.to_markdown(_build_check_table(verdict))]
    for heading, table in _build_query_tables(verdict):
        parts += [heading, tables.to_markdown(table)]
    return "\n\n".join((*parts, *map(escape_markdown, _list_footnotes(verdict))))


def to_json(verdict: Verdict) -> str:
    """For a program."""
    return json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def list_headlines(verdict: Verdict) -> list[str]:
    """The question answered: each broken rule, or that there is none."""
    return [to_one_line(line) for line in _compose_headlines(verdict)]


def _compose_headlines(verdict: Verdict) -> list[str]:
    if verdict.broken_checks:
        return [f"FAILED: {check.message}" for check in verdict.broken_checks]
    if not verdict.checks:
        return [f"saved: {verdict.results.name} is the baseline in {verdict.saved}"]
    if len(verdict.checks) == 1:
        return [f"passed: {verdict.checks[0].message}"]
    number_words = "both" if len(verdict.checks) == 2 else f"all {len(verdict.checks)}"
    return [f"passed: {number_words} rules hold"]


def format_rule(check: Check) -> str:
    """A rule in a few words."""
    return f"{_RULE_WORDS[check.rule]} {format_exact(check.bound)}"


def _build_check_table(verdict: Verdict) -> Table:
    """A line for each rule, and for each measure that has none."""
    has_p = any(check.p is not None for check in verdict.checks)
    columns = ["measure", "run", *(["baseline", "change"] if verdict.now_and_before else [])]
    columns += [*(["p"] if has_p else []), "rule", ""]
    rows = []
    for check in verdict.checks:
        cells = _format_values(verdict, check.measure, check.value)
        cells += [_format_p(check)] if has_p else []
        rows.append([*cells, format_rule(check), "holds" if check.ok else "BROKEN"])
    checked_measures = {check.measure for check in verdict.checks}
    for name, value in verdict.results.mean.items():
        if name not in checked_measures:
            cells = _format_values(verdict, name, value) + (["–"] if has_p else [])
            rows.append([*cells, "–", ""])
    if not verdict.checks:  # nothing was held against it
        columns, rows = columns[:-2], [row[:-2] for row in rows]
        return Table(columns, rows, numeric=True, label_columns=1)
    return Table(
        columns,
        rows,
        numeric=True,
        label_columns=1,
        text_columns=(len(columns) - 2, len(columns) - 1),
    )


def _format_values(verdict: Verdict, name: str, value: float) -> list[str]:
    cells = [name, f"{value:.4f}"]
    if name in verdict.now_and_before:
        now, then = verdict.now_and_before[name]
        return [*cells, f"{then:.4f}", format_change(now - then)]
    return [*cells, "–", "–"] if verdict.now_and_before else cells


def _format_p(check: Check) -> str:
    return "–" if check.p is None else format_distinct(check.p, check.bound)


def _build_query_tables(verdict: Verdict) -> list[tuple[str, Table]]:
    """The queries to look at first, of each measure: those that fell, or the lowest."""
    looks_by_measure: dict[str, list[QueryToLookAt]] = {}
    for look in verdict.look_at:
        looks_by_measure.setdefault(look.measure, []).append(look)
    return [_build_query_table(name, looks) for name, looks in looks_by_measure.items()]


def _build_query_table(name: str, looks: list[QueryToLookAt]) -> tuple[str, Table]:
    fallen_rows = [
        (look.query, f"{look.before:.4f}", f"{look.now:.4f}", format_change(look.now - look.before))
        for look in looks
        if look.before is not None
    ]
    noun = "query" if len(looks) == 1 else "queries"
    if fallen_rows:
        table = Table(
            ("query", "baseline", "run", "change"), fallen_rows, numeric=True, label_columns=1
        )
        return f"Look first at the {noun} that fell most by {name}:", table
    lowest_rows = [(look.query, f"{look.now:.4f}") for look in looks]
    table = Table(("query", name), lowest_rows, numeric=True, label_columns=1)
    return f"Look first at the lowest {noun} by {name}:", table


def _list_footnotes(verdict: Verdict) -> list[str]:
    """What one should know, against what it was held, the convention and what was counted."""
    lines = [f"Note: {note}" for note in verdict.notes]
    baseline = verdict.baseline
    if baseline is not None:
        lines.append(
            f"baseline: {baseline.run}, {count_noun(baseline.queries, 'query')}, from {baseline.name}"
        )
    return [to_one_line(line) for line in (*lines, *show_results.list_footnotes([verdict.results]))]
