"""The linear model of a study and its permuted residuals, against loops and statsmodels."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from tools.error_rates.squares import simulate_squares

from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.study_design import (
    build_linear_model,
    freedman_lane_test,
    interactions_by_column,
    permute_residuals,
    permute_within,
)


def cyclic_square(systems, searchers):
    """Searcher n tries system n + s on scenario s: system, searcher and scenario of each session."""
    scenario = np.tile(np.arange(systems), searchers)
    searcher = np.repeat(np.arange(searchers), systems)
    return (scenario + searcher) % systems, searcher, scenario


def all_pairs(systems):
    return [(second, first) for first, second in combinations(range(systems), 2)]


def draw_square(seed, systems=4, searchers=8, effects=None):
    random = np.random.default_rng(seed)
    system, searcher, scenario = cyclic_square(systems, searchers)
    values = random.normal(size=system.size) + 2 * random.normal(size=searchers)[searcher]
    values += random.normal(size=systems)[scenario]
    values += np.asarray((0,) * systems if effects is None else effects)[system]
    return values, (system, searcher, scenario)


def dummies(numbers):
    return np.eye(numbers.max() + 1)[numbers][:, 1:]


def fit_pair(values, labels, pair):
    """The t of a pair in the whole model, by statsmodels; its first system is taken for zero."""
    system, searcher, scenario = labels
    first, _ = pair
    others = [at for at in range(system.max() + 1) if at not in pair]
    columns = [(system == first) * 1.0, *((system == at) * 1.0 for at in others)]
    exog = np.column_stack([np.ones(len(values)), *columns, dummies(searcher), dummies(scenario)])
    fit = OLS(values, exog).fit()
    return fit.params[1], fit.tvalues[1], fit.bse[1], fit.df_resid


def fit_as_if_equal(values, labels, pair):
    """Fitted values and residuals of the model in which the two systems are one."""
    system, searcher, scenario = labels
    merged = np.where(system == pair[0], pair[1], system)
    merged = np.unique(merged, return_inverse=True)[1]
    exog = np.column_stack(
        [np.ones(len(values)), dummies(merged), dummies(searcher), dummies(scenario)]
    )
    fit = OLS(values, exog).fit()
    return fit.fittedvalues, fit.resid


def list_orders(searcher, resampling, number):
    """The permutations that the seed gives."""
    return permute_within(searcher, number, resampling.random_generator())


def test_orders_permute_sessions_within_searchers_only():
    _, labels = draw_square(1)
    orders = list_orders(labels[1], Resampling(), 50)
    assert (labels[1][orders] == labels[1]).all()
    assert (np.sort(orders, axis=1) == np.arange(labels[1].size)).all()
    assert len(np.unique(orders, axis=0)) == 50


def test_every_order_within_a_searcher_is_as_likely():
    searcher = np.repeat([0, 1], 3)
    orders = list_orders(searcher, Resampling(seed=4), 6000)
    counts = np.unique(orders[:, :3], axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("effects", [None, (0, 0.6, 0, 3)])
@pytest.mark.parametrize("seed", range(2))
def test_differences_and_p_are_those_of_freedman_and_lane_by_loops(seed, effects):
    """Fit as if equal, permute what is left, add it again, fit the whole model: by plain loops."""
    values, labels = draw_square(seed, effects=effects)
    pairs = all_pairs(4)
    model = build_linear_model(labels[0], labels[1], [labels[2]], pairs)
    resampling = Resampling(resamples=120, seed=seed)
    outcome = freedman_lane_test(model, values[:, None], resampling)
    orders = list_orders(labels[1], resampling, 120)
    seen, permuted = [], []
    for at, pair in enumerate(pairs):
        difference, t, _, degrees = fit_pair(values, labels, pair)
        assert outcome.estimate[at, 0] == pytest.approx(difference, abs=1e-9)
        assert model.degrees == degrees == 32 - 1 - 7 - 3 - 3
        seen.append(abs(t))
        fitted, residuals = fit_as_if_equal(values, labels, pair)
        permuted.append(
            [abs(fit_pair(fitted + residuals[order], labels, pair)[1]) for order in orders]
        )
    seen, permuted = np.array(seen), np.array(permuted)
    own = [(1 + (permuted[at] >= seen[at] - 1e-9).sum()) / 121 for at in range(6)]
    assert outcome.p[:, 0] == pytest.approx(own, abs=1e-12)
    left, corrected, smallest = list(np.argsort(-seen)), {}, 0.0
    while left:  # step-down: the largest against the largest of all that are left
        at = left[0]
        count = sum(permuted[left, draw].max() >= seen[at] - 1e-9 for draw in range(120))
        smallest = max(smallest, (1 + count) / 121)
        corrected[at] = smallest
        left.pop(0)
    assert outcome.p_corrected[:, 0] == pytest.approx([corrected[at] for at in range(6)], abs=1e-12)


def test_the_interval_is_as_many_standard_errors_as_the_largest_t_of_all():
    values, labels = draw_square(3)
    pairs = all_pairs(4)
    model = build_linear_model(labels[0], labels[1], [labels[2]], pairs)
    resampling = Resampling(resamples=199)
    outcome = freedman_lane_test(model, values[:, None], resampling)
    observed, draws = permute_residuals(model, values[:, None], resampling)
    largest = np.sort(np.concatenate(list(draws))[:, 0].max(axis=1))
    for at, pair in enumerate(pairs):
        difference, t, error, _ = fit_pair(values, labels, pair)
        assert observed[0, at] == pytest.approx(abs(t), rel=1e-9)
        assert outcome.high[at, 0] == pytest.approx(difference + largest[-10] * error, rel=1e-9)
        assert outcome.low[at, 0] == pytest.approx(difference - largest[-10] * error, rel=1e-9)
    excluded = (outcome.low > 0) | (outcome.high < 0)
    assert (outcome.p_corrected[excluded] <= 0.05).all()


def test_measures_are_families_of_their_own_unless_they_are_taken_together():
    first, labels = draw_square(5, effects=(0, 1, 0, 0))
    second, _ = draw_square(6)
    values = np.stack([first, second], axis=1)
    model = build_linear_model(labels[0], labels[1], [labels[2]], all_pairs(4))
    resampling = Resampling(resamples=199)
    both = freedman_lane_test(model, values, resampling)
    alone = freedman_lane_test(model, values[:, :1], resampling)
    together = freedman_lane_test(model, values, resampling, "all")
    assert both.p_corrected[:, 0].tolist() == alone.p_corrected[:, 0].tolist()
    assert together.p.tolist() == both.p.tolist()
    assert (together.p_corrected >= both.p_corrected).all()
    assert (together.p_corrected > both.p_corrected).any()


def test_systems_that_blocks_hide_are_not_estimated():
    searcher = np.repeat(np.arange(6), 4)
    assert build_linear_model(searcher % 2, searcher, [], [(1, 0)]) is None


def test_what_blocks_explain_wholly_is_no_evidence_and_a_difference_without_error_is():
    system, searcher, scenario = cyclic_square(3, 9)
    model = build_linear_model(system, searcher, [scenario], all_pairs(3))
    values = np.stack([searcher * 0.3 + scenario, searcher + 0.1 * (system == 2)], axis=1)
    outcome = freedman_lane_test(model, values, Resampling(resamples=199))
    assert outcome.p[:, 0].tolist() == [1, 1, 1]
    assert np.abs(outcome.high[:, 0] - outcome.low[:, 0]).max() < 1e-6
    assert outcome.estimate[:, 1] == pytest.approx([0, 0.1, 0.1], abs=1e-12)
    assert outcome.p[0, 1] == 1
    assert (outcome.p[1:, 1] < 0.05).all()
    assert np.isfinite(outcome.low).all()


# ── the interaction of system and scenario ───────────────────────────────────────────────────


def test_the_interaction_is_the_f_test_of_two_models():
    random = np.random.default_rng(1)
    searcher, scenario = np.repeat(np.arange(10), 4), np.tile(np.arange(4), 10)
    system = np.concatenate([random.permutation([0, 0, 1, 1]) for _ in range(10)])
    values = random.normal(size=(40, 2)) + (system * scenario)[:, None]
    kept = np.arange(40) != 7  # one session is lost
    labels = [names[kept] for names in (system, searcher, scenario)]
    ours = interactions_by_column(values[kept], labels[0], labels[2], labels[1:], "scenario")
    additive = np.column_stack([np.ones(39), *map(dummies, labels)])
    cells = additive[:, 1:2] * dummies(labels[2])
    for column, interaction in zip(values[kept].T, ours, strict=True):
        whole = OLS(column, np.column_stack([additive, cells])).fit()
        f, p, degrees = whole.compare_f_test(OLS(column, additive).fit())
        assert (interaction.levels, interaction.degrees) == (4, degrees)
        assert interaction.error_degrees == whole.df_resid
        assert (interaction.f, interaction.p) == pytest.approx((f, p), rel=1e-9)


def test_how_differences_vary_is_that_of_a_balanced_analysis_of_variance():
    """Everyone on all: the variance of cells is (MS of cells - MS of errors) / searchers."""
    random = np.random.default_rng(2)
    cube = random.normal(size=(6, 2, 3)) + 2 * random.normal(size=(1, 2, 3))
    searcher, system, scenario = (at.ravel() for at in np.indices(cube.shape))
    (interaction,) = interactions_by_column(
        cube.reshape(-1, 1), system, scenario, [searcher, scenario], "scenario"
    )
    cells = cube.mean(axis=0)
    doubly = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    of_cells = 6 * (doubly**2).sum() / 2
    errors = cube - cells - cube.mean(axis=(1, 2), keepdims=True) + cube.mean()
    of_errors = (errors**2).sum() / interaction.error_degrees
    assert interaction.error_degrees == 25
    assert interaction.f == pytest.approx(of_cells / of_errors, rel=1e-9)
    assert interaction.sd == pytest.approx(np.sqrt(2 * (of_cells - of_errors) / 6), rel=1e-9)


def test_an_interaction_that_nobody_can_tell_from_errors_has_no_p():
    system, searcher, scenario = cyclic_square(2, 4)
    blocks = [searcher, scenario]
    (interaction,) = interactions_by_column(
        np.arange(8.0)[:, None] ** 2, system, scenario, blocks, "scenario"
    )
    assert (interaction.degrees, interaction.sd, interaction.p) == (0, None, None)


# ── how often it is wrong, how often it finds something ──────────────────────────────────────


@pytest.mark.parametrize("noise", ["normal", "exponential"])
@pytest.mark.parametrize("systems", [3, 4])
def test_cyclic_squares_keep_family_wise_error_and_coverage(systems, noise):
    outcome = simulate_squares(systems, 12, (0,) * systems, 300, noise=noise, resamples=199)
    assert outcome.family_wise_error <= 0.05 + 0.04  # three standard errors of 300 trials
    assert outcome.coverage >= 0.95 - 0.04


def test_a_third_system_far_away_takes_no_power_and_makes_no_mistakes():
    """The linear model's own Tukey HSD finds .6 in 18 and 41 per cent, with 16 and 32 searchers."""
    for searchers, expected in ((16, 0.18), (32, 0.41)):
        outcome = simulate_squares(4, searchers, (0, 0.6, 0, 3), 300, resamples=199)
        power = outcome.single_step[:, 0].mean()  # the pair of .6 and 0
        assert power == pytest.approx(expected, abs=0.05 + 0.05), searchers
        assert outcome.rejected[:, 0].mean() >= power
        assert outcome.family_wise_error <= 0.09
        assert outcome.coverage >= 0.91
