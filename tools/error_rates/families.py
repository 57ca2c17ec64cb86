"""Many runs that do not differ: how often is any pair of them told apart?"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from tools.error_rates.cell import RESAMPLES, Cell, Rates, draw_seed, in_batches, rejection_rate
from tools.error_rates.populations import exchangeable, made, tilted

from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import (
    MAX_EXACT_DIFFERENCES,
    sign_flips,
    t_test,
    tukey_test,
)
from gainful.rounding import COARSE_ROUNDING
from gainful.types import Array, Ranks, slices

SIZES = (10, 25, 50, 200)
NUMBERS = (5, 10, 30)
KINDS = ("exchangeable", "skewed", "made, more skewed")
SPREADS = ("equal", "unequal")
TESTS = ("max-t", "t with Holm", "tukey")
_BATCH, _BATCH_NUMBERS = 25, 1 << 21  # trials with the same flips; numbers at once
_MOST_OF_TUKEY, _SIZE_OF_TUKEY = 10, 50  # runs, queries; to deal the values of more takes too long
_MOST_OF_INTERVALS = 5  # runs whose intervals are looked at too
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
        if (test != "tukey" or (runs <= _MOST_OF_TUKEY and size == _SIZE_OF_TUKEY))
        and (kind != KINDS[2] or test == "max-t")
    ]


def limit_rate(test: str, kind: str, size: int) -> dict[str, float]:
    """What the default must not pass; what has no limit is told as it is."""
    if test != "max-t" or kind == KINDS[2]:
        return {}
    if kind == KINDS[0]:
        return {"rejected": _LARGEST_EXCHANGEABLE}
    return {"rejected": _LARGEST_SKEWED} if size >= _FROM_QUERIES else {}


@partial(in_batches, size=_BATCH)
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
    values = draw_values(kind, spreads, (trials, size, runs), random)
    resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
    rates = {"rejected": rejection_rate(SMALLEST_P[test](values, pairs, resampling))}
    if test == "max-t" and runs <= _MOST_OF_INTERVALS:
        rates["held"] = hold_all(values, pairs, resampling)
    return rates


def hold_all(values: Array, pairs: Ranks, resampling: Resampling) -> float:
    """The share of trials in which all intervals hold the true differences."""
    shifts = np.arange(values.shape[2]) * 10.0  # so far apart that none is widened to hold 0
    truth = shifts[pairs[:, 0]] - shifts[pairs[:, 1]]
    held = 0
    for trial in values + shifts:
        outcome = flip_families([UnitSums.from_values(trial)], pairs, resampling)
        held += bool(((outcome.low <= truth) & (outcome.high >= truth)).all())
    return held / len(values)


def draw_values(
    kind: str, spreads: str, shape: tuple[int, int, int], random: np.random.Generator
) -> Array:
    """Trials × queries × runs: the first run is what the others differ from, by chance and with mean zero.

    Of unequal spreads half of the runs are near the first, the others five times as far.
    """
    if kind == "made, more skewed":
        noise = made(random, shape)
    else:
        noise = (exchangeable if kind == "exchangeable" else tilted)("AP").draw(random, shape)
    scale = np.ones(shape[2])
    if spreads == "unequal":
        scale[: shape[2] // 2] = 0.2
    scale[0] = 0.0 if kind != "exchangeable" else scale[0]
    return np.asarray(noise * scale)


def max_t_p(values: Array, pairs: Ranks, resampling: Resampling) -> Array:
    """The smallest corrected p of each trial by max-T, of many trials with the same flips.

    It is what `flip_families` gives of each trial, which a test holds it to: the largest statistic
    against the largest of each resample. Of all flips half are enough, as the others mirror them.
    """
    trials, size, runs = values.shape
    exact = size <= MAX_EXACT_DIFFERENCES
    flips = np.concatenate(list(sign_flips(size, resampling)))
    signs = 1 - 2 * (flips[: len(flips) // 2] if exact else flips)
    first, second = pairs.T
    squares = np.stack(
        [((trial[:, first] - trial[:, second]) ** 2).sum(axis=0) for trial in values]
    )
    scale = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)
    by_query = np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(size, trials * runs)
    seen = _largest(by_query.sum(axis=0).reshape(1, trials, runs), scale)[0]
    reached = np.zeros(trials)
    for part in slices(len(signs), _BATCH_NUMBERS // scale.size):
        sums = (signs[part] @ by_query).reshape(-1, trials, runs)
        reached += (_largest(sums, scale) >= seen * (1 - COARSE_ROUNDING)).sum(axis=0)
    return reached / len(signs) if exact else (reached + 1) / (len(signs) + 1)


def _largest(sums: Array, scale: Array) -> Array:
    """The largest statistic of all pairs, of sums by resample, trial and run."""
    runs, place = sums.shape[2], 0
    largest = np.zeros(sums.shape[:2])
    for run in range(runs - 1):  # in the order of combinations
        differences = sums[:, :, run, None] - sums[:, :, run + 1 :]
        np.abs(differences, out=differences)
        differences *= scale[:, place : place + runs - run - 1]
        np.maximum(largest, differences.max(axis=2), out=largest)
        place += runs - run - 1
    return largest


def holm_t_p(values: Array, pairs: Ranks, resampling: Resampling) -> Array:
    """The smallest p of each trial by t tests, corrected by Holm: times the number of pairs.

    It is that of the pair whose mean is most standard errors away from 0.
    """
    first, second = pairs.T
    means = values.mean(axis=1)
    centred = values - means[:, None, :]
    products = centred.transpose(0, 2, 1) @ centred  # of runs, by trial
    own = np.einsum("trr->tr", products)
    squares = own[:, first] + own[:, second] - 2 * products[:, first, second]
    sizes = (means[:, first] - means[:, second]) ** 2 / np.where(squares > 0, squares, np.inf)
    clearest = pairs[sizes.argmax(axis=1)]
    at = np.arange(len(values))
    differences = values[at, :, clearest[:, 0]] - values[at, :, clearest[:, 1]]
    return np.asarray(np.minimum(t_test(differences.T, resampling).p * len(pairs), 1.0))


def tukey_p(values: Array, pairs: Ranks, resampling: Resampling) -> Array:
    """The smallest p of each trial by the largest difference of all."""
    return np.array([tukey_test(trial, pairs, resampling).p.min() for trial in values])


SMALLEST_P = {"max-t": max_t_p, "t with Holm": holm_t_p, "tukey": tukey_p}
