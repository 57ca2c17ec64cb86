"""`gainful conventions`: what each tool does, in plain words."""

from __future__ import annotations

from collections.abc import Callable

import click

from gainful.cli.options import format_option
from gainful.cli.output import printed, terminal
from gainful.convention import CONVENTIONS, like
from gainful.convention.session import SESSION_CONVENTIONS
from gainful.errors import UnknownName
from gainful.show import convention as show, table as tables
from gainful.show.table import PLAIN, Table


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
      gainful conventions kanoulas2011 --diff jk2008
      gainful conventions --format json
    """
    if name is None and other is not None:
        raise click.UsageError("--diff needs two names: gainful conventions NAME --diff OTHER")
    one, second = (None if text is None else _known(text) for text in (name, other))
    page = terminal() if form == "table" else PLAIN
    parts = show.parts(one, second, page.width if form == "table" else None)
    printed(
        form,
        table=lambda: _below(parts, lambda table: tables.to_text(table, terminal=page)),
        markdown=lambda: _below(parts, tables.to_markdown),
        data=lambda: show.to_dict(one, second),
    )


def _known(name: str) -> str:
    """A name of either table; of neither, the error names the nearest of both."""
    lower = name.lower()
    if lower in SESSION_CONVENTIONS and lower not in CONVENTIONS:
        return lower
    try:
        return like(name).name
    except UnknownName:
        known = (*CONVENTIONS, *SESSION_CONVENTIONS)
        raise UnknownName("convention", name, known, "gainful conventions lists them all") from None


def _below(parts: list[tuple[str, Table]], rendered: Callable[[Table], str]) -> str:
    """Each table below its heading."""
    told = (f"{head}\n\n{rendered(table)}" if table.rows else head for head, table in parts)
    return "\n\n".join(told)
