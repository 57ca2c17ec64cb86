"""`Page`: what a result tells, as a value that every format is written from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from gainful.page.table import Table


@frozen
class Section:
    """A heading, a table and lines below it; each may be left out.

    Args:
        heading: stands right above the table, or above the lines.
        table: the table.
        lines: stand below the table, a paragraph each in Markdown.
        style: how a terminal sets the heading, such as "1" for bold.
        strong: is the heading bold in Markdown?
        indent: what goes over the width of a terminal is indented by this.
        forms: the only formats that have the section; all of them if empty.
        caption: makes the table a float with this caption in LaTeX.
        label: by which a paper refers to that float.
    """

    heading: str = ""
    table: Table | None = None
    lines: Sequence[str] = ()
    style: str = ""
    strong: bool = False
    indent: str = ""
    forms: tuple[str, ...] = ()
    caption: str = ""
    label: str = ""


# Sections that depend on how wide the terminal is; None where there is no terminal.
SectionsForWidth = Callable[[int | None], Sequence[Section]]


@frozen
class Page:
    """What a result tells: an answer, sections, notes; long rows and data for programs.

    Args:
        answer: the question answered in a sentence or two.
        sections: tables and texts, in order; a function of the width where that matters.
        notes: how it was computed, and what one should know; comments in LaTeX.
        rows: gives the long form, for CSV, TSV and JSON lines.
        records: gives the objects of JSON lines, where those of `rows` will not do.
        data: gives all of it as plain data, for JSON.
        warnings: what is said on stderr even to those who want no notes.
        indent: lines of notes that go over the width of a terminal are indented by this.
        renderers: formats that the page writes itself, such as the JUnit of a verdict.
        appendix: a page that readers get after this one, notes and all.
    """

    answer: str = ""
    sections: Sequence[Section | SectionsForWidth] = ()
    notes: Sequence[str] = ()
    rows: Callable[[], Table] | None = None
    records: Callable[[], Sequence[Mapping[str, Any]]] | None = None
    data: Callable[[], Any] | None = None
    warnings: Sequence[str] = ()
    indent: str = ""
    renderers: Mapping[str, Callable[[], str]] = field(factory=dict)
    appendix: Page | None = None

    def sections_for(self, form: str, width: int | None = None) -> list[Section]:
        """The sections that a format has."""
        fitted = (
            (section,) if isinstance(section, Section) else section(width)
            for section in self.sections
        )
        return [
            section
            for sections in fitted
            for section in sections
            if not section.forms or form in section.forms
        ]
