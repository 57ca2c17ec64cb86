"""Families of comparisons: step-down max-T against code written out in loops."""

from __future__ import annotations

import numpy as np
import pytest

from gainful.evidence.statistics.step_down import step_down_max_t

RNG = np.random.default_rng(16)


def step_down_by_loops(observed, resampled, added):
    """Westfall and Young's p, one comparison and one resample at a time."""
    ranked = sorted(range(len(observed)), key=lambda at: -observed[at])
    corrected, last = [0.0] * len(observed), 0.0
    for place, at in enumerate(ranked):
        count = 0
        for row in resampled:
            largest = max(row[other] for other in ranked[place:])
            count += largest >= observed[at]
        last = max(last, (count + added) / (len(resampled) + added))
        corrected[at] = last
    return corrected


@pytest.mark.parametrize("exact", [False, True])
def test_step_down_max_t_equals_loops_whatever_the_chunks(exact):
    observed = np.abs(RNG.normal(size=7)) * 2
    resampled = np.abs(RNG.normal(size=(200, 7)))
    resampled[0] = observed
    own, among = step_down_max_t(observed, np.array_split(resampled, 7), exact=exact)
    added = 0 if exact else 1
    assert among.tolist() == step_down_by_loops(observed, resampled.tolist(), added)
    expected = [
        ((resampled[:, at] >= observed[at]).sum() + added) / (200 + added) for at in range(7)
    ]
    assert own.tolist() == expected
    assert (among >= own).all()
