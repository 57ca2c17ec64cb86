"""`gainful measures`: what can be computed."""

from __future__ import annotations

from gainful.api.measures import measures as describe_measures
from gainful.cli.answer import argument, command
from gainful.cli.options import PRINT_TEXT
from gainful.cli.streams import say
from gainful.page.page import Page


@command(
    argument("[NAME]"),
    *(*PRINT_TEXT, "plugin"),
    piped="table",
)
def measures(*, name: str | None) -> Page:
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
        say(warning)
    return page
