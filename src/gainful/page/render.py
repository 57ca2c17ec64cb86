"""The formats: one renderer for each, whatever the page is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from gainful.page.page import Page
from gainful.page.terminal import PLAIN, Terminal


def _load(module: str, function: str = "", **options: Any) -> Callable[..., str]:
    """A renderer, whose module is loaded when a page is first rendered with it."""

    def render_page(page: Page, **more: Any) -> str:
        renderer = getattr(import_module(f"gainful.page.{module}"), function or module)
        return str(renderer(page, **options, **more))

    return render_page


RENDERERS: Mapping[str, Callable[..., str]] = {
    "table": _load("to_text"),
    "tsv": _load("to_csv", separator="\t"),
    "csv": _load("to_csv"),
    "markdown": _load("to_markdown"),
    "latex": _load("to_latex"),
    "html": _load("to_html"),
    "json": _load("to_json"),
    "jsonl": _load("to_json", "to_json_lines"),
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
        text = RENDERERS[form](page, **({"terminal": terminal} if form == "table" else {}))
    if page.appendix is None or form not in _FOR_READERS:
        return text
    return f"{text}\n\n{render(page.appendix, form, terminal)}"
