"""The linear model of a study: searcher, scenario and system, tested by permuted residuals.

In a cyclic Latin square everybody who did two scenarios with two systems did them in the same way,
so no assignments can be exchanged. What can be: the errors of a searcher's sessions. For each pair
of systems the model is fitted as if the two were alike, what it leaves is permuted within every
searcher, and the pair is tested again in what comes out (Freedman & Lane 1983). All pairs see the
same permutations, so that their statistics are of one joint distribution, which max-T needs.

To hold two systems equal takes one direction out of the model. So the residuals of that smaller
model are those of the whole one and, along this direction, what the pair explains; and neither fit
has to be done again for a permutation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from attrs import frozen

from gainful.evidence.statistics.max_t import StepDown
from gainful.evidence.statistics.outcome import Outcome, critical_value
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.study_design import indicators, remove_means
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Ranks, slices

MIN_DEGREES = 10  # residual degrees of freedom, below which errors are not known well enough
_BATCH_NUMBERS = 1 << 20
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
    system: Ranks,
    searcher: Ranks,
    other_blocks: Sequence[Ranks],
    pairs: Sequence[tuple[int, int]],
) -> LinearModel | None:
    """The model of these sessions; None where systems cannot be told from blocks.

    Args:
        system: of each session, as numbers from 0 on.
        searcher: of each session, as numbers from 0 on.
        other_blocks: what else is taken out, such as the scenario of each session.
        pairs: of systems; a difference is the first less the second.
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

    Args:
        model: of the sessions.
        values: a row for each session, a column for each measure.
        resampling: resamples and seed.

    Returns:
        measures × pairs, and parts of the resamples × measures × pairs: how many standard errors
        two systems are apart.
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
    largest statistic of its family passes in alpha of the resamples (single-step).

    Args:
        model: of the sessions.
        values: a row for each session, a column for each measure.
        resampling: level, resamples and seed.
        family: what is corrected together: each pair by itself, the pairs of one measure, or all.
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
