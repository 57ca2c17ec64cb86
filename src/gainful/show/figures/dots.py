"""Runs and measures at a glance: a dot for each mean, a line for its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from gainful.evidence.intervals import MeanIntervals, describe_methods
from gainful.measure.results import list_footnotes
from gainful.measure.values import Results
from gainful.show.figures.figure import (
    NO_MEAN,
    FigureData,
    Look,
    clean_text,
    explain_empty,
    mark_lower,
    shorten_name,
)
from gainful.show.figures.line_chart import axis_end, series_colour, with_caption
from gainful.show.theme import Spec, nominal, quantitative

_ROW_STEP = 22  # pixels of a run


def build_data(
    results: Mapping[str, Results], all_intervals: Sequence[MeanIntervals]
) -> FigureData:
    """A row for each run and measure: the mean and its interval."""
    first = all_intervals[0]
    rows, notes = [], []
    for run, uncertainty in zip(results, all_intervals, strict=True):
        notes += [f"Note: {shorten_name(run)}: {note}" for note in uncertainty.notes]
        rows += [
            (run, measure, estimate.mean, estimate.low, estimate.high)
            for measure, estimate in uncertainty.intervals.items()
        ]
    schema: dict[str, Any] = {"run": pl.String, "measure": pl.String}
    schema |= dict.fromkeys(("mean", "low", "high"), pl.Float64)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    zeros = "Every mean is 0: nothing relevant was found."
    method = describe_methods(all_intervals, verbose=True)
    return FigureData(
        frame=frame,
        title="Means of runs and their intervals"
        if len(results) > 1
        else "Means and their intervals",
        caption=(
            f"{first.level:g} % intervals, {method}",
            *list_footnotes(list(results.values()), verbose=True),
            *notes,
        ),
        empty_reason=explain_empty(frame["mean"], NO_MEAN, zeros),
        extra={"directions": next(iter(results.values())).directions},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A panel for each measure, a row for each run; one scale where all are shares."""
    frame = data.frame
    measures = frame["measure"].unique(maintain_order=True).to_list()
    runs = frame["run"].unique(maintain_order=True).to_list()
    width = look.width or 420
    highest = axis_end(
        [*frame["high"].drop_nulls().to_list(), *frame["mean"].drop_nulls().to_list()]
    )
    shared_scale = highest <= 1
    panels = []
    for measure in measures:
        measure_frame = frame.filter(pl.col("measure") == measure)
        lows, means, highs = (
            measure_frame[name].drop_nulls().to_list() for name in ("low", "mean", "high")
        )
        scale = {
            "domain": [
                min([0.0, *lows, *means]),
                highest if shared_scale else axis_end(highs + means),
            ],
            "nice": False,
            "zero": False,
        }
        labelled = not shared_scale or measure == measures[-1]
        title = mark_lower(shorten_name(str(measure), 60), data.extra["directions"][measure])
        panels.append(
            _draw_panel(measure_frame, runs, title, scale, look, width, labelled=labelled)
        )
    body: Spec = {"vconcat": panels, "spacing": 10 if shared_scale else 18}
    labels = [shorten_name(run) for run in runs]
    return with_caption(data, look, body, width, len(panels) * len(runs) * _ROW_STEP, labels)


def _draw_panel(  # noqa: PLR0917
    frame: pl.DataFrame,
    runs: list[str],
    title: str,
    scale: Spec,
    look: Look,
    width: int,
    *,
    labelled: bool,
) -> Spec:
    rows = [
        {
            "place": runs.index(row["run"]),
            "run": clean_text(row["run"]),
            "label": shorten_name(row["run"]),
            "mean": row["mean"],
            "low": row["low"],
            "high": row["high"],
            "mean_text": f"{row['mean']:.4f}",
        }
        for row in frame.iter_rows(named=True)
        if row["mean"] is not None
    ]
    mean_channel = quantitative("mean") | {
        "scale": scale,
        "axis": {
            "title": None,
            "tickCount": 6,
            "domain": False,
            "ticks": False,
            "labels": labelled,
            "labelFlush": False,
        },
    }
    run_channel = {
        "field": "place",
        "type": "ordinal",
        "scale": {"domain": list(range(len(runs)))},
        "axis": None,
    }
    colour_channel = nominal("place") | {
        "scale": {
            "domain": list(range(len(runs))),
            "range": [series_colour(index, look.tones) for index in range(len(runs))],
        },
        "legend": None,
    }
    tooltip = [
        nominal("run"),
        *(quantitative(column, format=".4f") for column in ("mean", "low", "high")),
    ]
    return {
        "title": {"text": title, "fontWeight": 500, "offset": 4},
        "data": {"values": rows},
        "width": width,
        "height": {"step": _ROW_STEP} if look.height is None else look.height,
        "encoding": {"y": run_channel, "color": colour_channel},
        "layer": [
            {
                "transform": [{"filter": "datum.low !== null"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {"x": mean_channel | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": mean_channel, "tooltip": tooltip},
            },
            {
                "mark": {"type": "text", "baseline": "bottom", "dy": -5, "fontSize": 10},
                "encoding": {"x": mean_channel, "text": nominal("mean_text")},
            },
            {
                "mark": {"type": "text", "align": "right", "baseline": "middle", "dx": -10},
                "encoding": {"x": {"value": 0}, "text": nominal("label")},
            },
        ],
    }
