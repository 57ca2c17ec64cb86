"""`gainful check`: is anything wrong with these files?"""

from __future__ import annotations

import click

from gainful.api.check import check as check_files
from gainful.cli.command import PATH, command
from gainful.cli.options import PRINT_TEXT, option, options
from gainful.cli.output import choose_form, deliver, refuse_overwriting


@command(short_help="Is anything wrong with these files?")
@click.argument("files", nargs=-1, required=True, type=PATH)
@option(
    "sessions_format",
    help="What is no judgments is sessions in this format (runs with turns: conversation).",
)
@options("columns", "tool", *PRINT_TEXT)
def check(
    files: tuple[str, ...],
    *,
    sessions_format: str | None,
    columns: dict[str, tuple[str, ...]] | None,
    tool: tuple[str, ...],
    form: str | None,
    output: str | None,
) -> int:
    """Is anything wrong with FILES, judgments, runs or sessions, by themselves and together?

    Reports malformed lines, duplicates, scores that are no numbers, ties, scores that contradict
    ranks, queries on one side only, grades, and the share of unjudged documents; of sessions also
    positions and ranks that are missing or repeated, lengths, documents shown again, clicks, and
    topics without judgments. Exit status 1 if anything is wrong.

    \b
    Examples:
      gainful check qrels.txt
      gainful check qrels.txt bm25.txt dense.txt.gz
      gainful check sessions.xml qrels.txt
      gainful check cast.run qrels.txt --sessions-format conversation
      gainful check run.txt --format json
    """
    form = choose_form(form, output, piped="table")
    refuse_overwriting(output, files)
    report = check_files(*files, sessions_format=sessions_format, columns=columns, tool=tool)
    deliver(report.page(), form, output)
    return 0 if report.ok else 1
