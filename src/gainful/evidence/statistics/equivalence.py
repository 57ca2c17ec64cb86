"""Are two systems practically the same? Two one-sided tests, and posterior probabilities.

"Not significant" is no answer to that: few queries tell nothing apart. Here the question is whether
the mean difference lies within a margin that the user names, as what is smaller does not matter.

Schuirmann's two one-sided t tests (TOST, 1987) put the burden of proof on equivalence: p is the
larger of the p of both, that the difference is at the margin or beyond it on either side.

The Bayesian comparison (Benavoli, Corani, Demšar & Zaffalon 2017) shares out one probability among
better, practically the same (the region of practical equivalence, from minus the margin to the
margin) and worse. With the usual prior that knows nothing, the mean has Student's t about the one
that was seen. Its counterpart for ranks (Benavoli et al. 2014) needs no normality: queries get
random weights (a Dirichlet process, with one more query of difference 0 and the weight of half a
query as the prior), and asked is which of the three has most of the weighted means of two queries.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.resampling import Resampling
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, slices

_PRIOR_WEIGHT = 0.5  # of the query that is added, in queries
_BATCH_NUMBERS = 1 << 21


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


def posterior_signed_rank(differences: Array, margin: float, resampling: Resampling) -> Posterior:
    """Better, practically the same or worse, by the signs and ranks of differences.

    Each draw gives queries random weights, the same ones for every column.

    Args:
        differences: a row for each query, a column for each pair of systems.
        margin: what does not matter yet.
        resampling: how many draws, from which seed.

    Examples:
        >>> better = np.array([[0.1], [0.3], [0.2], [0.4], [0.2]])
        >>> posterior = posterior_signed_rank(better, 0.01, Resampling(resamples=999))
        >>> float(posterior.better[0]) > 0.95, float(posterior.worse[0])
        (True, 0.0)
    """
    with_prior = np.concatenate([np.zeros((1, differences.shape[1])), differences])
    order = np.argsort(with_prior, axis=0)
    ascending = np.take_along_axis(with_prior, order, axis=0)
    slack = COARSE_ROUNDING * np.maximum(np.abs(ascending).max(axis=0), margin)
    concentration = np.ones(len(with_prior))
    concentration[0] = _PRIOR_WEIGHT
    random = resampling.random_generator()
    wins = np.zeros((3, differences.shape[1]))
    for part in slices(resampling.resamples, _BATCH_NUMBERS // len(with_prior)):
        weights = random.dirichlet(concentration, part.stop - part.start)
        for at, column in enumerate(ascending.T):
            shares = _share_pairs(weights[:, order[:, at]], column, margin, slack[at])
            wins[:, at] += np.bincount(shares.argmax(axis=1), minlength=3)
    same, better, worse = wins / resampling.resamples
    return Posterior(better, same, worse)


def _share_pairs(weights: Array, ascending: Array, margin: float, slack: float) -> Array:
    """The weight of pairs of queries whose mean is within, above, below: a row for each draw.

    Of each query those others are enough that stand from some place on. A mean just at the margin
    counts half.
    """
    before = np.zeros((len(weights), weights.shape[1] + 1))  # the weight before each place
    np.cumsum(weights, axis=1, out=before[:, 1:])
    sums = np.stack([2 * margin - ascending, -2 * margin - ascending])
    first, last = (np.searchsorted(ascending, sums + side * slack, "left") for side in (-1, 1))
    passed = [
        np.einsum("dq,dq->d", weights, before[:, low])
        if (low == high).all()
        else np.einsum("dq,dq->d", weights, before[:, low] + before[:, high]) / 2
        for low, high in zip(first, last, strict=True)
    ]
    above, below = 1 - passed[0], passed[1]
    return np.stack([1 - above - below, above, below], axis=1)
