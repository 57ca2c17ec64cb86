"""`gainful eval`: how good are these runs?"""

from __future__ import annotations

from typing import Any

import click

from gainful.cli.arguments import habit_options, like_option, plugin_option, run_names
from gainful.cli.output import (
    delivered,
    refuse_overwriting,
    terminal,
    usual_form,
    values_options,
)
from gainful.cli.progress import progress
from gainful.convention import HABITS
from gainful.measure.evaluate import asked_for, of_run
from gainful.measure.results import Results
from gainful.read.formats import FORMATS, read_judgments, read_run
from gainful.read.inputs import path_of_both
from gainful.show import results as show
from gainful.show.table import PLAIN

_INPUTS = click.Choice(list(FORMATS))


@click.command("eval", short_help="How good are these runs?")
@click.argument("judgments")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="Such as nDCG@10, nDCG@1,3,5, AP, P_5, ndcg_cut.5,10; may be repeated. [nDCG@10, AP, RR]",
)
@click.option("--per-query", is_flag=True, help="A line for each query (in tables the mean too).")
@values_options()
@click.option(
    "-q", "--quiet", is_flag=True, help="No notes on stderr beside TSV, CSV and JSON lines."
)
@click.option("--judgments-format", type=_INPUTS, help="How judgments are written. [found out]")
@click.option("--run-format", type=_INPUTS, help="How runs are written. [found out]")
@plugin_option()
@like_option()
@habit_options(*HABITS)
def evaluate(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_query: bool,
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
      gainful eval answers.jsonl -m R@5 -m RR
      gainful eval qrels.txt run.txt --plugin my_measures.py -m Found@5
      zcat run.gz | gainful eval qrels.txt - -m ndcg_cut.10
    """
    base, recipes = asked_for(measures or None, like, habits)
    form = form or usual_form(output)
    if [judgments, *runs].count("-") > 1:
        raise click.UsageError("only one file can be - (standard input)")
    runs = runs or _the_same(judgments)
    refuse_overwriting(output, (judgments, *runs))
    names = run_names(runs)
    held = read_judgments(judgments, judgments_format)
    found: list[Results] = []
    with progress(runs) as advanced:
        for name, path in zip(names, runs, strict=True):
            advanced(path)
            found.append(of_run(held, read_run(path, run_format), recipes, base, name))
    _print(found, form, output, per_query=per_query)
    if form in ("tsv", "csv", "jsonl") and not quiet:  # no place for it beside the numbers
        for line in show.said(found):
            click.echo(f"gainful: {line}", err=True)


def _the_same(judgments: str) -> tuple[str, ...]:
    """A file that tells both what is relevant and what was retrieved needs no run beside it."""
    if path_of_both(judgments) is None:
        raise click.UsageError(
            "name at least one RUN: gainful eval JUDGMENTS RUN… (only a file whose lines have "
            "both retrieved and relevant can do without)"
        )
    return (judgments,)


def _print(found: list[Results], form: str, output: str | None, *, per_query: bool) -> None:
    if form == "table":
        page = terminal() if output is None else PLAIN
        text = show.to_text(found, per_query=per_query, terminal=page)
    elif form in ("tsv", "csv"):
        text = show.to_csv(found, per_query=per_query, separator="\t" if form == "tsv" else ",")
    elif form == "json":
        text = show.to_json(found)
    else:
        writers = {
            "markdown": show.to_markdown,
            "latex": show.to_latex,
            "jsonl": show.to_json_lines,
        }
        text = writers[form](found, per_query=per_query)
    delivered(text, output)
