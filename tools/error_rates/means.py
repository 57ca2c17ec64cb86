"""Intervals of means (`gainful eval --interval 95`): do they hold the mean of all queries?"""

from __future__ import annotations

import numpy as np
from tools.error_rates.cell import (
    ALPHA,
    Cell,
    Rates,
    coverage,
    draw_seed,
    in_batches,
    list_products,
)
from tools.error_rates.populations import MEASURES, read_values

from gainful.evidence.intervals import FEWEST_DRAWN
from gainful.evidence.statistics.bootstrap import bootstrap_test as bca_bootstrap
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.paired_tests import t_interval

SIZES = (5, 10, 25, 50, 200)
_RESAMPLES = 999


def list_cells() -> list[Cell]:
    """A cell for each measure and number of queries, of the first run."""
    labels = {"measure": MEASURES, "queries": SIZES}
    return list_products("means", simulate_mean, labels, needs_runs=True)


@in_batches
def simulate_mean(measure: str, size: int, trials: int, random: np.random.Generator) -> Rates:
    """How often the interval that is printed holds the mean of all, and which one that is."""
    values = read_values(measure)[:, 0]
    sample = random.choice(values, (size, trials))
    if size < FEWEST_DRAWN:
        low, high = t_interval(sample, ALPHA)
        constant = np.ptp(sample, axis=0) == 0  # the interval is a point then
        low[constant] = high[constant] = sample[0, constant]
    else:
        drawn = bca_bootstrap(
            sample, Resampling(resamples=_RESAMPLES, seed=draw_seed(random), alpha=ALPHA)
        )
        low, high = drawn.low, drawn.high
    return {"held": coverage(low, high, float(values.mean()))}
