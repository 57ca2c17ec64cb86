"""`Page`: what a result tells, as a value that every format is written from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from gainful.page.table import Table


@frozen
class Section:
    """A heading, a table and lines below it; each may be left out."""

    heading: str = ""  # right above the table, or above the lines
    table: Table | None = None
    lines: Sequence[str] = ()  # below the table, a paragraph each in Markdown
    style: str = ""  # how a terminal sets the heading, such as "1" for bold
    strong: bool = False  # is the heading bold in Markdown?
    indent: str = ""  # before what goes over the width of a terminal
    forms: tuple[str, ...] = ()  # the only formats that have it; all of them if empty
    caption: str = ""  # makes the table a float with this caption in LaTeX
    label: str = ""  # by which a paper refers to that float


def _refuse_programs() -> Any:
    """What a page for readers alone answers to programs."""
    raise TypeError("this page has no rows or data for programs")


# Sections that depend on how wide the terminal is; None where there is no terminal.
SectionsForWidth = Callable[[int | None], Sequence[Section]]


@frozen
class Page:
    """What a result tells: an answer, sections, notes; long rows and data for programs."""

    answer: str = ""  # the question answered in a sentence or two
    sections: Sequence[Section | SectionsForWidth] = ()  # tables and texts, in order
    notes: Sequence[str] = ()  # how it was computed, what one should know; comments in LaTeX
    rows: Callable[[], Table] = _refuse_programs  # gives the long form, for CSV, TSV, JSON lines
    # Gives the objects of JSON lines, where those of `rows` will not do
    records: Callable[[], Sequence[Mapping[str, Any]]] | None = None
    data: Callable[[], Any] = _refuse_programs  # gives all of it as plain data, for JSON
    warnings: Sequence[str] = ()  # said on stderr even to those who want no notes
    indent: str = ""  # before what of the notes goes over the width of a terminal
    # Formats that the page writes itself, such as the JUnit of a verdict
    renderers: Mapping[str, Callable[[], str]] = field(factory=dict)
    appendix: Page | None = None  # a page that readers get after this one, notes and all

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


def brief_page(headline: str, lines: Sequence[str], table: Table, notes: Sequence[str]) -> Page:
    """What a result shows of itself: lines as a text, a table in a notebook."""
    text = Section(lines=(headline, *lines, *notes), forms=("table",))
    return Page(sections=[text, Section(headline, table, notes, forms=("html",))])
