"""`gainful check`: is anything wrong with these files?"""

from __future__ import annotations

from typing import Any

from gainful.api.check import check as check_files
from gainful.cli.answer import argument, command
from gainful.cli.options import PRINT_TEXT, option
from gainful.page.shown import Shown


@command(
    argument("FILES..."),
    option(
        "sessions_format", "Format of the sessions among FILES (runs with turns: conversation)."
    ),
    *("columns", "tool", "gap", "events", "topics", "pages", *PRINT_TEXT),
    piped="table",
)
def check(*, files: tuple[str, ...], **options: Any) -> tuple[Shown, int]:
    """Is anything wrong with these FILES (judgments, runs, sessions), alone or together?

    Reports malformed lines, duplicates, scores that are not numbers, ties, scores that contradict
    ranks, queries on one side only, grades, and the share of unjudged documents. For sessions it
    also reports positions and ranks that are missing or repeated, lengths, documents shown again,
    clicks, and topics without judgments. Exit status 1 if anything is wrong.

    \b
    Examples:
      gainful check qrels.txt
      gainful check qrels.txt bm25.txt dense.txt.gz
      gainful check sessions.xml qrels.txt
      gainful check cast.run qrels.txt --sessions-format conversation
      gainful check run.txt --format json
    """
    report = check_files(*files, **options)
    return report, 0 if report.ok else 1
