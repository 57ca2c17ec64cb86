"""Pages for a notebook: escaped text in the notebook's own colours, and nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gainful.page.escape_latex import escape_latex
from gainful.page.page import Page
from gainful.page.table import Table
from gainful.text import shorten

_MAX_LENGTH = 80  # characters of a cell or caption
_RIGHT = " style='text-align:right'"
_LEFT = " style='text-align:left'"


def to_html(page: Page) -> str:
    """Each table under its heading as caption; the notes are in the caption of the last."""
    lines = [page.answer] if page.answer else []
    captioned: list[tuple[list[str], Table]] = []
    for section in page.sections_for("html"):
        lines += [line for line in (section.heading, *section.lines) if line]
        if section.table is not None:
            captioned.append((lines, section.table))
            lines = []
    if captioned:
        captioned[-1][0].extend((*lines, *page.notes))
        return "".join(_format_table(table, caption) for caption, table in captioned)
    return "".join(f"<p>{_escape(line)}</p>" for line in (*lines, *page.notes))


def _format_table(table: Table, lines: Sequence[str]) -> str:
    sides = [_RIGHT if right else _LEFT for right in table.flush_right()]
    caption = "<br>".join(map(_escape, lines))
    head = _format_cells("th", [_escape(name) for name in table.columns], sides)
    rows = table.markup_rows(_escape, "<b>{}</b>".format, "<sup>{}</sup>".format)
    body = "".join(f"<tr>{_format_cells('td', row, sides)}</tr>" for row in rows)
    return (
        f"<div style='overflow-x:auto'><table><caption{_LEFT}>{caption}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _format_cells(tag: str, row: Sequence[str], sides: Sequence[str]) -> str:
    cells = zip(sides, row, strict=True)
    return "".join(f"<{tag}{side}>{cell}</{tag}>" for side, cell in cells)


def _escape(text: str) -> str:
    return escape(_shorten_cell(text))


def _shorten_cell(text: str) -> str:
    """A cell or a caption that does not fill the notebook."""
    return shorten(text, _MAX_LENGTH) if len(text) > 4 * _MAX_LENGTH else text


def to_mathjax(page: Page) -> str:
    """The tables as arrays, which MathJax and LaTeX know: for a notebook that is printed."""
    sections = page.sections_for("html")
    return "\n\n".join(_format_array(part.table) for part in sections if part.table is not None)


def _format_array(table: Table) -> str:
    align = "".join("r" if right else "l" for right in table.flush_right())
    rows = (table.columns, *table.text_rows())
    lines = [" & ".join(map(_format_array_cell, row)) + r" \\" for row in rows]
    lines[0] += r" \hline"
    return "\n".join((rf"$\begin{{array}}{{{align}}}", *lines, r"\end{array}$"))


def _format_array_cell(cell: str) -> str:
    return rf"\text{{{escape_latex(' '.join(_shorten_cell(cell).split()))}}}"
