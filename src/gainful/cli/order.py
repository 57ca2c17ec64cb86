"""`gainful order`: do measures agree on which run is better, and which tells runs apart?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import order as api
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.options import (
    PRINT_RUNS,
    RESAMPLING,
    option,
    options,
    refuse_idle_options,
)
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.evidence.orders.split_half import TRIALS
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.rank_correlation import PERSISTENCE


@command(short_help="Which measure tells these runs apart, and do they agree?")
@click.argument("qrels", type=PATH)
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN RUN...", type=PATH)
@options("measures")
@own_option(
    *("--p",),
    type=float,
    metavar="P",
    default=PERSISTENCE,
    show_default=True,
    help="The persistence of RBO.",
)
@own_option(
    "--split-half",
    is_flag=True,
    help="Also swap rates (Voorhees & Buckley 2002) and stability (Buckley & Voorhees 2000), from "
    "random halves of the queries.",
)
@own_option(
    "--trials",
    type=int,
    metavar="N",
    default=TRIALS,
    show_default=True,
    help="Of --split-half: how often the queries are split.",
)
@option("test", help="What tells two runs apart.")
@option("correct", help="How that is corrected. [max-t; of other tests holm]")
@options(*RESAMPLING, *PRINT_RUNS)
def order(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Do measures agree on which RUN is better, and which tells them apart?

    Two tables. For each measure its discriminative power (the share of pairs of runs that are
    significantly different), the smallest difference found significant, and the order of the runs
    by their means. For each two measures how alike these orders are: Kendall's tau-b; tau_AP, to
    which the top matters more; rank-biased overlap (RBO); and the discordant pairs of runs.

    TSV, CSV and JSON lines have one value a line. At least three runs are needed.
    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful order qrels.txt bm25.txt dense.txt hybrid.txt -m nDCG@10 -m AP
      gainful order qrels.txt runs/*.txt -m 'nDCG(gain=exp)@10' -m nDCG@10
      gainful order qrels.txt runs/*.txt -m P@5 -m P@10 --test t --alpha 0.01
      gainful order qrels.txt runs/*.txt -m nDCG@10 -m AP --split-half
      gainful order qrels.txt runs/*.txt -m nDCG@10 -m AP -o order.json
    """
    if options["test"] in TESTS and not TESTS[options["test"]].resampled:
        words = TESTS[options["test"]].words
        refuse_idle_options(
            ("seed", "resamples"), f"does nothing: the {words} leaves nothing to chance"
        )
    if not options["split_half"]:
        refuse_idle_options(("trials",), "is of --split-half")
    form = choose_form(form, output)
    refuse_two_pipes(qrels, *runs)
    refuse_overwriting(output, (qrels, *runs))
    run_order = api.order(qrels, name_runs(runs), measures or None, **options)
    deliver(run_order.page(verbose=verbose), form, output, quiet=quiet)
