"""The swap and the stability method, against straight loops over the same halves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from gainful import evaluate, order
from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.orders.split_half import SwapBin, _find_needed, split_queries
from gainful.evidence.pairing import PairedValues

SEED, TRIALS = 7, 200


def make_values(queries=21, runs=4):
    generator = np.random.default_rng(5)
    topic = generator.beta(2, 3, (queries, 1))
    return np.clip(topic + generator.normal(0, 0.15, (queries, runs)) + [0, 0.02, 0.1, 0.3], 0, 1)


def pair_up(values, measure="AP"):
    return PairedValues(
        measure, [str(at) for at in range(len(values))], values, [0] * values.shape[1]
    )


def count_by_hand(values, trials, seed):
    """As the papers tell it: one trial, one pair at a time."""
    generator = np.random.Generator(np.random.PCG64(seed))
    orders = generator.random((trials, len(values))).argsort(axis=1)
    half, runs = len(values) // 2, range(values.shape[1])
    counter, swap_counter, taus = [0] * 21, [0] * 21, []
    greater = {}
    equal = total = 0
    for queries in orders:
        first_means = values[queries[:half]].mean(axis=0)
        second_means = values[queries[half : 2 * half]].mean(axis=0)
        taus.append(kendalltau(first_means, second_means).statistic)
        for x, y in combinations(runs, 2):
            difference, again = first_means[x] - first_means[y], second_means[x] - second_means[y]
            place = min(int(abs(difference) * 100), 20)
            counter[place] += 1
            swap_counter[place] += difference * again < 0
            total += 1
            if abs(difference) < 0.05 * max(first_means[x], first_means[y]):
                equal += 1
            else:
                winner = (x, y) if difference > 0 else (y, x)
                greater[winner] = greater.get(winner, 0) + 1
    minority = sum(
        min(greater.get((x, y), 0), greater.get((y, x), 0)) for x, y in combinations(runs, 2)
    )
    return counter, swap_counter, minority / total, equal / total, np.mean(taus)


def test_swap_rates_and_stability_are_those_of_the_papers():
    values = make_values()
    split = split_queries(pair_up(values), TRIALS, SEED)
    counter, swap_counter, minority, ties, tau = count_by_hand(values, TRIALS, SEED)
    assert [swap_bin.comparisons for swap_bin in split.bins] == counter
    assert [swap_bin.swaps for swap_bin in split.bins] == swap_counter
    assert [swap_bin.low for swap_bin in split.bins] == pytest.approx(
        [at / 100 for at in range(21)]
    )
    assert split.minority_rate == pytest.approx(minority)
    assert split.proportion_of_ties == pytest.approx(ties)
    assert split.tau == pytest.approx(tau)
    assert split.queries == 10
    assert 0 < minority < 0.5


def test_the_difference_needed_is_the_first_whose_swaps_are_rare():
    rates = [(0.0, 100, 40), (0.01, 100, 4), (0.02, 100, 6), (0.03, 50, 2), (0.04, 0, 0)]
    assert _find_needed([SwapBin(*row) for row in rates]) == 0.01  # 12 of 250 from there on
    assert _find_needed([SwapBin(*row) for row in (*rates, (0.05, 20, 9))]) is None
    assert _find_needed([SwapBin(*row) for row in (*rates, (0.05, 20, 9), (0.06, 5, 0))]) == 0.06
    assert _find_needed([SwapBin(0.0, 100, 40)]) is None


def test_runs_that_never_swap_need_no_difference():
    values = np.linspace(0.1, 0.9, 20)[:, None] + np.array([0, 0.05, 0.1])
    split = split_queries(pair_up(values), TRIALS, SEED)
    assert split.needed is not None
    assert split.sensitivity == 1.0
    assert split.minority_rate == 0
    assert split.tau == pytest.approx(1)


def test_runs_that_are_the_same_only_tie():
    values = np.tile(np.linspace(0.1, 0.9, 20)[:, None], 3)
    split = split_queries(pair_up(values), TRIALS, SEED)
    assert split.proportion_of_ties == 1.0
    assert split.minority_rate == 0
    assert split.tau is None


def test_bins_grow_with_what_is_measured():
    split = split_queries(pair_up(100 * make_values(), "DCG"), TRIALS, SEED)
    assert split.bins[1].low == pytest.approx(1.0)


@pytest.fixture(scope="module")
def many():
    """Twenty queries, each with one relevant document; runs have it at these ranks."""
    qrels = {str(q): {"good": 1} for q in range(20)}
    place = {"a": lambda q: 1 + q % 2, "b": lambda q: 1 + q % 3, "c": lambda q: 2 + q % 4}
    runs = {
        name: {
            str(q): [f"x{i}" for i in range(1, rank(q))] + ["good"] for q in range(20)
        }
        for name, rank in place.items()
    }  # fmt: skip
    return qrels, runs


def test_order_tells_split_halves_on_request(many):
    plain = order(*many, "RR", resamples=99)
    assert "split_halves" not in plain.to_dict()
    split = order(*many, ["RR", "P@1"], split_half=True, trials=100, resamples=99)
    assert [item.measure for item in split.split_halves] == ["RR", "P@1"]
    text = split.to_text()
    assert "tau of" in text
    assert "100 random pairs of disjoint sets of 10 queries" in " ".join(text.split())
    data = split.to_dict()["split_halves"][0]
    assert len(data["bins"]) == 21
    assert data["bins"][0].keys() == {"low", "comparisons", "swaps", "rate"}
    again = order(*many, ["RR", "P@1"], split_half=True, trials=100, resamples=99)
    assert again.to_dict() == split.to_dict()


def test_what_cannot_be_split_is_refused(many):
    qrels, runs = many
    few = {query: qrels[query] for query in list(qrels)[:9]}
    with pytest.raises(CannotCompare, match="9 queries cannot be split into halves"):
        order(few, runs, "RR", split_half=True, resamples=99)
    with pytest.raises(BadValue, match="trials is 5; allowed: 100 to"):
        order(qrels, runs, "RR", split_half=True, trials=5)
    with pytest.raises(WrongType, match="trials"):
        order(qrels, runs, "RR", split_half=True, trials="many")
    assert evaluate(few, runs["a"], "RR").mean["RR"] > 0


def test_trials_without_split_half_are_refused(run_gainful, tmp_path):
    printed = run_gainful("order", "q", "a", "b", "c", "--trials", "200", status=2)
    assert "--trials is of --split-half" in printed.err
