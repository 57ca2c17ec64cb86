"""The values of sessions: means of all, of groups, vectors, and all of it as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from gainful.convention.session import SessionConvention
from gainful.match.session_groups import (
    By,
    Group,
    check_group_columns,
    count_sessions,
    group_sessions,
    session_columns,
)
from gainful.match.sessions import MatchedSessions
from gainful.measure.build_recipes import WHY_NOT_NSDCG, usual_session_measures
from gainful.measure.functions.sessions import ideal
from gainful.measure.functions.sessions.gains import session_gains, sum_by_index
from gainful.measure.functions.sessions.sdcg import query_gains
from gainful.measure.functions.sessions.time_measures import opens_clicked
from gainful.measure.measured_values import MeasuredValues
from gainful.measure.normalise import normalise_by
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.curve import curve, tabulate_vectors
from gainful.types import Array, Flags, finite_or_none

_MIN_BASE, _MAX_BASE = 1.5, 10.0  # bases of discounts, for impatient and for patient searchers


@frozen(eq=False, repr=False, kw_only=True)
class SessionValues(MeasuredValues[SessionRecipe, SessionConvention]):
    """A value for every session and measure; means of groups and vectors on request."""

    UNIT: ClassVar[str] = "session"
    TITLE: ClassVar[str] = "Sessions"

    matched_sessions: MatchedSessions

    @property
    def ids(self) -> Sequence[str]:
        """The names of the sessions."""
        return self.matched_sessions.session_ids

    @property
    def notes(self) -> list[str]:
        """What one should know before believing a value."""
        notes = list(self.matched_sessions.notes)
        notes += note_opened(self.matched_sessions, self.recipes)
        notes += [
            f"cost is {name}, gain per cost the one mean over the other" for name in self.costs
        ]
        return notes + note_recipes(self.recipes, self.matched_sessions.observed)

    @property
    def counts(self) -> dict[str, int]:
        """How many sessions, queries, results and judged results there were."""
        return count_sessions(self.matched_sessions)

    @property
    def columns(self) -> pl.DataFrame:
        """A row for each session: what it can be grouped by, and how many queries it has."""
        return session_columns(self.matched_sessions)

    def mean_of(self, name: str, some: Flags | None = None) -> float:
        """The mean of a measure over all or some sessions, as the convention averages them."""
        recipe = self.recipes[name]
        flags = np.ones(self.matched_sessions.size, dtype=bool) if some is None else some
        if self.has_joint_mean(name):
            return _mean_of_vectors(self.matched_sessions, recipe, flags)
        values = np.ma.compressed(np.ma.asarray(self.values[name])[flags])
        return float(values.mean()) if values.size else float("nan")

    def has_joint_mean(self, name: str) -> bool:
        """Is the mean of a measure that of all sessions together, not of their values?"""
        return needs_joint_mean(self.recipes[name])

    @property
    def per_session(self) -> pl.DataFrame:
        """A row for each session, a column for each measure; null where one is left out."""
        return self.tabulate()

    def groups(self, by: str | Sequence[str]) -> list[dict[str, Any]]:
        """The means of groups of sessions: by one column or by several."""
        rows = []
        for keys, flags in self.group_sessions(by):
            means = {name: finite_or_none(self.mean_of(name, flags)) for name in self.values}
            counts = {
                "sessions": int(flags.sum()),
                "queries": int(self.matched_sessions.query_counts[flags].sum()),
            }
            row = {**keys, **counts, "mean": means}
            rows.append(row | ({"per_cost": per_cost(means, self.recipes)} if self.costs else {}))
        return rows

    @property
    def costs(self) -> list[str]:
        """The measures that say what sessions cost."""
        return [name for name, recipe in self.recipes.items() if recipe.entry.is_cost]

    def curve(self, name: str | None = None, by: str | Sequence[str] = ()) -> pl.DataFrame:
        """The mean vector of each group, position by position, as tidy data.

        Args:
            name: one of the measures; the first if it is not said.
            by: the columns to group by; all sessions together if there are none.
        """
        return curve(self.matched_sessions, self._choose_recipe(name), self.group_sessions(by))

    def group_sessions(self, by: By) -> list[Group]:
        """Each group of sessions: its values, and which belong to it; all, if by nothing."""
        return group_sessions(self.matched_sessions, by, self.name, self.values)

    def group_names(self, by: By) -> list[str]:
        """The columns to group by, each once, known, and the same for a whole session."""
        return check_group_columns(self.matched_sessions, by, self.name, self.values)

    def vectors(self, name: str | None = None) -> pl.DataFrame:
        """The vectors of every session, position by position: gain, ideal and their ratio.

        Args:
            name: one of the measures, an sDCG or nsDCG; the first if it is not said.
        """
        return tabulate_vectors(self.matched_sessions, self._choose_recipe(name))

    def _choose_recipe(self, name: str | None) -> SessionRecipe:
        return self.recipes[next(iter(self.recipes)) if name is None else self.find_name(name)]

    def to_dict(self, by: str | Sequence[str] = ()) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "per_session": self.values_by_id(),
            "mean": self.mean_or_none(),
            "groups": self.groups(by) if by else [],
            **({"per_cost": per_cost(self.mean_or_none(), self.recipes)} if self.costs else {}),
            "convention": self.convention_data(),
            "counts": self.counts,
            "notes": self.notes,
        }

    def recipe_data(self, name: str) -> dict[str, Any]:
        """The measure in full, and its convention."""
        recipe = self.recipes[name]
        return {
            "measure": recipe.label,
            **recipe.convention.settings(),
            "ideal": recipe.convention.ideal_kind,
            "can_pass_one": recipe.can_pass_one,
            "vector_can_pass_one": recipe.vector_can_pass_one,
        }


def per_cost(
    means: Mapping[str, float | None], recipes: Mapping[str, SessionRecipe]
) -> dict[str, float | None]:
    """By measure of which more is better: what sessions bring for what they cost."""
    cost = next(means[name] for name, recipe in recipes.items() if recipe.entry.is_cost)
    return {
        name: None if mean is None or not cost else mean / cost
        for name, mean in means.items()
        if not recipes[name].direction.is_lower
    }


def note_opened(sessions: MatchedSessions, recipes: Mapping[str, SessionRecipe]) -> list[str]:
    """Measures by which only documents that were clicked take time to read."""
    return [
        f"{name}: documents that were clicked count as opened, and no others"
        for name, recipe in recipes.items()
        if "opened" in recipe.entry.params and opens_clicked(sessions, recipe)
    ]


def note_recipes(recipes: Mapping[str, SessionRecipe], observed: str) -> list[str]:
    """What one should know of measures before believing a value, whatever the sessions are."""
    names = tuple(name for name, recipe in recipes.items() if not recipe.entry.is_cost)
    notes = [WHY_NOT_NSDCG] if observed and names == usual_session_measures(observed) else []
    unbounded = "can pass 1: its ideal does not bound what documents earn"
    for name, recipe in recipes.items():
        if recipe.can_pass_one:
            notes.append(f"{name} {unbounded}")
        elif recipe.vector_can_pass_one:
            notes.append(f"the vector of {name} {unbounded}")
    notes += [
        f"the mean of {name} is of sessions together, not of their values"
        for name, recipe in recipes.items()
        if needs_joint_mean(recipe)
    ]
    return notes + _note_unusual_bases(recipes)


def _note_unusual_bases(recipes: Mapping[str, SessionRecipe]) -> list[str]:
    """Bases beyond the range that the paper of 2008 calls reasonable."""
    notes = {}
    for recipe in recipes.values():
        for name in ("b", "bq"):
            value = getattr(recipe.convention, name) if name in recipe.entry.params else None
            if value is not None and not _MIN_BASE <= value <= _MAX_BASE:
                note = f"{name} = {value:g} is beyond what the paper calls reasonable"
                notes[note] = f"{note}, {_MIN_BASE:g} (impatient) to {_MAX_BASE:g} (patient)"
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
    total = sum_by_index(sessions.session, query_gains(sessions, recipe, gains), sessions.size)
    longest = np.full(sessions.size, int(sessions.query_counts[flags].max()))
    grows = recipe.convention.hold == "growing" and recipe.queries is None
    best = ideal.ideal_gain(sessions, recipe, gains, longest if grows else None)
    return total[flags], best[flags]


def _mean_of_vectors(sessions: MatchedSessions, recipe: SessionRecipe, some: Flags) -> float:
    """The mean at the end of the longest session: of ratios, or of gains over that of ideals."""
    total, best = joint_terms(sessions.keep_first_queries(recipe.queries), recipe, some)
    if recipe.convention.average == "ratios":
        values = np.ma.compressed(np.ma.asarray(normalise_by(total, best, recipe.convention.empty)))
        return float(values.mean()) if values.size else float("nan")
    mean = normalise_by(
        total.mean(keepdims=True), best.mean(keepdims=True), recipe.convention.empty
    )
    return float(np.ma.filled(mean, np.nan)[0])
