"""`SessionSummary`: the means of groups of sessions that are too many to hold, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from attrs import define, field, frozen

from gainful.convention.session import SessionConvention
from gainful.errors import BadValue, UnknownName
from gainful.match.session_groups import (
    Keys,
    describe_judged,
    group_label,
    number_groups,
    order_keys,
)
from gainful.match.sessions import MatchedSessions
from gainful.measure.entry import SessionRecipe
from gainful.measure.functions.sessions.sdcg import sum_by_index
from gainful.measure.notes import name_convention
from gainful.measure.ranked_run import normalise_by
from gainful.measure.sessions.results import describe_leading_groups, describe_mean, label_means
from gainful.measure.sessions.session_values import (
    CurveSums,
    choose_vectors,
    compute_session_values,
    curve_terms,
    joint_terms,
    needs_joint_mean,
    per_cost,
    tabulate_curve,
)
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.text import count_noun, mark_notes
from gainful.types import Array, Ranks, finite_or_none, slices

COUNTS = ("sessions", "queries", "results", "judged")
_MAX_CELLS = 1_000_000  # sessions × queries × ranks of vectors
_MANY = 30  # sessions, of which a mean is about normal
_NORMAL_95 = 1.959964
_ROW_COLUMNS = ("measure", "mean", "standard_error", "sessions", "queries")


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
class GroupSums:
    """What one group adds up to, so far."""

    counts: Ranks = field(factory=lambda: np.zeros(len(COUNTS), dtype=np.int64))
    values: dict[str, ValueSums] = field(factory=dict)  # by measure
    joint: dict[str, Array] = field(factory=dict)  # gains and ideals, averaged first
    curves: dict[str, CurveSums] = field(factory=dict)

    def add(self, other: GroupSums) -> None:
        """Take another part of the group."""
        self.counts = self.counts + other.counts
        for name, values in other.values.items():
            self.values.setdefault(name, ValueSums()).add(values)
        for name, terms in other.joint.items():
            self.joint[name] = self.joint.get(name, np.zeros(2)) + terms
        for name, curve in other.curves.items():
            known = self.curves.get(name)
            self.curves[name] = curve if known is None else known.add(curve)

    def mean(self, name: str, recipe: SessionRecipe) -> float:
        """The mean of a measure, as the convention averages; not a number where nothing counts."""
        if name in self.joint:
            gain, best = self.joint[name][:, None] / max(float(self.counts[0]), 1.0)
            return float(np.ma.filled(normalise_by(gain, best, recipe.convention.empty), np.nan)[0])
        sums = self.values[name]
        return sums.mean if sums.n else float("nan")


@define(eq=False)
class SummarySums:
    """What groups of sessions add up to, so far."""

    recipes: Mapping[str, SessionRecipe]
    by: Sequence[str]
    name: str
    curves: bool
    sums: dict[Keys, GroupSums] = field(factory=dict)

    def visit(self, sessions: MatchedSessions) -> None:
        """Take some whole sessions."""
        keys, group = number_groups(sessions, self.by, self.name, self.recipes)
        counted = sessions.judged.query
        if sessions.gain_event:  # what was done, and not what others did to the document
            counted = counted[sessions.judged.grade > 0]
        of_query, size = group[sessions.session], len(keys)
        counts = (
            np.bincount(group, minlength=size),
            np.bincount(of_query, minlength=size),
            np.bincount(of_query, sessions.retrieved, size),
            np.bincount(of_query[counted], minlength=size),
        )
        totals = np.stack(counts, axis=1).astype(np.int64)
        sums = [GroupSums(each) for each in totals]
        for measure, recipe in self.recipes.items():
            _sum_values(sums, sessions, measure, recipe, group)
            if self.curves and recipe.entry.has_vectors:
                _sum_curves(sums, sessions, measure, recipe, group)
        self._take(dict(zip(keys, sums, strict=True)))

    def merge(self, other: SummarySums) -> None:
        """Take what another has added up of other sessions."""
        self._take(other.sums)

    def _take(self, others: Mapping[Keys, GroupSums]) -> None:
        for keys, group in others.items():
            self.sums.setdefault(keys, GroupSums()).add(group)


def _sum_values(
    sums: Sequence[GroupSums],
    sessions: MatchedSessions,
    measure: str,
    recipe: SessionRecipe,
    group: Ranks,
) -> None:
    size = len(sums)
    if needs_joint_mean(recipe):
        first_queries = sessions.keep_first_queries(recipe.queries)
        terms = [sum_by_index(group, each, size) for each in joint_terms(first_queries, recipe)]
        for at, part in enumerate(sums):
            part.joint[measure] = np.array([term[at] for term in terms])
    values = np.ma.asarray(compute_session_values(sessions, recipe))
    kept = ~np.ma.getmaskarray(values)
    own, at_group = values.data[kept].astype(np.float64), group[kept]
    n = np.bincount(at_group, minlength=size)
    mean = sum_by_index(at_group, own, size) / np.maximum(n, 1)
    squares = sum_by_index(at_group, (own - mean[at_group]) ** 2, size)
    for at, part in enumerate(sums):
        part.values[measure] = ValueSums(float(n[at]), float(mean[at]), float(squares[at]))


def _sum_curves(
    sums: Sequence[GroupSums],
    sessions: MatchedSessions,
    measure: str,
    recipe: SessionRecipe,
    group: Ranks,
) -> None:
    """Add up vectors, of a few sessions at a time where they are long."""
    cells = int(sessions.query_counts.max()) * (recipe.k or 1)
    for wanted in slices(sessions.size, _MAX_CELLS // cells):
        terms = curve_terms(sessions.slice_sessions(wanted), recipe)
        for at, part in enumerate(sums):
            part.add(GroupSums(curves={measure: terms.add_up(group[wanted] == at)}))


@frozen(eq=False, repr=False, kw_only=True)
class SessionSummary(Shown):
    """The means of groups of sessions, and how sure they are.

    `summary["nsDCG@10"]` is the mean of all, `mean` has all measures, `groups` each group as a
    dict, `curve(name)` the mean vectors, `to_polars()` a row for each group and measure.
    """

    name: str
    by: tuple[str, ...]
    sums: Mapping[Keys, GroupSums] = field(repr=False)
    recipes: Mapping[str, SessionRecipe]
    convention: SessionConvention
    gain_event: str = ""  # the action that gives gains, such as clicked
    notes: Sequence[str] = ()

    @property
    def all_sessions(self) -> GroupSums:
        """What all groups add up to."""
        total = GroupSums()
        for group in self.sums.values():
            total.add(group)
        return total

    @property
    def counts(self) -> dict[str, int]:
        """How many sessions, queries, results and judged results there were.

        Where gains are what searchers did, also how many results gained.
        """
        counts = dict(zip(COUNTS, self.all_sessions.counts.tolist(), strict=True))
        gained = {"judged": counts["results"], "gained": counts["judged"]}
        return counts | (gained if self.gain_event else {})

    @property
    def mean(self) -> dict[str, float]:
        """One number for each measure."""
        total = self.all_sessions
        return {name: total.mean(name, recipe) for name, recipe in self.recipes.items()}

    def __getitem__(self, measure: str) -> float:
        return self.mean[self._find_name(measure)]

    @property
    def groups(self) -> list[dict[str, Any]]:
        """Each group: its values, how many sessions and queries, means and standard errors."""
        ordered = sorted(self.sums.items(), key=lambda item: order_keys(item[0]))
        return [
            {**dict(zip(self.by, keys, strict=True)), **self._describe(sums)}
            for keys, sums in ordered
        ]

    def _describe(self, sums: GroupSums) -> dict[str, Any]:
        means = {name: finite_or_none(sums.mean(name, own)) for name, own in self.recipes.items()}
        errors = {
            name: None if name in sums.joint else sums.values[name].standard_error for name in means
        }
        counts = dict(zip(COUNTS, sums.counts.tolist(), strict=True))
        described = {**counts, "mean": means, "standard_error": errors}
        if any(recipe.entry.is_cost for recipe in self.recipes.values()):
            described["per_cost"] = per_cost(means, self.recipes)
        return described

    def curve(self, name: str | None = None) -> pl.DataFrame:
        """The mean vector of each group, position by position, as tidy data.

        Args:
            name: one of the measures; the first that has vectors if it is not said.
        """
        measure = choose_vectors(self.recipes, None if name is None else self._find_name(name))
        if not all(measure in sums.curves for sums in self.sums.values()):
            raise BadValue("curves", value=False, allowed="curves=True, for measures with vectors")
        frames = []
        for keys in sorted(self.sums, key=order_keys):
            curve, named = self.sums[keys].curves[measure], dict(zip(self.by, keys, strict=True))
            queries = int(np.count_nonzero(curve.searching))
            frames.append(tabulate_curve(curve, self.recipes[measure], named, queries))
        return pl.concat(frames)

    def _find_name(self, measure: str) -> str:
        if measure not in self.recipes:
            raise UnknownName("measure", measure, self.recipes, f"of {self.name}", lists_all=True)
        return measure

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        whole = self._describe(self.all_sessions)
        return {
            "mean": whole["mean"],
            "groups": self.groups if self.by else [],
            **{name: whole[name] for name in ("standard_error", "per_cost") if name in whole},
            "convention": {"like": self.convention.name, **self.convention.settings()},
            "counts": self.counts,
            "notes": list(self.notes),
        }

    def page(self, view: Literal["groups", "curve"] = "groups") -> Page:
        """The answer, and a row for each group and measure, or the mean vectors."""
        groups = self.groups if self.by else [self._describe(self.all_sessions)]
        lines = [
            (group, measure, mean, group["standard_error"][measure])
            for group in groups
            for measure, mean in group["mean"].items()
        ]
        lines += [
            (group, f"{measure} per cost", share, None)
            for group in groups
            for measure, share in group.get("per_cost", {}).items()
        ]
        rows = [
            (*(group[name] for name in self.by), *line, group["sessions"], group["queries"])
            for group, *line in lines
        ]
        table = Table(
            (*self.by, *_ROW_COLUMNS),
            rows,
            numeric=True,
            label_columns=len(self.by) + 1,
            expendable=("queries",),
        )
        if view == "curve":
            table = Table.from_frame(self.curve(), len(self.by))
        counts = self.counts
        parts = [
            count_noun(counts["sessions"], "session"),
            count_noun(counts["queries"], "query"),
            describe_judged(counts, self.gain_event),
            name_convention(self.convention),
        ]
        return Page(
            answer=self._answer(groups),
            sections=[Section(table=table)],
            notes=[" · ".join(parts), *mark_notes(self.notes)],
            rows=lambda: table,
            data=lambda: self.to_dict() | ({"curve": table.to_dicts()} if view == "curve" else {}),
            warnings=self.notes,
        )

    def _answer(self, groups: Sequence[Mapping[str, Any]]) -> str:
        if len(groups) < 2:
            return describe_mean(self.mean, self.counts["sessions"])
        means = label_means(groups, self.by, self.recipes)
        directions = {name: recipe.direction for name, recipe in self.recipes.items()}
        leaders = describe_leading_groups(means, directions)
        return f"{leaders}{_describe_difference(next(iter(self.recipes)), self.by, groups)}"


def _describe_difference(
    measure: str, by: Sequence[str], groups: Sequence[Mapping[str, Any]]
) -> str:
    """Of two groups of many sessions: how far they are apart, and how sure that is."""
    errors = [group["standard_error"][measure] for group in groups]
    sizes = [group["sessions"] for group in groups]
    if len(groups) != 2 or min(sizes) < _MANY or None in errors:
        return ""
    labels = [group_label({name: group[name] for name in by}) for group in groups]
    first, second = (group["mean"][measure] for group in groups)
    difference, spread = second - first, _NORMAL_95 * float(np.hypot(*errors))
    low, high = difference - spread, difference + spread
    return (
        f" In {measure}, {labels[1]} differs from {labels[0]} by {difference:+.4f} "
        f"(95 % interval {low:+.4f} to {high:+.4f}, if sessions are independent)."
    )
