"""What tests take and give: level and resamples, sums over units; p and intervals of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from attrs import Factory, evolve, frozen

from gainful.defaults import ALPHA, RESAMPLES, SEED
from gainful.errors import BadValue, check_number, check_seed, check_whole_number
from gainful.rounding import ROUNDING
from gainful.types import Array, Flags, Ranks

Alternative = Literal["two-sided", "less", "greater"]
DEFAULT_LEVEL = 95.0  # of intervals, in per cent
MIN_RESAMPLES = 99  # with fewer, no p could be as small as 0.01
MAX_RESAMPLES = 10_000_000


@frozen
class Resampling:
    """Resamples, seed and level of a test; the same ones and the same values give the same numbers.

    Examples:
        >>> Resampling(resamples=0)
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: resamples is 0; allowed: a whole number from 99 to 10000000
    """

    alpha: float = ALPHA
    resamples: int = RESAMPLES
    seed: int = SEED
    alternative: Alternative = "two-sided"

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot be; numbers of other makes, such as NumPy's, become plain ones."""
        allowed = "a number between 0 and 1, such as 0.05"
        check_number("alpha", self.alpha, allowed, lambda alpha: 0 < alpha < 1)
        check_whole_number("resamples", self.resamples, MIN_RESAMPLES, MAX_RESAMPLES)
        check_seed(self.seed)
        if self.alternative not in get_args(Alternative):
            raise BadValue("alternative", self.alternative, ", ".join(get_args(Alternative)))
        for name, kind in (("alpha", float), ("resamples", int), ("seed", int)):
            object.__setattr__(self, name, kind(getattr(self, name)))

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> Resampling:
        """What `ResamplingOptions` say; the usual number of resamples where it is None."""
        given: dict[str, Any] = dict(options)
        if given.get("resamples") is None:
            given.pop("resamples", None)
        return cls(**given)

    @property
    def level(self) -> str:
        """The level of intervals in words, such as 95 %."""
        return f"{100 * (1 - self.alpha):g} %"

    def random_generator(self) -> np.random.Generator:
        """A fresh stream of chance: always the same one."""
        return np.random.Generator(np.random.PCG64(self.seed))


_BITS = 52  # whole numbers below 2**53 are exact, and so are their sums


def round_to_grid(
    values: Array, max_terms: int, magnitude: Array | None = None
) -> tuple[Array, Array]:
    """Values as whole numbers of a fine grid, and how many steps of it make 1, by column.

    Sums of so many of them are exact, so that neither the order in which they are added nor the
    number of threads that add them can change a count. The grid is so fine that a value is off
    by less than one part in 2**52/max_terms of the largest. `magnitude` is what they were made of,
    if that was larger: what is left of it after rounding is nothing then.
    """
    largest = np.abs(values).max(axis=0, initial=0.0) if magnitude is None else magnitude
    bits = _BITS - int(np.ceil(np.log2(max(max_terms, 2))))
    exponent = np.where(largest > 0, bits - np.ceil(np.log2(np.where(largest > 0, largest, 1))), 0)
    steps = np.exp2(np.minimum(exponent, 1000))
    return np.rint(values * steps), steps


def drop_rounding_noise(values: Array) -> Array:
    """Values of which those of one row that differ by rounding alone do not differ.

    Sums that come in another order are rounded otherwise, on another machine always the same way:
    a test of signs would take that for evidence.

    Examples:
        >>> drop_rounding_noise(np.array([[0.1 + 0.2, 0.3, 0.4]])).tolist()
        [[0.3, 0.3, 0.4]]
    """
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    gaps = np.diff(ascending, axis=1, prepend=-np.inf)
    new = gaps > ROUNDING * np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    first = np.maximum.accumulate(np.where(new, np.arange(values.shape[1]), 0), axis=1)
    cleaned = np.empty_like(values)
    np.put_along_axis(cleaned, order, np.take_along_axis(ascending, first, axis=1), axis=1)
    return cleaned


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
    ends where that share passes alpha/2 (Hartigan's typical values). Of candidates (pairs ×
    resamples, reordered here) some resamples have none: so many are always extreme.
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


@frozen(eq=False)
class UnitSums:
    """A row for each unit: the sum of its values in each column, and how many values that are.

    The mean of a column is over values, not over units: the sum of all sums by that of all sizes.
    """

    sums: Array
    sizes: Array

    @classmethod
    def from_values(
        cls, values: Array | UnitSums, unit: Ranks | None = None, number: int | None = None
    ) -> UnitSums:
        """The sums of each unit, by its number; without these each row is one.

        `number` is how many units there are, if some of them may have no value.

        Examples:
            >>> units = UnitSums.from_values(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]))
            >>> units.sums.tolist(), units.sizes.tolist()
            ([[5.0], [2.0]], [2.0, 1.0])
        """
        if isinstance(values, UnitSums):
            return values
        if unit is None:
            return cls(values, np.ones(len(values)))
        sizes = np.bincount(unit, minlength=number or 0).astype(np.float64)
        sums = np.zeros((len(sizes), values.shape[1]))
        np.add.at(sums, unit, values)
        return cls(sums, sizes)

    def select(self, columns: Flags | Ranks | slice) -> UnitSums:
        """Some of the columns."""
        return UnitSums(self.sums[:, columns], self.sizes)

    @property
    def number(self) -> int:
        """How many units there are."""
        return len(self.sizes)

    @property
    def is_clustered(self) -> bool:
        """Has a unit several values, or none?"""
        return bool((self.sizes != 1).any())

    @property
    def unit_means(self) -> Array:
        """The mean of each unit, in each column."""
        return np.asarray(self.sums / self.sizes[:, None])

    def means(self) -> Array:
        """The mean value of each column."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    def deviations(self) -> Array:
        """How far the sum of each unit is from what its size and the mean would give."""
        return np.asarray(self.sums - self.sizes[:, None] * self.means())

    def jackknife_means(self) -> Array:
        """The mean of each column without each of the units."""
        rest = (self.sizes.sum() - self.sizes)[:, None]
        return np.asarray(self.means() - self.deviations() / rest)

    def standard_errors(self) -> Array:
        """Of the mean of each column, units being independent: the cluster-robust ones.

        Of single values it is their standard deviation by the root of their number.
        """
        squares = (self.deviations() ** 2).sum(axis=0) * self.number / max(self.number - 1, 1)
        return np.asarray(np.sqrt(squares) / self.sizes.sum())
