"""`gainful why`: why do two tools disagree on these data?"""

from __future__ import annotations

import click

from gainful.api.evaluate import holds_qrels_and_run
from gainful.api.why import why as explain
from gainful.cli.command import PATH, command
from gainful.cli.declare import own_option
from gainful.cli.inputs import refuse_measure, refuse_two_pipes
from gainful.cli.options import RUN_OR_SESSION_FORMATS, option, options
from gainful.cli.output import choose_form, deliver, refuse_overwriting
from gainful.evidence.reasons.causes import CAUSES


@command(short_help="Why do two tools disagree on these data?")
@click.argument("qrels", type=PATH)
@click.argument("run", required=False, type=PATH)
@option(
    "measure",
    default="nDCG@10",
    help="One measure. What it says in its brackets holds for both tools.",
)
@option("like", group="", help="The tool to start from. [gainful itself]")
@own_option("--unlike", metavar="NAME", help="The tool that says something else. [--like]")
@own_option(
    "--cause",
    metavar="NAME",
    help=f"Spell out the worst query of this cause only: {', '.join(CAUSES)}.",
)
@options("text_form", "output", "qrels_format")
@option("run_format", type=RUN_OR_SESSION_FORMATS, help="How RUN is written. [found out]")
@options("columns", "plugin")
def why(
    qrels: str,
    run: str | None,
    *,
    measure: str,
    like: str | None,
    unlike: str | None,
    cause: str | None,
    form: str | None,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
    columns: dict[str, tuple[str, ...]] | None,
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
      gainful why qrels.txt run.txt --unlike quepid --cause gain
      gainful why qrels.txt run.txt -m AP --like trec_eval --unlike ranx
      gainful why qrels.txt run.txt --unlike beir -o why.md
      gainful why qrels.txt sessions.csv -m nsDCG@10 --unlike kanoulas2011
    """
    form = choose_form(form, output, piped="table")
    refuse_two_pipes(qrels, run)
    refuse_measure(run)
    if run is None and not holds_qrels_and_run(qrels, columns):
        raise click.UsageError("name a RUN: gainful why QRELS RUN --like NAME --unlike NAME")
    if like is None and unlike is None:
        raise click.UsageError("name a tool: gainful why QRELS RUN --unlike trec_eval")
    refuse_overwriting(output, (qrels, run or qrels))
    explanation = explain(
        qrels,
        run,
        measure,
        like=like,
        unlike=unlike,
        cause=cause,
        qrels_format=qrels_format,
        run_format=run_format,
        columns=columns,
    )
    deliver(explanation.page(cause), form, output)
