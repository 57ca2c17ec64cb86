"""`gainful eval`: how good are these runs?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.evaluate import evaluate as evaluate_runs, holds_qrels_and_run
from gainful.cli.answer import WITHOUT_NOTES, argument, command, name_runs
from gainful.cli.options import GROUPS, INTERVAL, PRINT_RUNS, option
from gainful.page.page import Page


@command(
    argument("QRELS"),
    argument("RUN..."),
    "measures",
    option("per_query", "A line for each query (in tables the mean too)."),
    *(*GROUPS, *INTERVAL, *PRINT_RUNS),
    name="eval",
)
def evaluate(
    *, qrels: str, runs: Any, form: str, per_query: bool, verbose: bool, **options: Any
) -> Page:
    """How good is each RUN by these QRELS?

    Files are TREC's, CSV, TSV, JSON, JSON lines or Parquet with named columns, plain or compressed
    (.gz, .zst); - reads a pipe; QRELS may be a BEIR folder, or an id of ir_datasets
    (irds:vaswani). A RAG file with retrieved and relevant needs no RUN beside it.

    What the values of an option mean: gainful measures NAME, such as gainful measures ties.
    Exit status: 0 done, 2 something is wrong with what was given.

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
      zcat run.gz | gainful eval qrels.txt - -m ndcg_cut.10
    """
    if options["interval"] is None:
        for name in ("resamples", "seed"):
            if options.pop(name) is not None:
                raise click.UsageError(f"--{name} needs --interval")
    elif per_query and form in WITHOUT_NOTES:
        raise click.UsageError(f"--interval is of means; {form} has none with --per-query")
    if not runs and not holds_qrels_and_run(qrels, options["columns"]):
        raise click.UsageError(
            "name at least one RUN: gainful eval QRELS RUN… (only a file whose lines have "
            "both retrieved and relevant can do without)"
        )
    options = {name: value for name, value in options.items() if value is not None}
    results = evaluate_runs(qrels, runs=runs or name_runs((qrels,)), **options)
    return results.page(per_query=per_query, verbose=verbose)
