"""Which columns of a table a terminal has room for, and how wide each of them is there.

What is least important goes first, as the table itself says. Then texts are folded between words.
What is still too wide stands in several tables below one another, each with the labels.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from gainful.page.table import Table
from gainful.text import display_width

GAP = 2  # blanks between columns
_EASY_WIDTH, _LEGIBLE_WIDTH = 32, 16  # what a text should have, and what it must have
_BREAKABLE = 8  # the least that is left of a word in a column that must be broken


def fit_table(table: Table, width: int | None) -> tuple[list[Table], list[str]]:
    """A table, or what of it stands below one another; and the columns that were left out."""
    if width is None or _total_width(table_widths(table)) <= width:
        return [table], []
    table = evolve(table, bars={})
    left_out: list[str] = []
    for name in table.expendable:
        places = [at for at, other in enumerate(table.columns) if other != name]
        if places and _total_width(_least_widths(table, _EASY_WIDTH)) > width:
            left_out += [name] * (len(places) < len(table.columns))
            table = table.select(places)
    widths = _least_widths(table, _LEGIBLE_WIDTH if table.numeric else 0)
    if _total_width(widths) <= width:
        return [table], left_out
    return _stack_columns(table, widths, width), left_out


def table_widths(table: Table) -> list[int]:
    """How wide each column is where nothing is folded."""
    cells = zip(table.columns, *table.text_rows(), strict=True)
    return [max(_widest_line(cell) for cell in column) for column in cells]


def fit_widths(table: Table, width: int | None) -> list[int]:
    """How wide each column is on a terminal: texts give way, the widest first; numbers do not."""
    widths = table_widths(table)
    if width is None or _total_width(widths) <= width:
        return widths
    for least in (_longest_words(table), [min(_BREAKABLE, word) for word in widths]):
        limits = [
            word if is_text else natural
            for word, natural, is_text in zip(least, widths, _find_texts(table), strict=True)
        ]
        if _total_width(limits) <= width:
            break
    fitted = widths
    for cap in range(max(widths), 0, -1):
        if _total_width(fitted) <= width:
            break
        fitted = [max(low, min(cap, natural)) for low, natural in zip(limits, widths, strict=True)]
    return fitted


def _stack_columns(table: Table, widths: Sequence[int], width: int) -> list[Table]:
    """Tables that fit, one below the other: the labels, and the columns that have room."""
    label_columns = max(1, table.label_columns)
    while label_columns > 1 and _total_width(widths[:label_columns]) > width // 2:
        label_columns -= 1  # so many labels would leave no room for what they are of
    labels = list(range(label_columns))
    tables: list[list[int]] = [[]]
    for at in range(label_columns, len(table.columns)):
        columns = [*labels, *tables[-1], at]
        if tables[-1] and _total_width([widths[column] for column in columns]) > width:
            tables.append([])
        tables[-1].append(at)
    return [table.select([*labels, *columns]) for columns in tables]


def _least_widths(table: Table, text_width: int) -> list[int]:
    """The least that columns are to have: numbers all of it, text its words and so much."""
    return [
        max(word, min(natural, text_width)) if is_text else natural
        for natural, word, is_text in zip(
            table_widths(table), _longest_words(table), _find_texts(table), strict=True
        )
    ]


def _longest_words(table: Table) -> list[int]:
    cells = zip(table.columns, *table.text_rows(), strict=True)
    return [
        max((display_width(word) for cell in column for word in cell.split()), default=0)
        for column in cells
    ]


def _find_texts(table: Table) -> list[bool]:
    """Which columns hold words, and can be folded?"""
    return [not right for right in table.flush_right()]


def _widest_line(cell: str) -> int:
    return max(map(display_width, cell.split("\n"))) if "\n" in cell else display_width(cell)


def _total_width(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
