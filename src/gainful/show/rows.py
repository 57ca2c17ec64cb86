"""Rows of named values, as a table, TSV, CSV, Markdown, LaTeX, JSON or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from attrs import frozen

from gainful.show import table as tables
from gainful.show.bars import bar_fractions
from gainful.show.csv_cells import to_csv_text
from gainful.show.table import PLAIN, Table, Terminal


@frozen
class Rows:
    """Columns with a name each; the first few hold words, the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    label_columns: int = 1
    bar_columns: Mapping[int, bool] = {}  # columns that have bars on a terminal; is 1 the most?

    def to_table(self) -> Table:
        """The same for a reader: numbers short."""
        text_rows = [tuple(map(_format_cell, row)) for row in self.rows]
        bars = {
            at: bar_fractions([row[at] for row in self.rows], bounded=bounded)
            for at, bounded in self.bar_columns.items()
        }
        return Table(
            tuple(self.columns),
            text_rows,
            numeric=True,
            label_columns=self.label_columns,
            bars=bars,
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        rows = ([None if _is_missing(value) else value for value in row] for row in self.rows)
        return [dict(zip(self.columns, row, strict=True)) for row in rows]


def to_text(rows: Rows, notes: Sequence[str], *, terminal: Terminal = PLAIN) -> str:
    """The table, and under it what one should know."""
    lines = list(notes)
    if terminal.width is not None:
        lines = [fill(line, terminal.width, break_long_words=False) for line in lines]
    return "\n".join((tables.to_text(rows.to_table(), terminal=terminal), "", *lines)).rstrip()


def to_markdown(rows: Rows, notes: Sequence[str]) -> str:
    """The same as Markdown."""
    return "\n\n".join((tables.to_markdown(rows.to_table()), *notes))


def to_latex(rows: Rows, notes: Sequence[str]) -> str:
    """A booktabs tabular, the notes as comments above it."""
    comments = [f"% {' '.join(line.split())}" for line in notes]
    return "\n".join((*comments, tables.to_latex(rows.to_table())))


def to_csv(rows: Rows, separator: str = ",") -> str:
    """A line for each row, at full precision."""
    return to_csv_text((rows.columns, *rows.rows), separator)


def to_json_lines(rows: Rows) -> str:
    """An object for each row."""
    return "\n".join(
        json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows.to_dicts()
    )


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124  (not a number)


def _format_cell(value: Any) -> str:
    if _is_missing(value):
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
