"""Pages for a notebook that is printed: tables as arrays, which MathJax and LaTeX know."""

from __future__ import annotations

from gainful.page.escape_latex import escape_latex
from gainful.page.page import Page
from gainful.page.table import Table
from gainful.page.to_html import shorten_cell


def to_mathjax(page: Page) -> str:
    """The tables as arrays."""
    sections = page.sections_for("html")
    return "\n\n".join(_format_table(part.table) for part in sections if part.table is not None)


def _format_table(table: Table) -> str:
    align = "".join("r" if right else "l" for right in table.flush_right())
    rows = (table.columns, *table.text_rows())
    lines = [" & ".join(map(_format_cell, row)) + r" \\" for row in rows]
    lines[0] += r" \hline"
    return "\n".join((rf"$\begin{{array}}{{{align}}}", *lines, r"\end{array}$"))


def _format_cell(cell: str) -> str:
    return rf"\text{{{escape_latex(' '.join(shorten_cell(cell).split()))}}}"
