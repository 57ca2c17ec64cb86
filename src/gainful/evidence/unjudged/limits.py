"""How low and how high a measure can come out, and whether these ends are reached."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from attrs import frozen

from gainful.errors import BadValue
from gainful.evidence.unjudged.binary_extremes import ByCount
from gainful.evidence.unjudged.cumulated_extremes import IdealBounds, of_grades, worth_of
from gainful.evidence.unjudged.gradable_run import Gradings
from gainful.formula import Array
from gainful.match.matched import Flags, Ranks
from gainful.measure.grade_gains import whole_or_not
from gainful.measure.recipe import Recipe

_MOST = 4096  # gradings of a query that are all tried out

# Which counts of relevant documents have to be tried for a measure that sees nothing else.
_COUNTS: Mapping[str, str] = {
    **dict.fromkeys(("P", "RR", "Success", "RBP", "SetP", "Utility"), "ends"),
    **dict.fromkeys(("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelRet"), "ends"),
    **dict.fromkeys(("Judged", "Unjudged", "RBPResid"), "ends"),
    **dict.fromkeys(("AP", "R", "relP", "SetR", "SetRelP", "SetAP", "binG"), "share"),
    **dict.fromkeys(("Rprec", "IPrec", "IAP", "SetF", "GMAP", "YAAP"), "every"),
    **dict.fromkeys(("Bpref", "GMBpref", "infAP"), "every"),
    **dict.fromkeys(("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"), "every"),
    **dict.fromkeys(("AP_IA", "P_IA", "StRecall"), "every"),
}
# To these a useless document is something else than one without a judgment.
_SEES_USELESS = ("Bpref", "GMBpref", "infAP", "NumNonRelRet", "Judged", "Unjudged", "RBPResid")
_RISING = ("ERR", "scaledDCG", "INSQ")  # with the grade of any document
_BY_GRADES = ("best", "worst")  # ties that the grades themselves decide


@frozen(eq=False)
class Limits:
    """The smallest and the largest value of each query; not a number where that is not known."""

    low: Array
    high: Array
    exact: Flags
    optional: Flags  # may the query be left out of the mean, or not, as the grades decide?
    reason: str = ""  # why some are not exact


def limits(held: Gradings, recipe: Recipe, grades: Array, queries: Ranks) -> Limits:
    """The limits of these queries over all gradings of their open documents.

    Args:
        held: a run with its open documents.
        how: the measure.
        grades: those that may be given.
        queries: which queries.
    """
    found = _found(held, recipe, grades, queries)
    low, high = np.full(len(queries), np.nan), np.full(len(queries), np.nan)
    exact, optional = np.ones(len(queries), dtype=bool), np.zeros(len(queries), dtype=bool)
    reason = ""
    decimals = recipe.convention.decimals
    for at, query in enumerate(queries.tolist()):
        values = found.get(query)
        if values is None:
            low[at], high[at] = _outer(held, recipe, grades)
            exact[at], reason = False, _reason(held, recipe, grades)
            continue
        left_out = np.isnan(values)
        optional[at] = left_out.any() and not left_out.all()
        if not left_out.all():
            ends = np.nanmin(values), np.nanmax(values)
            low[at], high[at] = ends if decimals is None else np.round(ends, decimals)
    return Limits(low, high, exact, optional, reason)


def _found(held: Gradings, recipe: Recipe, grades: Array, queries: Ranks) -> dict[int, Array]:
    """Values among which the ends are, of the queries where that can be said."""
    entry = recipe.measure.entry
    if _settled(held, recipe, grades):
        if entry.cumulated:
            bounds = IdealBounds(held, recipe, grades)
            return _tried(
                held, recipe, {q: bounds.gradings(q, held.pair(q)) for q in queries.tolist()}
            )
        if entry.name in _COUNTS:
            return _by_count(held, recipe, grades).extremes(queries, _COUNTS[entry.name])
        if entry.name in _RISING:
            return _tried(held, recipe, _uniform(held, grades[[0, -1]], queries))
        if entry.name == "gRBP":
            return _tried(held, recipe, _scaled(held, recipe, grades, queries))
    every: dict[int, Array] = {}
    if entry.subtopics and held.subtopics:
        return every  # a grade would be for a subtopic, and none is known
    for query in queries.tolist():
        gradings = every_grading(grades, len(held.pair(query).open))
        if gradings is not None:
            every[query] = gradings
    return _tried(held, recipe, every)


def every_grading(grades: Array, size: int) -> Array | None:
    """All gradings of so many documents; None if that would be too many."""
    if len(grades) ** size > _MOST:
        return None
    return np.array(list(product(grades.tolist(), repeat=size)), dtype=np.float64)


def _tried(held: Gradings, recipe: Recipe, asked: Mapping[int, Array]) -> dict[int, Array]:
    return dict(zip(asked, held.values(recipe, asked.items()), strict=True))


def _settled(held: Gradings, recipe: Recipe, grades: Array) -> bool:
    """Do only grades decide, and neither move nor fill up other ranks?"""
    habits, entry = recipe.convention, recipe.measure.entry
    negative = bool((grades < 0).any())
    moved = negative and (habits.negative == "remove" or entry.name in _SEES_USELESS)
    below = habits.negative == "in_ideal" and _below_zero(held, recipe, grades)
    filled = habits.short == "minimum" and (
        bool(recipe.gain.grades) or negative or bool((held.known < 0).any())
    )
    return not (
        entry.own
        or (entry.subtopics and held.subtopics)
        or held.twice
        or habits.ties in _BY_GRADES
        or moved
        or below
        or (filled and entry.cumulated)
        or (entry.name == "gRBP" and _below_zero(held, recipe, grades))
    )


def _below_zero(held: Gradings, recipe: Recipe, grades: Array) -> bool:
    known = held.known[~np.isnan(held.known)]
    every = np.unique(np.append(known, grades))
    if not (every < 0).any() and not recipe.gain.grades and not recipe.gain.signed:
        return False
    return bool((worth_of(recipe, every) < 0).any())


def _by_count(held: Gradings, recipe: Recipe, grades: Array) -> ByCount:
    rel = float(recipe.settings().get("rel", 1.0))
    good = whole_or_not(grades, recipe.convention, of_grades(grades)) >= rel
    return ByCount(
        held,
        recipe,
        relevant=tuple(grades[good][-1:].tolist()),
        useless=tuple(grades[~good][-1:].tolist()),
        blind=recipe.measure.entry.name not in _SEES_USELESS,
        rel=rel,
    )


def _uniform(held: Gradings, grades: Array, queries: Ranks) -> dict[int, Array]:
    """All open documents of a query with the same grade."""
    sizes = {query: len(held.pair(query).open) for query in queries.tolist()}
    return {query: np.repeat(grades[:, None], size, axis=1) for query, size in sizes.items()}


def _scaled(held: Gradings, recipe: Recipe, grades: Array, queries: Ranks) -> dict[int, Array]:
    """Every grade as the best one: all documents have it, or only that which counts least."""
    grades = grades[np.argsort(worth_of(recipe, grades), kind="stable")]
    found = _uniform(held, grades, queries)
    rank = held.rank(recipe.convention)
    for query, same in found.items():
        pair = held.pair(query)
        last = int(np.argmax(rank[pair.row[pair.open]]))
        single = np.full_like(same, grades[0])
        single[:, last] = grades
        found[query] = np.concatenate((same, single))
    return found


def _outer(held: Gradings, recipe: Recipe, grades: Array) -> tuple[float, float]:
    """Ends that no value passes, if there are any."""
    entry, habits = recipe.measure.entry, recipe.convention
    passes = held.twice or (habits.first_rank == "as_is" and "first_rank" in entry.takes)
    negative = habits.negative in ("keep", "in_ideal") or recipe.gain.signed
    wild = entry.cumulated and negative and _below_zero(held, recipe, grades)
    if not entry.bounded or entry.own or passes or wild:
        return float("nan"), float("nan")
    return 0.0, 1.0


def _reason(held: Gradings, recipe: Recipe, grades: Array) -> str:
    entry, habits = recipe.measure.entry, recipe.convention
    if held.twice:
        return "a document that stands twice counts twice"
    if habits.ties in _BY_GRADES:
        return f"ties={habits.ties} ranks documents by their grades"
    if entry.subtopics:
        return "a grade would be one for some subtopic, and nobody knows which"
    if entry.own:
        return "nothing is known of a measure of one's own"
    if (grades < 0).any():
        return "grades below 0 are among those that may be given"
    return "too many gradings to try them all"


def refuse_higher(grades: Array, recipes: Mapping[str, Recipe], highest: float) -> None:
    """A grade above the best one would change what all others are worth, in all queries."""
    limit = highest if highest > 0 else 1.0
    for name, how in recipes.items():
        scales = "max_grade" in how.measure.entry.takes and how.convention.max_grade is None
        if scales and grades[-1] > limit:
            allowed = f"at most {limit:g}, by which {name} scales all grades; or set max_grade"
            raise BadValue("grades", float(grades[-1]), allowed)
