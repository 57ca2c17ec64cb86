"""`gainful eval`: how good are these runs?"""

from __future__ import annotations

from typing import Any

import click

from gainful.cli.output import (
    deliver,
    refuse_overwriting,
    usual_form,
)
from gainful.cli.run_reading import (
    evaluate_runs,
    measures_option,
    name_runs,
    refuse_two_pipes,
    run_options,
)
from gainful.evidence.run_results import RunResults
from gainful.evidence.stability import resampling_for_level, stability
from gainful.measure.evaluate import build_recipes
from gainful.read.formats import read_qrels
from gainful.read.inputs import rag_path


@click.command("eval", short_help="How good are these runs?")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@measures_option()
@click.option("--per-query", is_flag=True, help="A line for each query (in tables the mean too).")
@click.option(
    "--interval",
    type=float,
    metavar="LEVEL",
    help="How sure is each mean? Its interval at LEVEL per cent, such as 95, and its range with "
    "one query left out.",
)
@click.option("--resamples", type=int, metavar="N", help="Of --interval. [10000]")
@click.option("--seed", type=int, metavar="N", help="Of --interval: where chance begins. [2008]")
@run_options()
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_query: bool,
    interval: float | None,
    resamples: int | None,
    seed: int | None,
    form: str | None,
    output: str | None,
    quiet: bool,
    qrels_format: str | None,
    run_format: str | None,
    like: str | None,
    **settings: Any,
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
      gainful eval qrels.txt bm25.txt dense.txt.gz -m nDCG@10 -m AP -m 'P(rel=2)@5'
      gainful eval qrels.txt run.txt -m nDCG@1..20 --per-query --format csv -o values.csv
      gainful eval qrels.txt run.txt -m nDCG@10 --like quepid
      gainful eval qrels.txt run.txt -m nDCG@10 -m AP --interval 95
      gainful eval answers.jsonl -m R@5 -m RR
      gainful eval qrels.txt run.txt --plugin my_measures.py -m Found@5
      zcat run.gz | gainful eval qrels.txt - -m ndcg_cut.10
    """
    convention, recipes = build_recipes(measures or None, like, settings)
    form = form or usual_form(output)
    refuse_two_pipes(qrels, *runs)
    if interval is not None and per_query and form in ("tsv", "csv", "jsonl"):
        raise click.UsageError(f"--interval is of means; {form} has none with --per-query")
    resampling_options = _resampling_options(interval, resamples=resamples, seed=seed)
    runs = runs or _use_qrels_as_run(qrels)
    refuse_overwriting(output, (qrels, *runs))
    name_runs(runs)  # a run that is named twice is refused before anything is read
    loaded_qrels = read_qrels(qrels, qrels_format)
    results = RunResults(
        {
            result.name: result
            for result, _ in evaluate_runs(loaded_qrels, runs, run_format, recipes, convention)
        }
    )
    if interval is not None:
        results.stabilities = [
            stability(result, interval, **resampling_options) for result in results.values()
        ]
    deliver(results.page(per_query=per_query), form, output, quiet=quiet)


def _resampling_options(interval: float | None, **options: int | None) -> dict[str, int]:
    """What was said of resampling, if it is asked for; wrong values are refused before reading."""
    chosen = {name: value for name, value in options.items() if value is not None}
    if interval is None:
        for name in chosen:
            raise click.UsageError(f"--{name} needs --interval")
    else:
        resampling_for_level(interval, **chosen)
    return chosen


def _use_qrels_as_run(qrels: str) -> tuple[str, ...]:
    """A file that tells both what is relevant and what was retrieved needs no run beside it."""
    if rag_path(qrels) is None:
        raise click.UsageError(
            "name at least one RUN: gainful eval QRELS RUN… (only a file whose lines have "
            "both retrieved and relevant can do without)"
        )
    return (qrels,)
