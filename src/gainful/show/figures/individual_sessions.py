"""Individual sessions, the places where searchers really stopped marked: Figure 4 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import counted
from gainful.measure.sessions.curve import each_held
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import Series, framed, line_layers, lots, top
from gainful.show.figures.session_plot import By, all_zero, refuse_no_count, shown
from gainful.show.figures.text import name, plain

MOST = 60  # sessions drawn in a panel
_NAMED = 16  # sessions that are named at their ends
_WIDTH, _HEIGHT = 400, 280  # of a panel among several


def individual_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    queries: int | None = None,
) -> Data:
    """How different are single sessions, and where did searchers stop? Figure 4 of the paper.

    Args:
        results: what `gainful.evaluate_sessions` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG.
        by: a column or several; each group has a panel of its own.
        queries: only the first so many queries are drawn.

    Returns:
        A row for each session and place: group, session, query, rank, position, value, and whether
        the searcher was still searching there and stopped right there. Where somebody has stopped,
        the last value is held.
    """
    refuse_no_count("queries", queries)
    told = shown(results, measure, by, prefer="sDCG")
    held = told.results.held.until(told.how.queries)
    values = each_held(held, told.how)
    number, most, x = values.shape
    label = np.empty(number, dtype=object)
    for group, flags in told.groups:
        label[flags] = group
    names = pl.Series("session", list(held.sessions))
    query = np.tile(np.repeat(np.arange(1, most + 1), x), number)
    rank = np.tile(np.arange(1, x + 1), number * most)
    own = np.repeat(results.held.queries, most * x)  # as they were, however few are looked at
    frame = pl.DataFrame(
        {
            "group": pl.Series(np.repeat(label, most * x).tolist(), dtype=pl.String),
            "session": names.gather(np.repeat(np.arange(number), most * x)),
            "query": query,
            "rank": rank,
            "position": np.tile(np.arange(1, most * x + 1), number),
            "value": pl.Series(values.ravel()).fill_nan(None),
            "searching": query <= own,
            "stopped": (query == own) & (rank == x),
        }
    )
    if queries is not None:
        frame = frame.filter(pl.col("query") <= queries)
    order = pl.col("group").replace_strict(
        {group: at for at, (group, _) in enumerate(told.groups)}, return_dtype=pl.Int64
    )
    frame = frame.sort(order, maintain_order=True)
    return Data(
        frame=frame,
        title=f"Individual sessions, {told.name}, by concatenated top {told.x}",
        said=(
            "each line a session; ● where the searcher stopped, from there on the value is held",
            *(line.removeprefix("mean ") for line in told.said),
        ),
        axis=told.name,
        nothing=all_zero(frame["value"]),
        more={"x": told.x, "drawn": min(most, queries or most)},
    )


def chart(data: Data, look: Look) -> Spec:
    """A panel for each group; beyond so many sessions only some are drawn, and that is said."""
    groups = data.frame["group"].unique(maintain_order=True).to_list()
    highest = top([one for one in data.frame["value"].to_list() if one is not None])
    several = len(groups) > 1
    size = Look(
        width=look.width or (_WIDTH if several else None),
        height=look.height or (_HEIGHT if several else None),
        dark=look.dark,
    )
    width, height = size.width or 560, size.height or 360
    size = Look(width=width, height=height, dark=look.dark)
    panels: list[Spec] = []
    heads: list[str] = []
    labels: list[str] = []
    for number, group in enumerate(groups):
        own = data.frame.filter(pl.col("group") == group)
        sessions = own["session"].unique(maintain_order=True).to_list()
        chosen = sessions
        if len(sessions) > MOST:  # evenly, so that all the file is seen
            step = len(sessions) / MOST
            chosen = [sessions[int(at * step)] for at in range(MOST)]
            own = own.filter(pl.col("session").is_in(chosen))
        layers, named = _panel(data, own, chosen, number, size, highest)
        labels += named
        drawn = counted(len(sessions), "session")
        if len(chosen) < len(sessions):
            drawn = f"{len(chosen)} of {drawn} drawn"
        heads.append(f"{name(group, 40)} · {drawn}")
        panels.append({"title": {"text": heads[-1], "fontWeight": 500}, "layer": layers})
    if several:
        for panel in panels:
            panel |= {"width": width, "height": height}
        apart = {"scale": dict.fromkeys(("color", "strokeDash"), "independent")}
        body: Spec = {"concat": panels, "columns": 2, "resolve": apart}
        found = framed(data, look, body, min(2, len(panels)) * (width + 60) - 60, height, labels)
        return {key: value for key, value in found.items() if key not in ("width", "height")}
    if data.frame["session"].n_unique() > MOST:
        data = evolve(data, said=(heads[0], *data.said))
    return framed(data, look, {"layer": panels[0]["layer"]}, width, height, labels)


def _panel(  # noqa: PLR0917
    data: Data,
    own: pl.DataFrame,
    sessions: Sequence[str],
    number: int,
    look: Look,
    highest: float,
) -> tuple[list[Spec], list[str]]:
    """The lines of a group and the marks where they stop."""
    few = len(sessions) <= _NAMED
    place = {session: at for at, session in enumerate(sessions)}
    series = [
        Series(one, at if few else number, width=1.6 if few else 1, shown=few)
        for at, one in enumerate(sessions)
    ]
    rows: list[dict[str, Any]] = [
        {"series": place[session], "x": position, "y": value, "held": not real}
        for session, position, value, real in own.select(
            "session", "position", "value", "searching"
        ).iter_rows()
        if value is not None
    ]
    across = lots(data.more["x"], data.more["drawn"])
    layers = line_layers(_corners(rows), series, across, data.axis, look, highest=highest)
    *before, line, names = layers
    values = line["data"]["values"]
    channels = {key: line["encoding"][key] for key in ("x", "y", "color", "tooltip", "description")}
    parts = [
        line
        | {
            "data": {"values": [one for one in values if one["held"] is held]},
            "mark": {
                "type": "line",
                "strokeWidth": 0.8 if held else series[0].width,
                "opacity": 0.5 if held else 1 if few else 0.7,
            },
            "encoding": channels,
        }
        for held in (True, False)
    ]
    stops = [
        {"series": place[session], "name": plain(session), "x": position, "y": value}
        for session, position, value in own.filter(pl.col("stopped"))
        .select("session", "position", "value")
        .iter_rows()
        if value is not None
    ]
    marks: Spec = {
        "data": {"values": stops},
        "mark": {"type": "point", "filled": True, "size": 34, "opacity": 1},
        "encoding": {key: channels[key] for key in ("x", "y", "color")}
        | {"tooltip": [{"field": "name", "type": "nominal", "title": "stopped"}]},
    }
    layers = [*before, *parts, marks, names]
    return layers, [one.label for one in series] if few else []


def _corners(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Only the places where a line bends, ends or becomes a held one: the rest is on it anyway."""
    found: list[dict[str, Any]] = []
    for at, row in enumerate(rows):
        before = rows[at - 1] if at and rows[at - 1]["series"] == row["series"] else None
        after = rows[at + 1] if at + 1 < len(rows) else None
        if after is not None and after["series"] != row["series"]:
            after = None
        if before is not None and before["held"] is not row["held"]:
            found.append(before | {"held": True})
        if (
            before is None
            or after is None
            or {before["y"], after["y"]} != {row["y"]}
            or after["held"] is not row["held"]
        ):
            found.append(row)
    return found
