"""Where in the plane of b and bq does another group win?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Literal

import numpy as np
from attrs import frozen

from gainful.measure.sessions.sweep_sums import SweepRow, SweepSums
from gainful.rounding import ROUNDING
from gainful.types import Array, Ranks

_MAX_STEPS, _ROOT_TOLERANCE = 60, 1e-10


@frozen
class Crossing:
    """A point where the winner changes: `below` wins at smaller values of the base it lies on."""

    b: float
    bq: float
    along: Literal["b", "bq"]
    below: int
    above: int


def winners(means: Array) -> Ranks:
    """The number of the best group, in the last axis; -1 where the best two are the same."""
    filled = np.where(np.isnan(means), -np.inf, means)
    best = filled.argmax(axis=-1)
    if means.shape[-1] < 2:
        return np.full(best.shape, -1)
    second, first = np.moveaxis(np.sort(filled, axis=-1)[..., -2:], -1, 0)
    with np.errstate(invalid="ignore"):
        alone = np.isfinite(second) & (
            first - second > ROUNDING * np.maximum(np.abs(first), ROUNDING)
        )
    return np.where(alone, best, -1)


def find_crossings_along_bq(row: SweepRow, b: float, bqs: Sequence[float]) -> list[Crossing]:
    """Where the winner changes with bq, for one b."""
    changes = _find_changes(lambda bq: row.means([bq])[0], bqs, winners(row.means(bqs)))
    return [Crossing(b, bq, "bq", below, above) for bq, below, above in changes]


def find_crossings_along_b(
    sums: SweepSums, bq: float, bs: Sequence[float], winner: Ranks | None = None
) -> list[Crossing]:
    """Where the winner changes with b, for one bq; `won` are the winners, if they are known."""

    def means(b: float) -> Array:
        return np.asarray(sums.row(b).means([bq])[0])

    if winner is None:
        winner = winners(np.stack([means(b) for b in bs]))
    return [
        Crossing(b, bq, "b", below, above) for b, below, above in _find_changes(means, bs, winner)
    ]


def _find_changes(
    means: Callable[[float], Array], bases: Sequence[float], winner: Ranks
) -> list[tuple[float, int, int]]:
    """Between which neighbours another group wins, and where exactly; ties are passed over."""
    decided = np.flatnonzero(winner >= 0)
    changes = []
    for low, high in zip(decided[:-1].tolist(), decided[1:].tolist(), strict=True):
        below, above = int(winner[low]), int(winner[high])
        if below != above:

            def ahead(base: float, below: int = below, above: int = above) -> float:
                both = means(base)
                return float(both[below] - both[above])

            changes.append((_find_root(ahead, bases[low], bases[high]), below, above))
    return changes


def _find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes its sign is zero: the false position, halved if it lingers.

    In the logarithm of the base, in which the means are nearly straight.
    """
    a, z = log(low), log(high)
    at_a, at_z = function(low), function(high)
    kept_side, middle = 0, a
    for _ in range(_MAX_STEPS):
        middle = (a * at_z - z * at_a) / (at_z - at_a)
        value = function(exp(middle))
        if value == 0 or z - a < _ROOT_TOLERANCE:
            break
        if (value > 0) == (at_a > 0):
            step, (a, at_a) = middle - a, (middle, value)
            at_z, kept_side = (at_z / 2 if kept_side == 1 else at_z), 1
        else:
            step, (z, at_z) = z - middle, (middle, value)
            at_a, kept_side = (at_a / 2 if kept_side == -1 else at_a), -1
        if step < _ROOT_TOLERANCE:
            break
    return exp(middle)
