"""Where a figure goes: into a file by its suffix, or as data to the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from gainful.cli.output import deliver_text as text_delivered
from gainful.show import picture, rows as show_rows
from gainful.show.atomic_write import write_atomically
from gainful.show.figures.catalogue import draw_figure
from gainful.show.figures.figure import Figure, FigureData, Look
from gainful.show.rows import Rows

_SUFFIXES = (*picture.WRITERS, ".csv", ".tsv")


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
    if wants_data and suffix not in (".csv", ".tsv"):
        raise click.UsageError(f"--data is a table; end FILE in .csv or .tsv, not in {suffix}")
    return suffix


def deliver_figure(
    figure: Figure, data: FigureData, look: Look, form: str, output: str | None
) -> None:
    """Put the picture into its file, or the data there or on the terminal."""
    if form in (".csv", ".tsv"):
        rows = Rows(data.frame.columns, data.frame.rows())
        text_delivered(show_rows.to_csv(rows, "\t" if form == ".tsv" else ","), output)
        return
    spec = draw_figure(figure, data, look)
    if form == ".html":
        light_and_dark = [
            draw_figure(figure, data, _set_dark(look, dark=dark)) for dark in (False, True)
        ]
        write_atomically(str(output), picture.to_html(*light_and_dark, begin_dark=look.dark))
    else:
        write_atomically(str(output), picture.WRITERS[form](spec))
    click.echo(f"gainful: wrote {output}", err=True)


def _set_dark(look: Look, *, dark: bool) -> Look:
    return Look(title=look.title, width=look.width, height=look.height, dark=dark)
