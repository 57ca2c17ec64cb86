"""What is scored under any mixture of two conventions, some causes being those of either.

A mixture is a number: bit i tells whose answers cause i has, 0 the first convention's, 1 the
second's. What is scored are the queries of a run (`RunScores`) or sessions (`SessionScores`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import define, evolve, field, frozen

from gainful.convention import Convention
from gainful.convention.convention import Settings, SettingValue
from gainful.convention.session import SessionConvention
from gainful.errors import BadInput, BadValue, CannotCompare, GainfulError
from gainful.evidence.reasons.causes import (
    CAUSES,
    LENIENT,
    SESSION_CAUSES,
    Cause,
    gather_facts,
    make_lenient,
)
from gainful.evidence.side_by_side import RankByRank, describe_rank_by_rank
from gainful.match.matched import Matched
from gainful.match.sessions import MatchedSessions
from gainful.measure.build_recipes import build_recipe
from gainful.measure.build_session_recipes import build_session_recipe
from gainful.measure.entry import Recipe, SessionRecipe
from gainful.measure.evaluate import (
    choose_queries,
    compute_measures,
    find_counting,
    find_view,
    with_max_grade,
)
from gainful.measure.measure import Measure
from gainful.measure.notes import note_id_types, note_no_overlap
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import aggregate, name_units
from gainful.measure.worked_ranking import rank_queries
from gainful.page.table import to_plain_data
from gainful.read.qrels_and_run import NestedDict, Run
from gainful.read.sessions import Sessions
from gainful.types import Array, fill_masked, finite_or_none

# The value of each query or session, not a number where it does not count, and their mean.
Scores = tuple[Array, float]


@frozen
class SessionChange:
    """A session on both sides of a switch; a value is None where it is left out of the mean."""

    session: str
    before: float | None
    after: float | None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return to_plain_data(self)


Change = RankByRank | SessionChange  # a query or session on both sides of a switch


@define(eq=False)
class Mixtures:
    """Two conventions, and all that lies between them."""

    source: RunScores | SessionScores
    sides: tuple[Settings, Settings]
    causes: tuple[Cause, ...]  # those that differ and can matter here
    _means: dict[int, float] = field(factory=dict, init=False)

    @property
    def all(self) -> int:
        """The mixture that is the second convention."""
        return (1 << len(self.causes)) - 1

    def convention(self, mixture: int) -> Any:
        """The convention that a mixture is."""
        mine, theirs = self.sides
        switched = (cause for at, cause in enumerate(self.causes) if mixture >> at & 1)
        return mine.with_settings(
            **{name: getattr(theirs, name) for cause in switched for name in cause.settings}
        )

    def values(self, mixture: int) -> Array:
        """The value of each query or session, not a number where it does not count."""
        return self.source.score(self.convention(mixture))[0]

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        """The mean under each of these mixtures; that of nothing at all is taken as 0."""
        unique = list(dict.fromkeys(mixtures))
        conventions = {bits: self.convention(bits) for bits in unique if bits not in self._means}
        for mixture in sorted(
            conventions, key=lambda bits: self.source.sort_key(conventions[bits])
        ):
            mean = self.source.score(conventions[mixture])[1]
            self._means[mixture] = 0.0 if np.isnan(mean) else mean
        return {mixture: self._means[mixture] for mixture in unique}

    def mean(self, mixture: int) -> float:
        """The mean under one mixture."""
        return self.means([mixture])[mixture]

    def find_largest_switch(self, bit: int) -> int:
        """The mixture, of those computed so far, whose mean changes most when this is switched."""
        means = self._means
        candidates = [mixture for mixture in means if not mixture & bit and mixture | bit in means]
        return max(candidates, key=lambda mixture: abs(means[mixture | bit] - means[mixture]))


_MATCH_SETTINGS = ("duplicates", "score_bits", "namesake")
_RANKING_SETTINGS = (
    *("ties", "unjudged", "negative", "fractional"),
    *("grade_bits", "gain", "ideal"),
)


@define(eq=False, kw_only=True)
class RunScores:
    """What the queries of a run score by conventions that refuse nothing."""

    match_for: Callable[[Convention], Matched]  # the run as a convention matches it
    name: str
    measure: Measure
    strict_sides: tuple[Convention, Convention]  # as the tools are
    sides: tuple[Convention, Convention]  # refusing nothing
    all_causes: Mapping[str, Cause] = CAUSES
    unit: str = "query"
    units: Sequence[str] = ()  # all queries
    notes: Sequence[str] = ()  # what one should know of the data
    _runs: dict[tuple[SettingValue, ...], Matched] = field(factory=dict)
    _counting: dict[Matched, Matched] = field(factory=dict)  # the queries of either side

    def find_run(self, convention: Convention) -> Matched:
        """The run as a convention matches it."""
        key = tuple(getattr(convention, name) for name in _MATCH_SETTINGS)
        if key not in self._runs:
            self._runs[key] = self.match_for(convention)
        return self._runs[key]

    def recipe(self, convention: Convention) -> Recipe:
        """The measure under a convention."""
        highest_grade = self.find_run(convention).highest_grade
        return with_max_grade(build_recipe(self.measure, like=convention), highest_grade)

    def sort_key(self, convention: Convention) -> tuple[str, ...]:
        """Conventions that match and rank the run alike come together."""
        names = (*_MATCH_SETTINGS, *_RANKING_SETTINGS)
        return tuple(str(getattr(convention, name)) for name in names)

    def score(self, convention: Convention) -> Scores:
        """The value of each query under a convention, and their mean."""
        run, recipe = self.find_run(convention), self.recipe(convention)
        if run not in self._counting:
            mine, theirs = (find_counting(run, side) for side in self.sides)
            self._counting[run] = run.select_queries(mine | theirs)
        matched = self._counting[run]
        if find_view(recipe.ranking_convention) not in run.views:
            run.views.clear()  # those that rank alike come together: one is enough to hold
        try:
            values = compute_measures(matched, {"": recipe}, run.views)[""]
        except GainfulError as error:
            raise self._describe_refusal(matched, error) from error
        place = {query: row for row, query in enumerate(self.units)}
        whole = np.full(len(self.units), np.nan)
        counts = find_counting(matched, convention)
        whole[[place[query] for query in matched.queries]] = np.where(
            counts, fill_masked(values), np.nan
        )
        return whole, aggregate(whole[~np.isnan(whole)], self.measure.entry.aggregation)

    def _describe_refusal(self, matched: Matched, error: GainfulError) -> CannotCompare:
        for side in self.sides:
            try:
                compute_measures(matched, {"": self.recipe(side)})
            except GainfulError as refused:
                return CannotCompare(
                    f"{self.measure} cannot be computed like {side.name}: {refused}"
                )
        return CannotCompare(f"{self.measure} cannot be computed with settings of both: {error}")

    def find_refusals(self) -> list[tuple[str, str]]:
        """What each tool would refuse of these data, and how it is compared nevertheless."""
        return [
            (setting, f"{side.name} rejects this data: {reason}; compared as if {instead}")
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
        query, recipes = self.units[row], [self.recipe(convention) for convention in conventions]
        rankings = [
            rank_queries(self.find_run(convention), recipe, [query])
            for convention, recipe in zip(conventions, recipes, strict=True)
        ]
        counted = [finite_or_none(value) for value in values]
        return describe_rank_by_rank(query, rankings, recipes, counted, labels)


def mix_run(
    run: Run | NestedDict, match_for: Callable[[Convention], Matched], sides: tuple[Recipe, Recipe]
) -> Mixtures:
    """All between two conventions for a run, causes that cannot matter on these data left out."""
    mine, theirs = (make_lenient(side.convention) for side in sides)
    widest = mine.with_settings(
        duplicates="count" if "count" in (mine.duplicates, theirs.duplicates) else "last",
        score_bits=min(mine.score_bits, theirs.score_bits),
        namesake="count" if "count" in (mine.namesake, theirs.namesake) else "remove",
    )
    source = RunScores(
        match_for=match_for,
        name=run.name,
        measure=sides[0].measure,
        strict_sides=(sides[0].convention, sides[1].convention),
        sides=(mine, theirs),
    )
    matched = source.find_run(widest)
    qrels = matched.qrels
    matched.refuse_nothing_in_common(run.name)
    source.unit, source.units = getattr(qrels, "unit", "query"), list(matched.queries)
    source.all_causes = {
        name: evolve(cause, title=name_units(cause.title, source.unit))
        for name, cause in CAUSES.items()
    }
    source.notes = (
        *getattr(run, "notes", ()),
        *note_id_types(qrels, run),
        *note_no_overlap(qrels, run, source.find_run(mine)),
    )
    namesakes = mine.namesake != theirs.namesake and (
        bool((run.frame["query"] == run.frame["doc"]).any())
        if isinstance(run, Run)
        else any(query in ranking for query, ranking in run.mapping.items())
    )
    facts = gather_facts(matched, sides, namesakes=namesakes)
    differences = mine.differences(theirs)
    causes = tuple(
        cause
        for cause in source.all_causes.values()
        if differences.keys() & {*cause.settings} and cause.matters(facts, sides[0])
    )
    return Mixtures(source, (mine, theirs), causes)


def _find_refusal(source: RunScores, side: Convention, setting: str) -> str:
    """What makes a tool refuse, if anything does: it is tried with this one setting left strict."""
    strict = make_lenient(side, keep_strict=setting)
    matched = source.find_run(make_lenient(side))
    if setting == "duplicates" and not matched.duplicate_count:
        return ""
    try:
        if setting == "duplicates":
            matched = source.match_for(strict)
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


@define(eq=False, kw_only=True)
class SessionScores:
    """What sessions score by any convention; they are matched once for each way of matching."""

    unit: ClassVar[str] = "session"
    all_causes: ClassVar[Mapping[str, Cause]] = SESSION_CAUSES

    match_for: Callable[[SessionConvention], MatchedSessions]
    name: str
    measure: Measure
    units: Sequence[str]  # all sessions
    notes: Sequence[str] = ()
    _matched_sessions: dict[str, MatchedSessions] = field(factory=dict)

    def results(self, convention: SessionConvention) -> SessionResults:
        """The sessions by a convention."""
        recipe = build_session_recipe(self.measure, like=convention)
        (key,) = self.sort_key(recipe.convention)
        if key not in self._matched_sessions:
            self._matched_sessions[key] = self.match_for(recipe.convention)
        matched, label = self._matched_sessions[key], str(self.measure)
        return SessionResults.from_matched(self.name, matched, {label: recipe}, recipe.convention)

    def sort_key(self, convention: SessionConvention) -> tuple[str, ...]:
        """Conventions that match sessions alike come together."""
        return (f"{convention.unjudged} {convention.subtopic_grades}",)

    def score(self, convention: SessionConvention) -> Scores:
        """The value of each session under a convention, and their mean."""
        label = str(self.measure)
        try:
            results = self.results(convention)
            mean = results.mean[label]
        except GainfulError as error:
            raise CannotCompare(
                f"{self.measure} cannot be compared on these sessions: {error}"
            ) from None
        place = {name: row for row, name in enumerate(self.units)}
        values = np.full(len(self.units), np.nan)
        values[[place[name] for name in results.ids]] = fill_masked(results.values[label])
        return values, mean

    def describe_change(
        self, row: int, _: object, values: tuple[float, float], __: object
    ) -> SessionChange:
        """A session on both sides of a switch: its values."""
        return SessionChange(self.units[row], *map(finite_or_none, values))


def mix_sessions(
    sessions: Sessions,
    match_for: Callable[[SessionConvention], MatchedSessions],
    sides: tuple[SessionRecipe, SessionRecipe],
) -> Mixtures:
    """All that lies between two conventions for these sessions."""
    measure = sides[0].measure
    mine, theirs = (side.convention for side in sides)
    differences = mine.differences(theirs)
    units = sessions.frame["session"].unique(maintain_order=True).to_list()
    source = SessionScores(match_for=match_for, name=sessions.name, measure=measure, units=units)
    causes = tuple(
        cause for cause in SESSION_CAUSES.values() if differences.keys() & {*cause.settings}
    )
    mixtures = Mixtures(source, (mine, theirs), causes)
    mixtures.mean(0)  # what cannot be computed is refused
    source.notes = source.results(mine).notes
    return mixtures
