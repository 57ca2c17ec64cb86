"""The formats: one renderer for each, whatever the page is about."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from errno import ELOOP
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from gainful.errors import BadInput, BadValue, WrongType
from gainful.page.page import Page
from gainful.page.terminal import PLAIN, Terminal

Content = str | bytes


def write_atomically(path: str | PathLike[str], content: Content) -> None:
    """Put text or bytes into a file; never half of it: it is written beside, then renamed.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_atomically(Path(folder, "a.txt"), "whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    if not isinstance(path, (str, PathLike)):
        raise WrongType("path", path, "the path of a file")
    write_together({fspath(path): content})


def write_together(contents: Mapping[str, Content]) -> None:
    """Put texts or bytes into files: into all of them, or into none where one cannot be written.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_together({f"{folder}/a": "1", f"{folder}/b": b"2"})
        ...     sorted(file.name for file in Path(folder).iterdir())
        ['a', 'b']
    """
    temporaries: dict[Path, Path] = {}  # by the file whose place they take
    path = ""
    try:
        for path, content in contents.items():
            data = content.encode() if isinstance(content, str) else content
            place = Path(path)
            if place.exists() and not place.is_file():  # a pipe, a device
                with place.open("wb") as stream:
                    stream.write(data)
            else:
                target = _follow_links(place)
                temporaries[target] = _write_beside(target, data)
        for target, temporary in temporaries.items():
            temporary.replace(target)
    except (OSError, ValueError, RuntimeError) as failure:  # a null byte; a link to itself
        reason = getattr(failure, "strerror", None) or failure
        raise BadInput(path, f"cannot be written: {reason}") from None
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def _follow_links(place: Path) -> Path:
    target = place.resolve()
    if target.is_symlink():
        raise OSError(ELOOP, os.strerror(ELOOP))
    return target


def _write_beside(target: Path, data: bytes) -> Path:
    """A file in the same folder, ready to take the place of another, whose mode it has."""
    mask = os.umask(0)  # which can only be read by setting it
    os.umask(mask)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask
    from tempfile import mkstemp  # noqa: PLC0415  (slow to load, and most is printed)

    handle, temporary = mkstemp(dir=target.parent, prefix=".gainful.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).chmod(mode)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return Path(temporary)


def _load(module: str, function: str = "", **options: Any) -> Callable[..., str]:
    def render_page(page: Page, **more: Any) -> str:
        renderers = import_module(f"gainful.page.formats.{module}")
        renderer = getattr(renderers, function or f"to_{module}")
        return str(renderer(page, **options, **more))

    return render_page


# By name: the suffix of files that ask for a format, and what writes it.
_ALL: Mapping[str, tuple[str, Callable[..., str]]] = {
    "table": (".txt", _load("text")),
    "tsv": (".tsv", _load("csv", separator="\t")),
    "csv": (".csv", _load("csv")),
    "markdown": (".md", _load("markdown")),
    "latex": (".tex", _load("latex")),
    "html": (".html", _load("html")),
    "json": (".json", _load("json")),
    "jsonl": (".jsonl", _load("json", "to_json_lines")),
}
SUFFIXES = {form: suffix for form, (suffix, _) in _ALL.items()}
RENDERERS = {form: renderer for form, (_, renderer) in _ALL.items()}
_FOR_READERS = ("table", "markdown", "latex", "html")
# What a file begins with that a browser opens.
HTML_HEAD = '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>gainful</title>\n'


def render(page: Page, form: str, terminal: Terminal = PLAIN) -> str:
    """A page in a format; only the table looks at the terminal."""
    if form in page.renderers:
        text = page.renderers[form]()
    else:
        text = RENDERERS[form](page, **({"terminal": terminal} if form == "table" else {}))
    if page.appendix is None or form not in _FOR_READERS:
        return text
    return f"{text}\n\n{render(page.appendix, form, terminal)}"


def find_suffix(path: str | PathLike[str], known: Collection[str]) -> str:
    """The suffix of a file to write, which says in which format."""
    if not isinstance(path, (str, PathLike)):
        raise WrongType("path", path, "the path of a file")
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        raise BadValue("path", fspath(path), f"a name that ends in {', '.join(known)}")
    return suffix


def save_page(page: Page, path: str | PathLike[str]) -> None:
    """Put a page into a file, as a whole or not at all.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     save_page(Page(answer="yes"), Path(folder, "answer.md"))
        ...     Path(folder, "answer.md").read_text().strip()
        'yes'
    """
    forms = {suffix: form for form, suffix in SUFFIXES.items()}
    form = forms[find_suffix(path, forms)]
    write_atomically(path, f"{HTML_HEAD * (form == 'html')}{render(page, form)}\n")
