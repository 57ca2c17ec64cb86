"""Chance that is the same for a seed on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_T = TypeVar("_T")


class Chance:
    """Chances made of `Random.random` alone: it is the one sequence that Python promises."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random  # noqa: S311  (a simulation, no secret)

    def __call__(self, share: float) -> bool:
        return self._random() < share

    def random(self) -> float:
        """A number from 0 to 1."""
        return self._random()

    def randrange(self, stop: int) -> int:
        """A whole number of at least 0, below another."""
        return int(self._random() * stop)

    def shuffle(self, items: Sequence[_T]) -> list[_T]:
        """Items in random order."""
        result = list(items)
        for index in range(len(result) - 1, 0, -1):
            other = self.randrange(index + 1)
            result[index], result[other] = result[other], result[index]
        return result

    def noise(self) -> float:
        """A number around 0, of variance 1 and near to normal: three draws added."""
        return 2 * (self._random() + self._random() + self._random() - 1.5)

    def choose(self, items: Sequence[_T]) -> _T:
        """One of these, each as likely as another."""
        return items[self.randrange(len(items))]
