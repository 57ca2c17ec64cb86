"""What is typed on a command line: grades (words, commas, or a pipe) and shared options."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from math import e
from typing import Any

import click
from click.core import ParameterSource

from gainful.convention import CONVENTIONS, SETTINGS, Setting
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_SETTINGS
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.evidence.statistics.resampling import ALPHA, RESAMPLES, SEED
from gainful.formula import NUMBER_PATTERN
from gainful.measure import DISCOUNTS, GAINS
from gainful.measure.plugins import load_plugin

# nan and inf are numbers to a person who types them; why they are refused is said further in.
_NUMBER = re.compile(rf"{NUMBER_PATTERN}|[+-]?(nan|inf)", re.ASCII | re.IGNORECASE)

PLUGINS = "gainful.plugins"  # where a command finds what plug-ins were named
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# A word that begins with a dash may be a negative grade, so click must not refuse it.
GRADES_SETTINGS = {"ignore_unknown_options": True}


def parse_numbers(words: Iterable[str], argument: str) -> list[float]:
    """The numbers in some words; a word that is none is an error that says so."""
    words = list(words)
    if words == ["-"]:
        words = _read_stdin(argument).split()
    parsed = []
    for word in (part for text in words for part in text.split(",")):
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
        option_names = [
            name for param in click.get_current_context().command.params for name in param.opts
        ]
        if word in option_names:
            return click.UsageError(f"{word} stands behind --; options go before it")
        return UnknownName("option", word, [name for name in option_names if name.startswith("--")])
    return WrongType(argument, word, "numbers, such as 3 2 3 0 1 2")


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


def setting_options(*names: str) -> Decorator:
    """An option for each of these habits, from the table of habits."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = _setting_option(name)(command)
        return command

    return decorate


def _setting_option(name: str) -> Decorator:
    setting = SETTINGS[name]
    option = "--" + name.replace("_", "-")
    if setting.answers:
        answers = "|".join(str(answer) for answer in setting.answers)
        return click.option(
            option, name, callback=_parse_answer, metavar=answers, help=setting.question
        )
    kinds: dict[str, dict[str, Any]] = {
        "gain": {"metavar": "NAME", "help": f"{', '.join(GAINS)}, or weights: 0:0,1:1,2:10,3:100."},
        "discount": {"metavar": "NAME", "help": f"{', '.join(DISCOUNTS)}."},
        "b": {
            "metavar": "BASE",
            "callback": parse_base,
            "help": "Base of the discount's logarithm, or e.",
        },
        "rel": {"metavar": "G", "type": float, "help": setting.question},
        "max_grade": {"metavar": "G", "type": float, "help": setting.question},
    }
    return click.option(
        option, name, **kinds.get(name, {"type": int, "metavar": "N", "help": setting.question})
    )


def session_setting_options() -> Decorator:
    """`--like` and an option for each habit of sessions."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(list(SESSION_SETTINGS)):
            command = _session_setting_option(SESSION_SETTINGS[name])(command)
        names = ", ".join(SESSION_CONVENTIONS)
        return click.option("--like", metavar="NAME", help=f"Whose habits: {names}.")(command)

    return decorate


def _session_setting_option(setting: Setting) -> Decorator:
    option = "--" + setting.name.replace("_", "-")
    if setting.answers:
        answers = {str(answer): answer for answer in setting.answers}
        return click.option(
            option,
            setting.name,
            callback=lambda _, __, text: text if text is None else answers.get(text, text),
            metavar="|".join(answers),
            help=setting.question,
        )
    kinds: dict[str, dict[str, Any]] = {
        "b": {
            "metavar": "BASE",
            "callback": parse_base,
            "help": "Base of the rank discount's logarithm.",
        },
        "bq": {"metavar": "BASE", "callback": parse_base, "help": "Base of the query discount's."},
        "rel": {"metavar": "G", "type": float, "help": setting.question},
        "lists": {"metavar": "padded|as_is|minimum(m)", "help": setting.question},
    }
    return click.option(
        option,
        setting.name,
        **kinds.get(setting.name, {"metavar": "NAME", "help": setting.question}),
    )


def _parse_answer(_: object, parameter: click.Parameter, text: str | None) -> Any:
    """An answer of the table; one that is a number there becomes one."""
    answers = {str(answer): answer for answer in SETTINGS[str(parameter.name)].answers}
    return text if text is None else answers.get(text, text)


def baseline_option() -> Decorator:
    """`--baseline` of commands that compare."""
    return click.option(
        "--baseline", metavar="NAME", help="What the others are set against. [the first]"
    )


def correct_option() -> Decorator:
    """`--correct` of commands that compare in several measures."""
    return click.option(
        "--correct",
        type=click.Choice(list(CORRECTIONS)),
        help="How p is corrected across measures and pairs. [holm; with tukey bonferroni]",
    )


def resampling_options() -> Decorator:
    """`--alpha`, `--seed` and `--resamples` of commands that test."""
    options = (
        click.option(
            "--alpha", type=float, default=ALPHA, show_default=True, help="Level of significance."
        ),
        click.option(
            "--seed", type=int, default=SEED, show_default=True, help="Seed of the random numbers."
        ),
        click.option(
            "--resamples",
            type=int,
            default=RESAMPLES,
            show_default=True,
            help="Number of resamples.",
        ),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def refuse_idle_options(names: Iterable[str], why: str) -> None:
    """An option that was typed and does nothing is a mistake, not a silence."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} {why}")


def plugin_option() -> Decorator:
    """`--plugin`: measures of one's own, known before any other option is looked at."""
    return click.option(
        "--plugin",
        metavar="MODULE",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_load_plugins,
        help="A module or file.py that registers measures of your own; may be repeated.",
    )


def _load_plugins(context: click.Context, _: object, modules: tuple[str, ...]) -> None:
    for module in modules:
        load_plugin(module)
    context.meta[PLUGINS] = modules


def like_option() -> Decorator:
    """`--like`: whose habits to follow."""
    few = "trec_eval, sklearn, quepid, wikipedia"
    return click.option(
        "--like",
        metavar="NAME",
        help=f"Compute as a tool or source does: {few}, … "
        f"({len(CONVENTIONS)} are known; gainful conventions lists them).",
    )


def parse_base(_: object, parameter: click.Parameter, text: str | None) -> float | None:
    """The base of a logarithm: a number, or e."""
    if text is None:
        return None
    if text != "e" and not _NUMBER.fullmatch(text):
        raise WrongType(str(parameter.name), text, "a number above 1, or e")
    return e if text == "e" else float(text)
