"""`gainful conventions`: what each tool does, in plain words."""

from __future__ import annotations

import click

from gainful.cli.arguments import format_option
from gainful.cli.output import printed, terminal
from gainful.convention import like
from gainful.show import convention as show, table as tables
from gainful.show.table import Table


@click.command(short_help="What does a tool do, in plain words?")
@click.argument("name", required=False)
@click.option(
    "--diff", "other", metavar="OTHER", help="Only what NAME does differently from OTHER."
)
@format_option("table", "markdown", "json")
def conventions(name: str | None, other: str | None, form: str) -> None:
    """What does a tool do in every situation? All of them, one NAME, or the difference of two.

    \b
    Examples:
      gainful conventions
      gainful conventions trec_eval
      gainful conventions sklearn --diff trec_eval
      gainful conventions --format json
    """
    if name is None and other is not None:
        raise click.UsageError("--diff needs two names: gainful conventions NAME --diff OTHER")
    one = None if name is None else like(name)
    second = None if other is None else like(other)
    width = terminal().width if form == "table" else None
    head, table = show.heading(one, second), show.table(one, second, width)
    printed(
        form,
        table=lambda: _below(head, tables.to_text(table, terminal=terminal()), table),
        markdown=lambda: _below(head, tables.to_markdown(table), table),
        data=lambda: show.to_dict(one, second),
    )


def _below(heading: str, text: str, table: Table) -> str:
    return f"{heading}\n\n{text}" if table.rows else heading
