"""`CheckReport`: what was found in files, wrong things first, then what is worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table


@frozen
class Finding:
    """What was found in one file, or in two together."""

    subject: str
    kind: str
    problems: tuple[str, ...]  # details of the one before begin with a blank
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "about": self.subject,
            "kind": self.kind,
            "wrong": [line.strip() for line in self.problems],
            "notes": list(self.notes),
        }

    def lines(self) -> Iterator[str]:
        """Problems and notes as a terminal shows them."""
        for line in self.problems:
            yield f"       {line}" if line.startswith(" ") else f"  wrong: {line}"
        for line in self.notes:
            yield f"  {line}"


@frozen(repr=False)
class CheckReport(Shown):
    """What was found in each file, and in each run with each judgments."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Is nothing wrong?"""
        return not any(finding.problems for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {"ok": self.ok, "findings": [finding.to_dict() for finding in self.findings]}

    def page(self) -> Page:
        """A paragraph for each file and each pair, and the verdict."""
        paragraphs = [
            Section(
                f"{finding.subject} ({finding.kind})" if finding.kind else finding.subject,
                lines=list(finding.lines()),
                strong=True,
                indent="    ",
            )
            for finding in self.findings
        ]
        return Page(
            sections=[*paragraphs, Section(lines=[self._verdict()])],
            rows=self._rows,
            data=self.to_dict,
        )

    def _verdict(self) -> str:
        count = sum(
            not line.startswith(" ") for finding in self.findings for line in finding.problems
        )
        if not count:
            return "Nothing is wrong."
        return f"{count} thing{'s are' if count > 1 else ' is'} wrong."

    def _rows(self) -> Table:
        """A row for each problem and each note."""
        rows = [
            (finding.subject, finding.kind, what, line.strip())
            for finding in self.findings
            for what, lines in (("wrong", finding.problems), ("note", finding.notes))
            for line in lines
        ]
        return Table(("about", "kind", "what", "text"), rows)
