"""`gainful which`: whose nDCG is this?"""

from __future__ import annotations

from gainful.api.which import which as find_formulations
from gainful.cli.answer import argument, command
from gainful.cli.options import GRADES_SETTINGS, PRINT_TEXT, option, parse_numbers
from gainful.page.shown import Shown


@command(
    argument("VALUE"),
    argument("GRADES..."),
    *("judged", *PRINT_TEXT),
    option("verbose", "List all matches, not only the ten best."),
    piped="table",
    context_settings=GRADES_SETTINGS,
)
def which(*, value: str, grades: tuple[str, ...], judged: str | None) -> tuple[Shown, int]:
    """Whose nDCG is this? Lists every formulation that gives VALUE for GRADES in rank order.

    Gains, discounts, bases, ideals, cutoffs and the settings of all known tools are tried; VALUE
    is matched to the precision you type; one above 1 may be a DCG or CG. A tool keeps its own
    settings: an ideal from the list ignores --judged. Exit status 1 if nothing fits.

    \b
    Examples:
      gainful which 0.932 3 2 3 0 1 2
      gainful which 0.7562 3 2 3 0 1 2 --judged 3,3,3,2,2,2,1,0
      gainful which 8.10 3 2 3 0 1 2 --format json
    """
    pool = None if judged is None else parse_numbers([judged], "judged")
    formulations = find_formulations(value, parse_numbers(grades, "grades"), judged=pool)
    return formulations, 0 if formulations.matches else 1
