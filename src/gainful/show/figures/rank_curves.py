"""Cumulated gain by rank against the ideal, of one run or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from gainful.errors import BadValue, UnknownName
from gainful.measure.catalogue import MEASURES
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.measure.results import Results
from gainful.read.inputs import AnyQrels
from gainful.rounding import COARSE_ROUNDING, ROUNDING
from gainful.show.figures.figure import FigureData, Look, Spec
from gainful.show.figures.line_chart import Series, XAxis, draw_line_chart
from gainful.show.figures.run_results import Runs, build_caption, evaluate_runs
from gainful.show.figures.text import shorten_name
from gainful.types import Array

_MAX_CUTOFF = 1000
_DEFAULT_MEASURE = "DCG@10"
IDEAL = "ideal"


def curves_data(
    qrels: AnyQrels,
    runs: Runs,
    measure: str | Measure = _DEFAULT_MEASURE,
    *,
    query: str | None = None,
    like: Any = None,
    **settings: Any,
) -> FigureData:
    """How does gain grow from rank to rank, and how far is it from the best that was possible?

    Args:
        qrels: whatever `gainful.evaluate` takes.
        runs: {name: run}.
        measure: CG, DCG, nCG or nDCG with a cutoff; DCG@10 if none is named.
        query: of this query alone; the mean over queries if none is named.
        like: whose habits to follow.
        settings: single habits, such as `ties="average"`.

    Returns:
        Columns run, rank, value, ideal: what the run has gained down to that rank, and what the
        ideal ranking would have (1 for a share).
    """
    parsed_measure = parse(measure)
    if not parsed_measure.entry.cumulated or parsed_measure.entry.gain_of == "ideal":
        alternatives = (
            measure_name
            for measure_name, entry in MEASURES.items()
            if entry.cumulated and entry.gain_of != "ideal"
        )
        raise BadValue(
            "measure", str(parsed_measure), f"one that grows by rank: {', '.join(alternatives)}"
        )
    if parsed_measure.k is None or parsed_measure.k > _MAX_CUTOFF:
        raise BadValue(
            "measure",
            str(parsed_measure),
            f"a cutoff up to {_MAX_CUTOFF}, such as {parsed_measure @ 10}",
        )
    depth = int(parsed_measure.k)
    measures = [parsed_measure @ rank for rank in range(1, depth + 1)]
    normalised = parsed_measure.entry.normalised
    ideal_measures = (
        []
        if normalised
        else [_ideal_measure(parsed_measure) @ rank for rank in range(1, depth + 1)]
    )
    results = evaluate_runs(qrels, runs, [*measures, *ideal_measures], like, settings)
    rows = []
    for run, result in results.items():
        values = _means(result, measures, query)
        ideals = np.ones(depth) if normalised else _means(result, ideal_measures, query)
        rows += [
            {"run": run, "rank": rank, "value": value, "ideal": ideal}
            for rank, (value, ideal) in enumerate(
                zip(values.tolist(), ideals.tolist(), strict=True), start=1
            )
        ]
    frame = pl.DataFrame(rows).with_columns(pl.col("value", "ideal").fill_nan(None))
    defined = frame["value"].drop_nulls()
    empty_reason = "" if len(defined) else "No query counts, so there is no mean to show."
    if len(defined) and (defined == 0).all():
        empty_reason = "Nothing was gained: every value is 0."
    caption_lines = build_caption(list(results.values()), [str(parsed_measure)])
    scope = f"query {shorten_name(query)}" if query is not None else "mean over queries"
    return FigureData(
        frame=frame,
        title=f"{parsed_measure.name} by rank against the ideal, {scope}",
        caption=(f"{parsed_measure} · {caption_lines[0]}", *caption_lines[1:]),
        axis_title=f"mean {parsed_measure @ None}" if query is None else str(parsed_measure @ None),
        empty_reason=empty_reason,
        extra={"depth": depth},
    )


def _ideal_measure(measure: Measure) -> Measure:
    """The best that was possible, by the same gains and discount."""
    allowed_params = MEASURES["IDCG"].params
    params = {param: value for param, value in measure.params if param in allowed_params}
    if not measure.entry.discounted:
        params["discount"] = "none"
    return Measure("IDCG", tuple(params.items()))


def _means(results: Results, measures: list[Measure], query: str | None) -> Array:
    """The mean of each measure, or its value of one query."""
    if query is None:
        return np.array([results.mean[str(measure)] for measure in measures])
    if query not in results.queries:
        raise UnknownName("query", query, results.queries)
    row = list(results.queries).index(query)
    values = [np.ma.asarray(results.values[str(measure)])[row] for measure in measures]
    return np.array([np.nan if np.ma.is_masked(value) else float(value) for value in values])


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Runs by colour; the ideal above them in grey, one for all or one for each."""
    frame = data.frame
    runs = frame["run"].unique(maintain_order=True).to_list()
    ideals = [
        frame.filter(pl.col("run") == run).select("rank", "ideal").drop_nulls().rows()
        for run in runs
    ]
    same_ideal = all(_is_same_curve(ideals[0], ideal) for ideal in ideals[1:])
    series = [Series(run, index, index) for index, run in enumerate(runs)]
    rows: list[dict[str, Any]] = [
        {"series": runs.index(row["run"]), "x": row["rank"], "y": row["value"]}
        for row in frame.iter_rows(named=True)
    ]
    grey = len(look.tones.series) - 1
    for index, points in enumerate(ideals[:1] if same_ideal else ideals):
        label = IDEAL if same_ideal else f"{IDEAL} of {runs[index]}"
        rows += [{"series": len(series), "x": x, "y": y} for x, y in points]
        series.append(Series(label, grey, 5, 1.5))
    x_axis = XAxis(title="rank", low=1, high=max(2, data.extra["depth"]))
    show_points = data.extra["depth"] <= 20
    return draw_line_chart(data, rows, series, x_axis, look, points=show_points)


def _is_same_curve(first: list[tuple[Any, ...]], second: list[tuple[Any, ...]]) -> bool:
    return len(first) == len(second) and np.allclose(
        [y for _, y in first], [y for _, y in second], rtol=COARSE_ROUNDING, atol=ROUNDING
    )
