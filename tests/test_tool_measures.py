"""`like=` beyond nDCG: whose number is a measure, and what tools do otherwise in single measures.

Numbers that tools printed are named with their version; others are worked out by the formula in
the source that is named.
"""

import random
import warnings

import numpy as np
import polars as pl
import pytest
from facts import find_notes, list_facts
from refusals import refuses

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


NEGATIVE = [-1, -2, -1]


def evaluate_list(grades, measure, like, **settings):
    """One measure of one ranking, whose documents are all judged."""
    docs = [f"d{place}" for place in range(len(grades))]
    qrels = {"q": dict(zip(docs, grades, strict=True))}
    run = {"q": {doc: float(-place) for place, doc in enumerate(docs)}}
    return gainful.evaluate(qrels, run, measure, like=like, **settings).mean[measure]


@pytest.mark.parametrize(
    ("grades", "measure", "like", "value"),
    [
        # RecallAt:top=2, MRR:top=2 and PFound:top=k (of grades over 4) of CatBoost 1.2.10
        ([1, 0, 1, 1], "R@2", "catboost", 1 / 3),
        ([0, 0, 0], "R@2", "catboost", 1.0),
        ([0, 0, 0], "RR@2", "catboost", 0.0),
        ([0, 1, 0], "RR@2", "catboost", 0.5),
        ([1, 0, 1, 1], "PFound(max_grade=4)@2", None, 0.25),
        ([0, 1, 0, 1, 0], "PFound(max_grade=4)@3", None, 0.2125),
        ([1, 1], "PFound(max_grade=4)@5", None, 0.409375),
        ([2, 0], "PFound(max_grade=4)@2", None, 0.5),
        # the mean precision at the relevant documents among the first k, in the source of all three
        *(([1, 0, 1, 1], "AP@2", tool, 1.0) for tool in ("torchmetrics", "ragas", "deepeval")),
        *(
            ([0, 1, 1, 0, 1], "AP@3", tool, 7 / 12)
            for tool in ("torchmetrics", "ragas", "deepeval")
        ),
        *(([0, 0, 1], "AP@2", tool, 0.0) for tool in ("torchmetrics", "ragas", "deepeval")),
        # the divisor can be said; k is the cutoff however few are relevant
        ([1, 0, 1, 1], "AP(divisor=relevant)@2", None, 1 / 3),
        ([1, 0, 1, 1], "AP(divisor=reachable)@2", None, 1 / 2),
        ([1, 0, 1, 1], "AP(divisor=k)@2", None, 1 / 2),
        ([1, 0, 1, 1], "AP(divisor=found)@2", None, 1.0),
        ([1, 0, 0, 0], "AP(divisor=k)@4", None, 0.25),
        ([1, 0, 0, 0], "AP(divisor=k)", None, 1.0),
        # an ideal below zero counts as nothing relevant
        (NEGATIVE, "nDCG@3", "catboost", 1),
        (NEGATIVE, "nDCG@3", "vespa", 0),
        (NEGATIVE, "nDCG@3", "opensearch_workbench", 0),
        # the first k only; torchmetrics has 0 where one class is missing
        ([0, 1, 0, 1], "AUC@3", None, 0.5),
        ([0, 1, 0, 1], "PairAccuracy@3", None, 0.5),
        ([1, 1], "AUC@2", None, 0.0),
        # of torchmetrics' documentation: the share of non-relevant documents among the first k
        ([0, 1, 0, 0], "Fallout@1", None, 1 / 3),
        ([0, 1, 0, 0], "fall_out@3", None, 2 / 3),
        ([1, 1], "Fallout@1", None, 0.0),
        ([0, 1, 3], "ARP", None, (1 * 2 + 3 * 3) / 4),
    ],
)
def test_the_value_of_one_ranking(grades, measure, like, value):
    assert evaluate_list(grades, measure, like) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("divisor", ["relevant", "reachable", "k", "found"])
def test_the_divisor_of_ap_can_be_a_setting(divisor):
    by_setting = evaluate_list([1, 0, 1, 1], "AP@2", None, divisor=divisor)
    assert by_setting == evaluate_list([1, 0, 1, 1], f"AP(divisor={divisor})@2", None)


@pytest.mark.parametrize(("grades", "k", "printed"), PRINTED)
def test_average_precision_is_that_of_the_libraries_of_learning(grades, k, printed):
    values = tuple(evaluate_list(grades, f"AP@{k}", tool) for tool in TOOLS)
    assert values == pytest.approx(printed, abs=1e-6)


# Labels and scores of a list, and what CatBoost 1.2.10 printed of it for FilteredDCG, with
# type=Exp, with denominator=LogPosition, and with sort=ByPrediction.
FILTERED = [
    ([3, 1, 2, 5], [0.1, 0.9, -1.0, 0.0], (5.166666667, 17.833333333, 6.130929754, 4.166666667)),
    ([3, 1, 2, -5], [0.1, 0.9, -1.0, 0.0], (1.833333333, 7.177083333, 1.130929754, 0.833333333)),
    ([1, 1], [-1.0, -2.0], (0.0, 0.0, 0.0, 0.0)),
]
FILTERED_MEASURES = (
    *("FilteredDCG", "FilteredDCG(gain=exp)", "FilteredDCG(discount=log2)"),
    "FilteredDCG(filtered_order=score)",
)


@pytest.mark.parametrize(("labels", "scores", "printed"), FILTERED)
def test_filtered_dcg_is_that_of_catboost(labels, scores, printed):
    docs = [f"d{place}" for place in range(len(labels))]
    qrels = {"q": dict(zip(docs, labels, strict=True)), "p": {"d0": 1}}
    run = {"q": dict(zip(docs, scores, strict=True)), "p": {"d0": 1.0}, "extra": {"x": -1.0}}
    frame = pl.DataFrame(
        [(query, doc, score) for query in run for doc, score in run[query].items()],
        ["query", "doc", "score"],
        orient="row",
    )
    for given in (run, frame, frame.lazy()):
        results = gainful.evaluate(qrels, given, FILTERED_MEASURES, like="catboost", extra="ignore")
        values = [*results.values_by_query()["q"].values()]
        assert values == pytest.approx(list(printed), abs=1e-8)
        assert results.values_by_query()["p"]["FilteredDCG"] == 1
        assert not [note for note in results.notes if "gainful's" in note]
    values = [gainful.compute(name, labels, scores, like="catboost") for name in FILTERED_MEASURES]
    assert values == pytest.approx(list(printed), abs=1e-8)


def test_filtered_dcg_says_where_no_score_reaches_0():
    """A ranking without scores has none: its documents count down from -1."""
    results = gainful.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, "FilteredDCG")
    assert results.mean["FilteredDCG"] == 0
    assert find_notes(results.notes, "scores", 0, "judged")
    assert gainful.compute("FilteredDCG", [0, 3]) == 1.5


@pytest.mark.parametrize("make", [list, pl.DataFrame, pl.LazyFrame])
def test_filtered_dcg_grades_no_unjudged_document_with_a_score_below_0(make):
    """Of q only b counts, at rank 1, and nothing of p."""
    rows = [("q", "a", -1.0), ("q", "b", 1.0), ("q", "c", -2.0), ("p", "b", -1.0), ("x", "b", 1.0)]
    names = ("query", "doc", "score")
    run = make([dict(zip(names, row, strict=True)) for row in rows])
    results = gainful.evaluate(
        {"p": {"a": 1}, "q": {"a": 1}}, run, "FilteredDCG", unjudged_grade=1, extra="ignore"
    )
    assert results.values["FilteredDCG"].tolist() == [0, 1]


def test_a_ranking_without_any_document_left_scores_as_the_convention_has_it():
    assert gainful.compute("AP", [-1, -1], [2.0, 1.0], negative="remove") == 0


@pytest.mark.parametrize("tool", ["recommenders", "recommenders_raw", "vespa", "vespa_binary"])
def test_average_precision_is_over_what_k_can_reach(tool):
    """recommenders 1.2.1 map_at_k printed 0.5; pyvespa divides by min(k, relevant) in its source."""
    qrels = {"q": {"a": 1, "c": 1, "d": 1}}
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    results = gainful.evaluate(qrels, run, "AP@2", like=tool)
    assert results.mean["AP@2"] == 0.5
    assert not [note for note in results.notes if "gainful's" in note]


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


def test_where_ranx_has_no_bpref_the_result_says_whose_number_it_is(ranx):
    """Nothing of query 1 is judged useless, and its relevant document is found: 0 / 0 there."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1, "b": 0}}, {q: {"b": 2.0, "a": 1.0} for q in "12"}
    run_there = ranx.Run(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx.evaluate(ranx.Qrels(qrels), run_there, "bpref")
    results = gainful.evaluate(qrels, run, "Bpref", like="ranx")
    assert np.isnan(run_there.scores["bpref"]["1"])
    assert results.values_by_query()["2"]["Bpref"] == run_there.scores["bpref"]["2"]
    (note,) = results.notes
    assert find_notes([note], 1, "query", "gainful's", "ranx")
    assert not gainful.evaluate({"2": qrels["2"]}, {"2": run["2"]}, "Bpref", like="ranx").notes


def test_hits_are_counted_and_averaged():
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"x": 1.0}}
    assert gainful.evaluate(qrels, run, ["Hits@3", "Hits@2"]).mean == {"Hits@3": 1, "Hits@2": 0.5}


@pytest.mark.parametrize("tool", ["torchmetrics", "quepid_cut", "elasticsearch", "opensearch"])
def test_an_ideal_below_zero_is_divided_by_as_these_tools_do(tool):
    """torchmetrics leaves out an ideal of 0 only; the others test for 0 in their sources."""
    gains = np.array(NEGATIVE, float) if tool == "torchmetrics" else 2.0 ** np.array(NEGATIVE) - 1
    discounts = 1 / np.log2(np.arange(2, 5))
    expected = (gains @ discounts) / (np.sort(gains)[::-1] @ discounts)
    assert expected != 1
    assert evaluate_list(NEGATIVE, "nDCG@3", tool) == pytest.approx(expected)
    assert gainful.ndcg(NEGATIVE, k=3, like=tool) == pytest.approx(expected)


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
    hit = gainful.evaluate(qrels, run | {"1": {"a": 1.0}}, "nDCG", like="recommenders_raw")
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
    (note,) = results.notes
    assert list_facts(note, "lightgbm") == ["P@5", "RR", "lightgbm", "lightgbm", "nDCG", "AP@k"]
    for tool in ("gainful", "trec_eval", "ir_measures"):
        assert gainful.evaluate(qrels, run, ["nDCG@5", "AP@5", "P@5", "RR"], like=tool).notes == []


@pytest.mark.parametrize(
    ("qrels", "like", "bound"),
    [
        ({"a": -3, "b": 1}, "quepid", ("below", "0")),
        ({"a": 2, "b": -3, "c": -3}, "quepid_cut", ("above", "1")),
    ],
)
def test_values_out_of_bounds_are_told_with_their_reason(qrels, like, bound):
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    results = gainful.evaluate({"1": qrels}, run, "nDCG@10", like=like)
    assert find_notes(results.notes, *bound, 1, "query", "negative", "grades")
    assert not find_notes(results.notes, "twice")


def test_why_adds_up_where_tools_differ_in_one_measure():
    qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1, "d": 1}, "3": {"a": 0}}
    run = {query: {"a": 4.0, "x": 3.0, "b": 2.0, "d": 1.0} for query in qrels}
    reasons = gainful.why(qrels, run, "AP@2", like="gainful", unlike="lightgbm")
    assert {effect.cause.name for effect in reasons.causes} >= {"divisor", "empty"}
    difference = reasons.means[1] - reasons.means[0]
    assert sum(effect.effect for effect in reasons.causes) == pytest.approx(difference)
    expected = ((1 / 3, 1 / 2), (1 / 2, 1 / 2), (0, 1))
    assert difference == pytest.approx(sum(there - here for here, there in expected) / 3)


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        ("Omeasure", 0.2857142857), ("Pmeasure", 0.5454545455), ("Pplus", 0.4155844156),
        ("Qmeasure", 0.3952922078), ("NCU(stop=graded)", 0.4888682746),
        ("NCU(stop=graded, utility=precision)", 0.4571428571), ("NCU(p=0.95)", 0.3991431258),
        ("NCU(p=0.9, utility=precision)", 0.4175632451),
        ("NCU(stop=uniform, beta=0.5)", 0.3931372549),
    ],
)  # fmt: skip
def test_the_measures_of_ntcireval_have_its_numbers(measure, printed):
    """pyNTCIREVAL 0.0.3, with gains 1, 2, 3 for the levels, which are its stops too."""
    qrels = {"q": {"a": 0, "b": 1, "d": 3, "e": 2, "missed": 1}}
    run = {"q": {doc: float(-place) for place, doc in enumerate("abcde")}}
    results = gainful.evaluate(qrels, run, measure, like="ntcireval")
    assert results.mean[measure] == pytest.approx(printed, abs=1e-9)
    assert results.notes == []


def test_searchers_who_stop_anywhere_alike_and_blend_have_the_q_measure():
    qrels = {"q": {"a": 2, "b": 1, "c": 3}}
    run = {"q": {"x": 3.0, "b": 2.0, "c": 1.0}}
    values = gainful.evaluate(qrels, run, ["Qmeasure", "NCU(stop=uniform)"]).mean.values()
    assert len({round(value, 12) for value in values}) == 1


def random_list(seed):
    """Judgments and a run with ties of one query, its documents in rank order."""
    chance = random.Random(seed)  # noqa: S311
    judged = {doc: chance.choice([0, 0, 1, 2, 3]) for doc in chance.sample("abcdefghij", 7)}
    ranked = {doc: float(chance.randint(0, 4)) for doc in chance.sample("abcdefghijxyz", 9)}
    return judged, ranked


@pytest.mark.parametrize("seed", range(15))
def test_auc_is_that_of_scikit_learn_ties_included(seed):
    from sklearn.metrics import roc_auc_score

    judged, ranked = random_list(seed)
    labels = [judged.get(doc, 0) >= 1 for doc in ranked]
    if len({*labels}) < 2:
        return
    value = gainful.evaluate({"q": judged}, {"q": ranked}, "AUC").mean["AUC"]
    assert value == pytest.approx(roc_auc_score(labels, list(ranked.values())))


def test_ties_count_half_in_arrays_too():
    """Two pairs of one relevant document: one tied, one in order."""
    assert gainful.compute("AUC", [1, 0, 0], scores=[2, 2, 1], ties="input") == 0.75
    assert gainful.compute("OPA", [1, 0, 0], scores=[2, 2, 1], ties="input") == 0.5


@pytest.mark.parametrize("seed", range(15))
def test_ordered_pair_accuracy_by_its_definition(seed):
    """Σ [s_i > s_j][y_i > y_j] / Σ [y_i > y_j], as TF-Ranking and rax document it."""
    judged, ranked = random_list(seed)
    docs = [(judged.get(doc, 0), score) for doc, score in ranked.items()]
    pairs = [(score, other) for grade, score in docs for lower, other in docs if grade > lower]
    expected = sum(score > other for score, other in pairs) / len(pairs) if pairs else 0
    assert gainful.evaluate({"q": judged}, {"q": ranked}, "OPA").mean["OPA"] == expected


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("k", [1, 3, 6])
def test_matthews_correlation_is_that_of_scikit_learn(seed, k):
    from sklearn.metrics import matthews_corrcoef

    judged, ranked = random_list(seed)
    ranked = {doc: float(-place) for place, doc in enumerate(ranked)}
    docs = sorted({*judged, *ranked})
    relevant = [judged.get(doc, 0) >= 1 for doc in docs]
    for size in (0, 40):
        rest = [False] * max(0, size - len(docs))
        first = [doc in list(ranked)[:k] for doc in docs]
        expected = matthews_corrcoef(relevant + rest, first + rest)
        measure = f"MCC(docs={size})@{k}"
        value = gainful.evaluate({"q": judged}, {"q": ranked}, measure).mean[measure]
        assert value == pytest.approx(expected)


def test_documents_without_a_judgment_can_have_a_grade():
    """Elasticsearch's unknown_doc_rating: in the hits, not in the ideal (DiscountedCumulativeGain)."""
    qrels, run = {"q": {"a": 3, "b": 1}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0}}
    results = gainful.evaluate(qrels, run, "nDCG@3", like="elasticsearch", unjudged_grade=1)
    dcg = 1 + 7 / np.log2(3) + 1 / np.log2(4)
    idcg = 7 + 1 / np.log2(3)
    assert results.mean["nDCG@3"] == pytest.approx(dcg / idcg)
    plain = gainful.evaluate(qrels, run, ["nDCG@3", "AP", "Judged@3"], unjudged_grade=1).mean
    assert plain["AP"] == 1 / 4  # no judgment, and no relevant document
    assert plain["Judged@3"] == 1 / 3
    assert plain["nDCG@3"] == pytest.approx((1 + 3 / np.log2(3) + 1 / 2) / (3 + 1 / np.log2(3)))


@pytest.mark.parametrize(
    ("qrels", "measure", "options", "facts"),
    [
        ({"a": 1}, "nDCG", {"unjudged_grade": 1}, ["nDCG", "1", "1"]),
        (
            *({"a": 0, "b": 1}, "nDCG(gain={0:-1,1:2})", {}),
            ["nDCG(gain={0:-1,1:2})", "0", "1", "gain={0:-1,1:2}"],
        ),
    ],
)
def test_a_value_out_of_bounds_is_told_with_the_setting_that_made_it(
    qrels, measure, options, facts
):
    results = gainful.evaluate({"q": qrels}, {"q": ["a", "x"]}, measure, **options)
    assert list_facts(results.notes[-1]) == facts


def test_a_grade_for_the_unjudged_is_refused_where_it_would_do_nothing_or_be_vague():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0}}
    with refuses(gainful.errors.BadValue, "unjudged_grade"):
        gainful.evaluate(qrels, run, "AP", unjudged_grade=1)
    with refuses(gainful.errors.NotExact, "unjudged_grade", "ties=average"):
        gainful.evaluate(qrels, run, "nDCG", unjudged_grade=1, ties="average")
    assert gainful.evaluate(qrels, run, "DCG@1", unjudged_grade=5, ties="input").mean["DCG@1"] == 1


# --- what the tools themselves gave ---


@pytest.mark.parametrize(
    ("grades", "ranking", "measure", "value"),
    [
        ({"a": 0.5, "b": 1.0}, "a c", "AP@1", 0.5),  # relevant above 0, not from 1 on
        ({"a": 0.3, "b": 0.3, "c": 0}, "c a", "SetP@2", 0.5),
        (dict.fromkeys("abcd", 1), "x a y z b", "AP@10", 0.23),  # (1/2 + 2/5) / 4 = 0.225
        ({"a": 1, "b": 1, "c": 1}, "a", "AP@3", 0.33),
    ],
)
def test_the_workbench_of_opensearch_rounds_halves_up(grades, ranking, measure, value):
    """calculateMAPAtK: relevant if > 0, then Math.round(map * 100.0) / 100.0."""
    results = gainful.evaluate(
        {"q": grades}, {"q": ranking.split()}, measure, like="opensearch_workbench"
    )
    assert results.mean[measure] == value


@pytest.mark.parametrize(
    ("value", "decimals", "even", "up"),
    [
        (0.225, 2, 0.23, 0.23),  # as a double it is above the half: 0.22500000000000000555
        (0.125, 2, 0.12, 0.13),
        (0.015625, 5, 0.01562, 0.01563),
        (0.000005, 5, 0.00001, 0.00001),  # above the half too, though 0.000005 * 1e5 == 0.5
        (-0.125, 2, -0.12, -0.12),
        (0.994, 2, 0.99, 0.99),
    ],
)
def test_values_are_rounded_as_printf_or_as_java_does(value, decimals, even, up):
    """printf("%.2f", 0.225) prints 0.23; Math.round(-12.5) is -12."""
    for rounding, expected in (("half_even", even), ("half_up", up)):
        gain = f"{{0:0,1:{value}}}"
        measure = gainful.Measure("CG")(gain=gain) @ 1
        results = gainful.evaluate(
            {"q": {"a": 1}}, {"q": ["a"]}, [measure], decimals=decimals, rounding=rounding
        )
        assert next(iter(results.mean.values())) == expected


@pytest.mark.parametrize(
    ("grades", "k", "value"),
    [([-1, 0], 1, -0.5), ([-1, 0, -2], 2, 1.5849625), ([0, 0, -3], 3, 1.0), ([0, -1, -1], 1, 0.0)],
)
def test_rax_returns_the_dcg_where_the_ideal_is_0(grades, k, value):
    """rax 0.4.0 ndcg_metric of descending scores printed these."""
    assert evaluate_list(grades, f"nDCG@{k}", "rax") == pytest.approx(value)
    assert gainful.ndcg(grades, k=k, like="rax") == pytest.approx(value)


def test_the_setting_for_queries_with_nothing_relevant_holds_for_rax_too():
    assert gainful.ndcg([0, 0], like="rax", empty=1) == 1
    explanation = gainful.explain([-1, 0], k=1, like="rax")
    assert "-0.5000 (" in explanation.to_text()


@pytest.mark.parametrize("tool", ["recommenders", "recommenders_raw"])
@pytest.mark.parametrize(
    ("grades", "ranking", "k", "value"),
    [
        ({"a": -1, "b": 2}, "a x b", 5, 5 / 6),
        ({"a": -3, "b": -1, "c": 1}, "x b a", 2, 0.25),
        ({"a": -1}, "x a", 3, 0.5),
    ],
)
def test_every_row_is_relevant_to_recommenders(tool, grades, ranking, k, value):
    """recommenders 1.2.1 map_at_k(relevancy_method="top_k") printed these."""
    results = gainful.evaluate({"q": grades}, {"q": ranking.split()}, f"AP@{k}", like=tool)
    assert results.mean[f"AP@{k}"] == pytest.approx(value)
    assert "every judged document" in results.to_text(verbose=True)


@pytest.mark.parametrize(
    ("tool", "measure", "noted"),
    [
        ("torchmetrics", "P@2", True),  # torchmetrics 1.9 with torch 2.13 printed 0.0, here 0.5
        ("torchmetrics", "R@2", False),
        ("torchmetrics", "nDCG@2", False),
        ("ranx", "P@2", False),
        ("sklearn_ignore_ties", "nDCG", True),
        ("lightgbm", "nDCG", False),
    ],
)
def test_a_result_says_where_the_order_of_ties_is_not_the_tools(tool, measure, noted):
    grades = dict(zip("abcde", (1, 1, 0, 1, 0), strict=True))
    run = dict(zip("abcde", (2.05, 1.05, 2.05, 1.05, 2.05), strict=True))
    results = gainful.evaluate({"q": grades}, {"q": run}, [measure], like=tool)
    named = (measure, f"{tool}'s", 1, "query", "tied")
    assert len(find_notes(results.notes, *named)) == noted
    apart = {doc: rank + 1.0 for rank, doc in enumerate(run)}
    clean = gainful.evaluate({"q": grades}, {"q": apart}, [measure], like=tool).notes
    assert find_notes(clean, *named) == []


def test_long_lists_with_ties_are_noted_for_ranx():
    run = {f"d{number}": 1.0 for number in range(16)}
    results = gainful.evaluate({"q": {"d3": 1}}, {"q": run}, ["AP", "RR"], like="ranx")
    assert find_notes(results.notes, "AP", "RR", "ranx's")
