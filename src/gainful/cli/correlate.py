"""`gainful correlate`: which measure agrees best with what users said?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gainful.api import correlate as api
from gainful.cli.answer import argument, command, parse_reading
from gainful.cli.options import CHOOSE_SESSIONS, PRINT_RUNS, RESAMPLING, Row, refuse_idle_options
from gainful.cli.study import IN_THE_MEASURE, RUN_OPTIONS, select
from gainful.evidence.orders.correlations import Correlations
from gainful.evidence.statistics.correlation import COEFFICIENTS
from gainful.page.page import Page


@command(
    argument("[QRELS]"),
    argument("RUN..."),
    "measures",
    Row("--labels", "FILE", "A table with query (or session), a number and, of several runs, run."),
    Row(
        "--column",
        "NAME",
        "What measures are held against: a column of --labels or of --sessions, or another "
        "measure. [the only other column of --labels]",
    ),
    Row("--coefficient", COEFFICIENTS, "Which correlation.", default="spearman"),
    Row("--sessions", "FILE", "Correlate measures of these sessions, instead of runs."),
    *("session_qrels", "cluster", *RESAMPLING, *PRINT_RUNS, *CHOOSE_SESSIONS),
)
def correlate(*, verbose: bool, **options: Any) -> Page:
    """Which measure agrees best with what users said, over the queries of each RUN?

    The correlation of each measure with satisfaction, success or revenue, over queries or, with
    --sessions, over sessions. Intervals, and tests of the differences between correlations, come
    from a paired bootstrap in which all sessions of a searcher are drawn together.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful correlate qrels.txt run.txt --labels said.csv
      gainful correlate qrels.txt a.txt b.txt --labels said.csv --column stars
      gainful correlate qrels.txt *.run -m AP -m RR --column nDCG@10
      gainful correlate --sessions study.csv --qrels qrels.txt --column success
    """
    if options["labels"] is None and options["column"] is None:
        raise click.UsageError("name what users said: --labels FILE, or --column NAME")
    ask = _correlate_runs if options["sessions"] is None else _correlate_sessions
    return ask(options).page(verbose=verbose)


def _correlate_runs(options: Mapping[str, Any]) -> Correlations:
    refuse_idle_options(("session_qrels", *CHOOSE_SESSIONS), "is of --sessions FILE")
    if options["qrels"] is None or not options["runs"]:
        raise click.UsageError("name QRELS and runs: gainful correlate QRELS RUN… --labels FILE")
    return api.correlate_runs(
        *(options["qrels"], options["runs"], options["measures"]),
        *(options["column"], options["labels"]),
        cluster=options["cluster"],
        options=_select_options(options),
        **select(options, RUN_OPTIONS),
    )


def _correlate_sessions(options: Mapping[str, Any]) -> Correlations:
    refuse_idle_options(("cluster",), "is of queries; sessions of a searcher are drawn together")
    refuse_idle_options(IN_THE_MEASURE, "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'")
    if options["qrels"] is not None:
        raise click.UsageError(
            f"{options['qrels']}: with --sessions there are no runs; judgments go behind --qrels"
        )
    return api.correlate_sessions(
        options["sessions"],
        options["session_qrels"],
        options["measures"],
        options["column"],
        options["labels"],
        options=_select_options(options),
        **select(options, ("like", "qrels_format", "columns", "unjudged")),
        **parse_reading(dict(options)),
    )


def _select_options(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("coefficient", "alpha", "seed", "resamples")
    return {name: options[name] for name in names if options[name] is not None}
