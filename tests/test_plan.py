"""How many queries a comparison needs: against statsmodels, and by what it refuses."""

import json
from math import ceil, sqrt

import numpy as np
import pytest
from example_files import NEWS_QRELS as QRELS, NEWS_RUNS as RUNS
from facts import list_facts
from refusals import refuses
from scipy.stats import chi2, kurtosis
from statsmodels.stats.power import TTestPower

import gainful
from gainful.errors import BadInput, BadValue, UnknownName, WrongType


def count_queries(effect, alpha, power):
    return ceil(TTestPower().solve_power(effect_size=effect, alpha=alpha, power=power))


@pytest.mark.parametrize(
    ("difference", "alpha", "power", "confidence"),
    [(0.05, 0.05, 0.8, 0.8), (0.02, 0.01, 0.9, 0.95), (0.2, 0.05, 0.5, 0.6)],
)
def test_the_queries_are_those_of_the_t_test(difference, alpha, power, confidence):
    plan = gainful.plan(
        QRELS, RUNS, "nDCG@10", difference=difference, alpha=alpha, power=power,
        confidence=confidence,
    )  # fmt: skip
    results = gainful.evaluate(QRELS, RUNS, "nDCG@10")
    values = {name: results[name].per_query.sort("query")["nDCG@10"].to_numpy() for name in RUNS}
    assert len(plan.pairs) == 3
    for pair in plan.pairs:
        differences = values[pair.run] - values[pair.baseline]
        spread = np.std(differences, ddof=1)
        # Box: degrees of freedom that give the sample variance its variance, by its kurtosis
        degrees = 80 / (max(kurtosis(differences, bias=False), 0) + 80 / 39)
        largest = spread * sqrt(degrees / chi2.ppf(1 - confidence, degrees))
        assert pair.spread == pytest.approx(spread)
        assert pair.largest_spread == pytest.approx(largest)
        assert pair.needed == count_queries(difference / spread, alpha, power)
        assert pair.cautious == count_queries(difference / largest, alpha, power)
        power_of_pilot = TTestPower().power(pair.detectable / spread, 40, alpha)
        assert power_of_pilot == pytest.approx(power, abs=1e-6)


def test_each_measure_may_have_a_difference_of_its_own_spelt_as_one_likes(run_gainful):
    plan = gainful.plan(QRELS, RUNS, ["nDCG@10", "RR"], difference={"ndcg_cut_10": 0.1})
    assert {pair.measure: pair.difference for pair in plan.pairs} == {"nDCG@10": 0.1, "RR": 0.05}
    words = ("plan", QRELS, *RUNS.values(), "-m", "AP", "-m", "RR", "--format", "json")
    pairs = json.loads(run_gainful(*words, "--difference", "AP=0.02").out)["pairs"]
    assert {pair["measure"]: pair["difference"] for pair in pairs} == {"AP": 0.02, "RR": 0.05}
    listed = gainful.plan(QRELS, [RUNS["bm25"], RUNS["dense"]], "AP")
    assert [(pair.run, pair.baseline) for pair in listed.pairs] == [("dense", "bm25")]


def test_comparisons_share_the_level():
    shared = gainful.plan(QRELS, RUNS, "AP", comparisons=10).pairs[0]
    alone = gainful.plan(QRELS, RUNS, "AP", alpha=0.005).pairs[0]
    assert shared.needed == alone.needed == count_queries(0.05 / alone.spread, 0.005, 0.8)
    tiny = gainful.plan(QRELS, RUNS, "AP", difference=1e-9)  # which no collection could show
    assert tiny.pairs[0].needed is None
    assert tiny.page().answer.startswith("No collection")


def test_clusters_are_counted_whole():
    """By hand: means of clusters of two are single values of half as many queries."""
    rng = np.random.default_rng(1)
    hits = rng.integers(1, 9, (12, 2))  # of conversations, the same in both of their turns
    queries = [f"{c}_{t}" for c in range(12) for t in (1, 2)]
    judged = {query: {f"r{n}": 1 for n in range(10)} for query in queries}
    runs = {
        name: {
            f"{c}_{t}": [f"r{n}" for n in range(hits[c, at])] + ["x"]
            for c in range(12)
            for t in (1, 2)
        }
        for at, name in enumerate(("old", "new"))
    }
    (pair,) = gainful.plan(judged, runs, "P@10", cluster=r"^(.+)_\d$", difference=0.1).pairs
    spread = np.std((hits[:, 1] - hits[:, 0]) / 10, ddof=1)
    assert (pair.queries, pair.clusters) == (24, 12)
    assert pair.spread == pytest.approx(spread)
    assert pair.needed_clusters == count_queries(0.1 / spread, 0.05, 0.8)
    assert pair.needed == 2 * pair.needed_clusters
    answer = gainful.plan(judged, runs, "P@10", cluster=r"^(.+)_\d$").page().answer
    assert "in 12 clusters" in answer


def test_the_command_answers_first(run_gainful):
    words = ("plan", QRELS, RUNS["bm25"], RUNS["dense"], "-m", "nDCG@10", "--difference", "0.02")
    first = run_gainful(*words, "--format", "table").out.splitlines()[0]
    assert list_facts(first)[:3] == ["597", "0.02", "nDCG@10"]
    data = json.loads(run_gainful(*words, "--format", "json").out)
    assert [pair["needed"] for pair in data["pairs"]] == [481]


EQUAL = {str(query): ["a"] for query in range(9)}


@pytest.mark.parametrize(
    ("arguments", "options", "error", "about"),
    [
        ((QRELS, RUNS), {"difference": 0}, BadValue, "difference"),
        ((QRELS, RUNS), {"difference": "x"}, WrongType, "difference"),
        ((QRELS, RUNS), {"difference": {"AP": 0.1}}, UnknownName, "AP"),
        ((QRELS, RUNS), {"power": 1.5}, BadValue, "power"),
        ((QRELS, RUNS), {"confidence": True}, WrongType, "confidence"),
        ((QRELS, RUNS), {"alpha": 0}, BadValue, "alpha"),
        ((QRELS, RUNS), {"comparisons": 0}, BadValue, "comparisons"),
        ((QRELS, RUNS), {"comparisons": 1.5}, WrongType, "comparisons"),
        ((QRELS, RUNS), {"cluster": "^(n)"}, BadValue, "cluster"),
        ((QRELS, {"a": RUNS["bm25"]}), {}, BadValue, "runs"),
        (({"1": ["a"]}, [{"1": ["a"]}, {"1": ["b", "a"]}]), {}, BadInput, "RR"),
        ((EQUAL, [EQUAL, EQUAL]), {}, BadInput, "RR"),
        ((QRELS, RUNS), {"powre": 0.9}, UnknownName, ("powre", "power")),
    ],
)
def test_what_no_plan_can_be_made_for(arguments, options, error, about):
    with refuses(error, about):
        gainful.plan(*arguments, "RR", **options)


def test_a_measure_that_is_constant_in_the_pilot_is_left_out_of_a_plan_of_several():
    """Both runs have the relevant document first, and one of them more of what follows."""
    qrels = {str(q): {"a": 1, "b": 1} for q in range(6)}
    first = {query: ["a", "b"] if query in "012" else ["a", "x", "b"] for query in qrels}
    plan = gainful.plan(qrels, {"first": first, "second": {query: ["a"] for query in qrels}})
    assert {pair.measure for pair in plan.pairs} == {"nDCG@10", "AP"}
    assert [note.partition(":")[0] for note in plan.notes] == ["RR"]
