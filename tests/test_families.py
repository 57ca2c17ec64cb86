"""Families of comparisons: step-down max-T against code written out in loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gainful.evidence.statistics.max_t import max_t_test
from gainful.evidence.statistics.resampling import Resampling
from gainful.evidence.statistics.step_down import step_down_max_t
from gainful.evidence.statistics.unit_sums import UnitSums

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


def flips_of(units, resampling):
    """The flips that the seed gives, as signs."""
    from gainful.evidence.statistics.randomisation import sign_flips

    return 1 - 2 * np.concatenate(list(sign_flips(units, resampling)))


def max_t_by_loops(differences, signs, added):
    """Sums of signs × differences by the root of their squares, pair by pair, then step-down."""
    columns = differences.T.tolist()
    roots = [math.sqrt(sum(d * d for d in column)) for column in columns]

    def statistics(row):
        return [
            abs(sum(s * d for s, d in zip(row, column, strict=True))) / root if root else 0.0
            for column, root in zip(columns, roots, strict=True)
        ]

    observed = [value * (1 - 1e-9) for value in statistics([1] * len(differences))]
    return step_down_by_loops(observed, [statistics(row) for row in signs.tolist()], added)


@pytest.mark.parametrize("queries", [9, 40])
def test_max_t_of_all_pairs_equals_loops(queries):
    values = np.round(RNG.random((queries, 4)) * np.array([1, 1, 0.2, 2]), 2)
    values[:, 1] = values[:, 0]  # two runs that are alike
    pairs = np.array([[0, 1], [2, 0], [3, 0], [2, 1], [3, 1], [3, 2]])
    resampling = Resampling(resamples=199, seed=4)
    outcome = max_t_test([UnitSums.from_values(values)], pairs, resampling)
    differences = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    added = 0 if queries == 9 else 1
    expected = max_t_by_loops(differences, flips_of(queries, resampling), added)
    assert outcome.corrected[0] == pytest.approx(expected, abs=1e-12)
    assert outcome.exact is (queries == 9)
    assert outcome.corrected[0][0] == 1.0  # nothing differs there
