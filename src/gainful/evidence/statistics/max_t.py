"""The sign-flip randomisation test of all pairs of runs at once, with step-down max-T.

If nothing distinguishes two runs, each of their differences could as well have had the other sign.
One random sign for each query (or cluster of queries) flips the differences of all pairs together,
so that what pairs have in common is kept. Each pair's sum is divided by the root of the sum of its
squares, which no flip changes: of as many queries that is larger just where Student's t is, so
pairs of different spread can be held against each other. A pair without any difference has the
statistic 0 and the p 1; one with the same difference in every query has the largest there is.

The intervals hold all at once (single-step): mean ± c standard errors, where c is what the largest
t of all pairs passes in alpha of the flips of differences from their means. An interval that would
leave out 0 although p is above alpha ends at 0.

What a flip does to all pairs together is what another sample could have done if the differences are
symmetric together; else that is so of many queries. So control of the family is asymptotic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.exact_sums import round_to_grid
from gainful.evidence.statistics.outcome import widen_to_zero
from gainful.evidence.statistics.randomisation import MAX_EXACT_DIFFERENCES, sign_flips
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.step_down import StepDown
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.progress import report_work
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Ranks, slices

_BATCH_NUMBERS = 1 << 19
INTERVAL = "simultaneous, max-T of centred differences"


@frozen(eq=False)
class FamilyOutcome:
    """What a test of a whole family says: a row for each measure, a column for each pair."""

    p: Array  # by itself
    corrected: Array  # among all
    low: Array
    high: Array
    exact: bool


def flip_families(
    measures: Sequence[UnitSums], pairs: Ranks, resampling: Resampling
) -> FamilyOutcome:
    """The p of each pair in each measure, by itself and among all, and simultaneous intervals.

    Args:
        measures: of each the sums of every run (a column) over the units, which are the same in
            all measures; a unit without a value in a measure has the size 0 there.
        pairs: a row for each pair: the columns of the first and the second run.
        resampling: resamples, seed and level.

    Examples:
        >>> values = np.array([[0.1, 0.0, 0.3], [0.2, 0.0, 0.1], [0.3, 0.0, 0.5], [0.4, 0.0, 0.2]])
        >>> pairs = np.array([[0, 1], [2, 1]])
        >>> outcome = flip_families([UnitSums.from_values(values)], pairs, Resampling())
        >>> outcome.p.tolist(), outcome.exact  # all signs alike: 2 of 16 ways
        ([[0.125, 0.125]], True)
    """
    family = [_Differences.from_units(units, pairs) for units in measures]
    units = measures[0].number
    exact = units <= MAX_EXACT_DIFFERENCES
    counts = StepDown(
        *(
            np.concatenate(both)
            for both in zip(*((item.observed, item.slack) for item in family), strict=True)
        )
    )
    largest: list[Array] = []
    for flips in _small_batches(units, len(pairs) * len(family), resampling):
        flipped = [item.flip(flips) for item in family]
        counts.add(np.concatenate([statistics for statistics, _ in flipped], axis=1))
        largest.append(np.max([largest_t for _, largest_t in flipped], axis=0))
    p, corrected = (p.reshape(len(family), -1) for p in counts.p(exact=exact))
    reach = _critical_value(np.concatenate(largest), resampling.alpha, exact=exact)
    means = np.stack([item.means for item in family])
    margins = np.stack([item.margins(reach) for item in family])
    low, high = widen_to_zero(means - margins, means + margins, corrected > resampling.alpha)
    return FamilyOutcome(p, corrected, low, high, exact)


def _small_batches(units: int, comparisons: int, resampling: Resampling) -> Iterator[Array]:
    """Rows of flips, so few at once that all comparisons of them are held easily."""
    done = 0
    for flips in sign_flips(units, resampling):
        for part in slices(len(flips), _BATCH_NUMBERS // comparisons):
            yield flips[part]
            done += part.stop - part.start
            report_work("resampling", done / resampling.resamples)


def _critical_value(largest: Array, alpha: float, *, exact: bool) -> float:
    """What the largest statistic of all reaches in at most alpha of the resamples."""
    place = int(np.floor(alpha * (len(largest) + (not exact))))
    return float(np.partition(largest, -place)[-place]) if place else np.inf


@frozen(eq=False)
class _Differences:
    """The pairs of one measure, their sums in whole steps of a grid, and what divides them."""

    grid_sums: Array  # units × runs
    sizes: Array
    pairs: Ranks
    means: Array
    standard_errors: Array
    grid_means: Array
    scale: Array  # 1 by the root of the sum of squares; 0 where that is 0
    centred_scale: Array
    observed: Array

    @classmethod
    def from_units(cls, units: UnitSums, pairs: Ranks) -> _Differences:
        """One grid for all runs, so that neither their order nor threads can change a count."""
        flat, (step,) = round_to_grid(units.sums.reshape(-1, 1), units.number)
        grid_sums = flat.reshape(units.sums.shape)
        differences = UnitSums(grid_sums[:, pairs[:, 0]] - grid_sums[:, pairs[:, 1]], units.sizes)
        deviations = differences.deviations()
        noise = COARSE_ROUNDING * np.abs(differences.sums).max(axis=0, initial=0.0)
        deviations[:, (np.abs(deviations) <= noise).all(axis=0)] = 0.0
        scale = _inverse_root((differences.sums**2).sum(axis=0))
        return cls(
            grid_sums=grid_sums,
            sizes=units.sizes,
            pairs=pairs,
            means=differences.means() / step,
            standard_errors=differences.standard_errors() / step,
            grid_means=differences.means(),
            scale=scale,
            centred_scale=_inverse_root((deviations**2).sum(axis=0)),
            observed=np.abs(differences.sums.sum(axis=0)) * scale,
        )

    @property
    def slack(self) -> Array:
        """A sum of values can be off by half a step for each unit of both runs."""
        return len(self.sizes) * self.scale

    def flip(self, flips: Array) -> tuple[Array, Array]:
        """For each row of flips the statistics of all pairs, and the largest t of centred ones."""
        runs = self.grid_sums.sum(axis=0)[:, None] - 2 * (self.grid_sums.T @ flips.T)
        sums = runs[self.pairs[:, 0]]  # pairs × flips: rows are near each other in memory
        sums -= runs[self.pairs[:, 1]]
        sizes = self.sizes.sum() - 2 * (flips @ self.sizes)
        centred = sums - self.grid_means[:, None] * sizes
        largest = (np.abs(centred, out=centred) * self.centred_scale[:, None]).max(axis=0)
        np.abs(sums, out=sums)
        sums *= self.scale[:, None]
        return sums.T, self._as_t(largest)

    def _as_t(self, statistic: Array) -> Array:
        """Student's t, of which the statistic is a function; infinite where nothing varies."""
        number = np.count_nonzero(self.sizes)
        rest = number - statistic**2
        varies = rest > COARSE_ROUNDING * number
        t = np.full(len(statistic), np.inf)
        t[varies] = statistic[varies] * np.sqrt((number - 1) / rest[varies])
        return t

    def margins(self, reach: float) -> Array:
        """How far intervals go from their means; those of differences that do not vary nowhere."""
        varies = self.centred_scale > 0
        margins = np.zeros(len(self.means))
        margins[varies] = reach * self.standard_errors[varies]
        return margins


def _inverse_root(squares: Array) -> Array:
    inverse = np.zeros(len(squares))
    np.divide(1.0, np.sqrt(squares), out=inverse, where=squares > 0)
    return inverse
