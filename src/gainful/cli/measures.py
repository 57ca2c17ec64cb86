"""`gainful measures`: what can be computed."""

from __future__ import annotations

import json

import click

from gainful.cli.arguments import format_option, terminal
from gainful.show import measures as show


@click.command(short_help="What can be computed, and what do its options mean?")
@click.argument("name", required=False)
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
    if form == "json":
        found = show.one_dict(name) if name else show.overview_dict()
        text = json.dumps(found, indent=2, ensure_ascii=False)
    elif form == "markdown":
        text = show.one_markdown(name) if name else show.overview_markdown()
    elif name:
        text = show.one_text(name, terminal=terminal())
    else:
        text = show.overview_text(terminal=terminal())
    click.echo(text, color=True)
