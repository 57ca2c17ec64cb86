"""The sign-flip randomisation test: were the two runs exchangeable, query by query?

If nothing distinguishes two runs, each difference could as well have had the other sign. The p
is the share of all ways to flip signs whose mean is as far from zero as the one that was seen
(Fisher 1935). All pairs of runs are flipped together: one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gainful.evidence.statistics.exact_sums import on_grid
from gainful.evidence.statistics.outcome import Outcome, at_least, of_side, typical
from gainful.evidence.statistics.resampling import How
from gainful.formula import Array

ENUMERATED = 16  # differences of which all 2**n flips are looked at
_AT_ONCE = 1 << 19  # numbers that are worked on at a time, so that they stay near the processor
_HELD = 1 << 25  # candidates that are held
INTERVAL = "inverted randomisation test"


def randomisation(differences: Array, resampling: How) -> Outcome:
    """The p of each column of differences, and the interval of its mean.

    Examples:
        >>> found = randomisation(np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]]), How())
        >>> float(found.p[0]), found.exact  # 2 of the 64 ways to flip are as extreme
        (0.03125, True)
    """
    number, pairs = differences.shape
    exact = number <= ENUMERATED
    looked_at = 2**number if exact else resampling.resamples
    block = max(1, _HELD // looked_at)
    parts = [
        _of_block(differences[:, start : start + block], resampling, looked_at, exact=exact)
        for start in range(0, pairs, block)
    ]
    p, low, high = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Outcome(p, low, high, INTERVAL, exact)


def _of_block(
    differences: Array, resampling: How, looked_at: int, *, exact: bool
) -> tuple[Array, Array, Array]:
    """Flipping some differences takes twice their sum from the whole.

    So a way to flip is as far above as what was seen where that sum is not positive; and the shift
    at which it becomes so is the mean of those that are flipped.
    """
    number, pairs = differences.shape
    whole, steps = on_grid(differences, number)
    above, below = np.zeros(pairs), np.zeros(pairs)
    means = np.empty((pairs, looked_at))
    filled = 0
    for flips in _flips(number, resampling):
        sums = whole.T @ flips.T
        sums[np.abs(sums) <= number / 2] = 0.0  # as much as rounding can be
        above += (sums <= 0).sum(axis=1)
        below += (sums >= 0).sum(axis=1)
        size = flips.sum(axis=1)
        if not size.all():  # what flips nothing is what was seen
            sums, size = sums[:, size > 0], size[size > 0]
        np.divide(sums, size, out=means[:, filled : filled + size.size])
        filled += size.size
    always = looked_at - filled + (not exact)
    low, high = typical(means[:, :filled], always, resampling.alpha)
    sides = [at_least(counts, looked_at, exact=exact) for counts in (above, below)]
    return of_side(sides[0], sides[1], resampling.alternative), low / steps, high / steps


def _flips(number: int, resampling: How) -> Iterator[Array]:
    """Rows of ones and zeros: all there are, or a sample that depends on the seed alone."""
    if number <= ENUMERATED:
        every = np.arange(2**number)[:, None] >> np.arange(number) & 1
        yield every.astype(np.float64)
        return
    random = resampling.random()
    rows = max(1, _AT_ONCE // number)
    for start in range(0, resampling.resamples, rows):
        shape = (min(rows, resampling.resamples - start), number)
        bits = np.unpackbits(np.frombuffer(random.bytes(-(-shape[0] * number // 8)), np.uint8))
        yield bits[: shape[0] * number].reshape(shape).astype(np.float64)
