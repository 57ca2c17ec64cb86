"""`gainful plan`: how many queries does a comparison need?"""

from __future__ import annotations

from typing import Any

from gainful.api import plan as api
from gainful.cli.answer import argument, command
from gainful.cli.options import PRINT_RUNS, Row, parse_differences
from gainful.evidence.plan import CONFIDENCE, DIFFERENCE
from gainful.evidence.statistics.effect_size import POWER
from gainful.page.shown import Shown

_STATISTICS = {"group": "Statistics"}


@command(
    argument("QRELS"),
    argument("RUN RUN...", required=True),
    "measures",
    Row(
        "--difference D|M=D",
        "The true difference of means to detect, for all measures or for M; may be repeated. "
        f"[{DIFFERENCE}]",
        multiple=True,
        callback=parse_differences,
    ),
    Row("--power P", "Probability of detecting it.", default=POWER, **_STATISTICS),
    Row(
        "--confidence P",
        "Confidence level of the spread's upper limit (cautious).",
        default=CONFIDENCE,
        **_STATISTICS,
    ),
    Row(
        "--comparisons N",
        "Number of comparisons corrected together; they share alpha.",
        default=1,
        **_STATISTICS,
    ),
    *("alpha", "cluster", *PRINT_RUNS),
)
def plan(*, runs: Any, difference: Any, **options: Any) -> Shown:
    """How many queries are needed to detect a true difference? These RUNs are the pilot.

    The number depends on the spread of the differences by query. Prints the number needed if the
    pilot's spread is the true one, and a cautious number, because the spread of few queries is
    uncertain. Assumes the paired t test; several comparisons (--comparisons) need more queries. A
    pilot needs at least five queries, or five clusters of queries.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful plan qrels.txt bm25.txt dense.txt -m nDCG@10 --difference 0.02
      gainful plan qrels.txt runs/*.txt -m AP --power 0.9 --alpha 0.01
      gainful plan qrels.txt runs/*.txt -m AP --comparisons 10
      gainful plan qrels.txt a.txt b.txt -m AP -m RR --difference AP=0.02
      gainful plan qrels.txt a.run b.run -m AP --cluster '^(.+)_\\d+$'
      gainful plan qrels.txt old.txt new.txt -m nDCG@10 -o plan.json
    """
    wanted = DIFFERENCE if difference is None else difference
    return api.plan(runs=runs, difference=wanted, **options)
