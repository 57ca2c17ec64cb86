"""Cells of CSV and TSV: full precision, and nothing that a spreadsheet would run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from gainful.formula import NUMBER_PATTERN

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # what makes a formula of a text
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)


def to_csv_text(rows: Iterable[Sequence[Any]], separator: str = ",") -> str:
    """Rows of values as lines of cells; what is not known is empty.

    Examples:
        >>> print(to_csv_text([("run", "AP"), ("=cmd()", 0.1), ("-run", -0.5), ("7", None)]))
        run,AP
        '=cmd(),0.1
        '-run,-0.5
        7,
    """
    special_characters = (separator, '"', "\r", "\n")

    def quote_cell(text: str) -> str:
        if not any(character in text for character in special_characters):
            return text
        return '"' + text.replace('"', '""') + '"'

    return "\n".join(
        separator.join(quote_cell(format_cell(value)) for value in row) for row in rows
    )


def format_cell(value: Any) -> str:
    """A value; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None or value != value:  # noqa: PLR0124  (not a number)
        return ""
    text = repr(float(value)) if isinstance(value, float) else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text) else text
