"""The queries of a run under any convention between two, as a source of mixtures.

The run is matched once for each of the few settings that matching depends on, by the function
that `MatchFor` is, and conventions that look at it in the same way share that view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import ClassVar

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
from gainful.evidence.reasons.mixtures import Mixtures, Scores
from gainful.evidence.reasons.rank_by_rank import RankByRank, SwitchSide, describe_rank_by_rank
from gainful.match.matched import Matched
from gainful.match.rankings import MatchedRun
from gainful.measure.build_recipe import build_recipe
from gainful.measure.evaluate import choose_queries, compute_measures, with_max_grade
from gainful.measure.measure import Measure
from gainful.measure.notes import note_id_types, note_no_overlap
from gainful.measure.recipe import Recipe
from gainful.measure.run_values import aggregate
from gainful.read.qrels_and_run import NestedDict, Run
from gainful.types import Array, Ranks

MatchFor = Callable[[Convention], MatchedRun]  # the run as a convention matches it
_MATCH_SETTINGS = ("duplicates", "score_bits", "namesake")
_RANKING_SETTINGS = (
    *("ties", "unjudged", "negative", "fractional"),
    *("grade_bits", "gain", "ideal"),
)


@frozen(eq=False)
class MatchedView:
    """A run matched in one way, and where its queries stand among those of all ways."""

    run: MatchedRun
    rows: Ranks


@define(eq=False)
class RunScores:
    """What the queries of a run score by conventions that refuse nothing."""

    unit: ClassVar[str] = "query"
    all_causes: ClassVar[Mapping[str, Cause]] = CAUSES

    match_for: MatchFor
    name: str  # of the run
    measure: Measure
    strict_sides: tuple[Convention, Convention]  # as the tools are
    sides: tuple[Convention, Convention]  # refusing nothing
    units: Sequence[str] = ()
    notes: Sequence[str] = ()
    _views: dict[tuple[SettingValue, ...], MatchedView] = field(factory=dict)
    _row_by_query: dict[str, int] = field(factory=dict)

    def view(self, convention: Convention) -> MatchedView:
        """The run as a convention matches it; the first one must take nothing out."""
        key = _match_key(convention)
        if key not in self._views:
            matched_run = self.match_for(convention)
            queries = matched_run.matched.queries
            if not self.units:
                self.units = list(queries)
                self._row_by_query = {query: row for row, query in enumerate(self.units)}
            rows = np.fromiter(map(self._row_by_query.__getitem__, queries), np.intp)
            self._views[key] = MatchedView(matched_run, rows)
        return self._views[key]

    def recipe(self, convention: Convention) -> Recipe:
        """The measure under a convention."""
        highest_grade = self.view(convention).run.matched.highest_grade
        return with_max_grade(build_recipe(self.measure, like=convention), highest_grade)

    def sort_key(self, convention: Convention) -> tuple[str, ...]:
        """Conventions that match and rank the run alike come together."""
        names = (*_MATCH_SETTINGS, *_RANKING_SETTINGS)
        return tuple(str(getattr(convention, name)) for name in names)

    def score(self, conventions: Sequence[Convention]) -> Iterator[Scores]:
        """The value of each query, and their mean, under each of these conventions."""
        for _, alike in groupby(conventions, _match_key):
            group = list(alike)
            view = self.view(group[0])
            mine, theirs = (
                choose_queries(view.run.matched, side, self.name) for side in self.sides
            )
            rows = np.flatnonzero(mine | theirs)
            recipes = {str(at): self.recipe(convention) for at, convention in enumerate(group)}
            computed = self._compute(view.run.matched.select_queries(mine | theirs), recipes)
            for convention, masked in zip(group, computed.values(), strict=True):
                counts = choose_queries(view.run.matched, convention, self.name)[rows]
                values: Array = np.ma.filled(np.ma.asarray(masked, dtype=float), np.nan)
                whole = np.full(len(self.units), np.nan)
                whole[view.rows[rows]] = np.where(counts, values, np.nan)
                mean = aggregate(whole[~np.isnan(whole)], self.measure.entry.aggregation)
                yield Scores(whole, mean)

    def _compute(self, matched: Matched, recipes: Mapping[str, Recipe]) -> dict[str, Array]:
        try:
            return compute_measures(matched, recipes)
        except GainfulError as error:
            for side in self.sides:
                try:
                    compute_measures(matched, {"": self.recipe(side)})
                except GainfulError as side_error:
                    raise CannotCompare(
                        f"{self.measure} cannot be computed like {side.name}: {side_error}"
                    ) from side_error
            raise CannotCompare(
                f"{self.measure} cannot be computed with settings of both: {error}"
            ) from error

    def find_refusals(self) -> list[tuple[str, str]]:
        """What each tool would refuse of these data, and how it is compared nevertheless."""
        return [
            (setting, f"{side.name} refuses these data: {reason}; compared as if {instead}")
            for side in self.strict_sides
            for setting, (_, instead) in LENIENT.items()
            if getattr(side, setting) == "error" and (reason := _find_refusal(self, side, setting))
        ]

    def describe_change(
        self,
        row: int,
        conventions: tuple[Convention, Convention],
        values: tuple[float, float],
        labels: tuple[str, str],
    ) -> RankByRank:
        """How does a query come by its value on both sides of a switch, rank by rank?"""
        query = self.units[row]
        before, after = (
            self._switch_side(query, *side)
            for side in zip(labels, conventions, values, strict=True)
        )
        return describe_rank_by_rank(query, (before, after))

    def _switch_side(
        self, query: str, label: str, convention: Convention, value: float
    ) -> SwitchSide:
        recipe = self.recipe(convention)
        rankings = self.view(convention).run.rank_documents(recipe.convention, [query])
        return SwitchSide(label, recipe, rankings, None if np.isnan(value) else float(value))


def _match_key(convention: Convention) -> tuple[SettingValue, ...]:
    return tuple(getattr(convention, name) for name in _MATCH_SETTINGS)


def mix_run(run: Run | NestedDict, match_for: MatchFor, sides: tuple[Recipe, Recipe]) -> Mixtures:
    """All between two conventions for a run, causes that cannot matter on these data left out."""
    measure = Measure.from_recipe(sides[0])
    mine, theirs = (make_lenient(side.convention) for side in sides)
    widest = mine.with_settings(
        duplicates="count" if "count" in (mine.duplicates, theirs.duplicates) else "last",
        score_bits=min(mine.score_bits, theirs.score_bits),
        namesake="count" if "count" in (mine.namesake, theirs.namesake) else "remove",
    )
    strict_sides = sides[0].convention, sides[1].convention
    source = RunScores(match_for, run.name, measure, strict_sides, (mine, theirs))
    matched, qrels = source.view(widest).run.matched, source.view(widest).run.qrels
    matched.refuse_nothing_in_common(run.name)
    source.notes = (
        *getattr(run, "notes", ()),
        *note_id_types(qrels, run),
        *note_no_overlap(qrels, run, source.view(mine).run.matched),
    )
    facts, differences = _gather_facts(matched, run, sides), mine.differences(theirs)
    causes = tuple(
        cause
        for cause in CAUSES.values()
        if differences.keys() & {*cause.settings} and cause.matters(facts, sides[0])
    )
    return Mixtures(source, (mine, theirs), causes)


def _gather_facts(matched: Matched, run: Run | NestedDict, sides: tuple[Recipe, Recipe]) -> Facts:
    mine, theirs = (side.convention.namesake for side in sides)
    return gather_facts(matched, sides, namesakes=mine != theirs and _has_namesakes(run))


def _has_namesakes(run: Run | NestedDict) -> bool:
    if isinstance(run, Run):
        return bool((run.frame["query"] == run.frame["doc"]).any())
    return any(query in ranking for query, ranking in run.mapping.items())


def _find_refusal(source: RunScores, side: Convention, setting: str) -> str:
    """What makes a tool refuse, if anything does: it is tried with this one setting left strict."""
    strict = make_lenient(side, keep_strict=setting)
    matched = source.view(make_lenient(side)).run.matched
    if setting == "duplicates" and not matched.duplicate_count:
        return ""
    try:
        if setting == "duplicates":
            matched = source.match_for(strict).matched
        counts = choose_queries(matched, strict, source.name)
        if setting in ("negative", "fractional", "empty"):
            recipe = build_recipe(source.measure, like=strict)
            strict_recipe = with_max_grade(recipe, matched.highest_grade)
            compute_measures(matched.select_queries(counts), {"": strict_recipe})
    except BadInput as error:
        return error.problem
    except BadValue as error:
        value = error.value
        text = f"{value:g}" if isinstance(value, float) else str(value)
        return f"{error.argument} is {text}"
    return ""
