"""Systems compared over the sessions of a study: what may be exchanged, and what follows."""

from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
from facts import find_notes, list_facts
from refusals import refuses
from scipy import stats
from statsmodels.regression.linear_model import OLS

import gainful
from gainful.errors import BadInput, BadValue, CannotCompare, UnknownName, WrongType
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.statistics.study_design import (
    INVERTED,
    SIMULTANEOUS,
    find_design,
    is_estimable,
    permute_all_pairs,
    permute_pair,
)
from gainful.sessions import compare, simulate_study

LATIN = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0]])


def design_labels(rows=LATIN):
    searchers, scenarios = rows.shape
    return (
        rows.ravel(),
        np.repeat(np.arange(searchers), scenarios),
        np.tile(np.arange(scenarios), searchers),
    )


def draw_values(seed=1, rows=LATIN, columns=1):
    random = np.random.default_rng(seed)
    system, searcher, scenario = design_labels(rows)
    noise = random.normal(size=(system.size, columns))
    return noise + random.normal(size=(len(rows), columns))[searcher] + scenario[:, None] / 3


def brute_force_p(values, rows, shift=0.0):
    """All ways for searchers to exchange their rows, by plain loops: p of either side."""
    system, searcher, scenario = design_labels(rows)
    shifted = values - shift * system
    statistic = []
    for order in permutations(range(len(rows))):
        labels = rows[list(order)].ravel()
        statistic.append(fit_difference(shifted, labels, searcher, scenario))
    statistics = np.array(statistic)
    return (statistics >= statistics[0] - 1e-9).mean(), (statistics <= statistics[0] + 1e-9).mean()


def fit_difference(values, system, *blocks):
    """The difference of two systems with blocks, by least squares of statsmodels."""
    dummies = [np.eye(block.max() + 1)[block][:, 1:] for block in blocks]
    design = np.concatenate([np.ones((len(values), 1)), system[:, None], *dummies], axis=1)
    return OLS(values, design).fit().params[1]


# ── the design ───────────────────────────────────────────────────────────────────────────────


def test_whole_assignments_are_exchanged_so_that_the_square_stays_one():
    design = find_design(*design_labels())
    assert [len(rows) for rows in design.exchange_groups] == [5]
    assert not design.swap_groups
    rows = {tuple(row) for row in LATIN.tolist()}
    for labels in np.concatenate(list(design.labels(Resampling()))):
        assert {tuple(row) for row in labels.reshape(LATIN.shape).tolist()} == rows
        assert (labels.reshape(LATIN.shape).sum(axis=0) == LATIN.sum(axis=0)).all()


def test_searchers_exchange_only_with_those_who_did_the_same():
    system = np.array([0, 1, 1, 0, 0, 1, 1, 0, 1])
    searcher = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4])
    scenario = np.array([0, 1, 0, 1, 0, 2, 0, 2, 0])
    design = find_design(system, searcher, scenario)
    assert sorted(len(rows) for rows in design.exchange_groups) == [2, 2]
    assert (design.searchers, design.left_out) == (4, 1)
    assert design.rows.tolist() == list(range(8))
    labels = np.concatenate(list(design.labels(Resampling())))
    assert len(np.unique(labels, axis=0)) == 4


def test_a_sample_of_arrangements_has_only_arrangements_that_can_be():
    rows = np.array([np.random.default_rng(at).permutation([0, 0, 1, 1]) for at in range(12)])
    design = find_design(*design_labels(rows))
    assert not design.is_enumerable
    for labels in np.concatenate(list(design.labels(Resampling(resamples=200)))):
        arrangements = sorted(map(tuple, labels.reshape(rows.shape).tolist()))
        assert arrangements == sorted(map(tuple, rows.tolist()))


CROSSED = (np.tile([0, 1, 0, 1], 3), np.repeat([0, 1, 2], 4), np.tile([0, 0, 1, 1], 3))


def test_where_everyone_tried_everything_systems_change_names_within_searchers():
    design = find_design(*CROSSED)
    assert not design.exchange_groups
    labels = np.concatenate(list(design.labels(Resampling())))
    expected = {
        tuple(np.concatenate([[0, 1, 0, 1] if keep else [1, 0, 1, 0] for keep in choice]).tolist())
        for choice in product((True, False), repeat=3)
    }
    assert {tuple(label.tolist()) for label in labels} == expected


def test_a_searcher_who_lost_a_session_or_is_uneven_is_left_out_and_no_other():
    design = find_design(*(column[1:] for column in CROSSED))
    assert (len(design.swap_groups), design.searchers, design.left_out) == (2, 2, 1)
    system = np.array([0, 1] * 12 + [0, 0, 0, 0, 1, 1])
    design = find_design(system, np.repeat(np.arange(5), 6), np.zeros(30, dtype=int))
    assert (len(design.swap_groups), len(design.exchange_groups), design.left_out) == (4, 0, 1)


def test_sessions_of_one_searcher_on_one_scenario_have_no_order():
    """Two searchers, one scenario, three sessions each: AAB and ABB."""
    system, searcher = np.array([0, 0, 1, 0, 1, 1]), np.repeat([0, 1], 3)
    design = find_design(system, searcher, np.zeros(6, dtype=int))
    labels = {tuple(label) for label in np.concatenate(list(design.labels(Resampling()))).tolist()}
    orders = {tuple(sorted(label[:3]) + sorted(label[3:])) for label in labels}
    assert orders == {(0, 0, 1, 0, 1, 1), (0, 1, 1, 0, 0, 1)}
    assert len(labels) == 2 * 3 * 3


def test_nothing_can_be_exchanged_where_all_have_the_same_assignment():
    assert find_design(*design_labels(np.array([[0, 1], [0, 1], [0, 1]]))) is None


# ── the test ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(5))
def test_p_and_difference_are_those_of_all_exchanges(seed):
    values = draw_values(seed)
    system, searcher, scenario = design_labels()
    outcome = permute_pair(
        values, find_design(system, searcher, scenario), [searcher, scenario], Resampling()
    )
    assert outcome.exact
    sides = brute_force_p(values[:, 0], LATIN)
    assert outcome.p[0] == pytest.approx(min(1, 2 * min(sides)), abs=1e-12)
    expected = fit_difference(values[:, 0], system, searcher, scenario)
    assert outcome.estimate[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_is_the_differences_that_are_not_rejected(seed):
    values = draw_values(seed)
    system, searcher, scenario = design_labels()
    design = find_design(system, searcher, scenario)
    outcome = permute_pair(values, design, [searcher, scenario], Resampling(alpha=0.2))
    low, high = outcome.low[0], outcome.high[0]
    assert low < outcome.estimate[0] < high
    for shift in np.linspace(low - 1, high + 1, 15):
        assert (low < shift < high) == (min(brute_force_p(values[:, 0], LATIN, shift)) > 0.1), shift


def drop_sessions(seed, share):
    """A Latin square of 24 searchers, some of whose sessions are lost."""
    random = np.random.default_rng(seed)
    rows = np.array([random.permutation([0, 0, 1, 1]) for _ in range(24)])
    system, searcher, scenario = design_labels(rows)
    kept = random.random(system.size) >= share
    return [labels[kept] for labels in (system, searcher, scenario)], draw_values(seed, rows, 40)[
        kept
    ]


@pytest.mark.parametrize("share", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_zero_is_outside_the_interval_just_where_p_is_small(seed, share):
    (system, searcher, scenario), values = drop_sessions(seed, share)
    design = find_design(system, searcher, scenario)
    blocks = [
        np.unique(names[design.rows], return_inverse=True)[1] for names in (searcher, scenario)
    ]
    outcome = permute_pair(
        values[design.rows], design, blocks, Resampling(resamples=999, alpha=0.3)
    )
    assert ((outcome.low > 0) | (outcome.high < 0)).tolist() == (outcome.p <= 0.3).tolist()
    assert (outcome.low <= outcome.estimate).all()
    assert (outcome.estimate <= outcome.high).all()
    expected = fit_difference(values[design.rows, 0], design.system, *blocks)
    assert outcome.estimate[0] == pytest.approx(expected, abs=1e-9)


def test_searchers_with_one_system_each_are_two_samples():
    """Then it is the permutation test of two independent samples, as scipy has it."""
    system, searcher = np.array([0, 0, 0, 0, 1, 1, 1]), np.arange(7)
    values = np.random.default_rng(4).normal(size=(7, 1)) + system[:, None]
    design = find_design(system, searcher, np.zeros(7, dtype=int))
    assert not is_estimable(design, [searcher])
    outcome = permute_pair(values, design, [], Resampling())
    theirs = stats.permutation_test(
        (values[system == 1, 0], values[system == 0, 0]),
        lambda x, y: x.mean() - y.mean(),
        n_resamples=np.inf,
    )
    assert outcome.exact
    assert outcome.p[0] == pytest.approx(theirs.pvalue, abs=1e-12)
    assert outcome.estimate[0] == pytest.approx(theirs.statistic, abs=1e-12)


def test_everyone_on_everything_is_the_sign_flip_test_of_searchers():
    random = np.random.default_rng(5)
    system = np.tile([0, 1, 0, 1], 9)
    searcher, scenario = np.repeat(np.arange(9), 4), np.tile([0, 0, 1, 1], 9)
    values = random.normal(size=(36, 1)) + random.normal(size=(9, 1))[searcher]
    design = find_design(system, searcher, scenario)
    outcome = permute_pair(values, design, [searcher, scenario], Resampling(alpha=0.1))
    each = values.reshape(9, 2, 2)
    differences = (each[:, :, 1] - each[:, :, 0]).mean(axis=1)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert outcome.p[0] == pytest.approx(theirs.pvalue, abs=1e-12)
    assert outcome.estimate[0] == pytest.approx(differences.mean(), abs=1e-12)


def test_tukey_of_three_systems_equals_all_exchanges_by_loops():
    rows = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0]])
    system, searcher, scenario = design_labels(rows)
    values = draw_values(6, rows)[:, 0] + (system == 2)
    pairs = [(1, 0), (2, 0), (2, 1)]
    blocks = [np.eye(block.max() + 1)[block][:, 1:] for block in (searcher, scenario)]

    def contrasts(labels):
        columns = [np.ones((15, 1)), np.eye(3)[labels][:, 1:], *blocks]
        b, c = OLS(values, np.concatenate(columns, axis=1)).fit().params[1:3]
        return np.array([b, c, c - b])

    seen = contrasts(system)
    largest = [
        np.abs(contrasts(rows[list(order)].ravel())).max() for order in permutations(range(5))
    ]
    design = find_design(system, searcher, scenario)
    outcome = permute_all_pairs(
        values[:, None], design, [searcher, scenario], pairs, Resampling(alpha=0.2)
    )
    assert outcome.estimate[:, 0] == pytest.approx(seen, abs=1e-9)
    expected = [(np.array(largest) >= abs(difference) - 1e-9).mean() for difference in seen]
    assert outcome.p[:, 0] == pytest.approx(expected, abs=1e-12)
    assert ((outcome.low > 0) | (outcome.high < 0)).tolist() == (outcome.p <= 0.2).tolist()


# ── sessions ─────────────────────────────────────────────────────────────────────────────────


def test_a_study_is_compared_by_its_design(study):
    comparison = compare(study.sessions, study.qrels, ["nsDCG@10", "sDCG@10"])
    assert comparison.systems == ("1", "2")
    assert comparison.units == {"nsDCG@10": 120, "sDCG@10": 120}
    assert comparison.evidence.interval == INVERTED
    assert comparison.paired_by == "searcher"
    for pair in comparison.pairs:  # a Latin square: blocks change no difference of means
        means = dict(zip(comparison.systems, comparison.means[pair.measure], strict=True))
        assert pair.difference == pytest.approx(means["2"] - means["1"], abs=1e-12)
        size = pair.effect
        assert size.wins + size.ties + size.losses == 30


def test_any_measure_and_statistic_can_be_the_outcome(study):
    measures = ["nsDCG(statistic=best)@10", "sDCG(statistic=last)@5", "sRBP"]
    comparison = compare(study.sessions, study.qrels, measures, resamples=199)
    assert list(comparison.measures) == measures
    assert all(0 < pair.p <= 1 for pair in comparison.pairs)


def test_names_of_systems_turn_the_difference_and_the_order_of_lines_changes_no_digit(study):
    frame = study.sessions.frame
    turned = frame.with_columns(system=pl.col("system").replace({"1": "2", "2": "1"}))
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=3)
    first, other, again = (
        compare(rows, study.qrels, "sDCG@10", resamples=999) for rows in (frame, turned, mixed)
    )
    assert other.pairs[0].difference == pytest.approx(-first.pairs[0].difference, abs=1e-12)
    assert other.pairs[0].p == first.pairs[0].p
    assert again.to_dict()["pairs"] == first.to_dict()["pairs"]


def test_without_blocks_sessions_are_exchanged_and_it_is_said(study):
    comparison = compare(study.sessions, study.qrels, "sDCG@10", block=(), resamples=999)
    assert find_notes(comparison.notes, "no", "blocks")
    assert comparison.pairs[0].effect is None


def sessions_from_design(design):
    """Sessions of one query and one result: searcher, scenario, system, grade."""
    schema = dict.fromkeys(("searcher", "scenario", "system"), pl.String)
    frame = pl.DataFrame(design, schema=schema | {"grade": pl.Float64}, orient="row")
    numbered = frame.with_row_index("session").cast({"session": pl.String})
    ones = pl.lit(1).alias("query"), pl.lit(1).alias("rank")
    return numbered.with_columns(*ones, doc="d" + pl.col("session"), topic=pl.lit("t"))


@pytest.mark.parametrize(
    ("more", "error", "about"),
    [
        ({"by": "sytem"}, UnknownName, ("sytem", "system")),
        ({"block": "who"}, UnknownName, "who"),
        ({"block": ["searcher", "searcher"]}, BadValue, "by"),
        ({"by": ["system"]}, WrongType, "by"),
        ({"baseline": "9"}, UnknownName, "9"),
        ({"test": "t"}, UnknownName, "t"),
        ({"correct": "x"}, UnknownName, "x"),
        ({"resamples": 0}, BadValue, "resamples"),
        ({"where": {"system": "1"}}, CannotCompare, "'1'"),
    ],
)
def test_what_cannot_be_is_refused(study, more, error, about):
    with refuses(error, about):
        compare(study.sessions, study.qrels, "sDCG@10", **more)


def test_sessions_without_a_searcher_are_refused(study):
    known = pl.when(pl.col("searcher") != "p02").then(pl.col("searcher"))
    with refuses(BadInput, "sessions", "'sim-02-1'"):
        compare(study.sessions.frame.with_columns(searcher=known), study.qrels, "sDCG@10")


def incomplete_design(seed, searchers=24):
    """Each searcher tried two of three systems; the third is far better, the others alike."""
    random = np.random.default_rng(seed)
    design = []
    for at in range(searchers):
        pair = [("A", "B"), ("A", "C"), ("B", "C")][at % 3]
        for what, which in zip("xyuv", random.permutation(pair * 2), strict=True):
            grade = float(random.random() + 3 * (which == "C") + 1)
            design.append((f"p{at:02}", what, which, grade))
    return sessions_from_design(design)


def test_a_pair_is_compared_by_its_own_sessions_whatever_the_third_system_does():
    alike = 0
    for seed in range(40):
        comparison = compare(incomplete_design(seed), measures="sDCG@10", resamples=199)
        pairs = {(pair.system, pair.other): pair for pair in comparison.pairs}
        alike += pairs["B", "A"].p <= 0.05
        assert pairs["C", "A"].p <= 0.05
        assert pairs["C", "A"].difference == pytest.approx(3, abs=0.5)
    assert alike <= 6  # of 40, at 5 per cent


def test_three_systems_can_be_tested_together():
    comparison = compare(incomplete_design(1), measures="sDCG@10", test="tukey", baseline="B")
    assert comparison.baseline == "B"
    assert [pair.system + pair.other for pair in comparison.pairs] == ["AB", "CB", "CA"]
    assert find_notes(comparison.notes, "tukey", "all")
    assert comparison.evidence.interval == SIMULTANEOUS
    assert comparison.is_significant(comparison.pair("sDCG@10", "C", "A"))


def one_system_each(seed, effect):
    """Each searcher tried one system alone, on four scenarios."""
    random = np.random.default_rng(seed)
    design = []
    for at in range(20):
        luck, which = random.normal(), "AB"[at % 2]
        for what in "wxyz":
            grade = float(10 + luck + random.normal() / 3 + effect * (which == "B"))
            design.append((f"p{at:02}", what, which, grade))
    return sessions_from_design(design)


def test_a_study_between_searchers_exchanges_whole_searchers():
    frame = one_system_each(1, 2.0)
    comparison = compare(frame, measures="sDCG@10", resamples=9999)
    pair = comparison.pairs[0]
    means = dict(zip(comparison.systems, comparison.means["sDCG@10"], strict=True))
    assert pair.difference == pytest.approx(means["B"] - means["A"], abs=1e-9)
    assert find_notes(comparison.notes, "few", "searchers", "several")
    by_searcher = frame.group_by("searcher", "system", maintain_order=True).agg(
        pl.col("grade").mean()
    )
    first, other = (
        by_searcher.filter(pl.col("system") == name)["grade"].to_numpy() for name in "BA"
    )
    theirs = stats.permutation_test(
        (first, other), lambda x, y: x.mean() - y.mean(), n_resamples=9999, rng=1
    )
    assert pair.p == pytest.approx(theirs.pvalue, abs=0.01)
    assert pair.effect is None


def test_a_study_between_searchers_without_an_effect_finds_none_too_often():
    p_values = [
        compare(one_system_each(seed, 0.0), measures="sDCG@10", resamples=199).pairs[0].p
        for seed in range(60)
    ]
    assert sum(p <= 0.05 for p in p_values) <= 8


def test_identical_systems_are_said_to_be_so():
    design = [
        (f"p{at}", what, which, 2)
        for at in range(6)
        for what, which in zip("xy", "12" if at % 2 else "21", strict=True)
    ]
    comparison = compare(sessions_from_design(design), measures="sDCG@10")
    pair = comparison.pairs[0]
    assert (pair.difference, pair.p, pair.effect.ties) == (0, 1, 6)
    facts = [list_facts(note, "p") for note in comparison.notes]
    assert ["sDCG@10", "2", "1", "p", "1"] in facts


def test_wins_and_effect_are_those_of_searchers_with_scenarios_taken_out():
    """Two scenarios, one worth 5 more; each searcher's own difference is 1 or 2."""
    design = []
    for at, (gain, first) in enumerate([(1, "12"), (2, "21"), (1, "21"), (2, "12")]):
        for what, which in zip("xy", first, strict=True):
            design.append((f"p{at}", what, which, 1 + 5 * (what == "y") + gain * (which == "2")))
    size = compare(sessions_from_design(design), measures="sDCG@10").pairs[0].effect
    assert (size.wins, size.ties, size.losses) == (4, 0, 0)
    assert size.dz == pytest.approx(1.5 / np.std([1, 2, 1, 2], ddof=1), rel=1e-9)


def test_searchers_of_other_scenarios_do_not_hide_who_won():
    """Good searchers did x and y, weak ones y and z; system 2 is one better for everybody."""
    design = []
    for at in range(12):
        slots, base = ("xy", 10) if at < 6 else ("yz", 1)
        for what, which in zip(slots, "12" if at % 2 else "21", strict=True):
            grade = base + {"x": 0, "y": 2, "z": 5}[what] + (which == "2")
            design.append((f"p{at:02}", what, which, grade))
    comparison = compare(sessions_from_design(design), measures="sDCG@10")
    pair = comparison.pairs[0]
    assert pair.difference == pytest.approx(1)
    assert (pair.effect.wins, pair.effect.losses, pair.effect.dz) == (12, 0, None)
    assert find_notes(comparison.notes, "differ", "same", "every")


@pytest.mark.parametrize("seed", range(12))
def test_what_blocks_explain_wholly_is_no_evidence(seed):
    """Every session of a searcher is alike, so that only rounding could tell systems apart."""
    random = np.random.default_rng(seed)
    design = []
    for at in range(18):
        luck = float(random.random() * 3 + 0.1)
        for what, which in zip("wxyz", random.permutation(["1", "1", "2", "2"]), strict=True):
            design.append((f"p{at:02}", what, which, luck))
    pair = compare(sessions_from_design(design), measures="sDCG@10", resamples=999).pairs[0]
    assert (pair.difference, pair.p, pair.low, pair.high) == (0, 1, 0, 0)


def test_one_searcher_who_tried_both_does_not_say_it_all():
    design = [(f"p{at:02}", "x", "AB"[at % 2], 3 + at % 3 + 3 * (at % 2)) for at in range(12)]
    design += [("q", "x", "A", 5), ("q", "x", "B", 4), ("q", "x", "B", 4)]
    comparison = compare(sessions_from_design(design), measures="sDCG@10")
    assert comparison.pairs[0].difference > 2
    assert find_notes(comparison.notes, "few", "searchers", "several")


def test_a_constant_added_to_all_values_changes_no_p():
    system, searcher, scenario = design_labels()
    values = np.round(draw_values(8), 1)
    design = find_design(system, searcher, scenario)
    plain, more = (
        permute_pair(column, design, [searcher, scenario], Resampling())
        for column in (values, values + 1000)
    )
    assert plain.p.tolist() == more.p.tolist()


def test_only_pairs_with_the_baseline_can_be_asked_for():
    comparison = compare(incomplete_design(2), measures="sDCG@10", pairs="baseline", baseline="C")
    assert {pair.other for pair in comparison.pairs} == {"C"}
    assert len(comparison.pairs) == 2


# ── more than two systems ────────────────────────────────────────────────────────────────────


def cyclic_study(searchers, effects=(0.0, 0.0, 0.0, 3.0), seed=1, scenarios="wxyz"):
    """A cyclic Latin square: searcher n tries system n + s on scenario s."""
    random = np.random.default_rng(seed)
    number = len(scenarios)
    design = []
    for at in range(searchers):
        luck = random.normal()
        for s, what in enumerate(scenarios):
            which = (s + at) % number
            grade = 20 + luck + s + effects[which] + random.normal()
            design.append((f"p{at:02}", what, "ABCD"[which], float(grade)))
    return sessions_from_design(design)


def test_a_cyclic_square_is_compared_by_its_linear_model():
    comparison = compare(cyclic_study(16), measures="sDCG@10", resamples=999)
    assert comparison.evidence.test == "freedman-lane"
    assert comparison.evidence.correction == "max-t"
    words = ("linear", "searcher", "scenario", "system", "residuals")
    assert find_notes([comparison.evidence.test_words], *words)
    assert comparison.systems_beaten("sDCG@10")["D"] == ["A", "B", "C"]
    assert comparison.alike_groups("sDCG@10") == [("A", "B", "C"), ("D",)]
    for pair in comparison.pairs:  # balanced: the model changes no difference of means
        means = dict(zip(comparison.systems, comparison.means["sDCG@10"], strict=True))
        expected = means[pair.system] - means[pair.other]
        assert pair.difference == pytest.approx(expected, abs=1e-9)
        assert pair.counts == {"searchers": 16, "sessions": 64}
        assert pair.effect.wins + pair.effect.ties + pair.effect.losses == 16


def test_what_a_square_can_detect_is_by_the_error_that_all_pairs_share():
    frame = cyclic_study(16)
    comparison = compare(frame, measures="sDCG@10", resamples=99)
    results = gainful.sessions.evaluate(frame, measures="sDCG@10")
    table = results.columns.with_columns(value=pl.Series(results.values["sDCG@10"]))
    blocks = ("searcher", "scenario", "system")
    by_block = [pl.col("value").mean().over(name) for name in blocks]
    residual = table.select(pl.col("value") - sum(by_block) + 2 * pl.col("value").mean())["value"]
    degrees = 64 - 16 - 3 - 3
    error = (2 / 16 * (residual**2).sum() / degrees) ** 0.5
    critical = stats.t.isf(0.05 / 6 / 2, degrees)
    for pair in comparison.pairs:
        centre = pair.effect.detectable / error
        power = stats.nct.sf(critical, degrees, centre) + stats.nct.cdf(-critical, degrees, centre)
        assert power == pytest.approx(0.8, abs=1e-6)


def test_other_corrections_take_the_p_of_each_pair_alone():
    frame = cyclic_study(12, (0.0, 0.5, 1.0, 0.0))
    usual = compare(frame, measures="sDCG@10", resamples=999)
    holm = compare(frame, measures="sDCG@10", resamples=999, correct="holm")
    assert [pair.p for pair in holm.pairs] == [pair.p for pair in usual.pairs]
    ascending = sorted(holm.pairs, key=lambda pair: pair.p)
    assert ascending[0].p_corrected == pytest.approx(min(1, 6 * ascending[0].p))
    for pair in (*usual.pairs, *holm.pairs):
        assert not (pair.p_corrected > 0.05 and not pair.low <= 0 <= pair.high)


SAME = [(who, what, which, 1) for who in "abc" for what, which in (("x", "1"), ("y", "2"))]
OWN_SCENARIOS = [(f"p{at}", "xy"[at % 2], "12"[at % 2], 1 + at % 3) for at in range(8)]
NO_LINK = [
    (f"p{at:02}", what, which, float(1 + at % 3))
    for at in range(16)
    for what, which in zip("xy", "AB" if at < 8 else "CD", strict=True)
]
ZEROS = [(who, "x", which, 0) for who, which in zip("abcd", "1212", strict=True)]


@pytest.mark.parametrize(
    ("frame", "options", "error", "about"),
    [
        (sessions_from_design(SAME), {}, CannotCompare, "system 2 and 1"),
        (sessions_from_design(OWN_SCENARIOS), {}, CannotCompare, ""),
        (sessions_from_design(NO_LINK), {}, CannotCompare, ""),
        (sessions_from_design(ZEROS), {}, CannotCompare, ("sDCG@10", "0")),
        (cyclic_study(16), {"test": "permutation"}, CannotCompare, "--test freedman-lane"),
        (cyclic_study(5), {}, CannotCompare, "9 residual degrees"),
        (incomplete_design(1), {"correct": "max-t"}, BadValue, "correct"),
    ],
    ids=["same", "own scenarios", "no link", "zeros", "a named test", "few degrees", "max-t"],
)
def test_designs_that_tell_nothing_are_refused(frame, options, error, about):
    with refuses(error, about):
        compare(frame, measures="sDCG@10", **options)


def test_ten_residual_degrees_of_freedom_are_enough():
    compare(cyclic_study(6), measures="sDCG@10", resamples=99)  # 24 - 6 - 3 - 3 = 12


def test_everyone_on_everything_is_exchanged_pair_by_pair():
    random = np.random.default_rng(3)
    design = [
        (f"p{at}", what, which, float(5 + random.random() + (which == "C")))
        for at in range(8)
        for what in "xy"
        for which in "ABC"
    ]
    frame = sessions_from_design(design)
    usual = compare(frame, measures="sDCG@10")
    assert (usual.evidence.test, usual.evidence.correction) == ("permutation", "max-t")
    assert usual.pair("sDCG@10", "C", "A").p == pytest.approx(2 / 2**8)
    holm = compare(frame, measures="sDCG@10", correct="holm")
    assert [pair.difference for pair in usual.pairs] == pytest.approx(
        [pair.difference for pair in holm.pairs], abs=1e-9
    )
    for one_way, other in zip(usual.pairs, holm.pairs, strict=True):
        assert one_way.p_corrected <= other.p_corrected + 1e-12


def test_searchers_with_one_session_alone_are_left_out_and_counted():
    frame = pl.concat([cyclic_study(12), cyclic_study(13).filter(pl.col("searcher") == "p12")[:1]])
    frame = frame.with_columns(session=pl.int_range(pl.len()).cast(pl.String))
    comparison = compare(frame, measures="sDCG@10", resamples=199)
    assert ["1"] in [list_facts(note) for note in comparison.notes if "left out" in note]
    assert comparison.pairs[0].counts == {"searchers": 12, "sessions": 48}
    assert "sDCG@10, 13 searchers" in comparison.to_text()
    assert "searchers\n" in comparison.to_text()  # a column says how many entered each pair


# ── what is counted, and what p is for ───────────────────────────────────────────────────────


def test_who_entered_a_pair_is_counted_and_nobody_else_wins():
    """With the order as a block, 13 of 30 searchers can exchange nothing."""
    study = simulate_study(2008)
    blocks = ["searcher", "scenario", "order"]
    comparison = compare(study.sessions, study.qrels, "sDCG@10", block=blocks, resamples=199)
    (pair,) = comparison.pairs
    assert pair.counts == {"searchers": 17, "sessions": 68}
    assert pair.effect.wins + pair.effect.ties + pair.effect.losses == 17
    assert ["2", "1", "13"] in [list_facts(note) for note in comparison.notes]
    rows = comparison.to_polars()
    assert (rows["searchers"][0], rows["sessions"][0]) == (17, 68)
    assert comparison.to_dict()["pairs"][0]["searchers"] == 17


def test_every_sentence_counts_searchers_or_sessions_never_both(study):
    comparison = compare(study.sessions, study.qrels, ["nsDCG@10", "sDCG@10"], resamples=199)
    for line in comparison.to_text(verbose=True).splitlines():
        counted = [unit for unit in ("searcher", "session") if f" {unit}" in line]
        assert len(counted) < 2, line
    assert "nsDCG@10, 30 searchers" in comparison.to_text()
    measure = comparison.to_dict()["measures"][0]
    assert (measure["sessions"], measure["searchers"]) == (120, 30)


def test_p_is_said_to_be_for_these_scenarios_with_how_differences_vary(study):
    comparison = compare(study.sessions, study.qrels, "sDCG@10", resamples=199)
    interaction = comparison.interactions["sDCG@10"]
    assert (interaction.column, interaction.levels, interaction.degrees) == ("scenario", 4, 3)
    text = comparison.to_text()
    assert f"p = {interaction.p:.3f})" in text
    assert comparison.to_dict()["measures"][0]["interaction"]["p"] == interaction.p
    alone = compare(study.sessions, study.qrels, "sDCG@10", where={"scenario": "A"}, resamples=199)
    assert alone.interactions == {}


def test_an_interaction_is_seen_where_there_is_one():
    random = np.random.default_rng(5)
    design = [
        (f"p{at}", what, which, float(9 + random.normal() + 4 * (what + which == "y2")))
        for at in range(10)
        for what in "xy"
        for which in "12"
    ]
    comparison = compare(sessions_from_design(design), measures="sDCG@10", resamples=199)
    interaction = comparison.interactions["sDCG@10"]
    assert interaction.p < 0.001
    assert "differences vary by" in comparison.to_text()
    assert interaction.sd == pytest.approx(np.sqrt(2) * 2, rel=0.4)


def test_so_few_searchers_that_nothing_can_be_significant_are_said_to_be():
    """Four searchers can change names of two systems in 16 ways: no p is below 2/16."""
    design = [
        (who, "x", system, grade if system == "B" else 0)
        for grade, who in enumerate("pqrs", 1)
        for system in "AB"
    ]
    comparison = compare(sessions_from_design(design), measures="sDCG@10")
    assert comparison.pairs[0].p == 2 / 16
    assert list_facts(comparison.notes[-1]) == ["sDCG@10", "0.05"]


def test_sessions_without_searchers_are_what_is_permuted():
    frame = pl.DataFrame({
        "session": [f"s{at}" for at in range(12)],
        "query": 1,
        "rank": 1,
        "doc": "a",
        "grade": [at % 5 for at in range(12)],
        "system": ["A", "B"] * 6,
        "name": [f"n{at}" for at in range(12)],
    })  # fmt: skip
    comparison = compare(frame, measures="sDCG@10", resamples=99)
    assert "searcher" not in comparison.evidence.test_words
    assert len(find_notes(comparison.notes, "effect", "size")) == 1
    assert all(pair.effect is None for pair in comparison.pairs)
    with refuses(CannotCompare, "session"):
        compare(frame, measures="sDCG@10", by="name", resamples=99)
