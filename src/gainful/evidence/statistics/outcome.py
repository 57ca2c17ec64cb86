"""`Outcome`: what a test says of many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import Factory, evolve, frozen

from gainful.evidence.statistics.resampling import Alternative
from gainful.types import Array, Flags

_ARRAYS = ("p", "low", "high", "estimate", "p_corrected")


@frozen(eq=False)
class Outcome:
    """For each pair its p and the interval of its mean difference; infinite where none is known.

    Arrays are by pair, or by measure and pair; `estimate` is nan where a test has none of its own.
    """

    p: Array
    low: Array
    high: Array
    interval_method: str = ""  # how it was found
    exact: bool = False  # were all resamples looked at, or some of them?
    estimate: Array = Factory(lambda self: np.full_like(self.p, np.nan), takes_self=True)
    p_corrected: Array = Factory(lambda self: self.p, takes_self=True)  # p among its family

    def transpose(self) -> Outcome:
        """Measures × pairs instead of pairs × measures."""
        return join_outcomes([self], lambda arrays, **_: arrays[0].T)


def join_outcomes(
    outcomes: Sequence[Outcome], join: Callable[..., Array] = np.stack, axis: int = 0
) -> Outcome:
    """Several outcomes as one: stacked, or set one behind the other."""
    parts = {name: [getattr(item, name) for item in outcomes] for name in _ARRAYS}
    arrays: dict[str, Any] = {name: join(arrays, axis=axis) for name, arrays in parts.items()}
    return evolve(outcomes[0], exact=all(item.exact for item in outcomes), **arrays)


def p_value(counts: Array, resamples: int, *, exact: bool) -> Array:
    """The share of resamples that are as extreme as what was seen.

    All of them hold the one that was seen; to a sample of them it is added, so that no p is 0
    (Phipson & Smyth 2010).
    """
    return counts / resamples if exact else (counts + 1) / (resamples + 1)


def p_for_alternative(greater: Array, less: Array, alternative: Alternative) -> Array:
    """The p of what is asked; of both sides it is twice the smaller, as the interval has it."""
    if alternative == "two-sided":
        return np.asarray(np.minimum(2 * np.minimum(greater, less), 1.0))
    return greater if alternative == "greater" else less


def invert_test(candidates: Array, always_extreme: int, alpha: float) -> tuple[Array, Array]:
    """The interval that inverts a test, from the shift at which each resample changes sides.

    A resample is as extreme as what was seen once the shift that is tested has passed its
    candidate. So the one-sided p at a shift is the share of candidates below it, and the interval
    ends where that share passes alpha/2 (Hartigan's typical values).

    Args:
        candidates: a row for each pair, a column for each resample that has one; reordered.
        always_extreme: how many more resamples there are, the one that was seen included.
        alpha: one minus the confidence.
    """
    pairs, number = candidates.shape
    place = int(np.floor(alpha / 2 * (number + always_extreme))) - always_extreme + 1
    if place < 1:
        unbounded = np.full(pairs, np.inf)
        return -unbounded, unbounded
    candidates.partition((place - 1, number - place), axis=1)
    return candidates[:, place - 1].copy(), candidates[:, number - place].copy()


def critical_value(largest: Array, alpha: float, *, exact: bool) -> Array:
    """What the largest statistic of a family passes in at most alpha of the resamples (rows)."""
    place = int(np.floor(alpha * (len(largest) + (not exact))))
    if not place:
        return np.full(largest.shape[1:], np.inf)
    return np.asarray(np.partition(largest, -place, axis=0)[-place])


def widen_to_zero(low: Array, high: Array, insignificant: Flags) -> tuple[Array, Array]:
    """Intervals that hold 0 wherever p is above alpha: one that would leave it out ends there.

    Examples:
        >>> widen_to_zero(np.array([0.1, 0.1]), np.array([0.5, 0.5]), np.array([True, False]))
        (array([0. , 0.1]), array([0.5, 0.5]))
    """
    return (
        np.where(insignificant, np.minimum(low, 0.0), low),
        np.where(insignificant, np.maximum(high, 0.0), high),
    )
