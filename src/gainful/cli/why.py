"""`gainful why`: why do two tools disagree on these data?"""

from __future__ import annotations

import json

import click

from gainful.cli.options import plugin_option
from gainful.cli.output import deliver_text, form_from_suffix, refuse_overwriting, terminal
from gainful.errors import UnknownName
from gainful.evidence.reasons.causes import CAUSES
from gainful.evidence.reasons.session_why import SessionWhy
from gainful.evidence.reasons.why import build_sides, explain_session_sides, explain_sides
from gainful.measure import parse
from gainful.read.formats import FORMATS, read_qrels, read_run
from gainful.read.inputs import rag_path
from gainful.show import session_why as show_sessions, why as show
from gainful.show.table import PLAIN

_FORMATS = ("table", "markdown", "json")
_BY_SUFFIX = {".txt": "table", ".md": "markdown", ".json": "json"}
_INPUT_FORMATS = click.Choice(list(FORMATS))


@click.command(short_help="Why do two tools disagree on these data?")
@click.argument("qrels")
@click.argument("run", required=False)
@click.option(
    "-m",
    "--measure",
    default="nDCG@10",
    show_default=True,
    metavar="MEASURE",
    help="One measure. What it says in its brackets holds for both tools.",
)
@plugin_option()
@click.option("--like", metavar="NAME", help="The tool to start from. [gainful itself]")
@click.option("--unlike", metavar="NAME", required=True, help="The tool that says something else.")
@click.option(
    "--cause",
    metavar="NAME",
    help=f"Spell out the worst query of this cause only: {', '.join(CAUSES)}.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="How to print it. [table, or by the suffix of -o]",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead.")
@click.option("--qrels-format", type=_INPUT_FORMATS, help="How judgments are written. [found out]")
@click.option("--run-format", type=_INPUT_FORMATS, help="How the run is written. [found out]")
def why(
    qrels: str,
    run: str | None,
    *,
    measure: str,
    like: str | None,
    unlike: str,
    cause: str | None,
    form: str | None,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Why do two tools disagree on this RUN and these QRELS?

    Prints the mean under both, then what causes the difference: how much of it, in how many
    queries, and the worst query of each cause rank by rank. The effects add up to the difference:
    each is what switching the cause from one tool to the other changes, averaged over all orders
    of switching them. Where causes interact, alone tells what it changes by itself.

    With a session measure, RUN is a file of sessions. gainful conventions lists the tools.
    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful why qrels.txt run.txt --like trec_eval --unlike sklearn
      gainful why qrels.txt run.txt -m nDCG@20 --like trec_eval --unlike quepid --cause gain
      gainful why qrels.txt run.txt -m AP --like trec_eval --unlike ranx
      gainful why qrels.txt run.txt --unlike beir -o why.md
      gainful why qrels.txt sessions.csv -m nsDCG@10 --like jk2008 --unlike kanoulas2011
    """
    form = form or ("table" if output in (None, "-") else form_from_suffix(output, _BY_SUFFIX))
    if qrels == "-" == run:
        raise click.UsageError("only one file can be - (standard input)")
    if run is None and rag_path(qrels) is None:
        raise click.UsageError("name a RUN: gainful why QRELS RUN --like NAME --unlike NAME")
    refuse_overwriting(output, (qrels, run or qrels))
    if parse(measure).entry.session:
        if cause is not None:
            raise click.UsageError("--cause spells out queries of a run; sessions have none")
        session_why = explain_session_sides(qrels, run, parse(measure), like, unlike)
        deliver_text(_render_sessions(session_why, form, output), output)
        return
    cause_name, sides = _resolve_cause(cause), build_sides(measure, like, unlike)
    loaded_qrels = read_qrels(qrels, qrels_format)
    result = explain_sides(loaded_qrels, read_run(run or qrels, run_format), sides)
    if form == "json":
        data = show.to_dict(result, cause=cause_name)
        text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    elif form == "markdown":
        text = show.to_markdown(result, cause=cause_name)
    else:
        page = terminal() if output in (None, "-") else PLAIN
        text = show.to_text(result, cause=cause_name, terminal=page)
    deliver_text(text, output)


def _render_sessions(session_why: SessionWhy, form: str, output: str | None) -> str:
    if form == "json":
        return json.dumps(session_why.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if form == "markdown":
        return show_sessions.to_markdown(session_why)
    return show_sessions.to_text(
        session_why, terminal=terminal() if output in (None, "-") else PLAIN
    )


def _resolve_cause(cause: str | None) -> str | None:
    """The cause by its name or title."""
    titles = {entry.title: entry.name for entry in CAUSES.values()}
    if cause is not None and cause not in CAUSES and cause not in titles:
        raise UnknownName("cause", cause, CAUSES)
    return None if cause is None else titles.get(cause, cause)
