"""`Cell`: one number, or a few, of a table of error rates, and how it is simulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
from attrs import frozen

from gainful.types import Array

Rates = dict[str, float]
ALPHA = 0.05
RESAMPLES = 199  # of tests by chance: 10 of 200 are 5 % exactly, so more would change no level
BATCH = 50  # trials that are tested at once, with the same resamples: so few that these matter less


@frozen
class Cell:
    """What is simulated: `simulate(trials, random)` gives the rates over so many trials."""

    table: str
    labels: Mapping[str, str | int]
    simulate: Callable[[int, np.random.Generator], Rates]
    limits: Mapping[str, float] = {}  # what a rate must not pass, by its name
    needs_runs: bool = False  # the real ones, which not every copy of the project has beside it

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.table}: {', '.join(map(str, self.labels.values()))}"

    def run(self, trials: int, seed: int) -> Rates:
        """The rates; the chance of a cell depends on its name and the seed alone."""
        return self.simulate(trials, np.random.default_rng([seed, crc32(self.name.encode())]))


def list_products(
    table: str,
    simulate: Callable[..., Rates],
    labels: Mapping[str, Sequence[str | int]],
    **options: Any,
) -> list[Cell]:
    """A cell for each combination of the values of labels, which are simulated."""
    return [
        Cell(table, dict(zip(labels, values, strict=True)), partial(simulate, *values), **options)
        for values in product(*labels.values())
    ]


def in_batches(simulate: Callable[..., Rates], size: int = BATCH) -> Callable[..., Rates]:
    """A simulation, for a few trials at a time: `trials` and `random` are its last arguments."""

    @wraps(simulate)
    def average(*arguments: Any) -> Rates:
        *labels, trials, random = arguments
        sizes = [min(size, trials - start) for start in range(0, trials, size)]
        parts = [simulate(*labels, number, random) for number in sizes]
        return {
            name: float(np.average([part[name] for part in parts], weights=sizes))
            for name in parts[0]
        }

    return average


def draw_seed(random: np.random.Generator) -> int:
    """A seed for the resamples of a batch."""
    return int(random.integers(1 << 31))


def rejection_rate(p: Array) -> float:
    """The share of trials that are significant."""
    return float(np.mean(p <= ALPHA))


def coverage(low: Array, high: Array, truth: float) -> float:
    """The share of intervals that hold the truth, but for rounding."""
    slack = 1e-9 * max(1.0, abs(truth))
    return float(np.mean((low <= truth + slack) & (high >= truth - slack)))
