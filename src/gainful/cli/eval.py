"""`gainful eval`: how good are these runs?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.evaluate import evaluate as evaluate_runs, holds_qrels_and_run
from gainful.cli.answer import WITHOUT_NOTES, argument, command, name_runs
from gainful.cli.command import PATH
from gainful.cli.options import GROUPS, INTERVAL, PRINT_RUNS, Row, option, refuse_idle_options
from gainful.cli.streams import say
from gainful.page.page import Page

_OF_RUNS = ("interval", "resamples", "seed", *GROUPS)


@command(
    argument("[QRELS]"),
    argument("RUN..."),
    "measures",
    option("per_query", "Print a line for each query (tables also have the mean)."),
    Row(
        "--collections FOLDER",
        "Instead of QRELS and RUN: a folder with one folder of judgments and runs per collection.",
        type=str,
    ),
    Row("--keep-going", "With --collections: skip unreadable files, with a note."),
    Row("--items FILE", "For Coverage and Gini: the catalogue, one id per line.", type=PATH),
    *("interactions", *GROUPS, *INTERVAL, *PRINT_RUNS),
    name="eval",
)
def evaluate(
    *,
    qrels: str | None,
    runs: Any,
    form: str,
    per_query: bool,
    verbose: bool,
    collections: str | None,
    keep_going: bool,
    **options: Any,
) -> Page:
    """How good is each RUN by these QRELS?

    Files are TREC's, CSV, TSV, JSON, JSON lines or Parquet with named columns, plain or compressed
    (.gz, .zst); - reads a pipe; QRELS may be a BEIR folder, or an id of ir_datasets
    (irds:vaswani). A RAG file with the fields retrieved and relevant needs no RUN.

    gainful measures NAME explains an option and its values, as gainful measures ties does.
    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful eval qrels.txt run.txt
      gainful eval qrels.txt bm25.txt dense.txt.gz -m nDCG@10 -m 'P(rel=2)@5'
      gainful eval qrels.txt run.txt -m nDCG@1..20 --per-query -o values.csv
      gainful eval qrels.txt run.txt -m nDCG@10 --like quepid
      gainful eval qrels.txt run.txt -m nDCG@10 -m AP --interval 95
      gainful eval qrels.txt run.txt --group lang --queries queries.csv
      gainful eval answers.jsonl -m R@5 -m RR
      gainful eval qrels.txt run.txt --plugin my_measures.py -m Found@5
      gainful eval --collections beir -m nDCG@10
      zcat run.gz | gainful eval qrels.txt - -m ndcg_cut.10
    """
    if collections is not None:
        if qrels is not None or per_query:
            raise click.UsageError("--collections FOLDER takes no QRELS, RUN or --per-query")
        refuse_idle_options(_OF_RUNS, "applies to runs, not to --collections")
        options = {name: value for name, value in options.items() if name not in _OF_RUNS}
        from gainful.api.collections import evaluate_collections  # noqa: PLC0415  (slow to load)

        by_collection = evaluate_collections(collections, keep_going=keep_going, **options)
        return by_collection.page(verbose=verbose)
    if keep_going:
        raise click.UsageError("--keep-going needs --collections FOLDER")
    if qrels is None:
        raise click.UsageError("give QRELS and at least one RUN: gainful eval QRELS RUN…")
    if options["interval"] is None:
        refuse_idle_options(("resamples", "seed"), "needs --interval")
    elif per_query and form in WITHOUT_NOTES:
        raise click.UsageError(f"--interval needs means; {form} has none with --per-query")
    if not runs and not holds_qrels_and_run(qrels, options["columns"]):
        way = "gainful eval QRELS RUN… (only a file with both retrieved and relevant needs none)"
        raise click.UsageError(f"give at least one RUN: {way}")
    context = click.get_current_context()
    is_short = "--quiet" not in context.meta["words"]  # trec_eval has -q alone
    if context.params["quiet"] and is_short and not per_query:
        from gainful.api.measures import is_trec_name  # noqa: PLC0415  (few are quiet)

        if any(map(is_trec_name, options["measures"] or ())):
            say("-q only silences notes; use --per-query for what -q prints in trec_eval")
    options = {name: value for name, value in options.items() if value is not None}
    results = evaluate_runs(qrels, runs=runs or name_runs((qrels,)), **options)
    return results.page(per_query=per_query, verbose=verbose)
