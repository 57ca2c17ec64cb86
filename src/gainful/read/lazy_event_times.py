"""Timestamps of a log in an engine → microseconds since 1970, computed there.

ISO 8601 with a zone or without, and epochs, by the same arithmetic in every engine: each would read
texts by rules of its own, and stop at the first that is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw

from gainful.errors import BadInput
from gainful.read.event_times import EPOCHS
from gainful.read.lazy_values import blank_to_null, parse_number

EXPECTED = (
    "ISO 8601 such as 2026-01-31T12:00:00Z, or seconds, ms or µs since 1970; other forms are for "
    "the engine to cast to its timestamps"
)
_NO_ZONE = "no zone, read as UTC"
_ZONE = r"(Z|UTC|GMT|[+-][0-9]{2}(:?[0-9]{2})?)"
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = "[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?"
_ISO = f"^{_DATE}([T ]{_CLOCK}[ ]*{_ZONE}?)?$"
_COMPACT = r"^(19|20)[0-9]{12}$"  # 20260131120000, which no epoch of our time has digits for
_MICROSECONDS = 1_000_000
TIME = "gainful_time"  # microseconds since 1970
_NUMBER, _TEXT = "gainful_time_number", "gainful_time_"  # on the way to it


def ask_for_form(column: str, kind: Any, place: str) -> dict[str, nw.Expr]:
    """What is to be counted in a column before its times can be read: by name, a number each."""
    if _is_point(kind):
        return {"time_given": nw.col(column).count()}
    if kind.is_numeric():
        return _count_epochs(nw.col(column).cast(nw.Float64))
    if kind != nw.String:
        raise BadInput(place, f"it holds {kind}", EXPECTED)
    text = blank_to_null(nw.col(column).str.strip_chars())
    is_iso = text.str.contains(_ISO)
    return {
        **_count_epochs(parse_number(text)),
        "time_given": text.count(),
        "time_compact": text.str.contains(_COMPACT).cast(nw.Int64).sum(),
        "time_zoned": (is_iso & text.str.contains(f"[0-9 ]{_ZONE}$")).cast(nw.Int64).sum(),
        "time_iso": is_iso.cast(nw.Int64).sum(),
    }


def add_times(
    frame: nw.LazyFrame[Any], column: str, kind: Any, counts: Mapping[str, int]
) -> tuple[nw.LazyFrame[Any], str, int]:
    """The frame with a column TIME, null where there is none; of what form they are, and how many.

    Args:
        frame: of an engine; of points in time, TIME has their microseconds already.
        column: of the times.
        kind: what it holds.
        counts: what `ask_for_form` asked for.
    """
    if _is_point(kind):
        form = "days" if kind == nw.Date else "" if kind.time_zone else _NO_ZONE
        return frame, form, counts["time_given"]
    sizes = [counts[f"time_from_{index}"] for index in range(len(EPOCHS))]
    if kind.is_numeric():
        number = nw.col(column).cast(nw.Float64)
        exact = nw.col(column).cast(nw.Int64) if kind.is_integer() else None
        return _add_epochs(frame.with_columns(number.alias(_NUMBER)), exact, sizes)
    text = blank_to_null(nw.col(column).str.strip_chars())
    if sum(sizes) * 2 > counts["time_given"] and not counts["time_compact"]:
        return _add_epochs(frame.with_columns(parse_number(text).alias(_NUMBER)), None, sizes)
    sound = nw.when(text.str.contains(_ISO)).then(text)
    form = _NO_ZONE if counts["time_zoned"] < counts["time_iso"] else ""
    return _add_iso(frame.with_columns(sound.alias(_TEXT))), form, counts["time_iso"]


def find_wrong_times(column: str, kind: Any) -> nw.Expr:
    """In which rows of a frame with TIME is something given that is no time?"""
    given = nw.col(column)
    if kind == nw.String:
        given = blank_to_null(given.str.strip_chars())
    return ~given.is_null() & nw.col(TIME).is_null()


def _is_point(kind: Any) -> bool:
    return bool(kind == nw.Datetime or kind == nw.Date)  # noqa: PLR1714  (types of narwhals)


def _is_epoch(number: nw.Expr, index: int) -> nw.Expr:
    end = EPOCHS[index - 1][0] if index else 1e20
    return (number >= EPOCHS[index][0]) & (number < end) & number.is_finite()


def _count_epochs(number: nw.Expr) -> dict[str, nw.Expr]:
    return {
        f"time_from_{index}": _is_epoch(number, index).cast(nw.Int64).sum()
        for index in range(len(EPOCHS))
    }


def _add_epochs(
    frame: nw.LazyFrame[Any], exact: nw.Expr | None, sizes: Sequence[int]
) -> tuple[nw.LazyFrame[Any], str, int]:
    """Epochs: which unit is found from the middle value, and others must agree with it."""
    middle = sum(sizes) // 2
    index = len(EPOCHS) - 1
    while index and sum(sizes) and sum(sizes[index:]) <= middle:
        index -= 1
    _, form, factor = EPOCHS[index]
    number = nw.col(_NUMBER)
    fits = nw.when(_is_epoch(number, index))
    if exact is not None and factor >= 1:
        micros = fits.then(exact) * int(factor)
    else:
        micros = (fits.then(number) * factor).floor().cast(nw.Int64)
    return frame.with_columns(micros.alias(TIME)), form, sizes[index]


def _add_iso(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Microseconds since 1970 of texts such as 2026-01-31T12:00:00.5+01:00, part by part.

    Each part is a column, to which the next refer: engines compute what is written twice twice.
    """
    text = nw.col(_TEXT)
    clock = text.str.slice(11).str.replace_all("[Z+UG -].*$", "")
    zone = text.str.slice(11).str.replace_all("^[0-9:.,]*", "").str.replace_all("[^0-9-]", "")
    parts = frame.with_columns(
        _name_part("year", _digits(text, 0, 4)),
        _name_part("month", _digits(text, 5, 2)),
        _name_part("day", _digits(text, 8, 2)),
        _name_part("whole", clock.str.replace_all("[.,].*$", "").str.replace_all(":", "")),
        _name_part("fraction", clock.str.replace_all("^[^.,]*[.,]?", "")),
        _name_part("behind", zone.str.starts_with("-")),
        _name_part("offset", zone.str.replace_all("-", "")),
    ).with_columns(
        _name_part("hour", _pad_digits("whole", 0, 2)),
        _name_part("minute", _pad_digits("whole", 2, 2)),
        _name_part("second", _pad_digits("whole", 4, 2)),
        _name_part("micros", _pad_digits("fraction", 0, 6)),
        _name_part("ahead", _pad_digits("offset", 0, 2) * 60 + _pad_digits("offset", 2, 2)),
        _name_part("days", _days_of_month()),
        # Years are taken to begin with March, so that leap days end them.
        _name_part(
            "march_year", nw.when(_get("month") <= 2).then(_get("year") - 1).otherwise(_get("year"))
        ),
        _name_part("march_month", (_get("month") + 9) % 12),
    )
    seconds = (
        _count_days() * 86_400
        + (_get("hour") * 60 + _get("minute")) * 60
        + _get("second")
        - nw.when(_get("behind")).then(-_get("ahead")).otherwise(_get("ahead")) * 60
    )
    exists = (
        ((_get("month") >= 1) & (_get("month") <= 12))
        & ((_get("day") >= 1) & (_get("day") <= _get("days")))
        & ((_get("hour") < 24) & (_get("minute") < 60) & (_get("second") < 60))
    )
    times = nw.when(exists).then(seconds * _MICROSECONDS + _get("micros"))
    return parts.with_columns(times.alias(TIME))


def _name_part(name: str, value: nw.Expr) -> nw.Expr:
    return value.alias(_TEXT + name)


def _get(name: str) -> nw.Expr:
    return nw.col(_TEXT + name)


def _digits(text: nw.Expr, start: int, length: int) -> nw.Expr:
    return text.str.slice(start, length).cast(nw.Int64)


def _pad_digits(name: str, start: int, length: int) -> nw.Expr:
    """Digits as a number, with zeros for those that are not written."""
    return _digits(nw.concat_str(_get(name), nw.lit("000000")), start, length)


def _divide(number: nw.Expr, by: int) -> nw.Expr:
    return (number // by).cast(nw.Int64)


def _count_days() -> nw.Expr:
    """Days from 1970-01-01 on."""
    year = _get("march_year")
    leap_days = _divide(year, 4) - _divide(year, 100) + _divide(year, 400)
    before = _divide(_get("march_month") * 153 + 2, 5)
    return year * 365 + leap_days + before + _get("day") - 1 - 719_468


def _days_of_month() -> nw.Expr:
    year, month = _get("year"), _get("month")
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    february = nw.when(is_leap).then(nw.lit(29)).otherwise(nw.lit(28))
    short = month.is_in([4, 6, 9, 11])
    rest = nw.when(short).then(nw.lit(30)).otherwise(nw.lit(31))
    return nw.when(month == 2).then(february).otherwise(rest)
