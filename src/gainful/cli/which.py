"""`gainful which`: whose nDCG is this?"""

from __future__ import annotations

import click

from gainful.api.which import which as find_formulations
from gainful.cli.command import command
from gainful.cli.numbers import GRADES_SETTINGS, parse_numbers
from gainful.cli.options import PRINT_TEXT, option, options
from gainful.cli.output import choose_form, deliver


@command(context_settings=GRADES_SETTINGS, short_help="Whose nDCG is this?")
@click.argument("value")
@click.argument("grades", nargs=-1, required=True)
@options("judged", *PRINT_TEXT)
@option("verbose", help="List all of them, not only the ten best.")
def which(
    value: str,
    grades: tuple[str, ...],
    *,
    judged: str | None,
    form: str | None,
    output: str | None,
    verbose: bool,
) -> int:
    """Whose nDCG is this? Lists every formulation that gives VALUE for GRADES in rank order.

    Gains, discounts, bases, ideals, cutoffs and the settings of all known tools are tried; VALUE
    counts to the precision it is typed with; one above 1 may be a DCG or CG. A tool is taken as it
    is: if its ideal comes from the list, then with --judged too. Exit status 1 if nothing fits.

    \b
    Examples:
      gainful which 0.932 3 2 3 0 1 2
      gainful which 0.7562 3 2 3 0 1 2 --judged 3,3,3,2,2,2,1,0
      gainful which 8.10 3 2 3 0 1 2 --format json
    """
    pool = None if judged is None else parse_numbers([judged], "judged")
    formulations = find_formulations(value, parse_numbers(grades, "grades"), judged=pool)
    deliver(formulations.page(verbose=verbose), choose_form(form, output, piped="table"), output)
    return 0 if formulations.matches else 1
