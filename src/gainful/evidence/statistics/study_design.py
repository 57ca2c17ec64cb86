"""The design of a study: who tried which system on what, and what could have been otherwise.

A study gives each searcher an assignment: which system on which scenario. Who got which assignment
was left to chance, so searchers who did the same scenarios may exchange their whole assignments,
and a Latin square stays one. Where everybody tried every system on everything, there is nothing to
exchange between searchers; then the systems may change names within each searcher, in all that he
did at once. Searchers of whom neither is true say nothing about systems, and are left out.

Sessions of one searcher on one scenario have no order: which of them had which system was left to
chance as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import factorial, prod

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.resampling import Resampling
from gainful.types import Array, Ranks, slices

MAX_ARRANGEMENTS = 1 << 16  # arrangements that are all looked at
_BATCH_NUMBERS = 1 << 20


@frozen(eq=False)
class Design:
    """The sessions that can be exchanged, and how; all else is numbers of these sessions."""

    rows: Ranks  # which of the sessions given these are
    system: Ranks  # of each
    systems: int
    exchange_groups: Sequence[
        Ranks
    ]  # searchers × their sessions, by scenario: whole rows change places
    swap_groups: Sequence[Ranks]  # the sessions of each searcher within whom systems change names
    shuffle_groups: Sequence[
        Ranks
    ]  # sessions of one searcher on one scenario, among whom there is no order
    searchers: int  # who take part
    left_out: int  # who do not

    @property
    def is_enumerable(self) -> bool:
        """Are there few enough ways to look at them all?"""
        ways = [*(factorial(len(rows)) for rows in self.exchange_groups)]
        ways += [factorial(self.systems)] * len(self.swap_groups)
        ways += [factorial(len(rows)) for rows in self.shuffle_groups]
        return prod(ways) <= MAX_ARRANGEMENTS

    def labels(self, resampling: Resampling) -> Iterator[Ranks]:
        """The system of each session, a row for each way: all of them, or a sample by the seed."""
        if self.is_enumerable:
            yield np.array(list(self._all_labels()), dtype=np.intp)
            return
        random = resampling.random_generator()
        for part in slices(resampling.resamples, _BATCH_NUMBERS // self.system.size):
            yield self._sample_labels(part.stop - part.start, random)

    def _all_labels(self) -> Iterator[Ranks]:
        exchanges = [permutations(range(len(rows))) for rows in self.exchange_groups]
        swaps = [permutations(range(self.systems)) for _ in self.swap_groups]
        shuffles = [permutations(range(len(rows))) for rows in self.shuffle_groups]
        for combination in product(*exchanges, *swaps, *shuffles):
            orders = iter(map(list, combination))
            labels = self.system.copy()
            for rows in self.exchange_groups:
                labels[rows] = self.system[rows[next(orders)]]
            for rows in self.swap_groups:
                labels[rows] = np.array(next(orders))[labels[rows]]
            for rows in self.shuffle_groups:
                labels[rows] = labels[rows[next(orders)]]
            yield labels

    def _sample_labels(self, number: int, random: np.random.Generator) -> Ranks:
        labels = np.repeat(self.system[None, :], number, axis=0)
        for rows in self.exchange_groups:
            order = random.permuted(_repeat_range(number, len(rows)), axis=1)
            labels[:, rows] = self.system[rows[order]]
        for rows in self.swap_groups:
            names = random.permuted(_repeat_range(number, self.systems), axis=1)
            labels[:, rows] = np.take_along_axis(names, labels[:, rows], axis=1)
        for rows in self.shuffle_groups:
            labels[:, rows] = random.permuted(labels[:, rows], axis=1)
        return labels


def _repeat_range(number: int, stop: int) -> Ranks:
    return np.broadcast_to(np.arange(stop), (number, stop))


def find_design(system: Ranks, searcher: Ranks, slot: Ranks) -> Design | None:
    """The design of these sessions; None if it has nothing to exchange.

    Args:
        system: of each session, as numbers from 0 on.
        searcher: of each session; whose assignments are exchanged.
        slot: of each session; what the searcher did then: the scenario.
    """
    systems = int(system.max()) + 1
    order = np.lexsort((np.arange(slot.size), slot, searcher))
    starts = np.flatnonzero(np.diff(searcher[order], prepend=-1))
    rows_by_searcher = np.split(order, starts[1:])
    strata: dict[tuple[int, ...], list[Ranks]] = {}
    for rows in rows_by_searcher:
        strata.setdefault(tuple(slot[rows].tolist()), []).append(rows)
    exchanging: list[Ranks] = []
    swapping: list[Ranks] = []
    for slots, members in strata.items():
        crossed = [_tries_all_equally(system[rows], np.array(slots), systems) for rows in members]
        swapping += [rows for rows, full in zip(members, crossed, strict=True) if full]
        others = [rows for rows, full in zip(members, crossed, strict=True) if not full]
        if len({_assignment(system[rows], slots) for rows in others}) > 1:
            exchanging.append(np.stack(others))
    participants = [rows for stratum in exchanging for rows in stratum] + swapping
    if not participants:
        return None
    kept = np.sort(np.concatenate(participants))
    position = np.full(system.size, -1)
    position[kept] = np.arange(kept.size)
    return Design(
        rows=kept,
        system=system[kept],
        systems=systems,
        exchange_groups=[position[rows] for rows in exchanging],
        swap_groups=[position[rows] for rows in swapping],
        shuffle_groups=[
            position[rows] for stratum in exchanging for rows in _repeat_groups(stratum, slot)
        ],
        searchers=len(participants),
        left_out=len(rows_by_searcher) - len(participants),
    )


def _assignment(system: Ranks, slots: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Which systems on which scenarios, whatever the order within one."""
    return tuple(sorted(zip(slots, system.tolist(), strict=True)))


def _tries_all_equally(system: Ranks, slot: Ranks, systems: int) -> bool:
    """Did this searcher try every system equally often in each slot?"""
    counts = np.zeros((int(slot.max()) + 1, systems))
    np.add.at(counts, (slot, system), 1)
    return bool((counts == counts[:, :1]).all())


def _repeat_groups(stratum: Ranks, slot: Ranks) -> Iterator[Ranks]:
    """The sessions of each searcher on a scenario that he did more than once."""
    slots = slot[stratum[0]]
    for number in np.unique(slots):
        columns = np.flatnonzero(slots == number)
        if columns.size > 1:
            yield from stratum[:, columns]


def remove_block_effects(values: Array, blocks: Sequence[Ranks]) -> Array:
    """What is left of values when the additive effects of blocks are taken out.

    The means of the first block are taken out of all; of what is left, the others by least squares.
    """
    if not blocks:
        return np.asarray(values - values.mean(axis=0))
    left = remove_means(values, blocks[0])
    if len(blocks) == 1:
        return left
    columns = np.concatenate([indicators(block) for block in blocks[1:]], axis=1)
    within = remove_means(columns, blocks[0])
    coefficients, *_ = np.linalg.lstsq(within, left, rcond=None)
    return np.asarray(left - within @ coefficients)


def indicators(numbers: Ranks) -> Array:
    """A column for each number: has the row this one?"""
    return np.eye(int(numbers.max()) + 1)[numbers]


def remove_means(columns: Array, group: Ranks) -> Array:
    """What is left of columns when the mean of each group is taken out."""
    counts = np.bincount(group)
    sums = np.zeros((len(counts), columns.shape[1]))
    np.add.at(sums, group, columns)
    return np.asarray(columns - (sums / np.maximum(counts, 1)[:, None])[group])
