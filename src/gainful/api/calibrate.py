"""Who are the searchers of a log: how far do they read, how often do they ask again?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike

from gainful.api.keywords import answer_keywords
from gainful.api.sessions import choose_sessions
from gainful.evidence.searchers.calibration import Calibration
from gainful.evidence.searchers.fit import LEVEL
from gainful.evidence.searchers.observe import DepthFrom, observe_searchers
from gainful.evidence.searchers.searchers import check_level, fit_searchers, refuse_nothing
from gainful.evidence.statistics.resampling import SEED
from gainful.match.session_groups import By, group_sessions
from gainful.read.column_names import ColumnNames
from gainful.read.event_words import EventWords
from gainful.read.session_inputs import AnySessions
from gainful.read.sessions import BadPolicy


@answer_keywords
def calibrate(
    log: AnySessions,
    *,
    by: By = (),
    depth_from: DepthFrom | None = None,
    query_limit: int | None = None,
    level: float = 100 * LEVEL,
    seed: int = SEED,
    where: Mapping[str, str] | None = None,
    min_queries: int | None = None,
    first_queries: int | None = None,
    sessions_format: str | None = None,
    bad: BadPolicy = "error",
    ties: str | None = None,
    topics: str | PathLike[str] | None = None,
    pages: str | None = None,
    columns: ColumnNames | None = None,
    tool: str | Sequence[str] | None = None,
    gap: str | float | timedelta | None = None,
    events: EventWords | None = None,
    anonymise: bool | str = False,
) -> Calibration:
    """Who are the searchers of this log: how far do they read, how often do they ask again?

    A discount is read as behaviour: the share of searchers who look at rank i, or ask a query q.
    The b, bq and p that make the log most likely are those searchers' own. Lists and sessions that
    ended where there was no more are cut off there; a last click is a lower bound of how deep was
    looked. Searchers also stop because they succeeded, which makes bq too low.

    Args:
        log: sessions as `sessions.evaluate` takes them, with a column scanned (how deep the
            searcher looked) or clicked.
        by: a column, or several, whose groups are measured besides.
        depth_from: scanned or clicked; the first of these that there is.
        query_limit: the number of queries that no session can pass, such as the budget of an
            agent; sessions that reach it were cut off.
        level: of intervals, in per cent.
        seed: of the split into five parts, by which discounts are compared.
        where: only sessions that have these values in their columns.
        min_queries: only sessions of at least so many queries; what they say of bq is then biased.
        first_queries: only the first so many queries of each session, which are then cut off.
        sessions_format: how a file of sessions is written; by content if it is not named.
        bad: refuse sessions that are not as they should be, or leave them out.
        ties: of conversations: how are equal scores ranked?
        topics: a file of lines `session topic`.
        pages: of the Session Track: does a further page continue the list, or count?
        columns: how columns of the log are called, if not as usual.
        tool: of traces and transcripts: the tool, or several, whose calls are searches.
        gap: the pause after which a session of the user ends, such as "30m".
        events: what the log's words for events mean, such as {"shown": "view"}.
        anonymise: salted hashes in place of users, in all that is written.

    Returns:
        `Calibration`: estimates with intervals, which discount fits best, and measures to paste.

    Examples:
        >>> from gainful.sessions import simulate_log
        >>> calibration = calibrate(simulate_log(2000, b=2, bq=4, seed=1), query_limit=20)
        >>> calibration.measure, round(calibration["b"].low, 2), round(calibration["b"].high, 2)
        ('nsDCG(b=1.99, bq=3.98)@10', 1.95, 2.03)
    """
    sessions = choose_sessions(
        log,
        where=where,
        min_queries=min_queries,
        first_queries=first_queries,
        sessions_format=sessions_format,
        bad=bad,
        ties=ties,
        topics=topics,
        pages=pages,
        columns=columns,
        tool=tool,
        gap=gap,
        events=events,
        anonymise=anonymise,
        gains=False,
    )
    share = check_level(level)
    limit = (
        query_limit if first_queries is None else min(first_queries, query_limit or first_queries)
    )
    observed = observe_searchers(sessions, depth_from, limit)
    refuse_nothing(observed, sessions.name)
    groups = group_sessions(observed, by, sessions.name) if by else []
    return Calibration(
        log=sessions.name,
        searchers=fit_searchers(observed, {}, level=share, seed=seed, compare=True),
        groups=tuple(
            fit_searchers(observed.select(flags), keys, level=share, seed=seed, compare=False)
            for keys, flags in groups
        ),
        by=(by,) if isinstance(by, str) else tuple(by),
        depth_from=observed.depth_from,
        cluster=observed.cluster_name,
        level=share,
        seed=seed,
        query_limit=limit,
        notes=observed.notes,
    )
