"""`gainful correlate`: which measure agrees best with what users said?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import correlate as api
from gainful.cli.answer import argument, command
from gainful.cli.options import CHOOSE_SESSIONS, PRINT_RUNS, RESAMPLING, Row, refuse_idle_options
from gainful.cli.study import ask
from gainful.evidence.statistics.correlation import COEFFICIENTS
from gainful.page.shown import Shown


@command(
    argument("[QRELS]"),
    argument("RUN..."),
    "measures",
    Row("--labels FILE", "A table with query (or session), a number and, for many runs, run."),
    Row(
        "--column NAME",
        "What to correlate measures with: a column of --labels or of --sessions, or another "
        "measure. [the only other column of --labels]",
    ),
    Row("--coefficient", "Which correlation.", choices=COEFFICIENTS, default="spearman"),
    Row("--sessions FILE", "Correlate measures of these sessions, instead of runs."),
    *("session_qrels", "cluster", *RESAMPLING, *PRINT_RUNS, *CHOOSE_SESSIONS),
)
def correlate(**options: Any) -> Shown:
    """Which measure agrees best with what users said, over the queries of each RUN?

    The correlation of each measure with satisfaction, success or revenue, over queries or, with
    --sessions, over sessions. Intervals, and tests of the differences between correlations, come
    from a paired bootstrap in which all sessions of a searcher are drawn together.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful correlate qrels.txt run.txt --labels said.csv
      gainful correlate qrels.txt a.txt b.txt --labels said.csv --column stars
      gainful correlate qrels.txt *.run -m AP -m RR --column nDCG@10
      gainful correlate --sessions study.csv --qrels qrels.txt --column success
    """
    if options["labels"] is None and options["column"] is None:
        raise click.UsageError("name the labels: --labels FILE, or --column NAME")
    if options["sessions"] is not None:
        refuse_idle_options(("cluster",), "applies to runs only: sessions are drawn by searcher")
        if options["qrels"] is not None:
            files = f"{options['qrels']}: with --sessions there are no runs"
            raise click.UsageError(f"{files}; name judgments with --qrels")
        options.pop("cluster")
    chance = ("coefficient", "alpha", "seed", "resamples")
    return ask(
        *(api.correlate_runs, api.correlate_sessions, options, ("labels", "cluster")),
        against=options["column"],
        statistics={name: options[name] for name in chance if options[name] is not None},
    )
