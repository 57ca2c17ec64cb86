"""`gainful sessions`: how good are whole search sessions?"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from gainful.cli.options import session_setting_options
from gainful.cli.output import (
    deliver_text,
    refuse_overwriting,
    terminal,
    usual_form,
    values_options,
)
from gainful.cli.session_reading import READING_PARAMETERS, load_sessions, session_reading_options
from gainful.measure.sessions.evaluate import build_session_recipes, measure_sessions
from gainful.measure.sessions.last_queries import last_queries
from gainful.measure.sessions.results import SessionResults
from gainful.read.formats import read_qrels
from gainful.read.inputs import as_qrels_columns
from gainful.show import rows as show_rows, sessions as show
from gainful.show.rows import Rows
from gainful.show.table import PLAIN


@click.command(short_help="How good are these whole search sessions?")
@click.argument("file")
@click.option("--qrels", metavar="QRELS", help="Judgments by topic. [the column grade of FILE]")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="Such as 'nsDCG(b=2, bq=4)@10'; may be repeated. [sDCG@10, nsDCG@10]",
)
@click.option(
    "--by", multiple=True, metavar="COLUMN,…", help="Means of groups: --by system,scenario."
)
@click.option("--per-session", is_flag=True, help="A line for each session.")
@click.option("--lengths", is_flag=True, help="How many sessions have how many queries?")
@click.option("--curve", is_flag=True, help="Mean vectors of the first measure, by position.")
@click.option("--last", is_flag=True, help="The last query against the others, by rank.")
@click.option(
    "--non-last",
    type=click.Choice(("pooled", "within")),
    default="pooled",
    show_default=True,
    help="With --last: other queries pooled, or averaged within each session first.",
)
@click.option("--best-query", is_flag=True, help="How often is the last query the best?")
@click.option("--reformulations", is_flag=True, help="Which reformulations helped most and least?")
@values_options()
@click.option("-q", "--quiet", is_flag=True, help="On stderr only what was left out, no notes.")
@session_reading_options()
@session_setting_options()
def sessions(
    file: str,
    *,
    qrels: str | None,
    measures: tuple[str, ...],
    by: tuple[str, ...],
    form: str | None,
    output: str | None,
    quiet: bool,
    qrels_format: str | None,
    like: str | None,
    **options: Any,
) -> None:
    """How good are the sessions in FILE, of several queries each?

    FILE is a table with a row for each result that was shown (columns session, query, rank, doc;
    topic, system, searcher, scenario, text, clicked, scanned, grade if there are any), XML of the
    TREC Session Track, a TREC run of conversations (query ids such as 106_3), or a run of TREC
    Dynamic Domain; which, is found out, or named with --sessions-format.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful sessions study.csv --qrels qrels.txt
      gainful sessions study.csv --qrels qrels.txt -m 'nsDCG(b=2,bq=4)@10' --by system
      gainful sessions study.csv --qrels qrels.txt --by system --curve -o curve.csv
      gainful sessions study.csv --qrels qrels.txt --by system --lengths
      gainful sessions study.csv --qrels qrels.txt --by system --reformulations
      gainful sessions cast.run --sessions-format conversation --qrels qrels.txt
      gainful sessions study.csv --qrels qrels.txt --where scenario=D --min-queries 4
    """
    non_last = options.pop("non_last")
    views = {name: options.pop(name) for name in ("last", *_VIEWS) if name in options}
    if sum(views.values()) > 1:
        names = " or ".join(
            f"--{name.replace('_', '-')}" for name, wanted in views.items() if wanted
        )
        raise click.UsageError(f"one view at a time: {names}")
    reading = {name: options.pop(name) for name in READING_PARAMETERS}
    convention, recipes = build_session_recipes(measures or None, like, options)
    form = form or usual_form(output)
    if [file, qrels].count("-") > 1:
        raise click.UsageError("only one file can be - (standard input)")
    inputs = (file, qrels, reading["topics"])
    refuse_overwriting(output, tuple(path for path in inputs if path))
    chosen_sessions = load_sessions(file, **reading)
    qrels_columns = None
    if qrels is not None:
        qrels_columns = as_qrels_columns(read_qrels(qrels, qrels_format))
    results = measure_sessions(chosen_sessions, qrels_columns, recipes, convention)
    columns = [part.strip() for text in by for part in text.split(",")]
    view = next((name for name, wanted in views.items() if wanted), "groups")
    rows = (
        _last_query_rows(results, columns, non_last)
        if view == "last"
        else _VIEWS[view](results, columns)
    )
    deliver_text(_render(results, rows, view, columns, form, output), output)
    if form in ("tsv", "csv", "jsonl"):  # what was left out is said even to the quiet
        for line in results.matched_sessions.notes if quiet else show.list_footnotes(results):
            click.echo(f"gainful: {line}", err=True)


_VIEWS: dict[str, Callable[[SessionResults, list[str]], Rows]] = {
    "groups": show.build_group_rows,
    "per_session": show.build_session_rows,
    "lengths": show.build_length_rows,
    "curve": lambda results, by: show.build_rows_from_frame(results.curve(by=by), len(by)),
    "best_query": lambda results, by: show.build_rows_from_frame(
        last_queries(results, by=by).shares, len(by)
    ),
    "reformulations": show.build_reformulation_rows,
}


def _last_query_rows(results: SessionResults, by: list[str], non_last: Any) -> Rows:
    return show.build_rows_from_frame(
        last_queries(results, by=by, non_last=non_last).vectors, len(by) + 1
    )


def _render(  # noqa: PLR0917
    results: SessionResults, rows: Rows, view: str, by: list[str], form: str, output: str | None
) -> str:
    if form == "json":
        data = results.to_dict(by)
        if view not in ("groups", "per_session"):
            data[view] = rows.to_dicts()
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    notes = show.list_footnotes(results)
    if form in ("tsv", "csv"):
        return show_rows.to_csv(rows, "\t" if form == "tsv" else ",")
    if form == "jsonl":
        return show_rows.to_json_lines(rows)
    if form == "table":
        page = terminal() if output in (None, "-") else PLAIN
        return show_rows.to_text(rows, notes, terminal=page)
    return (show_rows.to_markdown if form == "markdown" else show_rows.to_latex)(rows, notes)
