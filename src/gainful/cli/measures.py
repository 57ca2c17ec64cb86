"""`gainful measures`: what can be computed."""

from __future__ import annotations

import click

from gainful.cli.options import format_option, plugin_option
from gainful.cli.output import print_in_form, terminal
from gainful.measure.plugins import load_entry_points
from gainful.show import measures as show


@click.command(short_help="What can be computed, and what do its options mean?")
@click.argument("name", required=False)
@plugin_option()
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
    for failure in load_entry_points():
        click.echo(f"gainful: {failure}", err=True)
    print_in_form(
        form,
        table=lambda: show.to_text(name, terminal=terminal()),
        markdown=lambda: show.to_markdown(name),
        data=lambda: show.to_dict(name),
    )
