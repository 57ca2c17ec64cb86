"""`gainful conventions`: what each tool does, in plain words."""

from __future__ import annotations

import click

from gainful.api.measures import conventions as describe_conventions
from gainful.cli.answer import argument, command
from gainful.cli.options import PRINT_TEXT, Row
from gainful.page.shown import Shown


@command(
    argument("[NAME]"),
    Row("--diff other OTHER", "Only what NAME does differently from OTHER."),
    *PRINT_TEXT,
    piped="table",
)
def conventions(*, name: str | None, other: str | None) -> Shown:
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
    return describe_conventions(name, other)
