"""Step-down max-T: what is a p worth among many that are tested together?

Each comparison has a statistic, large where it speaks against chance. Resamples give all of them
anew, together, so that what comparisons have in common (queries, runs) is kept. The largest is
compared with the largest of each resample; the next against the largest of those not yet passed;
and so on (Westfall & Young 1993; Romano & Wolf 2005). Where the comparisons that are alike in truth
have the distribution that resamples give them, the chance of any mistake among them is at most
alpha.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from gainful.defaults import ALPHA, RESAMPLES, SEED
from gainful.errors import BadValue, WrongType
from gainful.evidence.statistics.outcome import (
    Outcome,
    Resampling,
    UnitSums,
    critical_value,
    p_value,
    round_to_grid,
    widen_to_zero,
)
from gainful.evidence.statistics.paired_tests import MAX_EXACT_DIFFERENCES, sign_flips
from gainful.progress import report_work
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Flags, Ranks, slices

_BATCH_FLIPS = 1024
_BLOCK_PAIRS = 128


class StepDown:
    """Counts of resamples as extreme as what was seen, chunk by chunk: see `step_down_max_t`."""

    def __init__(self, observed: Array, slack: Array | float = 0.0) -> None:
        self.order = np.argsort(observed, kind="stable")  # the least extreme first
        with np.errstate(invalid="ignore"):  # what is infinite stays so
            self._least = (observed * (1 - COARSE_ROUNDING) - slack)[self.order, None]
        self._own = np.zeros(len(observed))  # these and `_largest` in that order
        self._largest = np.zeros(len(observed))
        self._resamples = 0

    def add(self, resampled: Array) -> None:
        """Some more resamples: a row for each, a column for each comparison."""
        self.add_ascending(len(resampled), [resampled.T[self.order]])

    def add_ascending(self, resamples: int, blocks: Iterable[Array]) -> None:
        """Some more resamples, a column for each; rows of all blocks: comparisons in `order`."""
        largest = np.zeros(resamples)
        start = 0
        for statistics in blocks:
            at = slice(start, start + len(statistics))
            self._own[at] += _count_true(statistics >= self._least[at])
            for row in statistics:  # np.maximum.accumulate takes thirty times as long
                largest = np.maximum(row, largest, out=row)
            self._largest[at] += _count_true(statistics >= self._least[at])
            start = at.stop
        self._resamples += resamples

    def p(self, *, exact: bool) -> tuple[Array, Array]:
        """The p of each comparison by itself, and among all; `exact` where all ways were seen."""
        own, among = np.empty((2, len(self.order)))
        own[self.order] = p_value(self._own, self._resamples, exact=exact)
        p = p_value(self._largest, self._resamples, exact=exact)
        # No p is smaller than one of a more extreme comparison.
        among[self.order] = np.maximum.accumulate(p[::-1])[::-1]
        return own, among


def _count_true(flags: Flags) -> Array:
    count: Array = flags.view(np.uint8).sum(axis=1, dtype=np.uint32)  # faster than count_nonzero
    return count


def step_down_max_t(
    observed: Array, resampled: Iterable[Array], *, exact: bool = False, slack: Array | float = 0.0
) -> tuple[Array, Array]:
    """The p of each comparison by itself, and its p among all, by step-down max-T.

    Args:
        observed: a statistic for each comparison, at least 0: the size of a t, or what grows
            with it.
        resampled: chunks of resamples, a row for each and a column for each comparison. All
            comparisons of a row must come from the same draw.
        exact: are these all resamples there are, with the one that was seen among them? Of a
            sample (1 + count) / (1 + resamples) is taken.
        slack: what rounding can be, by comparison.

    Examples:
        >>> draws = np.array([[1.0, 2.5], [0.5, 0.5], [3.5, 0.1]])
        >>> own, among = step_down_max_t(np.array([3.0, 2.0]), [draws])
        >>> own.tolist(), among.tolist()  # 3 is reached once by any of both, 2 once by the second
        ([0.5, 0.5], [0.5, 0.5])
    """
    counts = StepDown(observed, slack)
    for chunk in resampled:
        counts.add(chunk)
    return counts.p(exact=exact)


def flip_families(measures: Sequence[UnitSums], pairs: Ranks, resampling: Resampling) -> Outcome:
    """The sign-flip test of all pairs of runs at once: p by itself and among all, measures × pairs.

    One random sign for each query (or cluster) flips the differences of all pairs together. Each
    pair's sum is divided by the root of the sum of its squares, which no flip changes: for the same
    number of queries it grows with Student's t, so pairs of different spread are comparable. The
    intervals hold all at once (single-step): mean ± c standard errors, where c is what the largest
    t of all pairs passes in alpha of the flips of differences from their means. Control of the
    family is exact where differences are symmetric together, else asymptotic. Units are the same in
    all measures; one without a value in a measure has the size 0 there.

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
        np.concatenate([item.observed for item in family]),
        np.concatenate([units * item.scale for item in family]),  # half a step, of both runs
    )
    scale = np.concatenate([item.scale for item in family])
    runs = measures[0].sums.shape[1]
    columns = np.concatenate([pairs + runs * at for at in range(len(family))])
    largest: list[Array] = []
    for flips in _small_batches(units, resampling):
        flipped = [item.flip(flips) for item in family]
        statistics = _pair_statistics(np.concatenate(flipped), columns, scale, counts.order)
        counts.add_ascending(len(flips), statistics)
        by_measure = [
            item.largest_t(sums, flips) for item, sums in zip(family, flipped, strict=True)
        ]
        largest.append(np.max(by_measure, axis=0))
    p, corrected = (p.reshape(len(family), -1) for p in counts.p(exact=exact))
    reach = float(critical_value(np.concatenate(largest), resampling.alpha, exact=exact))
    means = np.stack([item.means for item in family])
    margins = np.stack([item.margins(reach, resampling.alpha) for item in family])
    low, high = widen_to_zero(means - margins, means + margins, corrected > resampling.alpha)
    method = "simultaneous, max-T of centred differences"
    return Outcome(p, low, high, method, exact, means, corrected)


def _small_batches(units: int, resampling: Resampling) -> Iterator[Array]:
    done = 0
    for flips in sign_flips(units, resampling):
        for part in slices(len(flips), _BATCH_FLIPS):
            yield flips[part]
            done += part.stop - part.start
            report_work("resampling", done / resampling.resamples)


def _pair_statistics(sums: Array, pairs: Ranks, scale: Array, order: Ranks) -> Iterator[Array]:
    """The size of the scaled difference of each pair, in that order, block by block.

    A block is small enough for the cache of a processor, which is what the time depends on.
    """
    for part in slices(len(order), _BLOCK_PAIRS):
        chosen = order[part]
        block = np.take(sums, pairs[chosen, 0], axis=0)
        block -= np.take(sums, pairs[chosen, 1], axis=0)
        np.abs(block, out=block)
        block *= scale[chosen, None]
        yield block


@frozen(eq=False)
class _Differences:
    """The pairs of one measure, their sums in whole steps of a grid, and what divides them."""

    grid_sums: Array  # units × runs
    sizes: Array
    pairs: Ranks
    means: Array
    standard_errors: Array
    grid_means: Array  # of runs
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
            grid_means=UnitSums(grid_sums, units.sizes).means(),
            scale=scale,
            centred_scale=_inverse_root((deviations**2).sum(axis=0)),
            observed=np.abs(differences.sums.sum(axis=0)) * scale,
        )

    def flip(self, flips: Array) -> Array:
        """The sums of all runs (rows) under each row of flips; those of pairs are differences."""
        sums: Array = self.grid_sums.sum(axis=0)[:, None] - 2 * (self.grid_sums.T @ flips.T)
        return sums

    def largest_t(self, flipped: Array, flips: Array) -> Array:
        sizes = self.sizes.sum() - 2 * (flips @ self.sizes)
        centred = flipped - self.grid_means[:, None] * sizes
        order = np.arange(len(self.pairs))
        blocks = _pair_statistics(centred, self.pairs, self.centred_scale, order)
        statistic = np.max([block.max(axis=0) for block in blocks], axis=0)
        number = np.count_nonzero(self.sizes)
        rest = number - statistic**2
        varies = rest > COARSE_ROUNDING * number
        t = np.full(len(statistic), np.inf)
        t[varies] = statistic[varies] * np.sqrt((number - 1) / rest[varies])
        return t

    def margins(self, reach: float, alpha: float) -> Array:
        """How far intervals go from their means; those of differences that do not vary nowhere.

        Where all flips of so few units are more than alpha, no interval can be found.
        """
        margins = np.zeros(len(self.means))
        varies = self.centred_scale > 0
        few = np.count_nonzero(self.sizes) < -np.log2(alpha)  # as if they were tested alone
        margins[varies] = np.inf if few else reach * self.standard_errors[varies]
        return margins


def _inverse_root(squares: Array) -> Array:
    inverse = np.zeros(len(squares))
    np.divide(1.0, np.sqrt(squares), out=inverse, where=squares > 0)
    return inverse


_ALLOWED = "{system: values}: at least two systems, with as many finite numbers each, at least two"


def max_t_test(
    values: Mapping[str, Any],
    clusters: Sequence[Any] | None = None,
    *,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pl.DataFrame:
    """All pairs of systems by the sign-flip randomisation test, corrected by step-down max-T.

    Args:
        values: of each system by query, all in the same order of queries.
        clusters: the cluster of each query, if queries are not independent; whole clusters are
            flipped.
        alpha: one minus the confidence of the intervals, which hold all at once.
        resamples: how many, of more than 16 queries or clusters; of fewer all ways to flip.
        seed: random seed; the same seed gives the same numbers.

    Returns:
        A row for each pair: the mean difference, its simultaneous interval (null where so few give
        none), p by itself and corrected.

    Examples:
        >>> values = {"a": [1, 2, 3, 4, 5, 6], "b": [2, 4, 5, 5, 7, 9], "c": [2, 1, 4, 4, 6, 5]}
        >>> max_t_test(values).select("system", "other", "p", "p_corrected").rows()
        [('b', 'a', 0.03125, 0.03125), ('c', 'a', 1.0, 1.0), ('c', 'b', 0.0625, 0.125)]
    """
    resampling = Resampling(alpha=alpha, resamples=resamples, seed=seed)
    names, columns = _check_values(values)
    pairs = np.array([(second, first) for first, second in combinations(range(len(names)), 2)])
    units = UnitSums.from_values(columns, _number_clusters(clusters, len(columns)))
    outcome = flip_families([units], pairs, resampling)
    differences = columns[:, pairs[:, 0]] - columns[:, pairs[:, 1]]
    frame = pl.DataFrame(
        {
            "system": [names[at] for at in pairs[:, 0]],
            "other": [names[at] for at in pairs[:, 1]],
            "difference": differences.mean(axis=0),
            "low": outcome.low[0],
            "high": outcome.high[0],
            "p": outcome.p[0],
            "p_corrected": outcome.p_corrected[0],
        }
    )
    ends = (
        pl.when(pl.col(end).is_finite()).then(pl.col(end)).alias(end) for end in ("low", "high")
    )
    return frame.with_columns(*ends)


def _check_values(values: Mapping[str, Any]) -> tuple[list[str], Array]:
    if not isinstance(values, Mapping):
        raise WrongType("values", values, _ALLOWED)
    try:
        columns = np.array([np.asarray(column, np.float64) for column in values.values()]).T
    except (TypeError, ValueError):
        raise BadValue("values", dict(values), _ALLOWED) from None
    if columns.ndim != 2 or min(columns.shape) < 2 or not np.isfinite(columns).all():
        raise BadValue("values", dict(values), _ALLOWED)
    return list(map(str, values)), columns


def _number_clusters(clusters: Sequence[Any] | None, queries: int) -> Ranks | None:
    if clusters is None:
        return None
    labels = [str(label) for label in clusters]
    if len(labels) != queries or len({*labels}) < 2:
        raise BadValue("clusters", labels, f"{queries} of them, of at least 2 clusters")
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)
