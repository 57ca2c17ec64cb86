"""Individual sessions, the places where searchers really stopped marked: Figure 4 of the paper."""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import evolve

from gainful.match.session_groups import By
from gainful.measure.functions.sessions.sdcg import session_curve
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import (
    NO_GAIN,
    FigureData,
    Look,
    clean_text,
    explain_empty,
    shorten_name,
)
from gainful.show.figures.line_chart import (
    Line,
    axis_end,
    build_line_layers,
    build_session_axis,
    join_panels,
)
from gainful.show.figures.session_curves import NO_IDEAL, prepare_plot
from gainful.show.theme import Spec, build_layer, nominal
from gainful.text import count_noun

MAX_SESSIONS = 60  # sessions drawn in a panel
_MAX_LABELLED_SESSIONS = 16  # sessions that are named at their ends
_PANEL_WIDTH, _PANEL_HEIGHT = 400, 280  # of a panel among several


def individual_data(
    results: SessionResults, measure: str | None = None, *, by: By = (), queries: int | None = None
) -> FigureData:
    """How different are single sessions, and where did searchers stop? Figure 4 of the paper.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG.
        by: a column or several; each group has a panel of its own.
        queries: draw only the first N queries.

    Returns:
        A row for each session and place: group, session, query, rank, position, value, and whether
        the searcher was still searching there and stopped right there. After a searcher's last
        query the line stays flat.
    """
    plot = prepare_plot(results, measure, by, "sDCG", queries=queries)
    sessions = results.matched_sessions
    vectors = session_curve(sessions, plot.recipe)  # sessions × queries × ranks
    session_count, query_count, depth = vectors.shape
    group_labels = np.empty(session_count, dtype=object)
    for group, flags in plot.groups:
        group_labels[flags] = group
    session = np.repeat(np.arange(session_count), query_count * depth)
    query = np.tile(np.repeat(np.arange(1, query_count + 1), depth), session_count)
    rank = np.tile(np.arange(1, depth + 1), session_count * query_count)
    # As many as there were, however few of them the measure looks at.
    own_queries = np.repeat(sessions.query_counts, query_count * depth)
    frame = pl.DataFrame(
        {
            "group": pl.Series(group_labels.tolist(), dtype=pl.String).gather(session),
            "session": pl.Series(list(sessions.session_ids)).gather(session),
            "query": query,
            "rank": rank,
            "position": np.tile(np.arange(1, query_count * depth + 1), session_count),
            "value": pl.Series(vectors.ravel()).fill_nan(None),
            "searching": query <= own_queries,
            "stopped": (query == own_queries) & (rank == depth),
        }
    )
    if queries is not None:
        frame = frame.filter(pl.col("query") <= queries)
    places = {group: place for place, (group, _) in enumerate(plot.groups)}
    order = pl.col("group").replace_strict(places, return_dtype=pl.Int64)
    frame = frame.sort(order, maintain_order=True)
    return FigureData(
        frame=frame,
        title=f"Individual sessions, {plot.measure_name}, by concatenated top {plot.depth}",
        caption=(
            "each line a session; ● where the searcher stopped, then the line stays flat",
            *(line.removeprefix("mean ") for line in plot.caption),
        ),
        axis_title=plot.measure_name,
        empty_reason=explain_empty(frame["value"], NO_IDEAL, NO_GAIN),
        extra={"depth": plot.depth, "queries": min(query_count, queries or query_count)},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A panel for each group; beyond so many sessions only some are drawn, and that is said."""
    frame = data.frame
    groups = frame["group"].unique(maintain_order=True).to_list()
    highest = axis_end(frame["value"].drop_nulls().to_list())
    several = len(groups) > 1
    width = look.width or (_PANEL_WIDTH if several else 560)
    height = look.height or (_PANEL_HEIGHT if several else 360)
    panel_look = Look(width=width, height=height, dark=look.dark)
    drawn = [
        _draw_panel(data, frame.filter(group=group), at, panel_look, highest)
        for at, group in enumerate(groups)
    ]
    panels, labels = [panel for panel, _ in drawn], [name for _, names in drawn for name in names]
    if not several and frame["session"].n_unique() > MAX_SESSIONS:
        data = evolve(data, caption=(panels[0]["title"]["text"], *data.caption))
    return join_panels(data, look, panels, labels, gap=60)


def _draw_panel(
    data: FigureData, frame: pl.DataFrame, colour: int, look: Look, highest: float
) -> tuple[Spec, list[str]]:
    """The lines of a group and the marks where they stop; and the names at their ends."""
    sessions = frame["session"].unique(maintain_order=True).to_list()
    heading = count_noun(len(sessions), "session")
    if len(sessions) > MAX_SESSIONS:  # evenly, so that all the file is seen
        step = len(sessions) / MAX_SESSIONS
        sessions = [sessions[int(index * step)] for index in range(MAX_SESSIONS)]
        heading = f"{MAX_SESSIONS} of {heading} drawn"
    title = f"{shorten_name(frame['group'][0], 40)} · {heading}"
    labelled = len(sessions) <= _MAX_LABELLED_SESSIONS
    names = list(map(clean_text, sessions))
    drawn = pl.DataFrame({"session": sessions, "series": range(len(sessions)), "name": names})
    points = frame.drop_nulls("value").rename({"position": "x", "value": "y"})
    points = points.join(drawn, on="session", maintain_order="left")
    lines = [
        Line(
            label=name,
            points=points.filter(series=at).select("x", "y"),
            colour=at if labelled else colour,
            labelled=labelled,
        )
        for at, name in enumerate(names)
    ]
    x_axis = build_session_axis(data.extra["depth"], data.extra["queries"])
    layers = build_line_layers(lines, x_axis, data.axis_title, look, highest=highest)
    *background, line_layer, label_layer = layers
    channels = {
        key: line_layer["encoding"][key] for key in ("x", "y", "color", "tooltip", "description")
    }
    width, opacity = (1.6, 1) if labelled else (1, 0.7)
    is_flat = ~pl.col("searching") | pl.col("stopped")
    flat, going = (_list_corners(points.filter(part)) for part in (is_flat, "searching"))
    stops = points.filter("stopped").select("series", "name", "x", "y").to_dicts()
    stop = {key: channels[key] for key in ("x", "y", "color")}
    stop["tooltip"] = [nominal("name", title="stopped")]
    layers = [
        *background,
        build_layer("line", flat, channels, strokeWidth=0.8, opacity=0.5),
        build_layer("line", going, channels, strokeWidth=width, opacity=opacity),
        build_layer("point", stops, stop, filled=True, size=34, opacity=1),
        label_layer,
    ]
    size = {"width": look.width, "height": look.height}
    panel = {"title": {"text": title, "fontWeight": 500}, **size, "layer": layers}
    return panel, names if labelled else []


def _list_corners(points: pl.DataFrame) -> list[Spec]:
    """Only the places where a line bends or ends: the rest is on it anyway."""
    y = pl.col("y")
    bends = ((y != y.shift(1)) | (y != y.shift(-1))).fill_null(value=True)
    return points.filter(bends.over("series")).select("series", "name", "x", "y").to_dicts()
