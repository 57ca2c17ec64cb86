"""The formats: one renderer for each, whatever the page is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gainful.page.page import Page
from gainful.page.terminal import PLAIN, Terminal
from gainful.page.to_csv import to_csv
from gainful.page.to_html import to_html
from gainful.page.to_json import to_json, to_json_lines
from gainful.page.to_latex import to_latex
from gainful.page.to_markdown import to_markdown
from gainful.page.to_text import to_text

RENDERERS: Mapping[str, Callable[[Page], str]] = {
    "table": to_text,
    "tsv": lambda page: to_csv(page, "\t"),
    "csv": to_csv,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
    "json": to_json,
    "jsonl": to_json_lines,
}


# The suffixes of files that ask for a format.
SUFFIXES = {
    "table": ".txt",
    "tsv": ".tsv",
    "csv": ".csv",
    "markdown": ".md",
    "latex": ".tex",
    "json": ".json",
    "jsonl": ".jsonl",
    "html": ".html",
}
_FOR_READERS = ("table", "markdown", "latex", "html")


def render(page: Page, form: str, terminal: Terminal = PLAIN) -> str:
    """A page in a format; only the table looks at the terminal."""
    if form in page.renderers:
        text = page.renderers[form]()
    else:
        text = to_text(page, terminal) if form == "table" else RENDERERS[form](page)
    if page.appendix is None or form not in _FOR_READERS:
        return text
    return f"{text}\n\n{render(page.appendix, form, terminal)}"
