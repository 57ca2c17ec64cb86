"""`gainful explain`: one ranking, worked out rank by rank."""

from __future__ import annotations

from typing import Any

import click

from gainful.api.explain import explain as explain_ranking
from gainful.cli.command import command
from gainful.cli.declare import own_option
from gainful.cli.numbers import GRADES_SETTINGS, parse_numbers
from gainful.cli.options import PRINT_TEXT, options
from gainful.cli.output import choose_form, deliver

_SETTINGS = (
    *("gain", "rel", "discount", "b"),
    *("ideal", "ideal_depth", "negative", "fractional", "empty", "short"),
)


@command(context_settings=GRADES_SETTINGS, short_help="How does this ranking come by its nDCG?")
@click.argument("grades", nargs=-1, required=True)
@options("judged")
@own_option("-k", type=int, metavar="K", help="Look at the first K documents only.")
@options(*PRINT_TEXT, "verbose", "like", *_SETTINGS, "plugin")
def explain(
    grades: tuple[str, ...],
    *,
    judged: str | None,
    k: int | None,
    like: str | None,
    form: str | None,
    output: str | None,
    verbose: bool,
    **options: Any,
) -> None:
    """How does a ranking come by its nDCG? GRADES in rank order, or - to read them.

    What the values of an option mean: gainful measures NAME, such as gainful measures negative.

    \b
    Examples:
      gainful explain 3 2 3 0 1 2
      gainful explain 3 2 3 0 1 2 --like wikipedia
      gainful explain 3 2 3 0 1 2 --judged 3,3,3,2,2,2,1 -k 5 --gain exp
      gainful explain 1 0 -1 --gain penalised
      gainful explain 3 2 3 0 1 2 --gain 0:0,1:1,2:10,3:100
      gainful explain 3 2 3 0 1 2 --discount jk2008 --b 4 --format latex
      cut -f4 graded.tsv | gainful explain - --format json
    """
    settings: Any = {name: value for name, value in options.items() if value is not None}
    pool = None if judged is None else parse_numbers([judged], "judged")
    ranking = parse_numbers(grades, "grades")
    explanation = explain_ranking(ranking, judged=pool, k=k, like=like, **settings)
    deliver(explanation.page(verbose=verbose), choose_form(form, output, piped="table"), output)
