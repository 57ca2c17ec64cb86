"""Cyclic Latin squares drawn from a known model: how often is their comparison right?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import frozen

from gainful.defaults import ALPHA
from gainful.errors import BadValue, UnknownName
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.study_design import build_linear_model, freedman_lane_test
from gainful.rounding import ROUNDING
from gainful.types import Array, Flags, Ranks

SEARCHER_SD, SCENARIO_SD = 2.0, 1.0  # in standard deviations of the error
NOISE = ("normal", "exponential", "unequal")


@frozen(eq=False)
class SquareTrials:
    """What happened: a row for each trial, a column for each pair of systems."""

    pairs: Sequence[tuple[int, int]]
    differences: Array  # the true ones, by pair
    rejected: Flags  # by step-down max-T
    single_step: Flags  # by intervals that hold all at once
    covered: Flags  # does the interval hold the true difference?

    @property
    def family_wise_error(self) -> float:
        """How often is any pair called different that is alike?"""
        alike = np.abs(self.differences) < ROUNDING
        return float(self.rejected[:, alike].any(axis=1).mean())

    @property
    def coverage(self) -> float:
        """How often do all intervals hold their true differences at once?"""
        return float(self.covered.all(axis=1).mean())


def simulate_squares(
    systems: int,
    searchers: int,
    effects: Sequence[float],
    trials: int,
    *,
    noise: str = "normal",
    seed: int = 0,
    resamples: int = 999,
    alpha: float = ALPHA,
) -> SquareTrials:
    """Trials of a cyclic square in which the systems have these effects, compared as studies are.

    Args:
        systems: how many, and as many scenarios; searcher n tries system n + s on scenario s.
        searchers: how many.
        effects: of each system, in standard deviations of the error.
        trials: how many studies are drawn.
        noise: normal, exponential (skewed), or unequal (normal, some searchers more than others).
        seed: which chance.
        resamples: of each test.
        alpha: its level.
    """
    if noise not in NOISE:
        raise UnknownName("noise", noise, NOISE)
    scenario = np.tile(np.arange(systems), searchers)
    searcher = np.repeat(np.arange(searchers), systems)
    system = (scenario + searcher) % systems
    pairs = [(second, first) for first, second in combinations(range(systems), 2)]
    model = build_linear_model(system, searcher, [scenario], pairs)
    if model is None:
        raise BadValue("systems", systems, "2 or more")
    true = np.array([effects[first] - effects[second] for first, second in pairs])
    random = np.random.default_rng(seed)
    outcomes = []
    for trial in range(trials):
        values = _draw_errors(random, noise, searcher, searchers)
        values += SEARCHER_SD * random.normal(size=searchers)[searcher]
        values += SCENARIO_SD * random.normal(size=systems)[scenario]
        values += np.asarray(effects, dtype=np.float64)[system]
        resampling = Resampling(resamples=resamples, seed=trial, alpha=alpha)
        outcomes.append(freedman_lane_test(model, values[:, None], resampling))
    low, high = (
        np.stack([getattr(item, end)[:, 0] for item in outcomes]) for end in ("low", "high")
    )
    return SquareTrials(
        pairs=pairs,
        differences=true,
        rejected=np.stack([item.p_corrected[:, 0] <= alpha for item in outcomes]),
        single_step=(low > 0) | (high < 0),
        covered=(low <= true) & (true <= high),
    )


def _draw_errors(random: np.random.Generator, noise: str, searcher: Ranks, searchers: int) -> Array:
    """Errors of mean 0; but for those of unequal searchers, of standard deviation 1."""
    if noise == "exponential":
        return np.asarray(random.exponential(size=searcher.size) - 1)
    errors = random.normal(size=searcher.size)
    if noise == "unequal":
        errors *= np.exp(random.normal(size=searchers) * 0.7)[searcher]
    return np.asarray(errors)
