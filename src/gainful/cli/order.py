"""`gainful order`: do measures agree on which run is better, and which tells runs apart?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gainful.api import correlate as correlate_api, order as api
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import name_runs, parse_reading, refuse_two_pipes
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    PRINT_RUNS,
    READ_RUNS,
    RESAMPLING,
    option,
    options,
    refuse_idle_options,
)
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.convention import SETTINGS
from gainful.evidence.orders.correlations import Correlations
from gainful.evidence.orders.order import Order
from gainful.evidence.orders.split_half import TRIALS
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.rank_correlation import PERSISTENCE
from gainful.evidence.statistics.weighted_correlation import COEFFICIENTS


@command(short_help="Which measure tells these runs apart, and do they agree?")
@click.argument("qrels", required=False, type=PATH)
@click.argument("runs", nargs=-1, metavar="RUN RUN RUN...", type=PATH)
@options("measures")
@own_option(
    "--against",
    metavar="COLUMN",
    help="Instead: how each measure correlates with what users said, by this column of --labels or "
    "of --sessions, or by another measure.",
)
@own_option(
    "--labels",
    metavar="FILE",
    type=PATH,
    help="With --against: a table with query (or session), COLUMN and, of several runs, run.",
)
@own_option(
    "--coefficient",
    type=click.Choice(list(COEFFICIENTS)),
    default="spearman",
    show_default=True,
    help="With --against: which correlation.",
)
@own_option(
    "--sessions", metavar="FILE", type=PATH, help="With --against: measures of these sessions."
)
@own_option(
    *("--qrels", "session_qrels"),
    metavar="FILE",
    type=PATH,
    help="With --sessions, instead of QRELS: judgments by topic.",
)
@own_option(
    *("--p",),
    type=float,
    metavar="P",
    default=PERSISTENCE,
    show_default=True,
    help="The persistence of RBO.",
)
@own_option(
    "--split-half",
    is_flag=True,
    help="Also swap rates (Voorhees & Buckley 2002) and stability (Buckley & Voorhees 2000), from "
    "random halves of the queries.",
)
@own_option(
    "--trials",
    type=int,
    metavar="N",
    default=TRIALS,
    show_default=True,
    help="Of --split-half: how often the queries are split.",
)
@option("test", help="What tells two runs apart.")
@option("correct", help="How that is corrected. [max-t; of other tests holm]")
@options("cluster")
@options(*RESAMPLING, *PRINT_RUNS, *CHOOSE_SESSIONS)
def order(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
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
    form = choose_form(form, output)
    if options["against"] is None:
        result: Order | Correlations = _order_runs(qrels, runs, measures, output, options)
    elif options["sessions"] is None:
        result = _correlate_runs(qrels, runs, measures, output, options)
    else:
        result = _correlate_sessions((qrels, *runs), measures, output, options)
    deliver(result.page(verbose=verbose), form, output, quiet=quiet)


_OF_AGAINST = ("against", "labels", "coefficient", "sessions", "session_qrels", *CHOOSE_SESSIONS)
_OF_ORDER = ("p", "split_half", "trials", "test", "correct")
_CHANCE = ("alpha", "seed", "resamples")
_OF_BOTH = (*_CHANCE, *READ_RUNS, "like", *SETTINGS)


def _order_runs(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str | None,
    options: Mapping[str, Any],
) -> Order:
    refuse_idle_options(_OF_AGAINST, "is of --against COLUMN")
    if options["test"] in TESTS and not TESTS[options["test"]].resampled:
        words = TESTS[options["test"]].words
        refuse_idle_options(
            ("seed", "resamples"), f"does nothing: the {words} leaves nothing to chance"
        )
    if not options["split_half"]:
        refuse_idle_options(("trials",), "is of --split-half")
    loaded_qrels = _check_files(qrels, runs, output)
    chosen = {name: options[name] for name in (*_OF_ORDER, "cluster", *_OF_BOTH)}
    return api.order(loaded_qrels, name_runs(runs), measures or None, **chosen)


def _correlate_runs(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str | None,
    options: Mapping[str, Any],
) -> Correlations:
    """Measures of runs, held against labels of their queries."""
    refuse_idle_options(_OF_ORDER, "does nothing with --against")
    refuse_idle_options(("session_qrels", *CHOOSE_SESSIONS), "is of --sessions FILE")
    loaded_qrels = _check_files(qrels, runs, output)
    return correlate_api.correlate_runs(
        loaded_qrels,
        name_runs(runs),
        measures or None,
        options["against"],
        options["labels"],
        cluster=options["cluster"],
        options=_select_correlation(options),
        **{name: options[name] for name in (*READ_RUNS, "like", *SETTINGS)},
    )


def _correlate_sessions(
    words: tuple[str | None, ...],
    measures: tuple[str, ...],
    output: str | None,
    options: Mapping[str, Any],
) -> Correlations:
    """Measures of sessions, held against a column of theirs, or labels."""
    refuse_idle_options(_OF_ORDER, "does nothing with --against")
    refuse_idle_options(("cluster",), "is of queries; sessions of a searcher are drawn together")
    in_measure = tuple(name for name in SETTINGS if name not in ("ties", "unjudged"))
    refuse_idle_options(
        (*in_measure, "run_format"), "goes into the measure: -m 'nsDCG(b=2, bq=4)@10'"
    )
    extra_words = [word for word in words if word is not None]
    if extra_words:
        raise click.UsageError(
            f"{extra_words[0]}: with --sessions there are no runs; judgments go behind --qrels"
        )
    sessions, qrels = options["sessions"], options["session_qrels"]
    refuse_two_pipes(sessions, qrels)
    refuse_overwriting(output, tuple(path for path in (sessions, qrels, options["labels"]) if path))
    return correlate_api.correlate_sessions(
        sessions,
        qrels,
        measures or None,
        options["against"],
        options["labels"],
        options=_select_correlation(options),
        like=options["like"],
        qrels_format=options["qrels_format"],
        columns=options["columns"],
        unjudged=options["unjudged"],
        **parse_reading(dict(options)),
    )


def _check_files(qrels: str | None, runs: tuple[str, ...], output: str | None) -> str:
    if qrels is None or not runs:
        raise click.UsageError("name QRELS and runs: gainful order QRELS RUN RUN RUN…")
    refuse_two_pipes(qrels, *runs)
    refuse_overwriting(output, (qrels, *runs))
    return qrels


def _select_correlation(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("coefficient", *_CHANCE)
    return {name: options[name] for name in names if options[name] is not None}
