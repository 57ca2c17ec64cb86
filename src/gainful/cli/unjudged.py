"""`gainful unjudged`: how much could documents that nobody judged change?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import unjudged as api
from gainful.api.evaluate import holds_qrels_and_run
from gainful.cli.answer import argument, command, name_runs
from gainful.cli.options import PRINT_RUNS, Row, parse_numbers
from gainful.errors import check_whole_number
from gainful.page.page import Page


@command(
    argument("QRELS"),
    argument("RUN..."),
    *("measures", "per_query"),
    Row("--grades G,G,…", "Grades that a document may have. [0 and all grades of QRELS]"),
    Row(
        "--first N",
        "Also list the N unjudged documents that could move the first measure most; in CSV only "
        "these.",
        type=int,
    ),
    *PRINT_RUNS,
)
def unjudged(
    *,
    qrels: str,
    runs: Any,
    measures: Any,
    per_query: bool,
    grades: str | None,
    first: int | None,
    verbose: bool,
    **options: Any,
) -> Page:
    """How much could documents without a judgment change each RUN's mean?

    Prints the smallest and the largest mean over all grades that they could have (the ideal
    changes with them), and the mean of condensed lists, without them. exact: both can be
    reached; outer: no grading exceeds them.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful unjudged qrels.txt run.txt
      gainful unjudged qrels.txt bm25.txt dense.txt -m nDCG@10 -m P@10
      gainful unjudged qrels.txt run.txt --grades 0,1 --per-query -o bounds.csv
      gainful unjudged qrels.txt bm25.txt dense.txt -m P@10 --first 20
    """
    if not runs and not holds_qrels_and_run(qrels, options["columns"]):
        raise click.UsageError("give at least one RUN: gainful unjudged QRELS RUN…")
    runs = runs or name_runs((qrels,))
    if first is not None:
        check_whole_number("first", first)
    if first is not None and per_query:
        raise click.UsageError("--first lists documents; leave out --per-query")
    options["grades"] = None if grades is None else parse_numbers([grades], "grades")
    bounds = api.unjudged(qrels, None, measures, runs=runs, **options)
    page: Page = bounds.page(per_query=per_query, first=first, verbose=verbose)
    return page
