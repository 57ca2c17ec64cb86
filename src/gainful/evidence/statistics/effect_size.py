"""How large is a difference, what could be seen, and how many queries would it take?"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from math import isnan

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadValue, WrongType, check_number, check_whole_number
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Flags, is_number

POWER = 0.8
_MAX_QUERIES = 10_000_000  # queries; nobody has more
_LARGEST_EFFECT, _LARGEST_CENTRE = 1e3, 5e5
_HALVINGS = 50  # after which an effect has all its digits
_SMALLEST_ALPHA = 1e-9  # below it the tail of t has no digits left


def t_test_power(effect: float, queries: int, alpha: float = 0.05) -> float:
    """The chance that a true effect (Cohen's dz) is found significant, two-sided."""
    from scipy.special import betainc, gammaln, stdtrit, xlogy  # noqa: PLC0415  (slow to load)

    centre = min(abs(effect), _LARGEST_EFFECT) ** 2 * queries / 2
    degrees = queries - 1
    if not centre:
        return alpha
    if centre > _LARGEST_CENTRE:
        return 1.0
    # The square of t is a non-central F of one degree: a Poisson mixture of beta distributions.
    reach = 10 * centre**0.5 + 40  # beyond it a term has no digits left
    term = np.arange(max(0.0, np.floor(centre - reach)), centre + reach)
    weight = np.exp(xlogy(term, centre) - centre - gammaln(term + 1))
    limit = stdtrit(degrees, alpha / 2) ** 2
    beyond = betainc(degrees / 2, term + 0.5, degrees / (limit + degrees))
    return float(min(weight @ beyond, 1.0))


def detectable_effect(queries: int, alpha: float = 0.05, power: float = POWER) -> float:
    """The smallest true effect (Cohen's dz) that this number of queries detects with this power.

    Times the standard deviation of the differences it is a difference of means.

    Examples:
        >>> round(detectable_effect(50), 4)
        0.4042
    """
    check_levels(alpha, power)
    check_whole_number("queries", queries, 2, _MAX_QUERIES)
    largest = 1.0
    while t_test_power(largest, int(queries), alpha) < power:
        largest *= 2
        if largest > _LARGEST_EFFECT:
            raise BadValue("queries", queries, f"more, to find anything at alpha {alpha:g}")
    smallest = 0.0
    for _ in range(_HALVINGS):
        middle = (smallest + largest) / 2
        is_enough = t_test_power(middle, int(queries), alpha) >= power
        smallest, largest = (smallest, middle) if is_enough else (middle, largest)
    return largest


def queries_needed(effect: float, alpha: float = 0.05, power: float = POWER) -> int:
    """How many queries find a true effect (Cohen's dz) with this power?

    Examples:
        >>> queries_needed(0.5)
        34
    """
    check_levels(alpha, power)
    if not is_number(effect):
        raise WrongType("effect", effect, "a number: the difference in standard deviations")

    def enough(queries: int) -> bool:
        return t_test_power(abs(effect), queries, alpha) >= power

    if isnan(effect) or not enough(_MAX_QUERIES):
        raise BadValue("effect", effect, f"one that {_MAX_QUERIES} queries can show")
    return bisect_left(range(_MAX_QUERIES), x=True, lo=2, key=enough)


def count_queries(effect: float, alpha: float = 0.05, power: float = POWER) -> int | None:
    """The queries that find a true effect; None where no collection has so many."""
    try:
        return queries_needed(effect, alpha, power)
    except BadValue:
        return None


def check_share(name: str, value: object, least: float = 0.0) -> None:
    """Refuse what is no number between 0, or a little above it, and 1."""
    allowed = f"a number between {least:g} and 1"
    check_number(name, value, allowed, lambda share: least < share < 1)


def check_levels(alpha: float, power: float) -> None:
    """Refuse levels at which power is undefined."""
    check_share("alpha", alpha, _SMALLEST_ALPHA)
    check_power(power, alpha)


def check_power(power: float, alpha: float) -> None:
    """Refuse a power that any difference has, or none."""
    check_share("power", power)
    if power <= alpha:
        raise BadValue("power", power, f"a number above alpha ({alpha:g})")


SKEWED = 0.75  # from this skewness on, limits of means are lenient (docs/error-rates.md, margins)

_detectable_dz = lru_cache(maxsize=64)(detectable_effect)


def detectable_difference(queries: int, spread: float, alpha: float, power: float) -> float | None:
    """The smallest true difference that is found; None where nothing varies or can be found."""
    if not spread or not _SMALLEST_ALPHA < alpha < power:
        return None
    try:
        return _detectable_dz(queries, alpha, power) * spread
    except BadValue:
        return None


@frozen
class EffectSize:
    """The size of a difference; None where the differences do not vary, or nobody could show it."""

    dz: float | None  # Cohen's: the mean difference in standard deviations of the differences
    wins: int
    ties: int
    losses: int
    detectable: float | None = None  # the smallest true difference that is found, mostly

    def reverse(self) -> EffectSize:
        """The effect seen from the other side."""
        dz = None if self.dz is None else -self.dz
        return evolve(self, dz=dz, wins=self.losses, losses=self.wins)


def effect_size(differences: Array) -> EffectSize:
    """The effect size of paired differences.

    Examples:
        >>> effect = effect_size(np.array([0.1, 0.2, 0.0, 0.3]))
        >>> round(effect.dz, 4), effect.wins, effect.ties, effect.losses
        (1.1619, 3, 1, 0)
    """
    spread = find_spread(differences)
    return EffectSize(
        dz=float(differences.mean()) / spread if spread else None,
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
    )


def find_spread(differences: Array) -> float:
    """Their standard deviation; 0 where they vary by rounding alone, or beyond all numbers."""
    spread = 0.0 if constant_columns(differences[:, None])[0] else float(differences.std(ddof=1))
    return spread if np.isfinite(spread) else 0.0


def skewness_of_changes(differences: Array) -> float:
    """The skewness of the differences that are not 0; below 0 where losses are rare and large.

    Examples:
        >>> round(skewness_of_changes(np.array([0.1, 0.0, 0.1, -0.4, 0.1, 0.1])), 4)
        -1.5
    """
    changed = differences[differences != 0]
    if not changed.size or constant_columns(changed[:, None])[0]:
        return 0.0
    deviations = (changed - changed.mean()) / np.abs(changed).max()
    return float((deviations**3).mean() / (deviations**2).mean() ** 1.5)


def constant_columns(differences: Array) -> Flags:
    """Which columns vary by rounding alone?"""
    largest = np.abs(differences).max(axis=0)
    flags: Flags = np.ptp(differences, axis=0) <= COARSE_ROUNDING * largest
    return flags
