"""`gainful eval`: how good are these runs?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api import evaluate as api
from gainful.cli.command import PATH, command
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.options import INTERVAL, PRINT_RUNS, option, options
from gainful.cli.output import WITHOUT_NOTES, choose_form, deliver, refuse_overwriting


@command("eval", short_help="How good are these runs?")
@click.argument("qrels", type=PATH)
@click.argument("runs", nargs=-1, metavar="RUN...", type=PATH)
@options("measures")
@option("per_query", help="A line for each query (in tables the mean too).")
@options(*INTERVAL, *PRINT_RUNS)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    *,
    per_query: bool,
    interval: float | None,
    resamples: int | None,
    seed: int | None,
    measures: tuple[str, ...],
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
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
      gainful eval answers.jsonl -m R@5 -m RR
      gainful eval qrels.txt run.txt --plugin my_measures.py -m Found@5
      zcat run.gz | gainful eval qrels.txt - -m ndcg_cut.10
    """
    form = choose_form(form, output)
    chance = {"resamples": resamples, "seed": seed}
    if interval is None:
        for name in (name for name, value in chance.items() if value is not None):
            raise click.UsageError(f"--{name} needs --interval")
    elif per_query and form in WITHOUT_NOTES:
        raise click.UsageError(f"--interval is of means; {form} has none with --per-query")
    refuse_two_pipes(qrels, *runs)
    runs = runs or _use_qrels_as_run(qrels, options["columns"])
    refuse_overwriting(output, (qrels, *runs))
    options |= {name: value for name, value in chance.items() if value is not None}
    results = api.evaluate(
        qrels, None, measures or None, runs=name_runs(runs), interval=interval, **options
    )
    deliver(results.page(per_query=per_query, verbose=verbose), form, output, quiet=quiet)


def _use_qrels_as_run(qrels: str, columns: Any) -> tuple[str, ...]:
    """A file that tells both what is relevant and what was retrieved needs no run beside it."""
    if not api.holds_qrels_and_run(qrels, columns):
        raise click.UsageError(
            "name at least one RUN: gainful eval QRELS RUN… (only a file whose lines have "
            "both retrieved and relevant can do without)"
        )
    return (qrels,)
