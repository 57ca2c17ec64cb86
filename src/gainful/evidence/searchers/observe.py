"""A log of sessions → what it says of searchers: how far they read, how often they asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, check_whole_number
from gainful.evidence.searchers.fit import (
    AT_LEAST,
    CLICKED,
    STOPPED,
    Fit,
    Stops,
    collect_stops,
    count_stops,
)
from gainful.read.session_layout import SessionLayout
from gainful.read.sessions import Sessions, count_results
from gainful.text import count_noun
from gainful.types import Array, Flags, Ranks

_FEWEST = 10  # who must still be there for a share to be shown
_MOST = 30  # ranks or queries that are shown


@frozen(eq=False)
class Shares:
    """The share of searchers who got to 1, 2, …, with intervals."""

    reached: Ranks
    share: Array
    low: Array
    high: Array


def observe_shares(stops: Stops, level: float) -> Shares:
    """What was seen: who got so far, or, where only clicks are known, who clicked there or below.

    Those who were cut off are taken out where they were (Kaplan & Meier 1958); intervals are
    Greenwood's on the scale of log(−log), or Wilson's of clicks.
    """
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    z = float(ndtri((1 + level) / 2))
    return _click_shares(stops, z) if _is_by_clicks(stops) else _survival_shares(stops, z)


def expect_shares(fit: Fit, stops: Stops, last: int) -> Array:
    """What a fitted model says of the shares that `observe_shares` sees, to `last`."""
    survival = fit.survival(max(last, stops.furthest))
    if not _is_by_clicks(stops):
        return survival[:last]
    lengths, counts = np.unique(stops.kinds[stops.kind, 3], return_counts=True)
    quiet = 1 - (0.5 if fit.click is None else fit.click)
    stopping = survival[:-1] - survival[1:]
    shares = np.empty(last)
    for at in range(1, last + 1):
        longer = lengths >= at
        clicked_on = []
        for length in lengths[longer].tolist():
            ends = stopping[at - 1 : length - 1] @ quiet ** np.arange(length - at)
            no_click = ends + survival[length - 1] * quiet ** (length - at)
            clicked_on.append(survival[at - 1] - quiet * no_click)
        shares[at - 1] = np.average(clicked_on, weights=counts[longer])
    return shares


def _is_by_clicks(stops: Stops) -> bool:
    return bool((stops.kinds[stops.kind, 0] == CLICKED).all())


def _survival_shares(stops: Stops, z: float) -> Shares:
    known = stops.kinds[stops.kind]
    stopped = np.bincount(known[known[:, 0] == STOPPED, 1], minlength=_MOST + 2)[1 : _MOST + 1]
    cut = np.bincount(known[known[:, 0] == AT_LEAST, 1], minlength=_MOST + 2)[1 : _MOST + 1]
    total = int((known[:, 0] != CLICKED).sum())
    before = np.cumsum(stopped + cut) - stopped - cut
    at_risk = total - before - cut  # who is there and can go on
    with np.errstate(divide="ignore", invalid="ignore"):
        going_on = np.where(at_risk > 0, 1 - stopped / at_risk, np.nan)
        share = np.append(1.0, np.cumprod(going_on))[:_MOST]
        spread = np.append(0.0, np.cumsum(stopped / (at_risk * (at_risk - stopped))))[:_MOST]
        reach = z * np.sqrt(spread) / np.abs(np.log(share))
        low, high = share ** np.exp(reach), share ** np.exp(-reach)
    there = np.append(total, at_risk)[:_MOST]
    shown = (there >= min(_FEWEST, total)) & np.isfinite(share)
    shown &= np.cumprod(shown).astype(bool)
    ends = [np.where(np.isfinite(end), end, share)[shown] for end in (low, high)]
    return Shares(np.arange(1, _MOST + 1)[shown], share[shown], *ends)


def _click_shares(stops: Stops, z: float) -> Shares:
    last, length = stops.kinds[stops.kind, 1], stops.kinds[stops.kind, 3]
    most = min(int(length.max()), _MOST)
    reached = np.arange(1, most + 1)
    lists = np.array([(length >= rank).sum() for rank in reached], dtype=np.float64)
    clicked = np.array([(last >= rank).sum() for rank in reached], dtype=np.float64)
    shown = lists >= min(_FEWEST, stops.size)
    share, size = clicked[shown] / lists[shown], lists[shown]
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    reach = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return Shares(reached[shown], share, middle - reach, middle + reach)


DepthFrom = Literal["scanned", "clicked"]
DEPTH_SOURCES: tuple[DepthFrom, ...] = ("scanned", "clicked")
_SEARCHER = "searcher"


@frozen(eq=False, kw_only=True)
class Observed:
    """What a log says of its searchers, session by session."""

    rows: pl.DataFrame
    layout: SessionLayout
    not_fetched: Mapping[str, str]  # as `Sessions` has it
    query_counts: Ranks  # per session
    depths: Stops | None  # per list with results
    depth_session: Ranks  # per list with results: its session
    depth_from: DepthFrom | None
    queries: Stops  # per session
    clicked_last: Flags | None  # per session: was anything clicked in its last query?
    list_length: int  # of most lists
    cluster_name: str  # whose behaviour is one piece of evidence
    notes: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many sessions there are."""
        return len(self.query_counts)

    def select(self, flags: Flags) -> Observed:
        """What is said of some of the sessions."""
        lists = flags[self.depth_session]
        return evolve(
            self,
            query_counts=self.query_counts[flags],
            depths=None if self.depths is None else self.depths.select(lists),
            depth_session=np.cumsum(flags)[self.depth_session[lists]] - 1,
            queries=self.queries.select(flags),
            clicked_last=None if self.clicked_last is None else self.clicked_last[flags],
        )

    def successes_cut(self) -> Stops | None:
        """Numbers of queries, a session whose last query was clicked being cut off by success."""
        if self.clicked_last is None:
            return None
        known_by, reached = self.queries.kinds[self.queries.kind, :2].T
        cut = (known_by == AT_LEAST) | self.clicked_last
        return count_stops(reached, cut, self.queries.cluster)


def observe_searchers(
    sessions: Sessions, depth_from: DepthFrom | None = None, query_limit: int | None = None
) -> Observed:
    """What a log says of its searchers.

    How far they read is known by the column that `depth_from` names, scanned or clicked, or by the
    first that there is. A session that has as many queries as `query_limit` was cut off.
    """
    if query_limit is not None:
        check_whole_number("query_limit", query_limit)
    frame, layout = sessions.frame, sessions.layout
    source = _choose_source(sessions, depth_from)
    query_counts = layout.queries_per_session.astype(np.intp)
    most = int(query_counts.max(initial=0))
    if query_limit is not None and most > query_limit:
        problem = f"a session has {most} queries, more than the limit of {query_limit}"
        allowed = "the largest number of queries that a session can have"
        raise BadInput(sessions.name, problem, allowed)
    session = np.repeat(np.arange(len(query_counts)), query_counts)
    cluster, cluster_name = _number_clusters(frame, layout)
    lengths = count_results(frame, layout)
    clicks = _count_clicks(frame, layout)
    notes = list(sessions.notes)
    has_clicks = bool(clicks[0].any())
    if source == "clicked" and not has_clicks:
        if depth_from is not None:
            raise BadInput(sessions.name, "no result was clicked", "clicks, or depth_from=scanned")
        source = None
        notes.append("no result was clicked, so how far searchers read is unknown")
    depths, kept = None, np.zeros(len(lengths), dtype=bool)
    if source is not None:
        rows = _depth_rows(frame, layout, source, lengths, clicks)
        kept = rows[:, 0] >= 0
        left_out = int((lengths > 0).sum() - kept.sum())
        if left_out:
            notes.append(f"{count_noun(left_out, 'list')} that nobody looked at left out")
        depths = collect_stops(rows[kept], cluster[session[kept]]) if kept.any() else None
    continued = np.zeros(len(query_counts), dtype=bool)  # by a query of which no more is told
    if "current_query" in frame.columns:  # of the Session Track
        continued = frame["current_query"].gather(layout.session_starts).is_not_null().to_numpy()
    cut = continued if query_limit is None else continued | (query_counts >= query_limit)
    return Observed(
        rows=frame,
        layout=layout,
        not_fetched=sessions.not_fetched,
        query_counts=query_counts,
        depths=depths,
        depth_session=session[kept].astype(np.intp),
        depth_from=None if depths is None else source,
        queries=count_stops(query_counts + continued, cut, cluster),
        clicked_last=clicks[0][np.cumsum(query_counts) - 1] > 0 if has_clicks else None,
        list_length=int(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 0,
        cluster_name=cluster_name,
        notes=tuple(notes),
    )


def _choose_source(sessions: Sessions, depth_from: str | None) -> DepthFrom | None:
    if depth_from is not None and str(depth_from) not in DEPTH_SOURCES:
        raise BadValue("depth_from", depth_from, " or ".join(DEPTH_SOURCES))
    for source in DEPTH_SOURCES:
        if source in sessions.frame.columns and depth_from in (None, source):
            return source
    if depth_from is not None:
        present = [name for name in DEPTH_SOURCES if name in sessions.frame.columns]
        allowed = " or ".join(present) or "a log with the column scanned or clicked"
        raise BadValue("depth_from", depth_from, f"{allowed}: there is no column {depth_from}")
    return None


def _number_clusters(frame: pl.DataFrame, layout: SessionLayout) -> tuple[Ranks, str]:
    """Per session a number for its searcher; where these are not told, for itself."""
    sessions = len(layout.session_starts)
    if _SEARCHER in frame.columns:
        searchers = frame[_SEARCHER].gather(layout.session_starts).cast(pl.String)
        numbers = searchers.rank("dense").to_numpy().astype(np.float64)
        unnamed = np.isnan(numbers)
        numbers[unnamed] = sessions + np.arange(int(unnamed.sum())) + 1
        if len(np.unique(numbers)) > 1:
            return numbers.astype(np.intp), _SEARCHER
    return np.arange(sessions, dtype=np.intp), "session"


def _count_clicks(frame: pl.DataFrame, layout: SessionLayout) -> tuple[Ranks, Ranks]:
    """Per query: how many results were clicked, and the rank of the lowest of them (0 if none)."""
    if "clicked" not in frame.columns:
        return (np.zeros(len(layout.query_starts), dtype=np.intp),) * 2
    clicked = frame["clicked"].fill_null(value=False).to_numpy().astype(np.intp)
    rank = frame["rank"].fill_null(0).to_numpy().astype(np.intp)
    starts = layout.query_starts
    return (
        np.add.reduceat(clicked, starts).astype(np.intp),
        np.maximum.reduceat(clicked * rank, starts).astype(np.intp),
    )


def _depth_rows(
    frame: pl.DataFrame,
    layout: SessionLayout,
    source: DepthFrom,
    lengths: Ranks,
    clicks: tuple[Ranks, Ranks],
) -> Ranks:
    """Per query how far its searcher read, as `Stops` has it; -1 where that is not told."""
    count, last = clicks
    by_clicks = np.column_stack([np.full(len(lengths), CLICKED), last, count, lengths])
    rows = by_clicks
    if source == "scanned":
        scanned = frame["scanned"].gather(layout.query_starts).cast(pl.Float64).to_numpy()
        reached = np.minimum(np.nan_to_num(scanned), lengths).astype(np.intp)
        known_by = np.where(reached >= lengths, AT_LEAST, STOPPED)
        zeros = np.zeros_like(reached)
        rows = np.column_stack([known_by, reached, zeros, zeros])
        rows[~(scanned >= 1), 0] = -1  # not told, or no result looked at
        if "clicked" in frame.columns:
            rows = np.where(np.isnan(scanned)[:, None], by_clicks, rows)
    rows[lengths == 0, 0] = -1
    return rows.astype(np.intp)
