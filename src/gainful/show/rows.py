"""Rows of named values: going; use `gainful.page.Table` and a `Page`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from gainful.page.page import Page, Section
from gainful.page.render import render
from gainful.page.table import Table, column_bars
from gainful.page.terminal import PLAIN, Terminal


@frozen
class Rows:
    """Columns with a name each; the first few hold words, the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    label_columns: int = 1
    bar_columns: Mapping[int, bool] = {}  # columns that have bars on a terminal; is 1 the most?

    def to_table(self) -> Table:
        """The rows as a table of numbers."""
        return Table(
            tuple(self.columns),
            self.rows,
            numeric=True,
            label_columns=self.label_columns,
            bars=column_bars(self.rows, self.bar_columns),
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        return self.to_table().to_dicts()


def _build_page(rows: Rows, notes: Sequence[str]) -> Page:
    return Page(sections=[Section(table=rows.to_table())], notes=notes, rows=rows.to_table)


def to_text(rows: Rows, notes: Sequence[str], *, terminal: Terminal = PLAIN) -> str:
    """The table, and under it what one should know."""
    return render(_build_page(rows, notes), "table", terminal)


def to_markdown(rows: Rows, notes: Sequence[str]) -> str:
    """A pipe table and the notes."""
    return render(_build_page(rows, notes), "markdown")


def to_latex(rows: Rows, notes: Sequence[str]) -> str:
    """A booktabs tabular, the notes as comments above it."""
    return render(_build_page(rows, notes), "latex")


def to_csv(rows: Rows, separator: str = ",") -> str:
    """A line for each row, at full precision."""
    return render(_build_page(rows, ()), "csv" if separator == "," else "tsv")


def to_json_lines(rows: Rows) -> str:
    """An object for each row."""
    return render(_build_page(rows, ()), "jsonl")
