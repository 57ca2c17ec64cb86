"""`gainful sessions`: how good are whole search sessions?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.sessions import evaluate, holds_systems
from gainful.api.summarise_sessions import summarise
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import parse_reading, refuse_two_pipes
from gainful.cli.options import READ_SESSIONS, SESSION_CONVENTION, option, options
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.measure.sessions.results import VIEWS
from gainful.page.page import Page


@command(short_help="How good are these whole search sessions?")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)
@options("qrels")
@option("measures", help="Such as 'nsDCG(b=2, bq=4)@10'; may be repeated. [sDCG@10, nsDCG@10]")
@option("by", multiple=True, help="Means of groups: --by system,scenario.")
@options("cost")
@own_option(
    "--last-run",
    metavar="RUN",
    type=PATH,
    help="Of Session Track XML: a run by session, which answers the last query of each.",
)
@own_option(
    "--summary",
    is_flag=True,
    help="Means of groups alone, of a Parquet file that memory does not hold.",
)
@own_option("--per-session", is_flag=True, help="A line for each session.")
@own_option("--lengths", is_flag=True, help="How many sessions have how many queries?")
@own_option("--curve", is_flag=True, help="Mean vectors of the first measure, by position.")
@own_option("--last", is_flag=True, help="The last query against the others, by rank.")
@option(
    "non_last",
    default="pooled",
    help="With --last: other queries pooled, or averaged within each session first. [pooled]",
)
@own_option("--best-query", is_flag=True, help="How often is the last query the best?")
@own_option("--reformulations", is_flag=True, help="Which reformulations helped most and least?")
@options("form", "output")
@option("quiet", help="On stderr only what was left out, no notes.")
@options("verbose", *READ_SESSIONS, *SESSION_CONVENTION)
def sessions(
    files: tuple[str, ...],
    *,
    qrels: str | None,
    measures: tuple[str, ...],
    by: tuple[str, ...],
    form: str | None,
    output: str | None,
    quiet: bool,
    verbose: bool,
    summary: bool,
    non_last: Any,
    **options: Any,
) -> None:
    """How good are the sessions in FILE, of several queries each?

    FILE is a table with a row for each result that was shown (columns session, query, rank, doc;
    topic, system, searcher, scenario, text, clicked, scanned, grade if there are any), any table of
    a search log (a row for each result or event; users, times, clicks), XML of the TREC Session
    Track, a TREC run of conversations (query ids such as 106_3), a run of TREC Dynamic Domain, a
    log of UBI (queries and events, in one file or two), traces, transcripts of agents, turns, or a
    run of iKAT; which, is found out, or named with --sessions-format. Several files are several
    systems (--by system).

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful sessions study.csv --qrels qrels.txt
      gainful sessions study.csv --qrels qrels.txt -m 'nsDCG(b=2,bq=4)@10'
      gainful sessions study.csv --qrels qrels.txt --by system --curve -o c.csv
      gainful sessions study.csv --qrels qrels.txt --by system --lengths
      gainful sessions study.csv --qrels qrels.txt --reformulations
      gainful sessions cast.run --sessions-format conversation --qrels q.txt
      gainful sessions study.csv --qrels qrels.txt --where scenario=D
      gainful sessions a.run b.run --sessions-format conversation --qrels q.txt
      gainful sessions log.csv --by variant --gain-from clicked=1,purchased=5
      gainful sessions log.csv --gap 30m --propensity estimate --anonymise
      gainful sessions queries.jsonl events.jsonl
      gainful sessions traces.jsonl --qrels q.txt --tool search
      gainful sessions track.xml --last-run my.run --qrels qrels.txt
      gainful sessions agents.csv --qrels q.txt --cost query=50,result=tokens
      gainful sessions year.parquet --qrels q.txt --by variant --summary
    """
    view = _choose_view(options)
    form = choose_form(form, output)
    refuse_two_pipes(*files, qrels, options["last_run"])
    refuse_overwriting(output, (*files, qrels, options["topics"], options["last_run"]))
    reading = parse_reading(options)
    if summary:
        page = _summarise(files, qrels, measures, by, view=view, options={**reading, **options})
        deliver(page, form, output, quiet=quiet)
        return
    results = evaluate(files, qrels, measures or None, **reading, **options)
    columns = _split_columns(by)
    if not by and holds_systems(files, reading["sessions_format"]):
        columns = ["system"]
    deliver(results.page(view, columns, non_last, verbose=verbose), form, output, quiet=quiet)


def _summarise(
    files: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...],
    by: tuple[str, ...],
    *,
    view: str,
    options: dict[str, Any],
) -> Page:
    """Means or mean vectors of groups, added up some sessions at a time."""
    if len(files) != 1 or view not in ("groups", "curve"):
        raise click.UsageError("--summary is of one Parquet file: means of groups, or --curve")
    asked = {name: value for name, value in options.items() if value}
    summary = summarise(
        files[0], qrels, measures or None, by=_split_columns(by), curves=view == "curve", **asked
    )
    return summary.page("curve" if view == "curve" else "groups")


def _split_columns(by: tuple[str, ...]) -> list[str]:
    return [part.strip() for text in by for part in text.split(",")]


def _choose_view(options: dict[str, Any]) -> Any:
    """The view that was asked for; only one at a time."""
    views = [name for name in (*VIEWS, "last") if options.pop(name, False)]
    if len(views) > 1:
        names = " or ".join(f"--{name.replace('_', '-')}" for name in views)
        raise click.UsageError(f"one view at a time: {names}")
    return views[0] if views else "groups"
