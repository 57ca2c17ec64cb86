"""What a command prints: in the form that was asked for, for the terminal that is there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from gainful.cli.options import PLUGINS
from gainful.errors import BadInput
from gainful.page.page import Page
from gainful.page.render import render
from gainful.page.terminal import PLAIN, Terminal
from gainful.page.write_file import write_atomically

# The forms in which commands print values, and the suffixes that ask for them.
_SUFFIXES = {
    "table": ".txt",
    "tsv": ".tsv",
    "csv": ".csv",
    "markdown": ".md",
    "latex": ".tex",
    "json": ".json",
    "jsonl": ".jsonl",
}
WITHOUT_NOTES = ("tsv", "csv", "jsonl")  # numbers only, for programs


def usual_form(output: str | None) -> str:
    """The form that values are printed in if none is named."""
    if output in (None, "-"):
        return "tsv" if terminal() is PLAIN else "table"
    return form_from_suffix(str(output), {suffix: form for form, suffix in _SUFFIXES.items()})


def deliver(page: Page, form: str, output: str | None = None, *, quiet: bool = False) -> None:
    """Print a page, or put it into a file (- is standard output), in the form asked for.

    Formats that have no place for notes get them on stderr, unless that is to be `quiet`.
    """
    where = terminal() if output in (None, "-") else PLAIN
    deliver_text(render(page, form, where), output)
    if form in WITHOUT_NOTES:
        for line in page.warnings if quiet else page.asides or page.notes:
            click.echo(f"gainful: {line}", err=True)


def deliver_text(text: str, path: str | None) -> None:
    """Print text, or put it into a file; never half of it."""
    if path in (None, "-"):
        write_stdout(text)
        return
    write_atomically(str(path), text + "\n")


def refuse_overwriting(
    output: str | None, inputs: Sequence[str | None], option: str = "-o"
) -> None:
    """What is read must not be written over."""
    if output is not None and Path(output).is_file():
        plugins = click.get_current_context().meta.get(PLUGINS, ())
        for path in (*inputs, *plugins):
            if path is not None and Path(path).exists() and Path(output).samefile(path):
                raise click.UsageError(f"{option} {output} would overwrite what is read")


def form_from_suffix(output: str, forms: Mapping[str, str]) -> str:
    """The form that the suffix of a file asks for."""
    suffix = Path(output).suffix.lower()
    if suffix not in forms:
        raise click.UsageError(
            f"-o {output}: what format is {suffix or 'that'}? Name it with --format, or end FILE "
            f"in {', '.join(forms)}"
        )
    return forms[suffix]


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
