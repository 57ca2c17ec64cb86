"""Gains of sessions laid out part by part, and merged: a sweep over more than memory holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field

from gainful.match.session_groups import count_sessions, number_groups
from gainful.match.sessions import MatchedSessions
from gainful.measure.recipe import SessionRecipe
from gainful.measure.sessions.sweep_sums import Ideals, SweepSums, add_up, sum_for_sweep
from gainful.types import Array, Ranks

Keys = tuple[Any, ...]  # the values of the columns that a group is named by


@define(eq=False)
class SweepPartSums:
    """What groups of sessions add up to for a sweep, so far."""

    recipes: Sequence[SessionRecipe]
    by: Sequence[str]
    name: str
    groups: list[Keys] = field(factory=list)  # in the order of their numbers
    sums: list[SweepSums] = field(factory=list)  # one for each recipe
    counts: dict[str, int] = field(factory=dict)

    def visit(self, sessions: MatchedSessions) -> None:
        """Take some whole sessions."""
        keys, group = number_groups(sessions, self.by, self.name)
        others = [sum_for_sweep(sessions, recipe, group, len(keys)) for recipe in self.recipes]
        self._take(keys, others, count_sessions(sessions))

    def merge(self, other: SweepPartSums) -> None:
        """Take what another has added up of other sessions."""
        if other.sums:
            self._take(other.groups, other.sums, other.counts)

    def _take(
        self, keys: Sequence[Keys], others: Sequence[SweepSums], counts: dict[str, int]
    ) -> None:
        self.groups += [key for key in keys if key not in self.groups]
        number = np.array([self.groups.index(key) for key in keys], dtype=np.intp)
        renumbered = [_renumber_groups(sums, number, len(self.groups)) for sums in others]
        if self.sums:
            pairs = zip(self.sums, renumbered, strict=True)
            self.sums = [_merge_sums(*pair, len(self.groups)) for pair in pairs]
        else:
            self.sums = renumbered
        for name, count in counts.items():
            self.counts[name] = self.counts.get(name, 0) + count

    def sort_groups(self) -> SweepPartSums:
        """The groups in the order of their names, what is missing last."""
        wanted = sorted(self.groups, key=lambda keys: [(key is None, str(key)) for key in keys])
        number = np.array([wanted.index(key) for key in self.groups], dtype=np.intp)
        sums = [_renumber_groups(each, number, len(wanted)) for each in self.sums]
        return evolve(self, groups=wanted, sums=sums)


def _renumber_groups(sums: SweepSums, number: Ranks, groups: int) -> SweepSums:
    """The sums of groups under other numbers."""
    session_count = np.zeros(groups, dtype=np.intp)
    session_count[number] = sums.session_count
    sum_without_ideal = np.zeros(groups)
    sum_without_ideal[number] = sums.sum_without_ideal
    return evolve(
        sums,
        session_count=session_count,
        sum_without_ideal=sum_without_ideal,
        group=number[sums.group],
    )


def _merge_sums(first: SweepSums, second: SweepSums, groups: int) -> SweepSums:
    """The sums of both: kinds of sessions that are the same in both are one."""
    more = groups - len(first.session_count)
    queries = max(first.queries, second.queries)
    kinds, group, ideals = _merge_kinds(first, second, queries)
    parts = [
        (kinds[offset + each.line // each.queries] * queries + each.line % each.queries)
        for each, offset in ((first, 0), (second, len(first.group)))
    ]
    line, rank, gain = add_up(
        np.concatenate(parts),
        np.concatenate([first.rank, second.rank]),
        np.concatenate([first.gain, second.gain]),
        len(group) * queries,
    )
    return SweepSums(
        recipe=first.recipe,
        session_count=np.pad(first.session_count, (0, more)) + second.session_count,
        sum_without_ideal=np.pad(first.sum_without_ideal, (0, more)) + second.sum_without_ideal,
        group=group,
        queries=queries,
        line=line,
        rank=rank,
        gain=gain,
        ideals=ideals,
    )


def _merge_kinds(
    first: SweepSums, second: SweepSums, queries: int
) -> tuple[Ranks, Ranks, Ideals | None]:
    """The new number of each kind of the first and of the second, their groups and ideals."""
    group = np.concatenate([first.group, second.group])
    if first.ideals is None or second.ideals is None:
        names, kinds = np.unique(group, return_inverse=True)
        return kinds, names, None
    pool, bases = _merge_pools(first.ideals, second.ideals, queries)
    lengths = np.concatenate([first.ideals.queries, second.ideals.queries])
    described = np.column_stack([group, lengths, bases])
    rows, kinds = np.unique(described, axis=0, return_inverse=True)
    ideals = Ideals(
        pool=pool,
        base=rows[:, 2:],
        queries=rows[:, 1],
        depth=first.ideals.depth,
        has_one_base=first.ideals.has_one_base and second.ideals.has_one_base,
    )
    return kinds.ravel(), rows[:, 0], ideals


def _merge_pools(first: Ideals, second: Ideals, queries: int) -> tuple[Array, Ranks]:
    """All pools, each once, and the pools of both kinds' queries; none where there is no query."""
    width = max(first.pool.shape[1], second.pool.shape[1])
    padded = [
        np.pad(each.pool, ((0, 0), (0, width - each.pool.shape[1]))) for each in (first, second)
    ]
    none = np.zeros((1, width))
    pool, number = np.unique(np.vstack([*padded, none]), axis=0, return_inverse=True)
    number = number.ravel()
    bases = [
        np.pad(
            number[each.base + offset],
            ((0, 0), (0, queries - each.base.shape[1])),
            constant_values=int(number[-1]),
        )
        for each, offset in ((first, 0), (second, len(first.pool)))
    ]
    return pool, np.vstack(bases)
