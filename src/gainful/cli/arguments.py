"""Grades typed on a command line: separate words, comma-separated, or from a pipe (`-`)."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from math import e
from typing import Any

import click

from gainful.convention import CONVENTIONS
from gainful.errors import BadValue, WrongType
from gainful.show.table import PLAIN, Terminal

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# A word that begins with a dash may be a negative grade, so click must not refuse it.
GRADES_SETTINGS = {"ignore_unknown_options": True}


def numbers(words: Iterable[str], argument: str) -> list[float]:
    """The numbers in some words; a word that is none is an error that says so."""
    words = list(words)
    if words == ["-"]:
        words = sys.stdin.read().split()
    found = []
    for word in (part for text in words for part in text.replace(",", " ").split()):
        try:
            found.append(float(word))
        except ValueError:
            raise _refused(word, argument) from None
    if not found:
        raise BadValue(argument, "", "at least one number")
    return found


def _refused(word: str, argument: str) -> Exception:
    if not word.startswith("-"):
        return WrongType(argument, word, "numbers, such as 3 2 3 0 1 2")
    context = click.get_current_context()
    known = [name for param in context.command.params for name in param.opts]
    near = get_close_matches(word, known, n=1)
    advice = (
        f"did you mean {near[0]}?" if near else f"gainful {context.info_name} --help lists them"
    )
    return click.UsageError(f"no option {word!r}; {advice}")


def format_option(*formats: str) -> Decorator:
    """`--format`, the first being the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print it.",
    )


def like_option() -> Decorator:
    """`--like`: whose habits to follow."""
    few = "trec_eval, sklearn, quepid, wikipedia"
    return click.option(
        "--like",
        metavar="NAME",
        help=f"Compute as a tool or source does: {few}, … "
        f"({len(CONVENTIONS)} are known; gainful conventions lists them).",
    )


def terminal() -> Terminal:
    """The terminal that is printed to, or the plain page that a pipe is."""
    if not sys.stdout.isatty():
        return PLAIN
    columns = shutil.get_terminal_size().columns
    return Terminal(width=columns, colour=not os.environ.get("NO_COLOR"))


def base(_: object, __: object, text: str | None) -> float | None:
    """The base of a logarithm: a number, or e."""
    if text is None:
        return None
    return e if text == "e" else numbers([text], "b")[0]
