"""What a command prints: in the form that was asked for, for the terminal that is there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from gainful.cli.options import PLUGINS, VALUE_FORMS
from gainful.errors import BadInput
from gainful.page.page import Page
from gainful.page.render import render
from gainful.page.terminal import PLAIN, Terminal
from gainful.page.write_file import write_atomically

# The forms in which commands write, and the suffixes that ask for them.
SUFFIXES = {
    "table": ".txt",
    "tsv": ".tsv",
    "csv": ".csv",
    "markdown": ".md",
    "latex": ".tex",
    "json": ".json",
    "jsonl": ".jsonl",
    "html": ".html",
    "junit": ".xml",
}
WITHOUT_NOTES = ("tsv", "csv", "jsonl")  # numbers only, for programs


def usual_form(output: str | None, forms: Sequence[str] | None = None) -> str:
    """The form that is written if none is named: by the suffix of the file, or for the terminal.

    A command that has some `forms` only prints the first of them, on a terminal and in a pipe.
    """
    if is_stdout(output):
        if forms is not None:
            return forms[0]
        return "tsv" if terminal() is PLAIN else "table"
    suffix = Path(str(output)).suffix.lower()
    by_suffix = {SUFFIXES[form]: form for form in forms or VALUE_FORMS}
    if suffix not in by_suffix:
        raise click.UsageError(
            f"-o {output}: what format is {suffix or 'that'}? Name it with --format, or end FILE "
            f"in {', '.join(by_suffix)}"
        )
    return by_suffix[suffix]


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
    save: Callable[[], None] | None = None,
) -> None:
    """Print a page, or put it into a file (- is standard output), in the form asked for.

    Formats that have no place for notes get them on stderr, unless that is to be `quiet`. What
    belongs to it is saved as well, so that nothing is said to be saved that is not, and nothing is
    saved whose page cannot be written.
    """
    text = render(page, form, terminal() if is_stdout(output) else PLAIN)
    if save is not None and is_stdout(output):
        save()
    deliver_text(text, output)
    if save is not None and not is_stdout(output):
        save()
    if form in WITHOUT_NOTES:
        for line in page.warnings if quiet else page.asides or page.notes:
            click.echo(f"gainful: {line}", err=True)


def deliver_text(text: str, output: str | None) -> None:
    """Print text, or put it into a file; never half of it."""
    if is_stdout(output):
        write_stdout(text)
    else:
        write_atomically(str(output), text + "\n")


def deliver_document(
    document: str | bytes, output: str, values: str | None = None, values_path: str | None = None
) -> None:
    """Put a page or a picture into its file, and values beside it, and say so on stderr."""
    if isinstance(document, bytes):
        write_atomically(output, document)
    else:
        deliver_text(document, output)
    if is_stdout(output):
        return
    more = ""
    if values is not None and values_path is not None:
        deliver_text(values, values_path)
        more = f", and all values to {values_path}"
    click.echo(f"gainful: wrote {output}{more}", err=True)


def is_stdout(output: str | None) -> bool:
    """Is it printed?"""
    return output in (None, "-")


def refuse_overwriting(
    output: str | None, inputs: Sequence[str | None], option: str = "-o"
) -> None:
    """What is read must not be written over."""
    if output is not None and Path(output).is_file():
        plugins = click.get_current_context().meta.get(PLUGINS, ())
        for path in (*inputs, *plugins):
            if path is not None and Path(path).exists() and Path(output).samefile(path):
                raise click.UsageError(f"{option} {output} would overwrite what is read")


def write_stdout(text: str, end: str = "\n") -> None:
    """Print text as it is."""
    if sys.stdout is None:
        raise BadInput("stdout", "it is closed", "somewhere to print to, or a file")
    click.echo(text + end, nl=False, color=True)


def terminal() -> Terminal:
    """The terminal that is printed to, or the plain page that a pipe is."""
    if sys.stdout is None or not sys.stdout.isatty():
        return PLAIN
    columns = shutil.get_terminal_size().columns
    blocks = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(width=columns, colour=colour, blocks=blocks)
