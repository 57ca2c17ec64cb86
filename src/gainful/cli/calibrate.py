"""`gainful calibrate`: who are the searchers of a log?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gainful.api.calibrate import calibrate as calibrate_log
from gainful.api.figures import draw_calibration
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import READ_LOG, option, options
from gainful.cli.output import choose_form, deliver, deliver_document, refuse_overwriting
from gainful.evidence.searchers.fit import LEVEL
from gainful.evidence.searchers.observe import DEPTH_SOURCES
from gainful.show.picture import WRITERS


@command(short_help="Who are the searchers of this log?")
@click.argument("files", nargs=-1, required=True, metavar="LOG...", type=PATH)
@option("by", help="Groups that are measured besides, such as --by system.")
@own_option(
    "--depth-from",
    type=click.Choice(DEPTH_SOURCES),
    help="How far searchers read: the column scanned, or clicked. [the first that there is]",
)
@own_option(
    "--query-limit",
    type=int,
    metavar="N",
    help="No session can have more queries; those that reach it were cut off.",
)
@own_option("--figure", metavar="FILE", type=PATH, help="Draw it too: .svg, .png, .pdf or .html.")
@own_option(
    "--level",
    group="Statistics",
    type=float,
    metavar="LEVEL",
    default=100 * LEVEL,
    show_default=True,
    help="Of intervals, in per cent.",
)
@option("seed", help="Seed of the split by which discounts are compared.")
@options("text_form", "output", "verbose", *READ_LOG)
def calibrate(
    files: tuple[str, ...],
    *,
    by: str | None,
    figure: str | None,
    form: str | None,
    output: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """Who are the searchers in LOG: how far do they read, how often do they ask again?

    LOG is a table of sessions with a column scanned (how deep the searcher looked) or clicked, or
    any log that gainful sessions reads. Estimates b of the rank discount, p of RBP, bq of the query
    discount and sRBP's balance, with intervals; says which discount tells best what searchers do,
    and prints the measure that is theirs, to paste.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful calibrate log.csv
      gainful calibrate log.csv --by device --figure searchers.svg
      gainful calibrate log.csv --depth-from clicked -o searchers.json
      gainful calibrate agents.jsonl --query-limit 10
    """
    form = choose_form(form, output, piped="table")
    refuse_two_pipes(*files)
    if figure is not None and Path(figure).suffix.lower() not in WRITERS:
        raise click.UsageError(f"--figure {figure}: end FILE in {', '.join(WRITERS)}")
    for path, name in ((output, "-o"), (figure, "--figure")):
        refuse_overwriting(path, (*files, options["topics"]), name)
    columns = () if by is None else [part.strip() for part in by.split(",")]
    calibration = calibrate_log(files, by=columns, **parse_reading(options), **options)
    deliver(calibration.page(verbose=verbose), form, output, quiet=True)
    if figure is not None:
        deliver_document(draw_calibration(calibration, figure), figure)
