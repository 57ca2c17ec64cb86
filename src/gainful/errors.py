"""What can be wrong with what a user gave: one class for each kind of mistake.

Every message is one line that names the argument, the value and what is allowed, so that a
person can mend it without a trace and a program can catch it by its type.
"""

from __future__ import annotations

from collections.abc import Iterable


class GainfulError(Exception):
    """Any mistake in what was asked of gainful or given to it."""


class BadValue(GainfulError, ValueError):
    """A value outside what its argument allows."""

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        """Say which argument, which value, and what would be right."""
        self.argument, self.value, self.allowed = argument, value, allowed
        super().__init__(f"{argument} is {self._told()}; allowed: {allowed}")

    def _told(self) -> str:
        return f"{self.value:g}" if isinstance(self.value, float) else shown(self.value)

    def __reduce__(self) -> tuple[type[BadValue], tuple[object, ...]]:
        return type(self), (self.argument, self.value, self.allowed)  # for other processes


class WrongType(BadValue, TypeError):
    """A value of the wrong kind, such as a string where a number is due."""

    def _told(self) -> str:
        return shown(self.value)  # 2.0, not 2: the kind is what is wrong


class BadShape(BadValue):
    """Arrays that do not fit one another."""


class BadInput(GainfulError, ValueError):
    """A file, a line of one, or an entry of a dict that cannot be what it should be."""

    def __init__(self, where: str, problem: str, expected: str = "") -> None:
        """Say where it is, what is wrong there, and what was expected."""
        self.where, self.problem, self.expected = where, problem, expected
        super().__init__(f"{where}: {problem}" + (f" (expected: {expected})" if expected else ""))

    def __reduce__(self) -> tuple[type[BadInput], tuple[object, ...]]:
        return type(self), (self.where, self.problem, self.expected)


class Duplicated(BadInput):
    """A document that stands twice where it may stand once."""


class Swapped(BadInput):
    """A run where judgments belong, or the other way round."""


class NoColumn(BadInput):
    """A table without a column that is needed."""


class NothingInCommon(BadInput):
    """Judgments and a run of quite different queries: a mistake, not a score of zero."""


class OneGroup(BadInput):
    """Sessions of one group only, where groups are to be compared."""


class Tied(GainfulError, ValueError):
    """Equal scores, and nothing that says how to rank them."""


class BadPlugin(GainfulError, RuntimeError):
    """A measure or formula of one's own that does not do what it should."""


class NotExact(GainfulError, ValueError):
    """An average over tie orders, asked of a measure that cannot be averaged that way."""


class CannotCompare(GainfulError, ValueError):
    """Two conventions, of which one cannot compute what was asked."""


class NotInstalled(GainfulError, ImportError):
    """A part of gainful that needs what is not installed; says how to install it."""

    def __init__(self, what: str, extra: str) -> None:
        """Say what needs it, and which extra brings it."""
        self.what, self.extra = what, extra
        super().__init__(f"{what} needs the extra {extra}: pip install 'gainful[{extra}]'")

    def __reduce__(self) -> tuple[type[NotInstalled], tuple[object, ...]]:
        return type(self), (self.what, self.extra)


class NothingToAverage(GainfulError, ValueError):
    """A single ranking that the convention leaves out because its ideal is zero."""


class UnknownName(GainfulError, LookupError, ValueError):
    """A name that is in none of our tables; says which known one is nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        """Suggest the nearest of the `known` names, or list them where there is no near one."""
        from difflib import get_close_matches  # noqa: PLC0415  (only once something is misspelt)

        self.kind, self.name, self.known, self.hint = kind, name, tuple(known), hint
        given = name.lower().lstrip("-")[:_LONGEST]  # dashes make no two options alike
        by_lower = {one.lower().lstrip("-"): one for one in reversed(self.known)}  # the first wins
        begun = [lower for lower in by_lower if len(lower) > 2 and given.startswith(lower)]
        near = begun or get_close_matches(given, by_lower, n=1, cutoff=0.55)
        if len(by_lower) == 1:
            near = list(by_lower)
        nearest = f"did you mean {short(by_lower[near[0]])}?" if near else ""
        some = ", ".join(map(short, self.known[:_MOST])) + (
            ", …" if len(self.known) > _MOST else ""
        )
        advice = nearest or f"known: {some}"
        super().__init__(f"no {kind} {shown(name)}; {advice}" + (f" ({hint})" if hint else ""))

    def __reduce__(self) -> tuple[type[UnknownName], tuple[object, ...]]:
        return type(self), (self.kind, self.name, self.known, self.hint)


_LONGEST = 60
_MOST = 30  # names that a message lists


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things in words: 1 query, 2 queries."""
    return f"{number} {one if number == 1 else many or plural(one)}"


def plural(one: str) -> str:
    """More than one of a thing: queries, runs."""
    return one[:-1] + "ies" if one.endswith("y") else one + "s"


def shown(value: object) -> str:
    """A value on one line of a message, and not a long one."""
    try:
        return short(repr(value))
    except ValueError:  # Python refuses to write out a number of thousands of digits
        return "a huge number"


def short(text: str, most: int = _LONGEST) -> str:
    """Text on one line, and not a long one."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
