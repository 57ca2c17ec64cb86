"""Queries that belong together, such as turns of a conversation, are flipped and drawn whole."""

import csv
import json

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from by_hand import draw_signs
from example_files import SHARED_DATA, TESTS
from facts import find_notes, list_facts
from refusals import refuses
from scipy.stats import t as student, ttest_1samp
from written_files import write_run

import gainful
from gainful.errors import BadInput, BadValue, CannotCompare, WrongType
from gainful.evidence.method import Method, test_pairs as apply_tests
from gainful.evidence.pairing import PairedValues, describe_few_units, describe_turns, read_clusters
from gainful.evidence.statistics.outcome import Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import (
    TESTS as _TESTS,
    randomisation_test as randomise_clusters,
    t_test as cluster_t_test,
)

CAST = SHARED_DATA / "cast2021"
TURN = r"^(.+)_\d+$"
PAIR = np.array([[1, 0]])


def read_cast_ap():
    """AP of two baselines of CAsT 2021 by turn, as trec_eval has it."""
    path = TESTS / "golden" / "cast2021_ap.csv"
    rows = csv.DictReader(path.read_text("utf-8").splitlines()[1:])
    by_turn = {row["query"]: (float(row["bm25"]), float(row["ance"])) for row in rows}
    return list(by_turn), np.array(list(by_turn.values()))


def randomise_by_loops(differences, clusters, signs):
    """(1 + count) / (1 + resamples) of the ways to flip whole clusters, in loops."""
    sums = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + difference
    observed = abs(sum(sums.values())) * (1 - 1e-9)
    count = 0
    for row in signs:
        count += abs(sum(s * d for s, d in zip(row, sums.values(), strict=True))) >= observed
    return (1 + count) / (1 + len(signs))


def test_turns_of_cast_say_less_than_so_many_queries():
    """AP of manual ANCE against BM25: p .0016 by turn, .032 by conversation."""
    turns, values = read_cast_ap()
    paired = PairedValues("AP", turns, values, [(), ()])
    method = Method("randomisation", "max-t")
    by_turn = apply_tests([paired], PAIR, method, ["bm25", "ance"])
    clustered = read_clusters(TURN).assign(paired)
    by_conversation = apply_tests([clustered], PAIR, method, ["bm25", "ance"])
    assert by_turn.p[0, 0] == pytest.approx(0.0016, abs=0.0006)
    assert by_conversation.p[0, 0] == pytest.approx(0.032, abs=0.004)
    differences = values[:, 1] - values[:, 0]
    signs = draw_signs(19, method.resampling)
    expected = randomise_by_loops(differences.tolist(), clustered.clusters, signs)
    assert by_conversation.p[0, 0] == pytest.approx(expected, abs=1e-12)
    assert by_conversation.low[0, 0] < by_turn.low[0, 0]
    assert by_conversation.high[0, 0] > by_turn.high[0, 0]


def test_runs_of_cast_are_compared_by_conversation():
    if not CAST.is_dir():
        pytest.skip("clusters of CAsT 2021 (needs ../shared/data)")
    runs = {name: CAST / f"org_{name}.run" for name in ("manual_bm25", "convdr_bert")}
    comparison = gainful.compare(CAST / "qrels.txt", runs, "AP", cluster=TURN)
    assert (comparison.units["AP"], comparison.clusters["AP"]) == (158, 19)
    assert list_facts(str(comparison).splitlines()[2]) == ["AP", "158", "19"]
    results = gainful.evaluate(CAST / "qrels.txt", runs=runs, measures="AP")
    first, second = (result.per_query for result in results.values())
    differences = (second["AP"] - first["AP"]).to_list()
    clusters = [query.rpartition("_")[0] for query in first["query"]]
    expected = randomise_by_loops(differences, clusters, draw_signs(19, Resampling()))
    assert comparison.pairs[0].p == pytest.approx(expected, abs=1e-12)
    alone = gainful.compare(results)
    (turns,) = find_notes(alone.notes, "turns", "106_1", "106_2", "19")
    assert f"cluster=r'{TURN}'" in turns
    assert find_notes(comparison.notes, "turns") == []


def make_clusters(number=12, icc=0.3, seed=3, runs=2, effect=0.0):
    """Values by turn of conversations of 1 to 6 turns, which have something in common."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 7, number)
    cluster = np.repeat(np.arange(number), sizes)
    shared = random.normal(0, np.sqrt(icc), (number, runs))[cluster]
    values = shared + random.normal(0, np.sqrt(1 - icc), (len(cluster), runs))
    values[:, 1] += effect
    return values, cluster


def test_the_interval_holds_just_the_shifts_that_are_not_rejected():
    """Whole clusters flipped of differences less a shift: p by loops below alpha outside only."""
    values, cluster = make_clusters(effect=0.5)
    differences = values[:, 1] - values[:, 0]
    units = UnitSums.from_values(differences[:, None], cluster)
    outcome = randomise_clusters(units, Resampling())
    signs = draw_signs(12, Resampling())

    def p_at(shift):
        shifted = np.bincount(cluster, differences - shift)
        flipped = np.abs(np.array(signs) @ shifted)
        return np.mean(flipped >= abs(shifted.sum()) * (1 - 1e-9))

    for end, inwards in ((outcome.low[0], 1e-6), (outcome.high[0], -1e-6)):
        assert p_at(end + inwards) > 0.05
        assert p_at(end - inwards) <= 0.05


def test_t_of_clusters_is_the_cluster_robust_one_of_statsmodels():
    values, cluster = make_clusters(effect=0.4)
    differences = values[:, 1] - values[:, 0]
    model = sm.OLS(differences, np.ones(len(differences)))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    outcome = cluster_t_test(UnitSums.from_values(differences[:, None], cluster), Resampling())
    assert outcome.p[0] == pytest.approx(fit.pvalues[0], rel=1e-9)
    assert (outcome.low[0], outcome.high[0]) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)


def test_bootstrap_draws_whole_clusters_and_takes_the_mean_over_their_queries():
    values, cluster = make_clusters(effect=0.4)
    differences = values[:, 1] - values[:, 0]
    units = UnitSums.from_values(differences[:, None], cluster)
    resampling = Resampling(resamples=4999)
    outcome = _TESTS["bootstrap"].function(units, resampling)
    random = np.random.default_rng(1)
    means = []
    for _ in range(4999):
        drawn = random.integers(0, units.number, units.number)
        means.append(units.sums[drawn, 0].sum() / units.sizes[drawn].sum())
    assert outcome.low[0] == pytest.approx(np.quantile(means, 0.025), abs=0.03)
    assert outcome.high[0] == pytest.approx(np.quantile(means, 0.975), abs=0.03)
    by_query = _TESTS["bootstrap"].function(differences[:, None], resampling)
    assert outcome.high[0] - outcome.low[0] > by_query.high[0] - by_query.low[0]


@pytest.mark.parametrize(
    ("test", "clusters", "noted"),
    [
        *(("t", 19, True), ("t", 20, False), ("t", None, False), ("randomisation", 8, False)),
        *(("bca", 49, True), ("bootstrap", None, False), ("bca", 50, False)),
    ],
)
def test_tests_that_are_liberal_with_few_units_say_so(test, clusters, noted):
    queries = [f"{at}" for at in range(60)]
    values = np.stack([np.arange(1.0, 61), np.zeros(60)], axis=1)
    labels = None if clusters is None else [f"{at % clusters}" for at in range(60)]
    notes = describe_few_units(test, [PairedValues("AP", queries, values, [(), ()], labels)], PAIR)
    assert len(notes) == noted
    assert find_notes(notes, clusters, 'test="randomisation"') == notes


@pytest.mark.parametrize("test", ["randomisation", "t", "bootstrap", "bca", "tukey"])
def test_a_cluster_for_each_query_changes_nothing(test):
    values = np.random.default_rng(2).random((20, 3))
    names, pairs = list("abc"), np.array([[1, 0], [2, 0], [2, 1]])
    paired = PairedValues("AP", [str(at) for at in range(20)], values, [()] * 3)
    alone = PairedValues("AP", paired.queries, values, [()] * 3, [f"c{q}" for q in paired.queries])
    correction = "max-t" if test == "randomisation" else "none"
    method = Method(test, correction, "measure", Resampling(resamples=499))
    plain, clustered = (apply_tests([item], pairs, method, names) for item in (paired, alone))
    for name in ("p", "p_corrected", "low", "high"):
        assert getattr(plain, name) == pytest.approx(getattr(clustered, name), abs=1e-12)


def test_turns_of_equal_conversations_are_no_evidence_of_their_number():
    """What is repeated in every turn is as sure as with one turn."""
    values = np.random.default_rng(4).normal(0.3, 1, (12, 2))
    once = PairedValues("AP", [f"{at}_1" for at in range(12)], values, [(), ()])
    turns = [f"{at}_{turn}" for at in range(12) for turn in (1, 2, 3)]
    thrice = PairedValues("AP", turns, np.repeat(values, 3, axis=0), [0, 0])
    for test in ("randomisation", "t"):
        method = Method(test, "none")
        first = apply_tests([once], PAIR, method, ["a", "b"])
        again = apply_tests([read_clusters(TURN).assign(thrice)], PAIR, method, ["a", "b"])
        for name in ("p", "low", "high"):
            assert getattr(first, name) == pytest.approx(getattr(again, name), rel=1e-9)


def test_clusters_keep_the_level_that_queries_alone_do_not():
    """Conversations of 8 turns at an intra-class correlation of .2: by turn 21 %, by cluster 5."""
    mistakes = {"turns": 0, "clusters": 0}
    for trial in range(200):
        random = np.random.default_rng(trial)
        cluster = np.repeat(np.arange(20), 8)
        noise = random.normal(0, np.sqrt(0.8), 160)
        differences = random.normal(0, np.sqrt(0.2), 20)[cluster] + noise
        resampling = Resampling(resamples=199, seed=trial)
        for name, number in (("turns", None), ("clusters", cluster)):
            units = UnitSums.from_values(differences[:, None], number)
            mistakes[name] += randomise_clusters(units, resampling).p[0] <= 0.05
    assert mistakes["turns"] > 25
    assert mistakes["clusters"] <= 21  # by chance in one of 1,000


QRELS = {f"{c}_{t}": {"a": 1} for c in range(8) for t in range(1, 4)}
RUNS = {
    "up": {q: ["a"] if int(q[0]) % 4 else ["x", "a"] for q in QRELS},
    "down": {q: ["x", "a"] if q[-1] != "2" else ["a"] for q in QRELS},
}


def test_a_dict_a_pattern_and_a_column_name_the_same_clusters():
    by_pattern = gainful.compare(QRELS, RUNS, "RR", cluster=TURN)
    by_dict = gainful.compare(QRELS, RUNS, "RR", cluster={q: q[0] for q in QRELS})
    rows = [{"query": q, "doc": "a", "grade": 1, "conversation": int(q[0])} for q in QRELS]
    by_column = gainful.compare(pl.DataFrame(rows), RUNS, "RR", cluster="conversation")
    lazily = gainful.compare(pl.LazyFrame(rows), RUNS, "RR", cluster="conversation")
    results = gainful.evaluate(QRELS, runs=RUNS, measures="RR")
    of_results = (gainful.compare(results, cluster=TURN), results.compare(cluster=TURN))
    for other in (by_dict, by_column, lazily, *of_results):
        assert other.clusters == {"RR": 8}
        assert other.pairs[0].p == by_pattern.pairs[0].p
    assert by_column.to_dict()["cluster"] == "conversation"
    assert by_column.to_dict()["measures"][0]["clusters"] == 8
    assert gainful.compare(QRELS, RUNS, "RR").to_dict()["measures"][0]["clusters"] is None


def test_a_column_may_be_that_of_a_run_in_a_file(tmp_path):
    path = tmp_path / "up.csv"
    lines = [
        f"{q},{doc},{-at},{q[0]}" for q, docs in RUNS["up"].items() for at, doc in enumerate(docs)
    ]
    path.write_text("\n".join(["query,doc,score,user", *lines]) + "\n", "utf-8")
    comparison = gainful.compare(QRELS, {"down": RUNS["down"], "up": path}, "RR", cluster="user")
    assert comparison.clusters == {"RR": 8}


ALIKE = {"up": {q: ["a"] for q in QRELS}, "down": RUNS["down"]}


@pytest.mark.parametrize(
    ("runs", "options", "error", "about"),
    [
        (RUNS, {"cluster": r"^(\d+)$"}, BadValue, ("cluster", "24 of 24", "'0_1'")),
        (RUNS, {"cluster": r"^([0-6])_"}, BadValue, ("cluster", "3 of 24", "'7_1'")),
        (RUNS, {"cluster": {"0_1": "0"}}, BadValue, ("cluster", "23 of 24")),
        (RUNS, {"cluster": r"^(.+_"}, BadValue, ("cluster", "'^(.+)_")),
        (RUNS, {"cluster": "conversation"}, BadValue, ("cluster", "column")),
        (RUNS, {"cluster": 7}, WrongType, ("cluster", "7")),
        (RUNS, {"cluster": r"(_)"}, BadValue, ("cluster", "2 clusters", "RR", "'_'")),
        (RUNS, {"cluster": TURN, "test": "wilcoxon"}, BadValue, "test"),
        (RUNS, {"cluster": TURN, "test": "sign"}, BadValue, "test"),
        (ALIKE, {"cluster": TURN, "test": "t"}, CannotCompare, "-0.333333"),
    ],
)
def test_clusters_that_are_none_are_refused(runs, options, error, about):
    with refuses(error, about):
        gainful.compare(QRELS, runs, "RR", **options)


def test_a_query_of_two_clusters_is_refused():
    rows = [{"query": q, "doc": d, "grade": 1, "user": d} for q in QRELS for d in "ab"]
    with refuses(BadInput, "the frame", "'0_1'", "'user'"):
        gainful.compare(pl.DataFrame(rows), RUNS, "RR", cluster="user")


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        (["31_1", "31_2", "32_1", "32_4"], True),
        (["9-1_2", "9-1_3", "10-1_1"], True),
        (["301", "302"], False),
        (["q_1", "q_2", "q_3"], False),  # one name before all numbers
        (["a_1", "b_1", "c_1", "c_2", "d_1"], False),  # hardly any has two
        (["31_1", "31_2", "32_1", "test"], False),
    ],
)
def test_ids_look_like_turns_where_most_conversations_have_several(queries, expected):
    assert bool(describe_turns(queries)) is expected


def test_the_command_takes_patterns_and_columns_and_says_the_number_of_both(run_gainful, tmp_path):
    qrels = tmp_path / "qrels.csv"
    rows = [f"{q},a,1,{q[0]}" for q in QRELS]
    qrels.write_text("\n".join(["query,doc,grade,user", *rows]) + "\n", "utf-8")
    paths = [write_run(tmp_path / f"{name}.txt", run) for name, run in RUNS.items()]
    words = ("compare", qrels, *paths, "-m", "RR")
    text = run_gainful(*words, "--cluster", TURN, "--format", "table").out
    assert find_notes(text.splitlines(), "RR", "24", "8", "clusters")
    data = json.loads(run_gainful(*words, "--cluster", "user", "--format", "json").out)
    assert (data["cluster"], data["measures"][0]["clusters"]) == ("user", 8)
    header, row = run_gainful(*words, "--cluster", TURN, "--format", "csv").out.splitlines()
    assert dict(zip(header.split(","), row.split(","), strict=True))["clusters"] == "8"
    latex = run_gainful(*words, "--cluster", TURN, "--format", "latex").out
    assert "in 8 clusters" in next(line for line in latex.splitlines() if "caption" in line)
    for cluster in ("topic", "(_)"):
        refused = run_gainful(*words, "--cluster", cluster, status=2).err
        assert cluster in refused
        assert refused.count("\n") == 1
    third = write_run(tmp_path / "third.txt", {q: ["x"] for q in QRELS})
    ordered = ("order", qrels, *paths, third, "-m", "RR", "--cluster", TURN, "--format", "json")
    assert json.loads(run_gainful(*ordered).out)["power"][0]["clusters"] == 8


def test_a_report_has_the_clusters_of_its_comparison():
    page = gainful.report(QRELS, RUNS, "RR", cluster=TURN)
    assert "RR, 24 queries" in page
    assert "in 8 clusters" in page
    with refuses(BadValue, "cluster"):
        gainful.report(QRELS, RUNS, "RR", cluster="(_)")


def test_orders_take_clusters_and_say_where_turns_are_taken_for_queries():
    runs = RUNS | {"none": {q: ["x"] for q in QRELS}}
    by_turn, by_cluster = (gainful.order(QRELS, runs, "RR", cluster=c) for c in (None, TURN))
    assert find_notes(by_turn.notes, "turns")
    assert not find_notes(by_cluster.notes, "turns")
    assert (by_turn.power[0].clusters, by_cluster.power[0].clusters) == (None, 8)
    assert find_notes(by_cluster.to_text().splitlines(), "8", TURN)
    compared = gainful.compare(QRELS, runs, "RR", cluster=TURN)
    significant = sum(map(compared.is_significant, compared.pairs))
    assert by_cluster.power[0].significant == significant < by_turn.power[0].significant


def make_turns(seed):
    """Five conversations of four turns each, judged at random, and two runs over them."""
    random = np.random.default_rng(seed)
    turns = [f"{conversation}_{turn}" for conversation in range(5) for turn in range(1, 5)]
    qrels = {turn: {f"d{d}": int(random.integers(0, 3)) for d in range(8)} for turn in turns}
    runs = [{turn: {f"d{d}": random.random() for d in range(8)} for turn in turns} for _ in "ab"]
    return qrels, *runs


def test_a_gate_tests_whole_clusters(tmp_path):
    """Of clusters of one size the test is Student's, of the means of clusters (by scipy)."""
    qrels, first, second = make_turns(3)
    path = tmp_path / "base.json"
    gainful.testing.save_baseline(qrels, first, path, "nDCG@5")
    rules = {"baseline": path, "significant": 0.05, "test": "t"}
    verdict = gainful.gate(qrels, second, cluster=TURN, no_worse_than={"nDCG@5": 0.1}, **rules)
    values = [
        gainful.evaluate(qrels, run, "nDCG@5").per_query.sort("query")["nDCG@5"].to_numpy()
        for run in (second, first)
    ]
    means = (values[0] - values[1]).reshape(5, 4).mean(axis=1)
    tested = {check.rule: check for check in verdict.checks}
    expected = ttest_1samp(means, 0, alternative="less")
    assert tested["significant"].p == pytest.approx(expected.pvalue)
    error = means.std(ddof=1) / 5**0.5
    limit = means.mean() - student.isf(0.05, 4) * error
    assert tested["no_worse_than"].limit == pytest.approx(limit)
    assert any("over 5 clusters" in note for note in verdict.notes)
    assert not any("look like turns" in note for note in verdict.notes)
    alone = gainful.gate(qrels, second, **rules)
    assert alone.checks[0].p != pytest.approx(expected.pvalue)
    assert any("tests by 5 clusters" in note for note in alone.notes)
    with refuses(BadValue, "test"):
        gainful.gate(qrels, second, cluster=TURN, **(rules | {"test": "wilcoxon"}))


def test_correlations_draw_whole_clusters():
    qrels, run, _ = make_turns(4)
    results = gainful.evaluate(qrels, run, ["nDCG@5", "AP", "P@3"])
    alone = gainful.stats.correlate(results, "P@3", resamples=999)
    clustered = gainful.stats.correlate(results, "P@3", resamples=999, cluster=TURN)
    assert (clustered.clusters, clustered.cluster_noun) == (5, "cluster")
    assert clustered.best.estimate == alone.best.estimate
    assert (clustered.best.low, clustered.best.high) != (alone.best.low, alone.best.high)
    with refuses(BadValue, "cluster"):
        gainful.stats.correlate(results, "P@3", cluster={"x": "y"})


def test_a_plan_says_that_turns_are_not_independent():
    qrels, first, second = make_turns(5)
    runs = {"first": first, "second": second}
    plan = gainful.plan(qrels, runs, "nDCG@5")
    assert any("plans by 5 clusters" in note for note in plan.notes)
    assert "plans by 5 clusters" in " ".join(plan.to_text().split())
    assert not gainful.plan(qrels, runs, "nDCG@5", cluster=TURN).notes
