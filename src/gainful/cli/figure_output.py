"""Where a figure goes: into a file by its suffix, or as data to the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from gainful.cli.output import delivered as text_delivered
from gainful.show import picture, rows as show_rows
from gainful.show.atomic_write import put
from gainful.show.figures.catalogue import drawn
from gainful.show.figures.figure import Data, Figure, Look
from gainful.show.rows import Rows

_SUFFIXES = (*picture.WRITERS, ".csv", ".tsv")


def form_of(output: str | None, wants_data: bool) -> str:
    """The form that is asked for, as a suffix; without a file only data can be printed."""
    if output in (None, "-"):
        if wants_data:
            return ".csv"
        raise click.UsageError("name a file with -o, such as -o figure.svg, or ask for --data")
    suffix = Path(str(output)).suffix.lower()
    if suffix not in _SUFFIXES:
        raise click.UsageError(
            f"-o {output}: what format is {suffix or 'that'}? End FILE in {', '.join(_SUFFIXES)}"
        )
    if wants_data and suffix not in (".csv", ".tsv"):
        raise click.UsageError(f"--data is a table; end FILE in .csv or .tsv, not in {suffix}")
    return suffix


def delivered(figure: Figure, data: Data, look: Look, form: str, output: str | None) -> None:
    """Put the picture into its file, or the data there or on the terminal."""
    if form in (".csv", ".tsv"):
        rows = Rows(data.frame.columns, data.frame.rows())
        text_delivered(show_rows.to_csv(rows, "\t" if form == ".tsv" else ","), output)
        return
    spec = drawn(figure, data, look)
    if form == ".html":
        both = [drawn(figure, data, _with(look, dark=dark)) for dark in (False, True)]
        put(str(output), picture.html(*both, begin_dark=look.dark))
    else:
        put(str(output), picture.WRITERS[form](spec))
    click.echo(f"gainful: wrote {output}", err=True)


def _with(look: Look, *, dark: bool) -> Look:
    return Look(title=look.title, width=look.width, height=look.height, dark=dark)
