"""Studies with searchers: permutation by design, and the linear model of cyclic Latin squares."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from tools.error_rates.cell import (
    RESAMPLES,
    Cell,
    Rates,
    coverage,
    draw_seed,
    in_batches,
    list_products,
    rejection_rate,
)
from tools.error_rates.designs import (
    Labels,
    compare_systems,
    full_factorial,
    incomplete_square,
    latin_square,
    single_system,
)

from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.study_design import build_linear_model, freedman_lane_test
from gainful.types import Array, Ranks

ERRORS = ("symmetric", "skewed, searchers differ in spread")
SEARCHERS = 24
_EFFECT = 0.7


def list_cells() -> list[Cell]:
    """Four designs of two systems, and cyclic squares of three and four."""
    squares = [
        {"systems": [systems], "searchers": [4 * systems, 8 * systems], "errors": ERRORS}
        for systems in (3, 4)
    ]
    return [
        *list_products("designs", simulate_design, {"design": [*DESIGNS], "errors": ERRORS}),
        *(cell for labels in squares for cell in list_products("squares", simulate_square, labels)),
        *list_products("power", simulate_power, {"searchers": (16, 32)}),
    ]


DESIGNS = {
    "Latin square": latin_square,
    "everybody everything": partial(full_factorial, searchers=SEARCHERS),
    "Latin square, a tenth lost": incomplete_square,
    "one system each": single_system,
}


def draw_values(
    errors: str, searcher: Ranks, scenario: Ranks, trials: int, random: np.random.Generator
) -> Array:
    """Sessions depend on who searches, on what for, and on chance: a column for each trial."""
    shape = (searcher.size, trials)
    if errors == "symmetric":
        noise = random.laplace(size=shape)
    else:
        spread = np.exp(random.normal(0, 0.5, int(searcher.max()) + 1))
        noise = (random.exponential(size=shape) - 1) * spread[searcher][:, None]
    who = 3 * random.normal(size=(int(searcher.max()) + 1, trials))[searcher]
    what = 2 * random.normal(size=(int(scenario.max()) + 1, trials))[scenario]
    return np.asarray(noise + who + what)


@in_batches
def simulate_design(design: str, errors: str, trials: int, random: np.random.Generator) -> Rates:
    """Two systems alike: rejections; one better by 0.7: how often the interval holds that."""
    labels = DESIGNS[design](random)
    values = draw_values(errors, *labels[1:], trials, random)
    resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
    alike = compare_systems(labels, values, resampling)
    shifted = compare_systems(labels, values + _EFFECT * (labels[0] == 1)[:, None], resampling)
    return {
        "rejected": rejection_rate(alike.p),
        "held": coverage(shifted.low, shifted.high, _EFFECT),
    }


def cyclic_square(systems: int, searchers: int) -> Labels:
    """Searcher i tries system (i + j) on scenario j: each of them once."""
    searcher = np.repeat(np.arange(searchers), systems)
    scenario = np.tile(np.arange(systems), searchers)
    return (searcher + scenario) % systems, searcher, scenario


@in_batches
def simulate_square(
    systems: int, searchers: int, errors: str, trials: int, random: np.random.Generator
) -> Rates:
    """All systems alike: is any pair told apart? Do all intervals hold zero?"""
    labels = cyclic_square(systems, searchers)
    pairs = list(combinations(range(systems), 2))
    model = build_linear_model(labels[0], labels[1], labels[2:], pairs)
    assert model is not None
    values = draw_values(errors, labels[1], labels[2], trials, random)
    resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
    outcome = freedman_lane_test(model, values, resampling)
    holds = ((outcome.low <= 0) & (outcome.high >= 0)).all(axis=0)
    return {
        "rejected": rejection_rate(outcome.p_corrected.min(axis=0)),
        "held": float(holds.mean()),
    }


@in_batches
def simulate_power(searchers: int, trials: int, random: np.random.Generator) -> Rates:
    """How often are two systems told apart that differ by 0.6 errors, beside one at +3?"""
    system, searcher, scenario = cyclic_square(4, searchers)
    pairs = list(combinations(range(4), 2))
    model = build_linear_model(system, searcher, [scenario], pairs)
    assert model is not None
    truth = np.array([0.6, 0.0, 0.0, 3.0])[system]
    values = random.normal(size=(system.size, trials)) + truth[:, None]
    resampling = Resampling(resamples=RESAMPLES, seed=draw_seed(random))
    outcome = freedman_lane_test(model, values, resampling)
    return {"found": rejection_rate(outcome.p_corrected[pairs.index((0, 1))])}
