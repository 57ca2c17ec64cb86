"""Sessions by concatenated top X: all of them (Figure 2 of the paper), one scenario (Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import evolve

from gainful.errors import BadInput, counted
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.match.matched import Flags
from gainful.measure.sessions.curve import curve, of_mean
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import Series, line_chart, lots
from gainful.show.figures.session_plot import By, Shown, all_zero, refuse_no_count, shown
from gainful.show.figures.text import listed

ALL = "all"


def sessions_data(
    results: SessionResults,
    measure: str | None = None,
    *,
    by: By = (),
    queries: int | None = None,
    interval: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Data:
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
    told = shown(
        results, measure, by, prefer="nsDCG", interval=interval, resamples=resamples, seed=seed
    )
    frame = _curves(told, [(label, ALL, flags) for label, flags in told.groups], queries)
    title = f"Session performance, {told.name}, by concatenated top {told.x}"
    return _data(told, frame.drop("which"), title, queries)


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
) -> Data:
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
    refuse_no_count("at_least", at_least)
    told = shown(
        results, measure, by, prefer="sDCG", interval=interval, resamples=resamples, seed=seed
    )
    long = results.held.queries >= at_least
    some = f"at least {counted(at_least, 'query')}"
    parts = [(label, ALL, flags) for label, flags in told.groups]
    for label, flags in told.groups:
        if not (flags & long).any():
            problem = f"no session{f' of {label}' if by else ''} has {some}"
            raise BadInput(results.name, problem, "a smaller number of queries")
        parts.append((label, some, flags & long))
    scenarios = _scenarios(results)
    title = "Session performance, all sessions and those of " + some
    if len(scenarios) == 1:
        title = f"Scenario {scenarios[0]}: all sessions and those of {some}"
    data = _data(told, _curves(told, parts, queries), title, queries)
    if len(scenarios) > 1 and not told.how.entry.normalised:
        note = f"Note: {len(scenarios)} scenarios together ({listed(scenarios)}), not normalised"
        return evolve(data, said=(*data.said, note))
    return data


def _scenarios(results: SessionResults) -> list[str]:
    """The scenarios of the sessions, or else their topics."""
    columns = results.columns
    for name in ("scenario", "topic"):
        if name in columns.columns:
            return [str(one) for one in columns[name].unique().sort().to_list()]
    return []


def _curves(
    told: Shown, parts: Sequence[tuple[str, str, Flags]], queries: int | None
) -> pl.DataFrame:
    """The mean vector of each part, with its band."""
    refuse_no_count("queries", queries)
    held, how = told.results.held, told.how
    groups = [({"group": label, "which": which}, flags) for label, which, flags in parts]
    found = curve(held, how, groups, common=True)
    if told.band is not None:
        total, number = of_mean(held, how)
        lows, highs = [], []
        for _, flags in groups:
            own = [one[flags].reshape(int(flags.sum()), -1) for one in (total, number)]
            ends = told.interval(*own)
            lows.append(ends["low"])
            highs.append(ends["high"])
        found = found.with_columns(
            low=pl.Series(np.concatenate(lows)).fill_nan(None),
            high=pl.Series(np.concatenate(highs)).fill_nan(None),
        )
    return found if queries is None else found.filter(pl.col("query") <= queries)


def _data(told: Shown, frame: pl.DataFrame, title: str, queries: int | None) -> Data:
    most = int(frame["query"].max())  # type: ignore[arg-type]  # there is at least one
    longest = int(told.results.held.queries.max())
    beyond: tuple[str, ...] = ()
    if queries is not None and longest > most:
        beyond = (f"Note: sessions go on to query {longest}; the first {most} are drawn",)
    return Data(
        frame=frame,
        title=title,
        said=(*told.said, *beyond),
        axis=f"mean {told.name}",
        nothing=all_zero(frame["mean"]),
        more={"x": told.x},
    )


def chart(data: Data, look: Look) -> Spec:
    """Lines over lots of X ranks: groups by colour, long sessions dashed."""
    frame, x = data.frame, data.more["x"]
    several = "which" in frame.columns
    keys = frame.select("group", *(["which"] if several else [])).unique(maintain_order=True).rows()
    groups = list(dict.fromkeys(key[0] for key in keys))
    series = []
    for key in keys:
        number = groups.index(key[0])
        if several:
            label = key[0] if key[1] == ALL else f"{key[0]}, {key[1]}"
            series.append(Series(label, number, 0 if key[1] == ALL else 1))
        else:
            series.append(Series(key[0], number, number))
    rows = [
        {
            "series": keys.index((row["group"], row["which"]) if several else (row["group"],)),
            "x": row["position"],
            "y": row["mean"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in frame.iter_rows(named=True)
    ]
    most = int(frame["query"].max())  # type: ignore[arg-type]  # there is at least one
    return line_chart(data, rows, series, lots(x, most), look)
