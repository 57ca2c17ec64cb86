"""The searcher of sRBP, from how far searchers read and how often they ask again.

After each document the searcher goes on with probability p; then stays in the list with probability
balance, or else asks anew (Lipani et al. 2019). So a list is read on with s = balance · p, and who
has left it asks again with r = (p − s)/(1 − s).
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.evidence.searchers.fit import Fit


@frozen
class Estimate:
    """A parameter of a searcher, with its interval."""

    symbol: str
    value: float
    low: float
    high: float


def estimate_srbp(reading: Fit, asking: Fit, level: float) -> tuple[Estimate, Estimate] | None:
    """Estimates of p and balance; None where nobody or everybody goes on.

    The interval is that of the delta method, on the scale of log odds.
    """
    stays, asks = reading.value, asking.value
    if stays is None or asks is None or not (0 < stays < 1 and 0 < asks < 1):
        return None
    p = stays + asks * (1 - stays)
    balance = stays / p
    # What a step of the log odds of s and of r changes.
    stays_step, asks_step = stays * (1 - stays), asks * (1 - asks)
    p_slopes = np.array([(1 - asks) * stays_step, (1 - stays) * asks_step])
    by_stays = asks / p**2  # the derivative of s/p by s, and by r
    balance_slopes = np.array([by_stays * stays_step, -stays * (1 - stays) / p**2 * asks_step])
    variances = np.array([reading.variance, asking.variance])
    return (
        _with_interval("p", p, float(p_slopes**2 @ variances), level),
        _with_interval("balance", balance, float(balance_slopes**2 @ variances), level),
    )


def _with_interval(symbol: str, share: float, variance: float, level: float) -> Estimate:
    from scipy.special import ndtri  # noqa: PLC0415  (slow to load)

    middle = np.log(share / (1 - share))
    reach = float(ndtri((1 + level) / 2)) * np.sqrt(variance) / (share * (1 - share))
    low, high = (float(1 + np.tanh((middle + sign * reach) / 2)) / 2 for sign in (-1, 1))
    return Estimate(symbol, float(share), low, high)
