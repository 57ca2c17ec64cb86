"""Runs by group of queries: a dumbbell for each group, a dot for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from gainful.evidence.system_groups import System
from gainful.measure.groups import add_all, describe_folding, describe_groups, fold_groups
from gainful.show.figures.dots import fit_axis
from gainful.show.figures.figure import (
    NO_MEAN,
    FigureData,
    Look,
    clean_text,
    explain_empty,
    mark_lower,
    shorten_names,
    text_width,
)
from gainful.show.figures.line_chart import NO_LINE, series_colour, with_caption
from gainful.show.theme import Spec, build_layer, nominal, quantitative
from gainful.text import mark_notes, pluralise
from gainful.types import finite_or_none

_ROW_STEP = 30  # pixels of a group
_SYMBOL_WIDTH = 40  # pixels that a run in the legend takes beside its name
_SHAPES = ("circle", "square", "diamond", "triangle-up")  # the next one where colours come again


def build_data(parts: Sequence[System], footnotes: Sequence[str]) -> FigureData:
    """A row for each run and group, none folded, and one for all queries of a run."""
    runs, first = [run for _, run, _ in parts], parts[0][1]
    measure = next(iter(first))
    frame = _tabulate(parts, measure, folded=False)
    by = "group" if first.grouping is None else first.grouping.name
    return FigureData(
        frame=frame,
        title=f"{measure} by {clean_text(by)}",
        caption=(*footnotes, *mark_notes([*describe_groups(runs), *describe_folding(runs)])),
        axis_title=f"mean {mark_lower(measure, first.directions[measure])}",
        empty_reason=explain_empty(frame["mean"], NO_MEAN, "Every mean is 0."),
        extra={"drawn": _tabulate(parts, measure, folded=True)},
    )


def _tabulate(parts: Sequence[System], measure: str, *, folded: bool) -> pl.DataFrame:
    rows = []
    for name, run, own in parts:
        flags = fold_groups(run.group_flags()) if folded else run.group_flags()
        for label, some in add_all(flags, len(run.ids)).items():
            chosen = some & own
            mean = finite_or_none(run.mean_of(measure, chosen)) if chosen.any() else None
            rows.append((name, label, int(chosen.sum()), mean))
    schema: dict[str, Any] = {"run": pl.String, "group": pl.String}
    schema |= {pluralise(parts[0][1].unit): pl.Int64, "mean": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A row for each group with a line from the lowest run to the highest, and all at the end."""
    frame: pl.DataFrame = data.extra["drawn"].drop_nulls("mean")
    groups = frame["group"].unique(maintain_order=True).to_list()
    units = frame.columns[2]
    runs = frame["run"].unique(maintain_order=True).to_list()
    labels, names = (dict(zip(ids, shorten_names(ids), strict=True)) for ids in (groups, runs))
    rows = [
        {"group": labels[group], "run": names[run], units: size, "mean": mean}
        for run, group, size, mean in frame.iter_rows()
    ]
    ends = frame.group_by("group", maintain_order=True).agg(
        low=pl.col("mean").min(), high=pl.col("mean").max()
    )
    lines = [row | {"group": labels[row["group"]]} for row in ends.to_dicts()]
    axis = {"title": data.axis_title, "tickCount": 6}
    x = quantitative("mean", scale=fit_axis(frame, with_zero=False), axis=axis)
    axis = {"title": None, **NO_LINE, "labelLimit": 240}
    y = nominal("group", sort=list(labels.values()), axis=axis)
    colours = [series_colour(index, look.tones) for index in range(len(runs))]
    shapes = [_SHAPES[index // len(look.tones.series) % len(_SHAPES)] for index in range(len(runs))]
    width, legend = look.width or 420, None
    if len(runs) > 1:
        columns = max(1, width // (text_width(names.values()) + _SYMBOL_WIDTH))
        legend = {"orient": "bottom", "title": None, "columns": columns}
    domain = list(names.values())
    colour = nominal("run", scale={"domain": domain, "range": colours}, legend=legend)
    shape = nominal("run", scale={"domain": domain, "range": shapes}, legend=legend)
    tooltip = [*map(nominal, ("group", "run", units)), quantitative("mean", format=".4f")]
    reach = {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}}
    dot = {"y": y, "x": x, "color": colour, "shape": shape, "tooltip": tooltip}
    layers = [
        build_layer("rule", lines, reach, strokeWidth=3, color=look.tones.line),
        build_layer("point", rows, dot, filled=True, size=90, opacity=1),
    ]
    size = {"width": width, "height": look.height or _ROW_STEP * len(groups)}
    return with_caption(data, look, {**size, "layer": layers}, list(labels.values()))
