"""Gains of sessions laid out once, so that the means of groups at any b and bq are soon had.

sDCG is a sum of gain × rank discount × query discount. Gains at the same query and rank can be
added up before any discount is known: over all sessions of a group for sDCG, over those that also
share their ideal for nsDCG. What is left for a setting is a few small products.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from gainful.convention.session import SessionConvention, like_sessions
from gainful.errors import BadValue, WrongType, check_name
from gainful.formula import NamedFormula
from gainful.match.session_groups import Keys, count_sessions, number_groups, order_keys
from gainful.match.sessions import MatchedSessions
from gainful.measure.build_session_recipes import (
    build_session_recipe,
    explain_default,
    usual_session_measures,
)
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.discount import USUAL_RANGE, b as rank_base, bq as query_base
from gainful.measure.entry import SessionRecipe
from gainful.measure.formulas import as_gain
from gainful.measure.functions.sessions.sdcg import (
    SessionGains,
    best_gains_by_base,
    ideal_gain,
    session_gains,
)
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.types import MAX_COUNT, Array, Ranks, is_whole_number

Bases = str | float | Iterable[float]
Weights = str | Mapping[Any, Any] | NamedFormula
_MAX_SETTINGS = 1_000_000  # settings
_MAX_POINTS = 10_000  # of a range
_USUAL_DEPTH = 10
_BASE_PARAMETERS = {"b": rank_base, "bq": query_base}
# A mean over sessions must be one of sums that the discounts alone change.
_LINEAR_SETTINGS = {
    "statistic": "final",
    "normalise": "session",
    "average": "ratios",
    "hold": "held",
    "at": "results",
}


def parse_bases(name: str, value: Bases, points: int) -> tuple[float, ...]:
    """The bases that are meant: a range such as 1.5:10, a list such as 1.5,2,4, or numbers.

    The points of a range are spread evenly in the logarithm, which is what discounts are made of.

    Examples:
        >>> parse_bases("b", "2:8", 3)
        (2.0, 4.0, 8.0)
        >>> parse_bases("bq", "4", 20)
        (4.0,)
    """
    if not is_whole_number(points) or not 2 <= points <= _MAX_POINTS:
        raise BadValue("points", points, f"a whole number from 2 to {_MAX_POINTS}")
    if isinstance(value, str) and ":" in value:
        low, high = _parse_numbers(name, value, value.split(":"), 2)
        if low >= high:
            allowed = f"a range from the smaller to the larger, such as {USUAL_RANGE}"
            raise BadValue(name, value, allowed)
        points_of_range = np.geomspace(low, high, points).tolist()
        # The same on every machine
        return tuple(float(f"{point:.12g}") for point in points_of_range)
    if isinstance(value, str):
        return _parse_numbers(name, value, value.split(","))
    return _parse_numbers(name, value, [value] if isinstance(value, Real) else value)


def _parse_numbers(
    name: str, value: object, parts: object, count: int | None = None
) -> tuple[float, ...]:
    allowed = f"a range such as {USUAL_RANGE}, or numbers such as 1.5,2,4"
    if not isinstance(parts, Iterable):
        raise WrongType(name, value, allowed)
    items = list(parts)
    try:
        numbers = [float(part) for part in items]
    except (TypeError, ValueError, OverflowError):
        raise BadValue(name, value, allowed) from None
    if not numbers or (count is not None and len(numbers) != count):
        raise BadValue(name, value, allowed)
    return tuple(_BASE_PARAMETERS[name].check(number) for number in numbers)


def parse_depths(value: object) -> tuple[int, ...]:
    """How many results of a query count: one number or several."""
    parts: object = value.split(",") if isinstance(value, str) else value
    items = list(parts) if isinstance(parts, Iterable) else [parts]
    depths = []
    for item in items:
        text = str(item).strip()
        is_count = text.isascii() and text.isdigit() and len(text) < len(str(MAX_COUNT))
        if isinstance(item, bool) or not is_count or int(text) < 1:
            raise BadValue("depth", item, "a whole number of at least 1")
        depths.append(int(text))
    return tuple(dict.fromkeys(depths)) or (_USUAL_DEPTH,)


def _parse_measure_and_depths(
    measure: str | Measure, depth: object
) -> tuple[Measure, tuple[int, ...]]:
    """The measure, and how deep; either of them may say that."""
    if "@" not in str(measure):
        depths = parse_depths(_USUAL_DEPTH if depth is None else depth)
        try:
            return parse(f"{measure}@{_USUAL_DEPTH}"), depths
        except BadValue as error:
            if error.argument != "k":
                raise
            raise BadValue("measure", str(measure), " or ".join(WITH_VECTORS)) from None
    parsed_measure = parse(measure)
    if depth is not None:
        raise BadValue("depth", depth, f"no value: {parsed_measure} sets the depth")
    return parsed_measure, parse_depths(parsed_measure.k)


@frozen(eq=False, kw_only=True)
class SweepGrid:
    """All settings of a sweep, and the reference."""

    measure: str
    convention: SessionConvention
    b: tuple[float, ...]
    bq: tuple[float, ...]
    recipes: Sequence[SessionRecipe]  # one for each choice of weights and depth
    reference: tuple[float, float]
    notes: Sequence[str]


def build_sweep_grid(
    measure: str | Measure | None,
    *,
    b: Bases,
    bq: Bases,
    points: int,
    depth: object,
    weights: Weights | Sequence[Weights] | None,
    reference: Mapping[str, float] | None,
    like: str | SessionConvention | None,
    settings: Mapping[str, Any],
    gain_event: str = "",
) -> SweepGrid:
    """Everything that is asked of a sweep, checked."""
    notes = [explain_default(gain_event)] if measure is None and gain_event else []
    if measure is None:
        measure = usual_session_measures(gain_event)[-1].partition("@")[0]
    convention = like_sessions(like)
    parsed_measure, depths = _parse_measure_and_depths(measure, depth)
    if not (parsed_measure.entry.session and parsed_measure.entry.has_vectors):
        raise BadValue("measure", str(measure), " or ".join(WITH_VECTORS))
    for name in ("b", "bq"):
        if name in dict(parsed_measure.params):
            raise BadValue("measure", str(parsed_measure), f"no {name} in it: that is swept")
    if weights is not None and "gain" in dict(parsed_measure.params):
        raise BadValue("weights", weights, f"nothing: {parsed_measure} has a gain")
    gains = _list_gains(weights)
    bases = parse_bases("b", b, points), parse_bases("bq", bq, points)
    recipes = []
    for gain, x in product(gains, depths):
        options = {**settings} | ({} if gain is None else {"gain": gain})
        recipe = build_session_recipe(evolve(parsed_measure, k=x), options=options, like=convention)
        for name, usual in _LINEAR_SETTINGS.items():
            value = getattr(recipe.convention, name)
            if value != usual:
                raise BadValue(name, value, f"{usual}, in a sweep")
        recipe.discount.with_values({"b": bases[0][0]})  # a discount without a base cannot be swept
        recipe.query_discount.with_values({"bq": bases[1][0]})
        recipes.append(recipe)
    setting_count = len(recipes) * len(bases[0]) * len(bases[1])
    if setting_count > _MAX_SETTINGS:
        allowed = f"fewer: these are {setting_count} settings of at most {_MAX_SETTINGS}"
        raise BadValue("points", points, allowed)
    return SweepGrid(
        measure=str(evolve(parsed_measure, k=None)),
        convention=convention,
        b=bases[0],
        bq=bases[1],
        recipes=recipes,
        reference=_parse_reference(reference, convention),
        notes=notes,
    )


def _list_gains(weights: Weights | Sequence[Weights] | None) -> list[NamedFormula | None]:
    several = [weights] if isinstance(weights, (str, Mapping, NamedFormula)) else weights
    if not isinstance(several, Sequence | None):
        raise WrongType("weights", weights, "linear, exp, a table such as 0:0,1:1, or several")
    return [*map(as_gain, several or ())] or [None]


def _parse_reference(
    reference: Mapping[str, float] | None, convention: SessionConvention
) -> tuple[float, float]:
    usual = {"b": convention.b or 2, "bq": convention.bq or 4}
    if not isinstance(reference, Mapping | None):
        raise WrongType("reference", reference, '{"b": 2, "bq": 4}')
    for name in reference or {}:
        check_name("part of the reference", name, usual)
    both = {**usual, **(reference or {})}
    return rank_base.check(both["b"]), query_base.check(both["bq"])


_FEW_PLACES = 1_000_000  # places that may be laid out, however few gains there are


@frozen(eq=False, kw_only=True)
class Ideals:
    """What the ideals of kinds of sessions are made of."""

    pool: Array  # one row for recall bases of equal gains; best gain first
    base: Ranks  # kinds × queries: which row of the pool; an empty one where there is no query
    queries: Ranks  # per kind
    depth: int
    step: int  # how many ranks further down each query begins: none, unless ranks continue
    has_one_base: bool  # has each session one recall base?


@frozen(eq=False, kw_only=True)
class SweepSums:
    """Gains of kinds of sessions: those of a group that share their ideal, if there is one."""

    recipe: SessionRecipe
    session_count: Ranks  # per group: how many sessions its mean is of
    sum_without_ideal: Array  # per group: what sessions without an ideal add up to
    group: Ranks  # per kind
    queries: int  # of the longest session
    line: Ranks  # per gain: its kind and query, as one number
    rank: Ranks  # per gain: from 0
    gain: Array
    ideals: Ideals | None

    def row(self, b: float) -> SweepRow:
        """All that does not change with bq, for this b."""
        ideals, max_rank = self.ideals, int(self.rank.max(initial=0)) + 1
        if ideals is not None:
            max_rank = max(max_rank, ideals.depth + ideals.step * (self.queries - 1))
        formula = self.recipe.discount.with_values({"b": b})
        discount = formula.evaluate_at(np.arange(1, max_rank + 1))
        kinds, gain = len(self.group), self.gain * discount[self.rank]
        lines = np.bincount(self.line, gain, minlength=kinds * self.queries)
        kind_lines = lines.reshape(kinds, self.queries).astype(np.float64)
        # The best documents again in every query: their DCG times the query discounts.
        is_repeated = self.recipe.convention.ideal_kind == "repeated"
        if ideals is not None and is_repeated and ideals.has_one_base and not ideals.step:
            return self._divide_by_dcg(discount, kind_lines, ideals)
        return SweepRow(self, discount, kind_lines, self.group)

    def _divide_by_dcg(self, discount: Array, lines: Array, ideals: Ideals) -> SweepRow:
        """Each kind divided by its DCG, so only groups and lengths differ."""
        width = min(ideals.depth, ideals.pool.shape[1])
        ideal = (ideals.pool[:, :width] @ discount[:width])[ideals.base[:, 0]][:, None]
        share = np.divide(lines, ideal, out=np.zeros_like(lines), where=ideal > 0)
        max_queries = self.queries
        group_and_length = self.group * max_queries + ideals.queries - 1
        size = len(self.session_count) * max_queries
        at = group_and_length[:, None] * max_queries + np.arange(max_queries)
        total = np.bincount(at.ravel(), share.ravel(), minlength=size * max_queries)
        group = np.repeat(np.arange(len(self.session_count)), max_queries)
        length = np.tile(np.arange(max_queries), len(self.session_count))
        shares = total.reshape(size, max_queries).astype(np.float64)
        return SweepRow(self, discount, shares, group, length)


@frozen(eq=False)
class SweepRow:
    """The settings of one b."""

    sums: SweepSums
    discount: Array  # by rank
    lines: Array  # kinds × queries: gain, discounted by rank
    group: Ranks  # per kind
    length: Ranks | None = None  # per kind: queries but one, if lines are divided by DCG already

    def means(self, bqs: Sequence[float]) -> Array:
        """The mean of each group for each bq: bqs × groups."""
        sums, positions = self.sums, np.arange(1, self.sums.queries + 1)
        formula = sums.recipe.query_discount
        weights = np.stack(
            [formula.with_values({"bq": bq}).evaluate_at(positions) for bq in bqs], axis=1
        )
        value = self.lines @ weights
        if self.length is not None:
            value = value / np.cumsum(weights, axis=0)[self.length]
        elif sums.ideals is not None:
            ideal = self._ideal(sums.ideals, weights)
            value = np.divide(value, ideal, out=np.zeros_like(value), where=ideal > 0)
        groups = len(sums.session_count)
        group_sums = [np.bincount(self.group, column, minlength=groups) for column in value.T]
        total = np.stack(group_sums) + sums.sum_without_ideal
        with np.errstate(invalid="ignore"):  # a group of no session that counts has no mean
            return np.asarray(np.where(sums.session_count > 0, total / sums.session_count, np.nan))

    def _ideal(self, ideals: Ideals, weights: Array) -> Array:
        """The ideal of each kind for each bq."""
        begin = ideals.step * np.arange(self.sums.queries)[:, None]
        slots = self.discount[np.arange(ideals.depth) + begin]  # queries × ranks
        kind = self.sums.recipe.convention.ideal_kind
        if kind == "repeated":
            width = min(ideals.depth, ideals.pool.shape[1])
            each = ideals.pool[:, :width] @ slots[:, :width].T
            return np.asarray(each[ideals.base, np.arange(slots.shape[0])] @ weights)
        ideal_gains = np.zeros((len(ideals.queries), weights.shape[1]))
        for n in np.unique(ideals.queries).tolist():
            slot_weights = slots[:n, :, None] * weights[:n, None, :]
            slot_weights = slot_weights.reshape(-1, weights.shape[1])
            if kind == "best_slots":
                slot_weights = -np.sort(-slot_weights, axis=0)
            width = min(len(slot_weights), ideals.pool.shape[1])
            these = ideals.queries == n
            ideal_gains[these] = (ideals.pool[:, :width] @ slot_weights[:width])[
                ideals.base[these, 0]
            ]
        return ideal_gains


def sum_for_sweep(
    sessions: MatchedSessions, recipe: SessionRecipe, group: Ranks, groups: int
) -> SweepSums:
    """The gains of all sessions, added up where they share what matters: all but b and bq."""
    gains, max_queries = session_gains(sessions, recipe), int(sessions.query_counts.max())
    kind, group_of_kind, ideals = group, np.arange(groups), None
    if recipe.entry.normalised:
        kind, group_of_kind, ideals = _group_by_ideal(sessions, recipe, gains, group)
    empty, session_count = recipe.convention.empty, np.bincount(group, minlength=groups)
    without_ideal = np.bincount(group[kind < 0], minlength=groups)
    if empty == "error" and without_ideal.any():
        raise BadValue("ideal", 0.0, "an ideal above zero in every session (empty=error)")
    rank = gains.discount_rank - 1
    session = sessions.session[gains.query]
    has_kind = kind[session] >= 0
    line = kind[session[has_kind]] * max_queries + sessions.position[gains.query[has_kind]] - 1
    line, rank, gain = add_up(
        line, rank[has_kind], gains.gain[has_kind], len(group_of_kind) * max_queries
    )
    return SweepSums(
        recipe=recipe,
        session_count=session_count - (without_ideal if empty == "skip" else 0),
        sum_without_ideal=np.asarray(without_ideal * float(empty == 1)),
        group=group_of_kind,
        queries=max_queries,
        line=line,
        rank=rank,
        gain=gain,
        ideals=ideals,
    )


def add_up(line: Ranks, rank: Ranks, gain: Array, lines: int) -> tuple[Ranks, Ranks, Array]:
    """One gain for each line and rank, unless there are far more places than gains."""
    max_rank = int(rank.max(initial=0)) + 1
    if lines * max_rank > 4 * len(gain) + _FEW_PLACES:
        return line, rank, gain
    total = np.bincount(line * max_rank + rank, gain, minlength=lines * max_rank)
    at = np.flatnonzero(total)
    return at // max_rank, at % max_rank, total[at].astype(np.float64)


def _group_by_ideal(
    sessions: MatchedSessions, recipe: SessionRecipe, gains: SessionGains, group: Ranks
) -> tuple[Ranks, Ranks, Ideals]:
    """The kind of each session (-1 if it has no ideal), and the group and ideal of each kind."""
    x, max_queries, base = recipe.k or 0, int(sessions.query_counts.max()), gains.judged.base
    if recipe.convention.ideal_kind != "repeated":
        ideal_gain(gains)  # refuses queries with judgments of their own
    widest = x if recipe.convention.ideal_kind == "repeated" else x * max_queries
    width = min(widest, int(gains.pool_rank.max(initial=1)))
    pool = best_gains_by_base(gains, width)
    pool, pool_number = np.unique(pool, axis=0, return_inverse=True)  # equal pools, equal ideals
    pool_number = pool_number.ravel()
    base, empty_pool = pool_number[base], int(pool_number[-1])
    has_ideal = np.bincount(sessions.session, pool[base, 0] > 0, minlength=sessions.size) > 0
    own = base[sessions.first_query]
    has_one_base = bool((base == own[sessions.session]).all())
    if has_one_base:
        key = (group * len(pool) + own) * (max_queries + 1) + sessions.query_counts
        _, first_of_kind, kind = np.unique(key, return_index=True, return_inverse=True)
    else:  # turns of conversations: each session has an ideal of its own
        first_of_kind = kind = np.arange(sessions.size)
    base_by_position = np.full((sessions.size, max_queries), empty_pool)
    base_by_position[sessions.session, sessions.position - 1] = base
    ideals = Ideals(
        pool=pool,
        base=base_by_position[first_of_kind],
        queries=sessions.query_counts[first_of_kind],
        depth=x,
        step=x if recipe.convention.rank_discount == "concatenated" else 0,
        has_one_base=has_one_base,
    )
    return np.where(has_ideal, kind, -1), group[first_of_kind], ideals


@define(eq=False)
class SweepPartSums:
    """What groups of sessions add up to for a sweep, so far."""

    recipes: Sequence[SessionRecipe]
    by: Sequence[str]
    name: str
    groups: list[Keys] = field(factory=list)  # in the order of their values and numbers
    sums: list[SweepSums] = field(factory=list)  # one for each recipe
    counts: Counter[str] = field(factory=Counter)

    def visit(self, sessions: MatchedSessions) -> None:
        """Take some whole sessions."""
        keys, group = number_groups(sessions, self.by, self.name)
        others = [sum_for_sweep(sessions, recipe, group, len(keys)) for recipe in self.recipes]
        self._take(keys, others, count_sessions(sessions))

    def merge(self, other: SweepPartSums) -> None:
        """Take what another has added up of other sessions."""
        if other.sums:
            self._take(other.groups, other.sums, other.counts)

    def _take(
        self, keys: Sequence[Keys], others: Sequence[SweepSums], counts: dict[str, int]
    ) -> None:
        groups = sorted({*self.groups, *keys}, key=order_keys)
        place = {key: number for number, key in enumerate(groups)}
        mine, theirs = (
            [_renumber_groups(each, [place[key] for key in own], len(groups)) for each in sums]
            for own, sums in ((self.groups, self.sums), (keys, others))
        )
        self.sums = [*map(_merge_sums, mine, theirs)] if mine else theirs
        self.groups = groups
        self.counts.update(counts)


def _renumber_groups(sums: SweepSums, numbers: Sequence[int], groups: int) -> SweepSums:
    number = np.array(numbers, dtype=np.intp)
    return evolve(
        sums,
        session_count=np.bincount(number, sums.session_count, groups).astype(np.intp),
        sum_without_ideal=np.bincount(number, sums.sum_without_ideal, groups).astype(np.float64),
        group=number[sums.group],
    )


def _merge_sums(first: SweepSums, second: SweepSums) -> SweepSums:
    """The sums of both: kinds of sessions that are the same in both are one."""
    queries = max(first.queries, second.queries)
    kinds, group, ideals = _merge_kinds(first, second, queries)
    parts = [
        (kinds[offset + each.line // each.queries] * queries + each.line % each.queries)
        for each, offset in ((first, 0), (second, len(first.group)))
    ]
    line, rank, gain = add_up(
        np.concatenate(parts),
        np.concatenate([first.rank, second.rank]),
        np.concatenate([first.gain, second.gain]),
        len(group) * queries,
    )
    return evolve(
        first,
        session_count=first.session_count + second.session_count,
        sum_without_ideal=first.sum_without_ideal + second.sum_without_ideal,
        group=group,
        queries=queries,
        line=line,
        rank=rank,
        gain=gain,
        ideals=ideals,
    )


def _merge_kinds(
    first: SweepSums, second: SweepSums, queries: int
) -> tuple[Ranks, Ranks, Ideals | None]:
    """The new number of each kind of the first and of the second, their groups and ideals."""
    group = np.concatenate([first.group, second.group])
    if first.ideals is None or second.ideals is None:
        names, kinds = np.unique(group, return_inverse=True)
        return kinds, names, None
    pool, bases = _merge_pools(first.ideals, second.ideals, queries)
    lengths = np.concatenate([first.ideals.queries, second.ideals.queries])
    described = np.column_stack([group, lengths, bases])
    rows, kinds = np.unique(described, axis=0, return_inverse=True)
    has_one_base = first.ideals.has_one_base and second.ideals.has_one_base
    ideals = evolve(
        first.ideals, pool=pool, base=rows[:, 2:], queries=rows[:, 1], has_one_base=has_one_base
    )
    return kinds.ravel(), rows[:, 0], ideals


def _merge_pools(first: Ideals, second: Ideals, queries: int) -> tuple[Array, Ranks]:
    """All pools, each once, and the pools of both kinds' queries; none where there is no query."""
    width = max(first.pool.shape[1], second.pool.shape[1])
    padded = [
        np.pad(each.pool, ((0, 0), (0, width - each.pool.shape[1]))) for each in (first, second)
    ]
    none = np.zeros((1, width))
    pool, number = np.unique(np.vstack([*padded, none]), axis=0, return_inverse=True)
    number = number.ravel()
    bases = [
        np.pad(
            number[each.base + offset],
            ((0, 0), (0, queries - each.base.shape[1])),
            constant_values=int(number[-1]),
        )
        for each, offset in ((first, 0), (second, len(first.pool)))
    ]
    return pool, np.vstack(bases)
