"""`gainful conventions`: what each tool does, in plain words."""

from __future__ import annotations

from collections.abc import Callable

import click

from gainful.cli.options import format_option
from gainful.cli.output import print_in_form, terminal
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
    first, second = (None if text is None else _resolve_name(text) for text in (name, other))
    page = terminal() if form == "table" else PLAIN
    parts = show.build_tables(first, second, page.width if form == "table" else None)
    print_in_form(
        form,
        table=lambda: _join_sections(parts, lambda table: tables.to_text(table, terminal=page)),
        markdown=lambda: _join_sections(parts, tables.to_markdown),
        data=lambda: show.to_dict(first, second),
    )


def _resolve_name(name: str) -> str:
    """A name of either table; of neither, the error names the nearest of both."""
    lower = name.lower()
    if lower in SESSION_CONVENTIONS and lower not in CONVENTIONS:
        return lower
    try:
        return like(name).name
    except UnknownName:
        names = (*CONVENTIONS, *SESSION_CONVENTIONS)
        raise UnknownName("convention", name, names, "gainful conventions lists them all") from None


def _join_sections(parts: list[tuple[str, Table]], render: Callable[[Table], str]) -> str:
    """Each table below its heading."""
    sections = (f"{head}\n\n{render(table)}" if table.rows else head for head, table in parts)
    return "\n\n".join(sections)
