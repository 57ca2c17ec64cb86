"""How a difference is shared among its causes: Shapley values, and what two do only together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np


class Named(Protocol):
    """A cause by its name."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...


class Switch(Named, Protocol):
    """A cause with the habits that it switches."""

    @property
    def habits(self) -> tuple[str, ...]:
        """Fields of a convention."""
        ...


class Game(Protocol):
    """All mixtures of two conventions, and the mean under each; bit i is that of cause i."""

    @property
    def causes(self) -> Sequence[Named]:
        """What differs between the two."""
        ...

    @property
    def all(self) -> int:
        """The mixture that is the second convention."""
        ...

    def means(self, mixtures: Iterable[int]) -> dict[int, float]:
        """The mean under each of these mixtures."""
        ...

    def mean(self, mixture: int) -> float:
        """The mean under one."""
        ...


NOTHING = 1e-12  # below this, sums were only added in another order
ALL_ORDERS = 12  # causes of which every combination is computed
_ORDERS = 128  # else so many orders, each also backwards, unless others are asked for


def switched(causes: Sequence[Switch], theirs: object, mixture: int) -> dict[str, Any]:
    """What a mixture has of the second convention: the habits of the causes whose bit is set."""
    return {
        habit: getattr(theirs, habit)
        for at, cause in enumerate(causes)
        if mixture >> at & 1
        for habit in cause.habits
    }


def effects(held: Game, orders: int = _ORDERS) -> tuple[list[float], list[str]]:
    """The Shapley value of each cause; of many, over so many orders, each also backwards."""
    count = len(held.causes)
    if count > ALL_ORDERS:
        note = (
            f"{count} causes are at work: effects are averaged over {2 * orders} orders of "
            "switching them, not over all"
        )
        return _over_some_orders(held, count, orders), [note]
    v = held.means(range(held.all + 1))
    return [_shapley(v, at, count) for at in range(count)], []


def _shapley(v: Mapping[int, float], at: int, count: int) -> float:
    """What a cause adds to each set of others; sets of every size weigh the same together."""
    bit = 1 << at
    gained = (
        (v[mixture | bit] - v[mixture]) / comb(count - 1, mixture.bit_count())
        for mixture in v
        if not mixture & bit
    )
    return sum(gained) / count


def _over_some_orders(held: Game, count: int, orders: int) -> list[float]:
    """The same over a fixed sample of orders; within each, effects add up to the difference."""
    random = np.random.default_rng(2002)
    some = [random.permutation(count) for _ in range(orders)]
    paths = [_path(order) for one in some for order in (one, one[::-1])]
    v = held.means(mixture for path in paths for _, mixture in path)
    effect = np.zeros(count)
    for path in paths:
        before = held.mean(0)
        for at, mixture in path:
            effect[at] += v[mixture] - before
            before = v[mixture]
    return list((effect / len(paths)).tolist())


def _path(order: Iterable[int]) -> list[tuple[int, int]]:
    """The mixtures that one comes through, switching causes in this order."""
    path, mixture = [], 0
    for at in order:
        mixture |= 1 << int(at)
        path.append((int(at), mixture))
    return path


def interactions(held: Game) -> list[dict[str, float]]:
    """What two causes change only together, beside the first tool's habits or the second's."""
    whole = held.all
    found: list[dict[str, float]] = [{} for _ in held.causes]
    for (at, one), (to, other) in combinations(enumerate(held.causes), 2):
        a, b = 1 << at, 1 << to
        v = held.means([0, a, b, a | b, whole, whole ^ a, whole ^ b, whole ^ a ^ b])
        first = v[a | b] - v[a] - v[b] + v[0]
        last = v[whole] - v[whole ^ a] - v[whole ^ b] + v[whole ^ a ^ b]
        together = max(first, last, key=abs)
        if abs(together) > NOTHING:
            found[at][other.name] = together
            found[to][one.name] = together
    return [dict(sorted(pairs.items(), key=lambda pair: -abs(pair[1]))) for pairs in found]
