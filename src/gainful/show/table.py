"""A table of text, as a terminal, Markdown or LaTeX shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from io import StringIO
from textwrap import fill

from attrs import field, frozen

from gainful.formula import escape_latex, format_exact
from gainful.show.bars import Fractions, draw_bar

# Of a terminal's own colours, which are legible there; nobody takes cyan for yellow.
_BAR_COLOUR, BETTER_COLOUR, WORSE_COLOUR = "36", "1;36", "1;33"
_MIN_BAR_WIDTH, _MAX_BAR_WIDTH = 4, 10  # characters of a bar
_UNLIMITED_WIDTH = 10_000  # a pipe has no width: nothing is folded there


@frozen
class Terminal:
    """What text is shown on: how wide it is (None for a pipe), whether it may be coloured.

    `blocks` says whether it knows the characters that bars are made of.
    """

    width: int | None = None
    colour: bool = False
    blocks: bool = False


PLAIN = Terminal()


@frozen
class Table:
    """Columns with a name each, rows of cells; a `numeric` one is set flush right.

    Of a numeric table, the first few columns may be words (`label_columns`), and single ones
    further on text (`text_columns`). On a terminal a column may have `bars` beside its numbers, and
    a cell (row, column) a colour.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: bool = False
    label_columns: int = 0
    text_columns: tuple[int, ...] = ()
    bars: Mapping[int, Fractions] = field(factory=dict)
    colours: Mapping[tuple[int, int], str] = field(factory=dict)

    def flush_right(self) -> list[bool]:
        """Which columns are set flush right?"""
        return [
            self.numeric and at >= self.label_columns and at not in self.text_columns
            for at in range(len(self.columns))
        ]


def format_number(value: float | None, decimals: int = 4) -> str:
    """A number for a table: short if whole, else with a fixed number of decimals."""
    if value is None:
        return "–"
    return format_exact(value) if float(value).is_integer() else f"{value:.{decimals}f}"


def to_text(table: Table, *, terminal: Terminal = PLAIN) -> str:
    """Aligned columns without rules; on a terminal words are folded to its width."""
    return _format_numeric(table, terminal) if table.numeric else _format_words(table, terminal)


def _format_numeric(table: Table, terminal: Terminal) -> str:
    """Numbers flush right and never folded; a head may have two lines."""
    heads = [
        [_escape_control_characters(line) for line in name.split("\n")] for name in table.columns
    ]
    head_height = max(map(len, heads))
    head = list(zip(*([""] * (head_height - len(lines)) + lines for lines in heads), strict=True))
    rows = [*map(_flatten_row, table.rows)]
    widths = [max(map(len, column)) for column in zip(*head, *rows, strict=True)]
    columns = list(zip(widths, table.flush_right(), strict=True))
    bar_width = _fit_bar_width(table, terminal, sum(widths) + 2 * len(widths) - 2)
    lines = []
    for row_number, row in enumerate((*head, *rows), start=-head_height):
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, (width, right) in zip(row, columns, strict=True)
        ]
        lines.append(_format_line(table, terminal, cells, row_number, bar_width))
    if terminal.colour:
        lines[:head_height] = [f"\x1b[1m{line}\x1b[0m" for line in lines[:head_height]]
    return "\n".join(lines)


def _format_line(
    table: Table, terminal: Terminal, cells: list[str], row_number: int, bar_width: int
) -> str:
    """One line; a bar stands right behind its number, and only what is seen is coloured."""
    parts = []
    for at, cell in enumerate(cells):
        colour = table.colours.get((row_number, at)) if terminal.colour else None
        parts.append(_add_colour(cell, colour))
        if bar_width and at in table.bars:
            bar_text = "" if row_number < 0 else draw_bar(table.bars[at][row_number], bar_width)
            coloured_bar = _add_colour(bar_text, _BAR_COLOUR if terminal.colour else None)
            parts[-1] += f" {coloured_bar}{' ' * (bar_width - len(bar_text))}"
    return "  ".join(parts).rstrip()


def _add_colour(text: str, colour: str | None) -> str:
    """Text in a colour, the blanks around it without."""
    visible = text.strip()
    return (
        text
        if colour is None or not visible
        else text.replace(visible, f"\x1b[{colour}m{visible}\x1b[0m", 1)
    )


def _fit_bar_width(table: Table, terminal: Terminal, table_width: int) -> int:
    """How long bars can be, if there are any and they fit; 0 where they do not."""
    if not table.bars or not terminal.blocks or terminal.width is None:
        return 0
    room = (terminal.width - table_width) // len(table.bars) - 1
    return min(room, _MAX_BAR_WIDTH) if room >= _MIN_BAR_WIDTH else 0


def _format_words(table: Table, terminal: Terminal) -> str:
    from rich.console import Console  # noqa: PLC0415  (slow to load, and numbers do without)
    from rich.table import Table as RichTable  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in table.columns:
        grid.add_column(Text(name), overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    buffer = StringIO()
    width = _UNLIMITED_WIDTH if terminal.width is None else terminal.width
    console = Console(
        file=buffer, width=width, force_terminal=terminal.colour, legacy_windows=False
    )
    console.print(grid)
    lines = [line.rstrip() for line in buffer.getvalue().splitlines()]
    return "\n".join(lines if any(table.columns) else lines[1:])


def wrap_text(text: str, terminal: Terminal, indent: str = "") -> str:
    """Lines no longer than the terminal is wide; what goes over is indented."""
    if terminal.width is None:
        return text
    return "\n".join(
        fill(line, terminal.width, subsequent_indent=indent, break_long_words=False)
        for line in text.splitlines()
    )


def to_markdown(table: Table) -> str:
    """A pipe table; cells cannot break out of it."""
    rules = ["---:" if right else "---" for right in table.flush_right()]
    lines = [table.columns, rules, *table.rows]
    return "\n".join(
        "| " + " | ".join(escape_markdown(to_one_line(cell)) for cell in line) + " |"
        for line in lines
    )


def escape_markdown(text: str) -> str:
    """Text that ends neither a cell nor the text: an id may look like a tag."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", re.sub(r"([|*\[\]])", r"\\\1", text))


def to_latex(table: Table) -> str:
    """A booktabs tabular."""
    align = "".join("r" if right else "l" for right in table.flush_right())
    head, *body = (
        " & ".join(escape_latex_cell(cell) for cell in line) + r" \\"
        for line in (table.columns, *table.rows)
    )
    begin = (rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule")
    return "\n".join((*begin, *body, r"\bottomrule", r"\end{tabular}"))


def escape_latex_cell(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return escape_latex(to_one_line(text))


def _escape_control_characters(line: str) -> str:
    return line if line.isprintable() else "".join(map(_escape_character, line))


def _flatten_row(row: Sequence[str]) -> list[str]:
    return [to_one_line(cell) for cell in row]


def to_one_line(cell: str) -> str:
    """A cell on one line; what would steer a terminal is shown, not sent to it."""
    return _escape_control_characters(" ".join(cell.split()))


def _escape_character(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]
