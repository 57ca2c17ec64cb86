"""`gainful order`: do measures agree on which run is better, and which tells runs apart?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gainful.api import correlate as correlate_api, order as api
from gainful.cli.answer import argument, command, parse_reading
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    PRINT_RUNS,
    READ_RUNS,
    RESAMPLING,
    Row,
    option,
    refuse_idle_options,
)
from gainful.cli.study import IN_THE_MEASURE, refuse_certain, select
from gainful.convention import SETTINGS
from gainful.evidence.orders.split_half import TRIALS
from gainful.evidence.statistics.rank_correlation import PERSISTENCE
from gainful.evidence.statistics.weighted_correlation import COEFFICIENTS
from gainful.page.page import Page

_OF_AGAINST = ("against", "labels", "coefficient", "sessions", "session_qrels", *CHOOSE_SESSIONS)
_OF_ORDER = ("p", "split_half", "trials", "test", "correct")
_CHANCE = ("alpha", "seed", "resamples")
_READING = (*READ_RUNS, "like", *SETTINGS)


@command(
    "Which measure tells these runs apart, and do they agree?",
    argument("[QRELS]"),
    argument("RUN RUN RUN..."),
    "measures",
    Row(
        "--against",
        "COLUMN",
        "Instead: how each measure correlates with what users said, by this column of --labels or "
        "of --sessions, or by another measure.",
    ),
    Row(
        "--labels",
        "FILE",
        "With --against: a table with query (or session), COLUMN and, of several runs, run.",
    ),
    Row("--coefficient", COEFFICIENTS, "With --against: which correlation.", default="spearman"),
    Row("--sessions", "FILE", "With --against: measures of these sessions."),
    "session_qrels",
    Row("--p", "P", "The persistence of RBO.", default=PERSISTENCE),
    Row(
        "--split-half",
        None,
        "Also swap rates (Voorhees & Buckley 2002) and stability (Buckley & Voorhees 2000), from "
        "random halves of the queries.",
    ),
    Row("--trials", "N", "Of --split-half: how often the queries are split.", default=TRIALS),
    option("test", "What tells two runs apart."),
    option("correct", "How that is corrected. [max-t; of other tests holm]"),
    *("cluster", *RESAMPLING, *PRINT_RUNS, *CHOOSE_SESSIONS),
)
def order(*, verbose: bool, **options: Any) -> Page:
    """Do measures agree on which RUN is better, and which tells them apart?

    Two tables. For each measure its discriminative power (the share of pairs of runs that are
    significantly different), the smallest difference found significant, and the order of the runs
    by their means. For each two measures how alike these orders are: Kendall's tau-b; tau_AP, to
    which the top matters more; rank-biased overlap (RBO); and the discordant pairs of runs.

    With --against instead: the correlation of each measure with what users said (satisfaction,
    success, revenue) over queries or, with --sessions, over sessions; intervals, and tests of
    their differences, by a paired bootstrap in which a searcher's sessions are drawn together.

    TSV, CSV and JSON lines have one value a line. At least three runs are needed to be ordered.
    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful order qrels.txt bm25.txt dense.txt hybrid.txt -m nDCG@10 -m AP
      gainful order qrels.txt runs/*.txt -m 'nDCG(gain=exp)@10' -m nDCG@10
      gainful order qrels.txt runs/*.txt -m P@5 -m P@10 --test t --alpha 0.01
      gainful order qrels.txt runs/*.txt -m nDCG@10 -m AP --split-half
      gainful order qrels.txt runs/*.txt -m nDCG@10 -m AP -o order.json
      gainful order qrels.txt run.txt --against satisfaction --labels said.csv
      gainful order --sessions study.csv --qrels qrels.txt --against success
    """
    if options["against"] is None:
        ask = _order_runs
    else:
        refuse_idle_options(_OF_ORDER, "does nothing with --against")
        ask = _correlate_runs if options["sessions"] is None else _correlate_sessions
    page: Page = ask(options).page(verbose=verbose)
    return page


def _order_runs(options: Mapping[str, Any]) -> Any:
    refuse_idle_options(_OF_AGAINST, "is of --against COLUMN")
    refuse_certain(options["test"])
    if not options["split_half"]:
        refuse_idle_options(("trials",), "is of --split-half")
    qrels, runs, measures = _take_runs(options)
    chosen = select(options, (*_OF_ORDER, "cluster", *_CHANCE, *_READING))
    return api.order(qrels, runs, measures, **chosen)


def _correlate_runs(options: Mapping[str, Any]) -> Any:
    """Measures of runs, held against labels of their queries."""
    refuse_idle_options(("session_qrels", *CHOOSE_SESSIONS), "is of --sessions FILE")
    qrels, runs, measures = _take_runs(options)
    return correlate_api.correlate_runs(
        qrels,
        runs,
        measures,
        options["against"],
        options["labels"],
        cluster=options["cluster"],
        options=_select_correlation(options),
        **select(options, _READING),
    )


def _correlate_sessions(options: Mapping[str, Any]) -> Any:
    """Measures of sessions, held against a column of theirs, or labels."""
    refuse_idle_options(("cluster",), "is of queries; sessions of a searcher are drawn together")
    refuse_idle_options(IN_THE_MEASURE, "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'")
    if options["qrels"] is not None:
        raise click.UsageError(
            f"{options['qrels']}: with --sessions there are no runs; judgments go behind --qrels"
        )
    return correlate_api.correlate_sessions(
        options["sessions"],
        options["session_qrels"],
        options["measures"],
        options["against"],
        options["labels"],
        options=_select_correlation(options),
        **select(options, ("like", "qrels_format", "columns", "unjudged")),
        **parse_reading(dict(options)),
    )


def _take_runs(options: Mapping[str, Any]) -> tuple[Any, ...]:
    if options["qrels"] is None or not options["runs"]:
        raise click.UsageError("name QRELS and runs: gainful order QRELS RUN RUN RUN…")
    return options["qrels"], options["runs"], options["measures"]


def _select_correlation(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("coefficient", *_CHANCE)
    return {name: options[name] for name in names if options[name] is not None}
