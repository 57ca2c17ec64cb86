"""`gainful judges`: do judges agree, and would runs be ordered alike by each?"""

from __future__ import annotations

from typing import Any

from gainful.api import judges as api
from gainful.cli.answer import argument, command
from gainful.cli.command import PATH
from gainful.cli.options import PRINT_RUNS, Row, option, refuse_idle_options
from gainful.evidence.judges import LEVELS, WEIGHTS
from gainful.page.shown import Shown


@command(
    argument("QRELS QRELS..."),
    Row("--run runs FILE", "A run to rank by each judge; two or more.", multiple=True, type=PATH),
    option("measure", "Measure that ranks the runs.", default=api.MEASURE),
    Row(
        "--weights",
        "Weights of kappa, by steps: from 1 to 5 is one step if no grade is between.",
        choices=WEIGHTS,
        default="linear",
    ),
    Row("--level", "Level of Krippendorff's alpha.", choices=LEVELS, default="ordinal"),
    *("alpha", "seed", "resamples", *PRINT_RUNS),
)
def judges(*, qrels: tuple[str, ...], runs: Any, **options: Any) -> Shown:
    """Do judges (people or models) agree, and do they rank runs alike?

    Each QRELS is one judge. Prints weighted kappa, Krippendorff's alpha and bias with intervals,
    the table of grades and the queries with the most disagreement; with --run also how alike the
    judges rank the runs, and how many significant differences change their sign.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful judges nist.txt llm.txt
      gainful judges nist.txt llm.txt clicks.csv --weights quadratic
      gainful judges nist.txt llm.txt --run a.txt --run b.txt --run c.txt
      gainful judges nist.txt llm.txt -o agreement.json
    """
    if not runs:
        refuse_idle_options(("measure",), "orders runs: name them with --run FILE")
    return api.compare_judges(list(qrels), runs or None, **options)
