"""Timestamps of logs → points in time: ISO 8601 with zones or without, epochs, other usual forms.

Each value is read in the form that it has. One that has no known form is remembered as wrong, and
an ambiguous date is refused with both readings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

import polars as pl
from attrs import frozen

from gainful.errors import BadInput, BadValue, WrongType
from gainful.text import join_words, quote

TIME = pl.Datetime("us", "UTC")
EXPECTED = (
    "ISO 8601 such as 2026-01-31T12:00:00Z, or seconds, ms, µs or ns since 1970, from 1973 on"
)
_RELATIVE = "a number of seconds below 100,000,000, as most others are"
_SAMPLE = 1000  # values that a form is tried on before all others are
_SECONDS = "seconds"  # since anything
EPOCHS = (  # between these numbers it is this unit: 1973 to 5138 in each
    (1e17, 1e20, "nanoseconds", 1e-3),
    (1e14, 1e17, "microseconds", 1.0),
    (1e11, 1e14, "milliseconds", 1e3),
    (1e8, 1e11, "seconds", 1e6),
    (0.0, 1e8, _SECONDS, 1e6),
)
_FORMS = (
    *("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"),
    *("%Y%m%dT%H%M%S%#z", "%d/%b/%Y:%H:%M:%S %#z", "%a, %d %b %Y %H:%M:%S %#z"),
    *("%d %b %Y %H:%M:%S %#z", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y%m%dT%H%M%S", "%Y%m%d%H%M%S"),
    *("%d.%m.%Y %H:%M:%S%.f", "%d.%m.%Y %H:%M", "%d/%b/%Y:%H:%M:%S", "%d %b %Y %H:%M:%S"),
    *("%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S", "%b %d, %Y %I:%M:%S %p"),
    "%b %d, %Y @ %H:%M:%S%.f",  # of Kibana and OpenSearch Dashboards
)
_DAY_OR_MONTH = r"^\d{1,2}/\d{1,2}/\d{4}\b"
_CLOCKS = (" %H:%M:%S%.f", " %H:%M", " %I:%M:%S %p", " %I:%M %p", "")
_COMPACT = r"^(?:19|20)\d{12}$"  # 20260131120000, which no epoch of our time has digits for


@frozen(eq=False)
class ParsedTimes:
    """Points in time, which values are none, and of what form they were."""

    times: pl.Series  # null where there is none
    wrong: pl.Series  # what is given, and is no time
    form: str
    expected: str = EXPECTED  # instead of what is wrong


def count_epochs(values: pl.Series) -> dict[int, int]:
    """How many numbers there are of the size of each unit; of other texts there are none."""
    numbers = _as_numbers(values)
    return {
        index: int(numbers.is_between(start, end, closed="left").sum())
        for index, (start, end, _, _) in enumerate(EPOCHS)
    }


def _as_numbers(values: pl.Series) -> pl.Series:
    """Values as numbers from 0; null where one is none, or a date of 14 digits."""
    numbers = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(values))
    if values.dtype.is_numeric() or values.dtype == pl.String:
        numbers = values.cast(pl.Float64, strict=False)
    sound = numbers.is_finite() & (numbers >= 0)
    if values.dtype == pl.String:
        sound &= ~values.str.contains(_COMPACT)
    return numbers.set(~sound.fill_null(value=False), None)


def parse_times(
    values: pl.Series, place: str, epochs: Mapping[int, int] | None = None, given: int = 0
) -> ParsedTimes:
    """Points in time from the values of a column, each in whatever form it has.

    Examples:
        >>> parsed = parse_times(pl.Series(["2026-01-31T13:00+01:00", "1769860800", "soon"]), "")
        >>> parsed.times.dt.epoch("s").to_list(), parsed.wrong.to_list()
        ([1769860800, 1769860800, None], [False, False, True])
    """
    kind = values.dtype
    if kind in (pl.Date, pl.Null):
        form = "days" if kind == pl.Date else ""
        return ParsedTimes(values.cast(TIME), values.is_null() & False, form)
    if isinstance(kind, pl.Datetime):
        zoned = values.dt.replace_time_zone("UTC") if kind.time_zone is None else values
        form = "no zone, read as UTC" if kind.time_zone is None else ""
        return ParsedTimes(
            zoned.dt.convert_time_zone("UTC").cast(TIME), values.is_null() & False, form
        )
    if kind != pl.String and not kind.is_numeric():
        raise BadInput(place, f"it holds {kind}", EXPECTED)
    texts = values.str.strip_chars() if kind == pl.String else values
    are_there = texts.is_not_null() if kind != pl.String else texts.fill_null("") != ""
    if epochs is None:
        epochs, given = count_epochs(texts), int(are_there.sum())
    times, form = _parse_numbers(texts, epochs, given)
    is_relative = form == _SECONDS
    if kind == pl.String and not is_relative and (are_there & times.is_null()).any():
        times, unzoned = _parse_texts(texts, times, are_there, place)
        form = f"{form}; others have {unzoned or 'a zone'}" if form else unzoned
    expected = _RELATIVE if is_relative else EXPECTED
    return ParsedTimes(times, are_there & times.is_null(), form, expected)


def _parse_numbers(
    values: pl.Series, epochs: Mapping[int, int], given: int
) -> tuple[pl.Series, str]:
    """Numbers since 1970, each in the unit of its size, and the units that there are.

    Smaller ones are seconds since anything, if that is what most values of the column are.
    """
    relative = len(EPOCHS) - 1
    is_relative = 2 * epochs.get(relative, 0) > given
    numbers = _as_numbers(values)
    micros = pl.Series([None], dtype=pl.Int64).new_from_index(0, len(values))
    forms = []
    for index, (start, end, form, factor) in enumerate(EPOCHS):
        if is_relative != (index == relative) or not epochs.get(index):
            continue
        forms.append(form)
        fits = numbers.is_between(start, end, closed="left").fill_null(value=False)
        exact = values if values.dtype.is_integer() and factor >= 1 else numbers
        scaled = exact.set(~fits, None) * (int(factor) if exact is values else factor)
        micros = pl.select(pl.coalesce(scaled.cast(pl.Int64), micros)).to_series()
    return micros.cast(pl.Datetime("us")).dt.replace_time_zone("UTC"), (
        f"{join_words(forms)}{'' if is_relative else ' since 1970'}" if forms else ""
    )


def _parse_texts(
    texts: pl.Series, times: pl.Series, given: pl.Series, place: str
) -> tuple[pl.Series, str]:
    """Texts in whatever known forms, as they are, and with usual oddities mended."""
    times, unzoned = _try_forms(texts, times, given)
    if (given & times.is_null()).any():
        mended = (
            texts.str.replace(r"^(\d{4})/(\d{1,2})/(\d{1,2})", "${1}-${2}-${3}")
            .str.replace(r"(:\d{2}),(\d{1,9})", "${1}.${2}")
            .str.replace(r"\s*(?:UTC|GMT)$", "+00:00")
            .str.replace(r"^(\d{4})-?(\d{2})-?(\d{2})[T ](\d{2})", "${1}-${2}-${3}T${4}")
            .str.replace(r"(T\d{2}):?(\d{2})", "${1}:${2}")
            .str.replace(r"(T\d{2}:\d{2}):?(\d{2})", "${1}:${2}")
            .str.replace(r"(T\d{2})(\s*[Z+-].*)?$", "${1}:00${2}")
        )
        times, more = _try_forms(mended, times, given)
        unzoned = unzoned or more
        times, more = _parse_day_or_month(texts, times, given, place)
        unzoned = unzoned or more
    return times, "no zone, read as UTC" if unzoned else ""


def _try_forms(texts: pl.Series, times: pl.Series, given: pl.Series) -> tuple[pl.Series, bool]:
    """Times of the known forms, in addition to those known, and whether some have no zone."""
    unzoned, before = False, -1
    while before != times.null_count():  # a form may come to light when others are gone
        before = times.null_count()
        for form in _FORMS:
            rest = (given & times.is_null()).arg_true()
            if not len(rest):
                return times, unzoned
            some = texts.gather(rest.gather_every(max(len(rest) // _SAMPLE, 1)))
            if _parse_form(some, form).null_count() == len(some):
                continue
            times = times.scatter(rest, _parse_form(texts.gather(rest), form))
            unzoned = unzoned or "z" not in form
    return times, unzoned


def _parse_form(texts: pl.Series, form: str) -> pl.Series:
    times = texts.str.to_datetime(form, strict=False, time_unit="us")
    return times if "z" in form else times.dt.replace_time_zone("UTC")


def _parse_day_or_month(
    texts: pl.Series, times: pl.Series, given: pl.Series, place: str
) -> tuple[pl.Series, bool]:
    """Dates such as 31/01/2026 or 01/31/2026, if only one of the two can be meant."""
    slashed = texts.str.contains(_DAY_OR_MONTH).fill_null(value=False)
    rest = (given & times.is_null() & slashed).arg_true()
    if not len(rest):
        return times, False
    readings = []
    for date in ("%d/%m/%Y", "%m/%d/%Y"):
        dated = texts.gather(rest)
        forms = [_parse_form(dated, date + clock) for clock in _CLOCKS]
        readings.append(pl.select(pl.coalesce(forms)).to_series())
    missed = [reading.null_count() for reading in readings]
    if missed[0] == missed[1]:
        example = quote(texts[int(rest[0])])
        problem = f"{example} can be day/month or month/day, and no other date tells which"
        raise BadInput(place, problem, EXPECTED)
    return times.scatter(rest, readings[int(missed[1] < missed[0])]), True


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
    if not isinstance(value, (timedelta, str, int, float)) or isinstance(value, bool):
        raise WrongType(argument, value, _ALLOWED)
    seconds = value
    if isinstance(value, str):
        if not re.fullmatch(rf"(?:{_PART.pattern})+\s*", value, re.ASCII):
            raise BadValue(argument, value, _ALLOWED)
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    try:
        duration = seconds if isinstance(seconds, timedelta) else timedelta(seconds=float(seconds))
    except (OverflowError, ValueError):
        raise BadValue(argument, value, _ALLOWED) from None
    if duration <= timedelta(0):
        raise BadValue(argument, value, _ALLOWED)
    return duration


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
