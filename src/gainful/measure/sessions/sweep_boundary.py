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

_ROOT_TOLERANCE = 1e-12  # in the logarithm of the base


@frozen
class Crossing:
    """A point where the winner changes: `below` wins at smaller values of the base it lies on."""

    b: float
    bq: float
    along: Literal["b", "bq"]
    below: int
    above: int


def find_winners(means: Array) -> Ranks:
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
    changes = _find_changes(lambda bq: row.means([bq])[0], bqs, find_winners(row.means(bqs)))
    return [Crossing(b, bq, "bq", below, above) for bq, below, above in changes]


def find_crossings_along_b(
    sums: SweepSums, bq: float, bs: Sequence[float], winner: Ranks | None = None
) -> list[Crossing]:
    """Where the winner changes with b, for one bq; `won` are the winners, if they are known."""

    def means(b: float) -> Array:
        return np.asarray(sums.row(b).means([bq])[0])

    if winner is None:
        winner = find_winners(np.stack([means(b) for b in bs]))
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
    """Where a function that changes its sign is zero.

    In the logarithm of the base, in which the means are nearly straight.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  (slow to load, and only where winners change)

    return exp(brentq(lambda at: function(exp(at)), log(low), log(high), xtol=_ROOT_TOLERANCE))


def kendall_tau(means: Array, reference: Array) -> Array:
    """Kendall's tau-b of the order of groups against their order in the reference."""
    first, second = np.triu_indices(len(reference), k=1)
    here = _sign(means[..., first], means[..., second])
    there = _sign(reference[first], reference[second])
    agree = (here * there).sum(axis=-1)
    size = np.sqrt((here != 0).sum(axis=-1) * float((there != 0).sum()))
    tau = np.divide(agree, size, out=np.full(np.shape(agree), np.nan), where=size > 0)
    return np.asarray(tau)


def _sign(first: Array, second: Array) -> Array:
    """Which is larger: 1, -1, or 0 where they are the same but for rounding, or not there."""
    near = ROUNDING * np.maximum(np.abs(first), np.abs(second))
    with np.errstate(invalid="ignore"):
        sign = np.where(np.abs(first - second) > near, np.sign(first - second), 0.0)
    return np.nan_to_num(sign)
