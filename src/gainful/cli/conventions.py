"""`gainful conventions`: what each tool does, in plain words."""

from __future__ import annotations

import click

from gainful.api.conventions import conventions as describe_conventions
from gainful.cli.command import command
from gainful.cli.declare import own_option
from gainful.cli.options import PRINT_TEXT, options
from gainful.cli.output import choose_form, deliver


@command(short_help="What does a tool do, in plain words?")
@click.argument("name", required=False)
@own_option("--diff", "other", metavar="OTHER", help="Only what NAME does differently from OTHER.")
@options(*PRINT_TEXT)
def conventions(name: str | None, other: str | None, form: str | None, output: str | None) -> None:
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
    form = choose_form(form, output, piped="table")
    deliver(describe_conventions(name, other).page(), form, output)
