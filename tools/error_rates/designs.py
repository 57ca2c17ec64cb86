"""Studies of two systems drawn from a known model, in four designs: how often is the test right?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from attrs import frozen

from gainful.defaults import ALPHA
from gainful.errors import CannotCompare
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.study_design import find_design, is_estimable, permute_pair
from gainful.types import Array, Ranks

SEARCHER_SD, SCENARIO_SD = 3.0, 2.0
_KEPT = 0.9  # of the sessions of a square of which some are lost

Labels = tuple[Ranks, Ranks, Ranks]  # system, searcher and scenario of each session


def latin_square(random: np.random.Generator, searchers: int = 24) -> Labels:
    """Four scenarios, two of them with either system, as chance deals them."""
    system = np.concatenate([random.permutation([0, 0, 1, 1]) for _ in range(searchers)])
    return (system, np.repeat(np.arange(searchers), 4), np.tile(np.arange(4), searchers))


def incomplete_square(random: np.random.Generator, searchers: int = 24) -> Labels:
    """A Latin square some of whose sessions are lost."""
    kept = random.random(searchers * 4) < _KEPT
    system, searcher, scenario = latin_square(random, searchers)
    return system[kept], searcher[kept], scenario[kept]


def full_factorial(random: np.random.Generator, searchers: int = 10) -> Labels:  # noqa: ARG001
    """Everybody tries both systems on both scenarios; nothing is left to chance."""
    return (
        np.tile([0, 1, 0, 1], searchers),
        np.repeat(np.arange(searchers), 4),
        np.tile([0, 0, 1, 1], searchers),
    )


def single_system(random: np.random.Generator, searchers: int = 24) -> Labels:
    """Each searcher tries one system alone, on four scenarios."""
    system = random.permutation([0, 1] * (searchers // 2))
    return (
        np.repeat(system, 4),
        np.repeat(np.arange(searchers), 4),
        np.tile(np.arange(4), searchers),
    )


DESIGNS: Mapping[str, Callable[[np.random.Generator], Labels]] = {
    "latin square": latin_square,
    "latin square, sessions lost": incomplete_square,
    "everyone on everything": full_factorial,
    "one system for each searcher": single_system,
}


@frozen(eq=False)
class DesignTrials:
    """What happened, trial by trial; the rates should be alpha and 1 - alpha."""

    p: Array
    low: Array
    high: Array
    estimate: Array
    effect: float
    alpha: float

    @property
    def rejection_rate(self) -> float:
        """How often are the two systems called different?"""
        return float((self.p <= self.alpha).mean())

    @property
    def coverage(self) -> float:
        """How often does the interval hold the true difference?"""
        return float(((self.low <= self.effect) & (self.effect <= self.high)).mean())


def simulate_design(
    name: str,
    trials: int,
    effect: float = 0.0,
    *,
    seed: int = 1,
    resamples: int = 999,
    alpha: float = ALPHA,
) -> DesignTrials:
    """Trials of one design, with Laplace errors about searchers and scenarios, compared together.

    Args:
        name: one of `DESIGNS`.
        trials: how many studies are drawn.
        effect: how much better the second system is.
        seed: which chance.
        resamples: of the test.
        alpha: its level.
    """
    random = np.random.default_rng(seed)
    system, searcher, scenario = DESIGNS[name](random)
    design = find_design(system, searcher, scenario)
    if design is None:
        raise CannotCompare(f"{name}: nothing can be exchanged")
    values = random.laplace(size=(searcher.size, trials))
    values += SEARCHER_SD * random.normal(size=(int(searcher.max()) + 1, trials))[searcher]
    values += SCENARIO_SD * random.normal(size=(int(scenario.max()) + 1, trials))[scenario]
    values += effect * system[:, None]
    blocks = [
        np.unique(labels[design.rows], return_inverse=True)[1] for labels in (searcher, scenario)
    ]
    if not is_estimable(design, blocks):
        blocks = blocks[1:]
    resampling = Resampling(resamples=resamples, alpha=alpha)
    outcome = permute_pair(values[design.rows], design, blocks, resampling)
    return DesignTrials(outcome.p, outcome.low, outcome.high, outcome.estimate, effect, alpha)
