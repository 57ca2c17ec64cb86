"""A table: columns with a name each, and rows of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any, TypeVar

from attrs import Attribute, asdict, evolve, field, frozen, has

from gainful.errors import UnknownName
from gainful.text import display_width, escape_controls, format_exact


def to_plain_data(value: Any) -> dict[str, Any]:
    """The fields of an attrs value, and of those in it, as dicts, lists, texts and numbers.

    What has a text of its own, such as a measure, is that text.

    Examples:
        >>> from gainful.measure.measure import nDCG
        >>> from gainful.measure.which import Formulation
        >>> to_plain_data(Formulation(nDCG @ 10, 0.5, ("trec_eval",)))
        {'measure': 'nDCG@10', 'value': 0.5, 'tools': ['trec_eval']}
    """
    return asdict(value, value_serializer=_serialise)


def _serialise(_: type[Any] | None, __: Attribute[Any] | None, value: Any) -> Any:
    if has(type(value)) and "__str__" in vars(type(value)):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if hasattr(value, "tolist") else value  # of NumPy


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

    @classmethod
    def from_records(
        cls, columns: Sequence[str], records: Iterable[Mapping[str, Any]], label_columns: int = 0
    ) -> Table:
        """A row of numbers for each record; a column that it lacks is empty."""
        rows = [[record.get(name) for name in columns] for record in records]
        return cls(columns, rows, numeric=True, label_columns=label_columns)

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
    return escape_controls(" ".join(cell.split()))


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
    return _find_widest(table, lambda cell: cell.split("\n"))


def _find_widest(table: Table, split: Callable[[str], list[str]]) -> list[int]:
    """How wide the widest part of each column is."""
    cells = zip(table.columns, *table.text_rows(), strict=True)
    return [
        max((display_width(part) for cell in column for part in split(cell)), default=0)
        for column in cells
    ]


def fit_widths(table: Table, width: int | None) -> list[int]:
    """How wide each column is on a terminal: texts give way, the widest first; numbers do not."""
    widths = table_widths(table)
    if width is None or _total_width(widths) <= width:
        return widths
    for least in (_find_widest(table, str.split), [min(_BREAKABLE, word) for word in widths]):
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
    return [
        max(word, min(natural, text_width)) if is_text else natural
        for natural, word, is_text in zip(
            table_widths(table), _find_widest(table, str.split), _find_texts(table), strict=True
        )
    ]


def _find_texts(table: Table) -> list[bool]:
    return [not right for right in table.flush_right()]


def _total_width(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


_WIDTH = 80


T = TypeVar("T")


class NameTable(dict[str, T]):
    """Things by their names; a dict but for what a prompt shows of it."""

    def __init__(self, kind: str, things: Iterable[T]) -> None:
        super().__init__({thing.name: thing for thing in things})  # type: ignore[attr-defined]
        self.kind = kind

    def __missing__(self, name: object) -> T:
        raise UnknownName(f"one of the {self.kind}", str(name), self)

    def __repr__(self) -> str:
        return f"{len(self)} {self.kind}:\n{fill(', '.join(self), _WIDTH)}"


Show = str | Callable[[Any], str]


@frozen
class Column:
    """A column of a table: its head, the field of an item that it shows (or a function), and how.

    `show` is what `format` takes, or a function of the value; a value that is None is a dash.
    """

    head: str
    value: str | Callable[[Any], Any] = ""  # the field of that name if nothing is said
    show: Show = ""
    is_text: bool = False  # words among numbers, set flush left
    drop: int = 0  # the higher, the later a narrow terminal goes without; 0 never

    def cell(self, item: Any) -> str:
        """What a reader sees of an item."""
        name = self.value or self.head
        value = getattr(item, name) if isinstance(name, str) else name(item)
        if value is None:
            return "–"
        return format(value, self.show) if isinstance(self.show, str) else self.show(value)


def build_table(items: Iterable[Any], columns: Sequence[Column], labels: int = 1) -> Table:
    """A row for each item; the first columns are labels."""
    droppable = sorted((column for column in columns if column.drop), key=lambda c: c.drop)
    return Table(
        [column.head for column in columns],
        [[column.cell(item) for column in columns] for item in items],
        numeric=True,
        label_columns=labels,
        text_columns=tuple(at for at, column in enumerate(columns) if column.is_text),
        expendable=[column.head for column in droppable],
    )


def list_fields(items: Sequence[Any], labels: int = 1, names: Sequence[str] = ()) -> Table:
    """The fields of items at full precision, for programs: all of them, or those named."""
    records = [to_plain_data(item) for item in items]
    return Table.from_records(tuple(names or records[0]), records, labels)
