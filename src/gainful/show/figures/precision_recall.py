"""Interpolated precision at eleven levels of recall."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from attrs import evolve

from gainful.measure.results import list_footnotes
from gainful.measure.values import Results
from gainful.show.figures.figure import NO_MEAN, FigureData, Look, explain_empty
from gainful.show.figures.line_chart import XAxis, draw_line_chart, draw_one_by_one
from gainful.show.theme import Spec

_LEVELS = [level / 10 for level in range(11)]
MEASURES = [f"IPrec@{level:g}" for level in _LEVELS]


def build_data(results: Mapping[str, Results]) -> FigureData:
    """A row for each run and level of recall: the mean of `MEASURES` over queries."""
    rows = [
        {"run": run, "recall": level, "precision": result.mean[measure]}
        for run, result in results.items()
        for level, measure in zip(_LEVELS, MEASURES, strict=True)
    ]
    frame = pl.DataFrame(rows).with_columns(pl.col("precision").fill_nan(None))
    zeros = "No run has found anything relevant: precision is 0 throughout."
    return FigureData(
        frame=frame,
        title="Precision at eleven levels of recall",
        caption=(
            "IPrec: the best precision at that recall or beyond, mean over queries",
            *list_footnotes(list(results.values()), verbose=True),
        ),
        axis_title="interpolated precision",
        empty_reason=explain_empty(frame["precision"], NO_MEAN, zeros),
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A line for each run, both axes from 0 to 1."""
    lines = draw_one_by_one(data.frame, "run", "recall", "precision")
    ticks = np.linspace(0, 1, 6).round(1).tolist()
    x_axis = XAxis(title="recall", low=0, high=1, values=ticks)
    sized_look = evolve(look, width=look.width or 420, height=look.height or 340)
    return draw_line_chart(data, lines, x_axis, sized_look, points=True, highest=1.0)
