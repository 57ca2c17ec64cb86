"""`gainful report`: one page about these runs, to hand over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gainful.cli.options import chance_options, habit_options, like_option, plugin_option
from gainful.cli.output import delivered, form_of, refuse_overwriting
from gainful.cli.run_reading import (
    evaluated,
    format_options,
    measures_option,
    names_of,
    refuse_two_pipes,
)
from gainful.convention import HABITS
from gainful.evidence.pairing import baseline_of
from gainful.evidence.significance_tests import NAMES
from gainful.evidence.statistics.correction import CORRECTIONS, correction_for
from gainful.evidence.statistics.resampling import How
from gainful.measure.evaluate import asked_for
from gainful.read.formats import read_judgments
from gainful.read.query_texts import read_texts
from gainful.show.atomic_write import put
from gainful.show.pages.report import drawn, ready

_FORMS = {".html": "html", ".htm": "html"}


@click.command(short_help="One page about these runs, to hand over.")
@click.argument("judgments")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@measures_option()
@click.option("-o", "--output", metavar="FILE", required=True, help="The page: FILE.html.")
@click.option("--title", metavar="TEXT", help="What the page is called.")
@click.option(
    "--topics",
    metavar="FILE",
    help="What the queries say: lines of query, tab, text; or CSV or JSON lines with both.",
)
@click.option("--baseline", metavar="NAME", help="What the others are set against. [the first]")
@click.option(
    "--test",
    type=click.Choice(NAMES),
    default="randomisation",
    show_default=True,
    help="How evidence is weighed.",
)
@click.option(
    "--correct",
    type=click.Choice(list(CORRECTIONS)),
    help="How p is corrected across measures and pairs. [holm; with tukey bonferroni]",
)
@chance_options()
@format_options()
@plugin_option()
@like_option()
@habit_options(*HABITS)
def report(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    output: str,
    title: str | None,
    topics: str | None,
    alpha: float,
    seed: int,
    resamples: int,
    judgments_format: str | None,
    run_format: str | None,
    like: str | None,
    **more: Any,
) -> None:
    """One page about each RUN by these JUDGMENTS: to open from disk, to send, to print.

    The comparison with its evidence, plots, every query with its values, and for one query at a
    time the runs side by side: grades, gain × discount, the ideal, what moved. The page is a
    single file that loads nothing. Of more than 500 queries a part is shown rank by rank, which
    the page says; all values are then written beside it, as FILE-values.csv.

    It needs the extra report: pip install 'gainful[report]'

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful report qrels.txt run.txt -o report.html
      gainful report qrels.txt bm25.txt dense.txt -m nDCG@10 -m AP -o report.html
      gainful report qrels.txt *.run -m nDCG@10 --baseline bm25 --topics topics.tsv -o report.html
    """
    how = How(alpha=alpha, resamples=resamples, seed=seed)
    asked = {name: more.pop(name) for name in ("baseline", "test", "correct")}
    base, recipes = asked_for(measures or None, like, more)
    if output != "-":
        form_of(output, _FORMS)
    refuse_two_pipes(judgments, *runs, topics)
    beside = None if output == "-" else Path(output).with_name(f"{Path(output).stem}-values.csv")
    inputs = (judgments, *runs, *([] if topics is None else [topics]))
    refuse_overwriting(output, inputs)
    refuse_overwriting(None if beside is None else str(beside), inputs, "the file beside")
    baseline_of(asked["baseline"], names_of(runs), "run")  # before anything is read
    correction_for(asked["test"], asked["correct"], NAMES)
    ready()
    texts = None if topics is None else read_texts(topics)
    held = read_judgments(judgments, judgments_format)
    found = list(evaluated(held, runs, run_format, recipes, base))
    name = None if beside is None else beside.name
    made = drawn(held, found, resampling=how, texts=texts, title=title, beside=name, **asked)
    delivered(made.page, output)
    if made.values is not None and beside is not None:
        put(beside, made.values + "\n")
    if output != "-":
        told = "" if made.values is None else f", and all values to {beside}"
        click.echo(f"gainful: wrote {output}{told}", err=True)
