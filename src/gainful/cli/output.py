"""What a command prints: in the form that was asked for, for the terminal that is there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from gainful.cli.streams import abandon_stdout, find_terminal, is_terminal, say
from gainful.errors import BadInput
from gainful.page.page import Page
from gainful.page.render import SUFFIXES, render
from gainful.page.terminal import PLAIN
from gainful.page.write_file import Content, write_together

_DATA_FORMS = ("json", "jsonl", "csv", "tsv")  # for programs, which expect UTF-8
WITHOUT_NOTES = ("tsv", "csv", "jsonl")  # numbers only, for programs
_HTML_HEAD = '<!doctype html>\n<meta charset="utf-8">\n'  # of a file that a browser opens


def choose_form(
    form: str | None,
    output: str | None,
    *,
    piped: str = "tsv",
    own_suffixes: Mapping[str, str] | None = None,
) -> str:
    """The form that was named; else that of the file's suffix, or the one for the terminal.

    `piped` is what a pipe gets; a command may have forms of its own besides all others.
    """
    if form is not None:
        return form
    if is_stdout(output):
        return "table" if is_terminal(sys.stdout) else piped
    suffix = Path(str(output)).suffix.lower()
    forms = {suffix: form for form, suffix in (SUFFIXES | dict(own_suffixes or {})).items()}
    if suffix not in forms:
        raise click.UsageError(
            f"-o {output}: what format is {suffix or 'that'}? Name it with --format, or end FILE "
            f"in {', '.join(forms)}"
        )
    return forms[suffix]


def refuse_other_than_html(output: str) -> None:
    """A page that one looks at in a browser has a name that says so."""
    suffix = Path(output).suffix.lower()
    if not is_stdout(output) and suffix not in {SUFFIXES["html"], ".htm"}:
        raise click.UsageError(
            f"-o {output}: what format is {suffix or 'that'}? A page is HTML; end its name in .html"
        )


def deliver(
    page: Page,
    form: str,
    output: str | None = None,
    *,
    quiet: bool = False,
    beside: Mapping[str, str] | None = None,
) -> None:
    """Print a page, or put it into a file (- is standard output), in the form asked for.

    Formats that have no place for notes get them on stderr, unless that is to be `quiet`. Files
    that belong to it are written `beside` it: all of them and the page, or nothing.
    """
    text = render(page, form, find_terminal() if is_stdout(output) else PLAIN)
    if form == "html" and not is_stdout(output):
        text = _HTML_HEAD + text
    files = dict(beside or {})
    if not is_stdout(output):
        files[str(output)] = text + "\n"
    write_together(files)
    if is_stdout(output):
        write_stdout(text, encoding="utf-8" if form in _DATA_FORMS else None)
    if form in WITHOUT_NOTES:
        for line in page.warnings if quiet else page.asides or page.notes:
            say(line)


def deliver_document(
    document: Content, output: str, beside: Mapping[str, str] | None = None
) -> None:
    """Put a page or a picture into its file, and values beside it, and say so on stderr."""
    if is_stdout(output):
        write_stdout(document)
        return
    text = document + "\n" if isinstance(document, str) else document
    write_together({output: text, **(beside or {})})
    more = "".join(f", and all values to {path}" for path in beside or ())
    say(f"wrote {output}{more}")


def is_stdout(output: str | None) -> bool:
    """Is it printed?"""
    return output in (None, "-")


def write_stdout(content: Content, end: str = "\n", encoding: str | None = None) -> None:
    """Print text or bytes as they are; text for programs in an `encoding` that has every character.

    A reader that has gone away, such as head, is no mistake: what is left is not printed.
    """
    if sys.stdout is None:
        raise BadInput("stdout", "it is closed", "somewhere to print to, or a file")
    if isinstance(content, str):
        content += end
        if encoding is not None and not is_terminal(sys.stdout):
            content = content.encode(encoding)
    if isinstance(content, bytes) and not hasattr(sys.stdout, "buffer"):  # io.StringIO
        content = content.decode(errors="surrogateescape")
    try:
        click.echo(content, nl=False, color=True)
    except BrokenPipeError:
        abandon_stdout()
    except OSError as failure:
        failure.filename = "stdout"  # for the message
        raise
