"""Small tables for notebooks: escaped text in the notebook's own colours, and nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from gainful.page.page import Page, Section
from gainful.page.table import Table
from gainful.page.to_html import to_html
from gainful.page.to_mathjax import to_mathjax


@frozen
class NotebookTable:
    """A table under its caption; the first few columns hold words, the others numbers.

    Examples:
        >>> one = NotebookTable("<run>", ("measure", "mean"), [("AP", "0.5000")])
        >>> "&lt;run&gt;" in one.to_html(), "0.5000" in one.to_latex()
        (True, True)
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1
    notes: Sequence[str] = ()

    def to_html(self) -> str:
        """As a notebook shows it: escaped, in the notebook's own colours."""
        return to_html(self._page())

    def to_latex(self) -> str:
        """As a notebook prints it: an array, which MathJax knows too."""
        return to_mathjax(self._page())

    def _page(self) -> Page:
        table = Table(self.columns, self.rows, numeric=True, label_columns=self.text_columns)
        return Page(sections=[Section(self.caption, table)], notes=self.notes)
