"""The last query of sessions against those before it, by rank: Figure 1 of the paper."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl

from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.formula import Array
from gainful.match.matched import Flags
from gainful.measure.sessions.last_queries import best_queries, last_queries, query_vectors
from gainful.measure.sessions.results import SessionResults
from gainful.show.figures.figure import Data, Look, Spec
from gainful.show.figures.line_chart import Across, Series, line_chart
from gainful.show.figures.session_plot import By, Shown, all_zero, shown

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
) -> Data:
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
    told = shown(
        results, measure, by, prefer="sDCG", interval=interval, resamples=resamples, seed=seed
    )
    found = last_queries(told.results, told.name, by, non_last)
    labels = [label for label, _ in told.groups for _ in range(len(KINDS) * told.x)]
    frame = found.vectors.select(pl.Series("group", labels), "which", "rank", "mean", "n")
    if told.band is not None:
        frame = frame.with_columns(**_bands(told, non_last))
    alone = [
        f"Note: no session of {label} has more than one query, so none is before the last"
        for label, flags in told.groups
        if int(results.held.queries[flags].max()) == 1
    ]
    within = ", averaged within sessions first" if non_last == "within" else ", pooled"
    shares = [
        f"{label} {100 * share:.0f} %"
        for (label, _), share in zip(
            told.groups, found.shares["share_of_several"].to_list(), strict=True
        )
        if share is not None
    ]
    return Data(
        frame=frame,
        title="The last query of sessions against those before it",
        said=(
            *(
                [f"sessions of several queries whose last is the best: {', '.join(shares)}"]
                if shares
                else []
            ),
            *told.said,
            f"queries before the last{within}; each query discounted by its own position",
            *alone,
        ),
        axis="mean gain of a query",
        nothing=all_zero(frame["mean"]),
        more={"x": told.x},
    )


def _bands(told: Shown, non_last: str) -> dict[str, pl.Series]:
    """Sessions drawn again, each with all its queries."""
    held = told.results.held
    each = query_vectors(held, told.how)
    end = np.cumsum(held.queries) - 1
    before = np.ones(len(held.position), dtype=bool)
    before[end] = False
    many = np.bincount(held.session[before], minlength=held.size).astype(np.float64)
    early = np.zeros((held.size, each.shape[1]))
    np.add.at(early, held.session[before], each[before])
    if non_last == "within":
        early = np.divide(early, many[:, None], out=np.zeros_like(early), where=many[:, None] > 0)
        many = (many > 0).astype(np.float64)
    one = np.ones((held.size, each.shape[1]))
    kinds: list[tuple[Array, Array]] = [
        (each[end], one),
        (early, one * many[:, None]),
        (each[best_queries(held, each[:, -1])], one),
    ]
    ends = [_ends(told, kind, flags) for _, flags in told.groups for kind in kinds]
    return {
        side: pl.Series(np.concatenate([one[side] for one in ends])).fill_nan(None)
        for side in ("low", "high")
    }


def _ends(told: Shown, kind: tuple[Array, Array], flags: Flags) -> dict[str, Array]:
    return told.interval(kind[0][flags], kind[1][flags])


def chart(data: Data, look: Look) -> Spec:
    """Groups by colour; the last query drawn through, those before dashed, the best dotted."""
    frame = data.frame
    groups = frame["group"].unique(maintain_order=True).to_list()
    kinds = list(KINDS)
    series = [
        Series(_label(group, kind, len(groups)), number, place, 1.3 if kind == "best" else 2.0)
        for number, group in enumerate(groups)
        for place, kind in enumerate(kinds)
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
    across = Across(title="rank in the result list", low=1, high=max(2, data.more["x"]))
    return line_chart(data, rows, series, across, look, points=data.more["x"] == 1)


def _label(group: str, kind: str, groups: int) -> str:
    return KINDS[kind] if groups == 1 else f"{group}, {KINDS[kind]}"
