"""What systems bring for what they cost: means of groups, and those that none other beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadValue, check_name
from gainful.evidence.intervals import choose_drawn, describe_methods, session_intervals
from gainful.evidence.statistics.outcome import Resampling
from gainful.match.session_groups import By
from gainful.measure.build_session_recipes import Cost, build_session_recipe, cost_measure
from gainful.measure.results import list_footnotes
from gainful.measure.sessions.results import SessionResults
from gainful.measure.sessions.session_values import compute_session_values
from gainful.show.figures.figure import (
    FigureData,
    Look,
    clean_text,
    mark_lower,
    shorten_names,
    text_width,
)
from gainful.show.figures.line_chart import (
    HEIGHT,
    NO_LINE,
    WIDTH,
    axis_end,
    build_axis,
    label_colour,
    with_caption,
)
from gainful.show.figures.session_curves import label_groups
from gainful.show.theme import SIZE, Spec, build_layer, nominal, quantitative
from gainful.types import Array, Flags

_LABEL_HEIGHT = 15  # pixels that a name takes


def frontier_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = "system",
    cost: Cost | None = None,
) -> FigureData:
    """How much does each system gain at what cost, and which are not dominated?

    A system is on the frontier if no other gains as much for less, or more at the same cost.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first that is no cost.
        by: the column, or columns, whose groups are drawn.
        cost: what searching costs, such as "query=50,result=tokens"; by default the measure Cost of
            the results.

    Returns:
        Columns group, sessions, cost and gain with low and high, per_cost, frontier.
    """
    names = [name for name in results.values if name not in results.costs]
    if measure is not None:
        check_name("measure", measure, names)
    if not names:
        raise BadValue("measure", ", ".join(results.values), "one that measures gain")
    name = measure or names[0]
    priced, cost_name = _add_cost(results, cost)
    groups = dict(label_groups(results, by))
    all_intervals = session_intervals(
        priced.select_measures([cost_name, name]),
        groups,
        Resampling(),
        unit="session",
        drawn=choose_drawn(results.columns, groups.values()),
    )
    rows = []
    for (label, flags), of_group in zip(groups.items(), all_intervals, strict=True):
        spending, gaining = (of_group.intervals[part] for part in (cost_name, name))
        gain, spent = gaining.mean, spending.mean
        has_ratio = not results.directions[name].is_lower
        ratio = gain / spent if has_ratio and spent and gain is not None else None
        ends = (end for each in (spending, gaining) for end in (each.mean, each.low, each.high))
        rows.append((label, int(flags.sum()), *ends, ratio))
    numbers = ("cost", "cost_low", "cost_high", "gain", "gain_low", "gain_high", "per_cost")
    schema = {"group": pl.String, "sessions": pl.Int64, **dict.fromkeys(numbers, pl.Float64)}
    frame = pl.DataFrame(rows, schema=schema, orient="row").drop_nulls(["cost", "gain"])
    direction = results.directions[name]
    methods = describe_methods(all_intervals, verbose=True)
    frontier = find_frontier(frame["cost"].to_numpy(), direction.sign * frame["gain"].to_numpy())
    return FigureData(
        frame=frame.with_columns(frontier=pl.Series(frontier, dtype=pl.Boolean)),
        title=f"Gain and cost of systems: {name}",
        caption=(
            f"{cost_name} · lines through dots: 95 % intervals of the means, {methods}",
            *(line for line in list_footnotes([results]) if cost_name not in line),
        ),
        axis_title=f"mean {mark_lower(name, direction)}",
        empty_reason="" if len(frame) else "No session has a value, so there is nothing to show.",
    )


def find_frontier(cost: Array, gain: Array) -> Flags:
    """Which points does none other beat, by less cost and as much gain, or more for as much?

    Examples:
        >>> find_frontier(np.array([1.0, 2.0, 2.0, 3.0]), np.array([0.5, 0.4, 0.7, 0.7])).tolist()
        [True, False, True, False]
    """
    cheaper = cost[None, :] <= cost[:, None]
    better = gain[None, :] >= gain[:, None]
    strictly = (cost[None, :] < cost[:, None]) | (gain[None, :] > gain[:, None])
    return np.asarray(~(cheaper & better & strictly).any(axis=1))


def _add_cost(results: SessionResults, cost: Cost | None) -> tuple[SessionResults, str]:
    """Results with what sessions cost among their measures, and what that is called."""
    if cost is not None:
        recipe = build_session_recipe(cost_measure(cost))
        costs = compute_session_values(results.matched_sessions, recipe)
        return evolve(
            results,
            values={**results.values, recipe.label: costs},
            recipes={**results.recipes, recipe.label: recipe},
        ), recipe.label
    if not results.costs:
        raise BadValue("cost", None, "prices such as query=50,result=200, or result=tokens")
    return results, results.costs[0]


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A dot for each system, a step line along those that none other beats."""
    width, height = look.width or WIDTH, look.height or HEIGHT
    frame = data.frame.sort("cost", "gain")
    highest = [n for name in ("gain", "gain_high") for n in frame[name].drop_nulls().to_list()]
    furthest = [n for name in ("cost", "cost_high") for n in frame[name].drop_nulls().to_list()]
    ends = axis_end(furthest), axis_end(highest)
    lined = {"tickCount": 6, "grid": False, "domain": True, "ticks": True}
    x = build_axis("cost", "mean cost of a session", [0, ends[0]], **lined)
    with_grid = {"tickCount": 6, "grid": True, **NO_LINE, "labelPadding": 8}
    y = build_axis("gain", data.axis_title, [0, ends[1]], **with_grid)
    points = _place_labels(frame, ends, (width, height), look)
    # For every budget, the most that can be had for it.
    best = frame.filter("frontier").select("cost", "gain").to_dicts()
    best.append({"cost": ends[0], "gain": best[-1]["gain"]} if best else {"cost": 0, "gain": 0})
    steps = {"interpolate": "step-after", "color": look.tones.series[0], "opacity": 0.75}
    layers = [
        build_layer("line", best, {"x": x, "y": y}, **steps, strokeWidth=2),
        *(_draw_whiskers(frame, axis, x, y, look) for axis in ("cost", "gain")),
        *_draw_points(points, x, y, data.axis_title),
    ]
    body: Spec = {"width": width, "height": height, "layer": layers}
    return with_caption(data, look, body, [point["label"] for point in points])


def _draw_whiskers(frame: pl.DataFrame, axis: str, x: Spec, y: Spec, look: Look) -> Spec:
    rows = frame.drop_nulls(f"{axis}_low").select("cost", "gain", f"{axis}_low", f"{axis}_high")
    along, other = ("x", "x2") if axis == "cost" else ("y", "y2")
    axes = {"x": x, "y": y}
    encoding = axes | {along: axes[along] | {"field": f"{axis}_low"}}
    encoding |= {other: {"field": f"{axis}_high"}}
    rows = rows.with_columns(pl.col(f"{axis}_low").clip(0))
    style = {"color": look.tones.quiet, "strokeWidth": 1, "opacity": 0.7}
    return build_layer("rule", rows.to_dicts(), encoding, **style)


def _place_labels(
    frame: pl.DataFrame, ends: tuple[float, float], size: tuple[int, int], look: Look
) -> list[dict[str, Any]]:
    """Each point with its colour and its name, which is moved down where it would cover another."""
    width, height = size
    taken: list[tuple[float, float, float]] = []
    points = []
    best_first = frame.sort("gain", descending=True)
    labels, tones = shorten_names(best_first["group"]), look.tones
    accent = tones.series[0]
    for index, row in enumerate(best_first.iter_rows(named=True)):
        label, on_frontier = labels[index], row["frontier"]
        left = width * row["cost"] / ends[0] + 10
        top = height * (1 - row["gain"] / ends[1]) - 9
        right = left + text_width([label])
        while any(left < r and right > a and abs(top - t) < _LABEL_HEIGHT for a, r, t in taken):
            top += _LABEL_HEIGHT
        taken.append((left, right, top))
        points.append(
            {
                **{key: row[key] for key in ("cost", "gain", "per_cost", "sessions")},
                "name": clean_text(row["group"]),
                "label": label,
                "label_x": left,
                "label_y": top,
                "fill": accent if on_frontier else tones.paper,
                "stroke": accent if on_frontier else tones.quiet,
                "ink": label_colour(0, tones) if on_frontier else tones.quiet,
                "weight": index,
            }
        )
    return points


def _draw_points(points: Sequence[Spec], x: Spec, y: Spec, gain_title: str) -> list[Spec]:
    tooltip = [
        nominal("name", title="system"),
        quantitative("cost", format=".4~g"),
        quantitative("gain", title=gain_title, format=".4f"),
        quantitative("per_cost", title="gain per cost", format=".3~g"),
        quantitative("sessions"),
    ]
    colours = {name: nominal(name, scale=None, legend=None) for name in ("fill", "stroke")}
    placed = {at: quantitative(f"label_{at}", scale=None, axis=None) for at in ("x", "y")}
    ink = nominal("ink", scale=None, legend=None)
    dot = {"x": x, "y": y, **colours, "tooltip": tooltip, "description": nominal("name")}
    label = {**placed, "color": ink, "text": nominal("label")}
    return [
        build_layer("point", points, dot, size=70, strokeWidth=1.75, opacity=1),
        build_layer("text", points, label, align="left", baseline="middle", fontSize=SIZE),
    ]
