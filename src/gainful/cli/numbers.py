"""Numbers that are typed: grades (words, commas, or a pipe) and bases of logarithms."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from math import e

import click

from gainful.cli.command import unknown_option
from gainful.errors import BadValue, WrongType
from gainful.text import NUMBER_PATTERN, split_numbers

# nan and inf are numbers to a person who types them; why they are refused is said further in.
_NUMBER = re.compile(rf"{NUMBER_PATTERN}|[+-]?(nan|inf)", re.ASCII | re.IGNORECASE)

# A word that begins with a dash may be a negative grade, so click must not refuse it.
GRADES_SETTINGS = {"ignore_unknown_options": True}


def parse_numbers(words: Iterable[str], argument: str) -> list[float]:
    """The numbers in some words; a word that is none is an error that says so."""
    words = list(words)
    if words == ["-"]:
        words = _read_stdin(argument).split()
    parsed = []
    for word in split_numbers(" ".join(words)):
        if not _NUMBER.fullmatch(word.strip()):
            raise _number_error(word.strip(), argument)
        parsed.append(float(word))
    return parsed


def _read_stdin(argument: str) -> str:
    """All that comes through the pipe."""
    if sys.stdin is None:
        raise BadValue(argument, "-", "numbers, or - with something to read from")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise BadValue(argument, "no text", "numbers in UTF-8 text") from None


def _number_error(word: str, argument: str) -> Exception:
    if word.startswith("--") and argument == "grades":
        command = click.get_current_context().command
        if any(word in param.opts for param in command.params):
            return click.UsageError(f"{word} stands behind --; options go before it")
        return unknown_option(command, word)
    return WrongType(argument, word, "numbers, such as 3 2 3 0 1 2")


def parse_base(_: object, parameter: click.Parameter, text: str | None) -> float | None:
    """The base of a logarithm: a number, or e."""
    if text is None:
        return None
    if text != "e" and not _NUMBER.fullmatch(text):
        raise WrongType(str(parameter.name), text, "a number above 1, or e")
    return e if text == "e" else float(text)
