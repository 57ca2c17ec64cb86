"""`gainful measures`: what can be computed; `gainful conventions`: what does each tool do?"""

from __future__ import annotations

import click

from gainful.api import measures as api
from gainful.cli.answer import argument, command
from gainful.cli.options import PRINT_TEXT, Row
from gainful.cli.streams import say
from gainful.page.page import Page
from gainful.page.shown import Shown


@command(argument("[NAME]"), *(*PRINT_TEXT, "plugin"), piped="table")
def measures(*, name: str | None) -> Page:
    """What can be computed? Lists all measures, gains and discounts, or explains one NAME.

    NAME may also be an option, such as ties or negative.

    \b
    Examples:
      gainful measures
      gainful measures nDCG
      gainful measures jk2008
      gainful measures ties
      gainful measures --format json
    """
    page = api.measures(name).page()
    for warning in page.warnings:  # of other packages that fail
        say(warning)
    return page


@command(
    argument("[NAME]"),
    Row("--diff other OTHER", "Only what NAME does differently from OTHER."),
    *PRINT_TEXT,
    piped="table",
)
def conventions(*, name: str | None, other: str | None) -> Shown:
    """What does a tool do in every situation? Lists all tools, one NAME, or how two differ.

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
    return api.conventions(name, other)
