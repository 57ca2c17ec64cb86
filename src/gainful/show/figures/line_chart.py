"""Lines across ranks, queries or recall: named at their ends, with bands where there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from attrs import evolve, field, frozen

from gainful.errors import counted
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.label_layout import apart
from gainful.show.figures.text import name, plain, title, width_of
from gainful.show.theme import DASHES, SIZE, Tones, vega_config

WIDTH, HEIGHT = 560, 320
GAP = 14  # pixels between labels
_ROOM = 56  # pixels that the axis at the left takes
# A picture is laid out by the widths of its letters: these fonts have the same ones everywhere.
_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
_NAME = {"field": "name", "type": "nominal"}  # what a screen reader says of a line
Row = Mapping[str, Any]


@frozen
class Series:
    """One line: what it is called, and which colour and dash it has."""

    label: str = field(converter=plain)
    colour: int
    dash: int = 0
    width: float = 2.0
    shown: bool = True  # is its name?


@frozen(kw_only=True)
class Across:
    """The axis from left to right."""

    title: str
    low: float
    high: float
    values: Sequence[float] | None = None  # where its labels stand
    label: str | None = None  # a Vega expression of our own that makes them
    rules: Sequence[float] = ()  # where thin lines go up


def colour(number: int, tones: Tones) -> str:
    """The colour of a series; they come again after the last."""
    return tones.series[number % len(tones.series)]


def name_colour(number: int, tones: Tones) -> str:
    """The same for its name, which must be dark enough to read."""
    return tones.names[number % len(tones.names)]


def dash(number: int) -> list[int]:
    """The dash of a series, moved on by one each time that colours come again."""
    return DASHES[(number + number // len(DASHES)) % len(DASHES)]


def top(values: Sequence[float]) -> float:
    """A round number that no value passes, for the end of an axis.

    Examples:
        >>> top([0.43]), top([17.2]), top([0.0])
        (0.5, 20.0, 1.0)
    """
    most = max(values, default=0.0)
    if most <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(most))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next(float(f"{step * unit:g}") for step in steps if step * unit >= most * (1 - 1e-9))


def line_chart(
    data: Data,
    rows: Sequence[Row],
    series: Sequence[Series],
    across: Across,
    look: Look,
    **more: Any,
) -> Spec:
    """A whole chart of lines; `more` goes to `line_layers`."""
    width, height = look.width or WIDTH, look.height or HEIGHT
    more_lines = sum(one.shown for one in series) - _named(height)
    if more_lines > 0:
        note = f"Note: {counted(more_lines, 'line')} without a name, as there is no room for more"
        data = evolve(data, said=(*data.said, note))
    layers = line_layers(rows, series, across, data.axis, look, **more)
    return framed(data, look, {"layer": layers}, width, height, [one.label for one in series])


def _named(height: int) -> int:
    """How many lines can be named at their ends."""
    return height // GAP + 1


def framed(  # noqa: PLR0917
    data: Data, look: Look, body: Spec, width: int, height: int, labels: Sequence[str]
) -> Spec:
    """A chart with its title and caption; in `usermeta` what a page needs to tell and fit it."""
    room = width_of([name(one) for one in labels]) + 8
    head = data.title if look.title is None else look.title
    return {
        "config": vega_config(look.tones) | {"font": _FONT},
        "title": title(head, data.said, width + _ROOM + room),
        "description": plain(". ".join((head, *data.said))),
        "padding": 12,
        "width": width,
        "height": height,
        **body,
        "usermeta": {
            "room": room + _ROOM + 40,
            "title": plain(head),
            "said": [plain(line) for line in data.said],
        },
    }


def line_layers(
    rows: Sequence[Row],
    series: Sequence[Series],
    across: Across,
    axis: str,
    look: Look,
    *,
    points: bool = False,
    highest: float | None = None,
) -> list[Spec]:
    """The layers of a plot: rules, bands, lines, and their names at the right.

    Args:
        rows: `series` (a number), `x`, `y`, and `low` and `high` where there is a band.
        series: what the numbers stand for.
        across: the axis from left to right.
        axis: what the values are.
        look: how large, on which background.
        points: mark every value.
        highest: where the axis ends; a round number above all values if it is not said.
    """
    tones = look.tones
    seen = [row["y"] for row in rows if row["y"] is not None]
    ends = [row["high"] for row in rows if row.get("high") is not None]
    lows = [row["low"] for row in rows if row.get("low") is not None]
    high = top([*seen, *ends]) if highest is None else highest
    low = min([0.0, *seen, *lows])
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [across.low, across.high], "nice": False, "zero": False},
        "axis": _across(across),
    }
    y = {
        "field": "y",
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False},
        "axis": {
            "title": axis,
            "tickCount": 5,
            "domain": False,
            "ticks": False,
            "labelPadding": 8,
        },
    }
    layers: list[Spec] = []
    if across.rules:
        layers.append(_rules(across, x, tones))
    if ends:
        layers.append(_band(rows, series, x, y, tones))
    layers.append(
        {
            "data": {"values": [_told(row, series) for row in rows if row["y"] is not None]},
            "mark": {"type": "line", "interpolate": "linear", "point": points, "clip": False},
            "encoding": {
                "x": x,
                "y": y,
                "color": _by_series([colour(one.colour, tones) for one in series]),
                "strokeDash": _by_series([dash(one.dash) for one in series]),
                "strokeWidth": {"field": "wide", "type": "quantitative", "scale": None},
                "tooltip": _tooltip(across.title, axis),
                "description": _NAME,
            },
        }
    )
    layers.append(_labels(rows, series, (low, high), look, x, y))
    return layers


def _across(across: Across) -> Spec:
    found: Spec = {"title": across.title, "grid": False, "labelFlush": False}
    found |= {"labelOverlap": True, "labelSeparation": 4}
    if across.values is not None:
        found |= {"values": list(across.values)}
    else:
        found |= {"tickMinStep": 1}
    if across.label is not None:
        found |= {"labelExpr": across.label, "ticks": False}
    return found


def _told(row: Row, series: Sequence[Series]) -> Spec:
    kept = {key: value for key, value in row.items() if key not in ("low", "high")}
    own = series[row["series"]]
    return kept | {"name": own.label, "wide": own.width}


def _tooltip(across: str, axis: str) -> list[Spec]:
    return [
        {"field": "name", "type": "nominal", "title": "line"},
        {"field": "x", "type": "quantitative", "title": across or "position"},
        {"field": "y", "type": "quantitative", "title": axis, "format": ".4f"},
    ]


def _by_series(values: Sequence[Any]) -> Spec:
    """A channel that has one value for each series, and no legend."""
    return {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": list(range(len(values))), "range": list(values)},
        "legend": None,
    }


def _rules(across: Across, x: Spec, tones: Tones) -> Spec:
    return {
        "data": {"values": [{"x": at} for at in across.rules]},
        "mark": {"type": "rule", "color": tones.line, "strokeWidth": 1, "aria": False},
        "encoding": {"x": x},
    }


def _band(rows: Sequence[Row], series: Sequence[Series], x: Spec, y: Spec, tones: Tones) -> Spec:
    kept = ("series", "x", "low", "high")
    some = [{key: row[key] for key in kept} for row in rows if row.get("low") is not None]
    return {
        "data": {"values": some},
        "mark": {"type": "area", "opacity": 0.16, "aria": False},
        "encoding": {
            "x": x,
            "y": y | {"field": "low"},
            "y2": {"field": "high"},
            "color": _by_series([colour(one.colour, tones) for one in series]),
        },
    }


def _labels(  # noqa: PLR0917
    rows: Sequence[Row],
    series: Sequence[Series],
    domain: tuple[float, float],
    look: Look,
    x: Spec,
    y: Spec,
) -> Spec:
    """The name of each line at its end; where there is no room for all, of the highest."""
    height = look.height or HEIGHT
    low, high = domain
    ends: dict[int, Row] = {row["series"]: row for row in rows if row["y"] is not None}
    some = sorted((at for at in ends if series[at].shown), key=lambda at: -ends[at]["y"])
    some = some[: _named(height)]
    scale = height / (high - low)
    pixels = apart([(ends[at]["y"] - low) * scale for at in some], GAP, 0, height)
    values = [
        {
            "series": at,
            "label": name(series[at].label),
            "name": series[at].label,
            "colour": name_colour(series[at].colour, look.tones),
            "x": ends[at]["x"],
            "y": low + place / scale,
        }
        for at, place in zip(some, pixels, strict=True)
    ]
    return {
        "data": {"values": values},
        "mark": {
            "type": "text",
            "align": "left",
            "baseline": "middle",
            "dx": 7,
            "fontSize": SIZE - 1,
            "clip": False,
        },
        "encoding": {
            "x": x,
            "y": y,
            "text": {"field": "label", "type": "nominal"},
            "color": {"field": "colour", "type": "nominal", "scale": None, "legend": None},
            "tooltip": _NAME,
            "description": _NAME,
        },
    }


def lots(x: int, queries: int) -> Across:
    """The axis of sessions: a lot of X ranks for each query, named Q1, Q2 and so on."""
    every = ceil(queries / 30)
    return Across(
        title=f"queries, top {x} of each",
        low=0,
        high=x * queries,
        values=[x * (q + 0.5) for q in range(0, queries, every)],
        label=f"'Q' + ceil(datum.value / {x})",
        rules=[x * q for q in range(queries + 1)],
    )
