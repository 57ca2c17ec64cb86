"""What a command prints: in the form that was asked for, for the terminal that is there."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

import click

from gainful.show.table import PLAIN, Terminal

Writer = Callable[[], Any]


def printed(form: str, *, table: Writer, markdown: Writer, data: Writer, **more: Writer) -> None:
    """Print what was found in the form that was asked for."""
    writers = {"table": table, "markdown": markdown, **more}
    if form == "json":
        text = json.dumps(data(), indent=2, ensure_ascii=False, allow_nan=False)
    else:
        text = writers[form]()
    click.echo(text, color=True)


def written(text: str, end: str = "\n") -> None:
    """Print text as it is."""
    click.echo(text + end, nl=False)


def terminal() -> Terminal:
    """The terminal that is printed to, or the plain page that a pipe is."""
    if sys.stdout is None or not sys.stdout.isatty():
        return PLAIN
    columns = shutil.get_terminal_size().columns
    return Terminal(width=columns, colour=not os.environ.get("NO_COLOR"))
