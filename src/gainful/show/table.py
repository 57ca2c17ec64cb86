"""Moved to `gainful.page`."""

from gainful.page.table import (
    BETTER_COLOUR,
    WORSE_COLOUR,
    Table,
    format_number,
    to_one_line,
)
from gainful.page.terminal import PLAIN, Terminal, wrap_text
from gainful.page.to_latex import escape_latex_cell, table_to_latex as to_latex
from gainful.page.to_markdown import escape_markdown, table_to_markdown as to_markdown
from gainful.page.to_text import table_to_text as to_text

__all__ = [
    "BETTER_COLOUR",
    "PLAIN",
    "WORSE_COLOUR",
    "Table",
    "Terminal",
    "escape_latex_cell",
    "escape_markdown",
    "format_number",
    "to_latex",
    "to_markdown",
    "to_one_line",
    "to_text",
    "wrap_text",
]
