"""Many runs that do not differ: how often is any pair of them told apart?"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from tools.error_rates.cell import ALPHA, RESAMPLES, Cell, Rates, draw_seed
from tools.error_rates.populations import exchangeable, made, tilted

from gainful.evidence.statistics.correction import holm
from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.paired_tests import t_test
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.tukey import tukey_test
from gainful.evidence.statistics.unit_sums import UnitSums
from gainful.types import Array, Ranks

SIZES = (10, 25, 50, 200)
NUMBERS = (5, 10, 30)
KINDS = ("exchangeable", "skewed", "made, more skewed")
SPREADS = ("equal", "unequal")
TESTS = ("max-t", "t with Holm", "tukey")
_MOST_OF_TUKEY = 10  # runs; to deal the values of more takes too long
_MOST_OF_INTERVALS = 10  # runs whose intervals are looked at too
_LARGEST_EXCHANGEABLE, _LARGEST_SKEWED, _FROM_QUERIES = 0.06, 0.08, 50


def list_cells() -> list[Cell]:
    """A cell for each test, kind of null hypothesis, spread, and number of runs and queries."""
    return [
        Cell(
            "families",
            {"test": test, "null": kind, "spreads": spreads, "runs": runs, "queries": size},
            partial(simulate_family, test, kind, spreads, runs, size),
            limits=limit_rate(test, kind, size),
            needs_runs=kind != KINDS[2],
        )
        for test in TESTS
        for kind in KINDS
        for spreads in SPREADS
        for runs in NUMBERS
        for size in SIZES
        if (test != "tukey" or runs <= _MOST_OF_TUKEY) and (kind != KINDS[2] or test == "max-t")
    ]


def limit_rate(test: str, kind: str, size: int) -> dict[str, float]:
    """What the default must not pass; what has no limit is told as it is."""
    if test != "max-t" or kind == KINDS[2]:
        return {}
    if kind == KINDS[0]:
        return {"rejected": _LARGEST_EXCHANGEABLE}
    return {"rejected": _LARGEST_SKEWED} if size >= _FROM_QUERIES else {}


def simulate_family(
    test: str,
    kind: str,
    spreads: str,
    runs: int,
    size: int,
    trials: int,
    random: np.random.Generator,
) -> Rates:
    """How often any pair is significant; by max-T, how often all intervals hold their truth."""
    pairs = np.array(list(combinations(range(runs), 2)))
    shifts = np.arange(runs) * 10.0  # so far apart that no interval is widened to hold 0
    truth = shifts[pairs[:, 0]] - shifts[pairs[:, 1]]
    has_intervals = test == "max-t" and runs <= _MOST_OF_INTERVALS
    rejected, held = 0, 0
    for _ in range(trials):
        values = draw_values(kind, spreads, (size, runs), random)
        resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
        rejected += smallest_p(test, values, pairs, resampling) <= ALPHA
        if has_intervals:
            outcome = flip_families([UnitSums.from_values(values + shifts)], pairs, resampling)
            held += bool(((outcome.low <= truth) & (outcome.high >= truth)).all())
    rates = {"rejected": rejected / trials}
    return rates | ({"held": held / trials} if has_intervals else {})


def draw_values(
    kind: str, spreads: str, shape: tuple[int, int], random: np.random.Generator
) -> Array:
    """Queries × runs: the first run is what the others differ from, by chance and with mean zero.

    Of unequal spreads half of the runs are near the first, the others five times as far.
    """
    if kind == "made, more skewed":
        noise = made(random, shape)
    else:
        noise = (exchangeable if kind == "exchangeable" else tilted)("AP").draw(random, shape)
    scale = np.ones(shape[1])
    if spreads == "unequal":
        scale[: shape[1] // 2] = 0.2
    scale[0] = 0.0 if kind != "exchangeable" else scale[0]
    return np.asarray(noise * scale)


def smallest_p(test: str, values: Array, pairs: Ranks, resampling: Resampling) -> float:
    """The smallest p of all pairs, corrected."""
    if test == "max-t":
        outcome = flip_families([UnitSums.from_values(values)], pairs, resampling)
        return float(outcome.corrected.min())
    if test == "tukey":
        return float(tukey_test(values, pairs, resampling).p.min())
    differences = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    return float(holm(t_test(differences, resampling).p).min())
