"""How many queries a comparison needs: against statsmodels, and by what it refuses."""

from __future__ import annotations

import json
from math import ceil, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from statsmodels.stats.power import TTestPower

import gainful
from gainful.errors import BadInput, BadValue, UnknownName, WrongType

NEWS = Path(__file__).parent.parent / "examples" / "news"
RUNS = {name: str(NEWS / f"{name}.txt") for name in ("bm25", "dense", "hybrid")}
QRELS = str(NEWS / "qrels.txt")


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
        largest = spread * sqrt(39 / chi2.ppf(1 - confidence, 39))
        assert pair.spread == pytest.approx(spread)
        assert pair.largest_spread == pytest.approx(largest)
        assert pair.needed == count_queries(difference / spread, alpha, power)
        assert pair.safe == count_queries(difference / largest, alpha, power)
        power_of_pilot = TTestPower().power(pair.detectable / spread, 40, alpha)
        assert power_of_pilot == pytest.approx(power, abs=1e-6)


def test_each_measure_may_have_a_difference_of_its_own():
    plan = gainful.plan(QRELS, RUNS, ["nDCG@10", "RR"], difference={"RR": 0.1})
    assert {pair.measure: pair.difference for pair in plan.pairs} == {"nDCG@10": 0.05, "RR": 0.1}


def test_runs_may_stand_in_a_list():
    plan = gainful.plan(QRELS, [RUNS["bm25"], RUNS["dense"]], "AP")
    assert [(pair.run, pair.baseline) for pair in plan.pairs] == [("dense", "bm25")]


def test_the_command_answers_first(run_gainful):
    words = ("plan", QRELS, RUNS["bm25"], RUNS["dense"], "-m", "nDCG@10", "--difference", "0.02")
    first = run_gainful(*words, "--format", "table").out.splitlines()[0]
    assert first.startswith("Plan 597 queries to find a true difference of 0.02 in nDCG@10")
    data = json.loads(run_gainful(*words, "--format", "json").out)
    assert [pair["needed"] for pair in data["pairs"]] == [481]


def test_a_difference_that_no_collection_could_show():
    plan = gainful.plan(QRELS, RUNS, "nDCG@10", difference=1e-9)
    assert plan.pairs[0].needed is None
    assert plan.page().answer.startswith("No collection has enough queries")


EQUAL = {str(query): ["a"] for query in range(9)}


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((QRELS, RUNS), {"difference": 0}, BadValue, "difference is 0; allowed: a number above 0"),
        ((QRELS, RUNS), {"difference": "x"}, WrongType, "difference is 'x'"),
        (
            (QRELS, RUNS),
            {"power": 1.5},
            BadValue,
            "power is 1.5; allowed: a number between 0 and 1",
        ),
        ((QRELS, RUNS), {"confidence": True}, WrongType, "confidence is True"),
        ((QRELS, RUNS), {"alpha": 0}, BadValue, "alpha is 0"),
        ((QRELS, {"a": RUNS["bm25"]}), {}, BadValue, "with at least two"),
        (({"1": ["a"]}, [{"1": ["a"]}, {"1": ["b", "a"]}]), {}, BadInput, "a pilot of 1 query"),
        ((EQUAL, [EQUAL, EQUAL]), {}, BadInput, "differ by the same in every query"),
        ((QRELS, RUNS), {"powre": 0.9}, UnknownName, "power"),
    ],
)
def test_what_no_plan_can_be_made_for(arguments, options, error, message):
    with pytest.raises(error, match=message):
        gainful.plan(*arguments, "RR", **options)


def test_one_run_is_no_pilot(run_gainful):
    done = run_gainful("plan", QRELS, RUNS["bm25"], status=2)
    assert "name QRELS and two runs or more" in done.err
