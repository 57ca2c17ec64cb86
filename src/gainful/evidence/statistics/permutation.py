"""The permutation test of a study: systems against each other, with blocks, by its design.

The statistic is the difference of two systems by least squares, blocks taken out. To exchange
searchers who did the same, to rename systems within one who tried them all, or to shuffle what has
no order, changes nothing in how sessions are spread over blocks. So it is enough to take the
blocks out of the values once: the sum of what is left over the sessions of a system is the
difference, but for a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.evidence.statistics.exact_sums import round_to_grid
from gainful.evidence.statistics.outcome import (
    Outcome,
    critical_value,
    invert_test,
    p_for_alternative,
    p_value,
)
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.study_design import Design, remove_block_effects
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Ranks

INVERTED = "inverted permutation test"
SIMULTANEOUS = "permuted Tukey HSD, simultaneous"
_ROUNDING_STEPS = 16  # steps of the grid, for each session: what taking blocks out can be off


def is_estimable(design: Design, blocks: Sequence[Ranks]) -> bool:
    """Can systems be told from blocks? Not where everybody tried one system alone."""
    indicators = np.eye(design.systems)[design.system]
    residuals = remove_block_effects(indicators, blocks)
    rank = int(
        np.linalg.matrix_rank(indicators.T @ residuals, tol=COARSE_ROUNDING * len(indicators))
    )
    return rank >= design.systems - 1


def permute_pair(
    values: Array, design: Design, blocks: Sequence[Ranks], resampling: Resampling
) -> Outcome:
    """The second of two systems against the first, in many columns of values at once.

    To shift the second system by d takes from the sum of an arrangement d times what it has in
    common with the real one; so it is as extreme as that from one d on, and the interval inverts
    the test. p is twice the smaller of both sides, as the interval leaves out half of alpha there.

    Args:
        values: a row for each session of the design, a column for each measure.
        design: what could have been otherwise.
        blocks: whose effects are taken out, a number for each session.
        resampling: level, resamples and seed.
    """
    second = (design.system == 1).astype(np.float64)
    with_system = np.concatenate([values, second[:, None]], axis=1)
    residuals = remove_block_effects(with_system, blocks)
    grid_values, steps = round_to_grid(
        residuals, len(residuals), np.abs(with_system).max(axis=0, initial=0.0)
    )
    slack = _ROUNDING_STEPS * len(residuals)
    observed = second @ grid_values
    above, below = np.zeros(observed.shape), np.zeros(observed.shape)
    shifts: list[Array] = []
    arrangements = 0
    for labels in design.labels(resampling):
        permuted = (labels == 1).astype(np.float64) @ grid_values
        above += (permuted >= observed - slack).sum(axis=0)
        below += (permuted <= observed + slack).sum(axis=0)
        gap = observed - permuted
        gap[np.abs(gap) <= slack] = 0.0
        shifted = gap[:, -1] > 0
        shifts.append(gap[shifted, :-1] / gap[shifted, -1:])
        arrangements += len(labels)
    candidates = np.ascontiguousarray(np.concatenate(shifts).T) * (steps[-1] / steps[:-1])[:, None]
    always_extreme = arrangements - candidates.shape[1] + (not design.is_enumerable)
    low, high = invert_test(candidates, always_extreme, resampling.alpha)
    sides = [
        p_value(counts[:-1], arrangements, exact=design.is_enumerable) for counts in (above, below)
    ]
    return Outcome(
        p_for_alternative(sides[0], sides[1], "two-sided"),
        *(low, high, INVERTED, design.is_enumerable),
        estimate=(observed[:-1] / steps[:-1]) / (observed[-1] / steps[-1]),
    )


def permute_all_pairs(
    values: Array,
    design: Design,
    blocks: Sequence[Ranks],
    pairs: Sequence[tuple[int, int]],
    resampling: Resampling,
) -> Outcome:
    """All pairs of systems together: against the largest difference between any two."""
    indicators = np.eye(design.systems)[design.system]
    residuals = remove_block_effects(np.concatenate([values, indicators], axis=1), blocks)
    columns = values.shape[1]
    inverse = np.linalg.pinv(indicators.T @ residuals[:, columns:], rcond=COARSE_ROUNDING)
    largest = np.abs(values).max(axis=0, initial=0.0)
    grid_values, steps = round_to_grid(residuals[:, :columns], len(residuals), largest)

    def effects(labels: Ranks) -> Array:
        sums = [
            (labels == system).astype(np.float64) @ grid_values for system in range(design.systems)
        ]
        return np.asarray(np.einsum("ij,jbc->bic", inverse, np.stack(sums)))

    observed_effects = effects(design.system[None, :])[0]
    observed = np.stack(
        [observed_effects[first] - observed_effects[second] for first, second in pairs]
    )
    ranges = [np.ptp(effects(labels), axis=1) for labels in design.labels(resampling)]
    sorted_ranges = np.sort(np.concatenate(ranges), axis=0)
    tolerance = _ROUNDING_STEPS * len(residuals) * float(np.abs(inverse).sum(axis=1).max())
    as_wide = (
        (sorted_ranges[:, None, :] >= np.abs(observed) - tolerance).sum(axis=0).astype(np.float64)
    )
    margin = critical_value(sorted_ranges, resampling.alpha, exact=design.is_enumerable)
    return Outcome(
        p_value(as_wide, len(sorted_ranges), exact=design.is_enumerable),
        *((observed - margin) / steps, (observed + margin) / steps),
        *(SIMULTANEOUS, design.is_enumerable),
        estimate=observed / steps,
    )
