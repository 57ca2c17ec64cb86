"""A page as a file; its suffix says in which format."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from gainful.errors import BadValue, WrongType
from gainful.page.page import Page
from gainful.page.render import SUFFIXES, render
from gainful.page.to_html import as_document
from gainful.page.write_file import write_atomically


def save_page(page: Page, path: str | PathLike[str]) -> None:
    """Put a page into a file, as a whole or not at all.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     save_page(Page(answer="yes"), Path(folder, "answer.md"))
        ...     Path(folder, "answer.md").read_text().strip()
        'yes'
    """
    if not isinstance(path, (str, PathLike)):
        raise WrongType("path", path, "the path of a file")
    forms = {suffix: form for form, suffix in SUFFIXES.items()}
    form = forms.get(Path(path).suffix.lower())
    if form is None:
        raise BadValue("path", fspath(path), f"a name that ends in {', '.join(forms)}")
    text = render(page, form)
    write_atomically(path, (as_document(text) if form == "html" else text) + "\n")
