"""`gainful order`: do measures agree on which run is better, and which tells runs apart?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import order as api
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.options import PRINT_RUNS, RESAMPLING, options, refuse_idle_options
from gainful.cli.output import deliver, refuse_overwriting, usual_form
from gainful.cli.progress import show_progress
from gainful.evidence.statistics.correction import CORRECTIONS, TUKEY
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.rank_correlation import PERSISTENCE


@click.command(short_help="Which measure tells these runs apart, and do they agree?")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN RUN...")
@options("measures")
@click.option(
    "--test",
    default=TUKEY,
    show_default=True,
    metavar="NAME",
    help=f"What tells two runs apart: {', '.join((TUKEY, *TESTS))}.",
)
@click.option(
    "--correct",
    metavar="NAME",
    help=f"How a test of single pairs is corrected: {', '.join(CORRECTIONS)}. [holm]",
)
@click.option(
    "--p", type=float, default=PERSISTENCE, show_default=True, help="The persistence of RBO."
)
@options(*RESAMPLING, *PRINT_RUNS)
def order(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    test: str,
    correct: str | None,
    alpha: float,
    p: float,
    resamples: int,
    seed: int,
    form: str | None,
    output: str | None,
    quiet: bool,
    qrels_format: str | None,
    run_format: str | None,
    columns: dict[str, tuple[str, ...]] | None,
    like: str | None,
    **settings: Any,
) -> None:
    """Do measures agree on which RUN is better, and which tells them apart?

    Two tables. For each measure its discriminative power (the share of pairs of runs that are
    significantly different), the smallest difference found significant, and the order of the runs
    by their means. For each two measures how alike these orders are: Kendall's tau-b; tau_AP, to
    which the top matters more; rank-biased overlap (RBO); and the pairs of runs that are swapped.

    TSV, CSV and JSON lines have one value a line. At least three runs are needed.
    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful order qrels.txt bm25.txt dense.txt hybrid.txt -m nDCG@10 -m AP -m RR
      gainful order qrels.txt runs/*.txt -m 'nDCG(gain=exp)@10' -m nDCG@10
      gainful order qrels.txt runs/*.txt -m P@5 -m P@10 --test t --correct bh --alpha 0.01
      gainful order qrels.txt runs/*.txt -m nDCG@10 -m AP -o order.json
    """
    if test == "t":
        refuse_idle_options(
            ("seed", "resamples"), "does nothing: the t test leaves nothing to chance"
        )
    form = form or usual_form(output)
    refuse_two_pipes(qrels, *runs)
    refuse_overwriting(output, (qrels, *runs))
    with show_progress(dict(zip(name_runs(runs), runs, strict=True))) as named_runs:
        run_order = api.order(
            qrels,
            named_runs,
            measures or None,
            alpha=alpha,
            test=test,
            correct=correct,
            p=p,
            resamples=resamples,
            seed=seed,
            like=like,
            qrels_format=qrels_format,
            run_format=run_format,
            columns=columns,
            **settings,
        )
    deliver(run_order.page(), form, output, quiet=quiet)
