"""`gainful reproduce`: is a reproduced run like the original?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import reproduce as api
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import refuse_measure, refuse_two_pipes
from gainful.cli.options import PRINT_RUNS, options
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.evidence.reproduction import DEPTH, PERSISTENCE


@command(short_help="Is a reproduced run like the original?")
@click.argument("qrels", type=PATH)
@click.argument("original", type=PATH)
@click.argument("reproduced", type=PATH)
@options("measures")
@own_option(
    "--baselines",
    nargs=2,
    metavar="ORIGINAL REPRODUCED",
    type=PATH,
    help="The baselines of both: with them the effect is compared too.",
)
@own_option(
    "--reproduced-qrels",
    metavar="FILE",
    type=PATH,
    help="Judgments of the reproduced runs, if they are of another collection (a replication).",
)
@own_option(
    "--depth",
    type=int,
    metavar="N",
    default=DEPTH,
    show_default=True,
    help="How many documents count for tau union and RBO.",
)
@own_option(
    *("--p",),
    type=float,
    metavar="P",
    default=PERSISTENCE,
    show_default=True,
    help="The persistence of RBO.",
)
@options(*PRINT_RUNS)
def reproduce(
    qrels: str,
    original: str,
    reproduced: str,
    *,
    measures: tuple[str, ...],
    baselines: tuple[str, str] | None,
    reproduced_qrels: str | None,
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Is the REPRODUCED run like the ORIGINAL, by these QRELS?

    Kendall's tau union and RBO say how alike documents are ranked, RMSE how far the scores of
    queries are apart; with --baselines the effect ratio and the delta relative improvement (ΔRI)
    say what is left of the improvement over them. As Breuer et al. (2020) define them and
    repro_eval computes them.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful reproduce qrels.txt original.txt mine.txt -m nDCG@10 -m AP
      gainful reproduce qrels.txt a.txt my-a.txt --baselines b.txt my-b.txt
      gainful reproduce q.txt a c --baselines b d --reproduced-qrels other.txt
    """
    form = choose_form(form, output)
    files = (qrels, original, reproduced, *(baselines or ()), reproduced_qrels)
    refuse_two_pipes(*files)
    for run in (original, reproduced):
        refuse_measure(run)
    refuse_overwriting(output, tuple(path for path in files if path))
    result = api.reproduce(
        qrels,
        original,
        reproduced,
        measures or None,
        baselines=baselines,
        reproduced_qrels=reproduced_qrels,
        **options,
    )
    deliver(result.page(verbose=verbose), form, output, quiet=quiet)
