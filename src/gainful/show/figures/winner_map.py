"""The map of who wins for whom, over b and bq, with its boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import exp, log
from typing import Any

import polars as pl

from gainful.errors import WrongType, counted
from gainful.measure.sessions.sweep import Plane, Sweep
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import colour, framed
from gainful.show.figures.text import name
from gainful.show.sweep import CHANCE
from gainful.show.theme import SIZE, Tones

TITLE = "Who is better for which searcher?"
_SIDE = 380  # pixels
_STEPS = 5  # shades between a tie and the greatest lead
_LIGHTEST, _DARKEST = 0.12, 0.62  # how much of its colour the winner has there
_TICKS = (1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)


def map_data(sweep: Sweep) -> Data:
    """Which system is better for which searcher, and where does the winner change?

    Args:
        sweep: what `gainful.sweep` returned.

    Returns:
        A row for each setting, point of the boundary and reference (`kind`): weights, depth, b,
        bq, winner (null where none wins; on the boundary, who wins below it), by how much it is
        ahead of the next.
    """
    if not isinstance(sweep, Sweep):
        raise WrongType("sweep", sweep, "a Sweep, as gainful.sweep gives")
    rows: list[dict[str, Any]] = []
    for plane in sweep.planes:
        here = {"weights": plane.weights, "depth": plane.depth}
        rows += [
            {**here, "kind": "setting", "b": b, "bq": bq, **_lead(sweep, plane, i, j)}
            for i, b in enumerate(sweep.b)
            for j, bq in enumerate(sweep.bq)
        ]
        rows += [
            {
                **here,
                "kind": "boundary",
                "b": one.b,
                "bq": one.bq,
                "winner": sweep.called[one.below],
                "ahead": 0.0,
            }
            for one in plane.boundary
        ]
        b, bq = sweep.reference
        rows.append({**here, "kind": "reference", "b": b, "bq": bq, "winner": None, "ahead": None})
    schema = {"weights": pl.String, "depth": pl.Int64, "kind": pl.String, "b": pl.Float64}
    schema |= {"bq": pl.Float64, "winner": pl.String, "ahead": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema)
    counts = sweep.counts
    settings = frame.filter(pl.col("kind") == "setting")
    nothing = ""
    if not settings["winner"].drop_nulls().len():
        nothing = "No group is ahead of the others anywhere: there is no winner to show."
    depths = ", ".join(dict.fromkeys(str(plane.depth) for plane in sweep.planes))
    gains = ", ".join(dict.fromkeys(plane.weights for plane in sweep.planes))
    return Data(
        frame=frame,
        title=TITLE,
        said=(
            *sweep.sentences,
            (
                f"mean {sweep.measure} of {counted(counts['sessions'], 'session')}, "
                f"{counted(counts['queries'], 'query')} · top {depths} · gain {gains} · like "
                f"{sweep.convention.name} · darker: further ahead"
            ),
            CHANCE,
            *(f"Note: {note}" for note in sweep.notes),
        ),
        nothing=nothing,
        more={"groups": sweep.called, "several": len(sweep.planes) > 1},
    )


def no_winner(why: str) -> Data:
    """What is shown of a single group."""
    return Data(frame=pl.DataFrame(), title=TITLE, said=(), nothing=f"{why[:1].upper()}{why[1:]}.")


def _lead(sweep: Sweep, plane: Plane, i: int, j: int) -> dict[str, Any]:
    """Who wins at a setting, and by how much."""
    won = int(plane.winners[i, j])
    means = sorted((float(mean) for mean in plane.means[i, j] if mean == mean), reverse=True)  # noqa: PLR0124  (not a number)
    ahead = means[0] - means[1] if len(means) > 1 and won >= 0 else 0.0
    return {"winner": sweep.called[won] if won >= 0 else None, "ahead": ahead}


def chart(data: Data, look: Look) -> Spec:
    """A square for each choice of weights and depth; both axes logarithmic."""
    frame, groups = data.frame, list(data.more["groups"])
    planes = frame.select("weights", "depth").unique(maintain_order=True).rows()
    most = frame.filter(pl.col("kind") == "setting")["ahead"].max()
    width, height = look.width or _SIDE, look.height or _SIDE
    size = Look(width=width, height=height, dark=look.dark)
    panels = []
    for weights, depth in planes:
        own = frame.filter((pl.col("weights") == weights) & (pl.col("depth") == depth))
        layers = _layers(own, groups, float(most or 0.0), size)  # type: ignore[arg-type]
        head = {"text": f"{name(weights, 40)}, top {depth}", "fontWeight": 500}
        panels.append({"title": head, "width": width, "height": height, "layer": layers})
    if len(panels) == 1:
        return framed(data, look, {"layer": panels[0]["layer"]}, width, height, [" " * 12])
    body: Spec = {"concat": panels, "columns": 2}
    found = framed(data, look, body, 2 * width, height, [])
    return {key: value for key, value in found.items() if key not in ("width", "height")}


def _layers(own: pl.DataFrame, groups: list[str], most: float, look: Look) -> list[Spec]:
    tones = look.tones
    settings = own.filter(pl.col("kind") == "setting")
    bs, bqs = (sorted(settings[one].unique().to_list()) for one in ("b", "bq"))
    cells = _cells(settings, groups, most, (bs, bqs), tones)
    across, up = _edges(bs), _edges(bqs)
    x = _axis("b", "b: small for a searcher who soon stops reading a list", across)
    y = _axis("bq", "bq: small for one to whom another query is a burden", up)
    layers: list[Spec] = [
        {
            "data": {"values": cells},
            "mark": {"type": "rect", "aria": False, "strokeWidth": 1.2},
            "encoding": {
                "x": x | {"field": "left"},
                "x2": {"field": "right"},
                "y": y | {"field": "low"},
                "y2": {"field": "high"},
                "fill": {"field": "colour", "type": "nominal", "scale": None},
                "stroke": {"field": "colour", "type": "nominal", "scale": None},
            },
        }
    ]
    points = own.filter(pl.col("kind") == "boundary").sort("b", "bq").select("b", "bq").to_dicts()
    if points:
        upright = len({one["bq"] for one in points}) == len(points)  # b may come again
        single = upright or len({one["b"] for one in points}) == len(points)
        layers.append(
            {
                "data": {"values": points},
                "mark": {"type": "line", "color": tones.ink, "strokeWidth": 1.6, "clip": True}
                if single and len(points) > 1
                else {"type": "point", "color": tones.ink, "filled": True, "size": 22},
                "encoding": {"x": x, "y": y}
                | ({"order": {"field": "bq", "type": "quantitative"}} if upright else {}),
            }
        )
    (here,) = own.filter(pl.col("kind") == "reference").select("b", "bq").to_dicts()
    inside = across[0] <= here["b"] <= across[-1] and up[0] <= here["bq"] <= up[-1]
    if inside:
        told = f"b = {here['b']:g}, bq = {here['bq']:g}"
        layers += _reference(here | {"told": told}, x, y, tones)
    layers.append(_regions(settings, groups, x, y, here if inside else None, tones))
    return layers


def _axis(field: str, title: str, edges: Sequence[float]) -> Spec:
    low, high = edges[0], edges[-1]
    ticks = [one for one in _TICKS if low <= one <= high]
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {
            "title": title,
            "values": ticks,
            "format": "~g",
            "grid": False,
            "labelOverlap": True,
            "domain": False,
        },
    }


def _edges(bases: Sequence[float]) -> list[float]:
    """Where the cells of bases end: half way to the next, in the logarithm."""
    logs = [log(one) for one in bases]
    if len(logs) == 1:
        return [exp(logs[0] - 0.05), exp(logs[0] + 0.05)]
    middle = [(one + other) / 2 for one, other in pairwise(logs)]
    return [bases[0], *(exp(one) for one in middle), bases[-1]]


def _cells(
    settings: pl.DataFrame,
    groups: list[str],
    most: float,
    bases: tuple[list[float], list[float]],
    tones: Tones,
) -> list[Spec]:
    """Rectangles of one shade: neighbours in a column that look the same are one."""
    bs, bqs = bases
    across, up = _edges(bs), _edges(bqs)
    shade = {
        (row["b"], row["bq"]): _shade(row["winner"], row["ahead"], groups, most, tones)
        for row in settings.iter_rows(named=True)
    }
    found: list[Spec] = []
    for i, b in enumerate(bs):
        for j, bq in enumerate(bqs):
            hue = shade[b, bq]
            if j and found[-1]["colour"] == hue:
                found[-1]["high"] = up[j + 1]
                continue
            found.append(
                {
                    "left": across[i],
                    "right": across[i + 1],
                    "low": up[j],
                    "high": up[j + 1],
                    "colour": hue,
                }
            )
    return found


def _shade(winner: str | None, ahead: float, groups: list[str], most: float, tones: Tones) -> str:
    if winner is None or most <= 0:
        return tones.raised
    step = min(_STEPS - 1, int(_STEPS * ahead / most))
    strength = _LIGHTEST + (_DARKEST - _LIGHTEST) * step / (_STEPS - 1)
    return mixed(colour(groups.index(winner), tones), tones.paper, strength)


def mixed(one: str, other: str, share: float) -> str:
    """A colour between two: so much of the one, the rest of the other.

    Examples:
        >>> mixed("#000000", "#ffffff", 0.5)
        '#808080'
    """
    parts = [
        round(int(one[at : at + 2], 16) * share + int(other[at : at + 2], 16) * (1 - share))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _reference(here: Spec, x: Spec, y: Spec, tones: Tones) -> list[Spec]:
    """A ring, and above it which setting that is, on a halo that keeps it readable on a line."""
    place = {"x": x, "y": y}
    told = place | {"text": {"field": "told", "type": "nominal"}}
    text = {"type": "text", "align": "center", "baseline": "bottom", "dy": -8}
    ring = {"type": "point", "size": 60, "filled": True, "opacity": 1, "strokeWidth": 1.6}
    marks: list[tuple[Spec, Spec]] = [
        (ring | {"fill": tones.paper, "stroke": tones.ink}, place),
        (
            text | {"stroke": tones.paper, "strokeWidth": 3, "strokeJoin": "round", "aria": False},
            told,
        ),
        (text | {"color": tones.ink}, told),
    ]
    return [
        {"data": {"values": [here]}, "mark": mark, "encoding": encoding} for mark, encoding in marks
    ]


def _regions(  # noqa: PLR0917
    settings: pl.DataFrame,
    groups: list[str],
    x: Spec,
    y: Spec,
    reference: Spec | None,
    tones: Tones,
) -> Spec:
    """The name of each winner in the middle of where it wins, clear of the reference."""
    won = Counter(settings["winner"].drop_nulls().to_list())
    values = []
    for group in groups:
        if not won[group]:
            continue
        own = settings.filter(pl.col("winner") == group)
        places = [(log(b), log(bq)) for b, bq in own.select("b", "bq").iter_rows()]
        values.append(_middle(places, reference, settings) | {"label": name(group)})
    return {
        "data": {"values": values},
        "mark": {
            "type": "text",
            "fontSize": SIZE + 2,
            "fontWeight": 600,
            "align": "center",
            "baseline": "middle",
            "color": tones.ink,
        },
        "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
    }


def _middle(
    places: list[tuple[float, float]], reference: Spec | None, settings: pl.DataFrame
) -> Spec:
    """The setting nearest to the middle of those where a group wins, not on the reference."""
    spans = [
        (min(logs), max(logs))
        for logs in ([log(one) for one in settings[axis].to_list()] for axis in ("b", "bq"))
    ]
    centre = [sum(place[axis] for place in places) / len(places) for axis in (0, 1)]
    free = places
    if reference is not None:
        level, near = log(reference["bq"]), (spans[1][1] - spans[1][0]) / 8
        free = [place for place in places if abs(place[1] - level) > near] or places
    best = min(free, key=lambda place: sum((place[at] - centre[at]) ** 2 for at in (0, 1)))
    inner = []  # what stands on the edge would stand on the axis
    for at, (low, high) in zip(best, spans, strict=True):
        edge = (high - low) / 25
        inner.append(exp(min(max(at, low + edge), high - edge)))
    return {"b": inner[0], "bq": inner[1]}
