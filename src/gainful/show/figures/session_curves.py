"""Sessions by concatenated top X: all of them (Figure 2 of the paper), one scenario (Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadInput
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.measure.sessions.curve import curve, mean_terms
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import FigureData, Look, Spec
from gainful.show.figures.line_chart import Series, build_session_axis, draw_line_chart
from gainful.show.figures.session_plot import (
    By,
    SessionPlot,
    check_count,
    explain_zeros,
    prepare_plot,
)
from gainful.show.figures.text import join_names
from gainful.text import count_noun
from gainful.types import Flags

ALL_SESSIONS = "all"


def sessions_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """How much have sessions brought, query after query? Figure 2 of the paper.

    The mean vector of each group over its sessions by concatenated top X, held where a searcher
    has stopped.

    Args:
        results: what `gainful.evaluate_sessions` returned.
        measure: one of its measures; the first nsDCG, or else the first sDCG.
        by: a column or several, such as system.
        queries: only the first so many queries are drawn.
        interval: a band at this level in per cent, sessions drawn again (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, query, rank, position, mean, n, searching, and low and high of a band.
    """
    plot = prepare_plot(
        results, measure, by, prefer="nsDCG", interval=interval, resamples=resamples, seed=seed
    )
    frame = _mean_curves(
        plot, [(label, ALL_SESSIONS, flags) for label, flags in plot.groups], queries
    )
    title = f"Session performance, {plot.measure_name}, by concatenated top {plot.depth}"
    return _build_data(plot, frame.drop("which"), title, queries)


def scenario_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    at_least: int = 4,
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FigureData:
    """Do long sessions begin badly? Figure 3 of the paper: one scenario, all and long sessions.

    Args:
        results: of one scenario: `gainful.evaluate_sessions(…, where={"scenario": "D"})`.
        measure: one of its measures; the first sDCG, or else the first nsDCG.
        by: a column or several, such as system.
        at_least: how many queries a session has that is drawn apart.
        queries: only the first so many queries are drawn.
        interval: a band at this level in per cent, sessions drawn again (percentile bootstrap).
        resamples: how often.
        seed: where chance begins.

    Returns:
        Columns group, which (all, or at least n queries), query, rank, position, mean, n,
        searching, and low and high of a band.
    """
    check_count("at_least", at_least)
    plot = prepare_plot(
        results, measure, by, prefer="sDCG", interval=interval, resamples=resamples, seed=seed
    )
    is_long = results.matched_sessions.query_counts >= at_least
    long_label = f"at least {count_noun(at_least, 'query')}"
    subsets = [(label, ALL_SESSIONS, flags) for label, flags in plot.groups]
    for label, flags in plot.groups:
        if not (flags & is_long).any():
            problem = f"no session{f' of {label}' if by else ''} has {long_label}"
            raise BadInput(results.name, problem, "a smaller number of queries")
        subsets.append((label, long_label, flags & is_long))
    scenarios = _scenario_names(results)
    title = "Session performance, all sessions and those of " + long_label
    if len(scenarios) == 1:
        title = f"Scenario {scenarios[0]}: all sessions and those of {long_label}"
    data = _build_data(plot, _mean_curves(plot, subsets, queries), title, queries)
    if len(scenarios) > 1 and not plot.recipe.entry.normalised:
        note = (
            f"Note: {len(scenarios)} scenarios together ({join_names(scenarios)}), not normalised"
        )
        return evolve(data, caption=(*data.caption, note))
    return data


def _scenario_names(results: SessionResults) -> list[str]:
    """The scenarios of the sessions, or else their topics."""
    columns = results.columns
    for name in ("scenario", "topic"):
        if name in columns.columns:
            return [str(value) for value in columns[name].unique().sort().to_list()]
    return []


def _mean_curves(
    plot: SessionPlot, subsets: Sequence[tuple[str, str, Flags]], queries: int | None
) -> pl.DataFrame:
    """The mean vector of each part, with its band."""
    check_count("queries", queries)
    sessions, recipe = plot.results.matched_sessions, plot.recipe
    groups = [({"group": label, "which": which}, flags) for label, which, flags in subsets]
    curves = curve(sessions, recipe, groups, common=True)
    if plot.resampling is not None:
        total, count = mean_terms(sessions, recipe)
        lows, highs = [], []
        for _, flags in groups:
            sums_and_counts = [
                array[flags].reshape(int(flags.sum()), -1) for array in (total, count)
            ]
            bounds = plot.interval(*sums_and_counts)
            lows.append(bounds["low"])
            highs.append(bounds["high"])
        curves = curves.with_columns(
            low=pl.Series(np.concatenate(lows)).fill_nan(None),
            high=pl.Series(np.concatenate(highs)).fill_nan(None),
        )
    return curves if queries is None else curves.filter(pl.col("query") <= queries)


def _build_data(
    plot: SessionPlot, frame: pl.DataFrame, title: str, queries: int | None
) -> FigureData:
    drawn_queries = int(frame["query"].max())  # type: ignore[arg-type]  # there is at least one
    longest = int(plot.results.matched_sessions.query_counts.max())
    length_note: tuple[str, ...] = ()
    if queries is not None and longest > drawn_queries:
        length_note = (
            f"Note: sessions go on to query {longest}; the first {drawn_queries} are drawn",
        )
    return FigureData(
        frame=frame,
        title=title,
        caption=(*plot.caption, *length_note),
        axis_title=f"mean {plot.measure_name}",
        empty_reason=explain_zeros(frame["mean"]),
        extra={"depth": plot.depth},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """Lines over lots of X ranks: groups by colour, long sessions dashed."""
    frame, depth = data.frame, data.extra["depth"]
    has_subsets = "which" in frame.columns
    keys = (
        frame.select("group", *(["which"] if has_subsets else []))
        .unique(maintain_order=True)
        .rows()
    )
    groups = list(dict.fromkeys(key[0] for key in keys))
    series = []
    for key in keys:
        colour = groups.index(key[0])
        if has_subsets:
            label = key[0] if key[1] == ALL_SESSIONS else f"{key[0]}, {key[1]}"
            series.append(Series(label, colour, 0 if key[1] == ALL_SESSIONS else 1))
        else:
            series.append(Series(key[0], colour, colour))
    rows = [
        {
            "series": keys.index((row["group"], row["which"]) if has_subsets else (row["group"],)),
            "x": row["position"],
            "y": row["mean"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in frame.iter_rows(named=True)
    ]
    query_count = int(frame["query"].max())  # type: ignore[arg-type]  # there is at least one
    return draw_line_chart(data, rows, series, build_session_axis(depth, query_count), look)
