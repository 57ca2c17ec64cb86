"""Tables declared column by column: what each shows of an item, and how a reader sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import frozen

from gainful.page.plain_data import to_plain_data
from gainful.page.table import Table

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
    columns = tuple(names or records[0])
    rows = [tuple(record[name] for name in columns) for record in records]
    return Table(columns, rows, numeric=True, label_columns=labels)


def per_cent(decimals: int = 1) -> Callable[[float], str]:
    """Shows a share as so many per cent."""
    return lambda share: f"{100 * share:.{decimals}f} %"
