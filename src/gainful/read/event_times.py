"""Timestamps of logs → points in time: ISO 8601 with zones or without, epochs, other usual forms.

The form is found from the values. A value that is not of any known form is remembered as wrong,
and where a date can be read in two ways, both are told and neither is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from attrs import frozen

from gainful.errors import BadInput
from gainful.read.session_events import TIME
from gainful.text import quote

EXPECTED = "ISO 8601 such as 2026-01-31T12:00:00Z, or seconds, ms or µs since 1970"
_SAMPLE = 1000  # values that a form is tried on before all others are
EPOCHS = (  # from this number on it is this unit: 1973 to 5138 in each
    (1e17, "nanoseconds since 1970", 1e-3),
    (1e14, "microseconds since 1970", 1.0),
    (1e11, "milliseconds since 1970", 1e3),
    (1e8, "seconds since 1970", 1e6),
    (0.0, "seconds", 1e6),
)
_FORMS = (
    *("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"),
    *("%Y%m%dT%H%M%S%#z", "%d/%b/%Y:%H:%M:%S %#z", "%a, %d %b %Y %H:%M:%S %#z"),
    *("%d %b %Y %H:%M:%S %#z", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y%m%dT%H%M%S", "%Y%m%d%H%M%S"),
    *("%d.%m.%Y %H:%M:%S%.f", "%d.%m.%Y %H:%M", "%d/%b/%Y:%H:%M:%S", "%d %b %Y %H:%M:%S"),
    *("%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S", "%b %d, %Y %I:%M:%S %p"),
)
_DAY_OR_MONTH = r"^\d{1,2}/\d{1,2}/\d{4}\b"
_CLOCKS = (" %H:%M:%S%.f", " %H:%M", " %I:%M:%S %p", " %I:%M %p", "")
_COMPACT = r"^(?:19|20)\d{12}$"  # 20260131120000, which no epoch of our time has digits for


_NO_TIME = pl.Series([None], dtype=TIME)


@frozen(eq=False)
class ParsedTimes:
    """Points in time, which values are none, and of what form they were."""

    times: pl.Series  # null where there is none
    wrong: pl.Series  # what is given, and is no time
    form: str


def count_epochs(values: pl.Series) -> dict[int, int]:
    """How many numbers there are of the size of each unit; none, if they are other texts."""
    if not values.dtype.is_numeric() and values.dtype != pl.String:
        return {}
    texts = values.str.strip_chars() if values.dtype == pl.String else values
    if values.dtype == pl.String and texts.str.contains(_COMPACT).any():
        return {}
    numbers = texts.cast(pl.Float64, strict=False)
    numbers = numbers.filter((numbers.is_finite() & (numbers >= 0)).fill_null(value=False))
    ends = [1e20, *(start for start, _, _ in EPOCHS)]
    return {
        index: int(((numbers >= start) & (numbers < ends[index])).sum())
        for index, (start, _, _) in enumerate(EPOCHS)
    }


def choose_unit(epochs: Mapping[int, int], given: int) -> int | None:
    """The unit of the middle number; None where most values are other texts."""
    total, below = sum(epochs.values()), 0
    if total * 2 <= given:
        return None
    for index in reversed(range(len(EPOCHS))):
        below += epochs.get(index, 0)
        if below > total // 2:
            return index
    return 0


def parse_times(values: pl.Series, place: str, unit: int | None = None) -> ParsedTimes:
    """Points in time from the values of a column.

    Args:
        values: texts, numbers, dates or points in time.
        place: the table and the column, for messages.
        unit: of numbers, if it is known of the whole column.

    Examples:
        >>> parsed = parse_times(pl.Series(["2026-01-31T13:00:00+01:00", "soon"]), "log")
        >>> parsed.times.dt.to_string("iso:strict").to_list(), parsed.wrong.to_list()
        (['2026-01-31T12:00:00.000000+00:00', None], [False, True])
    """
    kind = values.dtype
    if kind == pl.Date:
        return ParsedTimes(values.cast(TIME), values.is_null() & False, "days")
    if isinstance(kind, pl.Datetime):
        zoned = values.dt.replace_time_zone("UTC") if kind.time_zone is None else values
        form = "no zone, read as UTC" if kind.time_zone is None else ""
        return ParsedTimes(
            zoned.dt.convert_time_zone("UTC").cast(TIME), values.is_null() & False, form
        )
    if kind == pl.Null:
        return ParsedTimes(values.cast(TIME), values.is_null() & False, "")
    if kind.is_numeric():
        return _parse_numbers(values.cast(pl.Float64), values.is_not_null(), values, unit)
    if kind != pl.String:
        raise BadInput(place, f"it holds {kind}", EXPECTED)
    texts = values.str.strip_chars()
    given = texts.fill_null("") != ""
    numbers = texts.cast(pl.Float64, strict=False)
    if unit is None and int((numbers.is_not_null() & given).sum()) * 2 > int(given.sum()):
        unit = choose_unit(count_epochs(texts), 0)
    if unit is not None and not texts.str.contains(_COMPACT).any():
        return _parse_numbers(numbers, given, texts, unit)
    return _parse_texts(texts, given, place)


def _parse_numbers(
    numbers: pl.Series, given: pl.Series, values: pl.Series, unit: int | None
) -> ParsedTimes:
    """Epochs: which unit is found from the middle value, and others must agree with it."""
    finite = numbers.is_finite() & (numbers >= 0)
    index = choose_unit(count_epochs(numbers), 0) if unit is None else unit
    index = len(EPOCHS) - 1 if index is None else index
    start, form, factor = EPOCHS[index]
    end = EPOCHS[index - 1][0] if index else 1e20
    fits = (finite & (numbers >= start) & (numbers < end)).fill_null(value=False)
    exact = values if values.dtype.is_integer() and factor >= 1 else numbers
    scaled = exact.cast(pl.Int64) * int(factor) if exact is values else numbers * factor
    micros = pl.select(pl.when(fits).then(scaled)).to_series().cast(pl.Int64)
    return ParsedTimes(
        micros.cast(pl.Datetime("us")).dt.replace_time_zone("UTC"), given & ~fits, form
    )


def _parse_texts(texts: pl.Series, given: pl.Series, place: str) -> ParsedTimes:
    """Texts in whatever known forms, as they are, and with usual oddities mended."""
    times, unzoned = _try_forms(texts, _NO_TIME.new_from_index(0, len(texts)), given)
    if (given & times.is_null()).any():
        mended = (
            texts.str.replace(r"^(\d{4})/(\d{1,2})/(\d{1,2})", "${1}-${2}-${3}")
            .str.replace(r"(:\d{2}),(\d{1,9})", "${1}.${2}")
            .str.replace(r"\s*(?:UTC|GMT)$", "+00:00")
        )
        times, more = _try_forms(mended, times, given)
        unzoned = unzoned or more
        times, more = _parse_day_or_month(texts, times, given, place)
        unzoned = unzoned or more
    form = "no zone, read as UTC" if unzoned else ""
    return ParsedTimes(times, given & times.is_null(), form)


def _try_forms(texts: pl.Series, times: pl.Series, given: pl.Series) -> tuple[pl.Series, bool]:
    """Times of the known forms, in addition to those known, and whether some have no zone."""
    unzoned = False
    for form in _FORMS:
        rest = (given & times.is_null()).arg_true()
        if not len(rest):
            break
        if _parse_form(texts.gather(rest.head(_SAMPLE)), form).null_count() == len(
            rest.head(_SAMPLE)
        ):
            continue
        parsed = _parse_form(texts.gather(rest), form)
        times = times.scatter(rest, parsed)
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
        raise BadInput(place, f"{example} can be day/month or month/day, as all others", EXPECTED)
    return times.scatter(rest, readings[int(missed[1] < missed[0])]), True
