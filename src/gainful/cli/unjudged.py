"""`gainful unjudged`: how much could documents that nobody judged change?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import settle as settle_api, unjudged as api
from gainful.api.evaluate import holds_qrels_and_run
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.numbers import parse_numbers
from gainful.cli.options import PRINT_RUNS, options, refuse_idle_options
from gainful.cli.output import choose_form, deliver, refuse_overwriting


@command(short_help="How much could documents that nobody judged change?")
@click.argument("qrels", type=PATH)
@click.argument("runs", nargs=-1, metavar="RUN...", type=PATH)
@options("measures", "per_query")
@own_option(
    "--grades",
    metavar="G,G,…",
    help="The grades that a document may get. [0 and all grades of QRELS]",
)
@own_option(
    "--settle",
    is_flag=True,
    help="Of two runs: can it still turn which is better, and what is to be judged first?",
)
@own_option(
    "--first",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="With --settle: how many documents to list.",
)
@options(*PRINT_RUNS)
def unjudged(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_query: bool,
    grades: str | None,
    settle: bool,
    first: int,
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    qrels_format: str | None,
    run_format: str | None,
    columns: dict[str, tuple[str, ...]] | None,
    like: str | None,
    **settings: Any,
) -> None:
    """How much could documents of each RUN change that are not in the QRELS?

    Prints the smallest and the largest mean over all grades that they could have, the ideal
    changing with them, and the mean of condensed lists, out of which they are taken. exact: some
    grading gives just that; outer: no grading passes that.

    With --settle and two runs: who leads in one measure, whether that can still turn, how many
    judgments would settle it, and which documents to judge first.
    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful unjudged qrels.txt run.txt
      gainful unjudged qrels.txt bm25.txt dense.txt -m nDCG@10 -m P@10
      gainful unjudged qrels.txt run.txt --grades 0,1 --per-query -o bounds.csv
      gainful unjudged qrels.txt bm25.txt dense.txt -m P@10 --settle
    """
    form = choose_form(form, output)
    if not runs and not holds_qrels_and_run(qrels, columns):
        raise click.UsageError("name at least one RUN: gainful unjudged QRELS RUN…")
    runs = runs or (qrels,)
    refuse_two_pipes(qrels, *runs)
    if not settle:
        refuse_idle_options(("first",), "is of --settle")
    if settle and (len(runs) != 2 or len(measures) > 1 or per_query):
        raise click.UsageError("--settle takes two runs and one measure, and no --per-query")
    refuse_overwriting(output, (qrels, *runs))
    named_runs = name_runs(runs)
    options = {
        "grades": None if grades is None else parse_numbers([grades], "grades"),
        "like": like,
        "qrels_format": qrels_format,
        "run_format": run_format,
        "columns": columns,
        **settings,
    }
    if settle:
        settlement = settle_api.settle(qrels, named_runs, *measures, **options)
        deliver(settlement.page(first=first, verbose=verbose), form, output, quiet=quiet)
    else:
        bounds = api.unjudged(qrels, None, measures or None, runs=named_runs, **options)
        deliver(bounds.page(per_query=per_query, verbose=verbose), form, output, quiet=quiet)
