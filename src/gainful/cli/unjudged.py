"""`gainful unjudged`: how much could documents that nobody judged change?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from gainful.cli.options import parse_numbers, refuse_idle_options
from gainful.cli.output import (
    deliver_text,
    refuse_overwriting,
    terminal,
    usual_form,
)
from gainful.cli.run_reading import (
    measures_option,
    name_runs,
    refuse_two_pipes,
    run_options,
)
from gainful.evidence.unjudged.find_bounds import find_bounds
from gainful.evidence.unjudged.settle import settle_two
from gainful.measure.evaluate import build_recipes
from gainful.read.formats import read_qrels, read_run
from gainful.read.inputs import rag_path
from gainful.show import rows as show_rows, settlement as show_settle, unjudged as show
from gainful.show.rows import Rows
from gainful.show.table import PLAIN, wrap_text


@click.command(short_help="How much could documents that nobody judged change?")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@measures_option()
@click.option("--per-query", is_flag=True, help="A line for each query.")
@click.option(
    "--grades",
    metavar="G,G,…",
    help="The grades that a document may get. [0 and all grades of QRELS]",
)
@click.option(
    "--settle",
    is_flag=True,
    help="Of two runs: can it still turn which is better, and what is to be judged first?",
)
@click.option(
    "--first",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="With --settle: how many documents to list.",
)
@run_options()
def unjudged(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_query: bool,
    grades: str | None,
    settle: bool,
    first: int,
    form: str | None,
    output: str | None,
    quiet: bool,
    qrels_format: str | None,
    run_format: str | None,
    like: str | None,
    **settings: Any,
) -> None:
    """How much could documents of each RUN change that are not in the QRELS?

    Prints the smallest and the largest mean over all grades that they could have, the ideal
    changing with them, and the mean of condensed lists, out of which they are taken. exact: some
    grading gives just that; outer: no grading passes that.

    With --settle and two runs: who leads in one measure, whether that can still turn, how many
    judgments would settle it, and which documents to judge first.
    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful unjudged qrels.txt run.txt
      gainful unjudged qrels.txt bm25.txt dense.txt -m nDCG@10 -m P@10
      gainful unjudged qrels.txt run.txt -m AP --grades 0,1 --per-query --format csv -o bounds.csv
      gainful unjudged qrels.txt bm25.txt dense.txt -m P@10 --settle --first 50
    """
    convention, recipes = build_recipes(
        measures or (("nDCG@10",) if settle else None), like, settings
    )
    form = form or usual_form(output)
    grade_values = None if grades is None else parse_numbers([grades], "grades")
    if not runs and rag_path(qrels) is None:
        raise click.UsageError("name at least one RUN: gainful unjudged QRELS RUN…")
    runs = runs or (qrels,)
    refuse_two_pipes(qrels, *runs)
    if not settle:
        refuse_idle_options(("first",), "is of --settle")
    if settle and (len(runs) != 2 or len(recipes) != 1 or per_query):
        raise click.UsageError("--settle takes two runs and one measure, and no --per-query")
    refuse_overwriting(output, (qrels, *runs))
    names = name_runs(runs)
    loaded_qrels = read_qrels(qrels, qrels_format)
    loaded_runs = [read_run(path, run_format) for path in runs]
    page: tuple[Rows, list[str], list[str], Any]
    if settle:
        settlement = settle_two(
            loaded_qrels, loaded_runs, names, recipes, convention, grades=grade_values
        )
        rows = show_settle.build_document_rows(settlement, first)
        page = (
            rows,
            show_settle.describe_lead(settlement),
            show_settle.list_footnotes(settlement, first),
            settlement.to_dict,
        )
    else:
        bounds = [
            find_bounds(loaded_qrels, run, recipes, convention, name, grades=grade_values)
            for run, name in zip(loaded_runs, names, strict=True)
        ]
        rows = show.build_query_rows(bounds) if per_query else show.build_run_rows(bounds)
        page = (
            rows,
            [],
            show.list_footnotes(bounds, per_query=per_query),
            lambda: show.to_dict(bounds),
        )
    deliver_text(_render(form, output, *page), output)
    if form in ("tsv", "csv", "jsonl") and not quiet:
        for line in (*page[1], *page[2]):
            click.echo(f"gainful: {line}", err=True)


def _render(  # noqa: PLR0917  (all that a form can need)
    form: str,
    output: str | None,
    rows: Rows,
    answer: Sequence[str],
    notes: Sequence[str],
    data: Any,
) -> str:
    if form == "json":
        return json.dumps(data(), indent=2, ensure_ascii=False, allow_nan=False)
    if form in ("tsv", "csv"):
        return show_rows.to_csv(rows, "\t" if form == "tsv" else ",")
    if form == "jsonl":
        return show_rows.to_json_lines(rows)
    if form == "latex":
        return show_rows.to_latex(rows, [*answer, *notes])
    if form == "markdown":
        return "\n\n".join((*answer, show_rows.to_markdown(rows, notes)))
    page = terminal() if output in (None, "-") else PLAIN
    head = [wrap_text(line, page) for line in answer] + [""] * bool(answer)
    return "\n".join((*head, show_rows.to_text(rows, notes, terminal=page)))
