"""How options of commands are declared, and those of the settings of conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click

from gainful.cli.command import Option, complete_names
from gainful.cli.numbers import parse_base
from gainful.convention import SETTINGS, Setting
from gainful.convention.session import SESSION_SETTINGS
from gainful.errors import BadValue
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def parse_pairs(
    allowed: str, _: object, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """What is mine, and the names that may be meant by it: query=user,doc=item."""
    pairs: dict[str, tuple[str, ...]] = {}
    for pair in (part for text in texts for part in text.split(",")):
        role, _, name = (word.strip() for word in pair.partition("="))
        if not role or not name:
            raise BadValue(parameter.opts[0], pair, allowed)
        pairs[role] = (*pairs.get(role, ()), name)
    return pairs or None


def own_option(*flags: str, **attributes: Any) -> Decorator:
    """An option that only one command has; `group` is its heading in help."""
    return click.option(*flags, cls=Option, **attributes)


def declare(*flags: str, group: str = "", **attributes: Any) -> Callable[..., Decorator]:
    """An option of the table, and its heading in help; a command may have some of it otherwise."""

    def build(**changes: Any) -> Decorator:
        chosen = {"group": group, **attributes, **changes}
        if isinstance(chosen.get("type"), partial):  # made only where it is needed
            chosen["type"] = chosen["type"]()
        return own_option(*flags, **chosen)

    return build


def _declare_setting(setting: Setting, **attributes: Any) -> Callable[..., Decorator]:
    """The option of a setting: its answers, or what the table says of it otherwise."""
    if setting.answers:
        answers = {str(answer): answer for answer in setting.answers}
        attributes = {
            "metavar": "NAME",
            "callback": lambda _, __, text: text if text is None else answers.get(text, text),
            "shell_complete": lambda _, __, text: complete_names(answers, text),
            "help": f"{setting.question} {', '.join(answers)}.",
        }
    flag = "--" + setting.name.replace("_", "-")
    attributes = {"help": setting.question, "group": "Convention"} | attributes
    return declare(flag, setting.name, **attributes)


_SETTING_ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "gain": {"metavar": "NAME", "help": f"{', '.join(GAINS)}, or weights: 0:0,1:1,2:10,3:100."},
    "discount": {"metavar": "NAME", "help": f"{', '.join(DISCOUNTS)}."},
    "b": {
        "metavar": "BASE",
        "callback": parse_base,
        "help": "Base of the discount's logarithm, or e.",
    },
    "rel": {"metavar": "G", "type": float},
    "max_grade": {"metavar": "G", "type": float},
}
_SESSION_ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "b": {
        "metavar": "BASE",
        "callback": parse_base,
        "help": "Base of the rank discount's logarithm.",
    },
    "bq": {"metavar": "BASE", "callback": parse_base, "help": "Base of the query discount's."},
    "rel": {"metavar": "G", "type": float},
    "lists": {"metavar": "padded|as_is|minimum(m)"},
}
SETTING_OPTIONS: Mapping[str, Callable[..., Decorator]] = {
    **{
        name: _declare_setting(
            setting, **_SETTING_ATTRIBUTES.get(name, {"type": int, "metavar": "N"})
        )
        for name, setting in SETTINGS.items()
    },
    **{
        f"sessions.{name}": _declare_setting(
            setting, **_SESSION_ATTRIBUTES.get(name, {"metavar": "NAME"})
        )
        for name, setting in SESSION_SETTINGS.items()
    },
}
