"""`gainful report`: one page about these runs, or sessions, to hand over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gainful.api.report import report as report_runs, report_sessions
from gainful.cli.answer import argument, command, deliver_document, refuse_overwriting
from gainful.cli.command import PATH
from gainful.cli.options import (
    CHOOSE_SESSIONS,
    CONVENTION,
    READ_RUNS,
    RESAMPLING,
    Row,
    option,
    refuse_idle_options,
)
from gainful.cli.study import ask, take_sessions
from gainful.evidence.method import MethodOptions


@command(
    argument("[QRELS]"),
    argument("RUN..."),
    "measures",
    option("output", "The page: FILE.html.", group="", required=True),
    option("title", "Title of the page."),
    "group",
    option("queries", "The queries: CSV, TSV or JSON lines with query, text and attributes."),
    Row("--documents FILE", "Texts of the documents, likewise with doc and text.", type=PATH),
    *take_sessions("A page about whole sessions instead; several files are several systems."),
    *("baseline", "any_test", "correct", "family", "cluster", *RESAMPLING, "block"),
    *(*READ_RUNS, *CONVENTION, *CHOOSE_SESSIONS),
    piped="html",
)
def report(*, output: str, title: str | None, **options: Any) -> None:
    """Make one HTML page about each RUN by these QRELS, to open from disk, send or print.

    The page shows the comparison with its evidence, plots, the values of every query and, for one
    query at a time, the runs side by side: grades, gain × discount, the ideal, what moved. It is a
    single file that loads nothing. With more than 500 queries, it shows only some of them rank by
    rank, and says so; all values are then written to FILE-values.csv.

    With --sessions the page is about whole sessions: systems compared by conversation, searcher or
    session, as gainful compare does; the gain of sessions query by query, which system is better
    for which searcher, and every session with the gain of its queries.

    Needs these packages: pip install altair vl-convert-python jinja2

    Exit status: 0 done, 2 invalid input or options.

    \b
    Examples:
      gainful report qrels.txt run.txt -o report.html
      gainful report qrels.txt bm25.txt dense.txt -m nDCG@10 -o report.html
      gainful report qrels.txt *.run --queries queries.tsv -o report.html
      gainful report --sessions study.csv --qrels q.txt -o report.html
      gainful report --sessions a.run b.run --qrels q.txt -o report.html
      gainful report --sessions log.csv --by variant -o report.html
    """
    page = Path(output)
    values = None if output == "-" else page.with_name(f"{page.stem}-values.csv")
    if values is not None:
        refuse_overwriting(str(values), "the file beside")
    naming: dict[str, Any] = {
        "title": title,
        "values_file": None if values is None else values.name,
    }
    if options["sessions"] is None:
        refuse_idle_options(("topics",), "is now --queries: --queries FILE")
        naming["documents"] = options.pop("documents")
    else:
        refuse_idle_options(("documents",), "applies to runs only")
    document = ask(report_runs, report_sessions, options, MethodOptions.__annotations__, **naming)
    has_values = document.values_csv is not None and values is not None
    deliver_document(
        document, output, {str(values): f"{document.values_csv}\n"} if has_values else {}
    )
