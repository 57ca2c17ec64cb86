"""Who are the searchers of a log: how far do they read, how often do they ask again?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from gainful.api.session_options import ReadingOptions, SessionReading, answer_session_options
from gainful.defaults import SEED
from gainful.errors import BadInput, WrongType, check_number, check_seed
from gainful.evidence.searchers.calibration import Calibration, describe_few, fit_searchers
from gainful.evidence.searchers.fit import LEVEL
from gainful.evidence.searchers.observe import DepthFrom, observe_searchers
from gainful.match.session_groups import By, group_sessions
from gainful.read.session_inputs import AnySessions


@answer_session_options(ReadingOptions)
def calibrate(
    log: AnySessions,
    *,
    by: By = (),
    depth_from: DepthFrom | None = None,
    query_limit: int | None = None,
    level: float = 100 * LEVEL,
    seed: int = SEED,
    **options: Unpack[ReadingOptions],
) -> Calibration:
    """How far do the searchers of this log read, and how often do they query again?

    A discount is interpreted as behaviour: the share of searchers who look at rank i, or ask query
    q. The estimates are the b, bq and p that make the log most likely. Lists and sessions that
    ended because nothing was left count as censored; a last click is a lower bound of how deep the
    searcher looked. Searchers also stop because they succeeded, which makes bq too low.

    Args:
        log: sessions as `sessions.evaluate` takes them, with a column scanned (how deep the
            searcher looked) or clicked.
        by: a column, or several, whose groups are also measured.
        depth_from: scanned or clicked; by default the first one present.
        query_limit: the maximum number of queries of a session, such as the budget of an agent;
            sessions that reach it were cut off.
        level: of the intervals, in per cent.
        seed: random seed of the split that compares discounts.
        **options: how the log is read and which of its sessions count (`sessions.ReadingOptions`);
            min_queries biases bq, and sessions that first_queries shortens count as censored.

    Returns:
        `Calibration`: estimates with intervals, which discount fits best, and measures for these
        searchers.

    Examples:
        >>> from gainful.sessions import simulate_log
        >>> calibration = calibrate(simulate_log(2000, b=2, bq=4, seed=1), query_limit=20)
        >>> calibration.measure, round(calibration["b"].low, 2), round(calibration["b"].high, 2)
        ('nsDCG(b=1.99, bq=3.98)@10', 1.95, 2.03)
    """
    check_seed(seed)
    if not isinstance(by, (str, Sequence)):
        raise WrongType("by", by, "the name of a column, or several")
    _, sessions = SessionReading.from_options(options).read(log, gains=False)
    first_queries = options.get("first_queries")
    allowed = "per cent between 0 and 100, such as 95"
    check_number("level", level, allowed, lambda number: 0 < number < 100)
    share = float(level) / 100
    limit = (
        query_limit if first_queries is None else min(first_queries, query_limit or first_queries)
    )
    observed = observe_searchers(sessions, depth_from, limit)
    if observed.depths is None and (observed.query_counts == 1).all():
        problem = "no session has a second query, and there is no column scanned or clicked"
        allowed = "sessions of several queries, clicks, or the depth looked at"
        raise BadInput(sessions.name, problem, allowed)
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
        notes=(*observed.notes, *describe_few(observed)),
    )
