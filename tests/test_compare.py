"""Runs compared by query: pairing, evidence, corrections, letters, and what cannot be compared."""

import numpy as np
import pytest
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from refusals import refuses
from scipy import stats
from statsmodels.stats.multitest import multipletests

from gainful import compare, evaluate
from gainful.errors import BadValue, CannotCompare, UnknownName
from gainful.evidence.statistics.paired_tests import TEST_NAMES, TESTS

RANDOM = np.random.default_rng(1)
QUERIES = [f"q{at}" for at in range(30)]
JUDGED = {q: {f"d{d}": int(RANDOM.integers(0, 3)) for d in range(8)} | {"good": 3} for q in QUERIES}


def make_noisy_run(noise):
    return {
        q: {d: g + float(RANDOM.normal(0, noise)) for d, g in docs.items()}
        for q, docs in JUDGED.items()
    }


RUNS = {name: make_noisy_run(noise) for name, noise in zip("abcd", (3, 1.5, 1, 2.5), strict=True)}
MEASURES = ["nDCG@5", "AP", "P@3"]


@pytest.fixture(scope="module")
def values():
    results = evaluate(JUDGED, runs=RUNS, measures=MEASURES)
    return {name: result.per_query for name, result in results.items()}


@pytest.fixture(scope="module")
def compared():
    return compare(JUDGED, RUNS, MEASURES)


# ── the evidence ─────────────────────────────────────────────────────────────────────────────


def test_means_and_differences_are_those_of_the_values(compared, values):
    for pair in compared.pairs:
        ours, theirs = (values[name][pair.measure].to_numpy() for name in (pair.system, pair.other))
        assert pair.difference == pytest.approx((ours - theirs).mean(), abs=1e-12)
        assert pair.effect.wins == (ours > theirs).sum()
        assert pair.effect.ties == (ours == theirs).sum()
        assert pair.effect.losses == (ours < theirs).sum()
        dz = (ours - theirs).mean() / (ours - theirs).std(ddof=1)
        assert pair.effect.dz == pytest.approx(dz, rel=1e-9)
    for measure, means in compared.means.items():
        expected = [values[name][measure].mean() for name in RUNS]
        assert means == pytest.approx(expected, abs=1e-12)


def test_t_of_runs_is_scipys_of_their_values_and_ranxs(values):
    from ranx.statistical_tests.paired_student_t_test import paired_student_t_test

    comparison = compare(JUDGED, RUNS, MEASURES, test="t", correct="none", alpha=0.1)
    for pair in comparison.pairs:
        ours, theirs = (values[name][pair.measure].to_numpy() for name in (pair.system, pair.other))
        test = stats.ttest_rel(ours, theirs)
        assert pair.p == pytest.approx(test.pvalue, rel=1e-9)
        assert pair.p == pytest.approx(paired_student_t_test(theirs, ours)[0], rel=1e-9)
        inside = test.confidence_interval(0.9)
        assert (pair.low, pair.high) == pytest.approx((inside.low, inside.high), rel=1e-9)
        assert pair.p_corrected == pair.p


@pytest.mark.parametrize(
    ("correct", "theirs"), [("holm", "holm"), ("bh", "fdr_bh"), ("bonferroni", "bonferroni")]
)
def test_p_is_corrected_over_the_pairs_of_a_measure_or_of_all(correct, theirs):
    options = {"test": "wilcoxon", "correct": correct, "resamples": 99}
    everything = compare(JUDGED, RUNS, MEASURES, family="all", **options)
    assert len(everything.pairs) == 6 * 3 == everything.evidence.family
    expected = multipletests([pair.p for pair in everything.pairs], method=theirs)[1]
    assert [pair.p_corrected for pair in everything.pairs] == pytest.approx(expected, abs=1e-12)
    by_measure = compare(JUDGED, RUNS, MEASURES, **options)
    assert by_measure.evidence.family == 6
    for measure in MEASURES:
        pairs = [pair for pair in by_measure.pairs if pair.measure == measure]
        expected = multipletests([pair.p for pair in pairs], method=theirs)[1]
        assert [pair.p_corrected for pair in pairs] == pytest.approx(expected, abs=1e-12)


def test_only_with_the_baseline_the_family_is_smaller(compared):
    comparison = compare(JUDGED, RUNS, MEASURES, pairs="baseline", baseline="c")
    assert comparison.evidence.family == 3
    assert {pair.other for pair in comparison.pairs} == {"c"}
    for pair in comparison.pairs:
        everyone = compared.pair(pair.measure, pair.system, "c")
        assert pair.p == everyone.p
        assert pair.p_corrected <= everyone.p_corrected


def test_tukey_is_corrected_across_measures_only():
    comparison = compare(JUDGED, RUNS, MEASURES, test="tukey", family="all")
    alone = compare(JUDGED, RUNS, MEASURES, test="tukey")
    assert comparison.evidence.family == 3
    for pair, other in zip(comparison.pairs, alone.pairs, strict=True):
        assert pair.p_corrected == pytest.approx(min(1, 3 * other.p))
        assert other.p_corrected == other.p


def test_tukey_of_two_runs_is_the_exact_randomisation_test():
    few = {q: JUDGED[q] for q in QUERIES[:10]}
    two = {name: {q: RUNS[name][q] for q in few} for name in "ab"}
    comparison = compare(few, two, "nDCG@5", test="tukey")
    assert comparison.evidence.exact
    assert comparison.pairs[0].p == compare(few, two, "nDCG@5").pairs[0].p


def test_the_order_of_queries_and_runs_changes_no_number():
    backwards = {name: dict(reversed(run.items())) for name, run in reversed(RUNS.items())}
    judged = dict(reversed(JUDGED.items()))
    comparison = compare(judged, backwards, MEASURES, baseline="a", test="t")
    for pair in compare(JUDGED, RUNS, MEASURES, test="t").pairs:
        other = comparison.pair(pair.measure, pair.system, pair.other)
        assert other.p == pytest.approx(pair.p, rel=1e-9)
        assert (other.low, other.high) == pytest.approx((pair.low, pair.high), abs=1e-12)


def test_a_pair_turned_round_is_its_mirror(compared):
    there, back = compared.pair("AP", "b", "a"), compared.pair("AP", "a", "b")
    assert back.difference == -there.difference
    assert (back.low, back.high) == (-there.high, -there.low)
    assert (back.effect.wins, back.effect.dz) == (there.effect.losses, -there.effect.dz)
    assert back.p == there.p


def test_letters_and_groups_are_those_of_significant_pairs(compared):
    for measure in compared.measures:
        beaten = compared.systems_beaten(measure)
        for pair in compared.pairs:
            if pair.measure != measure:
                continue
            better, worse = pair.system, pair.other
            if pair.difference < 0:
                better, worse = worse, better
            together = any(
                {better, worse} <= set(group) for group in compared.alike_groups(measure)
            )
            assert (worse in beaten[better]) == (pair.p_corrected <= 0.05) == (not together)
    assert compared.letters() == {"a": "a", "b": "b", "c": "c", "d": "d"}


def test_the_seed_makes_the_numbers(compared):
    again, other = (compare(JUDGED, RUNS, MEASURES, seed=seed) for seed in (2008, 1))
    assert [pair.p for pair in again.pairs] == [pair.p for pair in compared.pairs]
    assert [pair.p for pair in other.pairs] != [pair.p for pair in compared.pairs]


@pytest.mark.parametrize("test", TEST_NAMES)
def test_every_test_finds_what_is_plain_and_nothing_where_nothing_is(test):
    worse = {q: dict.fromkeys(docs, 0) | {"good": -1} for q, docs in JUDGED.items()}
    runs = {"worse": worse, "better": RUNS["c"], "same": RUNS["c"]}
    comparison = compare(JUDGED, runs, "nDCG@5", test=test, resamples=999)
    plain = comparison.pair("nDCG@5", "better", "worse")
    nothing = comparison.pair("nDCG@5", "same", "better")
    assert comparison.is_significant(plain)
    assert plain.difference > 0
    assert plain.low > 0
    assert (nothing.difference, nothing.p, nothing.p_corrected) == (0, 1, 1)
    assert nothing.effect.dz is None
    facts = [list_facts(note, *runs, "p") for note in comparison.notes]
    assert ["nDCG@5", "same", "better", "same", "p", "1"] in facts


def test_all_of_it_is_plain_data_and_a_frame(compared):
    import json

    data = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert data["test"] == "randomisation"
    assert (data["correction"], data["family"], data["family_scope"]) == ("max-t", 6, "measure")
    assert data["confidence"] == 0.95
    assert data["measures"][0]["queries"] == 30
    assert len(data["pairs"]) == 18 == len(compared.frame)
    expected = {"p", "p_corrected", "dz", "wins", "detectable", "significant"}
    assert data["pairs"][0].keys() >= expected
    assert data["convention"]["like"] == "gainful"
    assert "Sign-flip randomisation test" in repr(compared)


# ── pairing ──────────────────────────────────────────────────────────────────────────────────


@given(st.sets(st.sampled_from(QUERIES), min_size=2, max_size=20))
def test_queries_of_one_run_only_are_left_out_counted_and_said(kept):
    some = {q: RUNS["b"][q] for q in kept}
    runs = {"a": RUNS["a"], "some": some}
    comparison = compare(JUDGED, runs, "AP", missing="skip", test="sign", resamples=99)
    assert comparison.units["AP"] == len(kept)
    lost = 30 - len(kept)
    notes = [note for note in comparison.notes if "left out" in note]
    assert [list_facts(note, "a", "some")[:3] for note in notes] == [["AP", str(lost), "a"]] * (
        lost > 0
    )
    unnamed = set(QUERIES) - set(kept)
    assert all(any(f"'{query}'" in note for query in unnamed) for note in notes)
    both = {q: JUDGED[q] for q in kept}
    alone = compare(
        both, {"a": {q: RUNS["a"][q] for q in kept}, "some": some}, "AP", test="sign", resamples=99
    )
    assert comparison.pairs[0].difference == pytest.approx(alone.pairs[0].difference, abs=1e-12)


def test_a_missing_query_counts_as_zero_where_the_convention_says_so():
    some = {q: RUNS["a"][q] for q in QUERIES[:20]}
    comparison = compare(JUDGED, {"a": RUNS["a"], "some": some}, "AP")
    assert comparison.units["AP"] == 30
    assert comparison.pairs[0].effect.losses == 10
    assert comparison.pairs[0].effect.ties == 20


# ── what cannot be compared ──────────────────────────────────────────────────────────────────


def limit_qrels(number):
    return {q: JUDGED[q] for q in QUERIES[:number]}


def limit_runs(runs, number):
    return {name: {q: run[q] for q in QUERIES[:number]} for name, run in runs.items()}


def evaluate_one(name, measure="AP", **options):
    return evaluate(JUDGED, RUNS[name], measure, **options)


@pytest.mark.parametrize(
    ("data", "options", "error", "about"),
    [
        ((limit_qrels(1), limit_runs(RUNS, 1), "AP"), {}, CannotCompare, "1"),
        ((JUDGED, RUNS, ["AP", "P(rel=9)@3"]), {}, CannotCompare, "P(rel=9)@3"),  # zero everywhere
        ((JUDGED, RUNS, "NumRet"), {}, BadValue, "measure"),  # no mean over queries
        ((JUDGED, RUNS, "GMAP"), {}, BadValue, "measure"),
        ((JUDGED, {"a": RUNS["a"]}, "AP"), {}, BadValue, "runs"),
        (([evaluate_one("a")],), {}, BadValue, "runs"),
        (({"x": evaluate_one("a"), "y": evaluate_one("b", "RR")},), {}, CannotCompare, ""),
        (
            ({"x": evaluate_one("a"), "y": evaluate_one("b", like="trec_eval")},),
            *({}, CannotCompare, ""),
        ),
        ((evaluate(JUDGED, RUNS, "AP"),), {"like": "trec_eval"}, BadValue, "like"),
        ((evaluate(JUDGED, RUNS, "AP"), "P@5"), {}, UnknownName, "P@5"),
        ((JUDGED, RUNS, "AP"), {"baseline": "x"}, UnknownName, ("x", "a, b, c, d")),
        ((JUDGED, RUNS, "AP"), {"test": "tt"}, UnknownName, "tt"),
        ((JUDGED, RUNS, "AP"), {"correct": "hom"}, UnknownName, ("hom", "holm")),
        ((JUDGED, RUNS, "AP"), {"pairs": "some"}, UnknownName, "some"),
        ((JUDGED, RUNS, "AP"), {"resamples": 0}, BadValue, ("resamples", "99")),
        ((JUDGED, RUNS, "AP"), {"alpha": 5}, BadValue, "alpha"),
        ((JUDGED, RUNS, "AP"), {"seed": -1}, BadValue, "seed"),
        (
            (JUDGED, RUNS, "AP"),
            {"test": "tukey", "correct": "holm"},
            *(BadValue, ("correct", "bonferroni", "none")),
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(data, options, error, about):
    with refuses(error, about):
        compare(*data, **options)


CONSTANT = (
    {q: {"x": 1} for q in QUERIES},
    {"high": {q: ["x", "y"] for q in QUERIES}, "low": {q: ["y", "x"] for q in QUERIES}},
)


@pytest.mark.parametrize("test", ["t", "bootstrap", "bca"])
def test_constant_differences_are_refused_where_a_test_needs_variance(test):
    with refuses(CannotCompare, "RR", "low", "high", "-0.5"):
        compare(*CONSTANT, "RR", test=test)


@pytest.mark.parametrize("test", ["randomisation", "wilcoxon", "sign", "tukey"])
def test_constant_differences_are_compared_by_others_and_said(test):
    comparison = compare(*CONSTANT, "RR", test=test, resamples=999)
    assert comparison.is_significant(comparison.pairs[0])
    assert comparison.pairs[0].effect.dz is None
    assert find_notes(comparison.notes, "differ", "same", "every")
    low, high = comparison.pairs[0].low, comparison.pairs[0].high
    if test in ("wilcoxon", "sign"):  # every drawn mean is the same
        assert (low, high) == (None, None)
        assert find_notes(comparison.notes, "interval")
    else:
        assert low <= -0.5 <= high


def test_runs_of_one_name_get_distinct_ones():
    a, b = (evaluate(JUDGED, RUNS[name], "AP") for name in "ab")
    assert compare([a, b]).systems == compare(a, b).systems == ("run 1", "run 2")
    assert a.compare(b).to_dict() == compare(a, b).to_dict()
    assert compare(JUDGED, RUNS["a"], RUNS["b"], "AP").to_dict() == compare(a, b).to_dict()
    assert compare(JUDGED, [RUNS["a"], RUNS["b"]], "AP").systems == ("run 1", "run 2")
    several = compare(JUDGED, RUNS["a"], RUNS["b"], RUNS["c"], "AP", "RR")
    assert (len(several.systems), several.measures) == (3, ("AP", "RR"))


def test_results_are_compared_as_their_runs_are():
    results = evaluate(JUDGED, RUNS, ["AP", "RR"])
    direct = compare(JUDGED, RUNS, ["AP", "RR"], baseline="b", test="t", seed=3).to_dict()
    for comparison in (compare, lambda values, **options: values.compare(**options)):
        assert comparison(results, baseline="b", test="t", seed=3).to_dict() == direct
    assert compare(results, "AP").measures == ("AP",)
    assert compare(results["a"], results["b"], measures="RR").measures == ("RR",)


def test_few_queries_give_no_interval_and_it_is_said():
    comparison = compare(limit_qrels(4), limit_runs({"a": RUNS["a"], "c": RUNS["c"]}, 4), "nDCG@5")
    assert (comparison.pairs[0].low, comparison.pairs[0].high) == (None, None)
    assert find_notes(comparison.notes[:1], "interval")


def test_tests_are_a_table_with_words_for_each():
    assert list(TESTS) == ["randomisation", "t", "wilcoxon", "sign", "bootstrap", "bca"]
    assert all(test.words and test.question.endswith(("?", "skewness")) for test in TESTS.values())


def test_what_is_true_of_many_pairs_is_said_once():
    qrels = {str(query): {"a": 1} for query in range(5)}
    runs = {f"run {number}": {str(query): ["a"] for query in range(5)} for number in range(9)}
    notes = compare(qrels, runs, "RR", resamples=2000).notes
    equal = [note for note in notes if "35 other pairs" in note]
    assert equal
    assert all(f"run {number}" not in note for note in notes for number in range(2, 9))
