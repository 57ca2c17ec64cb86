"""`gainful explore`: a page in which the searcher can be changed while one looks."""

from __future__ import annotations

from typing import Any

import click

from gainful.api.explore import DEFAULT_MEASURE, explore as build_page
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import READ_SESSIONS, SESSION_CONVENTION, option, options
from gainful.cli.output import deliver_document, refuse_other_than_html, refuse_overwriting


@command(short_help="What would another searcher say of these sessions?")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)
@options("qrels")
@option(
    "measure",
    default=DEFAULT_MEASURE,
    help="What the page begins with: sDCG or nsDCG, such as 'nsDCG(b=2, bq=4)@10'.",
)
@option("by", metavar="COLUMN", help="Which groups are compared first. [system]")
@own_option(
    "--calibrated",
    metavar="FILE.json",
    type=PATH,
    help="Begin with the searcher that gainful calibrate -o FILE.json measured.",
)
@option("title", help="Of the page.")
@option("output", group="", metavar="PAGE.html", required=True, help="Where the page goes.")
@options(*READ_SESSIONS, *SESSION_CONVENTION)
def explore(
    files: tuple[str, ...],
    *,
    qrels: str | None,
    measure: str,
    by: str | None,
    title: str | None,
    output: str,
    like: str | None,
    calibrated: str | None,
    **options: Any,
) -> None:
    """Make a page of the sessions in FILE, with sliders for the searcher who judges them.

    Several files are several systems.

    The page is one file that loads nothing: open it in a browser. b, bq, the number of results
    that count, the weight of each grade and what the paper of 2008 leaves open can be changed;
    mean curves, single sessions, last queries and the means of groups follow at once, and the
    command that computes the same is there to copy.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful explore sessions.csv --qrels qrels.txt -o page.html
      gainful explore sessions.csv --qrels q.txt --by scenario -o page.html
      gainful explore sessions.csv --qrels q.txt -m 'sDCG(b=10)@5' -o page.html
      gainful explore sessions.csv --qrels q.txt --calibrated s.json -o p.html
    """
    refuse_other_than_html(output)
    refuse_two_pipes(*files, qrels)
    inputs = (*files, qrels, options["topics"], calibrated)
    refuse_overwriting(output, tuple(path for path in inputs if path))
    reading = parse_reading(options)
    page = build_page(
        files,
        qrels,
        measure,
        by=by,
        title=title,
        like=like,
        calibrated=calibrated,
        **reading,
        **options,
    )
    deliver_document(page, output)
