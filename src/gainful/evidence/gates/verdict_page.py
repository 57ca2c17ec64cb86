"""The page of a verdict: did the run pass, by which rules, and which queries to look at first?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from gainful.evidence.gates.verdict_junit import format_rule, verdict_to_junit
from gainful.measure.results_page import list_footnotes
from gainful.page.page import Page, Section
from gainful.page.render import render
from gainful.page.table import Table, to_one_line
from gainful.text import count_noun, format_change, format_distinct

if TYPE_CHECKING:
    from gainful.evidence.gates.verdict import Check, QueryToLookAt, Verdict

# Bold, then a colour.
_PASSED_STYLE, _FAILED_STYLE = "1m\x1b[32", "1m\x1b[31"


def verdict_page(verdict: Verdict) -> Page:
    """The verdict for a terminal, the log of a build, a pull request or a build server."""
    style = _PASSED_STYLE if verdict.passed else _FAILED_STYLE
    headlines = _list_headlines(verdict)
    sections = [
        Section("\n".join(headlines), style=style, indent="  ", forms=("table",)),
        *(Section(line, strong=True, forms=("markdown", "html")) for line in headlines),
        Section(table=_build_check_table(verdict)),
    ]
    for heading, table in _build_query_tables(verdict):
        sections += [Section(lines=[heading]), Section(table=table)]
    page = Page(
        sections=sections,
        notes=_list_notes(verdict),
        indent="  ",
        rows=lambda: _list_rows(verdict),
        data=verdict.to_dict,
    )
    return evolve(page, written={"junit": lambda: verdict_to_junit(verdict, render(page, "table"))})


def _list_rows(verdict: Verdict) -> Table:
    """A row for each rule, at full precision."""
    columns = ("rule", "measure", "value", "bound", "ok", "baseline", "p", "raw_p")
    rows = [
        [str(check.ok).lower() if name == "ok" else getattr(check, name) for name in columns]
        for check in verdict.checks
    ]
    return Table(columns, rows, numeric=True, label_columns=2)


def _list_headlines(verdict: Verdict) -> list[str]:
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


def _list_notes(verdict: Verdict) -> list[str]:
    """What one should know, against what it was held, the convention and what was counted."""
    lines = [f"Note: {note}" for note in verdict.notes]
    baseline = verdict.baseline
    if baseline is not None:
        queries = count_noun(baseline.queries, "query")
        lines.append(f"baseline: {baseline.run}, {queries}, from {baseline.name}")
    return [to_one_line(line) for line in (*lines, *list_footnotes([verdict.results]))]
