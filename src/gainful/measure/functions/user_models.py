"""Measures of a searcher who goes on or stops: RBP, ERR, and those of the C/W/L framework.

Grades are scaled to gains from 0 to 1; the best grade is `max_grade`, or if it is not set the
highest that was given. Most of these measures are defined by the probability of going on from one
rank to the next; the weight of a rank is how likely it is seen at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial, update_wrapper
from itertools import pairwise
from typing import Any

import numpy as np

from gainful.errors import BadValue
from gainful.formula import NamedFormula
from gainful.match import PlacedGains
from gainful.match.rank_order import rank_ideally
from gainful.measure.discount import DISCOUNTS
from gainful.measure.entry import LOWER, Entry, collect_entries
from gainful.measure.functions.precision import Share, divide
from gainful.measure.ranked_run import RankedRun, count_below
from gainful.types import Array, Flags, Ranks, slices

RANK_BIASED: list[Entry] = []
USER_MODELS: list[Entry] = []
_rank_biased, _measure = collect_entries(RANK_BIASED), collect_entries(USER_MODELS)
FORAGING = ("T", "b1", "R1", "A", "b2", "R2", "foraging")  # what IFT's rule takes
FORAGER: Mapping[str, float | str] = {"foraging": "goal_and_rate", "T": 2}  # as cwl_eval's examples

# Of the gain so far, and of the gain per document looked at: how likely the searcher goes on.
Forager = Callable[[Array, Array], Array]


def check_goal(T: float, measure: str) -> None:  # noqa: N803  (as in the paper)
    """Refuse a goal so small that what INST says is no probability."""
    if T < 0.5:
        allowed = f"at least 0.5 for {measure}; below, a searcher would never stop"
        raise BadValue("T", T, allowed)


def inst_continuation(x: Array) -> Array:
    """INST's rule, x being the documents looked at + 2T − the gain so far."""
    return ((x - 1) / x) ** 2


def make_forager(
    *,
    foraging: str,
    T: float,  # noqa: N803  (all as in the paper)
    b1: float,
    R1: float,  # noqa: N803
    A: float,  # noqa: N803
    b2: float,
    R2: float,  # noqa: N803
) -> Forager:
    """IFT's rule: less likely the nearer the goal T, and the further the rate is below A.

    C1 = 1 − 1/(1 + b1·e^(R1·(T − gain))), C2 = 1/(1 + b2·e^(R2·(A − rate))), and C1·C2 of a
    searcher who heeds both.
    """

    def goal(gain: Array) -> Array:
        return _logistic(np.log(b1) + R1 * (T - gain))

    def rate(gain_rate: Array) -> Array:
        return _logistic(-np.log(b2) - R2 * (A - gain_rate))

    rules: dict[str, Forager] = {
        "goal_and_rate": lambda gain, gain_rate: goal(gain) * rate(gain_rate),
        "goal": lambda gain, _: goal(gain),
        "rate": lambda _, gain_rate: rate(gain_rate),
    }
    return rules[foraging]


def _logistic(u: Array) -> Array:
    with np.errstate(over="ignore"):  # e^∞ is what a searcher is who follows the rule to the letter
        return np.asarray(1 / (1 + np.exp(-u)))


_MAX_DEPTH = 1000  # how far down a searcher can go, as in cwl_eval
_LARGEST_CUTOFF = 10_000_000  # the largest cutoff of which every rank is summed
_BATCH_QUERIES = 5_000  # queries whose ranks are laid out at once


@_rank_biased("RBP", cite="moffat2008", extremes="ends")
def rbp(ranked: RankedRun, *, p: float, rel: float, rbp_grades: str, k: int | None) -> Array:
    """How much does a searcher who continues with probability p gain?

    Value: (1 − p)·Σ p^(i−1) over the ranks i of relevant documents
    By hand: RBP(p=0.5) of 1 0 1 0 is 0.5 * (1 + 0.5**2)
    """
    hit = ranked.relevant(rel, k)
    worth = ranked.grade if rbp_grades == "grade" else 1.0
    return (1 - p) * ranked.total(worth * _weights(ranked, p)[ranked.rank - 1], hit)


@_rank_biased("gRBP", extremes="best_grade")
def grbp(ranked: RankedRun, *, p: float, gain: NamedFormula) -> Array:
    """How much does such a searcher gain, if grades count and the highest is 1?

    Value: (1 − p)·Σ gain(i)·p^(i−1), gains scaled to 0 … 1 in each query if any is above 1
    By hand: gRBP(p=0.5) of 2 0 4 | 3 is 0.5 * (2/4 + 4/4 * 0.5**2)
    """
    gains, pool = ranked.gains(gain), ranked.pool_gains(gain)
    low, high = np.zeros(ranked.size), np.zeros(ranked.size)
    np.minimum.at(low, ranked.pool_query, pool)
    np.maximum.at(high, ranked.pool_query, pool)
    beyond = (low < 0) | (high > 1)
    low, width = np.where(beyond, low, 0.0), np.where(beyond, high - low, 1.0)
    scaled = (gains - low[ranked.query]) / width[ranked.query]
    return (1 - p) * ranked.total(scaled * _weights(ranked, p)[ranked.rank - 1])


@_rank_biased(
    "RBPResid", cite="moffat2008", extremes="ends", sees_nonrelevant=True, direction=LOWER
)
def rbp_residual(ranked: RankedRun, *, p: float) -> Array:
    """How much higher could RBP be, if all unjudged documents were relevant?

    Value: p^n + (1 − p)·Σ p^(i−1) over unjudged ranks i of n; 0 if there is none
    By hand: RBPResid(p=0.5) of 1 - 1 is 0.5**3 + 0.5 * 0.5
    """
    weight = _weights(ranked, p)
    judged = ranked.grade >= 0
    residual = np.zeros(ranked.size)
    for part in slices(ranked.size, _BATCH_QUERIES):
        retrieved = ranked.retrieved[part]
        begin = np.cumsum(retrieved) - retrieved
        query = np.repeat(np.arange(len(retrieved)), retrieved)
        is_unjudged = np.ones(len(query), dtype=bool)
        mine = judged & (ranked.query >= part.start) & (ranked.query < part.stop)
        is_unjudged[begin[ranked.query[mine] - part.start] + ranked.rank[mine] - 1] = False
        place = np.arange(len(query)) - begin[query]
        total = np.bincount(
            query[is_unjudged], weight[place[is_unjudged]], minlength=len(retrieved)
        )
        reached = weight[retrieved] + (1 - p) * total  # what comes below the last, and above
        reached = np.minimum(reached, 1.0)  # but for rounding it never passes 1
        has_unjudged = np.bincount(query[is_unjudged], minlength=len(retrieved)) > 0
        residual[part] = np.where(has_unjudged, reached, 0.0)
    return residual


def _weights(ranked: RankedRun, p: float) -> Array:
    depth = int(ranked.retrieved.max(initial=0))
    return np.cumprod(np.append(1.0, np.full(depth, p)))


@_measure("ERR", cite="chapelle2009", extremes="uniform")
def err(ranked: RankedRun, *, max_grade: float | None, k: int | None) -> Array:
    """How early is a searcher satisfied, in expectation?

    Value: Σ 1/i · P(i) · Π (1 − P(j)) over j < i, P = (2^grade − 1) / 2^max_grade
    By hand: ERR(max_grade=2)@3 of 2 0 1 is 3/4 + 1/3 * 1/4 * 1/4
    """
    stop = _stop_probability(ranked.grade, ranked.best_grade(max_grade))
    return _err_sum(ranked.query, ranked.rank, stop, ranked.size, k)


@_measure("nERR", cite="chapelle2009")
def nerr(ranked: RankedRun, *, max_grade: float | None, k: int | None) -> Share:
    """What share of the best possible ERR was reached?

    Value: ERR / the ERR of the ideal ranking
    By hand: nERR(max_grade=1)@2 of 0 1 is (1/2 * 1/2) / (1/2)
    """
    ideal = rank_ideally(ranked.pool_query, ranked.pool_grade)
    stop = _stop_probability(ideal.gain, ranked.best_grade(max_grade))
    best = _err_sum(ideal.query, ideal.rank, stop, ranked.size, k)
    return err(ranked, max_grade=max_grade, k=k), best


@_measure("PFound", defaults={"p": 0.85}, cite="gulin2009", extremes="uniform")
def pfound(ranked: RankedRun, *, p: float, max_grade: float | None, k: int | None) -> Array:
    """How likely is a searcher who may give up after each document to find something?

    Value: Σ P(i) · p^(i−1) · Π (1 − P(j)) over j < i, P = grade / max_grade
    By hand: PFound(max_grade=4) of 1 0 2 is 1/4 + 2/4 * 0.85**2 * 3/4
    """
    found_here = scale_gains(ranked, max_grade)
    reach = _reach(ranked.query, found_here, ranked.size) * p ** (ranked.rank - 1.0)
    return ranked.total(found_here * reach, ranked.top(k))


def rank_row(gain: Array) -> Array:
    """The ranks of a row of gains."""
    return np.arange(1.0, gain.shape[1] + 1)


# How likely a searcher goes on from each rank to the next, of the gains at all ranks.
Continuation = Callable[..., Array]
CONTINUATIONS: dict[str, Continuation] = {}


def _rate_of_gain(name: str, **facts: Any) -> Callable[[Continuation], Continuation]:
    """A decorator that adds the measure of a searcher who goes on as the function says."""

    def add_rate(go_on: Continuation) -> Continuation:
        CONTINUATIONS[name] = go_on
        rate = update_wrapper(partial(rate_of_gain, go_on), go_on)
        own = (name for name in go_on.__annotations__ if name not in ("gain", "k", "return"))
        _measure(name, **{"arguments": (*own, "max_grade"), **facts})(rate)
        return go_on

    return add_rate


def rate_of_gain(
    go_on: Continuation, ranked: RankedRun, *, max_grade: float | None, **arguments: Any
) -> Array:
    """The gain per document that a searcher looks at, who goes on as the function says."""
    rates = np.empty(ranked.size)
    for part, gain in gain_batches(ranked, scale_gains(ranked, max_grade)):
        weight = chance_to_reach(gain, go_on(gain, **arguments))
        rates[part] = (weight * gain).sum(axis=1) / weight.sum(axis=1)
    return rates


@_rate_of_gain("INST", cite="bailey2015")
def continue_inst(gain: Array, T: float) -> Array:  # noqa: N803  (as in the paper)
    """How much is gained per document by a searcher who wants T and adapts?

    Value: gain per document; continues with ((x − 1) / x)², x being i + 2T − gain so far
    By hand: INST(T=1, max_grade=1) of 1 is 1 / sum([1] + [(1/(i + 1))**2 for i in range(1, 1000)])
    """
    check_goal(T, "INST")
    return inst_continuation(rank_row(gain) + 2 * T - np.cumsum(gain, axis=1))


@_rate_of_gain("INSQ", cite="moffat2012", extremes="uniform")
def continue_insq(gain: Array, T: float) -> Array:  # noqa: N803
    """How much is gained per document by a searcher who wants T and does not adapt?

    Value: gain per document; continues with ((i + 2T − 1) / (i + 2T))²
    By hand: INSQ(T=1, max_grade=1) of 1 is 1 / sum([(2/(i + 2))**2 for i in range(1000)])
    """
    return inst_continuation(rank_row(gain) + 2 * T)


@_rate_of_gain("IFT", arguments=(*FORAGING, "max_grade"), defaults=FORAGER, cite="azzopardi2018")
def continue_foraging(gain: Array, **rule: Any) -> Array:
    """How much is gained per document by a forager, by goal and rate of gain?

    Value: gain per document; continues with C1·C2, C1 = 1 − 1/(1 + b1·e^(R1·(T − gain so far))),
    C2 = 1/(1 + b2·e^(R2·(A − gain per document so far)))
    By hand: IFT(b1=1, R1=0, b2=1, R2=0, max_grade=1) of 0 1 is (1/2 * 1/2) * (1 - 1/4)
    """
    cumulated = np.cumsum(gain, axis=1)
    return make_forager(**rule)(cumulated, cumulated / rank_row(gain))


@_rate_of_gain("BPM", cite="zhang2017")
def continue_to_goal(gain: Array, T: float, k: int) -> Array:  # noqa: N803
    """How much is gained per document by a searcher who stops at T, or at k?

    Value: gain / documents looked at, until the gain reaches T or the rank reaches k
    By hand: BPM(T=1, max_grade=2)@4 of 1 0 1 2 is (1/2 + 1/2) / 3
    """
    return ((rank_row(gain) < k) & (np.cumsum(gain, axis=1) < T)).astype(np.float64)


@_rate_of_gain("NERR8", cite="azzopardi2021")
def continue_to_cutoff(gain: Array, k: int) -> Array:
    """How much is gained per document by a searcher who stops as ERR's does, or at k?

    Value: gain per document; continues with 1 − gain, up to k; gain being grade/max_grade
    By hand: NERR8(max_grade=1)@3 of 0 1 1 is 1 / 2
    """
    return (1 - gain) * (rank_row(gain) < k)


@_rate_of_gain("NERR9", cite="azzopardi2021")
def continue_tired(gain: Array, k: int) -> Array:
    """How much is gained per document by a searcher who stops as ERR's does, tires, or stops at k?

    Value: gain per document; continues with (1 − gain)·i/(i + 1), up to k; gain being
    grade/max_grade
    By hand: NERR9(max_grade=1)@3 of 0 1 1 is (1/2) / (1 + 1/2)
    """
    rank = rank_row(gain)
    return (1 - gain) * rank / (rank + 1) * (rank < k)


@_rate_of_gain("NERR10", defaults={"p": 0.9}, cite="azzopardi2021")
def continue_patiently(gain: Array, p: float) -> Array:
    """How much is gained per document by a searcher who stops as ERR's does, patient as RBP's?

    Value: gain per document; continues with p·(1 − gain); gain being grade/max_grade
    By hand: NERR10(p=0.5, max_grade=1) of 0 1 1 is (1/2) / (1 + 1/2)
    """
    return p * (1 - gain)


@_rate_of_gain("NERR11", cite="azzopardi2021")
def continue_wanting(gain: Array, T: float) -> Array:  # noqa: N803
    """How much is gained per document by a searcher who stops as ERR's does, and wants T?

    Value: gain per document; continues with ((i + 2T − 1) / (i + 2T))²·(1 − gain); gain being
    grade/max_grade
    By hand: NERR11(T=1, max_grade=1) of 0 1 1 is (4/9) / (1 + 4/9)
    """
    return inst_continuation(rank_row(gain) + 2 * T) * (1 - gain)


def chance_to_reach(gain: Array, continuation: Array) -> Array:
    """How likely a searcher comes as far as each rank."""
    reach = np.cumprod(np.broadcast_to(continuation, gain.shape)[:, :-1], axis=1)
    return np.concatenate((np.ones((len(gain), 1)), reach), axis=1)


@_measure("scaledDCG", cite="moffat2008", extremes="uniform")
def scale_dcg(ranked: RankedRun, *, max_grade: float | None, k: int) -> Array:
    """What share of the DCG of k perfect documents was reached?

    Value: Σ grade/max_grade/log2(i+1) over i ≤ k / Σ 1/log2(i+1); ir_measures calls it SDCG
    By hand: scaledDCG(max_grade=2)@2 of 1 2 is (1/2 + 1/log2(3)) / (1 + 1/log2(3))
    """
    if k > _LARGEST_CUTOFF:
        raise BadValue("k", k, f"at most {_LARGEST_CUTOFF}")
    discount = DISCOUNTS["log2"]
    reached = ranked.total(
        scale_gains(ranked, max_grade) * discount.evaluate_at(ranked.rank), ranked.top(k)
    )
    maximum = float(discount.evaluate_at(np.arange(1, k + 1)).sum())
    return reached / maximum


@_measure("Judged", extremes="ends", sees_nonrelevant=True)
def share_with_judgment(ranked: RankedRun, *, k: int | None) -> Array:
    """What share of the first k documents has a judgment?

    Value: documents with a judgment among the first k / min(k, retrieved)
    By hand: Judged@4 of 1 - 0 is 2 / 3
    """
    return divide(ranked.count(ranked.top(k)), ranked.depths(k))


@_measure("Compat", defaults={"p": 0.95}, cite="clarke2021")
def compatibility(ranked: RankedRun, *, p: float) -> Share:
    """How similar are the ranking and the closest ideal ranking?

    Value: rank-biased overlap with the ideal ranking / that of the ideal with itself
    By hand: Compat(p=0.5) of 0 1 is (1/2 * 1/2) / (1 + 1/2 * 1/2)
    """
    good, pool = ranked.grade > 0, ranked.pool_grade > 0
    query, rank = ranked.query[good], ranked.rank[good]
    ideal_size = ranked.count_pool(pool).astype(np.intp)
    depth = np.maximum(ranked.retrieved, ideal_size)
    better_count = _count_better(ranked, good, pool)
    order = np.lexsort((rank, -ranked.grade[good], query))
    place = np.empty(len(query), dtype=np.intp)  # among the retrieved of the same grade
    key = np.stack((query[order].astype(np.float64), ranked.grade[good][order]))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    begin = np.flatnonzero(fresh)
    place[order] = np.arange(len(order)) - begin[np.cumsum(fresh) - 1]
    meeting_rank = np.maximum(rank, better_count + place + 1)
    deepest = int(depth.max(initial=1))
    steps = np.arange(1, deepest + 1)
    cumulated_weight = np.append(0.0, np.cumsum(p ** (steps - 1.0) / steps))
    weight_before = cumulated_weight[np.minimum(meeting_rank - 1, depth[query])]
    overlap = np.bincount(
        query, cumulated_weight[depth[query]] - weight_before, minlength=ranked.size
    )
    # Σ until[j - 1] over the ideal's ranks j
    starts = np.append(0.0, np.cumsum(cumulated_weight[:-1]))
    maximum = ideal_size * cumulated_weight[depth] - starts[np.minimum(ideal_size, deepest)]
    return overlap.astype(np.float64), maximum


def _count_better(ranked: RankedRun, good: Flags, pool: Flags) -> Ranks:
    grades = np.unique(ranked.pool_grade[pool])
    level = len(grades) - np.searchsorted(grades, ranked.pool_grade[pool])  # the best grade is 1
    own_level = len(grades) - np.searchsorted(grades, ranked.grade[good])
    return count_below(ranked.pool_query[pool], level, ranked.query[good], own_level)


def _stop_probability(grade: Array, best: float) -> Array:
    capped = np.clip(grade, 0, best)
    stop: Array = np.exp2(capped - best) - np.exp2(-best)
    return stop


def _err_sum(query: Ranks, rank: Ranks, stop: Array, size: int, k: int | None) -> Array:
    reach = _reach(query, stop, size)
    in_top = np.ones(len(rank), dtype=bool) if k is None else rank <= k
    return np.bincount(query[in_top], (stop * reach / rank)[in_top], minlength=size).astype(
        np.float64
    )


def _reach(query: Ranks, stop: Array, size: int) -> Array:
    """How likely the searcher comes as far as each document without having stopped before."""
    begin = np.searchsorted(query, np.arange(size + 1)).tolist()
    reach = np.ones(len(stop))
    for start, end in pairwise(begin):
        if start == end:  # else the slice before would reach round to the end
            continue
        np.cumprod(1 - stop[start : end - 1], out=reach[start + 1 : end])
    return reach


def scale_gains(ranked: RankedRun, max_grade: float | None) -> Array:
    """Grades as gains from 0 to 1."""
    best = ranked.best_grade(max_grade)
    return np.clip(ranked.grade, 0, best) / best


def gain_batches(ranked: RankedRun, gain: Array) -> Iterator[tuple[slice, Array]]:
    """The gain at every rank, some thousands of queries at a time."""
    for part in slices(ranked.size, _BATCH_QUERIES):
        in_batch = (ranked.query >= part.start) & (ranked.query < part.stop)
        row, rank = ranked.query[in_batch] - part.start, ranked.rank[in_batch]
        placed = PlacedGains(part.stop - part.start, row, row, gain[in_batch], rank, rank)
        yield part, placed.gains_by_rank(_MAX_DEPTH)


@_measure("TBG", bounded=False, cite="smucker2012")
def time_biased_gain(
    ranked: RankedRun,
    *,
    half_life: float,
    per_summary: float,
    words: float,
    per_word: float,
    per_document: float,
    click: float,
    false_click: float,
    save: float,
    rel: float,
    k: int | None,
) -> Array:
    """How many relevant documents does a searcher whose interest halves over time save?

    A searcher reads every summary; a relevant document is opened with `click`, another with
    `false_click`, and takes per_word · words + per_document seconds.

    Value: Σ over relevant documents of click · save · 2^(−T/half_life), T being the seconds to get
    there: per_summary each, and for what is opened per_word · words + per_document
    By hand: TBG(words=400) of 1 0 1 is 0.64*0.77*(1 + 0.5**((2*4.4 + (0.018*400 + 7.8)*(0.64 +
    0.39))/224))
    """
    hit = ranked.relevant(rel, k)
    above = ranked.rank - 1.0
    relevant_above = ranked.cumulate(hit) - hit
    opened = click * relevant_above + false_click * (above - relevant_above)
    seconds = per_summary * above + (per_word * words + per_document) * opened
    return click * save * ranked.total(time_decay(seconds, half_life), hit)


def time_decay(seconds: Array, half_life: float) -> Array:
    """What is left of a gain after so many seconds: half of it after each half_life."""
    return np.exp2(-seconds / half_life)


@_measure("U", bounded=False, cite="sakai2013")
def u_measure(
    ranked: RankedRun,
    *,
    gain: NamedFormula,
    L: float,  # noqa: N803  (as in the paper)
    snippet: float,
    chars: float,
    read_share: float,
    rel: float,
    k: int | None,
) -> Array:
    """How much is gained along the text that a searcher reads, up to L characters?

    A searcher reads every snippet, and of a relevant document `read_share` of its `chars`.

    Value: Σ gain · max(0, 1 − position/L), a position being the end of what was read: snippet each,
    and read_share · chars of relevant documents
    By hand: U(L=2000, chars=1000) of 2 0 1 is 2*(1 - 400/2000) + 1*(1 - 1000/2000)
    """
    read = read_share * chars * ranked.cumulate(ranked.relevant(rel, k))
    position = snippet * ranked.rank + read
    return ranked.total(ranked.gains(gain) * text_decay(position, L), ranked.top(k))


def text_decay(position: Array, length: float) -> Array:
    """What is left of a gain at this place of the text: less and less, and nothing beyond."""
    return np.maximum(0.0, 1 - position / length)
