"""`like=` beyond nDCG: whose number is a measure, and what tools do otherwise in single measures.

Numbers that tools printed are named with their version; others are worked out by the formula in
the source that is named.
"""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

import gainful
from gainful.convention import CONVENTIONS
from gainful.measure.catalogue import MEASURES

# Grades of a ranking, a cutoff, and what printed AP@k of it: LightGBM 4.7.0 (metric map), XGBoost
# 3.2.0 (map@k, and with a minus behind it), CatBoost 1.2.10 (MAP:top=k).
PRINTED = [
    ([1, 0, 1, 1], 2, (0.5, 0.5, 0.5, 0.5)),
    ([1, 0, 0, 0], 3, (1.0, 1.0, 1.0, 1.0)),
    ([0, 1, 0, 1, 0], 3, (0.25, 0.25, 0.25, 0.25)),
    ([0, 0, 0, 1], 2, (0.0, 0.0, 0.0, 0.0)),
    ([0, 0, 0], 2, (1.0, 1.0, 0.0, 0.0)),
    ([1, 1], 5, (1.0, 1.0, 1.0, 1.0)),
    ([0, 1], 5, (0.5, 0.5, 0.5, 0.5)),
]
TOOLS = ("lightgbm", "xgboost", "xgboost_minus", "catboost")


def evaluate_list(grades, measure, like, **settings):
    """One measure of one ranking, whose documents are all judged."""
    docs = [f"d{place}" for place in range(len(grades))]
    qrels = {"q": dict(zip(docs, grades, strict=True))}
    run = {"q": {doc: float(-place) for place, doc in enumerate(docs)}}
    return gainful.evaluate(qrels, run, measure, like=like, **settings).mean[measure]


@pytest.mark.parametrize(("grades", "k", "printed"), PRINTED)
def test_average_precision_is_that_of_the_libraries_of_learning(grades, k, printed):
    values = tuple(evaluate_list(grades, f"AP@{k}", tool) for tool in TOOLS)
    assert values == pytest.approx(printed, abs=1e-6)


def test_recall_and_reciprocal_rank_are_those_of_catboost():
    """RecallAt:top=2 and MRR:top=2 of CatBoost 1.2.10."""
    assert evaluate_list([1, 0, 1, 1], "R@2", "catboost") == pytest.approx(1 / 3)
    assert evaluate_list([0, 0, 0], "R@2", "catboost") == 1.0
    assert evaluate_list([0, 0, 0], "RR@2", "catboost") == 0.0
    assert evaluate_list([0, 1, 0], "RR@2", "catboost") == 0.5


@pytest.mark.parametrize("tool", ["recommenders", "recommenders_raw", "vespa_binary"])
def test_average_precision_is_over_what_k_can_reach(tool):
    """recommenders 1.2.1 map_at_k printed 0.5; pyvespa divides by min(k, relevant) in its source."""
    qrels = {"q": {"a": 1, "c": 1, "d": 1}}
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    assert gainful.evaluate(qrels, run, "AP@2", like=tool).mean["AP@2"] == 0.5


@pytest.mark.parametrize("tool", ["torchmetrics", "ragas", "deepeval"])
def test_average_precision_is_over_what_was_found(tool):
    """The mean precision at the relevant documents among the first k, in the source of all three."""
    assert evaluate_list([1, 0, 1, 1], "AP@2", tool) == 1.0
    assert evaluate_list([0, 1, 1, 0, 1], "AP@3", tool) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert evaluate_list([0, 0, 1], "AP@2", tool) == 0.0


@pytest.mark.parametrize(
    ("divisor", "value"), [("relevant", 1 / 3), ("reachable", 1 / 2), ("k", 1 / 2), ("found", 1.0)]
)
def test_the_divisor_of_ap_can_be_said(divisor, value):
    assert evaluate_list([1, 0, 1, 1], "AP@2", None, divisor=divisor) == pytest.approx(value)
    measure = f"AP(divisor={divisor})@2"
    assert evaluate_list([1, 0, 1, 1], measure, None) == pytest.approx(value)


def test_a_divisor_k_is_the_cutoff_however_few_are_relevant():
    assert evaluate_list([1, 0, 0, 0], "AP(divisor=k)@4", None) == 0.25
    assert evaluate_list([1, 0, 0, 0], "AP(divisor=k)", None) == 1.0


@pytest.fixture(scope="module")
def ranx():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ranx")


RANX_NAMES = {
    "rbp.80": "RBP(p=0.8)", "hits@3": "hits@3", "f1@3": "F1@3", "map@3": "AP@3", "bpref": "Bpref",
    "hit_rate@2": "Success@2", "r-precision": "Rprec",
}  # fmt: skip


def test_rbp_hits_and_others_are_those_of_ranx(ranx):
    chance = random.Random(5)  # noqa: S311
    qrels, run = {}, {}
    for number in range(40):
        docs = chance.sample("abcdefghijkl", 9)
        grades = [1, 0, *(chance.choice([0, 1, 2, 3]) for _ in range(5))]
        qrels[f"q{number}"] = dict(zip(docs, grades, strict=False))
        ranked = chance.sample("abcdefghijklxyz", 8)
        run[f"q{number}"] = {doc: float(-place) for place, doc in enumerate(ranked)}
    results = gainful.evaluate(qrels, run, list(RANX_NAMES.values()), like="ranx")
    assert not [note for note in results.notes if "gainful's" in note]
    ours = results.values_by_query()
    qrels_there, run_there = ranx.Qrels(qrels), ranx.Run(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx.evaluate(qrels_there, run_there, list(RANX_NAMES))
    for name, measure in RANX_NAMES.items():
        for query, value in run_there.scores[name].items():
            assert ours[query][measure] == pytest.approx(value, abs=1e-9), (name, query)


def test_hits_are_counted_and_averaged():
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"x": 1.0}}
    assert gainful.evaluate(qrels, run, ["Hits@3", "Hits@2"]).mean == {"Hits@3": 1, "Hits@2": 0.5}


NEGATIVE = [-1, -2, -1]


@pytest.mark.parametrize("tool", ["torchmetrics", "quepid_cut", "elasticsearch", "opensearch"])
def test_an_ideal_below_zero_is_divided_by_as_these_tools_do(tool):
    """torchmetrics leaves out an ideal of 0 only; the others test for 0 in their sources."""
    gains = np.array(NEGATIVE, float) if tool == "torchmetrics" else 2.0 ** np.array(NEGATIVE) - 1
    discounts = 1 / np.log2(np.arange(2, 5))
    expected = (gains @ discounts) / (np.sort(gains)[::-1] @ discounts)
    assert expected != 1
    assert evaluate_list(NEGATIVE, "nDCG@3", tool) == pytest.approx(expected)
    assert gainful.ndcg(NEGATIVE, k=3, like=tool) == pytest.approx(expected)


def test_an_ideal_below_zero_counts_as_nothing_relevant_elsewhere():
    for tool, empty in (("catboost", 1), ("vespa", 0), ("opensearch_workbench", 0)):
        assert evaluate_list(NEGATIVE, "nDCG@3", tool) == empty


def test_the_workbench_of_opensearch_counts_negative_grades():
    """calculateNDCGAtK: 2^grade − 1 of every judged document, whatever its sign; rounded."""
    dcg = (2**-2 - 1) + (2**1 - 1) / np.log2(3)
    idcg = (2**1 - 1) + (2**-2 - 1) / np.log2(3)
    assert evaluate_list([-2, 1], "nDCG@5", "opensearch_workbench") == round(dcg / idcg, 2) < 0


def test_a_run_without_any_hit_is_worth_0_in_recommenders():
    """ndcg_at_k of recommenders 1.2.1 returns 0.0 if no recommended item is rated at all."""
    qrels, run = {"1": {"a": 0}, "2": {"b": 0}}, {"1": {"x": 1.0}, "2": {"y": 1.0}}
    results = gainful.evaluate(qrels, run, "nDCG@5", like="recommenders_raw")
    assert results.mean == {"nDCG@5": 0.0}
    hit = gainful.evaluate(
        qrels, {"1": {"a": 1.0}, "2": {"y": 1.0}}, "nDCG", like="recommenders_raw"
    )
    assert [note for note in hit.notes if "leaves out 2 queries" in note]


def test_a_convention_says_which_numbers_are_the_tools_own():
    for convention in CONVENTIONS.values():
        for name in convention.measures or ():
            assert name.removesuffix("@") in MEASURES, convention.name
        for name, _ in convention.by_measure:
            assert name.removesuffix("@") in MEASURES, convention.name
    assert gainful.like("gainful").measures is None
    assert gainful.like("lightgbm").has_own("DCG", has_cutoff=True)  # a part of its nDCG
    assert not gainful.like("lightgbm").has_own("AP", has_cutoff=False)
    assert gainful.like("lightgbm").has_own("AP", has_cutoff=True)


def test_a_measure_that_is_not_the_tools_own_is_told_in_one_line():
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0}}
    results = gainful.evaluate(qrels, run, ["nDCG@5", "AP@5", "P@5", "RR"], like="lightgbm")
    whose = "gainful's, with the settings of lightgbm"
    own = "the numbers of lightgbm itself are nDCG, AP@k"
    assert results.notes == [f"P@5, RR are {whose}: {own}"]
    for tool in ("gainful", "trec_eval", "ir_measures"):
        assert gainful.evaluate(qrels, run, ["nDCG@5", "AP@5", "P@5", "RR"], like=tool).notes == []


@pytest.mark.parametrize(
    ("qrels", "like", "words"),
    [
        ({"a": -3, "b": 1}, "quepid", "below 0 in 1 query: negative grades count"),
        ({"a": 2, "b": -3, "c": -3}, "quepid_cut", "above 1 in 1 query: negative grades count"),
    ],
)
def test_values_out_of_bounds_are_told_with_their_reason(qrels, like, words):
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    results = gainful.evaluate({"1": qrels}, run, "nDCG@10", like=like)
    assert [note for note in results.notes if words in note]
    assert not [note for note in results.notes if "stands twice" in note]


def test_why_adds_up_where_tools_differ_in_one_measure():
    qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1, "d": 1}, "3": {"a": 0}}
    run = {query: {"a": 4.0, "x": 3.0, "b": 2.0, "d": 1.0} for query in qrels}
    reasons = gainful.why(qrels, run, "AP@2", like="gainful", unlike="lightgbm")
    assert {effect.cause.name for effect in reasons.causes} >= {"divisor", "empty"}
    difference = reasons.means[1] - reasons.means[0]
    assert sum(effect.effect for effect in reasons.causes) == pytest.approx(difference)
    expected = ((1 / 3, 1 / 2), (1 / 2, 1 / 2), (0, 1))
    assert difference == pytest.approx(sum(there - here for here, there in expected) / 3)
