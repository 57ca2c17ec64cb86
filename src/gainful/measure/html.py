"""Small tables for notebooks: escaped text in the notebook's own colours, and nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gainful.errors import short

_LONG = 80  # characters of a cell or caption
_RIGHT = " style='text-align:right'"
_LEFT = " style='text-align:left'"


def table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: int = 1,
    notes: Sequence[str] = (),
) -> str:
    """A table under its caption; the first few columns hold words, the others numbers.

    Examples:
        >>> "&lt;run&gt;" in table("<run>", ("measure", "mean"), [("AP", "0.5000")])
        True
    """
    lines = [caption, *notes]
    told = "<br>".join(_escaped(line) for line in lines)
    head = "".join(f"<th{_side(at, words)}>{_escaped(one)}</th>" for at, one in enumerate(columns))
    body = "".join(
        "<tr>"
        + "".join(f"<td{_side(at, words)}>{_escaped(one)}</td>" for at, one in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption{_LEFT}>{told}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _side(at: int, words: int) -> str:
    return _LEFT if at < words else _RIGHT


def _escaped(text: str) -> str:
    return escape(short(text, _LONG) if len(text) > 4 * _LONG else text)
