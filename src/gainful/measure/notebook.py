"""Small tables for notebooks: escaped text in the notebook's own colours, and nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from attrs import frozen

from gainful.errors import short
from gainful.formula import latex_words

_LONG = 80  # characters of a cell or caption
_RIGHT = " style='text-align:right'"
_LEFT = " style='text-align:left'"


@frozen
class Shown:
    """A table under its caption; the first few columns hold words, the others numbers.

    Examples:
        >>> one = Shown("<run>", ("measure", "mean"), [("AP", "0.5000")])
        >>> "&lt;run&gt;" in one.html(), "0.5000" in one.latex()
        (True, True)
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    notes: Sequence[str] = ()

    def html(self) -> str:
        """As a notebook shows it: escaped, in the notebook's own colours."""
        told = "<br>".join(_escaped(line) for line in (self.caption, *self.notes))
        head = self._cells("th", self.columns)
        body = "".join(f"<tr>{self._cells('td', row)}</tr>" for row in self.rows)
        return (
            f"<div style='overflow-x:auto'><table><caption{_LEFT}>{told}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _cells(self, tag: str, row: Sequence[str]) -> str:
        sides = [_LEFT if at < self.words else _RIGHT for at in range(len(row))]
        both = zip(sides, row, strict=True)
        return "".join(f"<{tag}{side}>{_escaped(one)}</{tag}>" for side, one in both)

    def latex(self) -> str:
        """As a notebook prints it: an array, which MathJax knows too."""
        align = "".join("l" if at < self.words else "r" for at in range(len(self.columns)))
        lines = [" & ".join(map(_text, row)) + r" \\" for row in (self.columns, *self.rows)]
        lines[0] += r" \hline"
        return "\n".join((rf"$\begin{{array}}{{{align}}}", *lines, r"\end{array}$"))


def _text(cell: str) -> str:
    return rf"\text{{{latex_words(' '.join(_shortened(cell).split()))}}}"


def _escaped(text: str) -> str:
    return escape(_shortened(text))


def _shortened(text: str) -> str:
    return short(text, _LONG) if len(text) > 4 * _LONG else text
