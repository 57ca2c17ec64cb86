"""What groups of sessions add up to, part by part: counts, means, and mean vectors.

Sums of parts add up to those of all, so that no more than one part need be in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import Factory, define, evolve

from gainful.match.session_groups import number_groups
from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import sum_by_index
from gainful.measure.normalise import normalise_by
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.curve import mean_terms, session_value_vectors
from gainful.measure.sessions.evaluate import compute_session_values
from gainful.measure.sessions.session_values import joint_terms, needs_joint_mean
from gainful.types import Array, Ranks

COUNTS = ("sessions", "queries", "results", "judged")
Keys = tuple[Any, ...]  # the values of the columns that a group is named by


@define(eq=False)
class ValueSums:
    """How many values there are, their mean, and their squared distances from it."""

    n: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, other: ValueSums) -> None:
        """Take the values of another part (Chan, Golub & LeVeque 1979)."""
        n = self.n + other.n
        if not other.n:
            return
        difference = other.mean - self.mean
        self.squares += other.squares + difference**2 * self.n * other.n / n
        self.mean += difference * other.n / n
        self.n = n

    @property
    def standard_error(self) -> float | None:
        """Of the mean; None of fewer than two values."""
        return None if self.n < 2 else float(np.sqrt(self.squares / (self.n - 1) / self.n))


@define(eq=False)
class CurveSums:
    """What the mean vector of a group is made of, queries × ranks."""

    upper: Array  # over
    lower: Array
    n: Array  # sessions that count
    searching: Array  # per query: how many sessions have it

    def add(self, other: CurveSums) -> None:
        """Take another part; where its sessions have ended, what they reached is held."""
        queries = max(len(self.searching), len(other.searching))
        mine, theirs = self.hold(queries), other.hold(queries)
        self.upper = mine.upper + theirs.upper
        self.lower = mine.lower + theirs.lower
        self.n = mine.n + theirs.n
        self.searching = mine.searching + theirs.searching

    def hold(self, queries: int) -> CurveSums:
        """The sums to so many queries."""
        more = queries - len(self.searching)
        if not more:
            return self
        upper, lower, n = (
            np.concatenate([sums, np.full((more, sums.shape[1]), sums[-1, -1])])
            for sums in (self.upper, self.lower, self.n)
        )
        return CurveSums(upper, lower, n, np.append(self.searching, np.zeros(more)))


@define(eq=False)
class GroupSums:
    """What one group adds up to, so far."""

    counts: Ranks = Factory(lambda: np.zeros(len(COUNTS), dtype=np.int64))
    values: dict[str, ValueSums] = Factory(dict)  # by measure
    joint: dict[str, Array] = Factory(dict)  # gains and ideals, where these are averaged first
    curves: dict[str, CurveSums] = Factory(dict)

    def add(self, other: GroupSums) -> None:
        """Take another part of the group."""
        self.counts = self.counts + other.counts
        for name, values in other.values.items():
            self.values.setdefault(name, ValueSums()).add(values)
        for name, terms in other.joint.items():
            self.joint[name] = self.joint.get(name, np.zeros(2)) + terms
        for name, curve in other.curves.items():
            if name in self.curves:
                self.curves[name].add(curve)
            else:
                self.curves[name] = evolve(curve)  # which stays as it is

    def mean(self, name: str, recipe: SessionRecipe) -> float:
        """The mean of a measure, as the convention averages; not a number where nothing counts."""
        if name in self.joint:
            gain, best = self.joint[name][:, None] / max(float(self.counts[0]), 1.0)
            return float(np.ma.filled(normalise_by(gain, best, recipe.convention.empty), np.nan)[0])
        sums = self.values[name]
        return sums.mean if sums.n else float("nan")


Sums = dict[Keys, GroupSums]


def add_sums(sums: Sums, others: Mapping[Keys, GroupSums]) -> None:
    """Take what other sessions add up to."""
    for keys, group in others.items():
        sums.setdefault(keys, GroupSums()).add(group)


def sum_sessions(
    sessions: MatchedSessions,
    recipes: Mapping[str, SessionRecipe],
    by: Sequence[str],
    name: str,
    *,
    curves: bool,
) -> Sums:
    """What the groups of these sessions add up to.

    Args:
        sessions: those that were matched.
        recipes: the measures, by the names that were asked for.
        by: the columns that groups are named by.
        name: what the sessions are called in an error.
        curves: mean vectors, too?
    """
    keys, group = number_groups(sessions, by, name, recipes)
    size = len(keys)
    counted = sessions.judged.query
    if sessions.observed:  # what was done, and not what others did to the document
        counted = counted[sessions.judged.grade > 0]
    judged = np.bincount(counted, minlength=len(sessions.position))
    per_query = np.stack([sessions.retrieved, judged])
    per_session = [np.bincount(sessions.session, each, sessions.size) for each in per_query]
    counts = [np.ones(sessions.size), sessions.query_counts, *per_session]
    totals = np.stack([np.bincount(group, each, size) for each in counts]).astype(np.int64)
    sums = {key: GroupSums(totals[:, at].copy()) for at, key in enumerate(keys)}
    for measure, recipe in recipes.items():
        _sum_values(sums, sessions, measure, recipe, group)
        if curves and recipe.entry.has_vectors:
            _sum_curves(sums, sessions, measure, recipe, group)
    return sums


def _sum_values(
    sums: Sums, sessions: MatchedSessions, measure: str, recipe: SessionRecipe, group: Ranks
) -> None:
    size = len(sums)
    if needs_joint_mean(recipe):
        first_queries = sessions.keep_first_queries(recipe.queries)
        terms = [sum_by_index(group, each, size) for each in joint_terms(first_queries, recipe)]
        for at, part in enumerate(sums.values()):
            part.joint[measure] = np.array([term[at] for term in terms])
    values = np.ma.asarray(compute_session_values(sessions, recipe))
    kept = ~np.ma.getmaskarray(values)
    own, at_group = values.data[kept].astype(np.float64), group[kept]
    n = np.bincount(at_group, minlength=size)
    mean = sum_by_index(at_group, own, size) / np.maximum(n, 1)
    squares = sum_by_index(at_group, (own - mean[at_group]) ** 2, size)
    for at, part in enumerate(sums.values()):
        part.values[measure] = ValueSums(float(n[at]), float(mean[at]), float(squares[at]))


def _sum_curves(
    sums: Sums, sessions: MatchedSessions, measure: str, recipe: SessionRecipe, group: Ranks
) -> None:
    """Each group as far as the vectors go: ideals may go on where all of a part have stopped."""
    upper, lower = mean_terms(sessions, recipe)
    counted = lower
    if _averages_first(recipe):
        counted = (~np.isnan(session_value_vectors(sessions, recipe))).astype(np.float64)
    counts = sessions.keep_first_queries(recipe.queries).query_counts
    for at, part in enumerate(sums.values()):
        own = group == at
        searching = (counts[own][:, None] >= np.arange(1, upper.shape[1] + 1)).sum(axis=0)
        above, below, n = (terms[own].sum(axis=0) for terms in (upper, lower, counted))
        part.curves[measure] = CurveSums(above, below, n, searching.astype(np.float64))


def _averages_first(recipe: SessionRecipe) -> bool:
    """Is the mean that of gains over that of ideals?"""
    return recipe.entry.normalised and recipe.convention.average == "vectors"


def tabulate_curve(sums: CurveSums, recipe: SessionRecipe, keys: Mapping[str, Any]) -> pl.DataFrame:
    """The mean vector of a group to the end of its longest session, as `SessionResults.curve`."""
    queries, x = np.count_nonzero(sums.searching), sums.upper.shape[1]
    upper, lower, n = (terms[:queries].ravel() for terms in (sums.upper, sums.lower, sums.n))
    empty = recipe.convention.empty if _averages_first(recipe) else "skip"
    mean = np.ma.filled(normalise_by(upper, lower, empty), np.nan)
    return pl.DataFrame(
        {
            **{name: [value] * (queries * x) for name, value in keys.items()},
            "query": np.repeat(np.arange(1, queries + 1), x),
            "rank": np.tile(np.arange(1, x + 1), queries),
            "position": np.arange(1, queries * x + 1),
            "mean": pl.Series(mean).fill_nan(None),
            "n": n.astype(np.int64),
            "searching": np.repeat(sums.searching[:queries].astype(np.int64), x),
        }
    )
