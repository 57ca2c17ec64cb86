"""`gainful sweep`: which system is better for which searcher?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.sweep import sweep as run_sweep, sweep_against
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import (
    READ_SESSIONS,
    SWEEP_GRID,
    option,
    options,
    refuse_idle_options,
)
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.errors import BadValue
from gainful.evidence.orders.sweep_agreement import RESAMPLES_OF_SWEEP, SweepAgreement
from gainful.evidence.statistics.weighted_correlation import COEFFICIENTS
from gainful.measure.sessions.sweep import Sweep


@command(short_help="Which system is better for which searcher?")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)
@options("qrels")
@option("measure", default="nsDCG", help="sDCG or nsDCG, such as 'nsDCG(duplicates=first)'.")
@option("by", default="system", show_default=True, help="Which column tells the groups.")
@options(*SWEEP_GRID)
@option("points", default=20)
@own_option(
    "--reference",
    metavar="b=2,bq=4",
    help="The searcher that others are held against. [b=2,bq=4]",
)
@own_option(
    "--against",
    metavar="COLUMN",
    help="Instead: which b and bq agree best with what users said, by this column of FILE or of "
    "--labels.",
)
@own_option(
    "--labels", metavar="FILE", type=PATH, help="With --against: a table with session and COLUMN."
)
@own_option(
    "--coefficient",
    type=click.Choice(list(COEFFICIENTS)),
    default="spearman",
    show_default=True,
    help="With --against: which correlation.",
)
@options("alpha", "seed")
@option("resamples", default=RESAMPLES_OF_SWEEP)
@options("text_form", "output", "verbose", *READ_SESSIONS, "like_sessions")
def sweep(
    files: tuple[str, ...],
    *,
    qrels: str | None,
    weights: tuple[str, ...],
    by: str,
    measure: str,
    reference: str | None,
    against: str | None,
    form: str | None,
    output: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """Which system is better for which searcher, by the sessions in FILE?

    Several files are several systems.

    Tries every b and bq: a small b is a searcher who soon stops reading a list, a small bq one to
    whom reformulating is a burden. From 1.5 to 10 is reasonable (Järvelin et al. 2008). Says who
    wins for whom and where the winner changes; CSV and JSON have every setting. With --against
    instead: which b and bq agree best with what users said, and how sure that is.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful sweep sessions.csv --qrels qrels.txt
      gainful sweep sessions.csv --qrels qrels.txt --b 2 --bq 1.5:100
      gainful sweep sessions.csv --qrels qrels.txt --weights 0:0,1:1,2:10,3:100
      gainful sweep sessions.csv --qrels qrels.txt -m sDCG -o settings.csv
      gainful sweep sessions.csv --qrels qrels.txt --against satisfaction
    """
    form = choose_form(form, output, piped="table")
    refuse_two_pipes(*files, qrels)
    refuse_overwriting(output, (*files, qrels, options["topics"]))
    chosen: dict[str, Any] = {
        "weights": list(weights) or None,
        "reference": _parse_reference(reference),
    }
    result: Sweep | SweepAgreement
    if against is None:
        refuse_idle_options(_OF_AGAINST, "is of --against COLUMN")
        for name in _OF_AGAINST:
            del options[name]
        chosen |= parse_reading(options)
        result = run_sweep(files, qrels, measure, by=by.split(","), **chosen, **options)
    else:
        refuse_idle_options(("by",), "does nothing with --against")
        chosen |= parse_reading(options)
        result = sweep_against(files, qrels, measure, against, **chosen, **options)
    deliver(result.page(verbose=verbose), form, output, quiet=True)


_OF_AGAINST = ("labels", "coefficient", "alpha", "seed", "resamples")


def _parse_reference(text: str | None) -> dict[str, float] | None:
    """The setting that b=2,bq=4 spells."""
    if text is None:
        return None
    reference = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            reference[name.strip()] = float(value)
        except ValueError:
            raise BadValue("reference", text, "b and bq, such as b=2,bq=4") from None
    return reference
