"""Pages and tables as LaTeX: booktabs tabulars, all else as comments."""

from __future__ import annotations

from gainful.page.escape_latex import escape_latex
from gainful.page.page import Page, Section
from gainful.page.table import Table, to_one_line


def to_latex(page: Page) -> str:
    """Booktabs tabulars; the answer and the notes are comments above them."""
    comments = [_comment(line) for line in (page.answer, *page.notes) if line]
    tables = map(_format_section, page.sections_for("latex"))
    return "\n".join((*comments, "\n\n".join(filter(None, tables))))


def _format_section(section: Section) -> str:
    lines = [_comment(line) for line in (section.heading, *section.lines) if line]
    return "\n".join((*lines, *([] if section.table is None else [table_to_latex(section.table)])))


def _comment(line: str) -> str:
    return f"% {' '.join(line.split())}"


def table_to_latex(table: Table) -> str:
    """A booktabs tabular."""
    align = "".join("r" if right else "l" for right in table.flush_right())
    head, *body = (
        " & ".join(escape_latex_cell(cell) for cell in line) + r" \\"
        for line in (table.columns, *table.text_rows())
    )
    begin = (rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule")
    return "\n".join((*begin, *body, r"\bottomrule", r"\end{tabular}"))


def escape_latex_cell(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return escape_latex(to_one_line(text))
