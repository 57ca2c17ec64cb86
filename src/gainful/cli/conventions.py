"""`gainful conventions`: what each tool does, in plain words."""

from __future__ import annotations

import json
from typing import Any

import click

from gainful.cli.arguments import format_option, terminal
from gainful.convention import CONVENTIONS, Convention, like
from gainful.measure import nDCG, recipe
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
    if name is None:
        if other is not None:
            raise click.UsageError("--diff needs two names: gainful conventions NAME --diff OTHER")
        heading, table, data = _all()
    elif other is None:
        heading, table, data = _one(like(name))
    else:
        heading, table, data = _difference(like(name), like(other))
    if form == "json":
        text = json.dumps(data, indent=2, ensure_ascii=False)
    elif form == "markdown":
        text = f"{heading}\n\n{tables.to_markdown(table)}" if table.rows else heading
    else:
        text = (
            f"{heading}\n\n{tables.to_text(table, terminal=terminal())}" if table.rows else heading
        )
    click.echo(text, color=True)


def _all() -> tuple[str, Table, dict[str, Any]]:
    heading = f"{len(CONVENTIONS)} conventions; gainful conventions NAME tells one in plain words."
    data = {name: _data(convention) for name, convention in CONVENTIONS.items()}
    return heading, show.overview(), data


def _one(convention: Convention) -> tuple[str, Table, dict[str, Any]]:
    note = f"\nNote: {convention.note}." if convention.note else ""
    table = show.described(recipe(nDCG, like_whom=convention))
    plain = Table(
        ("question", "answer"), [(question, answer) for _, question, answer in table.rows]
    )
    return f"{convention.name}: {convention.title}{note}", plain, _data(convention)


def _difference(one: Convention, other: Convention) -> tuple[str, Table, dict[str, Any]]:
    table = show.difference(one, other)
    differing = one.differences(other)
    count = len(table.rows)
    found = "nothing" if not count else f"{count} habit{'s' if count > 1 else ''}"
    data = {name: {one.name: a, other.name: b} for name, (a, b) in differing.items()}
    return f"{one.name} and {other.name} differ in {found}.", table, data


def _data(convention: Convention) -> dict[str, Any]:
    about = {"name": convention.name, "title": convention.title, "note": convention.note}
    return about | convention.settings()
