"""What is typed behind options: numbers, bases of logarithms, M=V, name=value."""

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


Bounds = list[tuple[str, float]]


def parse_bounds(_: object, parameter: click.Parameter, texts: tuple[str, ...]) -> Bounds:
    """MEASURE=VALUE: split at the last =, as a measure may hold others."""
    bounds: Bounds = []
    for text in texts:
        measure, _, value = (part.strip() for part in text.rpartition("="))
        if not measure or not re.fullmatch(NUMBER_PATTERN, value, re.ASCII):
            example = "MEASURE=VALUE, such as nDCG@10=0.45"
            raise BadValue(parameter.opts[0], text, example)
        bounds.append((measure, float(value)))
    return bounds


def parse_differences(
    _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> float | dict[str, float] | None:
    """One number for all measures, or MEASURE=VALUE for some."""
    if len(texts) == 1 and re.fullmatch(NUMBER_PATTERN, texts[0].strip(), re.ASCII):
        return float(texts[0])
    return dict(parse_bounds(_, parameter, texts)) or None


def parse_pairs(
    allowed: str, _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """What is mine, and the names that may be meant by it: query=user,doc=item."""
    pairs: dict[str, tuple[str, ...]] = {}
    for pair in (part for text in texts for part in text.split(",")):
        role, equals, name = (word.strip() for word in pair.partition("="))
        if not role or not (name or (equals and role == "grade")):  # judgments may have none
            raise BadValue(parameter.opts[0], pair, allowed)
        pairs[role] = (*pairs.get(role, ()), *filter(None, [name]))
    return pairs or None


def parse_conditions(where: tuple[str, ...]) -> dict[str, str]:
    """COLUMN=VALUE, one of each column."""
    conditions = {}
    for condition in where:
        column, equals, value = (part.strip() for part in condition.partition("="))
        if not equals:
            raise BadValue("where", condition, "COLUMN=VALUE, such as scenario=D")
        if column in conditions:
            raise BadValue("where", condition, f"one condition on {column}")
        conditions[column] = value
    return conditions


def split_columns(texts: Iterable[str]) -> list[str]:
    """The names in --by a,b --by c."""
    return [part.strip() for text in texts for part in text.split(",")]
