"""`gainful measures`: what can be computed."""

from __future__ import annotations

import click

from gainful.api.measures import measures as describe_measures
from gainful.cli.options import format_option, options
from gainful.cli.output import deliver


@click.command(short_help="What can be computed, and what do its options mean?")
@click.argument("name", required=False)
@options("plugin")
@format_option("table", "markdown", "json")
def measures(name: str | None, form: str) -> None:
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
    page = describe_measures(name).page()
    for warning in page.warnings:  # of other packages that fail
        click.echo(f"gainful: {warning}", err=True)
    deliver(page, form)
