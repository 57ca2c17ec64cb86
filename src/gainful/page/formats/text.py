"""Pages and tables for a terminal or a pipe: aligned columns, folded lines, bars, colours."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from gainful.page.page import Page, Section
from gainful.page.table import GAP, Table, fit_table, fit_widths, to_one_line
from gainful.page.terminal import PLAIN, Terminal, colour_text, spell_in, wrap_text
from gainful.text import display_width, escape_controls, fold_line

_BOLD, _BAR_COLOUR = "1", "36"
_MIN_BAR_WIDTH, _MAX_BAR_WIDTH = 4, 10  # characters of a bar
_BLOCKS = " ▏▎▍▌▋▊▉█"  # of a small bar beside a number
_EIGHTHS = len(_BLOCKS) - 1


def to_text(page: Page, terminal: Terminal = PLAIN) -> str:
    """The answer, the sections and the notes, a blank line between them."""
    sections = page.sections_for("table", terminal.width)
    parts, left_out = [wrap_text(page.answer, terminal)], dict[str, None]()
    for section in sections:
        text, names = _format_section(section, terminal)
        parts.append(text)
        left_out.update(dict.fromkeys(names))
    if left_out:
        words = ", ".join(" ".join(name.split()) for name in left_out)
        more = f"Not shown: {words}; a wider terminal or --format csv shows all."
        parts.append(wrap_text(more, terminal))
    parts.append("\n".join(wrap_text(note, terminal, page.indent) for note in page.notes))
    return "\n\n".join(part for part in parts if part)


def _format_section(section: Section, terminal: Terminal) -> tuple[str, list[str]]:
    """A section, and the names of the columns of its table that there is no room for."""
    parts, left_out = list[str](), list[str]()
    if section.heading:
        heading = wrap_text(section.heading, terminal, section.indent)
        parts.append(colour_text(heading, section.style, terminal))
    if section.table is not None:
        text, left_out = _format_table(section.table, terminal)
        parts += [text, *([""] if section.lines else [])]
    parts += [wrap_text(line, terminal, section.indent) for line in section.lines]
    return "\n".join(parts), left_out


def table_to_text(table: Table, *, terminal: Terminal = PLAIN) -> str:
    """Aligned columns without rules; on a terminal they fit its width."""
    return _format_table(table, terminal)[0]


def text_width(table: Table) -> int:
    """How many columns of a terminal a table needs, bars aside."""
    return max(map(display_width, table_to_text(table).splitlines()))


def _format_table(table: Table, terminal: Terminal) -> tuple[str, list[str]]:
    tables, left_out = fit_table(_clean_cells(table, terminal.encoding), terminal.width)
    return "\n\n".join(_align_columns(part, terminal) for part in tables), left_out


def _clean_cells(table: Table, encoding: str | None) -> Table:
    clean = to_one_line if table.numeric else _clean_lines
    rows = [[spell_in(clean(cell), encoding) for cell in row] for row in table.text_rows()]
    columns = [spell_in(_clean_lines(name), encoding) for name in table.columns]
    return evolve(table, columns=columns, rows=rows)


def _clean_lines(cell: str) -> str:
    return "\n".join(escape_controls(line) for line in cell.split("\n"))


def _align_columns(table: Table, terminal: Terminal) -> str:
    """Lines of cells; the heads stand above them, bold, if there are any."""
    widths = fit_widths(table, terminal.width)
    bar_width = _fit_bar_width(table, terminal, sum(widths) + GAP * (len(widths) - 1))
    layout = _Layout(table, terminal, widths, bar_width)
    lines = []
    if any(table.columns):
        heads = layout.fold_cells(table.columns)
        height = max(map(len, heads))
        heads = [[""] * (height - len(head)) + head for head in heads]  # they stand at the bottom
        lines += [colour_text(line, _BOLD, terminal) for line in layout.format_row(heads)]
    for number, row in enumerate(table.rows):
        lines += layout.format_row(layout.fold_cells(row), number)
    return "\n".join(lines)


@frozen
class _Layout:
    """How a table is laid out: how wide its columns are, and its bars."""

    table: Table
    terminal: Terminal
    widths: Sequence[int]
    bar_width: int

    def fold_cells(self, row: Sequence[str]) -> list[list[str]]:
        return [
            [line for part in cell.split("\n") for line in fold_line(part, width)]
            for cell, width in zip(row, self.widths, strict=True)
        ]

    def format_row(self, cells: Sequence[Sequence[str]], row_number: int = -1) -> list[str]:
        """The lines of a row, or of the heads, which have no number."""
        heights = range(max(map(len, cells)))
        return [self._format_line(cells, height, row_number) for height in heights]

    def _format_line(self, cells: Sequence[Sequence[str]], height: int, row_number: int) -> str:
        """One line of a row; a bar stands right behind its number."""
        parts = []
        columns = zip(cells, self.widths, self.table.flush_right(), strict=True)
        for at, (cell, width, right) in enumerate(columns):
            text = cell[height] if height < len(cell) else ""
            blanks = " " * (width - display_width(text))
            text = blanks + text if right else text + blanks
            colour = self.table.colours.get((row_number, at), "")
            parts.append(_colour_cell(text, colour, self.terminal))
            if self.bar_width and at in self.table.bars:
                shown = row_number >= 0 and height == 0
                fraction = self.table.bars[at][row_number] if shown else None
                bar = draw_bar(fraction, self.bar_width)
                blanks = " " * (self.bar_width - len(bar))
                parts[-1] += f" {_colour_cell(bar, _BAR_COLOUR, self.terminal)}{blanks}"
        return (" " * GAP).join(parts).rstrip()


def _colour_cell(cell: str, colour: str, terminal: Terminal) -> str:
    visible = cell.strip()
    if not (visible and colour):
        return cell
    return cell.replace(visible, colour_text(visible, colour, terminal), 1)


def _fit_bar_width(table: Table, terminal: Terminal, table_width: int) -> int:
    if not table.bars or not terminal.blocks or terminal.width is None:
        return 0
    room = (terminal.width - table_width) // len(table.bars) - 1
    return min(room, _MAX_BAR_WIDTH) if room >= _MIN_BAR_WIDTH else 0


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
