"""The permutation test of a study: systems against each other, with blocks, by its design.

The effects of searchers and scenarios are taken out of the values first; they do not depend on who
got which assignment. What is tested is the difference between the means of what is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from gainful.compare.statistics.design import Design, without_blocks
from gainful.compare.statistics.exact_sums import on_grid
from gainful.compare.statistics.how import How
from gainful.compare.statistics.outcome import at_least, typical
from gainful.compare.statistics.randomisation import extreme
from gainful.formula import Array
from gainful.match.matched import Ranks

INVERTED = "inverted permutation test"
BLOCKED = "bootstrap of searchers, percentile"
_NOTHING = 1e-9


@frozen(eq=False)
class Exchanged:
    """For each pair of systems (a row) and each column of values."""

    estimate: Array  # the difference, blocks taken out, by least squares
    p: Array
    family_wise: Array  # p against the largest difference between any two systems
    low: Array
    high: Array
    interval: str
    exact: bool


def exchanged(
    values: Array,
    design: Design,
    blocks: Sequence[Ranks],
    pairs: Sequence[tuple[int, int]],
    how: How,
) -> Exchanged:
    """The evidence for each pair of systems, of many columns of values at once.

    Args:
        values: a row for each session, a column for each measure.
        design: what could have been otherwise.
        blocks: whose effects are taken out, a number for each session.
        pairs: the systems to compare.
        how: level, resamples and seed.
    """
    tried = np.eye(design.systems)[design.system]
    left = without_blocks(np.concatenate([values, tried], axis=1), blocks)
    columns = values.shape[1]
    found = _permuted(left[:, :columns], left[:, columns:], design, pairs, how)
    p, family_wise, low, high, inverted = found
    if not inverted:
        low, high = _of_searchers(left, columns, design, pairs, how)
    return Exchanged(
        estimate=_estimates(_sums(design.system[None, :], left, design), columns, pairs)[0],
        p=p,
        family_wise=family_wise,
        low=low,
        high=high,
        interval=INVERTED if inverted else BLOCKED,
        exact=design.enumerated,
    )


def _permuted(
    left: Array, tried: Array, design: Design, pairs: Sequence[tuple[int, int]], how: How
) -> tuple[Array, Array, Array, Array, bool]:
    """The p of each pair, alone and family-wise; of two systems the interval too.

    A shift of the second system by d changes the statistic of a labelling by d times what that
    labelling has of the real one. So it is as extreme as the real one from one d on.
    """
    whole, steps = on_grid(np.concatenate([left, tried[:, :1]], axis=1), len(left))
    seen = _differences(design.system[None, :], whole, design, pairs)[0]
    slack = _NOTHING * np.abs(whole).max(axis=0, initial=0.0)
    single, largest = np.zeros(seen.shape), np.zeros(seen.shape)
    candidates: list[Array] = []
    looked_at, invertible = 0, design.systems == 2
    for labels in design.labels(how):
        found = _differences(labels, whole, design, pairs)
        single += extreme(found, seen, how, slack=slack).sum(axis=0)
        widest = np.abs(found).max(axis=1, keepdims=True)
        largest += (widest >= np.abs(seen) - slack).sum(axis=0)
        looked_at += len(labels)
        if invertible:
            less = (seen - found)[:, 0]  # of the values, and of the labels themselves
            less = less * np.sign(seen[0, -1])
            moved = less[:, -1] > slack[-1]
            invertible = bool((less[:, -1] > -slack[-1]).all())
            candidates.append(less[moved, :-1] / less[moved, -1:])
    p, family_wise = (
        at_least(counts[:, :-1], looked_at, exact=design.enumerated) for counts in (single, largest)
    )
    nothing = np.full(p.shape, np.inf)
    if not invertible:
        return p, family_wise, -nothing, nothing, False
    shifts = np.concatenate(candidates).T * (steps[-1] / steps[:-1])[:, None]
    shifts = shifts * (1 if pairs[0] == (0, 1) else -1)
    always = looked_at - shifts.shape[1] + (not design.enumerated)
    low, high = typical(shifts, always, how.alpha)
    return p, family_wise, low[None, :], high[None, :], True


def _sums(labels: Ranks, whole: Array, design: Design) -> Array:
    """The sum of each column over the sessions of each system: labelling × system × column."""
    return np.stack(
        [(labels == system).astype(np.float64) @ whole for system in range(design.systems)], axis=1
    )


def _differences(
    labels: Ranks, whole: Array, design: Design, pairs: Sequence[tuple[int, int]]
) -> Array:
    """The differences between means: labelling × pair × column."""
    counts = np.stack([(labels == one).sum(axis=1) for one in range(design.systems)], axis=1)
    means = _sums(labels, whole, design) / counts[:, :, None]
    return np.stack([means[:, one] - means[:, other] for one, other in pairs], axis=1)


def _estimates(sums: Array, columns: int, pairs: Sequence[tuple[int, int]]) -> Array:
    """Least squares: the effects of systems that explain what blocks leave."""
    effects = np.linalg.pinv(sums[:, :, columns:], rcond=1e-9) @ sums[:, :, :columns]
    return np.stack([effects[:, one] - effects[:, other] for one, other in pairs], axis=1)


def _of_searchers(
    left: Array, columns: int, design: Design, pairs: Sequence[tuple[int, int]], how: How
) -> tuple[Array, Array]:
    """Whole searchers drawn again, with all that they did."""
    number = int(design.searcher.max()) + 1
    of_each = np.zeros((number, design.systems, left.shape[1]))
    np.add.at(of_each, (design.searcher, design.system), left)
    random = how.random()
    drawn = random.multinomial(number, np.full(number, 1 / number), size=how.resamples)
    sums = np.tensordot(drawn.astype(np.float64), of_each, axes=1)
    found = _estimates(sums, columns, pairs)
    low, high = np.quantile(found, (how.alpha / 2, 1 - how.alpha / 2), axis=0)
    return low, high
