"""`gainful check`: is anything wrong with these files?"""

from __future__ import annotations

import json

import click

from gainful.cli.arguments import format_option
from gainful.cli.output import delivered
from gainful.cli.progress import progress
from gainful.show import check as show


@click.command(short_help="Is anything wrong with these files?")
@click.argument("files", nargs=-1, required=True)
@format_option("table", "json")
def check(files: tuple[str, ...], form: str) -> int:
    """Is anything wrong with FILES, judgments or runs, by themselves and together?

    Reports malformed lines, duplicates, scores that are no numbers, ties, scores that contradict
    ranks, queries on one side only, grades, and the share of unjudged documents. Exit status 1
    if anything is wrong.

    \b
    Examples:
      gainful check qrels.txt
      gainful check qrels.txt bm25.txt dense.txt.gz
      gainful check run.txt --format json
    """
    with progress(files) as advanced:
        found = show.findings(files, advanced)
    data = show.to_dict(found)
    text = (
        show.to_text(found) if form == "table" else json.dumps(data, indent=2, ensure_ascii=False)
    )
    delivered(text, None)
    return 0 if data["ok"] else 1
