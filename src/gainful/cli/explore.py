"""`gainful explore`: a page in which the searcher can be changed while one looks."""

from __future__ import annotations

from typing import Any

import click

from gainful.cli.options import session_setting_options
from gainful.cli.output import deliver_text, refuse_overwriting
from gainful.cli.session_reading import READING_PARAMETERS, load_sessions, session_reading_options
from gainful.read.formats import read_qrels
from gainful.show.pages.explore import DEFAULT_MEASURE, explore as build_page


@click.command(short_help="What would another searcher say of these sessions?")
@click.argument("file")
@click.option("--qrels", metavar="QRELS", help="Judgments by topic. [the column grade of FILE]")
@click.option(
    "-m",
    "--measure",
    default=DEFAULT_MEASURE,
    show_default=True,
    help="What the page begins with: sDCG or nsDCG, such as 'nsDCG(b=2, bq=4)@10'.",
)
@click.option("--by", metavar="COLUMN", help="Which groups are compared first. [system]")
@click.option("--title", help="Of the page.")
@click.option("-o", "--output", metavar="PAGE.html", required=True, help="Where the page goes.")
@session_reading_options()
@session_setting_options()
def explore(
    file: str,
    *,
    qrels: str | None,
    measure: str,
    by: str | None,
    title: str | None,
    output: str,
    qrels_format: str | None,
    like: str | None,
    **options: Any,
) -> None:
    """Make a page of the sessions in FILE, with sliders for the searcher who judges them.

    The page is one file that loads nothing: open it in a browser. b, bq, the number of results
    that count, the weight of each grade and what the paper of 2008 leaves open can be changed;
    mean curves, single sessions, last queries and the means of groups follow at once, and the
    command that computes the same is there to copy.

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful explore sessions.csv --qrels qrels.txt -o page.html
      gainful explore sessions.csv --qrels qrels.txt --by scenario -o page.html
      gainful explore sessions.csv --qrels qrels.txt -m 'sDCG(b=10)@5' -o page.html
    """
    if not output.lower().endswith((".html", ".htm")) and output != "-":
        raise click.UsageError(f"-o {output}: a page is HTML; end its name in .html")
    if file == "-" == qrels:
        raise click.UsageError("only one file can be - (standard input)")
    reading = {name: options.pop(name) for name in READING_PARAMETERS}
    refuse_overwriting(output, tuple(path for path in (file, qrels, reading["topics"]) if path))
    text = build_page(
        load_sessions(file, **reading),
        read_qrels(qrels, qrels_format) if qrels else None,
        measure,
        by=by,
        title=title,
        like=like,
        command=_command_words(file, qrels, qrels_format, reading),
        **options,
    )
    deliver_text(text, output)
    if output != "-":
        click.echo(f"gainful: wrote {output}", err=True)


def _command_words(
    file: str, qrels: str | None, qrels_format: str | None, reading: dict[str, Any]
) -> list[str]:
    """The words by which `gainful sessions` reads the same; the page adds the others."""
    words = [file] + ([] if qrels is None else ["--qrels", qrels])
    options = {"qrels_format": qrels_format, **reading}
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "where":
            words += [word for condition in value for word in (option, condition)]
        elif name == "skip_bad":
            words += [option] if value else []
        elif value is not None:
            words += [option, str(value)]
    return words
