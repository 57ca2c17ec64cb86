"""Pages and tables as LaTeX: booktabs tabulars, captions, all else as comments."""

from __future__ import annotations

import re

from gainful.page.page import Page, Section
from gainful.page.table import Table, to_one_line

_ESCAPES = {
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
    "<": "$<$",
    ">": "$>$",
    "×": r"$\times$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "Σ": r"$\Sigma$",
    "Δ": r"$\Delta$",
    "Π": r"$\Pi$",
    "−": "$-$",
    "→": r"$\to$",
    "α": r"$\alpha$",
    "[": "{[}",  # behind the end of a row, these two would be options of that
    "*": "{*}",
}


def escape_latex(text: str) -> str:
    r"""Text in which no character means anything to LaTeX.

    Examples:
        >>> print(escape_latex("a_b & 5 %"))
        a\_b \& 5 \%
    """
    return "".join(_ESCAPES.get(character, character) for character in text)


def to_latex(page: Page) -> str:
    """Booktabs tabulars; the answer and the notes are comments above them."""
    comments = [_comment(line) for line in (page.answer, *page.notes) if line]
    tables = map(_format_section, page.sections_for("latex"))
    return "\n".join((*comments, "\n\n".join(filter(None, tables))))


def _format_section(section: Section) -> str:
    lines = [_comment(line) for line in (section.heading, *section.lines) if line]
    if section.table is not None:
        tabular = table_to_latex(section.table)
        lines += [_float_table(tabular, section) if section.caption else tabular]
    return "\n".join(lines)


def _float_table(tabular: str, section: Section) -> str:
    caption = rf"\caption{{{escape_latex_cell(section.caption)}}}"
    label = [rf"\label{{{section.label}}}"] if section.label else []
    begin, end = (r"\begin{table}", r"\centering", caption, *label), r"\end{table}"
    return "\n".join((*begin, tabular, end))


def _comment(line: str) -> str:
    return f"% {' '.join(line.split())}"


def table_to_latex(table: Table) -> str:
    """A booktabs tabular."""
    align = "".join("r" if right else "l" for right in table.flush_right())
    cells = table.markup_rows(escape_latex_cell, r"\textbf{{{}}}".format, "$^{{{}}}$".format)
    heads = [escape_latex_cell(name) for name in table.columns]
    head, *body = (" & ".join(line) + r" \\" for line in (heads, *cells))
    begin = (rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule")
    return "\n".join((*begin, *body, r"\bottomrule", r"\end{tabular}"))


def escape_latex_cell(text: str) -> str:
    """Text that LaTeX prints as it is, with a minus sign, not a hyphen, before negative numbers."""
    return re.sub(r"(?<![\w.-])-(?=\d)", "$-$", escape_latex(to_one_line(text)))
