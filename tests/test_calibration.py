"""Do tests reject as often as they say, when there is nothing to find?

4,000 trials of 50 symmetric continuous differences; alpha = 0.05. Trials are columns, so that all
of them are tested at once; the chance of a trial's differences is that of the test's name.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.evidence.statistics.paired_tests import TESTS
from gainful.evidence.statistics.permutation import estimable, of_all, of_two
from gainful.evidence.statistics.resampling import How
from gainful.evidence.statistics.study_design import designed
from gainful.evidence.statistics.tukey import tukey

TRIALS, N, ALPHA = 4000, 50, 0.05
HOW = How(resamples=999)
DOCS = Path(__file__).parent.parent / "docs" / "compare.md"


def differences(seed, shape=(N, TRIALS)):
    """Symmetric and continuous, with heavier tails than a normal distribution."""
    return np.random.default_rng(seed).laplace(size=shape)


def rejected(p):
    return float((p <= ALPHA).mean())


@pytest.mark.parametrize("name", ["randomisation", "t", "wilcoxon"])
def test_rejects_five_per_cent(name):
    draw = np.random.default_rng(1).normal if name == "t" else np.random.default_rng(1).laplace
    p = (
        TESTS[name]
        .function(draw(size=(N, TRIALS)), How(resamples=99 if name == "wilcoxon" else 999))
        .p
    )
    assert rejected(p) == pytest.approx(ALPHA, abs=0.01)


def test_the_t_test_is_right_for_heavy_tails_too():
    assert rejected(TESTS["t"].function(differences(2), HOW).p) == pytest.approx(ALPHA, abs=0.01)


def test_sign_rejects_as_often_as_its_steps_allow():
    """It can only reject at 17 or fewer of 50, or at 33 and more: 3.3 per cent."""
    attained = 2 * stats.binom(N, 0.5).cdf(17)
    assert attained == pytest.approx(0.0328, abs=1e-4)
    p = TESTS["sign"].function(differences(3), How(resamples=99)).p
    assert rejected(p) == pytest.approx(attained, abs=0.01)


def test_randomised_tukey_rejects_any_pair_in_five_per_cent():
    """Four runs alike: how often is any of the six pairs called different?"""
    values = differences(4, (TRIALS, N, 4)) + differences(5, (TRIALS, N, 1))
    pairs = np.array([(a, b) for a in range(4) for b in range(a)])
    smallest = np.array(
        [tukey(one, pairs, How(resamples=199, seed=at)).p.min() for at, one in enumerate(values)]
    )
    assert rejected(smallest) == pytest.approx(ALPHA, abs=0.01)


@pytest.mark.parametrize("name", ["holm", "bonferroni", "bh"])
def test_a_corrected_family_rejects_anything_in_six_per_cent_at_most(name):
    """Four runs alike, all six pairs: the chance of any mistake, where all is mistake."""
    values = differences(6, (N, TRIALS, 4))
    pairs = [(a, b) for a in range(4) for b in range(a)]
    each = np.stack([values[:, :, a] - values[:, :, b] for a, b in pairs], axis=2)
    p = TESTS["randomisation"].function(each.reshape(N, -1), HOW).p.reshape(TRIALS, len(pairs))
    corrected = np.array([CORRECTIONS[name].function(one).min() for one in p])
    assert rejected(corrected) <= 0.06


def latin(random, searchers=24):
    searcher, scenario = np.repeat(np.arange(searchers), 4), np.tile(np.arange(4), searchers)
    system = np.concatenate([random.permutation([0, 0, 1, 1]) for _ in range(searchers)])
    return system, searcher, scenario


def crossed(random, searchers=12):
    """Everybody tried both systems on both scenarios."""
    return (
        np.tile([0, 1, 0, 1], searchers),
        np.repeat(np.arange(searchers), 4),
        np.tile([0, 0, 1, 1], searchers),
    )


def lost(random):
    """A Latin square some of whose sessions are lost."""
    kept = random.random(24 * 4) < 0.9
    return tuple(one[kept] for one in latin(random))


def between(random):
    """Each searcher tried one system alone."""
    system = np.repeat(random.permutation([0, 1] * 12), 4)
    return system, np.repeat(np.arange(24), 4), np.tile(np.arange(4), 24)


def observed(random, searcher, scenario):
    """Sessions depend on who searches, on what for, and on chance."""
    return (
        random.laplace(size=(searcher.size, TRIALS))
        + 3 * random.normal(size=(searcher.max() + 1, TRIALS))[searcher]
        + 2 * random.normal(size=(scenario.max() + 1, TRIALS))[scenario]
    )


@pytest.mark.parametrize("study", [latin, crossed, lost, between])
def test_the_permutation_of_a_study_rejects_five_per_cent(study):
    random = np.random.default_rng(1)
    system, searcher, scenario = study(random)
    design = designed(system, searcher, scenario)
    values = observed(random, searcher, scenario)[design.rows]
    blocks = [np.unique(one[design.rows], return_inverse=True)[1] for one in (searcher, scenario)]
    if study is between:
        assert not estimable(design, blocks)
        blocks = blocks[1:]
    assert rejected(of_two(values, design, blocks, HOW).p) == pytest.approx(ALPHA, abs=0.01)


def test_tukeys_permutation_of_a_study_rejects_any_pair_in_five_per_cent():
    """Four systems alike: each searcher tried them all, each on another scenario."""
    random = np.random.default_rng(2)
    searcher, scenario = np.repeat(np.arange(24), 4), np.tile(np.arange(4), 24)
    system = np.concatenate([random.permutation(4) for _ in range(24)])
    design = designed(system, searcher, scenario)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    values = observed(random, searcher, scenario)
    found = of_all(values, design, [searcher, scenario], pairs, HOW)
    assert rejected(found.p.min(axis=0)) == pytest.approx(ALPHA, abs=0.01)


@pytest.mark.parametrize("study", [latin, lost])
def test_a_studys_interval_holds_the_true_difference_in_95_per_cent(study):
    random = np.random.default_rng(7)
    system, searcher, scenario = study(random)
    design = designed(system, searcher, scenario)
    values = (observed(random, searcher, scenario) + 0.7 * system[:, None])[design.rows]
    blocks = [np.unique(one[design.rows], return_inverse=True)[1] for one in (searcher, scenario)]
    found = of_two(values, design, blocks, HOW)
    assert ((found.low <= 0.7) & (found.high >= 0.7)).mean() == pytest.approx(0.95, abs=0.012)
    assert found.estimate.mean() == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize("name", ["randomisation", "t"])
def test_intervals_hold_the_true_difference_in_95_per_cent(name):
    found = TESTS[name].function(differences(8) + 0.3, HOW)
    assert ((found.low <= 0.3) & (found.high >= 0.3)).mean() == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("n", [25, 50, 200])
@pytest.mark.parametrize("name", ["bootstrap", "bca"])
def test_the_bootstrap_rejects_as_often_as_the_docs_say(name, n):
    printed = re.search(
        rf"^\| {n} \| ([\d.]+) % \| ([\d.]+) % \|$", DOCS.read_text("utf-8"), re.MULTILINE
    )
    told = float(printed[1 + (name == "bca")]) / 100
    parts = [
        TESTS[name].function(differences(9 + at, (n, 500)), HOW).p for at in range(TRIALS // 500)
    ]
    assert rejected(np.concatenate(parts)) == pytest.approx(told, abs=0.01)
