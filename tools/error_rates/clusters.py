"""Turns of conversations: what do tests that take them for independent do, and those that do not?"""

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

from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.types import Array

CORRELATIONS = ("0", "0.1", "0.3")
NUMBERS = (10, 25, 50)
TESTED = ("randomisation", "t")
FEW, UNEQUAL = (8, 15, 40), "t, 1 to 12 turns"
# turns of conversations, one after the other
_SIZES = dict.fromkeys(TESTED, (3, 6, 9)) | {UNEQUAL: (1, 12, 2, 7, 1, 4, 10, 3)}


def list_cells() -> list[Cell]:
    """A cell for each test, intra-class correlation and number of conversations."""
    return [
        Cell(
            "clusters",
            {"test": test, "correlation": correlation, "conversations": number},
            partial(simulate_clusters, test, float(correlation), number),
        )
        for test in _SIZES
        for correlation in CORRELATIONS
        for number in (FEW if test == UNEQUAL else NUMBERS)
    ]


@in_batches
def simulate_clusters(
    test: str, correlation: float, conversations: int, trials: int, random: np.random.Generator
) -> Rates:
    """Rejections by turn and by conversation, and how often intervals by conversation hold zero."""
    cluster = np.repeat(np.arange(conversations), np.resize(_SIZES[test], conversations))
    function = TESTS["t" if test == UNEQUAL else test].function
    differences = draw_differences(cluster, correlation, trials, random)
    resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
    by_turn = function(differences, resampling)
    whole = function(UnitSums.from_values(differences, cluster), resampling)
    return {
        "by turn": rejection_rate(by_turn.p),
        "by conversation": rejection_rate(whole.p),
        "held": coverage(whole.low, whole.high, 0.0),
    }


def draw_differences(
    cluster: Array, correlation: float, trials: int, random: np.random.Generator
) -> Array:
    """Normal differences of variance 1, so correlated within a conversation: turns × trials."""
    shared = random.normal(size=(int(cluster.max()) + 1, trials))[cluster]
    alone = random.normal(size=(len(cluster), trials))
    return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * alone)
