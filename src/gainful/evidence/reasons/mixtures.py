"""What a run scores under any mixture of two conventions, some causes being those of either.

A mixture is a number: bit i tells whose answers cause i has, 0 the first convention's, 1 the
second's. A run is matched once for the few habits that matching depends on, and the values of
mixtures that look at it in the same way share that view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from attrs import define, field, frozen

from gainful.convention import Convention, SettingValue
from gainful.errors import BadInput, BadValue, CannotCompare, GainfulError
from gainful.evidence.reasons.causes import (
    CAUSES,
    LENIENT,
    Cause,
    Facts,
    gather_facts,
    make_lenient,
)
from gainful.evidence.shapley import mixture_settings
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.measure.evaluate import choose_queries, compute_measures, with_max_grade
from gainful.measure.measure import Measure
from gainful.measure.recipe import Recipe, build_recipe
from gainful.measure.results import aggregate
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.types import Array, Flags, Ranks

_MATCH_SETTINGS = ("duplicates", "score_bits", "namesake")
_BATCH_MIXTURES = 64  # mixtures whose values are held in memory together


@frozen(eq=False)
class MatchedView:
    """A run matched in one way, and where its queries stand among those of all ways."""

    matched: Matched
    rows: Ranks


@define(eq=False)
class Mixtures:
    """Two conventions that refuse nothing, and all that lies between them."""

    qrels: Qrels | NestedDict
    run: Run | NestedDict
    measure: Measure
    sides: tuple[Convention, Convention]  # everything settled, refusing nothing
    causes: tuple[Cause, ...] = ()  # those that differ and can matter here
    queries: list[str] = field(factory=list)
    _views: dict[tuple[SettingValue, ...], MatchedView] = field(factory=dict)
    _row_by_query: dict[str, int] = field(factory=dict)
    _means: dict[int, float] = field(factory=dict)

    @property
    def all(self) -> int:
        """The mixture that is the second convention."""
        return (1 << len(self.causes)) - 1

    def convention(self, mixture: int) -> Convention:
        """Its habits."""
        mine, theirs = self.sides
        return mine.with_settings(**mixture_settings(self.causes, theirs, mixture))

    def recipe(self, mixture: int) -> Recipe:
        """The measure under its habits."""
        convention = self.convention(mixture)
        unscaled = build_recipe(self.measure, like_whom=convention)
        return with_max_grade(unscaled, self.view(convention).matched.highest_grade)

    def view(self, convention: Convention) -> MatchedView:
        """The run as these habits match it."""
        key = tuple(getattr(convention, name) for name in _MATCH_SETTINGS)
        if key not in self._views:
            matched = match(self.qrels, self.run, convention)
            if not self.queries:  # the first view is the widest: nothing is taken out of it
                self.queries = list(matched.queries)
                self._row_by_query = {query: row for row, query in enumerate(self.queries)}
            rows = np.fromiter(map(self._row_by_query.__getitem__, matched.queries), np.intp)
            self._views[key] = MatchedView(matched, rows)
        return self._views[key]

    def values(self, mixture: int) -> Array:
        """The value of each query, not a number where it does not count."""
        return next(self._iterate_values([mixture]))[1]

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        """The mean under each of these mixtures; that of no query at all is taken as 0."""
        unique = list(dict.fromkeys(mixtures))
        new = sorted((bits for bits in unique if bits not in self._means), key=self._sort_key)
        for begin in range(0, len(new), _BATCH_MIXTURES):
            for mixture, values in self._iterate_values(new[begin : begin + _BATCH_MIXTURES]):
                mean = aggregate(values[~np.isnan(values)], self.measure.entry.aggregation)
                self._means[mixture] = 0.0 if np.isnan(mean) else mean
        return {mixture: self._means[mixture] for mixture in unique}

    def mean(self, mixture: int) -> float:
        """The mean under one mixture."""
        return self.means([mixture])[mixture]

    def find_largest_switch(self, bit: int) -> int:
        """The mixture, of those computed so far, whose mean changes most when this is switched."""
        candidates = [
            mixture for mixture in self._means if not mixture & bit and mixture | bit in self._means
        ]
        return max(
            candidates, key=lambda mixture: abs(self._means[mixture | bit] - self._means[mixture])
        )

    def _sort_key(self, mixture: int) -> tuple[str, ...]:
        """Mixtures that are matched and seen alike come together."""
        convention = self.convention(mixture)
        ranking_settings = (
            "ties",
            "unjudged",
            "negative",
            "fractional",
            "grade_bits",
            "gain",
            "ideal",
        )
        return tuple(
            str(getattr(convention, name)) for name in (*_MATCH_SETTINGS, *ranking_settings)
        )

    def _iterate_values(self, mixtures: Iterable[int]) -> Iterator[tuple[int, Array]]:
        groups: dict[tuple[SettingValue, ...], list[int]] = {}
        for mixture in mixtures:
            convention = self.convention(mixture)
            key = tuple(getattr(convention, name) for name in _MATCH_SETTINGS)
            groups.setdefault(key, []).append(mixture)
        for group in groups.values():
            view = self.view(self.convention(group[0]))
            flags = self._flag_queries_of_either(view.matched)
            rows = np.flatnonzero(flags)
            recipes = {str(mixture): self.recipe(mixture) for mixture in group}
            values_by_name = self._compute(view.matched.select_queries(flags), recipes)
            for mixture in group:
                counts = choose_queries(view.matched, self.convention(mixture), self.run.name)[rows]
                values: Array = np.ma.filled(
                    np.ma.asarray(values_by_name[str(mixture)], dtype=float), np.nan
                )
                whole = np.full(len(self.queries), np.nan)
                whole[view.rows[rows]] = np.where(counts, values, np.nan)
                yield mixture, whole

    def _flag_queries_of_either(self, matched: Matched) -> Flags:
        mine, theirs = (choose_queries(matched, side, self.run.name) for side in self.sides)
        return mine | theirs

    def _compute(self, matched: Matched, recipes: Mapping[str, Recipe]) -> dict[str, Array]:
        try:
            return compute_measures(matched, recipes)
        except GainfulError as error:
            for side in self.sides:
                try:
                    compute_measures(
                        matched,
                        {
                            "": with_max_grade(
                                build_recipe(self.measure, like_whom=side), matched.highest_grade
                            )
                        },
                    )
                except GainfulError as side_error:
                    raise computation_error(self.measure, side, side_error) from side_error
            raise CannotCompare(
                f"{self.measure} cannot be computed with habits of both: {error}"
            ) from error


def build_mixtures(
    qrels: Qrels | NestedDict, run: Run | NestedDict, measure: Measure, sides: tuple[Recipe, Recipe]
) -> Mixtures:
    """All that lies between two conventions, causes that cannot matter on these data left out."""
    mine, theirs = (make_lenient(side.convention) for side in sides)
    mixtures = Mixtures(qrels, run, measure, (mine, theirs))
    widest = mine.with_settings(
        duplicates="count" if "count" in (mine.duplicates, theirs.duplicates) else "last",
        score_bits=min(mine.score_bits, theirs.score_bits),
        namesake="count" if "count" in (mine.namesake, theirs.namesake) else "remove",
    )
    matched = mixtures.view(widest).matched
    matched.refuse_nothing_in_common(run.name)
    facts_here = _gather_facts(matched, run, sides, (mine, theirs))
    differences = mine.differences(theirs)
    mixtures.causes = tuple(
        cause
        for cause in CAUSES.values()
        if differences.keys() & {*cause.settings} and cause.matters(facts_here, sides[0])
    )
    return mixtures


def _gather_facts(
    whole: Matched,
    run: Run | NestedDict,
    sides: tuple[Recipe, Recipe],
    conventions: tuple[Convention, Convention],
) -> Facts:
    namesakes = conventions[0].namesake != conventions[1].namesake and _has_namesakes(run)
    return gather_facts(whole, sides, namesakes=namesakes)


def _has_namesakes(run: Run | NestedDict) -> bool:
    if isinstance(run, Run):
        return bool((run.frame["query"] == run.frame["doc"]).any())
    return any(query in ranking for query, ranking in run.mapping.items())


def refusals(mixtures: Mixtures, side: Convention) -> dict[str, str]:
    """What a tool would refuse of these data, by habit, and how it is compared nevertheless."""
    return {
        setting: f"{side.name} refuses these data: {reason}; compared as if {instead}"
        for setting, (_, instead) in LENIENT.items()
        if getattr(side, setting) == "error" and (reason := _find_refusal(mixtures, side, setting))
    }


def _find_refusal(mixtures: Mixtures, side: Convention, setting: str) -> str:
    """What makes a tool refuse, if anything does: it is tried with this one habit left strict."""
    strict = make_lenient(side, keep_strict=setting)
    view = mixtures.view(make_lenient(side))
    if setting == "duplicates" and not view.matched.duplicate_count:
        return ""
    try:
        matched = (
            match(mixtures.qrels, mixtures.run, strict) if setting == "duplicates" else view.matched
        )
        counts = choose_queries(matched, strict, mixtures.run.name)
        if setting in ("negative", "fractional", "empty"):
            strict_recipe = with_max_grade(
                build_recipe(mixtures.measure, like_whom=strict), matched.highest_grade
            )
            compute_measures(matched.select_queries(counts), {"": strict_recipe})
    except BadInput as error:
        return error.problem
    except BadValue as error:
        value = error.value
        text = f"{value:g}" if isinstance(value, float) else str(value)
        return f"{error.argument} is {text}"
    return ""


def computation_error(measure: Measure, side: Convention, error: GainfulError) -> CannotCompare:
    """One side has no number at all, whatever the data."""
    return CannotCompare(f"{measure} cannot be computed like {side.name}: {error}")
