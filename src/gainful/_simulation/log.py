"""Simulated logs: searchers whose patience is known, so that what is measured can be checked."""

from __future__ import annotations

import numpy as np
import polars as pl

from gainful.errors import BadValue, check_number, check_seed, check_whole_number
from gainful.measure.discount import DISCOUNTS, as_query_discount
from gainful.read.sessions import Sessions
from gainful.types import Array, Flags, Ranks

_MOST_RESULTS = 50_000_000  # rows that are made at once


def simulate_log(
    sessions: int = 1000,
    *,
    b: float = 2,
    bq: float = 4,
    p: float | None = None,
    balance: float = 0.7,
    results: int = 10,
    most_queries: int = 20,
    click: float = 0.3,
    success: float = 0.0,
    seed: int = 2008,
) -> Sessions:
    """A log of searchers whose patience is known: simulated, the same for a seed.

    A searcher looks at rank i of a list with 1/(1 + log_b i), and asks a query q with 1/(1 + log_bq
    q). With p, it is the searcher of sRBP instead: after each document goes on with p, then stays
    in the list with `balance` or else asks anew. A result that is looked at is clicked with
    `click`. After each query a searcher has with chance `success` what was wanted: the last result
    looked at is clicked, and the session ends.

    Args:
        sessions: how many.
        b: how patient searchers are down a list.
        bq: how willing they are to ask again.
        p: how likely sRBP's searcher goes on; then b and bq do not count.
        balance: how likely that searcher stays in the list.
        results: of each query.
        most_queries: of a session; longer sessions are cut off.
        click: how likely a result that is looked at is clicked.
        success: how likely a query brings what was wanted.
        seed: random seed.

    Returns:
        `Sessions` with the columns scanned (how deep was looked) and clicked.

    Examples:
        >>> simulate_log(2, results=3, seed=1).frame.columns
        ['session', 'query', 'rank', 'doc', 'scanned', 'clicked']
    """
    counts = {"sessions": sessions, "results": results, "most_queries": most_queries}
    for name, count in counts.items():
        check_whole_number(name, count)
    check_seed(seed)
    shares = {"balance": balance, "click": click, "success": success, "p": 0.5 if p is None else p}
    for name, share in shares.items():
        check_number(name, share, "a number from 0 to 1", lambda number: 0 <= number <= 1)
    random = np.random.default_rng(seed)
    reading, asking = _survivals(b, bq, p, balance, results, most_queries)
    query_counts = _draw_stops(asking, sessions, random)
    satisfied = np.zeros(sessions, dtype=bool)
    if success > 0:
        draws = random.random((sessions, most_queries)) < success
        first = np.where(draws.any(axis=1), draws.argmax(axis=1) + 1, most_queries + 1)
        satisfied = first <= query_counts
        query_counts = np.minimum(first, query_counts).astype(np.intp)
    total = int(query_counts.sum())
    if total * results > _MOST_RESULTS:
        raise BadValue("sessions", sessions, f"few enough for {_MOST_RESULTS} results")
    depths = _draw_stops(reading, total, random)
    clicked = random.random((total, results)) < click
    clicked &= np.arange(1, results + 1) <= depths[:, None]
    last = np.cumsum(query_counts) - 1
    clicked[last[satisfied], depths[last[satisfied]] - 1] = True
    return _build_sessions(query_counts, depths, clicked, seed)


def _survivals(  # noqa: PLR0917
    b: float, bq: float, p: float | None, balance: float, results: int, most_queries: int
) -> tuple[Array, Array]:
    ranks = np.arange(1, results + 1, dtype=np.float64)
    queries = np.arange(1, most_queries + 1, dtype=np.float64)
    if p is None:
        discount = DISCOUNTS["jk2008"].with_values({"b": b})
        query_discount = as_query_discount(DISCOUNTS["jk2008"]).with_values({"bq": bq})
        return discount.evaluate_at(ranks), query_discount.evaluate_at(queries)
    stays = balance * p
    asks = (p - stays) / (1 - stays)
    return np.power(stays, ranks - 1), np.power(asks, queries - 1)


def _draw_stops(survival: Array, size: int, random: np.random.Generator) -> Ranks:
    draws = 1 - random.random(size)  # above 0
    return np.searchsorted(-survival, -draws, side="right").astype(np.intp)


def _build_sessions(query_counts: Ranks, depths: Ranks, clicked: Flags, seed: int) -> Sessions:
    """A row for each result; no two queries show the same document."""
    total, results = clicked.shape
    session = np.repeat(np.arange(len(query_counts)), query_counts)
    first = np.repeat(np.cumsum(query_counts) - query_counts, query_counts)
    position = np.arange(total) - first + 1
    rows = np.repeat(np.arange(total), results)
    frame = pl.DataFrame(
        {
            "session": (session + 1)[rows],
            "query": position[rows],
            "rank": np.tile(np.arange(1, results + 1), total),
            "doc": np.arange(1, total * results + 1),
            "scanned": depths[rows],
            "clicked": clicked.ravel(),
        }
    ).with_columns(
        pl.format("sim-{}", "session").alias("session"), pl.format("d{}", "doc").alias("doc")
    )
    note = "simulated: generated by a searcher model, not observed"
    return Sessions(frame, f"simulated log (seed {seed})", notes=(note,))
