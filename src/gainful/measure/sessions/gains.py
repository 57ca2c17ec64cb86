"""What each result of a session earns: its gain, if it counts at all, and its two discounts."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.convention.session import least_positions
from gainful.errors import BadValue
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.match.sessions import MatchedSessions, Shown
from gainful.measure.sessions.recipe_value import SessionRecipe


@frozen(eq=False, kw_only=True)
class Earned:
    """Results within depth that earn something, and the pools of which ideals are made."""

    query: Ranks
    rank: Ranks
    reach: Ranks  # the rank by which it is discounted: counted anew in each query, or going on
    gain: Array
    shown: Shown
    pool: Array  # gains of the pool, grouped by recall base, descending; what is below 0 is 0
    occupied: Ranks  # per query: how many positions of the session it takes
    before: Ranks  # per query: how many positions the queries before it take


def summed(index: Ranks, values: Array, size: int) -> Array:
    """The sum of values for each number."""
    with np.errstate(over="ignore"):
        found = np.bincount(index, values, minlength=size).astype(np.float64)
    if not np.isfinite(found).all():
        raise BadValue("cumulated gain", np.inf, "a finite sum; the gains are too large")
    return found


def counted(sessions: MatchedSessions, recipe: SessionRecipe) -> tuple[Shown, Flags, Array, Ranks]:
    """What was shown and judged, which of it counts, its gain, and how deep each query counts."""
    habits = recipe.convention
    shown = sessions.by_searcher() if habits.duplicates == "judged" else sessions.judged
    depth = sessions.depth(recipe.k, habits.depth)
    counts = shown.rank <= depth[shown.query]
    if habits.duplicates == "first":
        counts &= sessions.first_time(shown, depth)
    if habits.duplicates == "clicked":
        counts &= sessions.not_yet_clicked(shown)
    return shown, counts, worth(shown.grade, recipe, sessions, shown.query), depth


def earned(sessions: MatchedSessions, recipe: SessionRecipe) -> Earned:
    """The gains of all results that count, as the convention has it."""
    shown, counts, gain, depth = counted(sessions, recipe)
    pool = np.maximum(worth(shown.pool_grade, recipe, sessions, None), 0.0)
    order = np.lexsort((-pool, shown.pool_base))
    some = counts & (gain != 0)
    taken = occupied(sessions, recipe, depth)
    query, rank, before = shown.query[some], shown.rank[some], _before(sessions, taken)
    goes_on = recipe.convention.rank_discount == "concatenated"
    return Earned(
        query=query,
        rank=rank,
        reach=rank + before[query] if goes_on else rank,
        gain=gain[some],
        shown=shown,
        pool=pool[order],
        occupied=taken,
        before=before,
    )


def occupied(sessions: MatchedSessions, recipe: SessionRecipe, depth: Ranks) -> Ranks:
    """How many positions of the session each query takes."""
    lists = recipe.convention.lists
    if lists == "padded":
        if recipe.k is None:
            raise BadValue("k", None, "a depth, such as @10, because lists=padded")
        return np.full(len(depth), recipe.k, dtype=np.intp)
    return np.maximum(np.minimum(sessions.listed, depth), least_positions(lists))


def _before(sessions: MatchedSessions, taken: Ranks) -> Ranks:
    until = np.cumsum(taken) - taken
    first = until[np.cumsum(sessions.queries) - sessions.queries]
    return np.asarray(until - first[sessions.session], dtype=np.intp)


def worth(
    grade: Array, recipe: SessionRecipe, sessions: MatchedSessions, query: Ranks | None
) -> Array:
    """What grades are worth; those below zero as the convention has it."""
    negative = grade < 0
    if recipe.convention.negative == "error" and negative.any():
        at = int(np.flatnonzero(negative)[0])
        whose = "the judgments" if query is None else _session(sessions, int(query[at]))
        raise BadValue(f"a grade of {whose}", float(grade[at]), "grades from 0 on (negative=error)")
    if recipe.gain.grades:
        unknown = ~np.isin(grade, recipe.gain.grades)
        if unknown.any():
            at = int(np.flatnonzero(unknown)[0])
            known = ", ".join(f"{one:g}" for one in recipe.gain.grades)
            raise BadValue("a grade", float(grade[at]), f"grades in the gain table: {known}")
    gain = recipe.gain.at(grade)
    if recipe.convention.negative == "zero" and not recipe.gain.signed:
        gain = np.where(negative, 0.0, gain)
    if not np.isfinite(gain).all():
        at = int(np.flatnonzero(~np.isfinite(gain))[0])
        allowed = f"grades whose {recipe.gain.name} gain is finite"
        raise BadValue("a grade", float(grade[at]), allowed)
    return gain


def _session(sessions: MatchedSessions, query: int) -> str:
    return f"session {sessions.sessions[int(sessions.session[query])]!r}"


def discounts(recipe: SessionRecipe, ranks: Ranks) -> Array:
    """What is left of a gain at these ranks."""
    return _few(recipe.discount.at, ranks)


def query_weights(recipe: SessionRecipe, positions: Ranks) -> Array:
    """What is left of a query's gain at these positions."""
    return _few(recipe.query_discount.at, positions)


def _few(function: object, numbers: Ranks) -> Array:
    """A function of small whole numbers, computed once for each of them."""
    most = int(numbers.max(initial=0))
    if most > max(1000, 4 * len(numbers)):
        return np.asarray(function(numbers))  # type: ignore[operator]
    table = np.asarray(function(np.arange(1, most + 1)))  # type: ignore[operator]
    if not np.isfinite(table).all():
        raise BadValue("discount", "what was chosen", "a discount that is finite at every rank")
    return np.asarray(table[numbers - 1])
