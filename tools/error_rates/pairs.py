"""Two runs that do not differ: how often does a test say they do, and does its interval hold zero?"""

from __future__ import annotations

from functools import partial

import numpy as np
from tools.error_rates.cell import (
    RESAMPLES,
    Cell,
    Rates,
    coverage,
    draw_seed,
    in_batches,
    rejection_rate,
)
from tools.error_rates.populations import MEASURES, exchangeable, made, mostly_zero, tilted

from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.types import Array

SIZES = (10, 25, 50, 200)
MADE = {"exchangeable": "60 % zeros", "mean zero": "made"}  # of each kind, not of real runs
KINDS = tuple(MADE)
DRAWN = ("bootstrap", "bca")
_DRAWN_RESAMPLES = 999  # of those whose interval ends are percentiles of draws


def list_cells() -> list[Cell]:
    """A cell for each test, kind of null hypothesis, measure and number of queries."""
    cells = []
    for test in TESTS:
        for kind in KINDS:
            for measure in (*MEASURES, MADE[kind]):
                for size in SIZES:
                    labels = {"test": test, "null": kind, "differences": measure, "queries": size}
                    simulate = partial(simulate_test, test, kind, measure, size)
                    cells.append(Cell("pairs", labels, simulate, needs_runs=measure in MEASURES))
    return cells


@in_batches
def simulate_test(
    test: str, kind: str, measure: str, size: int, trials: int, random: np.random.Generator
) -> Rates:
    """Rejections at 5 %, and how often the interval holds the mean difference, zero."""
    resamples = _DRAWN_RESAMPLES if test in DRAWN else RESAMPLES
    differences = draw_differences(kind, measure, (size, trials), random)
    differences[0, ~differences.any(axis=0)] = 1e-9  # a sample without any difference
    outcome = TESTS[test].function(
        differences, Resampling(resamples=resamples, seed=draw_seed(random))
    )
    return {"rejected": rejection_rate(outcome.p), "held": coverage(outcome.low, outcome.high, 0.0)}


def draw_differences(
    kind: str, measure: str, shape: tuple[int, ...], random: np.random.Generator
) -> Array:
    """Differences of mean zero, a row for each query, a column for each trial."""
    if measure == MADE[kind]:
        return (made if kind == "mean zero" else mostly_zero)(random, shape)
    population = exchangeable(measure) if kind == "exchangeable" else tilted(measure)
    return population.draw(random, shape)
