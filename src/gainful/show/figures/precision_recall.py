"""Interpolated precision at eleven levels of recall."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from gainful.read.inputs import AnyJudgments
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import Across, Series, line_chart
from gainful.show.figures.run_results import Runs, caption, results_of

_LEVELS = [level / 10 for level in range(11)]


def precision_recall_data(
    qrels: AnyJudgments, runs: Runs, *, like: Any = None, **habits: Any
) -> Data:
    """How precise is a run where so much of what is relevant has been found?

    Args:
        judgments: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        like: whose habits to follow.
        habits: single habits, such as `rel=2`.

    Returns:
        Columns run, recall (0, 0.1, … 1), precision: the mean over queries of IPrec.
    """
    measures = [f"IPrec@{level:g}" for level in _LEVELS]
    found = results_of(qrels, runs, measures, like, habits)
    rows = [
        {"run": run, "recall": level, "precision": one.mean[measure]}
        for run, one in found.items()
        for level, measure in zip(_LEVELS, measures, strict=True)
    ]
    frame = pl.DataFrame(rows).with_columns(pl.col("precision").fill_nan(None))
    known = frame["precision"].drop_nulls()
    nothing = "" if len(known) else "No query counts, so there is no mean to show."
    if len(known) and (known == 0).all():
        nothing = "No run has found anything relevant: precision is 0 throughout."
    return Data(
        frame=frame,
        title="Precision at eleven levels of recall",
        said=(
            "IPrec: the best precision at that recall or beyond, mean over queries",
            *caption(list(found.values()), measures),
        ),
        axis="interpolated precision",
        nothing=nothing,
    )


def chart(data: Data, look: Look) -> Spec:
    """A line for each run, both axes from 0 to 1."""
    runs = data.frame["run"].unique(maintain_order=True).to_list()
    series = [Series(run, number, number) for number, run in enumerate(runs)]
    rows = [
        {"series": runs.index(run), "x": recall, "y": precision}
        for run, recall, precision in data.frame.iter_rows()
    ]
    ticks = np.linspace(0, 1, 6).round(1).tolist()
    across = Across(title="recall", low=0, high=1, values=ticks)
    size = Look(
        width=look.width or 420, height=look.height or 340, dark=look.dark, title=look.title
    )
    return line_chart(data, rows, series, across, size, points=True, highest=1.0)
