"""Lines across ranks, queries or recall: named at their ends, with bands where there are any."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

import polars as pl
from attrs import evolve, field, frozen

from gainful.show.figures.figure import (
    BOLD,
    PAPER_SIZES,
    FigureData,
    Look,
    clean_text,
    shorten_names,
    spread_labels,
    text_width,
    wrap_lines,
)
from gainful.show.theme import (
    DASHES,
    SIZE,
    Spec,
    Tones,
    build_layer,
    build_vega_config,
    nominal,
    quantitative,
)
from gainful.text import count_noun

WIDTH, HEIGHT = 560, 320
LABEL_GAP = 14  # pixels between labels
NO_LINE = {"domain": False, "ticks": False}  # of an axis
_Y_AXIS_WIDTH = 56  # pixels that the axis at the left takes
_NAME_FIELD = nominal("name")  # what a screen reader says of a line


@frozen(kw_only=True)
class Line:
    """One line: what it is called, where it goes, and which colour and dash it has."""

    label: str = field(converter=clean_text)
    points: pl.DataFrame  # x, y, and low and high where there is a band
    colour: int = 0
    dash: int = 0
    width: float = 2.0
    labelled: bool = True  # is its name?

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, x: str, y: str, **look: Any) -> Line:
        """The line through two columns of a frame, with a band if it has low and high."""
        band = [name for name in ("low", "high") if name in frame.columns]
        points = frame.select(pl.col(x).alias("x"), pl.col(y).alias("y"), *band)
        return cls(points=points.drop_nulls("y"), **look)


def draw_one_by_one(frame: pl.DataFrame, by: str, x: str, y: str) -> list[Line]:
    """A line for each run or group, which has its own colour and dash."""
    parts = frame.group_by(by, maintain_order=True)
    return [
        Line.from_frame(part, x, y, label=label, colour=at, dash=at)
        for at, ((label,), part) in enumerate(parts)
    ]


@frozen(kw_only=True)
class XAxis:
    """The axis from left to right."""

    title: str
    low: float
    high: float
    values: Sequence[float] | None = None  # where its labels stand
    label: str | None = None  # a Vega expression of our own that makes them
    rules: Sequence[float] = ()  # where thin lines go up


def series_colour(index: int, tones: Tones) -> str:
    """The colour of a series; they come again after the last."""
    return tones.series[index % len(tones.series)]


def label_colour(index: int, tones: Tones) -> str:
    """The colour of the name of a series, which must be dark enough to read."""
    return tones.names[index % len(tones.names)]


def axis_end(values: Sequence[float]) -> float:
    """A round number that no value passes, for the end of an axis.

    Examples:
        >>> axis_end([0.43]), axis_end([17.2]), axis_end([0.0])
        (0.5, 20.0, 1.0)
    """
    largest = max(values, default=0.0)
    if largest <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(largest))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next(float(f"{step * unit:g}") for step in steps if step * unit >= largest * (1 - 1e-9))


def draw_line_chart(
    data: FigureData, lines: Sequence[Line], x_axis: XAxis, look: Look, **layer_options: Any
) -> Spec:
    """A whole chart of lines; `layer_options` go to `build_line_layers`."""
    width, height = look.width or WIDTH, look.height or HEIGHT
    unlabelled = sum(line.labelled for line in lines) - _max_labels(height)
    if unlabelled > 0:
        note = f"Note: {count_noun(unlabelled, 'line')} without a label, for lack of room"
        data = evolve(data, caption=(*data.caption, note))
    layers = build_line_layers(lines, x_axis, data.axis_title, look, **layer_options)
    body: Spec = {"width": width, "height": height, "layer": layers}
    return with_caption(data, look, body, [line.label for line in lines])


def _max_labels(height: int) -> int:
    return height // LABEL_GAP + 1


def with_caption(
    data: FigureData, look: Look, body: Spec, labels: Sequence[str] = (), width: int | None = None
) -> Spec:
    """A chart with its title; in `usermeta` its caption, and what a page needs to fit it.

    `labels` stand at its right; `width` is that of all panels, where it has some.
    """
    label_width = text_width(shorten_names(labels)) + 8
    whole_width = (width or body["width"]) + label_width  # not all have an axis at the left
    heading = data.title if look.title is None else look.title
    title = wrap_lines([heading], whole_width, (SIZE + 3) * BOLD)
    return {
        "config": build_vega_config(look.tones),
        "title": {"text": title[0] if len(title) == 1 else title},
        "description": clean_text(". ".join((heading, *data.caption))),
        "padding": {"left": 12, "top": 12, "right": 12 + label_width // 8, "bottom": 12},
        **body,
        "usermeta": {
            "room": label_width + _Y_AXIS_WIDTH + 40,
            "title": clean_text(heading),
            "caption": [clean_text(line) for line in look.choose_lines(data.caption)],
            "lines": wrap_lines(look.choose_lines(data.caption), whole_width),
            "quiet": look.tones.quiet,
            "millimetres": None if look.size is None else PAPER_SIZES[look.size],
        },
    }


def join_panels(
    data: FigureData, look: Look, panels: Sequence[Spec], labels: Sequence[str] = (), gap: int = 0
) -> Spec:
    """Panels two by two, each with colours of its own; one alone needs no heading."""
    if len(panels) == 1:
        body = {name: panels[0][name] for name in ("width", "height", "layer")}
        return with_caption(data, look, body, labels)
    own_colours = {"scale": dict.fromkeys(("color", "strokeDash"), "independent")}
    body = {"concat": list(panels), "columns": 2, "resolve": own_colours}
    return with_caption(data, look, body, labels, 2 * panels[0]["width"] + gap)


def build_line_layers(
    lines: Sequence[Line],
    x_axis: XAxis,
    axis_title: str,
    look: Look,
    *,
    points: bool = False,
    highest: float | None = None,
) -> list[Spec]:
    """The layers of a plot: rules, bands, lines, and their names at the right.

    The axis of values ends at a round number above them, if `highest` is not said.
    """
    tones = look.tones
    values = pl.concat(
        [
            line.points.with_columns(series=at, name=pl.lit(line.label), wide=line.width)
            for at, line in enumerate(lines)
        ],
        how="diagonal",
    )
    columns = [name for name in ("low", "y", "high") if name in values.columns]
    ends = [end for name in columns for end in values[name].drop_nulls()]
    low, high = min([0.0, *ends]), axis_end(ends) if highest is None else highest
    x_options: Spec = {"grid": False, "labelFlush": False, "labelOverlap": True}
    x_options |= {"labelSeparation": 4}
    x_options |= {"tickMinStep": 1} if x_axis.values is None else {"values": list(x_axis.values)}
    if x_axis.label is not None:
        x_options |= {"labelExpr": x_axis.label, "ticks": False}
    x = build_axis("x", x_axis.title, [x_axis.low, x_axis.high], **x_options)
    x["scale"]["zero"] = False
    y = build_axis("y", axis_title, [low, high], tickCount=5, **NO_LINE, labelPadding=8)
    layers: list[Spec] = []
    if x_axis.rules:
        rules = [{"x": position} for position in x_axis.rules]
        style = {"color": tones.line, "strokeWidth": 1, "aria": False}
        layers.append(build_layer("rule", rules, {"x": x}, **style))
    colour = number_channel("series", [series_colour(line.colour, tones) for line in lines])
    if "low" in columns:
        band = values.drop_nulls("low").select("series", "x", "low", "high").to_dicts()
        reach = {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}, "color": colour}
        layers.append(build_layer("area", band, reach, opacity=0.16, aria=False))
    # Moved on by one each time that colours come again.
    dashes = [DASHES[(line.dash + line.dash // len(DASHES)) % len(DASHES)] for line in lines]
    channels = {
        "x": x,
        "y": y,
        "color": colour,
        "strokeDash": number_channel("series", dashes),
        "strokeWidth": quantitative("wide", scale=None),
        "tooltip": [
            nominal("name", title="line"),
            quantitative("x", title=x_axis.title or "position"),
            quantitative("y", title=axis_title, format=".4f"),
        ],
        "description": _NAME_FIELD,
    }
    style = {"interpolate": "linear", "point": points, "clip": False}
    rows = values.drop("low", "high", strict=False).to_dicts()
    layers.append(build_layer("line", rows, channels, **style))
    layers.append(_draw_labels(lines, (low, high), look, x, y))
    return layers


def build_axis(field: str, title: str | None, ends: Sequence[float], **options: Any) -> Spec:
    """A channel of numbers, whose axis goes from one of these ends to the other."""
    scale: Spec = {"domain": list(ends), "nice": False}
    return quantitative(field, scale=scale, axis={"title": title, **options})


def number_channel(field: str, values: Sequence[Any]) -> Spec:
    """A channel that gives each number a value, such as a colour."""
    return nominal(field) | {
        "scale": {"domain": list(range(len(values))), "range": list(values)},
        "legend": None,
    }


def _draw_labels(
    lines: Sequence[Line], domain: tuple[float, float], look: Look, x: Spec, y: Spec
) -> Spec:
    """The name of each line at its end; where there is no room for all, of the highest."""
    height = look.height or HEIGHT
    low, high = domain
    ends = [
        (at, line, *line.points.select("x", "y").row(-1))
        for at, line in enumerate(lines)
        if line.labelled and len(line.points)
    ]
    ends = sorted(ends, key=lambda end: -end[3])[: _max_labels(height)]
    scale = height / (high - low)
    offsets = spread_labels([(end - low) * scale for *_, end in ends], LABEL_GAP, 0, height)
    labels = shorten_names(line.label for _, line, *_ in ends)
    values = [
        {
            "series": at,
            "label": label,
            "name": line.label,
            "colour": label_colour(line.colour, look.tones),
            "x": place,
            "y": low + offset / scale,
        }
        for (at, line, place, _), label, offset in zip(ends, labels, offsets, strict=True)
    ]
    channels = {
        "x": x,
        "y": y,
        "text": nominal("label"),
        "color": nominal("colour", scale=None, legend=None),
        "tooltip": _NAME_FIELD,
        "description": _NAME_FIELD,
    }
    style = {"align": "left", "baseline": "middle", "dx": 7, "fontSize": SIZE - 1}
    return build_layer("text", values, channels, **style, clip=False)


def build_session_axis(depth: int, queries: int) -> XAxis:
    """The axis of sessions: a lot of X ranks for each query, named Q1, Q2 and so on."""
    step = ceil(queries / 30)
    return XAxis(
        title=f"queries, top {depth} of each",
        low=0,
        high=depth * queries,
        values=[depth * (q + 0.5) for q in range(0, queries, step)],
        label=f"'Q' + ceil(datum.value / {depth})",
        rules=[depth * q for q in range(queries + 1)],
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Title and caption as ever, and in place of the plot why there is none."""
    width, height = look.width or WIDTH, look.height or 48
    rows = [{"text": wrap_lines([data.empty_reason], width - 20, SIZE + 1)}]
    place = {"x": {"value": 0}, "y": {"value": 10}, "text": nominal("text")}
    style = {"fontSize": SIZE + 1, "align": "left", "baseline": "top", "lineHeight": 18}
    body = build_layer("text", rows, place, **style) | {"width": width, "height": height}
    return with_caption(data, look, body)
