"""What a run scores under any mixture of two conventions, some causes being those of either.

A mixture is a number: bit i tells whose answers cause i has, 0 the first convention's, 1 the
second's. A run is matched once for the few habits that matching depends on, and the values of
mixtures that look at it in the same way share that view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from attrs import define, field, frozen

from gainful.convention import Convention, Setting
from gainful.errors import BadInput, BadValue, CannotCompare, GainfulError
from gainful.evidence.reasons.causes import CAUSES, LENIENT, Cause, Facts, facts, lenient
from gainful.evidence.shapley import switched
from gainful.formula import Array
from gainful.match.match import match
from gainful.match.matched import Flags, Matched, Ranks
from gainful.measure.evaluate import kept_queries, of_matched, scaled
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe, recipe
from gainful.measure.results import as_one
from gainful.read.qrels_and_run import Judgments, Nested, Run

_MATCHED_BY = ("duplicates", "score_bits", "namesake")
_AT_ONCE = 64  # mixtures whose values are held in memory together


@frozen(eq=False)
class View:
    """A run matched in one way, and where its queries stand among those of all ways."""

    found: Matched
    place: Ranks


@define(eq=False)
class Mixtures:
    """Two conventions that refuse nothing, and all that lies between them."""

    judgments: Judgments | Nested
    run: Run | Nested
    measure: Measure
    sides: tuple[Convention, Convention]  # everything settled, refusing nothing
    causes: tuple[Cause, ...] = ()  # those that differ and can matter here
    queries: list[str] = field(factory=list)
    _views: dict[tuple[Setting, ...], View] = field(factory=dict)
    _place: dict[str, int] = field(factory=dict)
    _means: dict[int, float] = field(factory=dict)

    @property
    def all(self) -> int:
        """The mixture that is the second convention."""
        return (1 << len(self.causes)) - 1

    def convention(self, mixture: int) -> Convention:
        """Its habits."""
        mine, theirs = self.sides
        return mine.changed(**switched(self.causes, theirs, mixture))

    def recipe(self, mixture: int) -> Recipe:
        """The measure under its habits."""
        habits = self.convention(mixture)
        how = recipe(self.measure, like_whom=habits)
        return scaled(how, self.view(habits).found.highest)

    def view(self, convention: Convention) -> View:
        """The run as these habits match it."""
        key = tuple(getattr(convention, name) for name in _MATCHED_BY)
        if key not in self._views:
            found = match(self.judgments, self.run, convention)
            if not self.queries:  # the first view is the widest: nothing is taken out of it
                self.queries = list(found.queries)
                self._place = {query: row for row, query in enumerate(self.queries)}
            place = np.fromiter(map(self._place.__getitem__, found.queries), np.intp)
            self._views[key] = View(found, place)
        return self._views[key]

    def values(self, mixture: int) -> Array:
        """The value of each query, not a number where it does not count."""
        return next(self._values([mixture]))[1]

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        """The mean under each of these mixtures; that of no query at all is taken as 0."""
        asked = list(dict.fromkeys(mixtures))
        new = sorted((one for one in asked if one not in self._means), key=self._alike)
        for begin in range(0, len(new), _AT_ONCE):
            for mixture, values in self._values(new[begin : begin + _AT_ONCE]):
                mean = as_one(values[~np.isnan(values)], self.measure.entry.mean)
                self._means[mixture] = 0.0 if np.isnan(mean) else mean
        return {mixture: self._means[mixture] for mixture in asked}

    def mean(self, mixture: int) -> float:
        """The mean under one mixture."""
        return self.means([mixture])[mixture]

    def most(self, bit: int) -> int:
        """The mixture, of those computed so far, whose mean changes most when this is switched."""
        known = [one for one in self._means if not one & bit and one | bit in self._means]
        return max(known, key=lambda one: abs(self._means[one | bit] - self._means[one]))

    def _alike(self, mixture: int) -> tuple[str, ...]:
        """Mixtures that are matched and seen alike come together."""
        habits = self.convention(mixture)
        seen_by = ("ties", "unjudged", "negative", "fractional", "grade_bits", "gain", "ideal")
        return tuple(str(getattr(habits, name)) for name in (*_MATCHED_BY, *seen_by))

    def _values(self, mixtures: Iterable[int]) -> Iterator[tuple[int, Array]]:
        groups: dict[tuple[Setting, ...], list[int]] = {}
        for mixture in mixtures:
            habits = self.convention(mixture)
            key = tuple(getattr(habits, name) for name in _MATCHED_BY)
            groups.setdefault(key, []).append(mixture)
        for group in groups.values():
            view = self.view(self.convention(group[0]))
            some = self._counted_by_either(view.found)
            rows = np.flatnonzero(some)
            recipes = {str(mixture): self.recipe(mixture) for mixture in group}
            found = self._computed(view.found.only(some), recipes)
            for mixture in group:
                kept = kept_queries(view.found, self.convention(mixture), self.run.name)[rows]
                values: Array = np.ma.filled(
                    np.ma.asarray(found[str(mixture)], dtype=float), np.nan
                )
                whole = np.full(len(self.queries), np.nan)
                whole[view.place[rows]] = np.where(kept, values, np.nan)
                yield mixture, whole

    def _counted_by_either(self, matched: Matched) -> Flags:
        mine, theirs = (kept_queries(matched, side, self.run.name) for side in self.sides)
        return mine | theirs

    def _computed(self, matched: Matched, recipes: Mapping[str, Recipe]) -> dict[str, Array]:
        try:
            return of_matched(matched, recipes)
        except GainfulError as refused:
            for side in self.sides:
                try:
                    of_matched(
                        matched, {"": scaled(recipe(self.measure, like_whom=side), matched.highest)}
                    )
                except GainfulError as own:
                    raise not_computed(self.measure, side, own) from own
            raise CannotCompare(
                f"{self.measure} cannot be computed with habits of both: {refused}"
            ) from refused


def mixtures(
    qrels: Judgments | Nested, run: Run | Nested, measure: Measure, sides: tuple[Recipe, Recipe]
) -> Mixtures:
    """All that lies between two conventions, causes that cannot matter on these data left out."""
    mine, theirs = (lenient(how.convention) for how in sides)
    found = Mixtures(qrels, run, measure, (mine, theirs))
    widest = mine.changed(
        duplicates="count" if "count" in (mine.duplicates, theirs.duplicates) else "last",
        score_bits=min(mine.score_bits, theirs.score_bits),
        namesake="count" if "count" in (mine.namesake, theirs.namesake) else "remove",
    )
    whole = found.view(widest).found
    whole.refuse_nothing_in_common(run.name)
    held = _facts(whole, run, sides, (mine, theirs))
    differing = mine.differences(theirs)
    found.causes = tuple(
        cause
        for cause in CAUSES.values()
        if differing.keys() & {*cause.habits} and cause.matters(held, sides[0])
    )
    return found


def _facts(
    whole: Matched,
    run: Run | Nested,
    sides: tuple[Recipe, Recipe],
    habits: tuple[Convention, Convention],
) -> Facts:
    namesakes = habits[0].namesake != habits[1].namesake and _has_namesakes(run)
    return facts(whole, sides, namesakes=namesakes)


def _has_namesakes(run: Run | Nested) -> bool:
    if isinstance(run, Run):
        return bool((run.frame["query"] == run.frame["doc"]).any())
    return any(query in ranking for query, ranking in run.mapping.items())


def refusals(held: Mixtures, side: Convention) -> dict[str, str]:
    """What a tool would refuse of these data, by habit, and how it is compared nevertheless."""
    return {
        habit: f"{side.name} refuses these data: {reason}; compared as if {instead}"
        for habit, (_, instead) in LENIENT.items()
        if getattr(side, habit) == "error" and (reason := _refusal(held, side, habit))
    }


def _refusal(held: Mixtures, side: Convention, habit: str) -> str:
    """What makes a tool refuse, if anything does: it is tried with this one habit left strict."""
    strict = lenient(side, but=habit)
    view = held.view(lenient(side))
    if habit == "duplicates" and not view.found.duplicates:
        return ""
    try:
        found = match(held.judgments, held.run, strict) if habit == "duplicates" else view.found
        kept = kept_queries(found, strict, held.run.name)
        if habit in ("negative", "fractional", "empty"):
            how = scaled(recipe(held.measure, like_whom=strict), found.highest)
            of_matched(found.only(kept), {"": how})
    except BadInput as refused:
        return refused.problem
    except BadValue as refused:
        value = refused.value
        told = f"{value:g}" if isinstance(value, float) else str(value)
        return f"{refused.argument} is {told}"
    return ""


def not_computed(measure: Measure, side: Convention, error: GainfulError) -> CannotCompare:
    """One side has no number at all, whatever the data."""
    return CannotCompare(f"{measure} cannot be computed like {side.name}: {error}")
