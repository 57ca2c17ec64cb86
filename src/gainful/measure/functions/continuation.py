"""How likely a searcher goes on from one document to the next: INST's rule and IFT's.

Gains are from 0 to 1. Measures of single lists and of sessions share these; they differ in what
they count as looked at and gained so far.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gainful.errors import BadValue
from gainful.types import Array

# Of the gain so far, and of the gain per document looked at: how likely the searcher goes on.
Forager = Callable[[Array, Array], Array]


def check_goal(T: float, measure: str) -> None:  # noqa: N803  (as in the paper)
    """Refuse a goal so small that what INST says is no probability."""
    if T < 0.5:
        allowed = f"at least 0.5 for {measure}; below, a searcher would go on for certain"
        raise BadValue("T", T, allowed)


def inst_continuation(x: Array) -> Array:
    """INST's rule, x being the documents looked at + 2T − the gain so far."""
    return ((x - 1) / x) ** 2


def make_forager(
    *,
    foraging: str,
    T: float,  # noqa: N803  (all as in the paper)
    b1: float,
    R1: float,  # noqa: N803
    A: float,  # noqa: N803
    b2: float,
    R2: float,  # noqa: N803
) -> Forager:
    """IFT's rule: less likely the nearer the goal T, and the further the rate is below A.

    C1 = 1 − 1/(1 + b1·e^(R1·(T − gain))), C2 = 1/(1 + b2·e^(R2·(A − rate))), and C1·C2 of a
    searcher who heeds both.
    """

    def goal(gain: Array) -> Array:
        return _logistic(np.log(b1) + R1 * (T - gain))

    def rate(gain_rate: Array) -> Array:
        return _logistic(-np.log(b2) - R2 * (A - gain_rate))

    rules: dict[str, Forager] = {
        "goal_and_rate": lambda gain, gain_rate: goal(gain) * rate(gain_rate),
        "goal": lambda gain, _: goal(gain),
        "rate": lambda _, gain_rate: rate(gain_rate),
    }
    return rules[foraging]


def _logistic(u: Array) -> Array:
    with np.errstate(over="ignore"):  # e^∞ is what a searcher is who follows the rule to the letter
        return np.asarray(1 / (1 + np.exp(-u)))
