"""`gainful report`: one page about these runs, to hand over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gainful.api.report import report as build_report
from gainful.cli.command import PATH, command
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.options import CONVENTION, READ_RUNS, RESAMPLING, option, options
from gainful.cli.output import deliver_document, refuse_other_than_html, refuse_overwriting


@command(short_help="One page about these runs, to hand over.")
@click.argument("qrels", type=PATH)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH)
@options("measures")
@option("output", group="", required=True, help="The page: FILE.html.")
@option("title", help="What the page is called.")
@option(
    "topics",
    group="",
    help="What the queries say: lines of query, tab, text; or CSV or JSON lines with both.",
)
@options("baseline", "test", "correct", "family", "cluster", *RESAMPLING, *READ_RUNS, *CONVENTION)
def report(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    output: str,
    topics: str | None,
    **options: Any,
) -> None:
    """One page about each RUN by these QRELS: to open from disk, to send, to print.

    The comparison with its evidence, plots, every query with its values, and for one query at a
    time the runs side by side: grades, gain × discount, the ideal, what moved. The page is a
    single file that loads nothing. Of more than 500 queries a part is shown rank by rank, which
    the page says; all values are then written beside it, as FILE-values.csv.

    It needs these packages: pip install altair vl-convert-python jinja2

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful report qrels.txt run.txt -o report.html
      gainful report qrels.txt bm25.txt dense.txt -m nDCG@10 -o report.html
      gainful report qrels.txt *.run --topics topics.tsv -o report.html
    """
    refuse_other_than_html(output)
    refuse_two_pipes(qrels, *runs, topics)
    page = Path(output)
    values_path = None if output == "-" else str(page.with_name(f"{page.stem}-values.csv"))
    inputs = (qrels, *runs, *([] if topics is None else [topics]))
    refuse_overwriting(output, inputs)
    refuse_overwriting(values_path, inputs, "the file beside")
    document = build_report(
        qrels,
        name_runs(runs),
        measures or None,
        texts=topics,
        values_file=None if values_path is None else Path(values_path).name,
        **options,
    )
    has_values = document.values_csv is not None and values_path is not None
    beside = {str(values_path): f"{document.values_csv}\n"} if has_values else {}
    deliver_document(document, output, beside)
