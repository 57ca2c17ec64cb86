"""`gainful eval`: how good are these runs?"""

from __future__ import annotations

from typing import Any

import click

from gainful.cli.output import (
    delivered,
    refuse_overwriting,
    terminal,
    usual_form,
)
from gainful.cli.run_reading import (
    evaluated,
    measures_option,
    names_of,
    printing_runs,
    refuse_two_pipes,
)
from gainful.evidence.stability import Stability, settled, stability
from gainful.measure.evaluate import asked_for
from gainful.measure.results import Results
from gainful.read.formats import read_judgments
from gainful.read.inputs import path_of_both
from gainful.show import results as show
from gainful.show.table import PLAIN


@click.command("eval", short_help="How good are these runs?")
@click.argument("judgments")
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
@printing_runs()
def evaluate(
    judgments: str,
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
    judgments_format: str | None,
    run_format: str | None,
    like: str | None,
    **habits: Any,
) -> None:
    """How good is each RUN by these JUDGMENTS?

    Files are TREC's, CSV, TSV, JSON, JSON lines or Parquet with named columns, plain or compressed
    (.gz, .zst); - reads a pipe; JUDGMENTS may be a BEIR folder, or an id of ir_datasets
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
    base, recipes = asked_for(measures or None, like, habits)
    form = form or usual_form(output)
    refuse_two_pipes(judgments, *runs)
    if interval is not None and per_query and form in ("tsv", "csv", "jsonl"):
        raise click.UsageError(f"--interval is of means; {form} has none with --per-query")
    chance = _chance(interval, resamples=resamples, seed=seed)
    runs = runs or _the_same(judgments)
    refuse_overwriting(output, (judgments, *runs))
    names_of(runs)  # a run that is named twice is refused before anything is read
    held = read_judgments(judgments, judgments_format)
    found = [one for one, _ in evaluated(held, runs, run_format, recipes, base)]
    stable = [] if interval is None else [stability(one, interval, **chance) for one in found]
    _print(found, stable, form, output, per_query=per_query)
    if form in ("tsv", "csv", "jsonl") and not quiet:  # no place for it beside the numbers
        for line in show.said(found, stable):
            click.echo(f"gainful: {line}", err=True)


def _chance(interval: float | None, **given: int | None) -> dict[str, int]:
    """What was said of resampling, if it is asked for; wrong values are refused before reading."""
    found = {name: value for name, value in given.items() if value is not None}
    if interval is None:
        for name in found:
            raise click.UsageError(f"--{name} needs --interval")
    else:
        settled(interval, **found)
    return found


def _the_same(judgments: str) -> tuple[str, ...]:
    """A file that tells both what is relevant and what was retrieved needs no run beside it."""
    if path_of_both(judgments) is None:
        raise click.UsageError(
            "name at least one RUN: gainful eval JUDGMENTS RUN… (only a file whose lines have "
            "both retrieved and relevant can do without)"
        )
    return (judgments,)


def _print(
    found: list[Results],
    stable: list[Stability],
    form: str,
    output: str | None,
    *,
    per_query: bool,
) -> None:
    if form == "table":
        page = terminal() if output is None else PLAIN
        text = show.to_text(found, per_query=per_query, terminal=page, stable=stable)
    elif form in ("tsv", "csv"):
        mark = "\t" if form == "tsv" else ","
        text = show.to_csv(found, per_query=per_query, separator=mark, stable=stable)
    elif form == "json":
        text = show.to_json(found, stable)
    else:
        writers = {
            "markdown": show.to_markdown,
            "latex": show.to_latex,
            "jsonl": show.to_json_lines,
        }
        text = writers[form](found, per_query=per_query, stable=stable)
    delivered(text, output)
