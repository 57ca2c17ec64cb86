"""`RankedRun`: what was matched, under one convention. Every judged document stands at its rank.

This is what a measure of the catalogue is a function of; its methods are the few words in which
such functions are written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np
from attrs import evolve, field, fields, frozen
from numpy.typing import NDArray

from gainful.convention import Convention
from gainful.convention.convention import Empty, NegativeIdeal, Settings
from gainful.errors import BadValue, NoIdeal, NotExact, Tied
from gainful.formula import NamedFormula
from gainful.match import OrderedGains, PlacedGains
from gainful.match.matched import Matched
from gainful.match.rank_order import rank_ideally
from gainful.match.ties import TIE_POLICIES, place_ties
from gainful.measure.entry import MeasureFunction, Recipe
from gainful.rounding import FINE_ROUNDING
from gainful.types import Array, Flags, Ranks

if TYPE_CHECKING:  # runs do without
    from gainful.convention.session import SessionConvention

# Refuses flagged grades, and says what is allowed
GradeCheck = Callable[[Flags, str], None]


def check_grades(grade: Array, describe: Callable[[int], str]) -> GradeCheck:
    """A function that refuses flagged grades; `describe` says what the first of them is."""

    def refuse(flags: Flags, allowed: str) -> None:
        if flags.any():
            at = int(np.flatnonzero(flags)[0])
            raise BadValue(describe(at), float(grade[at]), allowed)

    return refuse


def apply_fractional(
    values: Array, convention: Convention, refuse: GradeCheck, xp: Any = np
) -> Array:
    """Grades with their fractions kept, cut off or refused."""
    if convention.fractional == "keep":
        return values
    whole: Array = xp.trunc(values) + 0.0  # no minus zero
    if convention.fractional == "error":
        refuse(
            whole != values, f"whole numbers (fractional=error{_describe_convention(convention)})"
        )
    return whole


def grade_gains(
    values: Array,
    formula: NamedFormula,
    convention: Convention,
    refuse: GradeCheck,
    present: Flags | None,
) -> Array:
    """The gain of each grade; where there is no document (`present`), nothing."""
    values = apply_fractional(values, convention, refuse)
    return weigh_grades(values, formula, convention, refuse, present, bits=convention.grade_bits)


def weigh_grades(
    values: Array,
    formula: NamedFormula,
    convention: Convention | SessionConvention,
    refuse: GradeCheck,
    present: Flags | None = None,
    *,
    bits: int = 64,
    xp: Any = np,
) -> Array:
    """The gain of each grade as it is; those below zero as the convention has it.

    Of tensors as of arrays: `xp` is their namespace, and what is traced has no value to ask for.
    """
    negative = values < 0
    if convention.negative == "error":
        refuse(negative, f"grades of at least 0 (negative=error{_describe_convention(convention)})")
    if formula.grades:
        known = reduce(or_, (values == grade for grade in formula.grades))
        allowed = ", ".join(f"{grade:g}" for grade in formula.grades)
        unknown = ~known if present is None else ~known & present
        refuse(unknown, f"grades in the gain table: {allowed}")
    elif bits == 32:
        with np.errstate(over="ignore"):  # an infinite gain is refused below
            values = xp.asarray(xp.asarray(values, dtype=xp.float32), dtype=values.dtype)
    gain = formula.evaluate_at(values) if xp is np else formula.evaluate_on(xp, values)
    drops_negative = convention.negative == "zero" and not formula.signed
    if drops_negative and (xp is not np or negative.any()):
        gain = xp.where(negative, 0.0, gain)
    if present is not None:
        gain = xp.where(present, gain, 0.0)
    refuse(~xp.isfinite(gain), f"grades whose {formula.name} gain is finite")
    return gain


def _describe_convention(convention: Settings) -> str:
    return f", like {convention.name}" if convention.name != "gainful" else ""


Value = TypeVar("Value")


@frozen(eq=False, kw_only=True)
class RankedRun(Matched):
    """All queries at once: judged retrieved documents in rank order, and the judged pool."""

    rank_fields: ClassVar[tuple[str, ...]] = (*Matched.rank_fields, "rank")
    xp: ClassVar[Any] = np  # the namespace of its arrays, for functions that tensors share

    rank: Ranks  # under the convention; by query and rank the documents are ordered
    convention: Convention
    _cache: dict[object, Any] = field(factory=dict, init=False, repr=False)

    def compute_once(self, key: object, compute: Callable[[], Value]) -> Value:
        """What several measures need, worked out by the first that asks for it."""
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    def top(self, k: int | None) -> Flags:
        """Which documents stand among the first k?"""
        return np.ones(len(self.rank), dtype=bool) if k is None else self.rank <= k

    def depths(self, k: int | None) -> Ranks:
        """How many documents of each query stand among the first k."""
        return self.retrieved if k is None else np.minimum(self.retrieved, k)

    def relevant(self, rel: float, k: int | None = None) -> Flags:
        """Which retrieved documents are relevant (and stand among the first k)?"""
        return (self.grade >= rel) & self.top(k)

    def total(self, values: NDArray[Any], where: Flags | None = None) -> Array:
        """The sum over each query."""
        chosen = slice(None) if where is None else where
        weights = values[chosen].astype(np.float64, copy=False)
        return np.bincount(self.query[chosen], weights, minlength=self.size).astype(np.float64)

    def count(self, flags: Flags) -> Array:
        """How many there are in each query."""
        return np.bincount(self.query[flags], minlength=self.size).astype(np.float64)

    def cumulate(self, values: Flags | Array) -> Array:
        """The sum over each query from its first document down to this one."""
        return cumulate_by_query(values, self.query, self.size)

    def recall_base(self, rel: float) -> Array:
        """How many relevant documents there are in each query, retrieved or not."""
        return self.count_pool(self.pool_grade >= rel)

    def count_pool(self, flags: Flags) -> Array:
        """How many documents of the pool are so, in each query."""
        return np.bincount(self.pool_query[flags], minlength=self.size).astype(np.float64)

    def best_grade(self, max_grade: float | None) -> float:
        """The best grade there can be: what was said, or the highest that was given."""
        return (self.highest_grade or 1.0) if max_grade is None else max_grade

    def apply_fractional(self, query: Ranks, grade: Array) -> Array:
        """Grades of queries with their fractions kept, cut off or refused."""
        return apply_fractional(grade, self.convention, self.check_grades(query, grade))

    def gains(self, formula: NamedFormula) -> Array:
        """What the retrieved documents are worth."""
        refuse = self.check_grades(self.query, self.grade)
        return grade_gains(self.grade, formula, self.convention, refuse, None)

    def pool_gains(self, formula: NamedFormula) -> Array:
        """What the documents of the pool are worth."""
        refuse = self.check_grades(self.pool_query, self.pool_grade)
        return grade_gains(self.pool_grade, formula, self.convention, refuse, None)

    def filter_scores(self, order: str) -> RankedRun:
        """The documents with scores of 0 and more, by score or in the order given."""
        if self.filtered is None:
            raise NotExact("FilteredDCG needs the scores of documents, which are not known here")
        filtered = self.filtered[order]
        if isinstance(filtered, RankedRun):
            return filtered
        ties = "input" if order == "input" else self.convention.ties
        return rank_run(filtered, self.convention.with_settings(ties=ties))

    def check_grades(self, query: Ranks, grade: Array) -> GradeCheck:
        """A function that refuses flagged grades, and names the query of the first one."""
        return check_grades(grade, lambda at: f"a grade of query {self.queries[query[at]]!r}")


def cumulate_by_query(values: NDArray[Any], query: Ranks, size: int) -> Array:
    """The sum over each query down to each entry, entries being grouped by query.

    Numbers that are not counts are summed query by query: in one long sum, a huge gain in one
    query would swallow the small ones of the next.
    """
    begin = np.searchsorted(query, np.arange(size + 1))
    if values.dtype.kind in "bi":
        sums = np.append(0, np.cumsum(values))
        counts: Array = (sums[1:] - sums[begin[query]]).astype(np.float64)
        return counts
    sums_by_query = np.empty(len(values))
    for start, end in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        np.cumsum(values[start:end], out=sums_by_query[start:end])
    return sums_by_query


def count_below(query: Ranks, values: Ranks, own_query: Ranks, limit: Ranks) -> Ranks:
    """How many values of the same query are below each limit? None of them is below 0.

    Examples:
        >>> numbers = np.array
        >>> count_below(numbers([0, 0, 1]), numbers([1, 3, 1]), numbers([0, 1]), numbers([3, 1]))
        array([1, 0])
    """
    width = int(max(values.max(initial=0), limit.max(initial=0))) + 1
    keys, begin = np.sort(query * width + values), own_query * width
    return np.searchsorted(keys, begin + limit) - np.searchsorted(keys, begin)


def rank_run(matched: Matched, convention: Convention) -> RankedRun:
    """The matched documents at the ranks that a convention gives them."""
    if "remove" in (convention.unjudged, convention.negative):
        matched = _condense(matched, convention)
    policy = TIE_POLICIES[convention.ties]
    if policy.needs == "order" and not matched.ordered:
        _refuse_ties(matched, convention)
    rank = policy.rank(matched, matched.grade)
    order = np.lexsort((rank, matched.query))
    parts = {own.name: getattr(matched, own.name) for own in fields(Matched) if own.init}
    parts |= matched.pick_hits(order)
    ranked = RankedRun(**parts, rank=rank[order], convention=convention)
    if convention.unjudged_grade is not None and ranked.subtopics is None:
        ranked = _grade_unjudged(ranked, convention.unjudged_grade)
    subtopics = ranked.subtopics
    if subtopics is not None:
        whole = ranked.apply_fractional(ranked.pool_query[subtopics.doc], subtopics.grade)
        subtopics = evolve(subtopics, grade=whole)
    return evolve(
        ranked,
        subtopics=subtopics,
        grade=ranked.apply_fractional(ranked.query, ranked.grade),
        pool_grade=ranked.apply_fractional(ranked.pool_query, ranked.pool_grade),
    )


def _grade_unjudged(ranked: RankedRun, grade: float) -> RankedRun:
    """The rankings with a grade for the documents without one, at the ranks that are left."""
    ties = ranked.convention.ties
    if TIE_POLICIES[ties].averages and (ranked.last > ranked.first).any():
        raise NotExact(f"unjudged_grade is not exact with ties={ties}; choose another ties policy")
    begin = np.cumsum(ranked.retrieved) - ranked.retrieved
    taken = np.zeros(int(ranked.retrieved.sum()), dtype=bool)
    taken[begin[ranked.query] + ranked.rank - 1] = True
    free = np.flatnonzero(~taken)
    query = np.repeat(np.arange(ranked.size), ranked.retrieved)[free]
    rank = free - begin[query] + 1
    ranks: dict[str, Any] = {
        name: np.append(getattr(ranked, name), rank) for name in ranked.rank_fields
    }
    every = evolve(
        ranked,
        query=np.append(ranked.query, query),
        grade=np.append(ranked.grade, np.full(len(free), grade)),
        pool_index=None,
        **ranks,
    )
    return every.take_hits(np.lexsort((every.rank, every.query)))


def _refuse_ties(matched: Matched, convention: Convention) -> None:
    tied = np.flatnonzero(matched.last > matched.first)
    if tied.size:
        raise Tied(
            f"ties={convention.ties} needs the order of the rows, which this run lacks: documents "
            f"of query {matched.queries[matched.query[tied[0]]]!r} have equal scores; choose "
            "another ties policy, or scores that differ"
        )


def _condense(matched: Matched, convention: Convention) -> Matched:
    """The rankings without documents that are unjudged or have negative grades."""
    wanted = (matched.grade >= 0) | (convention.negative != "remove")
    only_judged = convention.unjudged == "remove"
    counted = wanted if only_judged else ~wanted

    def count_above(rank: Ranks, limit: Ranks) -> Ranks:
        query = matched.query
        return count_below(query[counted], rank[counted], query[wanted], limit[wanted])

    def condense_ranks(rank: Ranks) -> Ranks:
        fewer = count_above(rank, rank)
        return fewer + 1 if only_judged else rank[wanted] - fewer

    through_block = count_above(matched.first, matched.first + 1)
    counts = np.bincount(matched.query[counted], minlength=len(matched.queries))
    pool = (matched.pool_grade >= 0) | (convention.negative != "remove")
    return evolve(
        matched.with_pool(pool).take_hits(wanted),
        retrieved=counts if only_judged else matched.retrieved - counts,
        first=condense_ranks(matched.first),
        last=through_block if only_judged else matched.last[wanted] - through_block,
        by_id=condense_ranks(matched.by_id),
        by_input=condense_ranks(matched.by_input),
    )


@frozen(eq=False, kw_only=True)
class RankedGains:
    """What cumulated gain needs: gains at their ranks, and those of the ideal ranking."""

    actual: OrderedGains | PlacedGains
    ideal: OrderedGains | PlacedGains  # descending; one row per ranking, or one for all of them
    lengths: NDArray[np.intp]  # how many documents each ranking has
    fill: Array  # what a document is worth that fills a short ranking up to k, as a column

    def gain_by_rank(self, depth: int) -> Array:
        """The gain at ranks 1 … depth of each ranking, as a matrix."""
        gain = self.actual.gains_by_rank(depth)
        if not self.fill.any():
            return gain
        return np.where(np.arange(depth) >= self.lengths[:, None], self.fill, gain)


def rank_run_gains(recipe: Recipe, ranked: RankedRun) -> RankedGains:
    """The gains of a run's judged documents at their ranks, and the ideal from the judgments."""
    convention, formula = recipe.convention, recipe.gain
    gain = ranked.gains(formula)
    nonzero = gain != 0
    first, last = place_ties(convention.ties, ranked, gain)
    query = ranked.query[nonzero]
    actual = PlacedGains(ranked.size, query, query, gain[nonzero], first[nonzero], last[nonzero])
    fill = np.zeros((1, 1))
    if convention.short == "minimum":
        fill = _lowest_gain(recipe, ranked)[:, None]
    return RankedGains(
        actual=actual, ideal=_place_ideal(recipe, ranked, gain), lengths=ranked.retrieved, fill=fill
    )


def _place_ideal(recipe: Recipe, ranked: RankedRun, gain: Array) -> PlacedGains:
    """The most valuable documents first, of the pool or of the ranking itself."""
    convention = recipe.convention
    from_list = convention.ideal == "list"
    query = ranked.query if from_list else ranked.pool_query
    ideal_gain = gain if from_list else ranked.pool_gains(recipe.gain)
    wanted = (ideal_gain > 0) | (convention.negative == "in_ideal")
    ideal = rank_ideally(query[wanted], ideal_gain[wanted])
    rank = ideal.rank
    if from_list and convention.negative == "in_ideal":  # the unjudged stand before the bad
        unjudged = ranked.retrieved - np.bincount(ideal.query, minlength=ranked.size)
        rank = np.where(ideal.gain < 0, rank + unjudged[ideal.query], rank)
    return PlacedGains(ranked.size, ideal.query, ideal.query, ideal.gain, rank, rank)


def _lowest_gain(recipe: Recipe, ranked: RankedRun) -> Array:
    """What the lowest grade of each query is worth: that of the gain table, or 0, or less."""
    lowest_grade = np.zeros(ranked.size)
    if recipe.gain.grades:
        lowest_grade += min(recipe.gain.grades)
    else:
        np.minimum.at(lowest_grade, ranked.pool_query, ranked.pool_grade)
    refuse = ranked.check_grades(np.arange(ranked.size), lowest_grade)
    return grade_gains(lowest_grade, recipe.gain, recipe.convention, refuse, None)


def normalise_by(
    actual: Array, ideal: Array, empty: Empty, negative_ideal: NegativeIdeal = "empty"
) -> Array:
    """Actual over ideal; where the ideal is not above zero, what the convention's `empty` says.

    Under `skip` those places are masked, so that a mean leaves them out. Some tools divide by an
    ideal below zero too, and rax by 1 instead of an ideal of 0.
    """
    fill = float(empty) if empty in (0, 1) else 0.0
    with np.errstate(over="ignore"):  # a huge gain over a tiny ideal
        values, divisible = divide_by_ideal(actual, ideal, fill, negative_ideal)
    if empty == "error" and not divisible.all():
        index = tuple(int(places[0]) for places in np.nonzero(~divisible))
        raise NoIdeal(index, float(ideal[index]))
    if not np.isfinite(values).all():
        raise BadValue("ideal", float(ideal[~np.isfinite(values)][0]), "a larger ideal")
    return np.ma.masked_array(values, mask=~divisible) if empty == "skip" else values


def divide_by_ideal(
    actual: Array, ideal: Array, fill: float, negative_ideal: NegativeIdeal, xp: Any = np
) -> tuple[Array, Flags]:
    """Actual over ideal, `fill` where that cannot be; and where it can."""
    if negative_ideal == "divide_or_dcg":
        ideal = xp.where((ideal == 0) & (actual != 0), 1.0, ideal)
    divisible: Flags = ideal > 0 if negative_ideal == "empty" else ideal != 0
    values = xp.where(divisible, actual / xp.where(divisible, ideal, 1.0), fill)
    rounding = max(FINE_ROUNDING, 4 * float(xp.finfo(values.dtype).eps))  # of the order of sums
    return xp.where(xp.abs(values - 1) < rounding, 1.0, values), divisible


def compute_measure(recipe: Recipe, ranked: RankedRun | RankedGains) -> Array:
    """The value of a measure of the catalogue, for every query or row."""
    values = _call(recipe.entry.function, recipe, ranked)
    not_finite = ~np.isfinite(np.ma.filled(values, 0.0))
    if not_finite.any():
        whose = "one query"
        if isinstance(ranked, RankedRun):
            whose = f"query {ranked.queries[int(np.flatnonzero(not_finite)[0])]!r}"
        allowed = "a finite value; the numbers are too large for it"
        raise BadValue(f"{recipe.label} of {whose}", float("inf"), allowed)
    return values


def compute_vectors(recipe: Recipe, ranked: RankedRun | RankedGains) -> Array:
    """The value at every rank, for every query or row, of a measure that has vectors."""
    return _call(cast("MeasureFunction", recipe.entry.curve), recipe, ranked)


def _call(function: MeasureFunction, recipe: Recipe, ranked: RankedRun | RankedGains) -> Array:
    result = apply_function(function, recipe, ranked)
    if isinstance(result, tuple):
        return normalise_values(recipe, *result)
    return round_values(recipe, result)


def apply_function(
    function: MeasureFunction, recipe: Recipe, ranked: RankedRun | RankedGains, **arguments: Any
) -> Array | tuple[Array, Array]:
    """What a function gives: values, or what was reached and what was possible."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if recipe.entry.takes_recipe:
            return function(ranked, recipe)
        return function(ranked, **(recipe.function_arguments() | arguments))


def normalise_values(recipe: Recipe, actual: Array, ideal: Array) -> Array:
    """What was reached over what was possible, as the convention has it."""
    convention = recipe.convention
    values = normalise_by(actual, ideal, convention.empty, convention.negative_ideal)
    return round_values(recipe, values)


def round_values(recipe: Recipe, values: Array) -> Array:
    """Values with as many decimals as the convention has, rounded as its tool rounds."""
    decimals = recipe.convention.decimals
    if decimals is None:
        return values
    if recipe.convention.rounding == "half_up":
        scaled = values * 10.0**decimals
        below = np.floor(scaled)
        return (below + (scaled - below >= 0.5)) / 10.0**decimals
    rounded = np.vectorize(round, otypes=[np.float64])(np.ma.getdata(values), decimals)
    mask = np.ma.getmask(values)
    return rounded if mask is np.ma.nomask else np.ma.masked_array(rounded, mask)
