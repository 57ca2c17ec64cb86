"""Stretches of time as people write them: 30m, 1h30m, 45 s."""

from __future__ import annotations

import re
from datetime import timedelta

from gainful.errors import BadValue, WrongType

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|min|[smhd])", re.ASCII)
_ALLOWED = "a time above 0 with its unit, such as 30m, 90s or 1h30m"


def parse_duration(value: object, argument: str) -> timedelta:
    """How long a text says, or a number of seconds, or a `timedelta`.

    Examples:
        >>> parse_duration("1h30m", "gap")
        datetime.timedelta(seconds=5400)
        >>> parse_duration(45, "gap")
        datetime.timedelta(seconds=45)
    """
    if isinstance(value, timedelta):
        duration = value
    elif isinstance(value, str):
        duration = _parse_text(value, argument)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        duration = _make_duration(value, value, argument)
    else:
        raise WrongType(argument, value, _ALLOWED)
    if duration <= timedelta(0):
        raise BadValue(argument, value, _ALLOWED)
    return duration


def _parse_text(text: str, argument: str) -> timedelta:
    if not re.fullmatch(rf"(?:{_PART.pattern})+\s*", text, re.ASCII):
        raise BadValue(argument, text, _ALLOWED)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return _make_duration(seconds, text, argument)


def _make_duration(seconds: float, value: object, argument: str) -> timedelta:
    try:
        return timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        raise BadValue(argument, value, _ALLOWED) from None


def format_duration(duration: timedelta) -> str:
    """A stretch of time in its largest whole units.

    Examples:
        >>> format_duration(timedelta(minutes=30)), format_duration(timedelta(seconds=5430))
        ('30m', '1h30m30s')
    """
    rest, parts = duration.total_seconds(), []
    for unit in ("d", "h", "m"):
        count, rest = divmod(rest, _UNITS[unit])
        parts += [f"{count:.0f}{unit}"] if count else []
    return "".join([*parts, *([f"{rest:g}s"] if rest or not parts else [])])
