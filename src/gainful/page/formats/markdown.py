"""Pages and tables as Markdown: pipe tables, from which no cell breaks out."""

from __future__ import annotations

import re

from gainful.page.page import Page
from gainful.page.table import Table, to_one_line

# Emphasis (not within a word), code, formulas, links, entities, and what hides these.
_MARKUP = re.compile(r"[\\`|*$~\[\]]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")


def to_markdown(page: Page) -> str:
    """The answer, the sections and the notes, a paragraph each."""
    parts = [escape_markdown(page.answer)] if page.answer else []
    for section in page.sections_for("markdown"):
        heading = escape_markdown(section.heading)
        parts += [f"**{heading}**" if section.strong else heading] if heading else []
        parts += [] if section.table is None else [table_to_markdown(section.table)]
        parts += map(escape_markdown, section.lines)
    return "\n\n".join((*parts, *map(escape_markdown, page.notes)))


def table_to_markdown(table: Table) -> str:
    """A pipe table; cells cannot break out of it."""
    rules = ["---:" if right else "---" for right in table.flush_right()]
    heads = [_escape_cell(name) for name in table.columns]
    cells = table.markup_rows(_escape_cell, "**{}**".format, "<sup>{}</sup>".format)
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, rules, *cells))


def _escape_cell(cell: str) -> str:
    return escape_markdown(to_one_line(cell))


def escape_markdown(text: str) -> str:
    r"""Text that ends neither a cell nor the text: an id may look like a tag, or like a formula.

    Examples:
        >>> print(escape_markdown("a_b | $x$ `c` <d> &lt; _e_"))
        a_b \| \$x\$ \`c\` &lt;d> \&lt; \_e\_
    """
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", _MARKUP.sub(r"\\\g<0>", text))
