"""`gainful why`: why do two tools disagree on these data?"""

from __future__ import annotations

from typing import Any

import click

from gainful.api.evaluate import holds_qrels_and_run
from gainful.api.why import why as explain
from gainful.cli.answer import argument, command, refuse_measure
from gainful.cli.options import RUN_OR_SESSION_FORMATS, Row, option
from gainful.evidence.reasons.causes import CAUSES
from gainful.page.page import Page


@command(
    argument("QRELS"),
    argument("[RUN]"),
    option("measure", "One measure. Its parameters apply to both tools.", default="nDCG@10"),
    option("like", "The tool to start from. [gainful itself]", group=""),
    Row("--unlike NAME", "The tool that disagrees. [--like]"),
    Row("--cause NAME", f"Show the worst query of this cause only: {', '.join(CAUSES)}."),
    *("text_form", "output", "qrels_format"),
    option("run_format", "Format of RUN. [detected]", type=RUN_OR_SESSION_FORMATS),
    *("columns", "plugin"),
    piped="table",
)
def why(*, qrels: str, run: str | None, cause: str | None, **options: Any) -> Page:
    """Why do two tools disagree on this RUN and these QRELS?

    Prints the mean of both tools and the causes of the difference: the effect of each, how many
    queries it changes, and its worst query rank by rank. An effect is the change when a setting is
    switched from one tool to the other, averaged over all orders of switching; the effects add up
    to the difference. Where causes interact, "alone" is the effect of one cause by itself.

    With a session measure, RUN is a file of sessions. gainful conventions lists the tools.
    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful why qrels.txt run.txt --like trec_eval --unlike sklearn
      gainful why qrels.txt run.txt --unlike quepid --cause gain
      gainful why qrels.txt run.txt -m AP --like trec_eval --unlike ranx
      gainful why qrels.txt run.txt --unlike beir -o why.md
      gainful why qrels.txt sessions.csv -m nsDCG@10 --unlike kanoulas2011
    """
    refuse_measure(run)
    if run is None and not holds_qrels_and_run(qrels, options["columns"]):
        raise click.UsageError("name a RUN: gainful why QRELS RUN --like NAME --unlike NAME")
    if options["like"] is None and options["unlike"] is None:
        raise click.UsageError("name a tool: gainful why QRELS RUN --unlike trec_eval")
    return explain(qrels, run, cause=cause, **options).page(cause)
