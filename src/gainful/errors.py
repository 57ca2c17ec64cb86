"""What can be wrong with what a user gave: one class for each kind of mistake.

Every message is one line that names the argument, the value and what is allowed, so that a
person can mend it without a trace and a program can catch it by its type.
"""

from collections.abc import Iterable


class GainfulError(Exception):
    """Any mistake in what was asked of gainful or given to it."""


class BadValue(GainfulError, ValueError):
    """A value outside what its argument allows."""

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        """Say which argument, which value, and what would be right."""
        self.argument, self.value, self.allowed = argument, value, allowed
        super().__init__(f"{argument} is {_shown(value)}; allowed: {allowed}")


class WrongType(BadValue, TypeError):
    """A value of the wrong kind, such as a string where a number is due."""


class BadShape(BadValue):
    """Arrays that do not fit one another."""


class Tied(GainfulError, ValueError):
    """Equal scores, and nothing that says how to rank them."""


class NotExact(GainfulError, ValueError):
    """An average over tie orders, asked of a measure that cannot be averaged that way."""


class NothingToAverage(GainfulError, ValueError):
    """A single ranking that the convention leaves out because its ideal is zero."""


class UnknownName(GainfulError, LookupError):
    """A name that is in none of our tables; says which known one is nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        """Suggest the nearest of the `known` names, or list them where there is no near one."""
        from difflib import get_close_matches  # noqa: PLC0415  (only once something is misspelt)

        self.kind, self.name = kind, name
        names = list(known)
        by_lower = {known_name.lower(): known_name for known_name in names}
        given = name.lower()
        begun = [lower for lower in by_lower if len(lower) > 2 and given.startswith(lower)]
        near = begun or get_close_matches(given, by_lower, n=1, cutoff=0.5)
        nearest = f"did you mean {by_lower[near[0]]}?" if near else ""
        advice = nearest or f"known: {', '.join(names)}"
        super().__init__(f"no {kind} {name!r}; {advice}" + (f" ({hint})" if hint else ""))


def _shown(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
