"""Pages as CSV and TSV: full precision, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Any

from gainful.page.page import Page
from gainful.page.table import is_missing
from gainful.text import NUMBER_PATTERN

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # what makes a formula of a text
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
_END = "\r\n"  # the writer quotes cells with any of its characters


def to_csv(page: Page, separator: str = ",") -> str:
    """The rows of a page, a line each."""
    table = page.rows()
    return write_csv((table.columns, *table.rows), separator)


def write_csv(rows: Iterable[Sequence[Any]], separator: str = ",") -> str:
    """Rows of values as lines of cells; what is not known is empty.

    Examples:
        >>> print(write_csv([("run", "AP"), ("=cmd()", 0.1), ("-run", -0.5), ("7", None)]))
        run,AP
        '=cmd(),0.1
        '-run,-0.5
        7,
    """
    lines = _Lines()
    writer = csv.writer(lines, delimiter=separator, lineterminator=_END)
    for row in rows:
        writer.writerow([format_csv_cell(value) for value in row])
    return "\n".join(line.removesuffix(_END) for line in lines)


class _Lines(list[str]):
    """What the writer writes, row by row."""

    def write(self, line: str) -> None:
        self.append(line)


def format_csv_cell(value: Any) -> str:
    """A value; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if is_missing(value):
        return ""
    text = repr(float(value)) if isinstance(value, float) else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text) else text
