"""Lines of runs: cumulated gain by rank against the ideal, and precision by recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from attrs import evolve

from gainful.measure.measure import Measure
from gainful.measure.results import list_footnotes
from gainful.measure.values import Results
from gainful.rounding import COARSE_ROUNDING, ROUNDING
from gainful.show.figures.figure import (
    NO_GAIN,
    NO_MEAN,
    FigureData,
    Look,
    explain_empty,
    shorten_name,
)
from gainful.show.figures.line_chart import XAxis, draw_line_chart, draw_one_by_one
from gainful.show.theme import Spec
from gainful.text import pluralise
from gainful.types import Array

IDEAL = "ideal"


def build_data(
    measure: Measure,
    curves: Mapping[str, tuple[Array, Array]],
    results: Sequence[Results],
    query: str | None,
) -> FigureData:
    """A row for each run and rank: what was gained down to there, and what the ideal would have.

    `curves` have by run its values and the ideal ones, of a query or, without one, as means.
    """
    parts = [
        pl.DataFrame({"value": values, "ideal": ideals}).select(
            pl.lit(run).alias("run"), pl.int_range(1, pl.len() + 1).alias("rank"), pl.all()
        )
        for run, (values, ideals) in curves.items()
    ]
    frame = pl.concat(parts).with_columns(pl.col("value", "ideal").fill_nan(None))
    first, *other_lines = list_footnotes(
        [result.select_measures([str(measure)]) for result in results], verbose=True
    )
    unit = results[0].unit
    scope = f"mean over {pluralise(unit)}" if query is None else f"{unit} {shorten_name(query)}"
    return FigureData(
        frame=frame,
        title=f"{measure.name} by rank against the ideal, {scope}",
        caption=(f"{measure} · {first}", *other_lines),
        axis_title=f"mean {measure @ None}" if query is None else str(measure @ None),
        empty_reason=explain_empty(frame["value"], NO_MEAN, NO_GAIN),
        extra={"depth": int(measure.k or 1)},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Runs by colour; the ideal above them in grey, one for all or one for each."""
    frame, depth = data.frame, data.extra["depth"]
    lines = draw_one_by_one(frame, "run", "rank", "value")
    ideals = draw_one_by_one(frame, "run", "rank", "ideal")
    heights = [ideal.points["y"] for ideal in ideals]
    same_ideal = all(
        len(curve) == len(heights[0])
        and np.allclose(heights[0], curve, rtol=COARSE_ROUNDING, atol=ROUNDING)
        for curve in heights[1:]
    )
    grey = len(look.tones.series) - 1
    for ideal in ideals[:1] if same_ideal else ideals:
        label = IDEAL if same_ideal else f"{IDEAL} of {ideal.label}"
        lines.append(evolve(ideal, label=label, colour=grey, dash=5, width=1.5))
    x_axis = XAxis(title="rank", low=1, high=max(2, depth))
    return draw_line_chart(data, lines, x_axis, look, points=depth <= 20)


_LEVELS = [level / 10 for level in range(11)]
RECALL_MEASURES = [f"IPrec@{level:g}" for level in _LEVELS]


def build_recall_data(results: Mapping[str, Results]) -> FigureData:
    """A row for each run and level of recall: the mean of `RECALL_MEASURES` over queries."""
    rows = [
        {"run": run, "recall": level, "precision": result.mean[measure]}
        for run, result in results.items()
        for level, measure in zip(_LEVELS, RECALL_MEASURES, strict=True)
    ]
    frame = pl.DataFrame(rows).with_columns(pl.col("precision").fill_nan(None))
    units = pluralise(next(iter(results.values())).unit)
    zeros = "No run has found anything relevant: precision is 0 throughout."
    return FigureData(
        frame=frame,
        title="Precision at eleven levels of recall",
        caption=(
            f"IPrec: the best precision at that recall or beyond, mean over {units}",
            *list_footnotes(list(results.values()), verbose=True),
        ),
        axis_title="interpolated precision",
        empty_reason=explain_empty(frame["precision"], NO_MEAN, zeros),
    )


def draw_recall(data: FigureData, look: Look) -> Spec:
    """A line for each run, both axes from 0 to 1."""
    lines = draw_one_by_one(data.frame, "run", "recall", "precision")
    ticks = np.linspace(0, 1, 6).round(1).tolist()
    x_axis = XAxis(title="recall", low=0, high=1, values=ticks)
    sized_look = evolve(look, width=look.width or 420, height=look.height or 340)
    return draw_line_chart(data, lines, x_axis, sized_look, points=True, highest=1.0)
