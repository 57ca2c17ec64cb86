"""`gainful compare`: is one run, or one system, really better than another?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from gainful.api import (
    compare as runs_api,
    compare_sessions as sessions_api,
    fit_model as model_api,
    fit_session_model as session_model_api,
)
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.numbers import parse_differences
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    PRINT_RUNS,
    RESAMPLING,
    option,
    options as take_options,
    refuse_idle_options,
)
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.cli.study_inputs import (
    ALL_TESTS,
    BLOCK,
    SESSION_QRELS,
    declare_sessions,
    refuse_options,
    refuse_study_options,
    take_study,
)
from gainful.convention import SETTINGS
from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.comparisons.study import SYSTEM
from gainful.evidence.models.models import Models
from gainful.evidence.standardise import STANDARDISATIONS
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.text import join_words

_FOR_PAPERS = ("latex", "markdown", "html")  # systems by measures, if not in full


@command(short_help="Is one run really better than another?")
@click.argument("qrels", required=False, type=PATH)
@click.argument("runs", nargs=-1, metavar="RUN RUN...", type=PATH)
@take_options("measures", "baseline")
@option(
    "per_query",
    help="Also the queries that changed most by the first measure; in CSV only these.",
)
@declare_sessions(
    "Compare systems over the sessions of a study; several files are several systems."
)
@SESSION_QRELS
@option("by", metavar="COLUMN", help=f"With --sessions: what names the system. [{SYSTEM}]")
@option(
    "test",
    type=click.Choice(ALL_TESTS),
    default=None,
    show_default=False,
    help="How evidence is weighed. [randomisation; with --sessions by the design]",
)
@take_options("correct", "family", "cluster")
@own_option(
    *("--pairs",),
    group="Statistics",
    type=click.Choice(("all", "baseline")),
    default="all",
    show_default=True,
    help="Compare all pairs, or each with the baseline.",
)
@own_option(
    "--equivalent",
    group="Statistics",
    multiple=True,
    metavar="M=V|V",
    callback=parse_differences,
    help="Also: are they practically the same, M within V (or all measures)? Two one-sided tests, "
    "and P(better), P(same), P(worse); may be repeated.",
)
@take_options(*RESAMPLING)
@BLOCK
@own_option(
    "--standardise",
    group="Statistics",
    type=click.Choice(list(STANDARDISATIONS)),
    help="Score each run beside the others on the same query first, from 0 to 1.",
)
@own_option(
    "--model",
    is_flag=True,
    help="Fit a linear model instead: run + (query); with --sessions system × scenario + order + "
    "(searcher).",
)
@own_option(
    "--full",
    is_flag=True,
    help="Intervals, p and effect sizes in LaTeX, Markdown and HTML too, as a terminal has them.",
)
@take_options(*PRINT_RUNS, *CHOOSE_SESSIONS)
def compare(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    full: bool,
    model: bool,
    sessions: str | None,
    **options: Any,
) -> None:
    """Is one RUN really better than another, by these QRELS?

    Runs are paired by query. For each the mean, the difference to the baseline with its interval, p
    (as it is, and corrected), wins, ties and losses; letters name the runs that it beats. With
    --sessions systems are compared over whole sessions, and searchers exchange their assignments;
    the systems of several files are paired by the conversations that they share. What is to be set
    there goes into the measure: 'nsDCG(b=2, bq=4)@10'.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful compare qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP
      gainful compare qrels.txt *.run --baseline bm25 --format latex
      gainful compare qrels.txt a.txt b.txt c.txt --test t -o compared.csv
      gainful compare qrels.txt old.txt new.txt -m nDCG@10 --per-query
      gainful compare qrels.txt old.txt new.txt -m AP --equivalent AP=0.01
      gainful compare qrels.txt a.run b.run --cluster '^(.+)_\\d+$'
      gainful compare --sessions study.csv --qrels qrels.txt --by system
      gainful compare --sessions a.jsonl b.jsonl --qrels qrels.txt -m nsDCG@5
      gainful compare qrels.txt a.txt b.txt c.txt -m AP --model
    """
    if model:
        refuse_idle_options(_OF_TESTS, "does nothing with --model, which is no such test")
    is_certain = options["test"] in TESTS and not TESTS[options["test"]].resampled
    if is_certain and options["equivalent"] is None:
        words = TESTS[options["test"]].words
        refuse_idle_options(
            ("seed", "resamples"), f"does nothing: the {words} leaves nothing to chance"
        )
    form = choose_form(form, output)
    if full and form not in _FOR_PAPERS:
        raise click.UsageError(f"--full is of {join_words(_FOR_PAPERS)}: {form} has it all")
    view = {"verbose": verbose} if model else {"verbose": verbose, "full": full}
    compared: Comparison | Models
    if sessions is None:
        compared = _compare_runs(qrels, runs, output, options, model=model)
    else:
        compared = _compare_sessions(sessions, (qrels, *runs), output, options, model=model)
    deliver(compared.page(**view), form, output, quiet=quiet)


_MODEL_OPTIONS = ("baseline", "alpha", "like", "qrels_format", "columns")
_OF_ALL_TESTS = ("correct", "family", "pairs", "equivalent", "resamples", "seed")
_SHARED_OPTIONS = (*_MODEL_OPTIONS, *_OF_ALL_TESTS)
_OF_TESTS = ("test", "cluster", *_OF_ALL_TESTS, "per_query", "full")


def _compare_runs(
    qrels: str | None,
    runs: tuple[str, ...],
    output: str | None,
    options: Mapping[str, Any],
    *,
    model: bool,
) -> Comparison | Models:
    """Runs paired by query; of each the queries that changed most, if they are asked for."""
    refuse_study_options(options)
    if qrels is None or len(runs) < 2:
        raise click.UsageError(
            "name QRELS and two runs or more: gainful compare QRELS RUN RUN… (or --sessions FILE)"
        )
    refuse_two_pipes(qrels, *runs)
    refuse_overwriting(output, (qrels, *runs))
    of_runs = ("standardise", "run_format", *SETTINGS)
    if model:
        return model_api.fit_model(
            qrels,
            name_runs(runs),
            options["measures"] or None,
            **_select(options, (*_MODEL_OPTIONS, *of_runs)),
        )
    return runs_api.compare(
        qrels,
        name_runs(runs),
        measures=options["measures"] or None,
        test=options["test"] or "randomisation",
        **_select(options, (*_SHARED_OPTIONS, "cluster", "per_query", *of_runs)),
    )


def _compare_sessions(
    sessions: str,
    words: tuple[str | None, ...],
    output: str | None,
    options: Mapping[str, Any],
    *,
    model: bool,
) -> Comparison | Models:
    """Systems by the sessions of a study."""
    if options["per_query"]:
        raise click.UsageError("--per-query is of runs; gainful sessions shows single sessions")
    refuse_options(options, ("standardise",), "is of runs, which all have the same queries")
    study = take_study(sessions, words, {"-o": output}, options)
    shared = study.options | {"by": SYSTEM if options["by"] is None else options["by"]}
    if model:
        return session_model_api.fit_model(study.files, study.qrels, study.measures, **shared)
    of_test = _select(options, ("test", "cluster", *_SHARED_OPTIONS))
    return sessions_api.compare(study.files, study.qrels, study.measures, **{**shared, **of_test})


def _select(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: options[name] for name in names}
