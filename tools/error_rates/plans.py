"""`gainful plan`: is the number of queries that it calls cautious enough?"""

from __future__ import annotations

import numpy as np
from tools.error_rates.cell import Cell, Rates, list_products
from tools.error_rates.populations import MEASURES, equal_weights, read_values

from gainful.evidence.plan import CONFIDENCE, spread_ratio

SIZES = (10, 25, 50)


def list_cells() -> list[Cell]:
    """A cell for each measure and number of queries of the pilot."""
    labels = {"measure": MEASURES, "queries of the pilot": SIZES}
    return list_products("plans", simulate_plan, labels, needs_runs=True)


def simulate_plan(measure: str, size: int, trials: int, random: np.random.Generator) -> Rates:
    """The share of pilots after which the cautious (or the needed) number of queries have the power.

    More queries have more power; so that is where the spread that is allowed for is not below
    the true one.
    """
    before, now = read_values(measure).T
    population = equal_weights(now - before)
    pilots = population.draw(random, (size, trials))
    spreads = pilots.std(axis=0, ddof=1)
    deviations = (pilots - pilots.mean(axis=0)).T
    ratios = [  # a pilot without any spread is refused
        spread_ratio(pilot, CONFIDENCE) if spread else 1.0
        for pilot, spread in zip(deviations, spreads, strict=True)
    ]
    truth = population.spread()
    return {
        "needed": float((spreads >= truth).mean()),
        "cautious": float((spreads * ratios >= truth).mean()),
    }
