"""The sign-flip randomisation test: were the two runs exchangeable, query by query?

If nothing distinguishes two runs, each difference could as well have had the other sign. The p
is the share of all ways to flip signs whose mean is as far from zero as the one that was seen
(Fisher 1935). All pairs of runs are flipped together: one product of matrices. Queries that belong
together, such as the turns of a conversation, are flipped together: their sum is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gainful.evidence.statistics.exact_sums import round_to_grid
from gainful.evidence.statistics.outcome import Outcome, invert_test, p_for_alternative
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.progress import report_work
from gainful.types import Array, slices

MAX_EXACT_DIFFERENCES = 16  # differences of which all 2**n flips are looked at
_BATCH_NUMBERS = 1 << 19  # that are worked on together, so that they stay near the processor
_BATCH_CANDIDATES = 1 << 25  # that are held together
INTERVAL = "inverted randomisation test"


def randomisation_test(differences: Array, resampling: Resampling) -> Outcome:
    """The p of each column of differences, and the interval of its mean.

    Examples:
        >>> outcome = randomisation_test(
        ...     np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]]), Resampling()
        ... )
        >>> float(outcome.p[0]), outcome.exact  # 2 of the 64 ways to flip are as extreme
        (0.03125, True)
    """
    return randomise_clusters(UnitSums.from_values(differences), resampling)


def randomise_clusters(differences: UnitSums, resampling: Resampling) -> Outcome:
    """The p of each column of differences where whole clusters are flipped, and its interval."""
    number, pairs = differences.sums.shape
    exact = number <= MAX_EXACT_DIFFERENCES
    ways = 2**number if exact else 2 * (resampling.resamples + 1)
    blocks = []
    for part in slices(pairs, _BATCH_CANDIDATES // ways):
        columns = UnitSums(differences.sums[:, part], differences.sizes)
        blocks.append(_flip_block(columns, resampling, ways))
        report_work("resampling", part.stop / pairs)
    p, low, high = (np.concatenate(block) for block in zip(*blocks, strict=True))
    return Outcome(p, low, high, INTERVAL, exact)


def _flip_block(
    differences: UnitSums, resampling: Resampling, ways: int
) -> tuple[Array, Array, Array]:
    """Flipping some differences takes twice their sum from the whole.

    So a way to flip is as far above as what was seen where that sum is not positive; and the shift
    at which it becomes so is the mean of those that are flipped.
    """
    number, pairs = differences.sums.shape
    grid_values, steps = round_to_grid(differences.sums, number)
    above, below = np.zeros(pairs), np.zeros(pairs)
    means = np.empty((pairs, ways))
    filled = 0
    for sums, flip_counts in _sum_flipped(grid_values, differences.sizes, resampling):
        sums[np.abs(sums) <= number / 2] = 0.0  # as much as rounding can be
        above += (sums <= 0).sum(axis=1)
        below += (sums >= 0).sum(axis=1)
        flipping = flip_counts > 0  # what flips nothing is what was seen
        kept = sums if flipping.all() else sums[:, flipping]
        width = kept.shape[1]
        np.divide(kept, flip_counts[flipping], out=means[:, filled : filled + width])
        filled += width
    low, high = invert_test(means[:, :filled], ways - filled, resampling.alpha)
    p = p_for_alternative(above / ways, below / ways, resampling.alternative)
    return p, low / steps, high / steps


def _sum_flipped(
    grid_values: Array, sizes: Array, resampling: Resampling
) -> Iterator[tuple[Array, Array]]:
    """Of many ways to flip: the sums of what is flipped (pairs × ways), and how many that are.

    A sample has with each way its mirror image, which flips all the others: what was seen, with
    its own, first. So the sample is symmetric about zero, as all ways together are, and p counts
    the means that are as far from zero on either side: there are twice as many of them as beyond
    one side, so that it depends less on chance.
    """
    number = len(grid_values)
    total = grid_values.sum(axis=0)[:, None]
    exact = number <= MAX_EXACT_DIFFERENCES
    if not exact:
        yield np.zeros_like(total), np.zeros(1)
        yield total.copy(), np.full(1, sizes.sum())
    for flips in sign_flips(number, resampling):
        sums, flip_counts = grid_values.T @ flips.T, flips @ sizes
        mirrored = None if exact else total - sums
        yield sums, flip_counts
        if mirrored is not None:
            yield mirrored, sizes.sum() - flip_counts


def sign_flips(number: int, resampling: Resampling) -> Iterator[Array]:
    """Rows of ones and zeros: all there are, or a sample that depends on the seed alone."""
    if number <= MAX_EXACT_DIFFERENCES:
        all_flips = np.arange(2**number)[:, None] >> np.arange(number) & 1
        yield all_flips.astype(np.float64)
        return
    random = resampling.random_generator()
    for part in slices(resampling.resamples, _BATCH_NUMBERS // number):
        shape = (part.stop - part.start, number)
        bits = np.unpackbits(np.frombuffer(random.bytes(-(-shape[0] * number // 8)), np.uint8))
        yield bits[: shape[0] * number].reshape(shape).astype(np.float64)
