"""Runs and measures at a glance: a dot for each mean, a line for its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from attrs import evolve

from gainful.evidence.comparisons.comparison import Comparison
from gainful.evidence.intervals import MeanIntervals, describe_methods
from gainful.measure.results import describe_leaders, list_footnotes
from gainful.measure.values import Results
from gainful.show.figures.figure import (
    NO_MEAN,
    FigureData,
    Look,
    clean_text,
    explain_empty,
    mark_lower,
    shorten_name,
    shorten_names,
)
from gainful.show.figures.line_chart import NO_LINE, number_channel, series_colour, with_caption
from gainful.show.theme import Spec, build_layer, nominal, quantitative
from gainful.text import mark_notes, merge_notes

_SCHEMA: dict[str, Any] = {"run": pl.String, "measure": pl.String}
_SCHEMA |= dict.fromkeys(("mean", "low", "high"), pl.Float64)
_WIDTH, _ROW_STEP = 420, 22  # pixels, of a panel and of a run
_MARGIN = 0.08  # of an axis beyond its values
_MAX_COLOURS = 8  # of more runs, labels alone tell which is which


def build_data(
    results: Mapping[str, Results], all_intervals: Sequence[MeanIntervals]
) -> FigureData:
    """A row for each run and measure: the mean and its interval; the best run first."""
    first = all_intervals[0]
    means = {
        measure: {run: result.mean[measure] for run, result in results.items()}
        for measure in first.intervals
    }
    directions = next(iter(results.values())).directions
    main = next(iter(means))
    order = sorted(means[main], key=lambda run: -directions[main].sign * means[main][run])
    by_run = dict(zip(results, all_intervals, strict=True))
    rows = [
        (run, measure, estimate.mean, estimate.low, estimate.high)
        for run in order
        for measure, estimate in by_run[run].intervals.items()
    ]
    named = zip(shorten_names(order), order, strict=True)
    notes = merge_notes([(label, by_run[run].notes) for label, run in named])
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    zeros = "Every mean is 0: nothing relevant was found."
    method = describe_methods(all_intervals, verbose=True)
    return FigureData(
        frame=frame,
        title=describe_leaders({main: means[main]}, directions).rstrip(".")
        if len(results) > 1
        else f"Means and {first.level:g} % intervals",
        caption=(
            f"{first.level:g} % intervals, {method}",
            *list_footnotes(list(results.values()), verbose=True),
            *mark_notes(notes),
        ),
        empty_reason=explain_empty(frame["mean"], NO_MEAN, zeros),
        extra={"directions": directions, "systems": list(results)},
    )


def build_difference_data(comparison: Comparison) -> FigureData:
    """A row for each measure and system, the best first: its difference to the baseline."""
    first, measures = comparison.measures[0], comparison.measures
    ahead = {
        pair.system: comparison.direction(first).sign * pair.difference
        for pair in comparison.pairs_against()
        if pair.measure == first
    }
    pairs = sorted(
        comparison.pairs_against(),
        key=lambda pair: (measures.index(pair.measure), -ahead[pair.system]),
    )
    rows = [(pair.system, pair.measure, pair.difference, pair.low, pair.high) for pair in pairs]
    level, method = comparison.evidence.resampling.level, comparison.evidence.interval
    against = f"difference to {shorten_name(comparison.baseline)}"
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return FigureData(
        frame=frame,
        title=comparison.page().answer.split(". ")[0].rstrip("."),
        caption=(
            f"{against}, with its {level} interval ({method})",
            *comparison.page(verbose=True).notes,
        ),
        empty_reason=explain_empty(frame["mean"], NO_MEAN, ""),
        extra={
            "directions": {name: comparison.direction(name) for name in comparison.measures},
            "systems": list(comparison.systems),
            "is_difference": True,
        },
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A panel for each measure, a row for each run; one scale where all are shares."""
    frame = data.frame
    measures = frame["measure"].unique(maintain_order=True).to_list()
    runs = frame["run"].unique(maintain_order=True).to_list()
    look = evolve(look, width=look.width or _WIDTH)
    ends = [*frame["high"].drop_nulls(), *frame["mean"].drop_nulls()]
    differ = data.extra.get("is_difference", False)
    shared = fit_axis(frame, differ) if max(ends, default=0.0) <= 1 else None
    systems = data.extra["systems"]  # in the order of colours, in all figures of these
    numbers = [systems.index(run) if len(systems) <= _MAX_COLOURS else 0 for run in runs]
    colours = [series_colour(number, look.tones) for number in numbers]
    panels = []
    for measure in measures:
        own_frame = frame.filter(measure=measure)
        labelled = shared is None or measure == measures[-1]
        scale = shared or fit_axis(own_frame, differ)
        panel = _draw_panel(own_frame, runs, scale, colours, look, labelled=labelled)
        title = mark_lower(shorten_name(str(measure), 60), data.extra["directions"][measure])
        heading = {"text": title, "fontWeight": 500, "offset": 4}
        panels.append({"title": heading, **panel})
    body: Spec = {"vconcat": panels, "spacing": 18 if shared is None else 10}
    return with_caption(data, look, body, shorten_names(runs), look.width)


def fit_axis(frame: pl.DataFrame, with_zero: bool) -> Spec:
    """An axis that holds all means and intervals, and little else; of differences also 0."""
    columns = [name for name in ("low", "mean", "high") if name in frame.columns]
    ends = [value for name in columns for value in frame[name].drop_nulls()] + [0.0] * with_zero
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    margin = (high - low) * _MARGIN or _MARGIN
    return {
        "domain": [max(0.0, low - margin) if low > 0 else low - margin * (low < 0), high + margin],
        "nice": True,
        "zero": with_zero,
    }


def _draw_panel(
    frame: pl.DataFrame,
    runs: list[str],
    scale: Spec,
    colours: Sequence[str],
    look: Look,
    *,
    labelled: bool,
) -> Spec:
    labels = dict(zip(runs, shorten_names(runs), strict=True))
    rows = [
        {
            "place": runs.index(row["run"]),
            "run": clean_text(row["run"]),
            "label": labels[row["run"]],
            "mean": row["mean"],
            "low": row["low"],
            "high": row["high"],
            "mean_text": format(row["mean"], "+.4f" if scale["zero"] else ".4f"),
        }
        for row in frame.drop_nulls("mean").iter_rows(named=True)
    ]
    axis = {"title": None, "tickCount": 6, **NO_LINE, "labels": labelled, "labelFlush": False}
    mean_channel = quantitative("mean", scale=scale, axis=axis)
    places = {"domain": list(range(len(runs)))}
    run_channel = {"field": "place", "type": "ordinal", "scale": places, "axis": None}
    ends = [quantitative(column, format=".4f") for column in ("mean", "low", "high")]
    tooltip = [nominal("run"), *ends]
    reach = {"x": mean_channel | {"field": "low"}, "x2": {"field": "high"}}
    dot = {"x": mean_channel, "tooltip": tooltip}
    value_text = {"x": mean_channel, "text": nominal("mean_text")}
    name = {"x": {"value": 0}, "text": nominal("label")}
    place = {"x": {"datum": 0}, "y": {"value": 0}, "y2": {"value": "height"}}
    zero = build_layer("rule", [{}], place | {"color": {"value": look.tones.ink}})
    return {
        "data": {"values": rows},
        "width": look.width,
        "height": {"step": _ROW_STEP} if look.height is None else look.height,
        "encoding": {"y": run_channel, "color": number_channel("place", colours)},
        "layer": [
            build_layer("rule", None, reach, strokeWidth=2, opacity=0.55)
            | {"transform": [{"filter": "datum.low !== null"}]},
            build_layer("point", None, dot, filled=True, size=70, opacity=1),
            build_layer("text", None, value_text, baseline="bottom", dy=-5, fontSize=10),
            build_layer("text", None, name, align="right", baseline="middle", dx=-10),
            *([zero] if scale["zero"] else []),
        ],
    }
