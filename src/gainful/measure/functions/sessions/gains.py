"""What each result of a session earns: its gain, if it counts at all, and its two discounts."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.convention.session import minimum_positions
from gainful.errors import BadValue
from gainful.match.ideal import ideal_order
from gainful.match.sessions import JudgedResults, MatchedSessions
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array, Flags, Ranks


@frozen(eq=False, kw_only=True)
class SessionGains:
    """Results within depth that earn something, and the pools of which ideals are made."""

    query: Ranks
    rank: Ranks
    discount_rank: (
        Ranks  # the rank by which it is discounted: counted anew in each query, or going on
    )
    gain: Array
    judged: JudgedResults
    pool_gain: Array  # gains of the pool, grouped by recall base, descending; what is below 0 is 0
    positions: Ranks  # per query: how many positions of the session it takes
    positions_before: Ranks  # per query: how many positions the queries before it take


def sum_by_index(index: Ranks, values: Array, size: int) -> Array:
    """The sum of values for each number."""
    with np.errstate(over="ignore"):
        sums = np.bincount(index, values, minlength=size).astype(np.float64)
    if not np.isfinite(sums).all():
        raise BadValue("cumulated gain", np.inf, "a finite sum; the gains are too large")
    return sums


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
        counts &= sessions.is_before_click(judged)
    return judged, counts, session_grade_gains(judged.grade, recipe, sessions, judged.query), depth


def session_gains(sessions: MatchedSessions, recipe: SessionRecipe) -> SessionGains:
    """The gains of all results that count, as the convention has it."""
    judged, counts, gain, depth = select_results(sessions, recipe)
    pool_gain = np.maximum(session_grade_gains(judged.pool_grade, recipe, sessions, None), 0.0)
    order = ideal_order(judged.pool_base, pool_gain)
    nonzero = counts & (gain != 0)
    positions = positions_per_query(sessions, recipe, depth)
    query, rank, positions_before = (
        judged.query[nonzero],
        judged.rank[nonzero],
        _positions_before(sessions, positions),
    )
    concatenated = recipe.convention.rank_discount == "concatenated"
    return SessionGains(
        query=query,
        rank=rank,
        discount_rank=rank + positions_before[query] if concatenated else rank,
        gain=gain[nonzero],
        judged=judged,
        pool_gain=pool_gain[order],
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


def _positions_before(sessions: MatchedSessions, positions: Ranks) -> Ranks:
    until = np.cumsum(positions) - positions
    first = until[sessions.first_query]
    return np.asarray(until - first[sessions.session], dtype=np.intp)


def session_grade_gains(
    grade: Array, recipe: SessionRecipe, sessions: MatchedSessions, query: Ranks | None
) -> Array:
    """What grades are worth; those below zero as the convention has it."""
    negative = grade < 0
    if recipe.convention.negative == "error" and negative.any():
        at = int(np.flatnonzero(negative)[0])
        whose = "the judgments" if query is None else _describe_session(sessions, int(query[at]))
        raise BadValue(f"a grade of {whose}", float(grade[at]), "grades from 0 on (negative=error)")
    if recipe.gain.grades:
        unknown = ~np.isin(grade, recipe.gain.grades)
        if unknown.any():
            at = int(np.flatnonzero(unknown)[0])
            table_grades = ", ".join(f"{table_grade:g}" for table_grade in recipe.gain.grades)
            raise BadValue("a grade", float(grade[at]), f"grades in the gain table: {table_grades}")
    gain = recipe.gain.evaluate_at(grade)
    if recipe.convention.negative == "zero" and not recipe.gain.signed:
        gain = np.where(negative, 0.0, gain)
    if not np.isfinite(gain).all():
        at = int(np.flatnonzero(~np.isfinite(gain))[0])
        allowed = f"grades whose {recipe.gain.name} gain is finite"
        raise BadValue("a grade", float(grade[at]), allowed)
    return gain


def _describe_session(sessions: MatchedSessions, query: int) -> str:
    return f"session {sessions.session_ids[int(sessions.session[query])]!r}"


def discounts(recipe: SessionRecipe, ranks: Ranks) -> Array:
    """What is left of a gain at these ranks."""
    return _tabulate(recipe.discount.evaluate_at, ranks)


def query_weights(recipe: SessionRecipe, positions: Ranks) -> Array:
    """What is left of a query's gain at these positions."""
    return _tabulate(recipe.query_discount.evaluate_at, positions)


def _tabulate(function: object, numbers: Ranks) -> Array:
    """A function of small whole numbers, computed once for each of them."""
    largest = int(numbers.max(initial=0))
    if largest > max(1000, 4 * len(numbers)):
        return np.asarray(function(numbers))  # type: ignore[operator]
    table = np.asarray(function(np.arange(1, largest + 1)))  # type: ignore[operator]
    if not np.isfinite(table).all():
        raise BadValue("discount", "what was chosen", "a discount that is finite at every rank")
    return np.asarray(table[numbers - 1])
