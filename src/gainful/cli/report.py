"""`gainful report`: one page about these runs, or sessions, to hand over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gainful.api.report import report as report_runs
from gainful.api.report_sessions import report as report_sessions
from gainful.cli.command import PATH, command
from gainful.cli.inputs import name_runs, refuse_two_pipes
from gainful.cli.options import CHOOSE_SESSIONS, CONVENTION, READ_RUNS, RESAMPLING, option, options
from gainful.cli.output import deliver_document, refuse_other_than_html, refuse_overwriting
from gainful.cli.study_inputs import (
    ALL_TESTS,
    BLOCK,
    SESSION_QRELS,
    declare_sessions,
    refuse_study_options,
    take_study,
)
from gainful.convention import SETTINGS
from gainful.evidence.comparisons.study import SYSTEM
from gainful.show.pages.report import Report

_WEIGHING = ("baseline", "test", "correct", "family", "cluster", "alpha", "resamples", "seed")


@command(short_help="One page about these runs or sessions, to hand over.")
@click.argument("qrels", required=False, type=PATH)
@click.argument("runs", nargs=-1, metavar="RUN...", type=PATH)
@options("measures")
@option("output", group="", required=True, help="The page: FILE.html.")
@option("title", help="What the page is called.")
@option(
    "topics",
    group="",
    help="What the queries say: lines of query, tab, text; or CSV or JSON lines with both. With "
    "--sessions: lines of session and topic, whose judgments count.",
)
@declare_sessions("A page about whole sessions instead; several files are several systems.")
@SESSION_QRELS
@option("by", metavar="COLUMN", help=f"With --sessions: what names the system. [{SYSTEM}]")
@options("baseline")
@option(
    "test",
    type=click.Choice(ALL_TESTS),
    default=None,
    show_default=False,
    help="How evidence is weighed. [randomisation; with --sessions by the design]",
)
@options("correct", "family", "cluster", *RESAMPLING, BLOCK, *READ_RUNS, *CONVENTION)
@options(*(name for name in CHOOSE_SESSIONS if name != "topics"))
def report(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    output: str,
    title: str | None,
    sessions: str | None,
    **options: Any,
) -> None:
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
    refuse_other_than_html(output)
    page = Path(output)
    values_path = None if output == "-" else str(page.with_name(f"{page.stem}-values.csv"))
    naming = {
        "title": title,
        "values_file": None if values_path is None else Path(values_path).name,
    }
    outputs = {"-o": output, "the file beside": values_path}
    if sessions is None:
        document = _report_runs(qrels, runs, outputs, options, naming)
    else:
        document = _report_sessions(sessions, (qrels, *runs), outputs, options, naming)
    has_values = document.values_csv is not None and values_path is not None
    beside = {str(values_path): f"{document.values_csv}\n"} if has_values else {}
    deliver_document(document, output, beside)


def _report_runs(
    qrels: str | None,
    runs: tuple[str, ...],
    outputs: Mapping[str, str | None],
    options: Mapping[str, Any],
    naming: Mapping[str, Any],
) -> Report:
    """A page about runs."""
    refuse_study_options(options, shared=("topics",))
    if qrels is None or not runs:
        raise click.UsageError(
            "name QRELS and a run or more: gainful report QRELS RUN… (or --sessions FILE)"
        )
    topics = options["topics"]
    refuse_two_pipes(qrels, *runs, topics)
    for flag, output in outputs.items():
        refuse_overwriting(output, (qrels, *runs, topics), flag)
    names = (*_WEIGHING, "like", "qrels_format", "run_format", "columns", *SETTINGS)
    return report_runs(
        qrels,
        name_runs(runs),
        options["measures"] or None,
        texts=topics,
        **{name: options[name] for name in names} | {"test": options["test"] or "randomisation"},
        **naming,
    )


def _report_sessions(
    sessions: str,
    words: tuple[str | None, ...],
    outputs: Mapping[str, str | None],
    options: Mapping[str, Any],
    naming: Mapping[str, Any],
) -> Report:
    """A page about the sessions of one system or several."""
    study = take_study(sessions, words, outputs, options)
    weighing = {name: options[name] for name in _WEIGHING}
    return report_sessions(
        study.files, study.qrels, study.measures, **study.options | weighing, **naming
    )
