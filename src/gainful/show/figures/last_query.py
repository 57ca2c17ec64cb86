"""The last query of sessions against those before it, by rank: Figure 1 of the paper."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl

from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.measure.sessions.last_queries import best_queries, last_queries, query_vectors
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import FigureData, Look, Spec
from gainful.show.figures.line_chart import Series, XAxis, draw_line_chart
from gainful.show.figures.session_plot import By, SessionPlot, explain_zeros, prepare_plot
from gainful.types import Array, Flags

KINDS = {"last": "last query", "non_last": "queries before", "best": "best query"}


def last_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    non_last: Literal["pooled", "within"] = "pooled",
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Is the last query of a session better than those before it? Figure 1 of the paper.

    The mean gain of single queries down to each rank, each discounted by its own position: the
    last queries of sessions, those before them, and the best one of each session.

    Args:
        results: what `gainful.evaluate_sessions` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG (whose gains count).
        by: a column or several, such as system.
        non_last: all queries before the last ones together (pooled), or the mean of each session
            first (within).
        interval: a band at this level in per cent, sessions drawn again (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, which (last, non_last, best), rank, mean, n, and low and high of a band.
    """
    plot = prepare_plot(
        results, measure, by, prefer="sDCG", interval=interval, resamples=resamples, seed=seed
    )
    analysis = last_queries(plot.results, plot.measure_name, by, non_last)
    labels = [label for label, _ in plot.groups for _ in range(len(KINDS) * plot.depth)]
    frame = analysis.vectors.select(pl.Series("group", labels), "which", "rank", "mean", "n")
    if plot.resampling is not None:
        frame = frame.with_columns(**_compute_bands(plot, non_last))
    single_query_notes = [
        f"Note: no session of {label} has more than one query, so none is before the last"
        for label, flags in plot.groups
        if int(results.matched_sessions.query_counts[flags].max()) == 1
    ]
    averaging = ", averaged within sessions first" if non_last == "within" else ", pooled"
    shares = [
        f"{label} {100 * share:.0f} %"
        for (label, _), share in zip(
            plot.groups, analysis.shares["share_of_several"].to_list(), strict=True
        )
        if share is not None
    ]
    return FigureData(
        frame=frame,
        title="The last query of sessions against those before it",
        caption=(
            *(
                [f"sessions of several queries whose last is the best: {', '.join(shares)}"]
                if shares
                else []
            ),
            *plot.caption,
            f"queries before the last{averaging}; each query discounted by its own position",
            *single_query_notes,
        ),
        axis_title="mean gain of a query",
        empty_reason=explain_zeros(frame["mean"]),
        extra={"depth": plot.depth},
    )


def _compute_bands(plot: SessionPlot, non_last: str) -> dict[str, pl.Series]:
    """Sessions drawn again, each with all its queries."""
    sessions = plot.results.matched_sessions
    vectors = query_vectors(sessions, plot.recipe)
    last_query = np.cumsum(sessions.query_counts) - 1
    is_earlier = np.ones(len(sessions.position), dtype=bool)
    is_earlier[last_query] = False
    counts = np.bincount(sessions.session[is_earlier], minlength=sessions.size).astype(np.float64)
    earlier_sums = np.zeros((sessions.size, vectors.shape[1]))
    np.add.at(earlier_sums, sessions.session[is_earlier], vectors[is_earlier])
    if non_last == "within":
        earlier_sums = np.divide(
            earlier_sums,
            counts[:, None],
            out=np.zeros_like(earlier_sums),
            where=counts[:, None] > 0,
        )
        counts = (counts > 0).astype(np.float64)
    ones = np.ones((sessions.size, vectors.shape[1]))
    kinds: list[tuple[Array, Array]] = [
        (vectors[last_query], ones),
        (earlier_sums, ones * counts[:, None]),
        (vectors[best_queries(sessions, vectors[:, -1])], ones),
    ]
    bounds = [_interval(plot, kind, flags) for _, flags in plot.groups for kind in kinds]
    return {
        side: pl.Series(np.concatenate([bound[side] for bound in bounds])).fill_nan(None)
        for side in ("low", "high")
    }


def _interval(
    plot: SessionPlot, sums_and_counts: tuple[Array, Array], flags: Flags
) -> dict[str, Array]:
    return plot.interval(sums_and_counts[0][flags], sums_and_counts[1][flags])


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Groups by colour; the last query drawn through, those before dashed, the best dotted."""
    frame = data.frame
    groups = frame["group"].unique(maintain_order=True).to_list()
    kinds = list(KINDS)
    series = [
        Series(
            _series_label(group, kind, len(groups)), colour, dash, 1.3 if kind == "best" else 2.0
        )
        for colour, group in enumerate(groups)
        for dash, kind in enumerate(kinds)
    ]
    rows: list[dict[str, Any]] = [
        {
            "series": groups.index(row["group"]) * len(kinds) + kinds.index(row["which"]),
            "x": row["rank"],
            "y": row["mean"],
            **({"low": row.get("low"), "high": row.get("high")} if row["which"] != "best" else {}),
        }
        for row in frame.iter_rows(named=True)
    ]
    x_axis = XAxis(title="rank in the result list", low=1, high=max(2, data.extra["depth"]))
    return draw_line_chart(data, rows, series, x_axis, look, points=data.extra["depth"] == 1)


def _series_label(group: str, kind: str, group_count: int) -> str:
    return KINDS[kind] if group_count == 1 else f"{group}, {KINDS[kind]}"
