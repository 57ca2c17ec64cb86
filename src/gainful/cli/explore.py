"""`gainful explore`: a page with sliders for the searcher model."""

from __future__ import annotations

from typing import Any

from gainful.api.explore import explore as build_page
from gainful.cli.answer import argument, command, deliver_document
from gainful.cli.command import PATH
from gainful.cli.options import READ_SESSIONS, Row, option, session_convention


@command(
    argument("FILE..."),
    "qrels",
    option("measure", "Measure to start with: sDCG or nsDCG. [nsDCG@10; by clicks sDCG@10]"),
    "one_by",
    Row(
        "--calibrated FILE.json",
        "Start with the searcher that gainful calibrate -o FILE.json estimated.",
        type=PATH,
    ),
    option("title", "Title of the page."),
    option("output", "File to write the page to.", group="", metavar="PAGE.html", required=True),
    *(*READ_SESSIONS, *session_convention()),
    piped="html",
)
def explore(*, files: tuple[str, ...], output: str, **options: Any) -> None:
    """Make a page of the sessions in FILE, with sliders for the searcher model.

    Several files are several systems.

    The page is a single file that loads nothing; open it in a browser. You can change b, bq, the
    number of results that count, the weight of each grade, and what the paper of 2008 leaves open.
    Mean curves, single sessions, last queries and means of groups are updated at once, and the
    page shows the command that computes the same values.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful explore sessions.csv --qrels qrels.txt -o page.html
      gainful explore sessions.csv --qrels q.txt --by scenario -o page.html
      gainful explore sessions.csv --qrels q.txt -m 'sDCG(b=10)@5' -o page.html
      gainful explore sessions.csv --qrels q.txt --calibrated s.json -o p.html
    """
    deliver_document(build_page(files, **options), output)
