"""`CheckReport`: what was found in files, wrong things first, then what is worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.text import count_noun


@frozen
class Finding:
    """What was found in one file, or in two together."""

    subject: str
    kind: str
    problems: tuple[str, ...]  # details of the one before begin with a blank
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()  # those of the notes that change what comes out

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "about": self.subject,
            "kind": self.kind,
            "wrong": [line.strip() for line in self.problems],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def lines(self) -> Iterator[str]:
        """Problems and notes as a terminal shows them."""
        for line in self.problems:
            yield f"       {line}" if line.startswith(" ") else f"  wrong: {line}"
        for line in self.notes:
            yield f"  look: {line}" if line in self.warnings else f"  {line}"


@frozen(repr=False)
class CheckReport(Shown):
    """What was found in each file, and in each run with each judgments."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Is nothing wrong?"""
        return not any(finding.problems for finding in self.findings)

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {"ok": self.ok, "findings": [finding.to_dict() for finding in self.findings]}

    def page(self) -> Page:
        """The verdict, and a paragraph for each file and each pair."""
        paragraphs = [
            Section(
                f"{finding.subject} ({finding.kind})" if finding.kind else finding.subject,
                lines=list(finding.lines()),
                strong=True,
                indent="    ",
            )
            for finding in self.findings
        ]
        return Page(answer=self._verdict(), sections=paragraphs, rows=self._rows, data=self.to_dict)

    def _verdict(self) -> str:
        """Is anything wrong? What is odd is said, and not called wrong."""
        problem_count = sum(
            not line.startswith(" ") for finding in self.findings for line in finding.problems
        )
        warnings = [line for finding in self.findings for line in finding.warnings]
        look = f"{count_noun(len(warnings), 'thing deserves', 'things deserve')} a look"
        if problem_count:
            wrong = f"{count_noun(problem_count, 'thing is', 'things are')} wrong"
            return f"{wrong}, and {look}." if warnings else f"{wrong}."
        if not warnings:
            return "Nothing is wrong."
        if len(warnings) == 1:
            return f"Nothing is malformed. One thing to know: {warnings[0]}."
        return f"Nothing is malformed, but {look}."

    def _rows(self) -> Table:
        """A row for each problem and each note."""
        rows = [
            (finding.subject, finding.kind, what, line.strip())
            for finding in self.findings
            for what, lines in (("wrong", finding.problems), ("note", finding.notes))
            for line in lines
        ]
        return Table(("about", "kind", "what", "text"), rows)
