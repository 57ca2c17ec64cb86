"""Are two systems practically the same? Two one-sided tests, and posterior probabilities.

"Not significant" is no answer to that: few queries tell nothing apart. Here the question is whether
the mean difference lies within a margin that the user names, as what is smaller does not matter.

Schuirmann's two one-sided t tests (TOST, 1987) put the burden of proof on equivalence: p is the
larger of the p of both, that the difference is at the margin or beyond it on either side.

The Bayesian comparison (Benavoli, Corani, Demšar & Zaffalon 2017) shares out one probability among
better, practically the same (the region of practical equivalence, from minus the margin to the
margin) and worse. With the usual prior that knows nothing, the mean has Student's t about the one
that was seen.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.types import Array


@frozen(eq=False)
class Posterior:
    """The probability that a system is better, practically the same, worse; they add up to 1."""

    better: Array
    same: Array
    worse: Array


def tost_p(mean: Array, error: Array, degrees: int, margin: float) -> Array:
    """The p of the hypothesis that means differ by the margin or more, either way.

    Where differences do not vary at all, it is 0 within the margin and 1 else.

    Args:
        mean: the mean differences.
        error: their standard errors.
        degrees: of freedom of these.
        margin: what does not matter yet.

    Examples:
        >>> mean, error = np.array([0.1]), np.array([0.05])
        >>> round(float(tost_p(mean, error, 10, 0.2)[0]), 4)  # t = (0.2 - 0.1) / 0.05 = 2
        0.0367
    """
    below, above = _shift_t(mean, error, -margin), _shift_t(mean, error, margin)
    return np.asarray(np.maximum(_t_tail(below, degrees), _t_tail(-above, degrees)))


def posterior_t(mean: Array, error: Array, degrees: int, margin: float) -> Posterior:
    """Better, practically the same or worse, if differences are about normal: in closed form.

    Examples:
        >>> posterior = posterior_t(np.array([0.1]), np.array([0.05]), 10, 0.2)
        >>> [round(float(share[0]), 4) for share in (posterior.better, posterior.worse)]
        [0.0367, 0.0001]
    """
    better = _t_tail(-_shift_t(mean, error, margin), degrees)
    worse = _t_tail(_shift_t(mean, error, -margin), degrees)
    return Posterior(better, np.clip(1 - better - worse, 0, 1), worse)


def _shift_t(mean: Array, error: Array, centre: float) -> Array:
    """How many standard errors the mean is above the centre; without any error, infinitely many."""
    gap = mean - centre
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(gap == 0, 0.0, gap / error))


def _t_tail(t: Array, degrees: int) -> Array:
    """The chance of a t beyond this one."""
    from scipy.special import stdtr  # noqa: PLC0415  (slow to load)

    return np.asarray(stdtr(degrees, -t))
