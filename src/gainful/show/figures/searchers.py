"""Searchers of a log, seen and modelled: who reads on down a list, who asks again?"""

from __future__ import annotations

from math import ceil
from typing import Any

import polars as pl
from attrs import evolve

from gainful.evidence.searchers.calibration import Behaviour, Calibration, format_estimate
from gainful.evidence.searchers.observe import expect_shares, observe_shares
from gainful.show.figures.figure import FigureData, Look
from gainful.show.figures.line_chart import Line, XAxis, build_line_layers, with_caption
from gainful.show.theme import SIZE, Spec, build_layer, quantitative
from gainful.text import count_noun

_WIDTH, _HEIGHT = 250, 260  # of each panel
_MOST_TICKS = 10  # of an axis
_SEEN = "seen"
_USUAL = ("jk2008", "geometric")  # drawn beside the one that fits best
_PANELS = {
    "reading": ("Reading on", "rank", "searchers who look at this rank"),
    "clicking": ("Reading on", "rank", "lists clicked at this rank or below"),
    "asking": ("Asking again", "query", "sessions with this query"),
}


def searchers_data(calibration: Calibration) -> FigureData:
    """Who reads on, and who queries again? Observations and fitted models.

    Args:
        calibration: what `gainful.calibrate` returned.

    Returns:
        Columns behaviour (reading, clicking, asking), line (seen, or the name of a discount), at,
        share, and low and high of the observations.
    """
    reading = calibration.searchers.reading
    by_clicks = calibration.depth_from == "clicked"
    behaviours = {} if reading is None else {"clicking" if by_clicks else "reading": reading}
    behaviours["asking"] = calibration.searchers.asking
    rows = [
        row
        for name, behaviour in behaviours.items()
        for row in _behaviour_rows(name, behaviour, calibration.level)
    ]
    schema = {"behaviour": pl.String, "line": pl.String, "at": pl.Int64}
    schema |= dict.fromkeys(("share", "low", "high"), pl.Float64)
    estimates = " · ".join(
        f"{entry.symbol} = {format_estimate(entry, calibration.level)}"
        for entry in calibration.searchers.estimates
    )
    sessions = count_noun(calibration.searchers.sessions, "session")
    queries = count_noun(calibration.searchers.query_count, "query")
    source = (
        f"{calibration.log}: {sessions}, {queries} · dots: observed, with "
        f"{100 * calibration.level:g} % intervals · lines: fitted models"
    )
    return FigureData(
        frame=pl.DataFrame(rows, schema=schema, orient="row"),
        title="Searchers, observed and modelled",
        caption=(estimates, source),
    )


def _behaviour_rows(name: str, behaviour: Behaviour, level: float) -> list[tuple[Any, ...]]:
    shares = observe_shares(behaviour.stops, level)
    columns = (shares.reached, shares.share, shares.low, shares.high)
    seen = zip(*(column.tolist() for column in columns), strict=True)
    rows: list[tuple[Any, ...]] = [(name, _SEEN, *row) for row in seen]
    for discount in dict.fromkeys((behaviour.best, *_USUAL)):
        expected = expect_shares(behaviour.fits[discount], behaviour.stops, len(shares.reached))
        rows += [
            (name, discount, at, share, None, None)
            for at, share in enumerate(expected.tolist(), start=1)
        ]
    return rows


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A panel for each thing that searchers do: dots seen, lines of models."""
    width, height = look.width or _WIDTH, look.height or _HEIGHT
    look = evolve(look, width=width, height=height)
    parts = data.frame.group_by("behaviour", maintain_order=True)
    panels = [_draw_panel(part, str(name), look) for (name,), part in parts]
    labels = data.frame["line"].unique(maintain_order=True).to_list()
    body: Spec = {"concat": panels, "columns": 2, "spacing": 24}
    body["resolve"] = {"scale": dict.fromkeys(("color", "strokeDash"), "independent")}
    caption_width = width * len(panels) + 120 * (len(panels) - 1)
    return with_caption(data, look, body, labels, caption_width)


def _draw_panel(frame: pl.DataFrame, name: str, look: Look) -> Spec:
    title, axis, share = _PANELS[name]
    lines = [line for line in frame["line"].unique(maintain_order=True).to_list() if line != _SEEN]
    order = [line for line in ("jk2008", "geometric") if line in lines]
    colours = {line: at for at, line in enumerate([*order, *sorted(set(lines) - set(order))])}
    shares = frame.select("line", "at", "share")  # without the ends of a band
    models = [
        Line.from_frame(shares.filter(line=line), "at", "share", label=line, colour=at, dash=at)
        for line in lines
        for at in [colours[line]]
    ]
    last = max(2, *frame["at"].to_list())
    step = ceil((last - 1) / _MOST_TICKS)
    x_axis = XAxis(title=axis, low=1, high=last, values=range(1, last + 1, step))
    layers = build_line_layers(models, x_axis, share, look, highest=1.0)
    layers[-1:-1] = _draw_seen(frame.filter(line=_SEEN), layers[0]["encoding"], look)
    heading = {"text": title, "fontSize": SIZE, "fontWeight": 600, "offset": 6}
    return {"width": look.width, "height": look.height, "title": heading, "layer": layers}


def _draw_seen(frame: pl.DataFrame, axes: Spec, look: Look) -> list[Spec]:
    """What was seen: dots with intervals, in the colour of text."""
    values = frame.select(x="at", y="share", low="low", high="high", name="line").to_dicts()
    x, y, ink = axes["x"], axes["y"], look.tones.ink
    whisker = {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    tooltip = [quantitative("x", title="at"), quantitative("y", title="share", format=".4f")]
    dot = {"x": x, "y": y, "tooltip": tooltip}
    return [
        build_layer("rule", values, whisker, color=ink, strokeWidth=1, opacity=0.7),
        build_layer("point", values, dot, filled=True, size=26, color=ink, opacity=1),
    ]
