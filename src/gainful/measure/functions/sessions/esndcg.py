"""esnDCG and esnCG: what is to be expected of all the ways through a session (Kanoulas 2011).

A searcher goes down a list, from each document to the next with probability p_down, and then asks
the next query with probability p_ref. What was looked at, list after list, is one path; its value
is its share of the ideal path of the same length. Paths are too many to be looked at one by one,
but how likely they are and what they gain follows from query to query by their lengths alone.
"""

from __future__ import annotations

import numpy as np

from gainful.match.rank_order import rank_ideally
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import Entry, Example, SessionRecipe
from gainful.measure.functions.precision import Share
from gainful.measure.functions.sessions import collect
from gainful.measure.functions.sessions.sdcg import (
    discounts,
    select_results,
    session_grade_gains,
    session_recall_base,
    sum_by_index,
)
from gainful.types import Array, Flags, Ranks

PATHS: list[Entry] = []
_measure = collect(PATHS)
_OPTIONS = ("p_ref", "p_down", "remainder", "gain", "rel", "negative", "empty")
_PATHS = "over all paths down the first lists: the probability of the path · "
_IDEAL_SESSION = "that of an ideal path as long; can exceed 1: repeated documents count again"

_BLOCK_CELLS = 4_000_000  # sessions times path lengths that are laid out at once


@_measure(
    "esnDCG",
    f"Σ {_PATHS}the DCG of what was looked at / {_IDEAL_SESSION}",
    Example(
        "esnDCG(p_ref=0.5, p_down=0.5)",
        "0 1 / 3",
        "0.25 * (7/log2(3) + 1/log2(3) + (1/log2(3) + 7/2)) / (7 + 1/log2(3))",
    ),
    options=_OPTIONS,
    defaults={"gain": "exp", "discount": "log2", "remainder": "last"},
    bounded=False,
    cite="kanoulas2011",
)
def esndcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Share:
    """What share of the ideal DCG does a searcher reach who may stop anywhere?"""
    judged, counts, gain, depth = select_results(sessions, recipe)
    list_length = np.minimum(sessions.retrieved, depth)  # short lists are as they are
    path_length = np.bincount(sessions.session, list_length, minlength=sessions.size)
    longest = int(path_length.max(initial=0))
    pool = np.maximum(session_grade_gains(judged.pool_grade, recipe, sessions, None), 0.0)
    ideal = _ideal_paths(recipe, judged.pool_base, pool, judged.base, longest)
    base = session_recall_base(
        sessions, judged.base, ("measure", recipe.label, "a measure of queries")
    )
    lists = np.zeros((len(sessions.position), int(list_length.max(initial=0))))
    nonzero = counts & (gain != 0)
    lists[judged.query[nonzero], judged.rank[nonzero] - 1] = gain[nonzero]
    step = max(1, _BLOCK_CELLS // (longest + 1))
    expected = np.zeros(sessions.size)
    for first in range(0, sessions.size, step):
        block = slice(first, min(first + step, sessions.size))
        expected[block] = _expectation(
            sessions, recipe, block, (lists, list_length), ideal[base[block]]
        )
    longest_ideal = ideal[base, -1] if longest else np.zeros(sessions.size)
    return expected, (longest_ideal > 0).astype(np.float64)


_measure(
    "esnCG",
    f"Σ {_PATHS}the gain of what was looked at / {_IDEAL_SESSION}",
    Example("esnCG(p_ref=0.5, p_down=0.5)", "0 1 / 3", "0.25 * (7/8 + 1/8 + 8/8)"),
    question="What share of the ideal gain does a searcher reach who may stop anywhere?",
    options=_OPTIONS,
    defaults={"gain": "exp", "discount": "none", "p_ref": 0.8, "remainder": "last"},
    bounded=False,
    cite="kanoulas2011",
)(esndcg)


def _ideal_paths(
    recipe: SessionRecipe, pool_base: Ranks, pool: Array, base: Ranks, longest: int
) -> Array:
    """The gain of the best path of each length, of every recall base; the last is of none."""
    ideal = rank_ideally(pool_base, pool)
    size = int(max(pool_base.max(initial=-1), base.max(initial=-1))) + 2
    best = np.zeros((size, longest + 1))
    inside = ideal.rank <= longest
    rank = ideal.rank[inside]
    best[ideal.query[inside], rank] = ideal.gain[inside] * discounts(recipe, rank)
    return np.cumsum(best, axis=1)


def _expectation(
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    block: slice,
    lists: tuple[Array, Ranks],
    ideal: Array,
) -> Array:
    """The expected share of some sessions, query by query.

    `likely` is how likely the searcher has looked at so many documents by the end of a query,
    `gain` what these paths have gained, each as much as it is likely.
    """
    p_ref, p_down, remainder = map(recipe.setting, ("p_ref", "p_down", "remainder"))
    size, lengths = ideal.shape
    session_number = np.arange(block.start, block.stop)
    begin = sessions.first_query[session_number]
    discount = discounts(recipe, np.arange(1, lengths + 1))
    likely, gain = np.zeros((size, lengths)), np.zeros((size, lengths))
    likely[:, 0] = 1.0
    expected = np.zeros(size)
    counts = sessions.query_counts[session_number]
    for position in range(int(counts.max())):
        going = counts > position
        query = np.where(going, begin + position, begin)
        likely, gain = _walk_list(
            likely, gain, going, (lists[0][query], lists[1][query]), discount, (p_down, remainder)
        )
        share = np.divide(gain, ideal, out=np.zeros_like(gain), where=ideal > 0).sum(axis=1)
        expected += _end_chances(p_ref, remainder, position + 1, counts) * share
    return expected


def _end_chances(p: float, remainder: str, k: int, length: Ranks) -> Array:
    if remainder == "shared":
        totals = np.cumsum(p ** np.arange(max(1, length.max(initial=0))))
        ends: Array = 1 / totals[np.maximum(length, 1) - 1]
    else:
        ends = np.where(length == k, 1.0, 1 - p)
    return np.where(length >= k, ends * p ** (k - 1), 0.0)


def _walk_list(  # noqa: PLR0917  (what is carried, and what it meets)
    likely: Array,
    gain: Array,
    going: Flags,
    lists: tuple[Array, Ranks],
    discount: Array,
    ends: tuple[float, str],
) -> tuple[Array, Array]:
    """What is carried through one more list: the searcher stops at any of its documents."""
    list_gains, list_length = lists
    lengths = likely.shape[1]
    stays = going & (list_length == 0)  # nothing to look at
    likely_after, gain_after = likely * stays[:, None], gain * stays[:, None]
    for k in range(1, int(list_length[going].max(initial=0)) + 1):
        # One document more: where a path had n documents, it is now the (n + k)-th.
        gain = gain.copy()
        gain[:, : lengths - k] += (
            likely[:, : lengths - k] * list_gains[:, k - 1, None] * discount[k - 1 : -1]
        )
        chance = np.where(going, _end_chances(*ends, k, list_length), 0.0)[:, None]
        likely_after[:, k:] += chance * likely[:, : lengths - k]
        gain_after[:, k:] += chance * gain[:, : lengths - k]
    return likely_after, gain_after


@_measure(
    "sRBP",
    "(1 − p) Σ over queries m and ranks n of gain · (balance · p)^(n−1) · "
    "((p − balance · p)/(1 − balance · p))^(m−1)",
    Example("sRBP(p=0.8, balance=0.5)", "0 2 / 1", "0.2 * (0.4*2 + 0.4/0.6)"),
    options=("p", "balance", "gain", "rel", "duplicates", "depth", "negative"),
    bounded=False,
    cite="lipani2019",
)
def srbp(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What does a searcher gain per document who reads on or reformulates?

    After each document the searcher goes on with probability p; then stays in the list with
    probability `balance`, or else asks the next query. The weights are those of the authors' own
    notebook (github.com/aldolipani/sRBP); they sum to 1.
    """
    p, balance = float(recipe.setting("p")), float(recipe.setting("balance"))
    judged, counts, gain, _ = select_results(sessions, recipe)
    stays = balance * p
    next_query = (p - stays) / (1 - stays)
    query, rank = judged.query[counts], judged.rank[counts]
    weight = next_query ** (sessions.position[query] - 1.0) * stays ** (rank - 1.0)
    return (1 - p) * sum_by_index(sessions.session[query], gain[counts] * weight, sessions.size)
