"""sDCG and nsDCG: session-based discounted cumulated gain (Järvelin et al. 2008)."""

from __future__ import annotations

import numpy as np
import polars as pl
from attrs import frozen

from gainful.convention.session import minimum_positions
from gainful.errors import BadValue
from gainful.match.rank_order import rank_ideally
from gainful.match.sessions import JudgedResults, MatchedSessions
from gainful.measure.entry import Entry, SessionRecipe
from gainful.measure.functions.graded import evaluate_discount
from gainful.measure.functions.sessions import collect
from gainful.measure.ranked_run import check_grades, normalise_by, weigh_grades
from gainful.types import Array, Flags, Ranks

SDCG: list[Entry] = []
_measure = collect(SDCG)
_OPTIONS = (
    *("gain", "rel", "discount", "b", "query_discount", "bq", "rank_discount"),
    *("duplicates", "lists", "at", "depth", "statistic", "average_over", "negative"),
)


@frozen(eq=False, kw_only=True)
class SessionGains:
    """Results within depth that earn something, and the pools of which ideals are made."""

    sessions: MatchedSessions
    recipe: SessionRecipe
    query: Ranks
    rank: Ranks
    discount_rank: Ranks  # by which it is discounted: counted anew in each query, or going on
    gain: Array
    judged: JudgedResults
    pool_gain: Array  # gains of the pool, grouped by recall base, descending; what is below 0 is 0
    pool_rank: Ranks  # from 1 in each recall base
    positions: Ranks  # per query: how many positions of the session it takes
    positions_before: Ranks  # per query: how many positions the queries before it take


def sum_by_index(index: Ranks, values: Array, size: int) -> Array:
    """The sum of values for each number."""
    with np.errstate(over="ignore"):
        sums = np.bincount(index, values, minlength=size).astype(np.float64)
    if not np.isfinite(sums).all():
        raise BadValue("cumulated gain", np.inf, "a finite sum; the gains are too large")
    return sums


def cumulate_by_index(index: Ranks, values: Array) -> Array:
    """The running sum for each number, which does not depend on the values of others."""
    columns = pl.DataFrame({"index": index, "value": values})
    return columns.select(pl.col("value").cum_sum().over("index")).to_series().to_numpy()


def select_results(
    sessions: MatchedSessions, recipe: SessionRecipe
) -> tuple[JudgedResults, Flags, Array, Ranks]:
    """What was shown and judged, which of it counts, its gain, and how deep each query counts."""
    convention = recipe.convention
    judged = sessions.searcher_judgments() if convention.duplicates == "judged" else sessions.judged
    depth = sessions.depth(recipe.k, convention.depth)
    counts = judged.rank <= depth[judged.query]
    if convention.duplicates == "first":
        counts &= sessions.is_first_time(judged, depth)
    if convention.duplicates == "clicked":
        counts &= sessions.is_before_click()
    return judged, counts, session_grade_gains(judged.grade, recipe, sessions, judged.query), depth


def session_gains(sessions: MatchedSessions, recipe: SessionRecipe) -> SessionGains:
    """The gains of all results that count, as the convention has it."""
    judged, counts, gain, depth = select_results(sessions, recipe)
    pool_gain = np.maximum(session_grade_gains(judged.pool_grade, recipe, sessions, None), 0.0)
    ideal = rank_ideally(judged.pool_base, pool_gain)
    nonzero = counts & (gain != 0)
    positions = positions_per_query(sessions, recipe, depth)
    query, rank = judged.query[nonzero], judged.rank[nonzero]
    until = np.cumsum(positions) - positions
    positions_before = until - until[sessions.first_query][sessions.session]
    concatenated = recipe.convention.rank_discount == "concatenated"
    return SessionGains(
        sessions=sessions,
        recipe=recipe,
        query=query,
        rank=rank,
        discount_rank=rank + positions_before[query] if concatenated else rank,
        gain=gain[nonzero],
        judged=judged,
        pool_gain=ideal.gain,
        pool_rank=ideal.rank,
        positions=positions,
        positions_before=positions_before,
    )


def positions_per_query(sessions: MatchedSessions, recipe: SessionRecipe, depth: Ranks) -> Ranks:
    """How many positions of the session each query takes."""
    lists = recipe.convention.lists
    if lists == "padded":
        if recipe.k is None:
            raise BadValue("k", None, "a depth, such as @10, because lists=padded")
        return np.full(len(depth), recipe.k, dtype=np.intp)
    return np.maximum(np.minimum(sessions.retrieved, depth), minimum_positions(lists))


def session_grade_gains(
    grade: Array, recipe: SessionRecipe, sessions: MatchedSessions, query: Ranks | None
) -> Array:
    """What grades are worth; those below zero as the convention has it."""

    def describe(at: int) -> str:
        if query is None:
            return "a grade of the judgments"
        return f"a grade of session {sessions.session_ids[int(sessions.session[query[at]])]!r}"

    return weigh_grades(grade, recipe.gain, recipe.convention, check_grades(grade, describe))


def discounts(recipe: SessionRecipe, ranks: Ranks) -> Array:
    """What is left of a gain at these ranks."""
    return evaluate_discount(recipe.discount, ranks)


def query_weights(recipe: SessionRecipe, positions: Ranks) -> Array:
    """What is left of a query's gain at these positions."""
    return evaluate_discount(recipe.query_discount, positions)


def count_recall_bases(judged: JudgedResults) -> int:
    """How many recall bases there are."""
    return int(max(judged.pool_base.max(initial=-1), judged.base.max(initial=-1))) + 1


def ideal_dcg(gains: SessionGains) -> Array:
    """The ideal DCG at X of each query, not discounted by its position."""
    depth = gains.recipe.k or int(gains.pool_rank.max(initial=0))
    weights = discounts(gains.recipe, np.arange(1, depth + 1))
    return _weigh_pools(gains, weights)[gains.judged.base]


def _weigh_pools(gains: SessionGains, weights: Array) -> Array:
    """The gain of each recall base, its documents weighed by place; the last is of none."""
    inside = gains.pool_rank <= len(weights)
    weighed = gains.pool_gain[inside] * weights[gains.pool_rank[inside] - 1]
    size = count_recall_bases(gains.judged) + 1
    return sum_by_index(gains.judged.pool_base[inside], weighed, size)


def ideal_gain(gains: SessionGains, queries: Ranks | None = None) -> Array:
    """The gain of each ideal session at its end, or after a number of queries."""
    sessions, recipe = gains.sessions, gains.recipe
    kind = recipe.convention.ideal_kind
    length = sessions.query_counts if queries is None else queries
    if recipe.queries is not None:  # the ideal session has them all
        length = np.full(sessions.size, recipe.queries)
    if kind == "repeated":
        return _ideal_with_repeats(gains, length)
    base = _recall_base_for_ideal(gains)
    ideal_gains = np.zeros(sessions.size)
    for n in np.unique(length).tolist():
        slots = slot_weights(recipe, n)
        if kind == "best_slots":
            slots = -np.sort(-slots)
        these = length == n
        ideal_gains[these] = _weigh_pools(gains, slots)[base[these]]
    return ideal_gains


def slot_weights(recipe: SessionRecipe, queries: int) -> Array:
    """What is left of a gain at each place of a session: X ranks of each query, in order."""
    x = recipe.k or 0
    rank = np.tile(np.arange(1, x + 1), queries)
    position = np.repeat(np.arange(1, queries + 1), x)
    if recipe.convention.rank_discount == "concatenated":
        rank += (position - 1) * x
    return discounts(recipe, rank) * query_weights(recipe, position)


def _ideal_with_repeats(gains: SessionGains, length: Ranks) -> Array:
    """The best X documents in every query."""
    sessions, recipe = gains.sessions, gains.recipe
    if recipe.convention.rank_discount == "restart":
        per_query = ideal_dcg(gains)
        if (length == sessions.query_counts).all():
            weighted = per_query * query_weights(recipe, sessions.position)
            return sum_by_index(sessions.session, weighted, sessions.size)
        _recall_base_for_ideal(gains, growing=True)
        max_queries = int(length.max())
        until = np.cumsum(query_weights(recipe, np.arange(1, max_queries + 1)))
        return np.asarray(per_query[sessions.first_query] * until[length - 1])
    if (length > sessions.query_counts).any():
        _recall_base_for_ideal(gains, growing=True)
    ranks = np.arange(1, (recipe.k or 0) + 1)
    ideal_gains, last = np.zeros(sessions.size), gains.judged.base[sessions.last_query]
    for position in range(1, int(length.max()) + 1):
        total = _weigh_pools(gains, discounts(recipe, ranks + (position - 1) * len(ranks)))
        own = sessions.position == position
        weight = float(query_weights(recipe, np.array([position]))[0])
        base = last.copy()
        base[sessions.session[own]] = gains.judged.base[own]
        ideal_gains += np.where(length >= position, weight * total[base], 0.0)
    return ideal_gains


def _recall_base_for_ideal(gains: SessionGains, *, growing: bool = False) -> Ranks:
    """The recall base of each session; refused in the words of what was asked for."""
    recipe, convention = gains.recipe, gains.recipe.convention
    setting: tuple[str, str, str] = ("ideal", convention.ideal_kind, "repeated")
    if convention.ideal == "paired":  # it is the duplicates that ask for such an ideal
        setting = ("duplicates", convention.duplicates, "every, clicked or judged")
    if growing and recipe.queries is not None:  # to so many queries, whenever a searcher stops
        setting = ("at", convention.at, "results")
    elif growing:
        setting = ("hold", "growing", "held")
    return session_recall_base(gains.sessions, gains.judged.base, setting)


def session_recall_base(
    sessions: MatchedSessions, base: Ranks, setting: tuple[str, str, str]
) -> Ranks:
    """The recall base of each session, of which there must be one.

    `setting` is what cannot be had otherwise: its name, its value, and what can.
    """
    own = base[sessions.first_query]
    if not (base == own[sessions.session]).all():
        at = int(np.flatnonzero(base != own[sessions.session])[0])
        session = sessions.session_ids[int(sessions.session[at])]
        name, value, alternative = setting
        problem = f"queries of session {session!r} have judgments of their own, as turns of a "
        raise BadValue(name, value, f"{alternative}: {problem}conversation do")
    return np.asarray(own, dtype=np.intp)


def cumulate_ideal(gains: SessionGains, queries: int) -> Array:
    """The gain of each ideal session down to every place: sessions × queries × ranks."""
    sessions, recipe = gains.sessions, gains.recipe
    x, kind = recipe.k or 0, recipe.convention.ideal_kind
    if kind == "repeated":
        best_gains = _repeat_best_gains(gains, queries)
        added = best_gains * slot_weights(recipe, queries).reshape(best_gains.shape[1:])
        return np.cumsum(added.reshape(sessions.size, -1), axis=1).reshape(added.shape)
    width = queries * x
    best_gains = best_gains_by_base(gains, width)
    base = _recall_base_for_ideal(gains)
    slots = slot_weights(recipe, queries)
    if kind == "once":
        whole = np.cumsum(best_gains * slots, axis=1)
    else:
        whole = np.empty_like(best_gains)
        for p in range(1, width + 1):
            best = -np.sort(-slots[:p])
            whole[:, p - 1] = best_gains[:, :p] @ best
    return whole[base].reshape(sessions.size, queries, x)


def cumulate_query_ideals(gains: SessionGains, queries: int) -> Array:
    """The ideal of each query by itself, down to every rank: sessions × queries × ranks."""
    ranks = np.arange(1, (gains.recipe.k or 0) + 1)
    return np.cumsum(_repeat_best_gains(gains, queries) * discounts(gains.recipe, ranks), axis=2)


def _repeat_best_gains(gains: SessionGains, queries: int) -> Array:
    """The gains of the best documents, in every query: sessions × queries × ranks."""
    sessions = gains.sessions
    last = gains.judged.base[sessions.last_query]
    base = np.tile(last[:, None], queries)  # with which the ideal goes on, if it does
    base[sessions.session, sessions.position - 1] = gains.judged.base
    return best_gains_by_base(gains, gains.recipe.k or 0)[base]


def best_gains_by_base(gains: SessionGains, width: int) -> Array:
    """The best gains of each recall base, as many as asked for; the last row is of none."""
    inside = gains.pool_rank <= width
    best_gains = np.zeros((count_recall_bases(gains.judged) + 1, width))
    place = gains.judged.pool_base[inside], gains.pool_rank[inside] - 1
    best_gains[place] = gains.pool_gain[inside]
    return best_gains


@frozen(eq=False, kw_only=True)
class Vectors:
    """Sessions × queries × ranks: gain so far, and the ideal so far."""

    gain: Array
    ideal: Array

    def normalise(self, recipe: SessionRecipe) -> Array:
        """The share of the ideal at every place."""
        shape = self.gain.shape
        share = normalise_by(self.gain.ravel(), self.ideal.ravel(), recipe.convention.empty)
        return np.ma.filled(share, np.nan).reshape(shape)

    def values(self, recipe: SessionRecipe) -> Array:
        """What the measure says at every place: the gain, or its share of the ideal."""
        return self.normalise(recipe) if recipe.entry.normalised else self.gain


def query_gains(gains: SessionGains) -> Array:
    """The gain of each query at its end, discounted by rank and by its position."""
    return _query_dcg(gains) * query_weights(gains.recipe, gains.sessions.position)


def _query_dcg(gains: SessionGains) -> Array:
    gain = gains.gain * discounts(gains.recipe, gains.discount_rank)
    return sum_by_index(gains.query, gain, len(gains.sessions.position))


def session_curve(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The value of each session at every place: sessions × queries × ranks.

    Not a number where a session has no ideal and the convention leaves it out.
    """
    return session_vectors(sessions, recipe).values(recipe)


@_measure(
    "sDCG",
    curve=session_curve,
    options=_OPTIONS,
    bounded=False,
    cutoff_kind="needed",
    cite="jarvelin2008",
)
def sdcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """How much did the session gain, if later queries and ranks count less?

    Value: Σ over queries q and ranks i of gain / (1 + log_b i) / (1 + log_bq q)
    By hand: sDCG(b=2, bq=4)@3 of 0 1 0 / 3 1 / 3 2 0 is 1/2 + (3 + 1/2)/1.5 + 4/(1 + log2(3)/2)
    """
    gains, statistic = session_gains(sessions, recipe), recipe.convention.statistic
    if statistic == "average":
        return _average_vector(gains)
    per_query = query_gains(gains)
    if statistic == "best":
        return np.asarray(np.maximum.reduceat(per_query, sessions.first_query))
    if statistic == "last":
        return per_query[sessions.last_query]
    total = sum_by_index(sessions.session, per_query, sessions.size)
    return total / sessions.query_counts if statistic == "per_query" else total


@_measure(
    "nsDCG",
    curve=session_curve,
    normalised=True,
    options=(*_OPTIONS, "ideal", "hold", "normalise", "average", "empty"),
    cutoff_kind="needed",
    cite="jarvelin2008",
)
def nsdcg(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What share of the gain of an ideal session was reached?

    Value: sDCG / the sDCG of the ideal session
    By hand: nsDCG(b=2, bq=4)@1 of 0 / 3 is (3/1.5) / (3 + 3/1.5)
    """
    gains, convention = session_gains(sessions, recipe), recipe.convention
    if convention.statistic == "average":
        return _average_vector(gains)
    per_query = query_gains(gains)
    if convention.statistic in ("best", "last") or convention.normalise == "concatenated":
        shares = normalise_by(per_query, ideal_dcg(gains), convention.empty)
        if convention.statistic == "best":
            filled = np.maximum.reduceat(np.ma.filled(shares, -np.inf), sessions.first_query)
            return np.ma.masked_array(filled, mask=np.isneginf(filled))
        share = shares[sessions.last_query]  # at whose end concatenated vectors end
    elif convention.normalise == "query":
        share = _nsdcg_by_query(gains)
    else:
        total = sum_by_index(sessions.session, per_query, sessions.size)
        share = normalise_by(total, ideal_gain(gains), convention.empty)
    return share / sessions.query_counts if convention.statistic == "per_query" else share


def _nsdcg_by_query(gains: SessionGains) -> Array:
    """Each query by its own ideal; the mean of these, weighted by the query discounts."""
    sessions, empty = gains.sessions, gains.recipe.convention.empty
    weight = query_weights(gains.recipe, sessions.position)
    reached = normalise_by(_query_dcg(gains), ideal_dcg(gains), empty)
    counts = ~np.ma.getmaskarray(reached)
    share = sum_by_index(sessions.session, weight * np.ma.filled(reached, 0.0), sessions.size)
    weights = sum_by_index(sessions.session, weight * counts, sessions.size)
    return normalise_by(share, weights, empty)


def session_vectors(sessions: MatchedSessions, recipe: SessionRecipe) -> Vectors:
    """The progressive vectors of all sessions, flat after a searcher has stopped."""
    sessions = sessions.keep_first_queries(recipe.queries)
    gains, x, length = session_gains(sessions, recipe), recipe.k or 0, sessions.query_counts
    if recipe.queries is not None:
        length = np.full(sessions.size, recipe.queries)
    max_queries = int(length.max())
    gain = np.zeros((sessions.size, max_queries, x))
    place = sessions.session[gains.query], sessions.position[gains.query] - 1, gains.rank - 1
    gain[place] = gains.gain * discounts(recipe, gains.discount_rank)
    normalise = recipe.convention.normalise if recipe.entry.normalised else "session"
    if normalise == "query":
        gain, best = _shares(gains, gain)
    elif normalise == "concatenated":
        weight = query_weights(recipe, np.arange(1, max_queries + 1))
        gain = np.cumsum(gain, axis=2) * weight[:, None]
        best = cumulate_query_ideals(gains, max_queries)
    else:
        gain *= query_weights(recipe, np.arange(1, max_queries + 1))[:, None]
        gain = np.cumsum(gain.reshape(sessions.size, max_queries * x), axis=1).reshape(gain.shape)
        best = cumulate_ideal(gains, max_queries)
    stopped = np.arange(max_queries) >= length[:, None]
    if recipe.convention.hold == "held":
        end = best[np.arange(sessions.size), length - 1, -1]
        best = np.where(stopped[:, :, None], end[:, None, None], best)
        if normalise == "concatenated":  # nothing is summed, so that what was reached is held too
            end = gain[np.arange(sessions.size), length - 1, -1]
            gain = np.where(stopped[:, :, None], end[:, None, None], gain)
    return Vectors(gain=gain, ideal=best)


def _shares(gains: SessionGains, gain: Array) -> tuple[Array, Array]:
    """Each query by its own ideal, rank by rank, and the weights by which they are averaged.

    At every place stands the mean of the queries so far, of which the last one is still going on.
    """
    sessions, recipe = gains.sessions, gains.recipe
    reached = np.cumsum(gain, axis=2)
    best = cumulate_query_ideals(gains, gain.shape[1])
    shares = normalise_by(reached.ravel(), best.ravel(), recipe.convention.empty)
    weight = np.where(np.ma.getmaskarray(shares), 0.0, 1.0).reshape(gain.shape)
    weight *= query_weights(recipe, np.arange(1, gain.shape[1] + 1))[:, None]
    weight *= (np.arange(gain.shape[1]) < sessions.query_counts[:, None])[:, :, None]
    share = weight * np.ma.filled(shares, 0.0).reshape(gain.shape)
    return _cumulate_queries(share), _cumulate_queries(weight)


def _cumulate_queries(by_rank: Array) -> Array:
    before = np.cumsum(by_rank[:, :, -1], axis=1) - by_rank[:, :, -1]
    return np.asarray(before[:, :, None] + by_rank)


def _average_vector(gains: SessionGains) -> Array:
    """The mean over the positions of each session's vector."""
    sessions, values = gains.sessions, session_curve(gains.sessions, gains.recipe)
    counts = ~np.isnan(values)
    if gains.recipe.convention.average_over == "own":  # the places that are taken
        within = np.arange(values.shape[2]) < gains.positions[:, None]
        taken = np.zeros(values.shape, dtype=bool)
        taken[sessions.session, sessions.position - 1] = within
        counts &= taken
    total = np.where(counts, values, 0.0).sum(axis=(1, 2))
    number = counts.sum(axis=(1, 2))
    return np.ma.masked_array(total / np.maximum(number, 1), mask=number == 0)
