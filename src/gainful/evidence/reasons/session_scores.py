"""Sessions under any convention between two, as a source of mixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import define, field, frozen

from gainful.convention.session import SessionConvention
from gainful.errors import CannotCompare, GainfulError
from gainful.evidence.reasons.causes import SESSION_CAUSES, Cause
from gainful.evidence.reasons.mixtures import Mixtures, Scores
from gainful.match.sessions import MatchedSessions
from gainful.measure.build_recipe import build_session_recipe
from gainful.measure.measure import Measure
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.evaluate import measure_sessions
from gainful.measure.sessions.session_values import SessionValues
from gainful.page.plain_data import to_plain_data
from gainful.read.sessions import Sessions

MatchSessionsFor = Callable[[SessionConvention], MatchedSessions]


@frozen
class SessionChange:
    """A session on both sides of a switch; a value is None where it is left out of the mean."""

    session: str
    before: float | None
    after: float | None

    @property
    def values(self) -> tuple[float | None, float | None]:
        """Its value on both sides."""
        return self.before, self.after

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return to_plain_data(self)


@define(eq=False)
class SessionScores:
    """What sessions score by any convention; they are matched once for each way of matching."""

    unit: ClassVar[str] = "session"
    all_causes: ClassVar[Mapping[str, Cause]] = SESSION_CAUSES

    match_for: MatchSessionsFor
    name: str  # of the sessions
    measure: Measure
    units: Sequence[str]
    notes: Sequence[str] = ()
    _matched_sessions: dict[str, MatchedSessions] = field(factory=dict)

    def results(self, convention: SessionConvention) -> SessionValues:
        """The sessions by a convention."""
        recipe = build_session_recipe(self.measure, like=convention)
        (key,) = self.sort_key(recipe.convention)
        if key not in self._matched_sessions:
            self._matched_sessions[key] = self.match_for(recipe.convention)
        matched, label = self._matched_sessions[key], str(self.measure)
        return measure_sessions(self.name, matched, {label: recipe}, recipe.convention)

    def sort_key(self, convention: SessionConvention) -> tuple[str, ...]:
        """Conventions that match sessions alike come together."""
        return (f"{convention.unjudged} {convention.subtopic_grades}",)

    def score(self, conventions: Sequence[SessionConvention]) -> Iterator[Scores]:
        """The value of each session, and their mean, under each of these conventions."""
        label = str(self.measure)
        row_by_session = {name: row for row, name in enumerate(self.units)}
        for convention in conventions:
            try:
                results = self.results(convention)
                mean = results.mean[label]
            except GainfulError as error:
                raise CannotCompare(
                    f"{self.measure} cannot be compared on these sessions: {error}"
                ) from None
            values = np.full(len(self.units), np.nan)
            rows = [row_by_session[name] for name in results.ids]
            values[rows] = np.ma.filled(np.ma.asarray(results.values[label], dtype=float), np.nan)
            yield Scores(values, mean)

    def find_refusals(self) -> list[tuple[str, str]]:
        """Nothing: what refuses sessions cannot be compared."""
        return []

    def describe_change(
        self,
        row: int,
        conventions: tuple[SessionConvention, SessionConvention],  # noqa: ARG002
        values: tuple[float, float],
        labels: tuple[str, str],  # noqa: ARG002
    ) -> SessionChange:
        """A session on both sides of a switch: its values."""
        before, after = (None if np.isnan(value) else float(value) for value in values)
        return SessionChange(self.units[row], before, after)


def mix_sessions(
    sessions: Sessions, match_for: MatchSessionsFor, sides: tuple[SessionRecipe, SessionRecipe]
) -> Mixtures:
    """All that lies between two conventions for these sessions."""
    measure = Measure.from_recipe(sides[0])
    mine, theirs = (side.convention for side in sides)
    differences = mine.differences(theirs)
    units = sessions.frame["session"].unique(maintain_order=True).to_list()
    source = SessionScores(match_for, sessions.name, measure, units)
    causes = tuple(
        cause for cause in SESSION_CAUSES.values() if differences.keys() & {*cause.settings}
    )
    mixtures = Mixtures(source, (mine, theirs), causes)
    mixtures.mean(0)  # what cannot be computed is refused
    source.notes = source.results(mine).notes
    return mixtures
