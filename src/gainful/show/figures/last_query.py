"""The last query of sessions against those before it, by rank: Figure 1 of the paper."""

from __future__ import annotations

import polars as pl

from gainful.defaults import RESAMPLES, SEED
from gainful.evidence.system_groups import last_query_bands
from gainful.match.session_groups import By
from gainful.measure.sessions.analysis import NonLast
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import FigureData, Look
from gainful.show.figures.line_chart import Line, XAxis, draw_line_chart
from gainful.show.figures.session_plot import explain_zeros, prepare_plot
from gainful.show.theme import Spec

KINDS = {"last": "last query", "non_last": "queries before", "best": "best query"}


def last_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    non_last: NonLast = "pooled",
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Is the last query of a session better than those before it? Figure 1 of the paper.

    The mean gain of single queries down to each rank, each discounted by its own position: the
    last queries of sessions, those before them, and the best one of each session.

    Args:
        results: what `gainful.sessions.evaluate` returned.
        measure: one of its measures; the first sDCG, or else the first nsDCG (whose gains count).
        by: a column or several, such as system.
        non_last: all queries before the last ones together (pooled), or the mean of each session
            first (within).
        interval: a band at this level in per cent: sessions are drawn again, those of a searcher
            together (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, which (last, non_last, best), rank, mean, n, and low and high of a band.
    """
    plot = prepare_plot(results, measure, by, "sDCG", interval, resamples, seed)
    analysis = plot.results.last_queries(plot.measure_name, by, non_last)
    bands = {}
    if plot.resampling is not None:
        sessions, groups = plot.results.matched_sessions, [flags for _, flags in plot.groups]
        bands = last_query_bands(
            sessions, plot.recipe, groups, non_last, plot.drawn, plot.resampling
        )
    labels = [label for label, _ in plot.groups for _ in range(len(KINDS) * plot.depth)]
    frame = analysis.vectors.select(pl.Series("group", labels), "which", "rank", "mean", "n")
    frame = frame.with_columns(**bands)
    query_counts = plot.results.matched_sessions.query_counts
    single_query_notes = [
        f"Note: no session of {label} has more than one query, so none is before the last"
        for label, flags in plot.groups
        if int(query_counts[flags].max()) == 1
    ]
    averaging = ", averaged within sessions first" if non_last == "within" else ", pooled"
    share_column = analysis.shares["share_of_several"].to_list()
    shares = [
        f"{label} {100 * share:.0f} %"
        for (label, _), share in zip(plot.groups, share_column, strict=True)
        if share is not None
    ]
    share_line = f"sessions of several queries whose last query is the best: {', '.join(shares)}"
    return FigureData(
        frame=frame,
        title="The last query of sessions against those before it",
        caption=(
            *([share_line] if shares else []),
            *plot.caption,
            f"queries before the last{averaging}; each query discounted by its own position",
            *single_query_notes,
        ),
        axis_title="mean gain of a query",
        empty_reason=explain_zeros(frame["mean"]),
        extra={"depth": plot.depth},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Groups by colour; the last query drawn through, those before dashed, the best dotted."""
    frame, depth = data.frame, data.extra["depth"]
    groups, kinds = frame["group"].unique(maintain_order=True).to_list(), list(KINDS)
    lines = []
    for (group, kind), part in frame.group_by("group", "which", maintain_order=True):
        is_best = kind == "best"
        line = Line.from_frame(
            part.drop("low", "high", strict=False) if is_best else part,
            *("rank", "mean"),
            label=KINDS[str(kind)] if len(groups) == 1 else f"{group}, {KINDS[str(kind)]}",
            colour=groups.index(group),
            dash=kinds.index(str(kind)),
            width=1.3 if is_best else 2.0,
        )
        lines.append(line)
    x_axis = XAxis(title="rank in the result list", low=1, high=max(2, depth))
    return draw_line_chart(data, lines, x_axis, look, points=depth == 1)
