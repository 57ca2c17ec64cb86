"""Groups of queries: how often is any of eight called different where nothing is?"""

from __future__ import annotations

from functools import partial

import numpy as np
from tools.error_rates.cell import RESAMPLES, Cell, Rates, draw_seed, in_batches, rejection_rate

from gainful.evidence.comparisons.compare import test_interaction
from gainful.evidence.method import build_method, test_pairs
from gainful.evidence.pairing import PairedValues
from gainful.evidence.statistics.outcome import Resampling
from gainful.types import Array

GROUPS, SIZES = 8, (10, 25)
_LIMIT = 0.06
_PAIR = np.array([[1, 0]])


def list_cells() -> list[Cell]:
    """A cell for each number of queries in a group."""
    return [
        Cell(
            "groups",
            {"groups": GROUPS, "queries of each": size},
            partial(simulate_groups, size),
            limits={"any group": _LIMIT, "dependence": _LIMIT},
        )
        for size in SIZES
    ]


@in_batches
def simulate_groups(size: int, trials: int, random: np.random.Generator) -> Rates:
    """Differences of Student's t with 3 degrees, whose spread differs from group to group."""
    values = random.standard_t(3, size=(GROUPS, size, trials))
    resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
    _, p = test_interaction(list(0.5 + values), resampling)
    spread = np.linspace(0.5, 2.0, GROUPS)[:, None, None]
    smallest = [_smallest_p(values[..., at] * spread[..., 0], resampling) for at in range(trials)]
    return {"any group": rejection_rate(np.array(smallest)), "dependence": rejection_rate(p)}


def _smallest_p(differences: Array, resampling: Resampling) -> float:
    """The smallest corrected p of all groups, which are one family."""
    method = build_method(resamples=resampling.resamples, seed=resampling.seed, family="all")
    tables = [
        PairedValues(
            "measure",
            [f"{group}-{at}" for at in range(len(own))],
            np.stack([np.zeros(len(own)), own], axis=1),
            [0, 0],
        )
        for group, own in enumerate(differences)
    ]
    return float(test_pairs(tables, _PAIR, method, ("a", "b")).p_corrected.min())
