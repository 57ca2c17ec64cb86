"""`gainful order`: do measures agree on which run is better, and which tells runs apart?"""

from __future__ import annotations

from typing import Any

from gainful.api import order as api
from gainful.cli.answer import argument, command
from gainful.cli.options import PRINT_RUNS, RESAMPLING, Row, option
from gainful.cli.study import refuse_certain
from gainful.evidence.statistics.correlation import PERSISTENCE
from gainful.page.shown import Shown


@command(
    argument("QRELS"),
    argument("RUN RUN RUN...", required=True),
    "measures",
    Row("--p P", "Persistence of RBO.", default=PERSISTENCE),
    option("test", "Significance test between two runs."),
    option("correct", "Correction of p. [max-t; for other tests holm]"),
    *("cluster", *RESAMPLING, *PRINT_RUNS),
)
def order(*, runs: Any, **options: Any) -> Shown:
    """Do measures agree on which RUN is better, and which separates runs best?

    Prints two tables. The first has for each measure its discriminative power (the share of pairs
    of runs that are significantly different), the smallest difference found significant, and the
    order of the runs by their means. The second has for each pair of measures how alike these
    orders are: Kendall's tau-b; tau_AP, which gives the top more weight; rank-biased overlap (RBO);
    and the discordant pairs of runs.

    TSV, CSV and JSON lines have one value a line. Needs at least three runs.
    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful order qrels.txt bm25.txt dense.txt hybrid.txt -m nDCG@10 -m AP
      gainful order qrels.txt runs/*.txt -m 'nDCG(gain=exp)@10' -m nDCG@10
      gainful order qrels.txt runs/*.txt -m P@5 -m P@10 --test t --alpha 0.01
      gainful order qrels.txt runs/*.txt -m nDCG@10 -m AP -o order.json
    """
    refuse_certain(options["test"])
    return api.order(runs=runs, **options)
