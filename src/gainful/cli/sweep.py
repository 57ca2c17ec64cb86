"""`gainful sweep`: which system is better for which searcher?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.sweep import sweep as run_sweep
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import READ_SESSIONS, SWEEP_GRID, option, options
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.errors import BadValue


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
@options("text_form", "output", "verbose", *READ_SESSIONS, "like_sessions")
def sweep(
    files: tuple[str, ...],
    *,
    qrels: str | None,
    weights: tuple[str, ...],
    by: str,
    measure: str,
    reference: str | None,
    form: str | None,
    output: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """Which system is better for which searcher, by the sessions in FILE?

    Several files are several systems.

    Tries every b and bq: a small b is a searcher who soon stops reading a list, a small bq one to
    whom reformulating is a burden. From 1.5 to 10 is reasonable (Järvelin et al. 2008). Says who
    wins for whom and where the winner changes; CSV and JSON have every setting.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful sweep sessions.csv --qrels qrels.txt
      gainful sweep sessions.csv --qrels qrels.txt --b 2 --bq 1.5:100
      gainful sweep sessions.csv --qrels qrels.txt --weights 0:0,1:1,2:10,3:100
      gainful sweep sessions.csv --qrels qrels.txt -m sDCG -o settings.csv
    """
    form = choose_form(form, output, piped="table")
    refuse_two_pipes(*files, qrels)
    refuse_overwriting(output, (*files, qrels, options["topics"]))
    result = run_sweep(
        files,
        qrels,
        measure,
        weights=list(weights) or None,
        by=by.split(","),
        reference=_parse_reference(reference),
        **parse_reading(options),
        **options,
    )
    deliver(result.page(verbose=verbose), form, output, quiet=True)


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
