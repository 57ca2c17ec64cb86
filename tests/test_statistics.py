"""Tests, intervals and corrections against scipy, statsmodels, ranx, enumeration and print."""

from functools import partial
from itertools import permutations, product
from time import process_time

import numpy as np
import pytest
from by_hand import flip_signs
from example_files import NEWS_QRELS, NEWS_RUNS
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from profiles import examples
from refusals import refuses
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from threadpoolctl import threadpool_limits

import gainful
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.evidence.comparisons.comparison_values import (
    MAX_GROUPS,
    find_alike_groups,
    make_letter,
)
from gainful.evidence.pairing import normal_scores
from gainful.evidence.statistics.correction import CORRECTIONS
from gainful.evidence.statistics.effect_size import detectable_effect, queries_needed, t_test_power
from gainful.evidence.statistics.outcome import Resampling, UnitSums, round_to_grid
from gainful.evidence.statistics.paired_tests import (
    MAX_EXACT_DIFFERENCES,
    TESTS,
    randomisation_test,
    tukey_test,
)
from gainful.sessions import simulate_agents, simulate_study

# Darwin's maize, in eighths of an inch: Fisher, The Design of Experiments (1935), §17 and §21.
MAIZE = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48.0])[:, None]
ALTERNATIVES = ("two-sided", "less", "greater")
values = st.floats(-1, 1, allow_nan=False, width=32).map(lambda x: round(x, 3))


def columns(min_rows=2, max_rows=12):
    shape = st.tuples(st.integers(min_rows, max_rows), st.integers(1, 3))
    return shape.flatmap(lambda s: arrays(np.float64, s, elements=values))


# ── randomisation ────────────────────────────────────────────────────────────────────────────


def test_fishers_own_example_gives_the_863_of_32768_that_he_counted():
    one_sided = randomisation_test(MAIZE, Resampling(alternative="greater"))
    assert one_sided.exact
    assert one_sided.p[0] == 863 / 32768
    assert randomisation_test(MAIZE, Resampling()).p[0] == 2 * 863 / 32768


@given(columns(), st.sampled_from(ALTERNATIVES))
def test_exact_randomisation_is_full_enumeration(d, alternative):
    outcome = randomisation_test(d, Resampling(alternative=alternative))
    assert outcome.exact
    expected = [flip_signs(column, alternative) for column in d.T]
    assert outcome.p == pytest.approx(expected, abs=1e-15)


@given(columns(min_rows=6, max_rows=12))
def test_the_interval_leaves_out_zero_exactly_where_p_is_at_most_alpha(d):
    """A shift is inside if the test does not reject it: the two are one thing, seen twice."""
    outcome = randomisation_test(d, Resampling(alpha=0.1))
    for column, p, low, high in zip(d.T, outcome.p, outcome.low, outcome.high, strict=True):
        near = min(abs(low), abs(high)) < 1e-9  # zero is an end of it
        if not near:
            assert (p > 0.1) == (low <= 0 <= high), (column, p, low, high)


@pytest.mark.parametrize("shift", [-0.5, 0.0, 0.25, 1.5])
def test_the_interval_is_the_shifts_that_enumeration_does_not_reject(shift):
    d = np.array([0.3, -0.1, 0.8, 0.45, 0.05, 0.6, 1.1, -0.4])
    outcome = randomisation_test(d[:, None], Resampling(alpha=0.2))
    inside = outcome.low[0] < shift < outcome.high[0]
    one_sided = min(flip_signs(d - shift, "greater"), flip_signs(d - shift, "less"))
    assert inside == (one_sided > 0.1)


@pytest.mark.parametrize("n", [10, 30])
def test_zero_is_outside_the_interval_just_where_p_is_small_with_ties_too(n):
    d = np.random.default_rng(n).integers(-4, 6, (n, 500)) / 10
    outcome = randomisation_test(d, Resampling(resamples=1999))
    apart = (outcome.low > 0) | (outcome.high < 0)
    assert apart.tolist() == (outcome.p <= 0.05).tolist()


def test_too_few_differences_give_no_interval_at_all():
    outcome = randomisation_test(np.array([[0.1], [0.2], [0.3]]), Resampling())
    assert outcome.p[0] == 0.25
    assert (outcome.low[0], outcome.high[0]) == (-np.inf, np.inf)


def test_monte_carlo_is_near_scipys_and_depends_on_the_seed_alone():
    d = np.random.default_rng(5).normal(0.2, 1, (40, 3))
    outcome = randomisation_test(d, Resampling(resamples=50_000, seed=1))
    assert not outcome.exact
    again = randomisation_test(d, Resampling(resamples=50_000, seed=1))
    other = randomisation_test(d, Resampling(resamples=50_000, seed=2))
    assert outcome.p.tolist() == again.p.tolist()
    assert outcome.p.tolist() != other.p.tolist()
    for column, p, low, high in zip(d.T, outcome.p, outcome.low, outcome.high, strict=True):
        theirs = stats.permutation_test(
            (column,), np.mean, permutation_type="samples", n_resamples=50_000, rng=3
        )
        assert p == pytest.approx(theirs.pvalue, abs=0.015)
        near_normal = stats.ttest_1samp(column, 0).confidence_interval(0.95)
        assert (low, high) == pytest.approx(tuple(near_normal), abs=0.03)


def test_monte_carlo_adds_what_was_seen_so_that_no_p_is_zero():
    d = np.ones((30, 1)) + np.arange(30)[:, None] / 100
    # 999 ways and what was seen, each with its mirror image: 2,000, of which one is so far above
    assert randomisation_test(d, Resampling(resamples=999, alternative="greater")).p[0] == 1 / 2000
    assert randomisation_test(d, Resampling(resamples=999)).p[0] == 1 / 1000


def test_monte_carlo_p_of_both_sides_counts_means_as_far_from_zero_on_either():
    """So its deviation over seeds is that of a share, √(p (1 − p) / resamples), not √2 times it."""
    d = np.random.default_rng(1).normal(0.27, 1, (50, 1))
    p = [randomisation_test(d, Resampling(resamples=2000, seed=seed)).p[0] for seed in range(200)]
    expected = np.sqrt(np.mean(p) * (1 - np.mean(p)) / 2000)
    assert np.std(p) == pytest.approx(expected, rel=0.16)  # 3 deviations of a deviation of 200


def test_pairs_together_and_alone_have_the_same_p():
    d = np.random.default_rng(6).normal(size=(MAX_EXACT_DIFFERENCES + 5, 7))
    together = randomisation_test(d, Resampling(resamples=2000))
    alone = [randomisation_test(d[:, [at]], Resampling(resamples=2000)).p[0] for at in range(7)]
    assert together.p.tolist() == alone


def test_the_number_of_threads_changes_no_digit():
    d = np.random.default_rng(7).normal(0.1, 1, (300, 40))
    numbers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            flips = randomisation_test(d, Resampling(resamples=5000))
            dealt = tukey_test(d[:, :6], np.array([(0, 1), (4, 5)]), Resampling(resamples=500))
        numbers.append([array.tolist() for array in (flips.p, flips.low, flips.high, dealt.p)])
    assert numbers[0] == numbers[1]


def test_equal_sums_count_although_their_digits_differ():
    d = np.array([0.1, 0.2, -0.3, 0.3, 0.1])[:, None]  # 0.1 + 0.2 is not 0.3 to a computer
    assert randomisation_test(d, Resampling()).p[0] == flip_signs(d[:, 0])


@given(columns())
def test_sums_on_the_grid_are_exact_in_any_order(d):
    whole, steps = round_to_grid(d, len(d))
    assert (whole == np.rint(whole)).all()
    assert whole.sum(axis=0).tolist() == whole[::-1].sum(axis=0).tolist()
    assert np.abs(whole / steps - d).max() <= 1e-12


# ── classical tests, by scipy and print ──────────────────────────────────────────────────────


def test_fishers_t_of_the_maize():
    outcome = TESTS["t"].function(MAIZE, Resampling())
    assert stats.t.isf(outcome.p[0] / 2, 14) == pytest.approx(2.148, abs=5e-4)
    assert outcome.p[0] == pytest.approx(0.0497, abs=5e-5)


@given(columns(min_rows=3), st.sampled_from(ALTERNATIVES))
def test_t_equals_scipys(d, alternative):
    d = d + np.linspace(0, 0.01, len(d))[:, None]  # never all alike
    outcome = TESTS["t"].function(d, Resampling(alternative=alternative, alpha=0.1))
    theirs = stats.ttest_rel(d, np.zeros_like(d), alternative=alternative)
    assert outcome.p == pytest.approx(theirs.pvalue, rel=1e-12)
    inside = stats.ttest_rel(d, np.zeros_like(d)).confidence_interval(0.9)
    assert outcome.low == pytest.approx(inside.low, rel=1e-12)
    assert outcome.high == pytest.approx(inside.high, rel=1e-12)


@examples(15)  # scipy goes through all permutations where there are ties
@given(columns(min_rows=3), st.sampled_from(ALTERNATIVES))
def test_wilcoxon_equals_scipys(d, alternative):
    outcome = TESTS["wilcoxon"].function(d, Resampling(alternative=alternative))
    for column, p in zip(d.T, outcome.p, strict=True):
        expected = stats.wilcoxon(column, alternative=alternative).pvalue if column.any() else 1.0
        assert p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "method"), [(30, "exact"), (50, "exact"), (60, "asymptotic")])
def test_wilcoxon_of_many_differences_equals_scipys(n, method, alternative):
    d = np.random.default_rng(n).normal(0.2, 1, n)
    ours = TESTS["wilcoxon"].function(d[:, None], Resampling(alternative=alternative)).p[0]
    theirs = stats.wilcoxon(d, alternative=alternative, method=method).pvalue
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_wilcoxon_with_ties_and_zeros_beyond_50_differences_is_scipys_normal():
    d = np.random.default_rng(3).integers(-3, 5, (80, 2)) / 5
    theirs = stats.wilcoxon(d, method="asymptotic").pvalue
    assert TESTS["wilcoxon"].function(d, Resampling()).p == pytest.approx(theirs, rel=1e-9)


def test_wilcoxon_with_13_differences_and_ties_is_exact_at_once():
    """Five runs in three measures have 30 pairs: at most a second, by the issue."""
    d = np.random.default_rng(2).choice([-3, -2, -1, 1, 2, 3, 4], (13, 30)) / 5
    start = process_time()
    p = TESTS["wilcoxon"].function(d, Resampling()).p
    assert process_time() - start < 1
    ranks = stats.rankdata(np.abs(d[:, 0]).round(9))
    positive = ranks[d[:, 0] > 0].sum()
    sums = np.array([0.0])
    for rank in ranks:  # the sums of all 8,192 subsets of ranks
        sums = np.concatenate([sums, sums + rank])
    tails = ((sums >= positive).mean(), (sums <= positive).mean())
    assert p[0] == pytest.approx(min(1, 2 * min(tails)), rel=1e-12)


def test_wilcoxon_takes_differences_that_are_equal_but_for_rounding_for_ties():
    d = np.array([0.6 - 0.4, 0.4 - 0.2, 0.8 - 0.6, -0.2, 1.0])[:, None]  # four of 0.2
    clean = np.array([0.2, 0.2, 0.2, -0.2, 1.0])[:, None]
    ours = TESTS["wilcoxon"].function(d, Resampling()).p[0]
    assert ours == TESTS["wilcoxon"].function(clean, Resampling()).p[0]


@pytest.mark.parametrize("name", ["wilcoxon", "sign"])
def test_the_interval_beside_ranks_and_signs_is_the_t_interval_of_the_mean(name):
    d = np.random.default_rng(4).exponential(size=(10, 3)) - 0.7
    outcome = TESTS[name].function(d, Resampling(alpha=0.1))
    theirs = stats.ttest_1samp(d, 0).confidence_interval(0.9)
    assert outcome.low == pytest.approx(theirs.low, rel=1e-12)
    assert outcome.high == pytest.approx(theirs.high, rel=1e-12)
    assert outcome.interval_method == "t"


@given(columns(), st.sampled_from(ALTERNATIVES))
def test_sign_is_the_binomial_of_those_that_differ(d, alternative):
    outcome = TESTS["sign"].function(d, Resampling(alternative=alternative))
    for column, p in zip(d.T, outcome.p, strict=True):
        up, down = (column > 0).sum(), (column < 0).sum()
        tail = stats.binom(up + down, 0.5)
        greater, less = tail.sf(up - 1), tail.cdf(up)
        expected = {"greater": greater, "less": less, "two-sided": min(1, 2 * min(greater, less))}
        assert p == pytest.approx(expected[alternative] if up + down else 1.0, rel=1e-9)


@pytest.mark.parametrize("sizes", [[1] * 30, [1, 2, 7] * 8])
@pytest.mark.parametrize(("name", "method"), [("bootstrap", "percentile"), ("bca", "BCa")])
def test_bootstrap_intervals_are_scipys(name, method, sizes):
    """scipy draws by the same generator in the same way, but holds all numbers drawn."""
    sizes = np.array(sizes, dtype=float)
    sums = np.random.default_rng(9).exponential(size=(len(sizes), 2)) * sizes[:, None] - 0.7
    resampling = Resampling(resamples=4999, seed=11)
    outcome = TESTS[name].function(UnitSums(sums, sizes), resampling)
    for at in range(2):
        theirs = stats.bootstrap(
            (sums[:, at], sizes),
            lambda drawn, counts, axis: drawn.sum(axis=axis) / counts.sum(axis=axis),
            paired=True,
            n_resamples=4999,
            method=method,
            rng=resampling.random_generator(),
        ).confidence_interval
        assert (outcome.low[at], outcome.high[at]) == pytest.approx(tuple(theirs), rel=1e-12)


@pytest.mark.parametrize("name", ["bootstrap", "bca"])
def test_a_bootstrap_is_the_same_on_any_number_of_threads_and_in_any_blocks(name, monkeypatch):
    d = np.random.default_rng(9).exponential(size=(3001, 3)) - 0.99
    outcomes = []
    for batch, threads in ((1 << 16, 1), (1 << 16, 2), (1, 2), (1 << 21, 2)):
        monkeypatch.setattr("gainful.evidence.statistics.bootstrap._BATCH_DRAWS", batch)
        with threadpool_limits(threads):
            outcome = TESTS[name].function(d, Resampling(resamples=499))
        outcomes.append(np.stack([outcome.p, outcome.low, outcome.high]).tolist())
    assert outcomes[1:] == outcomes[:1] * 3


@pytest.mark.parametrize("name", ["bootstrap", "bca"])
def test_bootstrap_p_is_the_level_at_which_its_interval_ends_at_zero(name):
    d = np.random.default_rng(10).exponential(size=(40, 1)) - 0.75
    p = float(TESTS[name].function(d, Resampling(resamples=20_000)).p[0])
    assert 0.01 < p < 0.6
    wider, narrower = (
        TESTS[name].function(d, Resampling(resamples=20_000, alpha=level))
        for level in (p * 0.9, p * 1.1)
    )
    assert wider.low[0] < 0 < narrower.low[0] or narrower.high[0] < 0 < wider.high[0]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_p_of_a_percentile_bootstrap_is_exactly_a_count_by_the_resamples(alternative):
    d = np.random.default_rng(10).exponential(size=(40, 8)) - np.linspace(0.5, 1.5, 8)
    resampling = Resampling(resamples=5000, alternative=alternative)
    for p in TESTS["bootstrap"].function(d, resampling).p.tolist():
        # A share of nothing is 1 of 5001, and 2 of them where both sides are asked.
        unseen = [count / 5001 for count in (1, 2, 5000)]
        assert p in (round(p * 10_000) / 10_000, *unseen)


@pytest.mark.parametrize("name", TESTS)
def test_identical_runs_have_p_one_and_no_interval_but_zero(name):
    outcome = TESTS[name].function(np.zeros((20, 2)), Resampling(resamples=999))
    assert outcome.p.tolist() == [1, 1]
    assert outcome.low.tolist() == outcome.high.tolist() == [0, 0]


@pytest.mark.parametrize("name", TESTS)
def test_a_test_turned_round_gives_the_same_p_and_the_turned_interval(name):
    d = np.random.default_rng(12).normal(0.1, 1, (25, 1))
    ahead, back = (
        TESTS[name].function(differences, Resampling(resamples=9999)) for differences in (d, -d)
    )
    assert back.p[0] == pytest.approx(ahead.p[0], abs=0.01)
    assert (back.low[0], back.high[0]) == pytest.approx((-ahead.high[0], -ahead.low[0]), abs=0.02)


@pytest.mark.parametrize("name", TESTS)
def test_one_sided_alternatives_look_the_right_way(name):
    d = np.random.default_rng(13).normal(0.8, 1, (30, 1))
    greater, less = (
        float(TESTS[name].function(d, Resampling(resamples=999, alternative=side)).p[0])
        for side in ("greater", "less")
    )
    assert greater < 0.05
    assert less > 0.9


# ── randomised Tukey ─────────────────────────────────────────────────────────────────────────


def test_tukey_equals_the_enumeration_of_all_deals():
    rows = np.array([[0.1, 0.5, 0.9], [0.2, 0.2, 0.8], [0.4, 0.6, 0.3], [0.0, 0.7, 0.5]])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    seen = rows.sum(axis=0)
    wide = np.zeros(3)
    deals = list(product(permutations(range(3)), repeat=len(rows)))
    for deal in deals:
        sums = sum(row[list(order)] for row, order in zip(rows, deal, strict=True))
        wide += np.ptp(sums) >= np.abs(seen[pairs[:, 0]] - seen[pairs[:, 1]]) - 1e-9
    outcome = tukey_test(rows, pairs, Resampling(resamples=200_000))
    assert outcome.p == pytest.approx(wide / len(deals), abs=0.005)


def test_tukey_of_two_runs_is_the_randomisation_test():
    rows = np.random.default_rng(14).random((20, 2))
    both = tukey_test(rows, np.array([(0, 1)]), Resampling(resamples=100_000))
    flips = randomisation_test(rows[:, :1] - rows[:, 1:], Resampling(resamples=100_000))
    assert both.p[0] == pytest.approx(flips.p[0], abs=0.008)


def test_tukeys_interval_leaves_out_zero_where_p_is_small():
    rows = np.random.default_rng(15).random((30, 5)) + np.array([0, 0, 0.1, 0.2, 0.4])
    pairs = np.array([(a, b) for a in range(5) for b in range(a)])
    outcome = tukey_test(rows, pairs, Resampling(resamples=9999))
    assert ((outcome.low > 0) | (outcome.high < 0)).tolist() == (outcome.p <= 0.05).tolist()


def test_tukey_is_stricter_than_pairs_by_themselves():
    rows = np.random.default_rng(16).random((30, 6))
    pairs = np.array([(a, b) for a in range(6) for b in range(a)])
    alone = randomisation_test(rows[:, pairs[:, 0]] - rows[:, pairs[:, 1]], Resampling())
    assert (tukey_test(rows, pairs, Resampling()).p >= alone.p - 0.02).all()


# ── corrections ──────────────────────────────────────────────────────────────────────────────


@examples(20)
@given(arrays(np.float64, st.integers(1, 20), elements=st.floats(0, 1)))
@pytest.mark.parametrize(
    ("ours", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")]
)
def test_corrections_equal_statsmodels(ours, theirs, p):
    expected = multipletests(p, method=theirs)[1]
    assert CORRECTIONS[ours].function(p) == pytest.approx(expected, abs=1e-12)


def test_benjamini_and_hochbergs_own_example_rejects_four_where_bonferroni_rejects_three():
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    p = np.array([*p, 0.4262, 0.5719, 0.6528, 0.7590, 1.0])  # 1995, §3.1
    assert (CORRECTIONS["bh"].function(p) <= 0.05).sum() == 4
    assert (CORRECTIONS["bonferroni"].function(p) <= 0.05).sum() == 3


# ── power ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("queries", [2, 3, 10, 50, 1000])
@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.0])
def test_power_equals_statsmodels(effect, queries):
    expected = TTestPower().power(effect, queries, 0.05)
    assert t_test_power(effect, queries) == pytest.approx(expected, abs=1e-9)


def test_no_effect_is_found_as_often_as_alpha_says_and_one_beyond_doubt_by_two_queries():
    assert t_test_power(0.0, 50) == 0.05
    assert queries_needed(1e6) == queries_needed(float("inf")) == queries_needed(1e200) == 2


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 0.8, 1.1619])
def test_queries_needed_and_detectable_effect_equal_statsmodels(effect):
    number = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    needed = queries_needed(effect)
    assert needed == int(np.ceil(number))
    assert detectable_effect(needed) <= effect < detectable_effect(needed - 1)


@pytest.mark.parametrize(
    ("ask", "error", "about"),
    [
        (lambda: detectable_effect(50, power=0.01), BadValue, "power"),
        (lambda: detectable_effect(1), BadValue, "queries"),
        (lambda: detectable_effect(2, 1e-8), BadValue, "queries"),
        *((partial(detectable_effect, n), WrongType, "queries") for n in ("9", 2.5, None)),
        (lambda: queries_needed(0.5, alpha=2), BadValue, "alpha"),
        (lambda: queries_needed(0.5, alpha=1e-300), BadValue, "alpha"),
        (lambda: queries_needed(0.0), BadValue, "effect"),
        (lambda: queries_needed("a"), WrongType, "effect"),
        *((partial(Resampling, resamples=n), BadValue, "resamples") for n in (0, 98)),
        *((partial(Resampling, alpha=alpha), BadValue, "alpha") for alpha in (0, 1)),
        *((partial(Resampling, alpha=alpha), WrongType, "alpha") for alpha in ("0.05", True)),
        (lambda: Resampling(resamples=1e4), WrongType, "resamples"),
        (lambda: Resampling(seed=-1), BadValue, "seed"),
        (lambda: Resampling(seed=True), WrongType, "seed"),
        (lambda: Resampling(alternative="bogus"), BadValue, "alternative"),
    ],
)
def test_what_cannot_be_is_refused(ask, error, about):
    with refuses(error, about):
        ask()


# ── groups and letters ───────────────────────────────────────────────────────────────────────


@given(st.integers(1, 6), st.data())
def test_groups_are_the_largest_sets_without_a_difference(number, data):
    pairs = [(a, b) for a in range(number) for b in range(a)]
    different = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    groups = find_alike_groups(number, different)
    bad = {frozenset(pair) for pair in different}

    def fits(group):
        return not any(frozenset((a, b)) in bad for a in group for b in group if a != b)

    every = [
        frozenset(at for at in range(number) if mask >> at & 1) for mask in range(1, 2**number)
    ]
    fitting = [group for group in every if fits(group)]
    largest = {group for group in fitting if not any(group < other for other in fitting)}
    assert {frozenset(group) for group in groups} == largest
    assert len(groups) == len(largest)


def test_letters_go_on_after_z():
    assert [make_letter(at) for at in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [
        *("a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa")
    ]


# ── how ──────────────────────────────────────────────────────────────────────────────────────


def test_numbers_of_numpy_become_plain_ones():
    resampling = Resampling(alpha=np.float64(0.1), resamples=np.int64(99), seed=np.int32(3))
    values = resampling.alpha, resampling.resamples, resampling.seed
    assert [*map(type, values)] == [float, int, int]


def test_groups_end_where_nobody_reads_them():
    """Twenty pairs that are alike, all else different: 2**20 groups."""
    pairs = [(a, b) for a in range(40) for b in range(a) if a // 2 == b // 2]
    assert len(find_alike_groups(40, pairs)) == MAX_GROUPS


def test_standardised_scores_are_normal_ones():
    """Webber, Moffat & Zobel 2008: by scipy's distribution, query by query."""
    values = np.round(np.random.default_rng(3).random((12, 7)), 2)
    values[0, 3] = values[0, 5]
    expected = [stats.norm.cdf(row, row.mean(), row.std(ddof=1)) for row in values]
    assert normal_scores(values) == pytest.approx(np.array(expected), abs=1e-12)


def test_compare_takes_standardised_scores():
    comparison = gainful.compare(NEWS_QRELS, NEWS_RUNS, "AP", standardise="normal")
    results = gainful.evaluate(NEWS_QRELS, NEWS_RUNS, "AP").per_query
    table = np.stack([part["AP"].to_numpy() for part in results.partition_by("run")], axis=1)
    assert comparison.means["AP"] == pytest.approx(normal_scores(table).mean(axis=0))
    assert comparison.to_dict()["standardised"].startswith("normal scores")
    with refuses(BadValue, "runs"):
        gainful.compare(NEWS_QRELS, dict([*NEWS_RUNS.items()][:2]), "AP", standardise="normal")
    with refuses(UnknownName, "uniform"):
        gainful.compare(NEWS_QRELS, NEWS_RUNS, "AP", standardise="uniform")


@pytest.mark.parametrize("simulate", [simulate_study, simulate_agents])
def test_scores_of_sessions_are_not_standardised(simulate):
    study = simulate(7)
    results = gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")
    with refuses(BadValue, "standardise"):
        results.compare(standardise="normal")
    with refuses(BadValue, "standardise"):
        gainful.compare(results, by="system", standardise="normal")
    with refuses(BadValue, "standardise"):
        gainful.sessions.compare(study.sessions, study.qrels, "sDCG@10", standardise="normal")
