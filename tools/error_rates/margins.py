"""Builds that are worse by exactly a margin: how often are they let through?"""

from __future__ import annotations

import numpy as np
from tools.error_rates.cell import (
    ALPHA,
    RESAMPLES,
    Cell,
    Rates,
    draw_seed,
    in_batches,
    list_products,
    rejection_rate,
)

from gainful.evidence.statistics.effect_size import SKEWED, skewness_of_changes
from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import randomisation_test, t_test, tost_p
from gainful.types import Array

CHANGES = ("normal", "discrete", "exponential")
SIZES = (40, 150)
MARGIN = 0.02
_SHARE = 0.3  # of the queries change
_SPREAD = 0.2  # of normal and exponential changes
_STEPS = np.array([-0.5, -0.2, 0.2, 0.5])


def list_cells() -> list[Cell]:
    """A cell for each kind of changes and number of queries."""
    return list_products("margins", simulate_margin, {"changes": CHANGES, "queries": SIZES})


@in_batches
def simulate_margin(kind: str, size: int, trials: int, random: np.random.Generator) -> Rates:
    """How often the gate and TOST let a build through, and how many samples are noted as skewed."""
    differences = draw_changes(kind, (size, trials), random)
    differences[0, ~differences.any(axis=0)] = -1e-9  # a sample without any difference
    one_sided = Resampling(alpha=2 * ALPHA, resamples=RESAMPLES, seed=draw_seed(random))
    by_t, by_flips = t_test(differences, one_sided), randomisation_test(differences, one_sided)
    units = UnitSums.from_values(differences)
    same = tost_p(units.means(), units.standard_errors(), size - 1, MARGIN)
    skewness = np.array([skewness_of_changes(column) for column in differences.T])
    return {
        "no-worse-than": float(np.mean(by_flips.low > -MARGIN)),
        "by t": float(np.mean(by_t.low > -MARGIN)),
        "TOST": rejection_rate(same),
        "noted": float(np.mean(skewness < -SKEWED)),
    }


def draw_changes(kind: str, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """Changes by query with a mean of minus the margin, a column for each trial; most are 0."""
    mean = -MARGIN / _SHARE
    if kind == "normal":
        changes = random.normal(mean, _SPREAD, shape)
    elif kind == "exponential":  # many small gains, few large losses
        changes = mean + _SPREAD * (1 - random.exponential(size=shape))
    else:
        # The chance of a step is in proportion to 1 + λ step, so that the mean is as it should be.
        weights = (1 + mean * _STEPS / np.mean(_STEPS**2)) / len(_STEPS)
        changes = random.choice(_STEPS, size=shape, p=weights)
    return np.asarray(np.where(random.random(shape) < _SHARE, changes, 0.0))
