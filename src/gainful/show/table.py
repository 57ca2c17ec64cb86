"""A table of text, as a terminal, Markdown or LaTeX shows it."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Literal

from attrs import frozen
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

_WIDE = 10_000  # never fold or cut a row: a pipe has no width, and a terminal wraps by itself
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "~": r"\textasciitilde{}",
    "×": r"$\times$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "Σ": r"$\Sigma$",
}


@frozen
class Table:
    """Columns with a name each, rows of cells; `numbers` are set flush right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: bool = False


def to_text(table: Table, *, colour: bool = False) -> str:
    """Aligned columns without rules; the head in bold on a terminal."""
    justify: Literal["right", "left"] = "right" if table.numbers else "left"
    grid = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in table.columns:
        grid.add_column(Text(name), justify=justify, no_wrap=True)
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    buffer = StringIO()
    Console(file=buffer, width=_WIDE, force_terminal=colour, legacy_windows=False).print(grid)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def to_markdown(table: Table) -> str:
    """A pipe table; cells cannot break out of it."""
    rule = "---:" if table.numbers else "---"
    lines = [table.columns, [rule] * len(table.columns), *table.rows]
    return "\n".join(
        "| " + " | ".join(_one_line(cell).replace("|", r"\|") for cell in line) + " |"
        for line in lines
    )


def to_latex(table: Table) -> str:
    """A booktabs tabular."""
    align = ("r" if table.numbers else "l") * len(table.columns)
    head, *body = (
        " & ".join(latex_escaped(cell) for cell in line) + r" \\"
        for line in (table.columns, *table.rows)
    )
    begin = (rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule")
    return "\n".join((*begin, *body, r"\bottomrule", r"\end{tabular}"))


def latex_escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_LATEX.get(character, character) for character in _one_line(text))


def _one_line(cell: str) -> str:
    return " ".join(cell.split())
