"""Pages and tables for a terminal or a pipe: aligned columns, folded lines, bars, colours."""

from __future__ import annotations

from io import StringIO

from gainful.page.page import Page, Section
from gainful.page.table import Table, escape_control_characters, to_one_line
from gainful.page.terminal import PLAIN, Terminal, colour_text, wrap_text

_BAR_COLOUR = "36"
_MIN_BAR_WIDTH, _MAX_BAR_WIDTH = 4, 10  # characters of a bar
_UNLIMITED_WIDTH = 10_000  # a pipe has no width: nothing is folded there
_BLOCKS = " ▏▎▍▌▋▊▉█"  # of a small bar beside a number
_EIGHTHS = len(_BLOCKS) - 1


def to_text(page: Page, terminal: Terminal = PLAIN) -> str:
    """The answer, the sections and the notes, a blank line between them."""
    sections = page.sections_for("table", terminal.width)
    parts = [
        wrap_text(page.answer, terminal),
        *(_format_section(section, terminal) for section in sections),
        "\n".join(wrap_text(note, terminal, page.indent) for note in page.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _format_section(section: Section, terminal: Terminal) -> str:
    parts = []
    if section.heading:
        heading = wrap_text(section.heading, terminal, section.indent)
        parts.append(colour_text(heading, section.style, terminal))
    if section.table is not None:
        parts += [table_to_text(section.table, terminal=terminal), *([""] if section.lines else [])]
    parts += [wrap_text(line, terminal, section.indent) for line in section.lines]
    return "\n".join(parts)


def table_to_text(table: Table, *, terminal: Terminal = PLAIN) -> str:
    """Aligned columns without rules; on a terminal words are folded to its width."""
    return _format_numeric(table, terminal) if table.numeric else _format_words(table, terminal)


def text_width(table: Table) -> int:
    """How many characters a table needs, bars aside."""
    return max(map(len, table_to_text(table).splitlines()))


def _format_numeric(table: Table, terminal: Terminal) -> str:
    """Numbers flush right and never folded; a head may have two lines."""
    heads = [
        [escape_control_characters(line) for line in name.split("\n")] for name in table.columns
    ]
    head_height = max(map(len, heads))
    head = list(zip(*([""] * (head_height - len(lines)) + lines for lines in heads), strict=True))
    rows = [[to_one_line(cell) for cell in row] for row in table.text_rows()]
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
        parts.append(_colour_cell(cell, table.colours.get((row_number, at), ""), terminal))
        if bar_width and at in table.bars:
            bar = "" if row_number < 0 else draw_bar(table.bars[at][row_number], bar_width)
            coloured_bar = _colour_cell(bar, _BAR_COLOUR, terminal)
            parts[-1] += f" {coloured_bar}{' ' * (bar_width - len(bar))}"
    return "  ".join(parts).rstrip()


def _colour_cell(cell: str, colour: str, terminal: Terminal) -> str:
    """A cell in a colour, the blanks around it without."""
    visible = cell.strip()
    return cell.replace(visible, colour_text(visible, colour, terminal), 1) if visible else cell


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
    for row in table.text_rows():
        grid.add_row(*(Text(cell) for cell in row))
    buffer = StringIO()
    width = _UNLIMITED_WIDTH if terminal.width is None else terminal.width
    console = Console(
        file=buffer, width=width, force_terminal=terminal.colour, legacy_windows=False
    )
    console.print(grid)
    lines = [line.rstrip() for line in buffer.getvalue().splitlines()]
    return "\n".join(lines if any(table.columns) else lines[1:])


def draw_bar(fraction: float | None, width: int) -> str:
    """A bar of so many characters, filled to a fraction; what is not known has none.

    Examples:
        >>> draw_bar(0.55, 5), draw_bar(1, 3), draw_bar(0.001, 3), draw_bar(None, 3)
        ('██▊', '███', '▏', '')
    """
    if fraction is None or not fraction > 0:
        return ""
    eighths = max(1, round(min(1.0, fraction) * width * _EIGHTHS))
    full_blocks, remainder = divmod(eighths, _EIGHTHS)
    return _BLOCKS[-1] * full_blocks + (_BLOCKS[remainder] if remainder else "")
