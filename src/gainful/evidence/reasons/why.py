"""`Why`: the difference between two tools, by its causes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from gainful.convention import Convention, SettingValue
from gainful.convention.session import SessionConvention
from gainful.evidence.reasons.causes import Cause
from gainful.evidence.reasons.mixtures import Change
from gainful.evidence.reasons.why_page import summary_page, why_page
from gainful.measure.measure import Measure
from gainful.measure.recipe import MeasureRecipe
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.text import pluralise

Sides = tuple[MeasureRecipe[Any], MeasureRecipe[Any]]  # a measure as both tools have it


@frozen(eq=False)
class Effect:
    """What one cause does: how much of the difference, to how many, together with which others."""

    cause: Cause
    settings: Mapping[str, tuple[SettingValue, SettingValue]]  # of both, as they were compared
    effect: float
    share: float | None  # of the difference; None where the causes cancel one another out
    alone: float  # switched by itself, starting from the first tool
    last: float  # switched last, ending at the second
    changed: int  # queries or sessions whose value changes, or whether they count
    interacts: Mapping[str, float]  # what it changes only together with another cause
    worst: Change  # the query, rank by rank, or the session that changes most

    def to_dict(self, unit: str = "query") -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "habits": {name: list(answers) for name, answers in self.settings.items()},
            "effect": self.effect,
            "share": self.share,
            "alone": self.alone,
            "last": self.last,
            pluralise(unit): self.changed,
            "interacts": dict(self.interacts),
            "worst": self.worst.to_dict(),
        }


@frozen(eq=False, repr=False)
class Why(Shown):
    """Why two tools disagree: the mean under both, and the causes, the largest first.

    `causes` add up to `difference`; `idle` are those that differ and change nothing here.
    """

    measure: Measure
    name: str  # of the run, or of the sessions
    unit: str  # query or session
    all_causes: Mapping[str, Cause]  # that there are, of queries or of sessions
    sides: Sides  # as the two tools have it
    means: tuple[float, float]
    counts: tuple[int, int]  # of queries or sessions
    causes: tuple[Effect, ...]
    idle: tuple[Cause, ...]
    notes: tuple[str, ...]

    @property
    def like(self) -> Convention | SessionConvention:
        """The first tool's convention."""
        convention: Convention | SessionConvention = self.sides[0].convention
        return convention

    @property
    def unlike(self) -> Convention | SessionConvention:
        """The second tool's."""
        convention: Convention | SessionConvention = self.sides[1].convention
        return convention

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called, so that they can be told apart."""
        return convention_names(self.sides)

    @property
    def difference(self) -> float:
        """How much more the second tool says than the first."""
        return self.means[1] - self.means[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        units = pluralise(self.unit)
        like, unlike = (
            {"name": name, "mean": mean, units: count}
            for name, mean, count in zip(self.names, self.means, self.counts, strict=True)
        )
        return {
            "measure": str(self.measure),
            "run" if self.unit == "query" else units: self.name,
            "like": like,
            "unlike": unlike,
            "difference": self.difference,
            "causes": [effect.to_dict(self.unit) for effect in self.causes],
            "idle": [cause.name for cause in self.idle],
            "notes": list(self.notes),
        }

    def page(self, cause: str | None = None) -> Page:
        """All of it; of one cause only, the worst query rank by rank."""
        return why_page(self, cause)

    def summary(self) -> Page:
        """The causes in a line each."""
        return summary_page(self)


def convention_names(sides: Sides) -> tuple[str, str]:
    """What two conventions are called, so that they can be told apart."""
    mine, theirs = (side.convention for side in sides)
    changed = mine.name == theirs.name and mine != theirs
    return mine.name, f"{theirs.name} (changed)" if changed else theirs.name
