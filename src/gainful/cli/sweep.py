"""`gainful sweep`: which system is better for which searcher?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.sweep import sweep as run_sweep
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import READ_SESSIONS, option, options
from gainful.cli.output import deliver, refuse_overwriting, usual_form
from gainful.errors import BadValue
from gainful.measure.sessions.sweep_grid import USUAL_RANGE

_FORMATS = ("table", "csv", "json")


@click.command(short_help="Which system is better for which searcher?")
@click.argument("file")
@option("qrels", help="Judgments. [the column grade of FILE]")
@click.option("--b", default=USUAL_RANGE, show_default=True, help="Bases of the rank discount.")
@click.option("--bq", default=USUAL_RANGE, show_default=True, help="Bases of the query discount.")
@click.option(
    "--points", type=int, default=20, show_default=True, help="How many bases of a range."
)
@click.option("--depth", metavar="X", help="How many results of a query count: 10, or 5,10,20.")
@click.option(
    "--weights",
    multiple=True,
    metavar="WEIGHTS",
    help="What grades are worth: linear, exp, 0:0,1:1,2:10,3:100; may be repeated. [linear]",
)
@click.option("--by", default="system", show_default=True, help="Which column tells the groups.")
@option(
    "measure",
    default="nsDCG",
    metavar=None,
    show_default=True,
    help="sDCG or nsDCG, such as 'nsDCG(duplicates=first)'.",
)
@click.option(
    "--reference",
    metavar="b=2,bq=4",
    help="The searcher that others are held against. [b=2,bq=4]",
)
@option("like", help="Whose habits to follow. [jk2008]")
@option(
    "form",
    type=click.Choice(_FORMATS),
    help="How to print it. [table, or by the suffix of -o]",
)
@options("output", *READ_SESSIONS)
def sweep(
    file: str,
    *,
    qrels: str | None,
    weights: tuple[str, ...],
    by: str,
    measure: str,
    reference: str | None,
    form: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Which system is better for which searcher, by the sessions in FILE?

    Tries every b and bq: a small b is a searcher who soon stops reading a list, a small bq one to
    whom reformulating is a burden. From 1.5 to 10 is reasonable (Järvelin et al. 2008). Says who
    wins for whom and where the winner changes; CSV and JSON have every setting.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful sweep sessions.csv --qrels qrels.txt
      gainful sweep sessions.csv --qrels qrels.txt --b 2 --bq 1.5:100 --points 50
      gainful sweep sessions.csv --qrels qrels.txt --weights linear --weights 0:0,1:1,2:10,3:100
      gainful sweep sessions.csv --qrels qrels.txt -m sDCG --by scenario -o settings.csv
    """
    form = form or usual_form(output, _FORMATS)
    refuse_two_pipes(file, qrels)
    refuse_overwriting(output, (file, qrels, options["topics"]))
    result = run_sweep(
        file,
        qrels,
        measure,
        weights=list(weights) or None,
        by=by.split(","),
        reference=_parse_reference(reference),
        **parse_reading(options),
        **options,
    )
    deliver(result.page(), form, output, quiet=True)


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
