"""`gainful calibrate`: who are the searchers of a log?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gainful.api.calibrate import calibrate as calibrate_log
from gainful.api.figures import draw_calibration
from gainful.cli.answer import argument, command, deliver, deliver_document
from gainful.cli.command import OUTPUT
from gainful.cli.options import READ_LOG, Row, option
from gainful.evidence.searchers.fit import LEVEL
from gainful.evidence.searchers.observe import DEPTH_SOURCES
from gainful.show.picture import WRITERS


@command(
    argument("LOG..."),
    option("by", "Also measure groups, such as --by system."),
    Row(
        "--depth-from",
        "How far searchers read: the column scanned, or clicked. [the first one present]",
        choices=DEPTH_SOURCES,
    ),
    Row("--query-limit N", "Maximum queries per session; sessions that reach it were cut off."),
    Row("--figure FILE", "Also draw a figure: .svg, .png, .pdf or .html.", type=OUTPUT),
    Row("--level LEVEL", "Interval level in per cent.", group="Statistics", default=100 * LEVEL),
    option("seed", "Seed of the split that compares discounts."),
    *("text_form", "output", "verbose", *READ_LOG),
    piped="table",
)
def calibrate(
    *,
    files: tuple[str, ...],
    figure: str | None,
    form: str,
    output: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """How far do the searchers in LOG read, and how often do they query again?

    LOG is a table of sessions with a column scanned (how deep the searcher looked) or clicked, or
    any log that gainful sessions reads. Estimates b of the rank discount, p of RBP, bq of the query
    discount and sRBP's balance, with intervals; shows which discount fits the searchers best,
    and prints the measure for these searchers.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful calibrate log.csv
      gainful calibrate log.csv --by device --figure searchers.svg
      gainful calibrate log.csv --depth-from clicked -o searchers.json
      gainful calibrate agents.jsonl --query-limit 10
    """
    if figure is not None and Path(figure).suffix.lower() not in WRITERS:
        raise click.UsageError(f"--figure {figure}: FILE must end in {', '.join(WRITERS)}")
    calibration = calibrate_log(files, **options)
    deliver(calibration.page(verbose=verbose), form, output, quiet=True)
    if figure is not None:
        deliver_document(draw_calibration(calibration, figure), figure)
