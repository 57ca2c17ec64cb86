"""Designs of studies of two systems, and how the systems of such a study are compared."""

from __future__ import annotations

import numpy as np

from gainful.evidence.statistics.outcome import Outcome, Resampling
from gainful.evidence.statistics.study_design import find_design, is_estimable, permute_pair
from gainful.types import Array, Ranks

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


def compare_systems(labels: Labels, values: Array, resampling: Resampling) -> Outcome:
    """Both systems of a study, compared as its design allows; a column of values for each trial."""
    system, searcher, scenario = labels
    plan = find_design(system, searcher, scenario)
    assert plan is not None
    blocks = [np.unique(each[plan.rows], return_inverse=True)[1] for each in (searcher, scenario)]
    if not is_estimable(plan, blocks):
        blocks = blocks[1:]
    return permute_pair(values[plan.rows], plan, blocks, resampling)
