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
from attrs import frozen

from gainful.evidence.statistics.exact_sums import on_grid
from gainful.evidence.statistics.outcome import at_least, of_side, typical
from gainful.evidence.statistics.resampling import How
from gainful.evidence.statistics.study_design import Design, without_blocks
from gainful.formula import Array
from gainful.match.matched import Ranks

INVERTED = "inverted permutation test"
SIMULTANEOUS = "permuted Tukey HSD, simultaneous"
_NOTHING = 1e-9
_ROUNDED = 16  # steps of the grid, for each session: what taking blocks out can be off


@frozen(eq=False)
class Exchanged:
    """For each column of values (of all pairs: pairs × columns)."""

    estimate: Array
    p: Array
    low: Array
    high: Array
    exact: bool


def estimable(design: Design, blocks: Sequence[Ranks]) -> bool:
    """Can systems be told from blocks? Not where everybody tried one system alone."""
    tried = np.eye(design.systems)[design.system]
    left = without_blocks(tried, blocks)
    rank = int(np.linalg.matrix_rank(tried.T @ left, tol=_NOTHING * len(tried)))
    return rank >= design.systems - 1


def of_two(values: Array, design: Design, blocks: Sequence[Ranks], resampling: How) -> Exchanged:
    """The second of two systems against the first, in many columns of values at once.

    To shift the second system by d takes from the sum of an arrangement d times what it has in
    common with the real one; so it is as extreme as that from one d on, and the interval inverts
    the test. p is twice the smaller of both sides, as the interval leaves out half of alpha there.

    Args:
        values: a row for each session of the design, a column for each measure.
        design: what could have been otherwise.
        blocks: whose effects are taken out, a number for each session.
        how: level, resamples and seed.
    """
    second = (design.system == 1).astype(np.float64)
    given = np.concatenate([values, second[:, None]], axis=1)
    left = without_blocks(given, blocks)
    whole, steps = on_grid(left, len(left), np.abs(given).max(axis=0, initial=0.0))
    slack = _ROUNDED * len(left)
    seen = second @ whole
    above, below = np.zeros(seen.shape), np.zeros(seen.shape)
    shifts: list[Array] = []
    looked_at = 0
    for labels in design.labels(resampling):
        found = (labels == 1).astype(np.float64) @ whole
        above += (found >= seen - slack).sum(axis=0)
        below += (found <= seen + slack).sum(axis=0)
        less = seen - found
        less[np.abs(less) <= slack] = 0.0
        moved = less[:, -1] > 0
        shifts.append(less[moved, :-1] / less[moved, -1:])
        looked_at += len(labels)
    candidates = np.ascontiguousarray(np.concatenate(shifts).T) * (steps[-1] / steps[:-1])[:, None]
    always = looked_at - candidates.shape[1] + (not design.enumerated)
    low, high = typical(candidates, always, resampling.alpha)
    sides = [at_least(counts[:-1], looked_at, exact=design.enumerated) for counts in (above, below)]
    return Exchanged(
        estimate=(seen[:-1] / steps[:-1]) / (seen[-1] / steps[-1]),
        p=of_side(sides[0], sides[1], "two-sided"),
        low=low,
        high=high,
        exact=design.enumerated,
    )


def of_all(
    values: Array,
    design: Design,
    blocks: Sequence[Ranks],
    pairs: Sequence[tuple[int, int]],
    resampling: How,
) -> Exchanged:
    """All pairs of systems together: against the largest difference between any two."""
    tried = np.eye(design.systems)[design.system]
    left = without_blocks(np.concatenate([values, tried], axis=1), blocks)
    columns = values.shape[1]
    solved = np.linalg.pinv(tried.T @ left[:, columns:], rcond=_NOTHING)
    size = np.abs(values).max(axis=0, initial=0.0)
    whole, steps = on_grid(left[:, :columns], len(left), size)

    def effects(labels: Ranks) -> Array:
        sums = [(labels == one).astype(np.float64) @ whole for one in range(design.systems)]
        return np.asarray(np.einsum("ij,jbc->bic", solved, np.stack(sums)))

    real = effects(design.system[None, :])[0]
    seen = np.stack([real[one] - real[other] for one, other in pairs])
    ranges = [np.ptp(effects(labels), axis=1) for labels in design.labels(resampling)]
    widest = np.sort(np.concatenate(ranges), axis=0)
    near = _ROUNDED * len(left) * float(np.abs(solved).sum(axis=1).max())
    wide = (widest[:, None, :] >= np.abs(seen) - near).sum(axis=0).astype(np.float64)
    place = int(np.floor(resampling.alpha * (len(widest) + (not design.enumerated))))
    apart = widest[-place] if place else np.full(columns, np.inf)
    return Exchanged(
        estimate=seen / steps,
        p=at_least(wide, len(widest), exact=design.enumerated),
        low=(seen - apart) / steps,
        high=(seen + apart) / steps,
        exact=design.enumerated,
    )
