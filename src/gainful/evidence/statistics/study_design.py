"""Studies with people: their design, permuted assignments, the linear model, interaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Literal

import numpy as np
from attrs import evolve, frozen

from gainful.evidence.statistics.max_t import StepDown
from gainful.evidence.statistics.outcome import (
    Outcome,
    Resampling,
    critical_value,
    invert_test,
    p_for_alternative,
    p_value,
    round_to_grid,
)
from gainful.rounding import COARSE_ROUNDING
from gainful.text import collect_by_key
from gainful.types import Array, Ranks, finite_or_none, slices

MAX_ARRANGEMENTS = 1 << 16  # arrangements that are all looked at
_BATCH_NUMBERS = 1 << 20


@frozen(eq=False)
class Design:
    """The sessions that can be exchanged, and how; all else is numbers of these sessions."""

    rows: Ranks  # which of the sessions given these are
    system: Ranks  # of each
    systems: int
    # Searchers × their sessions, by scenario: whole rows change places.
    exchange_groups: Sequence[Ranks]
    swap_groups: Sequence[Ranks]  # the sessions of each searcher within whom systems change names
    # Sessions of one searcher on one scenario, among whom there is no order.
    shuffle_groups: Sequence[Ranks]
    searchers: int  # who take part
    left_out: int  # who do not
    blocks: Sequence[Ranks] = ()  # whose effects can be taken out, a number for each session

    @property
    def _moves(self) -> list[tuple[Ranks, int]]:
        """Tables whose rows change places, sessions whose systems change names; and how many."""
        return [
            *((table, len(table)) for table in self.exchange_groups),
            *((rows, self.systems) for rows in self.swap_groups),
            *((rows[:, None], len(rows)) for rows in self.shuffle_groups),
        ]

    @property
    def is_enumerable(self) -> bool:
        """Are there few enough ways to look at them all?"""
        return prod(factorial(size) for _, size in self._moves) <= MAX_ARRANGEMENTS

    def labels(self, resampling: Resampling) -> Iterator[Ranks]:
        """The system of each session, a row for each way: all of them, or a sample by the seed."""
        sizes = [size for _, size in self._moves]
        if self.is_enumerable:
            ways = product(*(permutations(range(size)) for size in sizes))
            yield self._arrange([np.array(orders) for orders in zip(*ways, strict=True)])
            return
        random = resampling.random_generator()
        for part in slices(resampling.resamples, _BATCH_NUMBERS // self.system.size):
            number = part.stop - part.start
            unmoved = [np.broadcast_to(np.arange(size), (number, size)) for size in sizes]
            yield self._arrange([random.permuted(orders, axis=1) for orders in unmoved])

    def _arrange(self, orders: Sequence[Ranks]) -> Ranks:
        labels = np.repeat(self.system[None, :], len(orders[0]), axis=0)
        for (rows, _), order in zip(self._moves, orders, strict=True):
            own = labels[:, rows]
            is_table = rows.ndim == 2
            moved = (own, order[:, :, None]) if is_table else (order, own)
            labels[:, rows] = np.take_along_axis(*moved, axis=1)
        return labels


def find_design(system: Ranks, searcher: Ranks, slot: Ranks) -> Design | None:
    """The design of these sessions; None if it has nothing to exchange.

    Searchers' assignments are exchanged; a slot is what a searcher did then: the scenario.
    """
    systems = int(system.max()) + 1
    order = np.lexsort((np.arange(slot.size), slot, searcher))
    starts = np.flatnonzero(np.diff(searcher[order], prepend=-1))
    rows_by_searcher = np.split(order, starts[1:])
    strata = collect_by_key((tuple(slot[rows].tolist()), rows) for rows in rows_by_searcher)
    exchanging: list[Ranks] = []
    swapping: list[Ranks] = []
    for slots, members in strata.items():
        others: list[Ranks] = []
        for rows in members:  # who tries all systems equally often on everything?
            counts = np.zeros((max(slots) + 1, systems))
            np.add.at(counts, (np.array(slots), system[rows]), 1)
            is_crossed = (counts == counts[:, :1]).all()
            (swapping if is_crossed else others).append(rows)
        # Which systems on which scenarios, whatever the order within one.
        tried = {tuple(sorted(zip(slots, system[rows].tolist(), strict=True))) for rows in others}
        if len(tried) > 1:
            exchanging.append(np.stack(others))
    participants = [rows for stratum in exchanging for rows in stratum] + swapping
    if not participants:
        return None
    kept = np.sort(np.concatenate(participants))
    position = np.full(system.size, -1)
    position[kept] = np.arange(kept.size)
    return Design(
        rows=kept,
        system=system[kept],
        systems=systems,
        exchange_groups=[position[rows] for rows in exchanging],
        swap_groups=[position[rows] for rows in swapping],
        shuffle_groups=[
            position[rows] for stratum in exchanging for rows in _repeat_groups(stratum, slot)
        ],
        searchers=len(participants),
        left_out=len(rows_by_searcher) - len(participants),
    )


def _repeat_groups(stratum: Ranks, slot: Ranks) -> Iterator[Ranks]:
    slots = slot[stratum[0]]
    for number in np.unique(slots):
        columns = np.flatnonzero(slots == number)
        if columns.size > 1:
            yield from stratum[:, columns]


def remove_block_effects(values: Array, blocks: Sequence[Ranks]) -> Array:
    """What is left of values when the additive effects of blocks are taken out.

    The means of the first block are taken out of all; of what is left, the others by least squares.
    """
    if not blocks:
        return np.asarray(values - values.mean(axis=0))
    left = remove_means(values, blocks[0])
    if len(blocks) == 1:
        return left
    columns = np.concatenate([indicators(block) for block in blocks[1:]], axis=1)
    within = remove_means(columns, blocks[0])
    coefficients, *_ = np.linalg.lstsq(within, left, rcond=None)
    return np.asarray(left - within @ coefficients)


def indicators(numbers: Ranks) -> Array:
    """A column for each number: has the row this one?"""
    return np.eye(int(numbers.max()) + 1)[numbers]


def remove_means(columns: Array, group: Ranks) -> Array:
    """What is left of columns when the mean of each group is taken out."""
    counts = np.bincount(group)
    sums = np.zeros((len(counts), columns.shape[1]))
    np.add.at(sums, group, columns)
    return np.asarray(columns - (sums / np.maximum(counts, 1)[:, None])[group])


INVERTED = "inverted permutation test"
SIMULTANEOUS = "permuted Tukey HSD, simultaneous"
_ROUNDING_STEPS = 16  # steps of the grid, for each session: what taking blocks out can be off


def is_estimable(design: Design, blocks: Sequence[Ranks]) -> bool:
    """Can systems be separated from blocks? Not where everybody tried one system alone."""
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
    Values are sessions of the design × measures; the effects of `blocks` are taken out of them.
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


@frozen
class Interaction:
    """How differences between systems vary over the levels of a block; None where nobody can say.

    `sd` is the standard deviation of the difference of two systems from level to level, what
    errors add to it taken off.
    """

    column: str  # the block, such as scenario
    levels: int
    sd: float | None
    f: float | None
    degrees: int  # of freedom, of the interaction
    error_degrees: int
    p: float | None


def interactions_by_column(
    values: Array, system: Ranks, levels: Ranks, blocks: Sequence[Ranks], column: str
) -> list[Interaction]:
    """The interaction of system and level in each column of values.

    The sum of squares that cells explain beyond blocks and systems, by that of the errors (F); and
    from the same sums the variance of cells, as its expectation has it (Henderson's method 3).
    Values are sessions × measures; levels such as scenarios are called `column`, and stand among
    the blocks whose effects are taken out, searchers first.
    """
    number = int(levels.max()) + 1
    searcher, *others = blocks
    additive = _basis(remove_means(_join([*others, system]), searcher))
    cells = remove_means(_join([system * number + levels]), searcher)
    beyond = cells - additive @ (additive.T @ cells)
    within = _basis(beyond)
    degrees = within.shape[1]
    taken_out = np.unique(searcher).size + additive.shape[1]
    error_degrees = len(values) - taken_out - degrees
    unknown = Interaction(column, number, None, None, degrees, error_degrees, None)
    if not degrees or error_degrees < 1:
        return [unknown] * values.shape[1]
    from scipy.stats import f as f_distribution  # noqa: PLC0415  (slow to load)

    left = remove_means(values, searcher)
    left -= additive @ (additive.T @ left)
    explained = ((within.T @ left) ** 2).sum(axis=0)
    errors = (left**2).sum(axis=0) - explained
    noise = (COARSE_ROUNDING**2) * (values**2).sum(axis=0)
    mean_error = np.maximum(errors, 0.0) / error_degrees
    variance = np.maximum(explained - degrees * mean_error, 0.0) / float((beyond**2).sum())
    sd = np.where(explained > noise, np.sqrt(2 * variance), 0.0)
    is_known = errors > noise  # else nothing is left to hold it against
    f = explained / degrees / np.where(is_known, mean_error, np.nan)
    p = f_distribution.sf(f, degrees, error_degrees)
    return [
        evolve(unknown, sd=size, f=finite_or_none(ratio), p=finite_or_none(chance))
        for size, ratio, chance in zip(sd.tolist(), f.tolist(), p.tolist(), strict=True)
    ]


def _join(factors: Sequence[Ranks]) -> Array:
    numbers = (np.unique(factor, return_inverse=True)[1] for factor in factors)
    return np.concatenate([indicators(number) for number in numbers], axis=1)


def _basis(columns: Array) -> Array:
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, sizes > COARSE_ROUNDING * max(len(left), 1)])


MIN_DEGREES = 10  # residual degrees of freedom, below which errors are not known well enough
FamilyKind = Literal["pair", "measure", "all"]


@frozen(eq=False)
class LinearModel:
    """Values = blocks + system + error, of the sessions of a study."""

    searcher: Ranks  # of each session: within whom errors are permuted
    within_basis: Array  # what is fitted beside searchers: orthonormal columns
    weights: Array  # pairs × sessions: the difference of two systems is this sum of values
    degrees: int  # of freedom, of the errors

    def residuals(self, values: Array) -> Array:
        """What the model leaves of values, a column for each measure."""
        without = remove_means(values, self.searcher)
        return np.asarray(without - self.within_basis @ (self.within_basis.T @ without))

    def estimates(self, values: Array) -> Array:
        """The difference of each pair: pairs × measures."""
        return np.asarray(self.weights @ values)

    def standard_errors(self, values: Array) -> Array:
        """The standard error of each difference: pairs × measures."""
        squares = (self.residuals(values) ** 2).sum(axis=0) / self.degrees
        return np.sqrt(np.outer((self.weights**2).sum(axis=1), squares))


def build_linear_model(
    system: Ranks, searcher: Ranks, other_blocks: Sequence[Ranks], pairs: Sequence[tuple[int, int]]
) -> LinearModel | None:
    """The model of these sessions; None if systems cannot be separated from blocks.

    The difference of a pair of systems is the first less the second.
    """
    others = [np.empty((len(system), 0)), *map(indicators, other_blocks)]
    terms = np.concatenate([*others, indicators(system)], axis=1)
    left, sizes, right = np.linalg.svd(remove_means(terms, searcher), full_matrices=False)
    kept = sizes > COARSE_ROUNDING * max(len(system), 1)
    contrasts = np.zeros((len(pairs), terms.shape[1]))
    first_system = terms.shape[1] - (int(system.max()) + 1)
    for at, (first, second) in enumerate(pairs):
        contrasts[at, first_system + first], contrasts[at, first_system + second] = 1.0, -1.0
    in_model = contrasts @ right[kept].T
    if not np.allclose(in_model @ right[kept], contrasts, atol=COARSE_ROUNDING):
        return None
    return LinearModel(
        searcher=searcher,
        within_basis=left[:, kept],
        weights=(in_model / sizes[kept]) @ left[:, kept].T,
        degrees=len(system) - np.unique(searcher).size - int(kept.sum()),
    )


def studentise(difference: Array, squares: Array, degrees: int, noise: Array) -> Array:
    """Differences along unit directions, in standard errors; 0 where there is none but rounding.

    What differs without any error is infinitely many errors away.
    """
    size = np.abs(difference)
    error = np.sqrt(np.where(squares > noise**2, squares, 0.0) / degrees)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(size > noise, size / error, 0.0))


def permute_residuals(
    model: LinearModel, values: Array, resampling: Resampling
) -> tuple[Array, Iterator[Array]]:
    """The statistic of each pair as seen, and as permuted residuals have it.

    Of values (sessions × measures), how many standard errors two systems are apart: measures ×
    pairs, and parts of the resamples × measures × pairs.
    """
    directions = model.weights / np.sqrt((model.weights**2).sum(axis=1, keepdims=True))
    residuals = model.residuals(values)
    seen = (directions @ values).T  # measures × pairs, along unit directions
    squares = (residuals**2).sum(axis=0)[:, None]
    noise = COARSE_ROUNDING * np.sqrt((values**2).sum(axis=0))[:, None]
    observed = studentise(seen, squares + np.zeros_like(seen), model.degrees, noise)

    def draw() -> Iterator[Array]:
        random = resampling.random_generator()
        rows, pairs = directions.shape[1], len(directions)
        columns = np.concatenate([residuals.T, directions])  # all that is permuted, by row
        width = len(columns) - pairs
        for part in slices(resampling.resamples, _BATCH_NUMBERS // (rows * len(columns))):
            order = permute_within(model.searcher, part.stop - part.start, random)
            permuted = columns[:, order]  # columns × resamples × sessions
            fitted = permuted @ model.within_basis
            explained = np.einsum("mbr,mbr->bm", fitted[:width], fitted[:width])
            crossed = np.einsum("mbr,pbr->bmp", fitted[:width], fitted[width:])
            own = np.einsum("pbr,pbr->bp", fitted[width:], fitted[width:])
            along = np.einsum("mbs,ps->bmp", permuted[:width], directions)
            along += seen * np.einsum("pbs,ps->bp", permuted[width:], directions)[:, None, :]
            total = squares + seen**2
            left = total - explained[:, :, None] - 2 * seen * crossed - seen**2 * own[:, None, :]
            yield studentise(along, left, model.degrees, noise)

    return observed, draw()


def freedman_lane_test(
    model: LinearModel, values: Array, resampling: Resampling, family: FamilyKind = "measure"
) -> Outcome:
    """Which pairs of systems differ, by permuted residuals and step-down max-T?

    The interval of a pair is its difference and, to both sides, as many standard errors as the
    largest statistic of its family passes in alpha of the resamples (single-step). A family is each
    pair by itself, the pairs of one measure, or all. Values are sessions × measures.
    """
    observed, draws = permute_residuals(model, values, resampling)
    number = {"pair": observed.size, "measure": len(observed), "all": 1}[family]
    counts = [StepDown(statistics) for statistics in observed.reshape(number, -1)]
    largest: list[Array] = []
    for drawn in draws:
        by_family = drawn.reshape(len(drawn), number, -1)
        for at, count in enumerate(counts):
            count.add(by_family[:, at])
        largest.append(by_family.max(axis=2))
    both = np.stack([np.stack(count.p(exact=False)) for count in counts], axis=1)
    p, corrected = (array.reshape(observed.shape).T for array in both)
    reach = critical_value(np.concatenate(largest), resampling.alpha, exact=False)
    reaches = np.repeat(reach, observed.size // number).reshape(observed.shape).T
    estimate, error = model.estimates(values), model.standard_errors(values)
    margin = np.where(error > 0, reaches * np.where(error > 0, error, 1.0), 0.0)
    return Outcome(
        p,
        estimate - margin,
        estimate + margin,
        "permuted residuals" if family == "pair" else "simultaneous, max-T of permuted residuals",
        estimate=estimate,
        p_corrected=corrected,
    )


def permute_within(searcher: Ranks, number: int, random: np.random.Generator) -> Ranks:
    """Orders of sessions, a row for each: those of one searcher change places."""
    by_searcher = np.argsort(searcher, kind="stable")
    keys = searcher[by_searcher] + random.random((number, searcher.size))
    order = np.empty((number, searcher.size), dtype=np.intp)
    order[:, by_searcher] = by_searcher[np.argsort(keys, axis=1)]
    return order
