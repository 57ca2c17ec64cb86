"""The values of sessions, their vectors and means; and what one should know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention.session import JK2008, SESSION_CONVENTIONS, minimum_positions
from gainful.errors import BadValue, NoIdeal, NothingToAverage, WrongType, check_name
from gainful.match.sessions import MatchedSessions, match_sessions
from gainful.measure.build_session_recipes import (
    build_session_recipe,
    explain_default,
    usual_session_measures,
)
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.discount import REASONABLE_RANGE
from gainful.measure.entry import FORMULA_PARAMS, SessionRecipe
from gainful.measure.functions.sessions import sdcg
from gainful.measure.functions.sessions.sdcg import (
    query_gains,
    session_gains,
    session_vectors,
    sum_by_index,
)
from gainful.measure.functions.sessions.time_measures import opens_clicked
from gainful.measure.measure import Measure
from gainful.measure.notes import Remark, has_param
from gainful.measure.ranked_run import normalise_by
from gainful.read.ranking_matrix import Numbers, read_ranking
from gainful.read.session_inputs import as_sessions
from gainful.types import Array, Flags, Ranks


def curve(
    sessions: MatchedSessions,
    recipe: SessionRecipe,
    groups: Iterable[tuple[dict[str, Any], Flags]],
    *,
    common: bool = False,
) -> pl.DataFrame:
    """The mean vector of each group: query, rank, position, mean, n, and how many still search.

    After a searcher has stopped, the last value is repeated: to the end of the longest session of
    the group, or of all groups in common.
    """
    terms = curve_terms(sessions, recipe)
    frames = []
    for keys, flags in groups:
        queries = terms.upper.shape[1] if common else int(terms.query_counts[flags].max())
        frames.append(tabulate_curve(terms.add_up(flags, queries), recipe, keys, queries))
    return pl.concat(frames)


@frozen(eq=False)
class CurveTerms:
    """What mean vectors are made of: the sums of `upper` over those of `lower`.

    The values of sessions and which of them count; or their gains and ideals, where the convention
    averages these first.
    """

    upper: Array  # sessions × queries × ranks
    lower: Array
    counted: Array  # 1 where a session has a value
    query_counts: Ranks

    def add_up(self, flags: Flags, queries: int | None = None) -> CurveSums:
        """The sums over some sessions, up to a number of queries or as far as the vectors go."""
        terms = (self.upper, self.lower, self.counted)
        upper, lower, n = (each[flags][:, :queries].sum(axis=0) for each in terms)
        searching = self.query_counts[flags][:, None] >= np.arange(1, len(upper) + 1)
        return CurveSums(upper, lower, n, searching.sum(axis=0).astype(np.float64))


def curve_terms(sessions: MatchedSessions, recipe: SessionRecipe) -> CurveTerms:
    """What the mean vectors of groups of these sessions are made of."""
    sessions = sessions.keep_first_queries(recipe.queries)
    vectors = session_vectors(sessions, recipe)
    values = vectors.values(recipe)
    counted = (~np.isnan(values)).astype(np.float64)
    upper, lower = np.where(np.isnan(values), 0.0, values), counted
    if _averages_first(recipe):
        upper, lower = vectors.gain, vectors.ideal
    return CurveTerms(upper, lower, counted, sessions.query_counts)


def _averages_first(recipe: SessionRecipe) -> bool:
    return recipe.entry.normalised and recipe.convention.average == "vectors"


def choose_vectors(recipes: Mapping[str, SessionRecipe], name: str | None, prefer: str = "") -> str:
    """The measure that is named; or the first that has vectors, of the preferred kind if any is."""
    kinds = {own: recipe.entry.name for own, recipe in recipes.items() if recipe.entry.has_vectors}
    if name is None:
        if not kinds:
            raise BadValue("measure", ", ".join(recipes), "an sDCG or nsDCG among them")
        return next((own for own, kind in kinds.items() if kind == prefer), next(iter(kinds)))
    check_name("measure", name, recipes)
    if name not in kinds:
        raise BadValue("measure", name, f"{' or '.join(WITH_VECTORS)}, which have vectors")
    return name


def tabulate_vectors(sessions: MatchedSessions, recipe: SessionRecipe) -> pl.DataFrame:
    """The vectors of every session: session, query, rank, position, gain, ideal, share."""
    sessions = sessions.keep_first_queries(recipe.queries)
    vectors = session_vectors(sessions, recipe)
    max_queries, x = vectors.gain.shape[1:]
    own = np.arange(max_queries) < sessions.query_counts[:, None]
    place = session, query, rank = np.nonzero(np.repeat(own[:, :, None], x, axis=2))
    return pl.DataFrame(
        {
            "session": pl.Series(list(sessions.session_ids)).gather(session),
            "query": query + 1,
            "rank": rank + 1,
            "position": query * x + rank + 1,
            "gain": vectors.gain[place],
            "ideal": vectors.ideal[place],
            "share": pl.Series(vectors.normalise(recipe)[place]).fill_nan(None),
        }
    )


@frozen(eq=False)
class CurveSums:
    """What the mean vector of a group is made of, queries × ranks."""

    upper: Array  # over
    lower: Array
    n: Array  # sessions that count
    searching: Array  # per query: how many sessions have it

    def add(self, other: CurveSums) -> CurveSums:
        """Both parts together; where the sessions of one have ended, what they reached is held."""
        queries = max(len(self.searching), len(other.searching))
        mine, theirs = self.hold(queries), other.hold(queries)
        return CurveSums(
            mine.upper + theirs.upper,
            mine.lower + theirs.lower,
            mine.n + theirs.n,
            mine.searching + theirs.searching,
        )

    def hold(self, queries: int) -> CurveSums:
        """The sums up to a number of queries."""
        more = queries - len(self.searching)
        if not more:
            return self
        upper, lower, n = (
            np.concatenate([sums, np.full((more, sums.shape[1]), sums[-1, -1])])
            for sums in (self.upper, self.lower, self.n)
        )
        return CurveSums(upper, lower, n, np.append(self.searching, np.zeros(more)))


def tabulate_curve(
    sums: CurveSums, recipe: SessionRecipe, keys: Mapping[str, Any], queries: int
) -> pl.DataFrame:
    """The mean vector of a group up to a number of queries, as tidy data."""
    x = sums.upper.shape[1]
    upper, lower, n = (terms[:queries].ravel() for terms in (sums.upper, sums.lower, sums.n))
    if _averages_first(recipe):
        size = sums.searching[0]  # all sessions have a first query
        mean = normalise_by(upper / size, lower / size, recipe.convention.empty)
    else:
        mean = upper / np.maximum(n, 1)
    mean = np.where(n > 0, np.ma.filled(mean, np.nan), np.nan)
    return pl.DataFrame(
        {
            **{name: [value] * (queries * x) for name, value in keys.items()},
            "query": np.repeat(np.arange(1, queries + 1), x),
            "rank": np.tile(np.arange(1, x + 1), queries),
            "position": np.arange(1, queries * x + 1),
            "mean": pl.Series(mean).fill_nan(None),
            "n": n.astype(np.int64),
            "searching": np.repeat(sums.searching[:queries].astype(np.int64), x),
        }
    )


def compute_session_values(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """The value of every session."""
    try:
        first_queries = sessions.keep_first_queries(recipe.queries)
        values = recipe.entry.function(first_queries, recipe)
        if isinstance(values, tuple):  # what was reached, and what was possible
            values = normalise_by(*values, recipe.convention.empty)
    except NoIdeal as error:
        if error.index[0] >= sessions.size:  # a query's, of which no session is told
            raise
        session = sessions.session_ids[error.index[0]]
        raise NoIdeal(error.index, error.value, f"the ideal of session {session!r}") from None
    return np.asanyarray(values)


def per_cost(
    means: Mapping[str, float | None], recipes: Mapping[str, SessionRecipe]
) -> dict[str, float | None]:
    """For each measure where higher is better: gain per cost."""
    cost = next(means[name] for name, recipe in recipes.items() if recipe.entry.is_cost)
    return {
        name: None if mean is None or not cost else mean / cost
        for name, mean in means.items()
        if not recipes[name].direction.is_lower
    }


def note_sessions(sessions: MatchedSessions, recipes: Mapping[str, SessionRecipe]) -> list[str]:
    """What one should know before believing a value."""
    return [
        *sessions.notes,
        *note_opened(sessions, recipes),
        *note_recipes(recipes, sessions.gain_event),
    ]


def note_opened(sessions: MatchedSessions, recipes: Mapping[str, SessionRecipe]) -> list[str]:
    """Measures by which only documents that were clicked take time to read."""
    return [
        f"{name}: only clicked documents count as opened"
        for name, recipe in recipes.items()
        if "opened" in recipe.entry.params and opens_clicked(sessions, recipe)
    ]


def note_recipes(recipes: Mapping[str, SessionRecipe], gain_event: str) -> list[str]:
    """What one should know of measures before believing a value, whatever the sessions are."""
    costs = [name for name, recipe in recipes.items() if recipe.entry.is_cost]
    names = tuple(name for name in recipes if name not in costs)
    is_default = gain_event and names == usual_session_measures(gain_event)
    notes = [f"cost is {name}; gain per cost is mean gain / mean cost" for name in costs]
    notes += [explain_default(gain_event)] if is_default else []
    unbounded = "can exceed 1: its ideal does not limit the gain of documents"
    for name, recipe in recipes.items():
        if recipe.can_pass_one:
            notes.append(f"{name} {unbounded}")
        elif recipe.vector_can_pass_one:
            notes.append(f"the vector of {name} {unbounded}")
    notes += [
        f"the mean of {name} is computed over all sessions together, not as an average"
        for name, recipe in recipes.items()
        if needs_joint_mean(recipe)
    ]
    return notes + _note_unusual_bases(recipes)


def _note_unusual_bases(recipes: Mapping[str, SessionRecipe]) -> list[str]:
    """Bases beyond the range that the paper of 2008 calls reasonable."""
    (low, high), notes = REASONABLE_RANGE, {}
    for recipe in recipes.values():
        for name in ("b", "bq"):
            value = getattr(recipe.convention, name) if name in recipe.entry.params else None
            if value is not None and not low <= value <= high:
                note = f"{name} = {value:g} is beyond what the paper calls reasonable"
                notes[note] = f"{note}, {low:g} (impatient) to {high:g} (patient)"
    return list(notes.values())


def needs_joint_mean(recipe: SessionRecipe) -> bool:
    """Can the mean of sessions not be had from their values?"""
    convention = recipe.convention
    plain = convention.statistic == "final" and convention.normalise == "session"
    others = (convention.average, convention.hold) != ("ratios", "held")
    return "average" in recipe.entry.params and plain and others


def joint_terms(
    sessions: MatchedSessions, recipe: SessionRecipe, some: Flags | None = None
) -> tuple[Array, Array]:
    """What all or some sessions gain, and their ideals; to the end of the longest, if these grow.

    What was asked for of their first queries has been left out already.
    """
    flags = np.ones(sessions.size, dtype=bool) if some is None else some
    gains = session_gains(sessions, recipe)
    total = sum_by_index(sessions.session, query_gains(gains), sessions.size)
    longest = np.full(sessions.size, int(sessions.query_counts[flags].max()))
    grows = recipe.convention.hold == "growing" and recipe.queries is None
    best = sdcg.ideal_gain(gains, longest if grows else None)
    return total[flags], best[flags]


def mean_of_vectors(sessions: MatchedSessions, recipe: SessionRecipe, some: Flags) -> float:
    """The mean at the end of the longest session: of ratios, or of gains over that of ideals."""
    total, best = joint_terms(sessions.keep_first_queries(recipe.queries), recipe, some)
    if recipe.convention.average == "ratios":
        values = np.ma.compressed(np.ma.asarray(normalise_by(total, best, recipe.convention.empty)))
        return float(values.mean()) if values.size else float("nan")
    total, best = total.mean(keepdims=True), best.mean(keepdims=True)
    mean = normalise_by(total, best, recipe.convention.empty)
    return float(np.ma.filled(mean, np.nan)[0])


_WORDS: Mapping[str, Mapping[str, str]] = {
    "duplicates": {
        "every": "repeated documents count again",
        "first": "documents count the first time only",
        "clicked": "documents count until they are clicked",
        "judged": "documents have the grade that the searcher gave each time",
    },
    "ideal": {
        "repeated": "ideal: the best documents in every query",
        "once": "ideal: each document once, query by query",
        "best_slots": "ideal: each document once, in the best places",
    },
    "rank_discount": {"concatenated": "ranks continue over the lists (not verified in print)"},
    "depth": {"scanned": "to the observed depth"},
    "lists": {"as_is": "short lists stay short"},
    "hold": {"growing": "the ideal continues after a searcher stops"},
    "normalise": {
        "query": "each query divided by its own ideal",
        "concatenated": "the vectors of queries, each divided by its ideal, one after the other",
    },
    "statistic": {
        "best": "of the best query",
        "last": "of the last query",
        "average": "mean over positions",
        "per_query": "divided by the number of queries",
    },
}


def _describe_setting(name: str) -> Callable[[SessionRecipe], str]:
    def describe(recipe: SessionRecipe) -> str:
        convention = recipe.convention
        value = str(convention.ideal_kind if name == "ideal" else getattr(convention, name))
        if value.startswith("minimum("):
            positions = min(minimum_positions(value), recipe.k or minimum_positions(value))
            return f"a query takes at least {positions} positions"
        return _WORDS[name].get(value, "")

    return describe


def _describe_changes(recipe: SessionRecipe) -> str:
    """What else was asked for that the convention has otherwise."""
    base = SESSION_CONVENTIONS.get(recipe.convention.name, JK2008)
    described = (*_WORDS, *FORMULA_PARAMS, *FORMULA_PARAMS.values())
    return ", ".join(
        f"{name}={value}"
        for name, (value, _) in recipe.convention.differences(base).items()
        if name in recipe.entry.params and name not in described
    )


SESSION_REMARKS: Sequence[Remark] = (
    Remark(has_param("gain"), lambda recipe: f"gain {recipe.gain.text()}"),
    Remark(has_param("discount"), lambda recipe: f"discount {recipe.discount.text()}"),
    Remark(
        has_param("query_discount"), lambda recipe: f"query discount {recipe.query_discount.text()}"
    ),
    *(Remark(has_param(name), _describe_setting(name)) for name in _WORDS),
    Remark(lambda _: True, _describe_changes),
)


def compute_lists(
    measure: Measure,
    grades: Any,
    *,
    judged: Numbers | None = None,
    k: int | None = None,
    like: Any = None,
    **settings: Any,
) -> float:
    """The value of one session; to the end of its longest list where there is no k."""
    is_session = isinstance(grades, Iterable) and not isinstance(grades, (str, Mapping))
    lists = [_read_list(own) for own in grades] if is_session else []
    if not any(lists):
        allowed = "a list of grades for each query, such as [[3, 2, 0], [1, 0]]"
        raise WrongType("grades", grades, allowed)
    if measure.k is None and measure.entry.cutoff_kind == "needed":
        measure @= max(1, *map(len, lists)) if k is None else k
    recipe = build_session_recipe(measure, options=settings, like=like)
    matched = match_sessions(as_sessions(_build_frame(lists)), None, "zero")
    if judged is not None:  # of which the ideal is made
        pool = -np.sort(-read_ranking(judged, "judged").flat.astype(np.float64))
        base, pool_base = np.zeros_like(matched.position), np.zeros(len(pool), dtype=np.intp)
        own_pool = evolve(matched.judged, base=base, pool_base=pool_base, pool_grade=pool)
        matched = evolve(matched, judged=own_pool)
    values = compute_session_values(matched, recipe)
    if np.ma.is_masked(values):
        raise NothingToAverage("the ideal is zero, and the convention (empty=skip) leaves it out")
    return float(values[0])


def _read_list(grades: Any) -> list[float]:
    if hasattr(grades, "__len__") and not len(grades):
        return []
    return read_ranking(grades, "grades").flat.tolist()  # type: ignore[no-any-return]


def _build_frame(lists: Sequence[Sequence[float]]) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for query, own in enumerate(lists, start=1):
        shown = [("s", query, at, f"{query}.{at}", grade) for at, grade in enumerate(own, start=1)]
        rows += shown or [("s", query, None, None, None)]
    types = {"session": pl.String, "query": pl.Int64, "rank": pl.Int64, "doc": pl.String}
    return pl.DataFrame(rows, schema=types | {"grade": pl.Float64}, orient="row")
