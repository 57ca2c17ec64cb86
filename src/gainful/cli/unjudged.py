"""`gainful unjudged`: how much could documents that nobody judged change?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from gainful.cli.options import numbers, refuse_idle
from gainful.cli.output import (
    delivered,
    refuse_overwriting,
    terminal,
    usual_form,
)
from gainful.cli.run_reading import (
    measures_option,
    names_of,
    printing_runs,
    refuse_two_pipes,
)
from gainful.evidence.unjudged.find_bounds import of_open
from gainful.evidence.unjudged.settle import of_two
from gainful.measure.evaluate import asked_for
from gainful.read.formats import read_judgments, read_run
from gainful.read.inputs import path_of_both
from gainful.show import rows as show_rows, settlement as show_settle, unjudged as show
from gainful.show.rows import Rows
from gainful.show.table import PLAIN, wrapped


@click.command(short_help="How much could documents that nobody judged change?")
@click.argument("judgments")
@click.argument("runs", nargs=-1, metavar="RUN...")
@measures_option()
@click.option("--per-query", is_flag=True, help="A line for each query.")
@click.option(
    "--grades",
    metavar="G,G,…",
    help="The grades that a document may get. [0 and all grades of JUDGMENTS]",
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
@printing_runs()
def unjudged(
    judgments: str,
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
    judgments_format: str | None,
    run_format: str | None,
    like: str | None,
    **habits: Any,
) -> None:
    """How much could documents of each RUN change that are not in the JUDGMENTS?

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
    base, recipes = asked_for(measures or (("nDCG@10",) if settle else None), like, habits)
    form = form or usual_form(output)
    given = None if grades is None else numbers([grades], "grades")
    if not runs and path_of_both(judgments) is None:
        raise click.UsageError("name at least one RUN: gainful unjudged JUDGMENTS RUN…")
    runs = runs or (judgments,)
    refuse_two_pipes(judgments, *runs)
    if not settle:
        refuse_idle(("first",), "is of --settle")
    if settle and (len(runs) != 2 or len(recipes) != 1 or per_query):
        raise click.UsageError("--settle takes two runs and one measure, and no --per-query")
    refuse_overwriting(output, (judgments, *runs))
    names = names_of(runs)
    held = read_judgments(judgments, judgments_format)
    read = [read_run(path, run_format) for path in runs]
    page: tuple[Rows, list[str], list[str], Any]
    if settle:
        told = of_two(held, read, names, recipes, base, grades=given)
        rows = show_settle.documents(told, first)
        page = rows, show_settle.answer(told), show_settle.said(told, first), told.to_dict
    else:
        found = [
            of_open(held, run, recipes, base, name, grades=given)
            for run, name in zip(read, names, strict=True)
        ]
        rows = show.per_query(found) if per_query else show.by_run(found)
        page = rows, [], show.said(found, per_query=per_query), lambda: show.to_dict(found)
    delivered(_text(form, output, *page), output)
    if form in ("tsv", "csv", "jsonl") and not quiet:
        for line in (*page[1], *page[2]):
            click.echo(f"gainful: {line}", err=True)


def _text(  # noqa: PLR0917  (all that a form can need)
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
    head = [wrapped(line, page) for line in answer] + [""] * bool(answer)
    return "\n".join((*head, show_rows.to_text(rows, notes, terminal=page)))
