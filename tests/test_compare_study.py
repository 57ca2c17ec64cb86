"""Systems compared over the sessions of a study: what may be exchanged, and what follows."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from statsmodels.formula.api import ols

from gainful import BadInput, CannotCompare, compare_sessions, simulate_study
from gainful.compare.statistics.design import designed, without_blocks
from gainful.compare.statistics.exchange import BLOCKED, INVERTED, exchanged
from gainful.compare.statistics.how import How
from gainful.errors import BadValue, UnknownName, WrongType

LATIN = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0]])


def square(rows=LATIN):
    searchers, scenarios = rows.shape
    return (
        rows.ravel(),
        np.repeat(np.arange(searchers), scenarios),
        np.tile(np.arange(scenarios), searchers),
    )


def measured(seed=1, rows=LATIN, columns=1):
    random = np.random.default_rng(seed)
    system, searcher, scenario = square(rows)
    noise = random.normal(size=(system.size, columns))
    return noise + random.normal(size=(len(rows), columns))[searcher] + scenario[:, None] / 3


def brute_p(values, rows, shift=0.0, alternative="two-sided"):
    """All ways for searchers to exchange their rows, by plain loops."""
    system, searcher, scenario = square(rows)
    left = without_blocks((values - shift * system)[:, None], [searcher, scenario])[:, 0]
    statistic = []
    for order in permutations(range(len(rows))):
        labels = rows[list(order)].ravel()
        statistic.append(left[labels == 1].mean() - left[labels == 0].mean())
    seen, found = statistic[0], np.array(statistic)
    hits = {
        "two-sided": np.abs(found) >= abs(seen) - 1e-9,
        "greater": found >= seen - 1e-9,
        "less": found <= seen + 1e-9,
    }
    return hits[alternative].mean()


# ── the design ───────────────────────────────────────────────────────────────────────────────


def test_whole_assignments_are_exchanged_so_that_the_square_stays_one():
    system, searcher, scenario = square()
    design = designed(system, searcher, scenario)
    assert design.scheme == "exchange"
    rows = {tuple(row) for row in LATIN.tolist()}
    for labels in np.concatenate(list(design.labels(How()))):
        assert {tuple(row) for row in labels.reshape(LATIN.shape).tolist()} == rows
        assert (labels.reshape(LATIN.shape).sum(axis=0) == LATIN.sum(axis=0)).all()


def test_searchers_exchange_only_with_those_who_did_the_same():
    system = np.array([0, 1, 1, 0, 0, 1, 1, 0])
    searcher = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    scenario = np.array([0, 1, 0, 1, 0, 2, 0, 2])
    design = designed(system, searcher, scenario)
    assert sorted(len(rows) for rows in design.strata) == [2, 2]
    assert design.arrangements == 4
    labels = np.concatenate(list(design.labels(How())))
    assert len(np.unique(labels, axis=0)) == 4


def test_a_sample_of_arrangements_has_only_arrangements_that_can_be():
    rows = np.array([np.random.default_rng(at).permutation([0, 0, 1, 1]) for at in range(12)])
    design = designed(*square(rows))
    assert not design.enumerated
    for labels in np.concatenate(list(design.labels(How(resamples=200)))):
        found = sorted(map(tuple, labels.reshape(rows.shape).tolist()))
        assert found == sorted(map(tuple, rows.tolist()))


def test_where_everyone_tried_everything_systems_change_names_within_searchers():
    system = np.tile([0, 1, 0, 1], 3)
    searcher, scenario = np.repeat([0, 1, 2], 4), np.tile([0, 0, 1, 1], 3)
    design = designed(system, searcher, scenario)
    assert design.scheme == "swap"
    assert design.arrangements == 8
    labels = np.concatenate(list(design.labels(How())))
    expected = {
        tuple(np.concatenate([[0, 1, 0, 1] if keep else [1, 0, 1, 0] for keep in choice]).tolist())
        for choice in product((True, False), repeat=3)
    }
    assert {tuple(one.tolist()) for one in labels} == expected


def test_nothing_can_be_exchanged_where_all_have_the_same_assignment():
    assert designed(*square(np.array([[0, 1], [0, 1], [0, 1]]))) is None


# ── the test ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(5))
def test_p_is_that_of_all_exchanges(seed):
    values = measured(seed)
    system, searcher, scenario = square()
    design = designed(system, searcher, scenario)
    found = exchanged(values, design, [searcher, scenario], [(1, 0)], How())
    assert found.exact
    assert found.p[0, 0] == pytest.approx(brute_p(values[:, 0], LATIN), abs=1e-12)
    assert found.family_wise[0, 0] == found.p[0, 0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("turned", [False, True])
def test_the_interval_is_the_differences_that_are_not_rejected(seed, turned):
    values = measured(seed)
    system, searcher, scenario = square()
    design = designed(system, searcher, scenario)
    pair = (0, 1) if turned else (1, 0)
    found = exchanged(values, design, [searcher, scenario], [pair], How(alpha=0.2))
    assert found.interval == INVERTED
    low, high = found.low[0, 0], found.high[0, 0]
    assert low < found.estimate[0, 0] < high
    if turned:
        low, high = -high, -low
    for shift in np.linspace(low - 1, high + 1, 41):
        if min(abs(shift - low), abs(shift - high)) < 1e-6:
            continue
        sides = [brute_p(values[:, 0], LATIN, shift, side) for side in ("greater", "less")]
        assert (low < shift < high) == (min(sides) > 0.1), shift


@pytest.mark.parametrize("systems", [2, 3])
def test_the_difference_is_that_of_least_squares_with_blocks(systems):
    random = np.random.default_rng(systems)
    rows = np.array([random.permutation(np.arange(6) % systems) for _ in range(8)])
    system, searcher, scenario = square(rows)
    kept = random.random(system.size) < 0.85  # some sessions were lost: nothing is balanced
    values = measured(3, rows)[kept] + system[kept][:, None]
    numbers = [searcher[kept], scenario[kept]]
    design = designed(system[kept], *numbers)
    pairs = list(combinations(range(systems), 2))
    found = exchanged(values, design, numbers, [(b, a) for a, b in pairs], How(resamples=199))
    frame = pd.DataFrame(
        {"y": values[:, 0], "s": system[kept], "u": searcher[kept], "c": scenario[kept]}
    )
    fitted = ols("y ~ C(s) + C(u) + C(c)", frame).fit().params
    effects = [0.0, *(fitted[f"C(s)[T.{at}]"] for at in range(1, systems))]
    expected = [effects[b] - effects[a] for a, b in pairs]
    assert found.estimate[:, 0] == pytest.approx(expected, abs=1e-9)


def test_searchers_with_one_system_each_are_two_samples():
    """Then it is the permutation test of two independent samples, as scipy has it."""
    system, searcher = np.array([0, 0, 0, 0, 1, 1, 1]), np.arange(7)
    values = np.random.default_rng(4).normal(size=(7, 1)) + system[:, None]
    design = designed(system, searcher, np.zeros(7, dtype=int))
    found = exchanged(values, design, [], [(1, 0)], How())
    theirs = stats.permutation_test(
        (values[system == 1, 0], values[system == 0, 0]),
        lambda x, y: x.mean() - y.mean(),
        n_resamples=np.inf,
    )
    assert found.exact
    assert found.p[0, 0] == pytest.approx(theirs.pvalue, abs=1e-12)


def test_everyone_on_everything_is_the_sign_flip_test_of_searchers():
    random = np.random.default_rng(5)
    system = np.tile([0, 1, 0, 1], 9)
    searcher, scenario = np.repeat(np.arange(9), 4), np.tile([0, 0, 1, 1], 9)
    values = random.normal(size=(36, 1)) + random.normal(size=(9, 1))[searcher]
    design = designed(system, searcher, scenario)
    found = exchanged(values, design, [searcher, scenario], [(1, 0)], How(alpha=0.1))
    each = values.reshape(9, 2, 2)
    differences = (each[:, :, 1] - each[:, :, 0]).mean(axis=1)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert found.p[0, 0] == pytest.approx(theirs.pvalue, abs=1e-12)
    assert found.estimate[0, 0] == pytest.approx(differences.mean(), abs=1e-12)


def test_three_systems_have_bootstrapped_intervals_that_are_named():
    rows = np.array([np.random.default_rng(at).permutation([0, 1, 2]) for at in range(15)])
    system, searcher, scenario = square(rows)
    values = measured(6, rows) + 3 * (system == 2)[:, None]
    design = designed(system, searcher, scenario)
    pairs = [(1, 0), (2, 0), (2, 1)]
    found = exchanged(values, design, [searcher, scenario], pairs, How(resamples=999))
    assert found.interval == BLOCKED
    assert (found.low <= found.estimate).all()
    assert (found.estimate <= found.high).all()
    assert (found.p[:, 0] <= 0.05).tolist() == [False, True, True]
    assert (found.family_wise >= found.p).all()


# ── sessions ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def study():
    return simulate_study(3)


def test_a_study_is_compared_by_its_design(study):
    found = compare_sessions(study.sessions, study.judgments, ["nsDCG@10", "sDCG@10"])
    assert found.systems == ("1", "2")
    assert found.units == {"nsDCG@10": 120, "sDCG@10": 120}
    assert found.weighed.interval == INVERTED
    assert found.weighed.paired_by == "searcher"
    for pair in found.pairs:  # a Latin square: blocks change no difference of means
        means = dict(zip(found.systems, found.means[pair.measure], strict=True))
        assert pair.difference == pytest.approx(means["2"] - means["1"], abs=1e-12)
        size = pair.effect
        assert size.wins + size.ties + size.losses == 30


def test_any_measure_and_statistic_can_be_the_outcome(study):
    measures = ["nsDCG(statistic=best)@10", "sDCG(statistic=last)@5", "sRBP"]
    found = compare_sessions(study.sessions, study.judgments, measures, resamples=199)
    assert list(found.measures) == measures
    assert all(0 < pair.p <= 1 for pair in found.pairs)


def test_exchanging_the_names_of_systems_turns_the_difference(study):
    frame = study.sessions.frame
    turned = frame.with_columns(system=pl.col("system").replace({"1": "2", "2": "1"}))
    one, other = (
        compare_sessions(rows, study.judgments, "sDCG@10", resamples=999).pairs[0]
        for rows in (frame, turned)
    )
    assert other.difference == pytest.approx(-one.difference, abs=1e-12)
    assert other.p == one.p


def test_blocks_are_taken_out(study):
    """A searcher who is better at everything says nothing about systems."""
    lucky = study.sessions.frame.filter(pl.col("searcher") != "p01")
    blocked = compare_sessions(lucky, study.judgments, "sDCG@10", resamples=999)
    alone = compare_sessions(lucky, study.judgments, "sDCG@10", block=(), resamples=999)
    assert blocked.units == alone.units
    assert "no blocks: sessions are exchanged as if each were a searcher of its own" in alone.notes
    assert alone.pairs[0].effect is None
    assert alone.pairs[0].p != blocked.pairs[0].p


def rows_of(design):
    """Sessions of one query and one result: searcher, scenario, system, grade."""
    return pl.DataFrame(
        [
            {
                "session": str(at),
                "query": 1,
                "rank": 1,
                "doc": f"d{at}",
                "topic": "t",
                "searcher": who,
                "scenario": what,
                "system": which,
                "grade": grade,
            }
            for at, (who, what, which, grade) in enumerate(design)
        ]
    )


def test_a_design_with_nothing_to_exchange_is_refused_with_the_reason():
    same = [(who, what, which, 1) for who in "abc" for what, which in (("x", "1"), ("y", "2"))]
    told = "no two searchers who did the same have different assignments of system: nothing can be"
    with pytest.raises(CannotCompare, match=told):
        compare_sessions(rows_of(same), measures="sDCG@10")


@pytest.mark.parametrize(
    ("more", "error", "told"),
    [
        ({"by": "sytem"}, UnknownName, "no column 'sytem'; did you mean system"),
        ({"block": "who"}, UnknownName, "no column 'who'"),
        ({"block": ["searcher", "searcher"]}, BadValue, "each column once"),
        ({"by": ["system"]}, WrongType, "the name of one column"),
        ({"baseline": "9"}, UnknownName, "no system '9'"),
        ({"test": "t"}, UnknownName, "no test 't'"),
        ({"correct": "x"}, UnknownName, "no correction 'x'"),
        ({"resamples": 0}, BadValue, "resamples is 0"),
        ({"where": {"system": "1"}}, CannotCompare, "all sessions have the system '1'"),
    ],
)
def test_what_cannot_be_is_refused(study, more, error, told):
    with pytest.raises(error, match=told):
        compare_sessions(study.sessions, study.judgments, "sDCG@10", **more)


def test_sessions_without_a_searcher_and_measures_of_zero_are_refused(study):
    frame = study.sessions.frame
    nobody = frame.with_columns(
        searcher=pl.when(pl.col("searcher") == "p02").then(None).otherwise(pl.col("searcher"))
    )
    with pytest.raises(BadInput, match="session 'sim-02-1' has no searcher"):
        compare_sessions(nobody, study.judgments, "sDCG@10")
    nothing = [
        (who, what, which, 0) for who, what, which in zip("abcd", "xxxx", "1212", strict=True)
    ]
    with pytest.raises(CannotCompare, match="sDCG@10 is 0 in every session"):
        compare_sessions(rows_of(nothing), measures="sDCG@10")


def test_three_systems_are_said_to_be_tested_together():
    random = np.random.default_rng(7)
    design = [
        (f"p{at}", what, which, int(random.integers(0, 4)))
        for at in range(9)
        for what, which in zip("xyz", random.permutation(["1", "2", "3"]), strict=True)
    ]
    found = compare_sessions(rows_of(design), measures="sDCG@10", test="tukey", baseline="2")
    assert found.baseline == "2"
    assert [(pair.system, pair.other) for pair in found.pairs] == [
        ("1", "2"),
        ("3", "2"),
        ("3", "1"),
    ]
    assert any("asks whether all systems are alike" in note for note in found.notes)
    assert found.weighed.interval == BLOCKED
