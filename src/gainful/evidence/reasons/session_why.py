"""Why do two session conventions disagree on these sessions? The difference, by its causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import define, field, frozen

from gainful.convention import SettingValue
from gainful.convention.session import SessionConvention
from gainful.errors import CannotCompare, GainfulError
from gainful.evidence.shapley import NEGLIGIBLE, interactions, mixture_settings, shapley_values
from gainful.match.sessions import MatchedSessions, match_sessions
from gainful.measure.measure import Measure
from gainful.measure.sessions.evaluate import compute_session_values
from gainful.measure.sessions.recipe import build_session_recipe
from gainful.measure.sessions.recipe_value import SessionRecipe
from gainful.measure.sessions.results import SessionResults
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions
from gainful.types import Array

_CANCEL = 0.01  # shares of a difference smaller than this part of an effect say nothing


@frozen
class SessionCause:
    """Habits that belong together, under one name."""

    name: str
    title: str
    settings: tuple[str, ...]


_ALL_CAUSES = (
    SessionCause("gain", "gain", ("gain", "rel")),
    SessionCause("discount", "rank discount", ("discount", "b")),
    SessionCause("query_discount", "query discount", ("query_discount", "bq")),
    SessionCause("rank_discount", "where ranks are counted from", ("rank_discount",)),
    SessionCause("duplicates", "documents shown again", ("duplicates",)),
    SessionCause("ideal", "the ideal session", ("ideal",)),
    SessionCause("lists", "positions of a query", ("lists",)),
    SessionCause("depth", "how deep the searcher looks", ("depth",)),
    SessionCause("hold", "the ideal after the end", ("hold",)),
    SessionCause("normalise", "what is divided by its ideal", ("normalise",)),
    SessionCause("average", "how sessions are averaged", ("average",)),
    SessionCause("average_over", "positions averaged over", ("average_over",)),
    SessionCause("statistic", "which number stands for a session", ("statistic",)),
    SessionCause("at", "what stands behind @", ("at",)),
    SessionCause("negative", "negative grades", ("negative",)),
    SessionCause("empty", "sessions with nothing relevant", ("empty",)),
    SessionCause("unjudged", "queries without judgments", ("unjudged",)),
)
SESSION_CAUSES: Mapping[str, SessionCause] = {cause.name: cause for cause in _ALL_CAUSES}


@define(eq=False)
class SessionMixtures:
    """All that lies between two session conventions; bit i tells whose answers cause i has."""

    sessions: Sessions
    qrels: Qrels | None
    measure: Measure
    sides: tuple[SessionConvention, SessionConvention]
    causes: tuple[SessionCause, ...]
    _matched_sessions: dict[str, MatchedSessions] = field(factory=dict)
    _means: dict[int, float] = field(factory=dict)

    @property
    def all(self) -> int:
        """The mixture that is the second convention."""
        return (1 << len(self.causes)) - 1

    def results(self, mixture: int) -> SessionResults:
        """The sessions under a mixture."""
        mine, theirs = self.sides
        their_settings = mixture_settings(self.causes, theirs, mixture)
        recipe = build_session_recipe(self.measure, like=mine.with_settings(**their_settings))
        key = str(recipe.convention.unjudged)
        if key not in self._matched_sessions:
            self._matched_sessions[key] = match_sessions(
                self.sessions, self.qrels, recipe.convention.unjudged
            )
        sessions = self._matched_sessions[key]
        values = {"": compute_session_values(sessions, recipe)}
        return SessionResults(self.sessions.name, sessions, values, {"": recipe}, recipe.convention)

    def values(self, mixture: int) -> dict[str, float]:
        """The value of each session that counts."""
        results = self.results(mixture)
        values: Array = np.ma.filled(np.ma.asarray(results.values[""], dtype=float), np.nan)
        pairs = zip(results.sessions, values.tolist(), strict=True)
        return {name: value for name, value in pairs if not np.isnan(value)}

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        """The mean under each of these."""
        means = {}
        for mixture in mixtures:
            if mixture not in self._means:
                mean = self.results(mixture).mean[""]
                self._means[mixture] = 0.0 if np.isnan(mean) else mean
            means[mixture] = self._means[mixture]
        return means

    def mean(self, mixture: int) -> float:
        """The mean under one mixture."""
        return self.means([mixture])[mixture]


@frozen(eq=False)
class SessionEffect:
    """What one cause does."""

    cause: SessionCause
    settings: Mapping[str, tuple[SettingValue, SettingValue]]
    effect: float
    share: float | None
    alone: float
    sessions: int
    interacts: Mapping[str, float]
    worst: tuple[str, float | None, float | None]  # the session that changes most, on both sides

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        session, before, after = self.worst
        return {
            "cause": self.cause.name,
            "title": self.cause.title,
            "habits": {name: list(answers) for name, answers in self.settings.items()},
            "effect": self.effect,
            "share": self.share,
            "alone": self.alone,
            "sessions": self.sessions,
            "interacts": dict(self.interacts),
            "worst": {"session": session, "before": before, "after": after},
        }


@frozen(eq=False, repr=False)
class SessionWhy:
    """Why two session conventions disagree: the mean under both, and the causes."""

    measure: Measure
    sides: tuple[SessionRecipe, SessionRecipe]
    means: tuple[float, float]
    causes: tuple[SessionEffect, ...]
    idle: tuple[SessionCause, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called."""
        return self.sides[0].convention.name, self.sides[1].convention.name

    @property
    def difference(self) -> float:
        """How much more the second says than the first."""
        return self.means[1] - self.means[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "measure": str(self.measure),
            "like": {"name": self.names[0], "mean": self.means[0]},
            "unlike": {"name": self.names[1], "mean": self.means[1]},
            "difference": self.difference,
            "causes": [effect.to_dict() for effect in self.causes],
            "idle": [cause.name for cause in self.idle],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        (mine, theirs), (a, b) = self.names, self.means
        head = f"{self.measure} is {a:.4f} like {mine}, {b:.4f} like {theirs}: {b - a:+.4f}"
        lines = [f"{effect.cause.title}  {effect.effect:+.4f}" for effect in self.causes]
        return "\n".join((head, *lines, *self.notes))


def explain_session_difference(
    sessions: Sessions,
    qrels: Qrels | None,
    sides: tuple[SessionRecipe, SessionRecipe],
    measure: Measure,
) -> SessionWhy:
    """The difference between two conventions on these sessions, taken apart."""
    mine, theirs = (side.convention for side in sides)
    differences = mine.differences(theirs)
    causes = tuple(
        candidate
        for candidate in SESSION_CAUSES.values()
        if differences.keys() & {*candidate.settings}
    )
    mixtures = SessionMixtures(sessions, qrels, measure, (mine, theirs), causes)
    try:
        means = mixtures.mean(0), mixtures.mean(mixtures.all)
        shares, notes = shapley_values(mixtures)
        joint = interactions(mixtures)
    except GainfulError as error:
        raise CannotCompare(f"{measure} cannot be compared on these sessions: {error}") from None
    difference = means[1] - means[0]
    largest = max(map(abs, shares), default=0.0)
    cancel = abs(difference) <= max(NEGLIGIBLE, _CANCEL * largest)
    session_effects, idle = [], []
    before = mixtures.values(0)
    for at, cause in enumerate(causes):
        after = mixtures.values(1 << at)
        changes = _session_changes(before, after)
        if not changes and abs(shares[at]) < NEGLIGIBLE:
            idle.append(cause)
            continue
        name = max(changes, key=changes.__getitem__) if changes else next(iter(before))
        session_effects.append(
            SessionEffect(
                cause=cause,
                settings={
                    setting: differences[setting]
                    for setting in cause.settings
                    if setting in differences
                },
                effect=shares[at],
                share=None if cancel else shares[at] / difference,
                alone=mixtures.mean(1 << at) - means[0],
                sessions=len(changes),
                interacts=joint[at],
                worst=(name, before.get(name), after.get(name)),
            )
        )
    notes += mixtures.results(0).notes
    session_effects.sort(key=lambda effect: -abs(effect.effect))
    return SessionWhy(measure, sides, means, tuple(session_effects), tuple(idle), tuple(notes))


def _session_changes(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """How much each session changes, of those that do."""
    names = before.keys() | after.keys()
    changes = {name: abs(before.get(name, 0.0) - after.get(name, 0.0)) for name in names}
    return {name: change for name, change in changes.items() if change > NEGLIGIBLE}
