"""`gainful reproduce`: is a reproduced run like the original?"""

from __future__ import annotations

from typing import Any

from gainful.api import reproduce as api
from gainful.cli.answer import argument, command, refuse_measure
from gainful.cli.command import PATH
from gainful.cli.options import PRINT_RUNS, Row
from gainful.evidence.reproduction import DEPTH, PERSISTENCE
from gainful.page.shown import Shown


@command(
    argument("QRELS"),
    argument("ORIGINAL", type=PATH),
    argument("REPRODUCED", type=PATH),
    "measures",
    Row(
        "--baselines ORIGINAL REPRODUCED",
        "The baselines of both; also compares the effects.",
        nargs=2,
        type=PATH,
    ),
    Row(
        "--reproduced-qrels FILE",
        "Judgments of the reproduced runs, if their collection differs (a replication).",
    ),
    Row("--depth N", "Number of documents for tau union and RBO.", default=DEPTH),
    Row("--p P", "Persistence of RBO.", default=PERSISTENCE),
    *PRINT_RUNS,
)
def reproduce(*, original: str, reproduced: str, **options: Any) -> Shown:
    """Is the REPRODUCED run like the ORIGINAL, by these QRELS?

    Kendall's tau union and RBO show how similar the rankings are, and RMSE how far apart the
    scores of the queries are. With --baselines, the effect ratio and the delta relative
    improvement (ΔRI) show how much of the improvement remains. The definitions are those of
    Breuer et al. (2020), as in repro_eval.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful reproduce qrels.txt original.txt mine.txt -m nDCG@10 -m AP
      gainful reproduce qrels.txt a.txt my-a.txt --baselines b.txt my-b.txt
      gainful reproduce q.txt a c --baselines b d --reproduced-qrels other.txt
    """
    for run in (original, reproduced):
        refuse_measure(run)
    return api.reproduce(original=original, reproduced=reproduced, **options)
