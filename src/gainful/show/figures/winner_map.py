"""The map of who wins for whom, over b and bq, with its boundary."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from math import exp, log
from typing import Any

import numpy as np
import polars as pl

from gainful.evidence.orders.sweep import CHANCE_NOTE, Plane, Sweep
from gainful.show.figures.figure import FigureData, Look, shorten_name, shorten_names, wrap_lines
from gainful.show.figures.line_chart import join_panels, series_colour
from gainful.show.theme import SIZE, Spec, Tones, build_layer, nominal, quantitative
from gainful.text import count_noun, mark_notes

TITLE = "Which system is better for which searcher?"
_PANEL_SIZE = 380  # pixels
_SHADES = 5  # shades between a tie and the greatest lead
_LIGHTEST, _DARKEST = 0.12, 0.62  # how much of its colour the winner has there
_TICKS = (1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)
_B_TITLE = "b: small for a searcher who stops reading a list early"
_LABEL_SHAPE = (0.4, 1.0)  # how near others may be: a name is wider than high
_BQ_TITLE = "bq: small for one who rarely queries again"


def map_data(sweep: Sweep) -> FigureData:
    """Which system is better for which searcher, and where does the winner change?

    Args:
        sweep: what `gainful.sessions.sweep` returned.

    Returns:
        A row for each setting, point of the boundary and reference (`kind`): weights, depth, b,
        bq, winner (null where none wins; on the boundary, who wins below it), by how much it is
        ahead of the next.
    """
    rows: list[dict[str, Any]] = []
    for plane in sweep.planes:
        panel = {"weights": plane.weights, "depth": plane.depth}
        rows += [
            {**panel, "kind": "setting", "b": b, "bq": bq, **_describe_lead(sweep, plane, i, j)}
            for i, b in enumerate(sweep.b)
            for j, bq in enumerate(sweep.bq)
        ]
        rows += [
            {**panel, "kind": "boundary", "b": point.b, "bq": point.bq}
            | {"winner": sweep.group_labels[point.below], "ahead": 0.0}
            for point in plane.boundary
        ]
        b, bq = sweep.reference
        rows.append({**panel, "kind": "reference", "b": b, "bq": bq, "winner": None, "ahead": None})
    schema = {"weights": pl.String, "depth": pl.Int64, "kind": pl.String, "b": pl.Float64}
    schema |= {"bq": pl.Float64, "winner": pl.String, "ahead": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema)
    counts = sweep.counts
    settings = frame.filter(pl.col("kind") == "setting")
    empty_reason = ""
    if not settings["winner"].drop_nulls().len():
        empty_reason = "No group is ahead of the others anywhere: there is no winner to show."
    depths = ", ".join(dict.fromkeys(str(plane.depth) for plane in sweep.planes))
    gains = ", ".join(dict.fromkeys(plane.weights for plane in sweep.planes))
    return FigureData(
        frame=frame,
        title=TITLE,
        caption=(
            *sweep.sentences,
            f"shade: darker where the lead in mean {sweep.measure} is larger; nothing is tested",
            (
                f"mean {sweep.measure} of {count_noun(counts['sessions'], 'session')}, "
                f"{count_noun(counts['queries'], 'query')} · top {depths} · gain {gains} · like "
                f"{sweep.convention.name}"
            ),
            CHANCE_NOTE,
            *mark_notes(sweep.notes),
        ),
        empty_reason=empty_reason,
        extra={"groups": sweep.group_labels},
    )


def build_empty_data(reason: str) -> FigureData:
    """What is shown of a single group."""
    reason = f"{reason[:1].upper()}{reason[1:]}."
    return FigureData(frame=pl.DataFrame(), title=TITLE, caption=(), empty_reason=reason)


def _describe_lead(sweep: Sweep, plane: Plane, i: int, j: int) -> dict[str, Any]:
    winner = int(plane.winners[i, j])
    means = sorted((float(mean) for mean in plane.means[i, j] if mean == mean), reverse=True)  # noqa: PLR0124  (not a number)
    ahead = means[0] - means[1] if len(means) > 1 and winner >= 0 else 0.0
    return {"winner": sweep.group_labels[winner] if winner >= 0 else None, "ahead": ahead}


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A square for each choice of weights and depth; both axes logarithmic."""
    frame, groups = data.frame, list(data.extra["groups"])
    largest_lead = frame.filter(pl.col("kind") == "setting")["ahead"].max()
    width, height = look.width or _PANEL_SIZE, look.height or _PANEL_SIZE
    panel_look = Look(width=width, height=height, dark=look.dark)
    panels = []
    for (weights, depth), panel_frame in frame.group_by("weights", "depth", maintain_order=True):
        layers = _build_panel_layers(panel_frame, groups, float(largest_lead or 0.0), panel_look)  # type: ignore[arg-type]
        heading = {"text": f"{shorten_name(weights, 40)}, top {depth}", "fontWeight": 500}
        panels.append({"title": heading, "width": width, "height": height, "layer": layers})
    return join_panels(data, look, panels, [" " * 12])


def _build_panel_layers(
    frame: pl.DataFrame, groups: list[str], largest_lead: float, look: Look
) -> list[Spec]:
    tones = look.tones
    settings = frame.filter(pl.col("kind") == "setting")
    b_edges, bq_edges = (
        _cell_edges(settings[base].unique().sort().to_list()) for base in ("b", "bq")
    )
    cells = _merge_cells(settings, groups, largest_lead, (b_edges, bq_edges), tones)
    x = _build_log_axis("b", _B_TITLE, look.width, b_edges)
    y = _build_log_axis("bq", _BQ_TITLE, look.height, bq_edges)
    cell = {"x": x | {"field": "left"}, "x2": {"field": "right"}}
    cell |= {"y": y | {"field": "low"}, "y2": {"field": "high"}}
    cell |= dict.fromkeys(("fill", "stroke"), nominal("colour", scale=None))
    layers = [build_layer("rect", cells, cell, aria=False, strokeWidth=1.2)]
    points = frame.filter(pl.col("kind") == "boundary").sort("b", "bq").select("b", "bq").to_dicts()
    if points:
        unique_bq = len({point["bq"] for point in points}) == len(points)  # b may come again
        single_valued = unique_bq or len({point["b"] for point in points}) == len(points)
        border = {"x": x, "y": y} | ({"order": quantitative("bq")} if unique_bq else {})
        is_line = single_valued and len(points) > 1
        style = {"strokeWidth": 1.6, "clip": True} if is_line else {"filled": True, "size": 22}
        mark = "line" if is_line else "point"
        layers.append(build_layer(mark, points, border, color=tones.ink, **style))
    (reference,) = frame.filter(pl.col("kind") == "reference").select("b", "bq").to_dicts()
    inside = (
        b_edges[0] <= reference["b"] <= b_edges[-1]
        and bq_edges[0] <= reference["bq"] <= bq_edges[-1]
    )
    if inside:
        label = f"b = {reference['b']:g}, bq = {reference['bq']:g}"
        layers += _draw_reference(reference | {"label": label}, x, y, tones)
    layers.append(_label_regions(settings, groups, x, y, reference if inside else None, tones))
    return layers


def _build_log_axis(field: str, title: str, room: int | None, edges: Sequence[float]) -> Spec:
    lines = wrap_lines([title], room or _PANEL_SIZE, SIZE)
    low, high = edges[0], edges[-1]
    axis = {
        "title": lines if len(lines) > 1 else title,
        "values": [tick for tick in _TICKS if low <= tick <= high],
        "format": "~g",
        "grid": False,
        "labelOverlap": True,
        "domain": False,
    }
    scale = {"type": "log", "domain": [low, high], "nice": False}
    return quantitative(field, scale=scale, axis=axis)


def _cell_edges(bases: Sequence[float]) -> list[float]:
    logs = [log(value) for value in bases]
    if len(logs) == 1:
        return [exp(logs[0] - 0.05), exp(logs[0] + 0.05)]
    midpoints = [(value + following) / 2 for value, following in pairwise(logs)]
    return [bases[0], *(exp(value) for value in midpoints), bases[-1]]


def _merge_cells(
    settings: pl.DataFrame,
    groups: list[str],
    largest_lead: float,
    edges: tuple[list[float], list[float]],
    tones: Tones,
) -> list[Spec]:
    """Rectangles of one shade: neighbours in a column that look the same are one."""
    cells: list[Spec] = []
    places = product(*map(pairwise, edges))
    rows = settings.sort("b", "bq").select("winner", "ahead").iter_rows()
    for ((left, right), (low, high)), (winner, ahead) in zip(places, rows, strict=True):
        hue = _shade(winner, ahead, groups, largest_lead, tones)
        if cells and (cells[-1]["left"], cells[-1]["colour"]) == (left, hue):
            cells[-1]["high"] = high
        else:
            cells.append({"left": left, "right": right, "low": low, "high": high, "colour": hue})
    return cells


def _shade(
    winner: str | None, ahead: float, groups: list[str], largest_lead: float, tones: Tones
) -> str:
    if winner is None or largest_lead <= 0:
        return tones.raised
    step = min(_SHADES - 1, int(_SHADES * ahead / largest_lead))
    strength = _LIGHTEST + (_DARKEST - _LIGHTEST) * step / (_SHADES - 1)
    return mix_colours(series_colour(groups.index(winner), tones), tones.paper, strength)


def mix_colours(first: str, second: str, share: float) -> str:
    """A colour between two: so much of the one, the rest of the other.

    Examples:
        >>> mix_colours("#000000", "#ffffff", 0.5)
        '#808080'
    """
    pairs = zip(*(bytes.fromhex(colour[1:]) for colour in (first, second)), strict=True)
    return "#" + bytes(round(a * share + b * (1 - share)) for a, b in pairs).hex()


def _draw_reference(reference: Spec, x: Spec, y: Spec, tones: Tones) -> list[Spec]:
    """A ring, and above it which setting that is, on a halo that keeps it readable on a line."""
    position = {"x": x, "y": y}
    labelled_position = position | {"text": nominal("label")}
    text = {"align": "center", "baseline": "bottom", "dy": -8}
    ring = {"size": 60, "filled": True, "opacity": 1, "strokeWidth": 1.6, "fill": tones.paper}
    halo = {"stroke": tones.paper, "strokeWidth": 3, "strokeJoin": "round", "aria": False}
    return [
        build_layer("point", [reference], position, **ring, stroke=tones.ink),
        build_layer("text", [reference], labelled_position, **text, **halo),
        build_layer("text", [reference], labelled_position, **text, color=tones.ink),
    ]


def _label_regions(  # noqa: PLR0917
    settings: pl.DataFrame,
    groups: list[str],
    x: Spec,
    y: Spec,
    reference: Spec | None,
    tones: Tones,
) -> Spec:
    """The name of each winner where it has most room, clear of the reference."""
    values = []
    for group, label in zip(groups, shorten_names(groups), strict=True):
        won = settings.filter(winner=group).select("b", "bq")
        places = [(log(b), log(bq)) for b, bq in won.iter_rows()]
        if places:
            position = _label_position(places, reference, settings)
            values.append(position | {"label": label})
    style = {"fontSize": SIZE + 2, "fontWeight": 600, "color": tones.ink}
    place = {"x": x, "y": y, "text": nominal("label")}
    return build_layer("text", values, place, align="center", baseline="middle", **style)


def _label_position(
    places: list[tuple[float, float]], reference: Spec | None, settings: pl.DataFrame
) -> Spec:
    """Of the settings where a group wins that with most room around it, not on the reference."""
    spans = [
        (min(logs), max(logs))
        for logs in ([log(base) for base in settings[axis].to_list()] for axis in ("b", "bq"))
    ]
    candidates = places
    if reference is not None:
        at, clearance = log(reference["bq"]), (spans[1][1] - spans[1][0]) / 8
        candidates = [place for place in places if abs(place[1] - at) > clearance] or places
    everywhere = {(log(b), log(bq)) for b, bq in settings.select("b", "bq").iter_rows()}
    lost = np.array([*everywhere.difference(places)]).reshape(-1, 2)

    def measure_room(place: tuple[float, float]) -> float:
        edges = np.abs(np.transpose(spans) - place).min(axis=0) * _LABEL_SHAPE
        around = (np.abs(lost - place) * _LABEL_SHAPE).max(axis=1).min(initial=np.inf)
        return float(min(around, edges.min()))

    best = max(candidates, key=measure_room)
    position = []  # what stands on the edge would stand on the axis
    for coordinate, (low, high) in zip(best, spans, strict=True):
        margin = (high - low) / 25
        position.append(exp(min(max(coordinate, low + margin), high - margin)))
    return {"b": position[0], "bq": position[1]}
