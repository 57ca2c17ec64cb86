"""Pages for a notebook: escaped text in the notebook's own colours, and nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gainful.page.formats.latex import escape_latex
from gainful.page.page import Page
from gainful.page.table import Table
from gainful.text import shorten

_MAX_LENGTH = 80  # characters of a cell or caption
_RIGHT = " style='text-align:right'"
_LEFT = " style='text-align:left'"
_CAPTION = " style='text-align:left;white-space:nowrap'"  # the table grows with it


def to_html(page: Page) -> str:
    """The answer, each table under its heading as caption with its lines below, the notes."""
    parts = [_format_lines([page.answer])]
    for section in page.sections_for("html"):
        if section.table is None:
            parts.append(_format_lines([section.heading, *section.lines]))
        else:
            parts += [_format_table(section.table, section.heading), _format_lines(section.lines)]
    return "".join((*parts, _format_lines(page.notes)))


def _format_lines(lines: Sequence[str]) -> str:
    text = "<br>".join(_escape(line) for line in lines if line)
    return f"<p>{text}</p>" if text else ""


def _format_table(table: Table, heading: str) -> str:
    sides = [_RIGHT if right else _LEFT for right in table.flush_right()]
    head = _format_cells("th", [_escape(name) for name in table.columns], sides)
    rows = table.markup_rows(_escape, "<b>{}</b>".format, "<sup>{}</sup>".format)
    body = "".join(f"<tr>{_format_cells('td', row, sides)}</tr>" for row in rows)
    is_short = len(heading) <= _MAX_LENGTH
    caption = f"<caption{_CAPTION}>{_escape(heading)}</caption>" if heading and is_short else ""
    return (
        f"{'' if is_short else _format_lines([heading])}"  # a caption is no wider than its table
        f"<div style='overflow-x:auto'><table>{caption}"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _format_cells(tag: str, row: Sequence[str], sides: Sequence[str]) -> str:
    cells = zip(sides, row, strict=True)
    return "".join(f"<{tag}{side}>{cell}</{tag}>" for side, cell in cells)


def _escape(text: str) -> str:
    return escape(_shorten_cell(text))


def _shorten_cell(text: str) -> str:
    return shorten(text, _MAX_LENGTH) if len(text) > 4 * _MAX_LENGTH else text


def to_mathjax(page: Page) -> str:
    """The tables as arrays, which MathJax and LaTeX know: for a notebook that is printed."""
    sections = page.sections_for("html")
    return "\n\n".join(_format_array(part.table) for part in sections if part.table is not None)


def _format_array(table: Table) -> str:
    align = "".join("r" if right else "l" for right in table.flush_right())
    rows = (table.columns, *table.text_rows())
    texts = [[" ".join(_shorten_cell(cell).split()) for cell in row] for row in rows]
    cells = [[rf"\text{{{escape_latex(text)}}}" for text in row] for row in texts]
    lines = [" & ".join(row) + r" \\" for row in cells]
    lines[0] += r" \hline"
    return "\n".join((rf"$\begin{{array}}{{{align}}}", *lines, r"\end{array}$"))
