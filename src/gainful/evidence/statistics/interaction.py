"""Does a difference between systems depend on the scenario? Their interaction, estimated.

What a permutation of a study tells is told of the scenarios that were used. How far the difference
varies from one to the next says how far it may be from that of other scenarios (Clark 1973).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from gainful.evidence.statistics.study_design import indicators, remove_means
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Ranks


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

    Args:
        values: a row for each session, a column for each measure.
        system: of each session.
        levels: of each session, such as its scenario.
        blocks: all whose effects are taken out, searchers first, that of levels included.
        column: what levels are called.
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
    if not degrees or error_degrees < 1:
        return [Interaction(column, number, None, None, degrees, error_degrees, None)] * len(
            values.T
        )
    left = remove_means(values, searcher)
    left -= additive @ (additive.T @ left)
    explained = ((within.T @ left) ** 2).sum(axis=0)
    errors = (left**2).sum(axis=0) - explained
    noise = (COARSE_ROUNDING**2) * (values**2).sum(axis=0)
    spread = float((beyond**2).sum())
    unknown = Interaction(column, number, None, None, degrees, error_degrees, None)
    return [
        _weigh_cells(unknown, float(own), float(left_over), float(least), spread)
        for own, left_over, least in zip(explained, errors, noise, strict=True)
    ]


def _weigh_cells(
    unknown: Interaction, explained: float, errors: float, noise: float, spread: float
) -> Interaction:
    """One measure, by what cells explain and what they leave: F, p, how far differences vary."""
    from scipy.stats import f as f_distribution  # noqa: PLC0415  (slow to load)

    mean_error = max(errors, 0.0) / unknown.error_degrees
    variance = max(explained - unknown.degrees * mean_error, 0.0) / spread
    sd = float(np.sqrt(2 * variance)) if explained > noise else 0.0
    if errors <= noise:  # nothing is left to hold it against
        return evolve(unknown, sd=sd)
    ratio = explained / unknown.degrees / mean_error
    p = float(f_distribution.sf(ratio, unknown.degrees, unknown.error_degrees))
    return evolve(unknown, sd=sd, f=ratio, p=p)


def _join(factors: Sequence[Ranks]) -> Array:
    """The indicators of all levels of these factors, side by side."""
    numbers = (np.unique(factor, return_inverse=True)[1] for factor in factors)
    return np.concatenate([indicators(number) for number in numbers], axis=1)


def _basis(columns: Array) -> Array:
    """Orthonormal columns that span these."""
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, sizes > COARSE_ROUNDING * max(len(left), 1)])
