"""Small tables for notebooks: escaped text in the notebook's own colours, and nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from attrs import frozen

from gainful.formula import escape_latex
from gainful.text import shorten

_MAX_LENGTH = 80  # characters of a cell or caption
_RIGHT = " style='text-align:right'"
_LEFT = " style='text-align:left'"


@frozen
class NotebookTable:
    """A table under its caption; the first few columns hold words, the others numbers.

    Examples:
        >>> table = NotebookTable("<run>", ("measure", "mean"), [("AP", "0.5000")])
        >>> "&lt;run&gt;" in table.to_html(), "0.5000" in table.to_latex()
        (True, True)
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1
    notes: Sequence[str] = ()

    def to_html(self) -> str:
        """As a notebook shows it: escaped, in the notebook's own colours."""
        caption = "<br>".join(_escape(line) for line in (self.caption, *self.notes))
        head = self._cells("th", self.columns)
        body = "".join(f"<tr>{self._cells('td', row)}</tr>" for row in self.rows)
        return (
            f"<div style='overflow-x:auto'><table><caption{_LEFT}>{caption}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _cells(self, tag: str, row: Sequence[str]) -> str:
        sides = [_LEFT if column < self.text_columns else _RIGHT for column in range(len(row))]
        cells = zip(sides, row, strict=True)
        return "".join(f"<{tag}{side}>{_escape(cell)}</{tag}>" for side, cell in cells)

    def to_latex(self) -> str:
        """As a notebook prints it: an array, which MathJax knows too."""
        align = "".join(
            "l" if column < self.text_columns else "r" for column in range(len(self.columns))
        )
        lines = [" & ".join(map(_latex_text, row)) + r" \\" for row in (self.columns, *self.rows)]
        lines[0] += r" \hline"
        return "\n".join((rf"$\begin{{array}}{{{align}}}", *lines, r"\end{array}$"))


def _latex_text(cell: str) -> str:
    return rf"\text{{{escape_latex(' '.join(_shorten(cell).split()))}}}"


def _escape(text: str) -> str:
    return escape(_shorten(text))


def _shorten(text: str) -> str:
    return shorten(text, _MAX_LENGTH) if len(text) > 4 * _MAX_LENGTH else text
