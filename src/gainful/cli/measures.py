"""`gainful measures`: what can be computed."""

from __future__ import annotations

import click

from gainful.api.measures import measures as describe_measures
from gainful.cli.command import command
from gainful.cli.options import PRINT_TEXT, options
from gainful.cli.output import choose_form, deliver
from gainful.cli.streams import say


@command(short_help="What can be computed, and what do its options mean?")
@click.argument("name", required=False)
@options(*PRINT_TEXT, "plugin")
def measures(name: str | None, form: str | None, output: str | None) -> None:
    """What can be computed: all measures, gains and discounts, or all about one NAME.

    NAME may also be an option, such as ties or negative: what its values mean.

    \b
    Examples:
      gainful measures
      gainful measures nDCG
      gainful measures jk2008
      gainful measures ties
      gainful measures --format json
    """
    form = choose_form(form, output, piped="table")
    page = describe_measures(name).page()
    for warning in page.warnings:  # of other packages that fail
        say(warning)
    deliver(page, form, output)
