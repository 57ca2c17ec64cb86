"""The design of a study: who tried which system on what, and what could have been otherwise.

A study gives each searcher an assignment: which system on which scenario. Who got which assignment
was left to chance, so searchers may exchange their whole assignments, and the Latin square stays
one. Where everybody tried every system on everything, there is nothing to exchange between
searchers; then the systems may change names within each searcher, in all that he did at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Literal

import numpy as np
from attrs import frozen

from gainful.compare.statistics.how import How
from gainful.formula import Array
from gainful.match.matched import Ranks

ENUMERATED = 1 << 16  # arrangements that are all looked at
_AT_ONCE = 1 << 20


@frozen(eq=False)
class Design:
    """For each session its system and its searcher, as numbers, and where it may be exchanged.

    `strata` hold searchers who did the same scenarios; a searcher's row has his sessions, in the
    order of the scenarios, so that a column is one scenario.
    """

    system: Ranks
    searcher: Ranks
    systems: int
    strata: Sequence[Ranks]
    scheme: Literal["exchange", "swap"]

    @property
    def arrangements(self) -> int:
        """In how many ways could it have been?"""
        if self.scheme == "swap":
            return int(factorial(self.systems) ** sum(map(len, self.strata)))
        return prod([factorial(len(rows)) for rows in self.strata])

    @property
    def enumerated(self) -> bool:
        """Are they few enough to look at them all?"""
        return self.arrangements <= ENUMERATED

    def labels(self, how: How) -> Iterator[Ranks]:
        """The system of each session, a row for each way: all of them, or a sample by the seed."""
        if self.enumerated:
            every = np.array(list(self._every()), dtype=np.intp)
            yield every
            return
        random = how.random()
        rows = max(1, _AT_ONCE // self.system.size)
        for start in range(0, how.resamples, rows):
            yield self._some(min(rows, how.resamples - start), random)

    def _every(self) -> Iterator[Ranks]:
        if self.scheme == "swap":
            names = [np.array(one) for one in permutations(range(self.systems))]
            searchers = int(self.searcher.max()) + 1
            for chosen in product(names, repeat=searchers):
                yield np.stack(chosen)[self.searcher, self.system]
            return
        for orders in product(*(permutations(range(len(rows))) for rows in self.strata)):
            labels = self.system.copy()
            for rows, order in zip(self.strata, orders, strict=True):
                labels[rows] = self.system[rows[list(order)]]
            yield labels

    def _some(self, number: int, random: np.random.Generator) -> Ranks:
        if self.scheme == "swap":
            searchers = int(self.searcher.max()) + 1
            names = np.broadcast_to(np.arange(self.systems), (number, searchers, self.systems))
            return random.permuted(names, axis=2)[:, self.searcher, self.system]
        labels = np.repeat(self.system[None, :], number, axis=0)
        for rows in self.strata:
            order = random.permuted(
                np.broadcast_to(np.arange(len(rows)), (number, len(rows))), axis=1
            )
            labels[:, rows] = self.system[rows[order]]
        return labels


def designed(system: Ranks, searcher: Ranks, slot: Ranks) -> Design | None:
    """The design of these sessions; None if it has nothing to exchange.

    Args:
        system: of each session, as numbers from 0 on.
        searcher: of each session; whose assignments are exchanged.
        slot: of each session; what the searcher did then: the scenario.
    """
    order = np.lexsort((np.arange(slot.size), slot, searcher))
    starts = np.flatnonzero(np.diff(searcher[order], prepend=-1))
    rows = np.split(order, starts[1:])
    groups: dict[tuple[int, ...], list[Ranks]] = {}
    for one in rows:
        groups.setdefault(tuple(slot[one].tolist()), []).append(one)
    strata = [np.stack(found) for found in groups.values()]
    systems = int(system.max()) + 1
    if all(_crossed(system[one], slot[one], systems) for one in rows):
        return Design(system, searcher, systems, strata, "swap")
    useful = [found for found in strata if (system[found] != system[found[0]]).any()]
    return Design(system, searcher, systems, useful, "exchange") if useful else None


def _crossed(system: Ranks, slot: Ranks, systems: int) -> bool:
    """Did this searcher try every system equally often in each slot?"""
    counts = np.zeros((int(slot.max()) + 1, systems))
    np.add.at(counts, (slot, system), 1)
    return bool((counts == counts[:, :1]).all())


def without_blocks(values: Array, blocks: Sequence[Ranks]) -> Array:
    """What is left of values when the additive effects of blocks are taken out."""
    columns = [np.eye(int(block.max()) + 1)[block] for block in blocks]
    if not columns:
        return np.asarray(values - values.mean(axis=0))
    held = np.concatenate(columns, axis=1)
    fitted, *_ = np.linalg.lstsq(held, values, rcond=None)
    return np.asarray(values - held @ fitted)
