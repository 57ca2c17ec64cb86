"""`gainful sessions`: how good are whole search sessions?"""

from __future__ import annotations

from typing import Any

import click
from attrs import evolve

from gainful.api.session_options import GainOptions
from gainful.api.sessions import check_suffix, evaluate, holds_systems, judge_by_clicks
from gainful.api.summarise_sessions import summarise
from gainful.cli.answer import argument, command
from gainful.cli.command import OUTPUT, PATH
from gainful.cli.options import READ_SESSIONS, Row, option, session_convention
from gainful.measure.sessions.results import VIEWS
from gainful.page.page import Page


@command(
    argument("FILE..."),
    "qrels",
    option("measures", "Such as 'nsDCG(b=2, bq=4)@10'. [sDCG@10, nsDCG@10; by clicks sDCG@10]"),
    option("by", "Group the means: --by system,scenario.", multiple=True),
    "cost",
    Row(
        "--last-run RUN",
        "Session Track XML: a run with the results of each session's last query.",
        type=PATH,
    ),
    Row("--summary", "Only means of groups; for a Parquet file larger than memory."),
    Row("--per-session", "Print a line for each session."),
    Row("--lengths", "Number of sessions by number of queries."),
    Row("--curve", "Mean vectors of the first measure, by position."),
    Row("--last", "Compare the last query with the others, by rank."),
    option(
        "non_last",
        "With --last: other queries pooled, or averaged within each session first. [pooled]",
        default="pooled",
        show_default=False,
    ),
    Row("--best-query", "How often is the last query the best?"),
    Row("--reformulations", "Which reformulations helped most and least?"),
    Row(
        "--write-qrels FILE",
        "Write judgments from clicks: CSV, TSV, JSONL, Parquet or TREC, by suffix.",
        type=OUTPUT,
    ),
    Row("--grades 0-3", "With --write-qrels: grades 0 to 3 by gain. [the gain per impression]"),
    Row(
        "--least-impressions N",
        "With --write-qrels: only queries asked at least N times. [10]",
        type=int,
    ),
    Row("--least-users N", "And by at least N searchers. [3]", type=int),
    *("form", "output"),
    option("quiet", "Print on stderr only what was left out, no notes."),
    *("verbose", *READ_SESSIONS, *session_convention()),
)
def sessions(
    *,
    files: tuple[str, ...],
    by: list[str],
    verbose: bool,
    summary: bool,
    non_last: Any,
    **options: Any,
) -> Page:
    """How good are the search sessions in FILE?

    FILE is a table with a row for each result that was shown (columns session, query, rank, doc;
    topic, system, searcher, scenario, text, clicked, scanned, grade if there are any), any table of
    a search log (a row for each result or event; users, times, clicks), XML of the TREC Session
    Track, a TREC run of conversations (query ids such as 106_3), a run of TREC Dynamic Domain, a
    log of UBI (queries and events, in one file or two), traces, transcripts of agents, turns, or a
    run of iKAT; the format is detected, or set with --sessions-format. Several files are several
    systems (--by system).

    Exit status: 0 done, 2 invalid input or options.

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
      gainful sessions log.csv --write-qrels qrels.csv --grades 0-3
      gainful sessions traces.jsonl --qrels q.txt --tool search
      gainful sessions track.xml --last-run my.run --qrels qrels.txt
      gainful sessions agents.csv --qrels q.txt --cost query=50,result=tokens
      gainful sessions year.parquet --qrels q.txt --by variant --summary
    """
    views = [name for name in VIEWS if options.pop(name, False)]
    if len(views) > 1:
        names = " or ".join(f"--{name.replace('_', '-')}" for name in views)
        raise click.UsageError(f"one view at a time: {names}")
    view: Any = views[0] if views else "groups"
    judging = {name: options.pop(name) for name in ("grades", "least_impressions", "least_users")}
    path = options.pop("write_qrels")
    if path is not None:
        options |= {"by": by, "summary": summary, **dict.fromkeys(views, True)}
        return _write_judgments(files, path, judging, options)
    if any(value is not None for value in judging.values()):
        raise click.UsageError("--grades, --least-impressions and --least-users need --write-qrels")
    if summary:
        if len(files) != 1 or view not in ("groups", "curve"):
            raise click.UsageError("--summary takes one Parquet file: means of groups, or --curve")
        asked = {name: value for name, value in options.items() if value}
        return summarise(files[0], by=by, curves=view == "curve", **asked).page(view)
    if not by and holds_systems(files, options["sessions_format"]):
        by = ["system"]
    return evaluate(files, **options).page(view, by, non_last, verbose=verbose)


def _write_judgments(
    files: tuple[str, ...], path: str, judging: dict[str, Any], options: dict[str, Any]
) -> Page:
    if options.get("qrels") is not None or path == "-":
        raise click.UsageError("--write-qrels FILE makes judgments from clicks: no --qrels, no -")
    check_suffix(path)  # before a long log is read
    known = GainOptions.__annotations__
    ignored = [name for name, value in options.items() if value and name not in known]
    if ignored:
        params = click.get_current_context().command.params
        flag = next(param.opts[-1] for param in params if param.name == ignored[0])
        raise click.UsageError(f"--write-qrels makes judgments and computes no values: no {flag}")
    wanted = {name: value for name, value in judging.items() if value is not None}
    reading = {name: options[name] for name in known if options.get(name) is not None}
    judged = judge_by_clicks(files if len(files) > 1 else files[0], **wanted, **reading)
    judged.write_qrels(path)
    return evolve(judged, path=path).page()
