"""Sessions of searchers who may stop anywhere: all their ways, expected gains and rates of gain.

esnDCG and esnCG (Kanoulas 2011): a searcher goes down a list, from each document to the next with
probability p_down, and then asks the next query with probability p_ref. What was looked at, list
after list, is one path; its value is its share of the ideal path of the same length. Paths are too
many to be looked at one by one, but how likely they are and what they gain follows from query to
query by their lengths alone.

sINST and sIFT (Wicaksono & Moffat 2021) take two probabilities of the C/W/L framework: of going on
to the next document of a list, which is INST's or IFT's, and of asking a next query once the list
is left, p_ref after every list, until the session has no more queries. Expectations are computed
query by query, from how likely the searcher comes there with so much behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadValue
from gainful.match.rank_order import rank_ideally
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import Entry, Example, SessionRecipe
from gainful.measure.functions.precision import Share
from gainful.measure.functions.sessions import collect
from gainful.measure.functions.sessions.sdcg import (
    discounts,
    positions_per_query,
    select_results,
    session_grade_gains,
    session_recall_base,
    sum_by_index,
)
from gainful.measure.functions.user_models import (
    FORAGER,
    FORAGING,
    check_goal,
    inst_continuation,
    make_forager,
)
from gainful.types import Array, Flags, Ranks, slices

USER_MODELS: list[Entry] = []
_measure = collect(USER_MODELS)
_PATH_OPTIONS = ("p_ref", "p_down", "remainder", "gain", "rel", "negative", "empty")
_OVER_PATHS = "over all paths down the first lists: the probability of the path · "
_IDEAL_SESSION = "that of an ideal path as long; can exceed 1: repeated documents count again"

_PATH_CELLS = 4_000_000  # sessions times path lengths that are laid out at once


@_measure(
    "esnDCG",
    f"Σ {_OVER_PATHS}the DCG of what was looked at / {_IDEAL_SESSION}",
    options=_PATH_OPTIONS,
    defaults={"gain": "exp", "discount": "log2", "remainder": "last"},
    bounded=False,
    cite="kanoulas2011",
)
def esndcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Share:
    """What share of the ideal DCG does a searcher who may stop anywhere reach?

    By hand: esnDCG(p_ref=0.5, p_down=0.5) of 0 1 / 3 is 0.25 * (7/log2(3) + 1/log2(3) + (1/log2(3)
    + 7/2)) / (7 + 1/log2(3))
    """
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
    expected = np.zeros(sessions.size)
    for block in slices(sessions.size, _PATH_CELLS // (longest + 1)):
        expected[block] = _expectation(
            sessions, recipe, block, (lists, list_length), ideal[base[block]]
        )
    longest_ideal = ideal[base, -1] if longest else np.zeros(sessions.size)
    return expected, (longest_ideal > 0).astype(np.float64)


_measure(
    "esnCG",
    f"Σ {_OVER_PATHS}the gain of what was looked at / {_IDEAL_SESSION}",
    Example("esnCG(p_ref=0.5, p_down=0.5)", "0 1 / 3", "0.25 * (7/8 + 1/8 + 8/8)"),
    question="What share of the ideal gain does a searcher who may stop anywhere reach?",
    options=_PATH_OPTIONS,
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
        likely, gain = _lengthen_paths(
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


def _lengthen_paths(  # noqa: PLR0917  (what is carried, and what it meets)
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
    options=("p", "balance", "gain", "rel", "duplicates", "depth", "negative"),
    bounded=False,
    cite="lipani2019",
)
def srbp(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much does a searcher who reads on or reformulates gain per document?

    After each document the searcher goes on with probability p; then stays in the list with
    probability `balance`, or else asks the next query. The weights are those of the authors' own
    notebook (github.com/aldolipani/sRBP); they sum to 1.

    Value: (1 − p) Σ over queries m and ranks n of gain · (balance · p)^(n−1) · ((p − balance ·
    p)/(1 − balance · p))^(m−1)
    By hand: sRBP(p=0.8, balance=0.5) of 0 2 / 1 is 0.2 * (0.4*2 + 0.4/0.6)
    """
    p, balance = float(recipe.setting("p")), float(recipe.setting("balance"))
    judged, counts, gain, _ = select_results(sessions, recipe)
    stays = balance * p
    next_query = (p - stays) / (1 - stays)
    query, rank = judged.query[counts], judged.rank[counts]
    weight = next_query ** (sessions.position[query] - 1.0) * stays ** (rank - 1.0)
    return (1 - p) * sum_by_index(sessions.session[query], gain[counts] * weight, sessions.size)


_RATE_OPTIONS = ("p_ref", "goal", "max_grade", "duplicates", "lists")

_MAX_DEPTH = 1000  # how far down a list a searcher can go, as in cwl_eval
_BLOCK_CELLS = 2_000_000  # results, or ways to come to them, that are laid out at once
_DENSE = 8  # cells for each of those who come, up to which all are laid out to be added up
_DIGITS = 9  # what searchers have behind them is the same, if it is so to so many digits


@frozen
class _Searcher:
    """How a searcher goes down a list, given its ranks and cumulated gains."""

    behind: Callable[[Array, Array], Array]  # what counts of the list, to be carried on
    go_on: Callable[[Array, Array, Array], Array]  # by all that is behind, rank, gain of the list


@frozen(eq=False)
class _Arrivals:
    """Searchers who come to a query: of which session, with what behind them, how many."""

    session: Ranks
    behind: Array
    share: Array

    def select(self, which: Flags | slice) -> _Arrivals:
        return _Arrivals(self.session[which], self.behind[which], self.share[which])

    def merge(self, unit: float | None) -> _Arrivals:
        """Those of a session who have the same behind them, as one."""
        if not len(self.session):
            return self
        if unit is None:
            rounded = np.round(self.behind, _DIGITS)
            levels, level = np.unique(rounded, return_inverse=True)
        else:
            level = np.rint(self.behind / unit).astype(np.intp)
            levels = np.arange(float(level.max()) + 1) * unit
        key = self.session * len(levels) + level
        first = int(self.session.min()) * len(levels)
        if int(key.max()) - first < _DENSE * len(key):
            share = sum_by_index(key - first, self.share, 0)
            some = np.flatnonzero(share)
            key, share = some + first, share[some]
        else:
            key, place = np.unique(key, return_inverse=True)
            share = sum_by_index(place, self.share, 0)
        return _Arrivals(key // len(levels), levels[key % len(levels)], share)


@frozen(eq=False)
class _Lists:
    """The lists of some sessions, as long as searchers may look."""

    gain: Array  # a row for each query
    cumulated: Array
    length: Ranks
    first_query: Ranks  # per session
    query_counts: Ranks
    unit: float | None  # what all gains are a multiple of, if that is known


@_measure(
    "sINST",
    options=("T", *_RATE_OPTIONS),
    defaults={"goal": "session"},
    cutoff_kind="needed",
    cite="wicaksono2021",
)
def session_inst(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much does a searcher who wants T and adapts gain per document of a session?

    With goal=session, what was looked at and what was gained count on from list to list: only so
    is INST's rule a probability, whatever was gained before.

    Value: gain per document; continues in a list with ((x − 1) / x)², x being 2T + documents looked
    at in the session − gain so far; after a list asks the next query with p_ref
    By hand: sINST(T=1, p_ref=0.5, max_grade=1)@2 of 1 0 / 1 is (1 + 1/2) / (5/4 + 1/2 + (3/4 * 1/4
    + 1/4 * 4/9)/2)
    """
    T = float(recipe.setting("T"))  # noqa: N806  (as in the paper)
    check_goal(T, "sINST")
    searcher = _Searcher(
        behind=lambda rank, gained: rank - gained,
        go_on=lambda behind, _rank, _gained: inst_continuation(2 * T + behind),
    )
    return _rate_of_gain(sessions, recipe, searcher)


@_measure(
    "sIFT",
    options=(*FORAGING, *_RATE_OPTIONS),
    defaults={**FORAGER, "goal": "session"},
    cutoff_kind="needed",
    cite="wicaksono2021",
)
def session_ift(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much does a forager gain per document of a session, by goal and rate of gain?

    With goal=session, the gain counts on from list to list. The rate is that of the list: it is
    the patch that a forager leaves.

    Value: gain per document; continues in a list as IFT's forager, by the gain of the session and
    the gain per document of the list; after a list asks the next query with p_ref
    By hand: sIFT(b1=1, R1=0, b2=1, R2=0, p_ref=0.5, max_grade=1)@2 of 0 1 / 1 is (1/4 + 1/2) / (5/4
    + 5/8)
    """
    forage = make_forager(**{name: recipe.setting(name) for name in FORAGING})
    searcher = _Searcher(
        behind=lambda _rank, gained: gained,
        go_on=lambda behind, rank, gained: forage(behind, gained / rank),
    )
    return _rate_of_gain(sessions, recipe, searcher)


def _rate_of_gain(sessions: MatchedSessions, recipe: SessionRecipe, searcher: _Searcher) -> Array:
    rates = np.zeros(sessions.size)
    for block, lists in _blocks(sessions, recipe):
        looked, gained = _walk(lists, recipe, searcher)
        np.divide(gained, looked, out=rates[block], where=looked > 0)
    return rates


def _blocks(sessions: MatchedSessions, recipe: SessionRecipe) -> Iterator[tuple[slice, _Lists]]:
    """Some sessions at a time, with their lists."""
    judged, counts, _, depth = select_results(sessions, recipe)
    highest = float(judged.pool_grade.max(initial=0.0))
    best = float(recipe.setting("max_grade") or (highest if highest > 0 else 1.0))
    gain = np.where(counts, np.clip(judged.grade, 0, best) / best, 0.0)
    is_whole = best == int(best) and bool((judged.grade == np.rint(judged.grade)).all())
    if recipe.k is None or recipe.k > _MAX_DEPTH:
        allowed = f"at most {_MAX_DEPTH} for {recipe.entry.name}: no searcher goes deeper"
        raise BadValue("k", recipe.k, allowed)
    length = positions_per_query(sessions, recipe, depth)
    width = int(length.max(initial=0))
    longest = int(sessions.query_counts.max(initial=1))
    for block in slices(sessions.size, _BLOCK_CELLS // max(1, width * longest)):
        first = sessions.first_query[block]
        queries = slice(int(first[0]), int(sessions.last_query[block][-1]) + 1)
        hit = (judged.query >= queries.start) & (judged.query < queries.stop) & (gain > 0)
        gains = np.zeros((queries.stop - queries.start, width))
        gains[judged.query[hit] - queries.start, judged.rank[hit] - 1] = gain[hit]
        yield (
            block,
            _Lists(
                gain=gains,
                cumulated=np.cumsum(gains, axis=1),
                length=length[queries],
                first_query=first - queries.start,
                query_counts=sessions.query_counts[block],
                unit=1 / best if is_whole else None,
            ),
        )


def _walk(lists: _Lists, recipe: SessionRecipe, searcher: _Searcher) -> tuple[Array, Array]:
    """How many documents are looked at in each session, and their expected gain.

    Of all searchers who come to a list, as many look at each of its documents as went on at those
    above it; the others leave, and p_ref of them come to the next list.
    """
    p_ref, carries = float(recipe.setting("p_ref")), recipe.setting("goal") == "session"
    size, width = len(lists.query_counts), lists.gain.shape[1]
    looked, gained = np.zeros(size), np.zeros(size)
    arrivals = _Arrivals(np.arange(size), np.zeros(size), np.ones(size))
    for position in range(int(lists.query_counts.max(initial=0))):
        going = lists.query_counts[arrivals.session] > position
        arrivals, leaving = arrivals.select(going & (arrivals.share > 0)), []
        for part in slices(len(arrivals.session), _BLOCK_CELLS // max(1, width)):
            some = arrivals.select(part)
            query = lists.first_query[some.session] + position
            share, behind, leaves = _walk_list(lists, query, some, searcher)
            looked += sum_by_index(some.session, share.sum(axis=1), size)
            gains = (share * lists.gain[query]).sum(axis=1)
            gained += sum_by_index(some.session, gains, size)
            if carries:
                session = np.repeat(some.session, behind.shape[1])
                left = _Arrivals(session, behind.ravel(), leaves.ravel())
                empty = some.select(lists.length[query] == 0)
                leaving.append(_concatenate([left, empty]).merge(lists.unit))
        if carries:  # else each list begins anew, and all leave it
            arrivals = _concatenate(leaving).merge(lists.unit)
        arrivals = evolve(arrivals, share=arrivals.share * p_ref)
    return looked, gained


def _walk_list(
    lists: _Lists, query: Ranks, arrivals: _Arrivals, searcher: _Searcher
) -> tuple[Array, Array, Array]:
    """At every rank: how many look at it, what is behind them then, and how many leave there."""
    rank = np.arange(1.0, lists.gain.shape[1] + 1)
    cumulated, length = lists.cumulated[query], lists.length[query][:, None]
    behind = arrivals.behind[:, None] + searcher.behind(rank, cumulated)
    go_on = np.where(rank < length, searcher.go_on(behind, rank, cumulated), 0.0)
    share = np.empty_like(go_on)
    share[:, :1] = arrivals.share[:, None]
    share[:, 1:] = arrivals.share[:, None] * np.cumprod(go_on[:, :-1], axis=1)
    share = np.where(rank <= length, share, 0.0)
    return share, behind, share * (1 - go_on)


def _concatenate(parts: list[_Arrivals]) -> _Arrivals:
    return _Arrivals(
        np.concatenate([np.zeros(0, dtype=np.intp), *(part.session for part in parts)]),
        np.concatenate([np.zeros(0), *(part.behind for part in parts)]),
        np.concatenate([np.zeros(0), *(part.share for part in parts)]),
    )
