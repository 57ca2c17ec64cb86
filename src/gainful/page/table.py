"""A table: columns with a name each, and rows of cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from gainful.text import format_exact

# Of a terminal's own colours, which are legible there; nobody takes cyan for yellow.
BETTER_COLOUR, WORSE_COLOUR = "1;36", "1;33"

Fractions = Sequence[float | None]  # how far bars are filled
Place = tuple[int, int]  # row and column of a cell
Wrap = Callable[[str], str]  # puts a text into a bold cell, or raises it


@frozen
class Table:
    """Columns with a name each, rows of cells; in a `numeric` table they are set flush right.

    A cell is a text, or a value: programs get it at full precision, readers with four decimals.
    Of a numeric table, the first `label_columns` hold words, and so do single `text_columns`.
    On a terminal a column may have `bars` beside its numbers, and a cell (row, column) a colour;
    a narrow one goes without the columns that are `expendable`, the least important first;
    on paper and on pages a cell may be `bold`, and have letters raised behind it.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    numeric: bool = False
    label_columns: int = 0
    text_columns: tuple[int, ...] = ()
    bars: Mapping[int, Fractions] = field(factory=dict)
    colours: Mapping[Place, str] = field(factory=dict)
    bold: frozenset[Place] = frozenset()
    superscripts: Mapping[Place, str] = field(factory=dict)
    expendable: Sequence[str] = ()

    def select(self, columns: Sequence[int]) -> Table:
        """The table with some of its columns only, in their order."""
        places = {old: new for new, old in enumerate(columns)}
        return evolve(
            self,
            columns=[self.columns[at] for at in columns],
            rows=[[row[at] for at in columns] for row in self.rows],
            label_columns=sum(at < self.label_columns for at in columns),
            text_columns=tuple(places[at] for at in self.text_columns if at in places),
            bars={places[at]: bar for at, bar in self.bars.items() if at in places},
            colours=_move_places(self.colours, places),
            bold=frozenset((row, places[at]) for row, at in self.bold if at in places),
            superscripts=_move_places(self.superscripts, places),
        )

    @classmethod
    def from_frame(cls, frame: Any, label_columns: int = 0) -> Table:
        """A polars frame as a table of numbers."""
        return cls(frame.columns, frame.rows(), numeric=True, label_columns=label_columns)

    def flush_right(self) -> list[bool]:
        """Which columns are set flush right?"""
        return [
            self.numeric and at >= self.label_columns and at not in self.text_columns
            for at in range(len(self.columns))
        ]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row; None where a value is missing."""
        rows = ([None if is_missing(value) else value for value in row] for row in self.rows)
        return [dict(zip(self.columns, row, strict=True)) for row in rows]

    def to_columns(self) -> dict[str, list[Any]]:
        """The values of each column; None where one is missing."""
        rows = self.to_dicts()
        return {name: [row[name] for row in rows] for name in self.columns}

    def text_rows(self) -> list[list[str]]:
        """The cells as a reader sees them."""
        return [[format_cell(cell) for cell in row] for row in self.rows]

    def markup_rows(self, escape: Wrap, embolden: Wrap, superscript: Wrap) -> list[list[str]]:
        """The cells in a language that can set them bold and raise letters."""
        rows = [[escape(cell) for cell in row] for row in self.text_rows()]
        for row, column in self.bold:
            rows[row][column] = embolden(rows[row][column])
        for (row, column), letters in self.superscripts.items():
            rows[row][column] += superscript(escape(letters))
        return rows


def _move_places(marks: Mapping[Place, str], places: Mapping[int, int]) -> dict[Place, str]:
    """Marks of cells whose columns stand elsewhere now; of those that are gone, none."""
    return {(row, places[at]): mark for (row, at), mark in marks.items() if at in places}


def column_bars(rows: Sequence[Sequence[Any]], columns: Mapping[int, bool]) -> dict[int, Fractions]:
    """Bars of some columns of values; the flag says whether 1 is the most there can be."""
    return {
        at: bar_fractions([row[at] for row in rows], bounded=bounded)
        for at, bounded in columns.items()
    }


def bar_fractions(values: Sequence[float | None], *, bounded: bool = False) -> list[float | None]:
    """Values as parts of 1 where that is the most there can be, else of the largest of them.

    Examples:
        >>> bar_fractions([2.0, 1.0, None, float("nan")])
        [1.0, 0.5, None, None]
    """
    numbers = [value for value in values if value is not None and value == value]  # noqa: PLR0124
    full_bar = max((1.0 if bounded else 0.0), *numbers, 0.0)
    return [
        value / full_bar if full_bar and value is not None and value == value else None  # noqa: PLR0124
        for value in values
    ]


def is_missing(value: Any) -> bool:
    """Is it None, or not a number?"""
    return value is None or value != value  # noqa: PLR0124  (not a number)


def format_cell(value: Any) -> str:
    """A cell for a reader: text as it is, a value with four decimals."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def format_number(value: float | None, decimals: int = 4) -> str:
    """A number for a table: short if whole, else with a fixed number of decimals."""
    if value is None:
        return "–"
    return format_exact(value) if float(value).is_integer() else f"{value:.{decimals}f}"


def to_one_line(cell: str) -> str:
    """A cell on one line; what would steer a terminal is shown, not sent to it."""
    return escape_control_characters(" ".join(cell.split()))


def escape_control_characters(line: str) -> str:
    """A line in which nothing steers a terminal."""
    return line if line.isprintable() else "".join(map(_escape_character, line))


def _escape_character(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]
