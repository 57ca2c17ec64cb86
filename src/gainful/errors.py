"""What can be wrong with what a user gave: one class for each kind of mistake.

Every message is one line that names the argument, the value and what is allowed, so that a
person can mend it without a trace and a program can catch it by its type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from math import inf, isfinite
from typing import Any, ClassVar

from gainful.text import (
    MAX_LENGTH,
    escape_controls,
    quote,
    shorten,
    shorten_message,
    show_public_names,
)

__all__ = [
    "BadInput",
    "BadPlugin",
    "BadShape",
    "BadValue",
    "CannotCompare",
    "Duplicated",
    "GainfulError",
    "Missing",
    "NoColumn",
    "NoIdeal",
    "NoTruthValue",
    "NotExact",
    "NotInstalled",
    "NothingInCommon",
    "NothingToAverage",
    "OneGroup",
    "Swapped",
    "Tied",
    "UnknownName",
    "WrongType",
]


class GainfulError(Exception):
    """Any mistake in what was asked of gainful or given to it; its message is one line."""

    made_of: ClassVar[tuple[str, ...]] = ()  # what it is made of, if not of its message

    def __init__(self, message: str = "") -> None:
        super().__init__(shorten_message(escape_controls(message)))

    def __reduce__(self) -> str | tuple[Any, ...]:  # for other processes
        if not self.made_of:
            return super().__reduce__()
        return partial(type(self), **{name: getattr(self, name) for name in self.made_of}), ()


class BadValue(GainfulError, ValueError):
    """A value outside what its argument allows."""

    made_of = ("argument", "value", "allowed")

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        self.argument, self.value, self.allowed = argument, value, allowed
        super().__init__(self._describe())

    def _describe(self) -> str:
        return f"{self.argument} is {self._quote_value()}; allowed: {self.allowed}"

    def _quote_value(self) -> str:
        return f"{self.value:g}" if isinstance(self.value, float) else quote(self.value)


class WrongType(BadValue, TypeError):
    """A value of the wrong kind, such as a string instead of a number."""

    def _quote_value(self) -> str:
        return quote(self.value)  # 2.0, not 2: the kind is what is wrong


class Missing(BadValue):
    """A value that was left out; the message says how to give it."""

    def _describe(self) -> str:
        return self.allowed


_MOST = 1 << 53  # beyond it nothing can be counted


def check_number(
    argument: str,
    value: object,
    allowed: str = "a finite number",
    fits: Callable[[float], bool] = isfinite,
) -> float:
    """The value as a float; what is no number, and a number that does not fit, is refused.

    Examples:
        >>> check_number("p", 2, "a number between 0 and 1", lambda p: 0 < p < 1)
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: p is 2; allowed: a number between 0 and 1
    """
    from gainful.types import is_number, to_float  # noqa: PLC0415  (needs NumPy, unlike help)

    if not is_number(value):
        raise WrongType(argument, value, allowed)
    number = to_float(value)
    if not fits(number):
        raise BadValue(argument, value, allowed)
    return number


def check_whole_number(argument: str, value: object, least: int = 1, most: float = _MOST) -> None:
    """Refuse what is no whole number from `least` on, up to `most`."""
    from gainful.types import is_whole_number  # noqa: PLC0415  (needs NumPy)

    span = f"of at least {least}" if most >= _MOST else f"from {least} to {most}"
    allowed = f"a whole number {span}"
    if not is_whole_number(value):
        raise WrongType(argument, value, allowed)
    if not least <= value <= most:
        raise BadValue(argument, value, allowed)


def check_seed(seed: object) -> None:
    """Refuse what random numbers cannot begin with."""
    check_whole_number("seed", seed, 0, inf)


class BadShape(BadValue):
    """Arrays whose shapes do not match."""


class NoIdeal(BadValue):
    """An ideal that is not above zero, if the convention refuses it; `index` is the ranking."""

    made_of = ("index", "value", "argument")

    def __init__(self, index: tuple[int, ...], value: object, argument: str = "") -> None:
        self.index = index
        place = "".join(f"[{number}]" for number in index)
        super().__init__(argument or f"ideal{place}", value, "an ideal above zero (empty=error)")


class BadInput(GainfulError, ValueError):
    """A file, a line or an entry of a dict that is invalid."""

    made_of = ("where", "problem", "expected")

    def __init__(self, where: str, problem: str, expected: str = "") -> None:
        self.where, self.problem, self.expected = where, problem, expected
        super().__init__(f"{where}: {problem}" + (f" (expected: {expected})" if expected else ""))


class Duplicated(BadInput):
    """A document listed twice where it may be listed once."""


class Changed(BadInput):
    """A file that was cut or grew while it was read."""


class Swapped(BadInput):
    """A run where judgments belong, or the other way round."""


class NoColumn(BadInput):
    """A table without a column that is needed."""


class NothingInCommon(BadInput):
    """Judgments and a run of quite different queries: a mistake, not a score of zero."""


class OneGroup(BadInput):
    """Sessions of one group only, where groups are to be compared."""


class NoTruthValue(GainfulError, ValueError):
    """A result that is neither true nor false, in an `assert` or an `if`."""


class Tied(GainfulError, ValueError):
    """Equal scores, and nothing that says how to rank them."""


class BadPlugin(GainfulError, RuntimeError):
    """A custom measure or formula that fails."""


class NotExact(GainfulError, ValueError):
    """An average over tie orders of a measure that has no exact one."""


class CannotCompare(GainfulError, ValueError):
    """Conventions, runs or systems that cannot be compared."""


# What each extra brings, by the names under which it can be installed from anywhere.
EXTRAS = {
    "report": ("altair", "vl-convert-python", "jinja2"),
    "spark": ("pyspark", "pyarrow"),
    "datasets": ("ir-datasets",),
    "tensors": ("array-api-compat",),
    "torch": ("torch", "array-api-compat"),
}


class NotInstalled(GainfulError, ImportError):
    """A feature whose packages are not installed; the message says how to install them."""

    made_of = ("feature", "extra")

    def __init__(self, feature: str, extra: str) -> None:
        self.feature, self.extra = feature, extra
        packages = " ".join(EXTRAS.get(extra, (extra,)))
        super().__init__(f"{feature} needs packages that are not installed: pip install {packages}")


class NothingToAverage(GainfulError, ValueError):
    """A single ranking that the convention leaves out because its ideal is zero."""


class UnknownName(GainfulError, LookupError, ValueError):
    """An unknown name; the message has the nearest known one."""

    made_of = ("kind", "name", "known_names", "hint", "answer", "lists_all")

    def __init__(
        self,
        kind: str,
        name: str,
        known_names: Iterable[str],
        hint: str = "",
        answer: str = "",
        *,
        lists_all: bool = False,
    ) -> None:
        """Suggest the nearest of the `known_names`, or list them where there is no near one.

        Where there is an `answer` of its own, that is said instead; with `lists_all` they are
        listed beside a suggestion too.
        """
        from gainful.synonyms import KEYWORDS, find_nearest, list_meant  # noqa: PLC0415  (of a mistake)

        name = str(name)  # whatever was given in its place
        self.kind, self.name, self.known_names, self.hint = kind, name, tuple(known_names), hint
        if kind.endswith("option") and name in KEYWORDS:
            answer = KEYWORDS[name]
        self.answer, self.lists_all = answer, lists_all
        spelling = name.lower().lstrip("-")[:MAX_LENGTH]  # dashes make no two options alike
        by_lower = {
            known_name.lower().lstrip("-"): known_name for known_name in reversed(self.known_names)
        }  # the first wins
        near = [known for known in list_meant(spelling) if known in by_lower]
        near = near or [known for known in [find_nearest(spelling, by_lower)] if known]
        near = list(by_lower) if len(by_lower) == 1 else near
        nearest = by_lower[near[0]] if near else ""
        shown = shorten(nearest) if nearest == nearest.strip() else quote(nearest)
        suggestion = f"did you mean {shown}?" if near else ""
        is_long = len(self.known_names) > _MAX_LISTED
        most = _FEW_LISTED if is_long and hint else _MAX_LISTED  # a hint says what lists them all
        listing = ", ".join(map(shorten, self.known_names[:most])) + (", …" if is_long else "")
        if suggestion and lists_all and len(by_lower) > 1:
            suggestion += f" known: {listing}"
        advice = answer or suggestion or f"known: {listing}"
        super().__init__(f"unknown {kind} {quote(name)}; {advice}" + (f" ({hint})" if hint else ""))


def check_name(kind: str, name: object, known: Collection[str], hint: str = "") -> str:
    """The name, which must be one of those that are known."""
    if not isinstance(name, str) or name not in known:
        raise UnknownName(kind, str(name), known, hint)
    return name


_MAX_LISTED, _FEW_LISTED = 30, 8  # names that a message lists


show_public_names(__name__)
