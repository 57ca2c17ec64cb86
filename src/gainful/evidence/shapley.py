"""How a difference is shared among its causes: Shapley values, and what two do only together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from gainful.rounding import ROUNDING


class NamedCause(Protocol):
    """A cause by its name."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...


class Game(Protocol):
    """All mixtures of two conventions, and the mean under each; bit i is that of cause i."""

    @property
    def causes(self) -> Sequence[NamedCause]:
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


MAX_EXACT_CAUSES = 12  # causes of which every combination is computed
_DEFAULT_ORDERS = 128  # else so many orders, each also backwards, unless others are asked for


def shapley_values(game: Game, orders: int = _DEFAULT_ORDERS) -> tuple[list[float], list[str]]:
    """The Shapley value of each cause; of many, over so many orders, each also backwards."""
    count = len(game.causes)
    if count > MAX_EXACT_CAUSES:
        note = (
            f"{count} causes are at work: effects are averaged over {2 * orders} orders of "
            "switching them, not over all"
        )
        return _estimate_shapley_values(game, count, orders), [note]
    v = game.means(range(game.all + 1))
    return [_shapley_value(v, at, count) for at in range(count)], []


def _shapley_value(v: Mapping[int, float], at: int, count: int) -> float:
    """What a cause adds to each set of others; sets of every size weigh the same together."""
    bit = 1 << at
    contributions = (
        (v[mixture | bit] - v[mixture]) / comb(count - 1, mixture.bit_count())
        for mixture in v
        if not mixture & bit
    )
    return sum(contributions) / count


def _estimate_shapley_values(game: Game, count: int, orders: int) -> list[float]:
    """Shapley values over a fixed sample of orders; in each, effects add up to the difference."""
    random = np.random.default_rng(2002)
    permutations = [random.permutation(count) for _ in range(orders)]
    paths = [
        _switch_path(order)
        for permutation in permutations
        for order in (permutation, permutation[::-1])
    ]
    v = game.means(mixture for path in paths for _, mixture in path)
    sums = np.zeros(count)
    for path in paths:
        before = game.mean(0)
        for at, mixture in path:
            sums[at] += v[mixture] - before
            before = v[mixture]
    return list((sums / len(paths)).tolist())


def _switch_path(order: Iterable[int]) -> list[tuple[int, int]]:
    """The mixtures that one comes through, switching causes in this order."""
    path, mixture = [], 0
    for at in order:
        mixture |= 1 << int(at)
        path.append((int(at), mixture))
    return path


def interactions(game: Game) -> list[dict[str, float]]:
    """What two causes change only together, beside the first tool's settings or the second's."""
    full = game.all
    changes: list[dict[str, float]] = [{} for _ in game.causes]
    for (at, cause), (other_at, other) in combinations(enumerate(game.causes), 2):
        a, b = 1 << at, 1 << other_at
        v = game.means([0, a, b, a | b, full, full ^ a, full ^ b, full ^ a ^ b])
        first = v[a | b] - v[a] - v[b] + v[0]
        last = v[full] - v[full ^ a] - v[full ^ b] + v[full ^ a ^ b]
        together = max(first, last, key=abs)
        if abs(together) > ROUNDING:
            changes[at][other.name] = together
            changes[other_at][cause.name] = together
    return [dict(sorted(pairs.items(), key=lambda pair: -abs(pair[1]))) for pairs in changes]
