"""`gainful report`: one page about these runs, or sessions, to hand over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gainful.api.report import report as report_runs, report_sessions
from gainful.cli.answer import argument, command, deliver_document, refuse_overwriting
from gainful.cli.options import CHOOSE_SESSIONS, CONVENTION, READ_RUNS, RESAMPLING, option
from gainful.cli.study import RUN_OPTIONS, SESSIONS, refuse_study_options, select, take_study
from gainful.evidence.method import MethodOptions
from gainful.show.pages.report import Report


@command(
    argument("[QRELS]"),
    argument("RUN..."),
    "measures",
    option("output", "The page: FILE.html.", group="", required=True),
    option("title", "What the page is called."),
    option(
        "topics",
        "What the queries say: lines of query, tab, text; or CSV or JSON lines with both. With "
        "--sessions: lines of session and topic, whose judgments count.",
        group="",
    ),
    *SESSIONS("A page about whole sessions instead; several files are several systems."),
    *("baseline", "any_test", "correct", "family", "cluster", *RESAMPLING, "block"),
    *(*READ_RUNS, *CONVENTION, *(name for name in CHOOSE_SESSIONS if name != "topics")),
    piped="html",
)
def report(*, output: str, title: str | None, **options: Any) -> None:
    """One page about each RUN by these QRELS: to open from disk, to send, to print.

    The comparison with its evidence, plots, every query with its values, and for one query at a
    time the runs side by side: grades, gain × discount, the ideal, what moved. The page is a
    single file that loads nothing. Of more than 500 queries a part is shown rank by rank, which
    the page says; all values are then written beside it, as FILE-values.csv.

    With --sessions the page is about whole sessions: systems compared by conversation, searcher or
    session, as gainful compare does; what sessions bring query after query, who is better for
    which searcher, and every session with what its queries brought.

    It needs these packages: pip install altair vl-convert-python jinja2

    Exit status: 0 done, 2 something is wrong with what was given.

    \b
    Examples:
      gainful report qrels.txt run.txt -o report.html
      gainful report qrels.txt bm25.txt dense.txt -m nDCG@10 -o report.html
      gainful report qrels.txt *.run --topics topics.tsv -o report.html
      gainful report --sessions study.csv --qrels q.txt -o report.html
      gainful report --sessions a.run b.run --qrels q.txt -o report.html
      gainful report --sessions log.csv --by variant -o report.html
    """
    page = Path(output)
    values = None if output == "-" else page.with_name(f"{page.stem}-values.csv")
    if values is not None:
        refuse_overwriting(str(values), "the file beside")
    naming = {"title": title, "values_file": None if values is None else values.name}
    build = _report_runs if options["sessions"] is None else _report_sessions
    document = build(options, naming)
    has_values = document.values_csv is not None and values is not None
    deliver_document(
        document, output, {str(values): f"{document.values_csv}\n"} if has_values else {}
    )


def _report_runs(options: Mapping[str, Any], naming: Mapping[str, Any]) -> Report:
    """A page about runs."""
    refuse_study_options(shared=("topics",))
    if options["qrels"] is None or not options["runs"]:
        raise click.UsageError(
            "name QRELS and a run or more: gainful report QRELS RUN… (or --sessions FILE)"
        )
    chosen = select(options, (*MethodOptions.__annotations__, *RUN_OPTIONS))
    return report_runs(
        options["qrels"],
        options["runs"],
        options["measures"],
        texts=options["topics"],
        **chosen,
        **naming,
    )


def _report_sessions(options: Mapping[str, Any], naming: Mapping[str, Any]) -> Report:
    (sessions, qrels, measures), shared = take_study(options)
    chosen = shared | select(options, MethodOptions.__annotations__)
    return report_sessions(sessions, qrels, measures, **chosen, **naming)
