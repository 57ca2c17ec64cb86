"""Runs and measures at a glance: a dot for each mean, a line for its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from gainful.evidence.stability import LEVEL, stability
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.measure.evaluate import settled, usual
from gainful.measure.measure import Measure
from gainful.read.inputs import AnyJudgments
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import colour, framed, top
from gainful.show.figures.run_results import Measures, Runs, caption, results_of
from gainful.show.figures.text import name, plain

_STEP = 22  # pixels of a run


def dots_data(
    qrels: AnyJudgments,
    runs: Runs,
    measures: Measures | None = None,
    *,
    interval: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    like: Any = None,
    **habits: Any,
) -> Data:
    """How good are runs by several measures, and how sure is that?

    Args:
        judgments: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        measures: one or several; nDCG@10, AP and RR if none is named.
        interval: its level in per cent; queries are drawn again (bootstrap, BCa).
        resamples: how often.
        seed: where chance begins.
        like: whose habits to follow.
        habits: single habits, such as `ties="average"`.

    Returns:
        Columns run, measure, mean, low, high.
    """
    if measures is None:
        measures = usual(settled(like, habits))
    asked: Sequence[str | Measure] = (
        [measures] if isinstance(measures, (str, Measure)) else list(measures)
    )
    found = results_of(qrels, runs, asked, like, habits)
    rows, notes = [], []
    for run, one in found.items():
        sure = stability(one, interval, resamples=resamples, seed=seed)
        notes += [f"Note: {name(run)}: {note}" for note in sure.notes]
        rows += [
            {
                "run": run,
                "measure": measure,
                "mean": each.mean,
                "low": each.low,
                "high": each.high,
            }
            for measure, each in sure.intervals.items()
        ]
    schema = {"run": pl.String, "measure": pl.String} | dict.fromkeys(
        ("mean", "low", "high"), pl.Float64
    )
    frame = pl.DataFrame(rows, schema=schema)
    known = frame["mean"].drop_nulls()
    nothing = "" if len(known) else "No query counts, so there is no mean to show."
    if len(known) and (known == 0).all():
        nothing = "Every mean is 0: nothing relevant was found."
    names = list(next(iter(found.values())).values)
    return Data(
        frame=frame,
        title="Means of runs and their intervals"
        if len(found) > 1
        else "Means and their intervals",
        said=(
            f"{interval:g} % intervals, queries drawn again {resamples} times (BCa, seed {seed})",
            *caption(list(found.values()), names),
            *notes,
        ),
        nothing=nothing,
    )


def chart(data: Data, look: Look) -> Spec:
    """A panel for each measure, a row for each run; one scale where all are shares."""
    frame = data.frame
    measures = frame["measure"].unique(maintain_order=True).to_list()
    runs = frame["run"].unique(maintain_order=True).to_list()
    width = look.width or 420
    highest = top([*frame["high"].drop_nulls().to_list(), *frame["mean"].drop_nulls().to_list()])
    shared = highest <= 1
    panels = []
    for measure in measures:
        own = frame.filter(pl.col("measure") == measure)
        ends = own["high"].drop_nulls().to_list() + own["mean"].drop_nulls().to_list()
        low = min([0.0, *own["low"].drop_nulls().to_list(), *own["mean"].drop_nulls().to_list()])
        scale = {"domain": [low, highest if shared else top(ends)], "nice": False, "zero": False}
        labelled = not shared or measure == measures[-1]
        panels.append(_panel(own, runs, str(measure), scale, look, width, labelled=labelled))
    body: Spec = {"vconcat": panels, "spacing": 10 if shared else 18}
    labels = [name(one) for one in runs]
    found = framed(data, look, body, width, len(panels) * len(runs) * _STEP, labels)
    return {key: value for key, value in found.items() if key not in ("width", "height")}


def _panel(  # noqa: PLR0917
    own: pl.DataFrame,
    runs: list[str],
    measure: str,
    scale: Spec,
    look: Look,
    width: int,
    *,
    labelled: bool,
) -> Spec:
    rows = [
        {
            "place": runs.index(row["run"]),
            "run": plain(row["run"]),
            "label": name(row["run"]),
            "mean": row["mean"],
            "low": row["low"],
            "high": row["high"],
            "told": f"{row['mean']:.4f}",
        }
        for row in own.iter_rows(named=True)
        if row["mean"] is not None
    ]
    across = {
        "field": "mean",
        "type": "quantitative",
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
    place = {
        "field": "place",
        "type": "ordinal",
        "scale": {"domain": list(range(len(runs)))},
        "axis": None,
    }
    hues = {
        "field": "place",
        "type": "nominal",
        "scale": {
            "domain": list(range(len(runs))),
            "range": [colour(number, look.tones) for number in range(len(runs))],
        },
        "legend": None,
    }
    tooltip = [
        {"field": "run", "type": "nominal"},
        *(
            {"field": one, "type": "quantitative", "format": ".4f"}
            for one in ("mean", "low", "high")
        ),
    ]
    return {
        "title": {"text": name(measure, 60), "fontWeight": 500, "offset": 4},
        "data": {"values": rows},
        "width": width,
        "height": {"step": _STEP} if look.height is None else look.height,
        "encoding": {"y": place, "color": hues},
        "layer": [
            {
                "transform": [{"filter": "datum.low !== null"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {"x": across | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": across, "tooltip": tooltip},
            },
            {
                "mark": {"type": "text", "baseline": "bottom", "dy": -5, "fontSize": 10},
                "encoding": {"x": across, "text": {"field": "told", "type": "nominal"}},
            },
            {
                "mark": {"type": "text", "align": "right", "baseline": "middle", "dx": -10},
                "encoding": {"x": {"value": 0}, "text": {"field": "label", "type": "nominal"}},
            },
        ],
    }
