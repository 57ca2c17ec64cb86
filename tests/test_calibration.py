"""Do tests reject as often as they say, when there is nothing to find?

4,000 trials of 50 symmetric continuous differences; alpha = 0.05. Trials are columns, so that all
of them are tested at once; the chance of a trial's differences is that of the test's name.
"""

import numpy as np
import pytest
from scipy import stats
from tools.error_rates.cell import coverage, rejection_rate
from tools.error_rates.designs import compare_systems, full_factorial
from tools.error_rates.studies import DESIGNS, draw_values

from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.paired_tests import TESTS, tukey_test
from gainful.evidence.statistics.study_design import find_design, permute_all_pairs

TRIALS, N, ALPHA = 4000, 50, 0.05
RESAMPLING = Resampling(resamples=999)
STUDIES = {**DESIGNS, "ten on everything": full_factorial}  # of which all ways are looked at


def draw_differences(seed, shape=(N, TRIALS)):
    """Symmetric and continuous, with heavier tails than a normal distribution."""
    return np.random.default_rng(seed).laplace(size=shape)


@pytest.mark.parametrize("name", ["randomisation", "t", "wilcoxon"])
def test_rejects_five_per_cent(name):
    draw = np.random.default_rng(1).normal if name == "t" else np.random.default_rng(1).laplace
    p = TESTS[name].function(draw(size=(N, TRIALS)), RESAMPLING).p
    assert rejection_rate(p) == pytest.approx(ALPHA, abs=0.01)


def test_the_t_test_is_right_for_heavy_tails_too():
    assert rejection_rate(TESTS["t"].function(draw_differences(2), RESAMPLING).p) == pytest.approx(
        ALPHA, abs=0.01
    )


def test_sign_rejects_as_often_as_its_steps_allow():
    """It can only reject at 17 or fewer of 50, or at 33 and more: 3.3 per cent."""
    attained = 2 * stats.binom(N, 0.5).cdf(17)
    assert attained == pytest.approx(0.0328, abs=1e-4)
    p = TESTS["sign"].function(draw_differences(3), Resampling(resamples=99)).p
    assert rejection_rate(p) == pytest.approx(attained, abs=0.01)


def test_randomised_tukey_rejects_any_pair_in_five_per_cent():
    """Four runs alike: how often is any of the six pairs called different?"""
    values = draw_differences(4, (TRIALS, N, 4)) + draw_differences(5, (TRIALS, N, 1))
    pairs = np.array([(a, b) for a in range(4) for b in range(a)])
    smallest = np.array(
        [
            tukey_test(row, pairs, Resampling(resamples=199, seed=at)).p.min()
            for at, row in enumerate(values)
        ]
    )
    assert rejection_rate(smallest) == pytest.approx(ALPHA, abs=0.01)


@pytest.fixture(scope="module")
def family_p():
    """The p of all six pairs of four runs that are alike, in each trial."""
    values = draw_differences(6, (N, TRIALS, 4))
    pairs = [(a, b) for a in range(4) for b in range(a)]
    each = np.stack([values[:, :, a] - values[:, :, b] for a, b in pairs], axis=2)
    outcome = TESTS["randomisation"].function(each.reshape(N, -1), RESAMPLING)
    return outcome.p.reshape(TRIALS, len(pairs))


@pytest.mark.parametrize("name", ["holm", "bonferroni", "bh"])
def test_a_corrected_family_rejects_anything_in_six_per_cent_at_most(family_p, name):
    """The chance of any mistake, where all is mistake."""
    corrected = np.array([CORRECTIONS[name].function(row).min() for row in family_p])
    assert rejection_rate(corrected) <= 0.06


def simulate_study(design, trials, effect, seed):
    random = np.random.default_rng(seed)
    labels = STUDIES[design](random)
    values = draw_values("symmetric", *labels[1:], trials, random) + effect * labels[0][:, None]
    return compare_systems(labels, values, RESAMPLING)


@pytest.mark.parametrize("design", STUDIES)
def test_the_permutation_of_a_study_rejects_five_per_cent(design):
    outcome = simulate_study(design, TRIALS, 0, seed=1)
    assert rejection_rate(outcome.p) == pytest.approx(ALPHA, abs=0.01)


def test_tukeys_permutation_of_a_study_rejects_any_pair_in_five_per_cent():
    """Four systems alike: each searcher tried them all, each on another scenario."""
    random = np.random.default_rng(2)
    searcher, scenario = np.repeat(np.arange(24), 4), np.tile(np.arange(4), 24)
    system = np.concatenate([random.permutation(4) for _ in range(24)])
    design = find_design(system, searcher, scenario)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    values = draw_values("symmetric", searcher, scenario, TRIALS, random)
    outcome = permute_all_pairs(values, design, [searcher, scenario], pairs, RESAMPLING)
    assert rejection_rate(outcome.p.min(axis=0)) == pytest.approx(ALPHA, abs=0.01)


@pytest.mark.parametrize("design", STUDIES)
def test_a_studys_interval_holds_the_true_difference_in_95_per_cent(design):
    outcome = simulate_study(design, TRIALS // 2, 0.7, seed=7)
    assert coverage(outcome.low, outcome.high, 0.7) == pytest.approx(0.95, abs=0.015)
    assert outcome.estimate.mean() == pytest.approx(0.7, abs=0.1)


@pytest.mark.parametrize("name", ["randomisation", "t"])
def test_intervals_hold_the_true_difference_in_95_per_cent(name):
    outcome = TESTS[name].function(draw_differences(8) + 0.3, RESAMPLING)
    assert coverage(outcome.low, outcome.high, 0.3) == pytest.approx(0.95, abs=0.012)
