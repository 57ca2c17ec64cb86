"""`Verdict`: did a run pass its gate, by which rules, and where should one look first?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from attrs import evolve, field, frozen

from gainful.evidence.gates.error_rates import RATE_COLUMNS, ErrorRate
from gainful.evidence.gates.rules import Check, find_change
from gainful.measure.results import describe_unmatched, list_footnotes
from gainful.measure.values import Results
from gainful.page.page import Page, Section
from gainful.page.render import render, write_together
from gainful.page.shown import Shown
from gainful.page.table import Table, build_table, to_one_line, to_plain_data
from gainful.read.baseline import Baseline
from gainful.text import (
    collect_by_key,
    count_noun,
    format_change,
    format_distinct,
    mark_notes,
    pluralise,
)

# Bold, then a colour.
_PASSED_STYLE, _FAILED_STYLE = "1m\x1b[32", "1m\x1b[31"
_RATES_HEADING = "How often do rules stop a build that is no worse, and which drop do they catch?"
# What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@frozen
class QueryToLookAt:
    """A query to look at, and what a measure says of it before (if that is known) and now."""

    measure: str
    query: str
    now: float
    before: float | None = None


@frozen(eq=False, kw_only=True, repr=False)
class Verdict(Shown):
    """Did the run pass? `checks` say by which rules, `look_at` which queries to look at first."""

    results: Results
    checks: Sequence[Check]
    look_at: Sequence[QueryToLookAt] = ()
    notes: Sequence[str] = ()
    error_rates: Sequence[ErrorRate] = ()  # of its rules; of the usual ones where none was applied
    now_and_before: Mapping[str, tuple[float, float]] = field(factory=dict)
    baseline: Baseline | None = None
    saved: str | None = None  # where the run is saved as a baseline
    new_baseline: Baseline | None = None  # what is saved there

    @property
    def passed(self) -> bool:
        """Does every rule hold?"""
        return all(check.ok for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def broken_checks(self) -> list[Check]:
        """The rules that are broken."""
        return [check for check in self.checks if not check.ok]

    def files_to_save(self) -> dict[str, str]:
        """The baseline that the run became by passing, by its path; nothing if none was wanted."""
        if self.new_baseline is None or self.saved is None:
            return {}
        return {self.saved: self.new_baseline.to_text()}

    def save_baseline(self) -> None:
        """Write the run as a baseline, if it passed and one was requested."""
        write_together(self.files_to_save())

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        results, baseline = self.results, self.baseline
        return {
            "passed": self.passed,
            "run": results.name,
            "checks": [check.to_dict() for check in self.checks],
            "look_at": [to_plain_data(look) for look in self.look_at],
            "error_rates": [to_plain_data(rate) for rate in self.error_rates],
            "mean": results.mean_or_none(),
            "baseline": baseline
            and {
                "file": baseline.name,
                "run": baseline.run,
                "queries": baseline.queries,
                "gainful": baseline.gainful,
                "mean": {name: before for name, (_, before) in self.now_and_before.items()},
                "history": list(baseline.history),
            },
            "saved": self.saved,
            "notes": [*self.notes, *results.notes],
            "convention": results.convention_data(),
            "counts": dict(results.counts),
        }

    def page(self, *, verbose: bool = False) -> Page:
        """Did the run pass, by which rules, and if not, which queries to look at first?"""
        style = _PASSED_STYLE if self.passed else _FAILED_STYLE
        answers = [describe_unmatched([self.results]), *_list_headlines(self)]
        headlines = [to_one_line(line) for line in answers if line]
        sections = [
            Section("\n".join(headlines), style=style, indent="  ", forms=("table",)),
            *(Section(line, strong=True, forms=("markdown", "html")) for line in headlines),
            Section(table=_build_check_table(self)),
        ]
        for heading, table in _build_query_tables(self):
            sections += [Section(lines=[heading]), Section(table=table)]
        if self.error_rates:
            table = build_table(self.error_rates, RATE_COLUMNS)
            sections += [Section(lines=[_RATES_HEADING]), Section(table=table)]
        page = Page(
            sections=sections,
            notes=_list_notes(self, verbose=verbose),
            indent="  ",
            rows=lambda: _list_rows(self),
            data=self.to_dict,
        )
        return evolve(
            page, renderers={"junit": lambda: verdict_to_junit(self, render(page, "table"))}
        )


def _list_rows(verdict: Verdict) -> Table:
    has_groups = any(check.group is not None for check in verdict.checks)
    columns = (
        *("rule", "measure", "value", "bound", "ok", "baseline"),
        *("p", "p_corrected", "limit", "fallen"),
        *(("group",) if has_groups else ()),
    )
    rows = [
        [str(check.ok).lower() if name == "ok" else getattr(check, name) for name in columns]
        for check in verdict.checks
    ]
    return Table(columns, rows, numeric=True, label_columns=2)


def _list_headlines(verdict: Verdict) -> list[str]:
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
    has_correction = any(check.p != check.p_corrected for check in verdict.checks)
    p_names = {"p": "p"} if has_p else {}
    p_names |= {"corrected\np": "p_corrected"} if has_correction else {}
    columns = ["measure", "run", *(["baseline", "change"] if verdict.now_and_before else [])]
    columns += [*p_names, "rule", ""]
    rows = []
    for check in verdict.checks:
        cells = _format_means(verdict, check.subject, check.value, check.baseline)
        for p in (getattr(check, name) for name in p_names.values()):
            cells.append("–" if p is None else format_distinct(p, check.bound))
        rows.append([*cells, check.rule_words, "holds" if check.ok else "BROKEN"])
    checked_measures = {check.measure for check in verdict.checks if check.group is None}
    for name, value in verdict.results.mean.items():
        if name not in checked_measures:
            cells = _format_means(verdict, name, value) + ["–"] * len(p_names)
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
        expendable=(*(("p",) if has_correction else ()), "baseline", "change"),
    )


def _format_means(
    verdict: Verdict, name: str, value: float, before: float | None = None
) -> list[str]:
    cells = [name, f"{value:.4f}"]
    if not verdict.now_and_before:
        return cells
    if before is None and name in verdict.now_and_before:
        value, before = verdict.now_and_before[name]
    if before is None:
        return [*cells, "–", "–"]
    return [*cells, f"{before:.4f}", format_change(find_change(value, before))]


def _build_query_tables(verdict: Verdict) -> list[tuple[str, Table]]:
    """The queries to look at first, of each measure: those that fell, or the lowest.

    Of a run that passed only those that fell: it is good enough, its lowest queries too.
    """
    shown = [look for look in verdict.look_at if look.before is not None or not verdict.passed]
    tables, unit = [], verdict.results.unit
    for name, looks in collect_by_key((look.measure, look) for look in shown).items():
        direction = verdict.results.directions[name]
        noun = unit if len(looks) == 1 else pluralise(unit)
        rows: list[tuple[str, ...]] = [
            (look.query, f"{before:.4f}", f"{look.now:.4f}", format_change(look.now - before))
            for look in looks
            if (before := look.before) is not None
        ]
        columns: tuple[str, ...] = (unit, "baseline", "run", "change")
        which = f"{noun} that {'rose' if direction.is_lower else 'fell'} most"
        if not rows:
            rows = [(look.query, f"{look.now:.4f}") for look in looks]
            columns, which = (unit, name), f"{direction.worst} {noun}"
        table = Table(columns, rows, numeric=True, label_columns=1)
        tables.append((f"Look first at the {which} by {name}:", table))
    return tables


def _list_notes(verdict: Verdict, *, verbose: bool) -> list[str]:
    lines = mark_notes(verdict.notes)
    baseline = verdict.baseline
    if baseline is not None:
        units = count_noun(baseline.queries, verdict.results.unit)
        lines.append(f"baseline: {baseline.run}, {units}, from {baseline.name}")
    lines += list_footnotes([verdict.results], verbose=verbose)
    return [to_one_line(line) for line in lines]


def verdict_to_junit(verdict: Verdict, text: str) -> str:
    """A suite with a case for each rule; the verdict as `text` stands in its output."""
    counts = f'tests="{len(verdict.checks)}" failures="{len(verdict.broken_checks)}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'<testsuite name="gainful gate" {counts} errors="0" skipped="0">',
    ]
    run = _escape_attribute(f"gainful.gate.{verdict.results.name}")
    for check in verdict.checks:
        name = _escape_attribute(f"{check.subject}: {check.rule_words}")
        message = _escape_attribute(check.message)
        failure = [f'<failure type="{check.rule}" message="{message}"/>', "</testcase>"]
        end = "/" if check.ok else ""
        lines.append(f'<testcase classname="{run}" name="{name}"{end}>')
        lines += [] if check.ok else failure
    output = escape(_FORBIDDEN.sub("\ufffd", text), quote=False)
    return "\n".join(
        (*lines, f"<system-out>{output}</system-out>", "</testsuite>", "</testsuites>")
    )


def _escape_attribute(text: str) -> str:
    return escape(" ".join(_FORBIDDEN.sub("\ufffd", text).split()), quote=True)
