"""`gainful plan`: how many queries does a comparison need?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import plan as api
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.numbers import parse_differences
from gainful.cli.options import PRINT_RUNS, options
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.evidence.plan import CONFIDENCE, DIFFERENCE
from gainful.evidence.statistics.power import POWER


@command(short_help="How many queries does a comparison need?")
@click.argument("qrels", type=PATH)
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...", type=PATH)
@options("measures")
@own_option(
    "--difference",
    multiple=True,
    metavar="D|M=D",
    callback=parse_differences,
    help="The true difference of means that is to be found, of all measures or of M; may be "
    f"repeated. [{DIFFERENCE}]",
)
@own_option(
    "--power",
    group="Statistics",
    type=float,
    metavar="P",
    default=POWER,
    show_default=True,
    help="How often it is to be found.",
)
@own_option(
    "--confidence",
    group="Statistics",
    type=float,
    metavar="P",
    default=CONFIDENCE,
    show_default=True,
    help="That the spread is not larger than what is safe.",
)
@own_option(
    "--comparisons",
    group="Statistics",
    type=int,
    metavar="N",
    default=1,
    show_default=True,
    help="How many are to be corrected together: alpha is shared among them.",
)
@options("alpha", "cluster", *PRINT_RUNS)
def plan(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    difference: float | dict[str, float] | None,
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """How many queries find a true difference between runs? These RUNs are the pilot.

    From the spread of the differences by query: how many queries are needed if it is that of the
    pilot, and how many are safe, as the spread of few queries is itself uncertain. By the paired t
    test; of several comparisons at once (--comparisons) each needs more. A pilot needs five
    queries at least, or five clusters of them.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful plan qrels.txt bm25.txt dense.txt -m nDCG@10 --difference 0.02
      gainful plan qrels.txt runs/*.txt -m AP --power 0.9 --alpha 0.01
      gainful plan qrels.txt runs/*.txt -m AP --comparisons 10
      gainful plan qrels.txt a.txt b.txt -m AP -m RR --difference AP=0.02
      gainful plan qrels.txt a.run b.run -m AP --cluster '^(.+)_\\d+$'
      gainful plan qrels.txt old.txt new.txt -m nDCG@10 -o plan.json
    """
    form = choose_form(form, output)
    refuse_two_pipes(qrels, *runs)
    refuse_overwriting(output, (qrels, *runs))
    if len(runs) < 2:
        raise click.UsageError("name QRELS and two runs or more: gainful plan QRELS RUN RUN…")
    wanted = DIFFERENCE if difference is None else difference
    query_plan = api.plan(qrels, name_runs(runs), measures or None, difference=wanted, **options)
    deliver(query_plan.page(verbose=verbose), form, output, quiet=quiet)
