"""`gainful compare`: is one run, or one system, really better than another?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gainful.api.compare import compare as compare_runs, compare_sessions
from gainful.cli.answer import argument, command
from gainful.cli.command import PATH
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    GROUPS,
    PRINT_RUNS,
    RESAMPLING,
    Row,
    option,
    parse_differences,
    refuse_idle_options,
)
from gainful.cli.study import ask, refuse_certain, take_sessions
from gainful.evidence.method import MethodOptions
from gainful.evidence.statistics.effect_size import POWER
from gainful.page.page import Page
from gainful.text import join_words

_FOR_PAPERS = ("latex", "markdown", "html")  # systems by measures, if not in full


@command(
    argument("[QRELS]"),
    argument("RUN RUN..."),
    *("measures", "baseline"),
    option(
        "per_query",
        "Also list the queries that changed most in the first measure (CSV: only them).",
    ),
    *take_sessions(
        "Compare systems over the sessions of a study; several files are several systems."
    ),
    Row(
        "--values FILE",
        "Instead of QRELS and RUN: values that another tool computed; may be repeated.",
        type=PATH,
        multiple=True,
    ),
    *(*GROUPS, "interactions"),
    *("any_test", "correct", "family", "cluster"),
    Row(
        "--pairs",
        "Compare all pairs, or each with the baseline.",
        choices=("all", "baseline"),
        group="Statistics",
        default="all",
    ),
    Row(
        "--equivalent M=V|V",
        "Also test equivalence: M (or every measure) within V; may be repeated.",
        group="Statistics",
        multiple=True,
        callback=parse_differences,
    ),
    *(*RESAMPLING, "block"),
    Row("--power P", "Power of the detectable difference.", group="Statistics", default=POWER),
    Row(
        "--standardise",
        "Standardise the values of each query over all runs.",
        group="Statistics",
        metavar="normal",
    ),
    Row("--full", "For LaTeX, Markdown, HTML: intervals, p, effect sizes."),
    *(*PRINT_RUNS, *CHOOSE_SESSIONS),
)
def compare(*, form: str, full: bool, verbose: bool, **options: Any) -> Page:
    """Is one RUN really better than another, by these QRELS?

    Runs are paired by query. Prints means, differences with intervals and p, wins, ties and
    losses; letters name the runs that a run beats. --sessions compares systems over whole
    sessions; there, settings are part of the measure: 'nsDCG(b=2, bq=4)@10'.

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful compare qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP
      gainful compare qrels.txt *.run --baseline bm25 --format latex
      gainful compare qrels.txt old.txt new.txt -m nDCG@10 --per-query
      gainful compare qrels.txt old.txt new.txt -m AP --equivalent AP=0.01
      gainful compare qrels.txt a.run b.run --cluster '^(.+)_\\d+$'
      gainful compare --values ours.csv --values theirs.csv -m faithfulness
      gainful compare q.txt a.run b.run --group lang --queries queries.csv
      gainful compare --sessions study.csv --qrels qrels.txt --by system
      gainful compare --sessions a.jsonl b.jsonl --qrels qrels.txt -m nsDCG@5
    """
    if options["equivalent"] is None:
        refuse_certain(options["test"])
    if full and form not in _FOR_PAPERS:
        raise click.UsageError(f"--full applies to {join_words(_FOR_PAPERS)}; {form} is complete")
    values = options.pop("values")
    if values:
        return _compare_values(values, options, verbose=verbose, full=full)
    own = (*MethodOptions.__annotations__, "per_query", "interactions")
    comparison = ask(compare_runs, compare_sessions, options, own, at_least=2)
    return comparison.page(verbose=verbose, full=full)


def _compare_values(files: tuple[str, ...], options: Mapping[str, Any], **view: bool) -> Page:
    """Compare given values; options of reading and measuring are refused."""
    from gainful.api.values import read_values  # noqa: PLC0415  (few have such)

    if options["qrels"] is not None:
        name = options["qrels"]
        raise click.UsageError(f"{name}: with --values there are no QRELS and RUN: --values {name}")
    kept = (*MethodOptions.__annotations__, "measures", *GROUPS)
    refuse_idle_options([name for name in options if name not in kept], "conflicts with --values")
    method = {name: options[name] for name in MethodOptions.__annotations__ if name in options}
    groups = {name: options[name] for name in GROUPS}
    results = read_values(*files, measures=options["measures"], **groups)
    return compare_runs(results, **method).page(**view)
