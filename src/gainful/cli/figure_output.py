"""Where a figure goes: into a file by its suffix, or as data to the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from gainful.cli.output import deliver
from gainful.page.write_file import write_atomically
from gainful.show.figures.drawing import Drawing
from gainful.show.picture import WRITERS

_TABLES = {".csv": "csv", ".tsv": "tsv"}
_SUFFIXES = (*WRITERS, *_TABLES)


def figure_form(output: str | None, wants_data: bool) -> str:
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
    if wants_data and suffix not in _TABLES:
        raise click.UsageError(f"--data is a table; end FILE in .csv or .tsv, not in {suffix}")
    return suffix


def deliver_figure(drawing: Drawing, form: str, output: str | None) -> None:
    """Put the picture into its file, or the data there or on the terminal."""
    if form in _TABLES:
        deliver(drawing.page(), _TABLES[form], output)
        return
    write_atomically(str(output), drawing.to_picture(form))
    click.echo(f"gainful: wrote {output}", err=True)
