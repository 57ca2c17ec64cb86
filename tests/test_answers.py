"""What pages answer: ties for the lead are called ties, odd things are said and zeros are not."""

import pytest
from example_files import EXAMPLES
from facts import find_notes, list_facts

import gainful
from gainful.measure.results import describe_leaders, find_leaders
from gainful.text import format_range

QUERIES = [str(query) for query in range(8)]
QRELS = {query: {"a": 1} for query in QUERIES}
GOOD = {query: ["a", "b"] for query in QUERIES}
POOR = {query: ["b", "a"] for query in QUERIES}
MIXED = {query: ["a", "b"] if int(query) % 2 else ["b", "a"] for query in QUERIES}
# Eight queries, each 1 or 1/2: RR is 1 for the good run, 1/2 for the poor, 3/4 for the mixed one.


@pytest.mark.parametrize(
    ("means", "facts"),
    [
        ({"AP": {"a": 0.5, "b": 0.25}}, "a AP 0.500 b 0.250"),
        ({"AP": {"a": 0.5, "b": 0.5}}, "a b AP 0.500"),
        ({"AP": {"a": 0.5, "b": 0.5, "c": 0.1}}, "a b AP 0.500"),
        ({"AP": {"a": 0.5, "b": 0.1, "c": 0.1}}, "a AP 0.500 b c 0.100"),
        ({"AP": {"a": 0.50004, "b": 0.50001}}, "a AP 0.50004 b 0.50001"),
        (
            {"AP": {"a": 1, "b": 0}, "RR": {"a": 1, "b": 0}, "P@1": {"a": 0, "b": 1}},
            "a AP 1.000 b 0.000 RR b P@1 1.000 a 0.000",
        ),
        ({"AP": {"a": float("nan"), "b": 0.5}}, "b AP 0.500"),
        ({"AP": {"a": float("nan")}}, ""),
        ({"AP": dict.fromkeys("abcde", 1.0) | {"f": 0.0}}, "5 6 AP 1.000"),
    ],
)
def test_who_is_highest(means, facts):
    assert " ".join(list_facts(describe_leaders(means), *"abcdef")) == facts


def test_what_only_rounding_sets_apart_is_equal():
    assert find_leaders({"a": 0.1 + 0.2, "b": 0.3, "c": 0.29}) == ["a", "b"]


@pytest.mark.parametrize(
    ("runs", "facts"),
    [
        # the same in every query; of all 2^8 exchanges of signs, 2 are as extreme
        ({"good": GOOD, "poor": POOR}, "good poor RR 0.500 95 0.500 0.500 0.008"),
        ({"good": GOOD, "same": GOOD}, "good same same RR"),
        (
            {"good": GOOD, "same": GOOD, "third": GOOD, "poor": POOR},
            "good same third RR 1.000 poor",
        ),
        # four differences of 1/2: 2 of 16 signs are as extreme
        ({"good": GOOD, "mixed": MIXED}, "good mixed RR good 0.250"),
    ],
)
def test_a_comparison_answers(runs, facts):
    comparison = gainful.compare(QRELS, runs, "RR", correct="none")
    assert " ".join(list_facts(comparison.page().answer, *runs)).startswith(facts)


def test_a_comparison_with_the_baseline_only_says_who_is_better_than_it():
    runs = {"poor": POOR, "good": GOOD, "same": POOR}
    comparison = gainful.compare(QRELS, runs, "RR", pairs="baseline", correct="none")
    expected = ["RR", "good", "poor", "0.500", "95", "0.500", "0.500", "0.008", "same", "poor"]
    assert list_facts(comparison.page().answer, *runs) == expected


def test_no_difference_is_said_to_be_detectable_that_cannot_be():
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"one": {"1": ["a"], "2": ["b", "a"]}, "two": {"1": ["b", "a"], "2": ["a"]}}
    text = gainful.compare(judged, runs, "RR").to_text()
    # differences of 1/2 and -1/2: with two queries, a t test shows none below 1
    assert len(find_notes(text.splitlines(), "80", "none")) == 1


def test_measures_that_agree_are_said_once_and_others_in_a_word():
    comparison = gainful.compare(
        QRELS, {"good": GOOD, "poor": POOR}, ["RR", "AP", "P@2"], correct="none"
    )
    answer = comparison.page().answer
    expected = ["RR", "0.500", "95", "0.500", "0.500", "0.008", "AP", "P@2"]
    assert list_facts(answer) == expected


def test_measures_that_differ_from_the_first_say_who_is_better():
    qrels = {query: {"a": 1, "b": 2} for query in QUERIES}
    runs = {
        "fair": {query: ["a"] for query in QUERIES},
        "high": {query: ["b"] for query in QUERIES},
    }
    measures = ["P@1", "RR(rel=2)", "P@2", "P(rel=2)@1"]  # b is relevant at both levels, a at one
    answer = gainful.compare(qrels, runs, measures, correct="none").page().answer
    expected = ["fair", "high", "P@1", "P@2", "RR(rel=2)", "P(rel=2)@1", "high", "fair"]
    assert list_facts(answer, *runs) == expected


def test_of_many_measures_that_differ_some_are_told():
    grades = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
    qrels = dict.fromkeys(QUERIES, grades)
    runs = {doc: {query: [doc] for query in QUERIES} for doc in grades}
    measures = [f"P(rel={level})@1" for level in range(1, 6)]  # all relevant, then one less, …
    answer = gainful.compare(qrels, runs, measures, correct="none").page().answer
    facts = list_facts(answer, *runs)
    assert facts[facts.index("P(rel=2)@1") :][:3] == ["P(rel=2)@1", "4", "a"]
    assert facts[-7:] == ["P(rel=4)@1", "d", "e", "a", "b", "c", "P(rel=5)@1"]


def test_only_what_is_odd_is_said():
    clean = gainful.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "RR")
    assert clean.page().notes == ["1 query · like gainful"]
    odd = gainful.evaluate(
        {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}},
        {"1": {"a": 1.0, "b": 1.0}, "9": {"a": 1.0}},
        "RR",
    )
    (line,) = odd.page().notes
    assert list_facts(line, "gainful") == ["3", "gainful", "2", "1", "50", "10", "2"]


def test_what_a_rag_file_does_not_call_relevant_is_not_unjudged(tmp_path):
    file = tmp_path / "rag.jsonl"
    file.write_text('{"query": "1", "retrieved": ["a", "b", "c", "d"], "relevant": ["b"]}\n')
    results = gainful.evaluate(file, measures="RR")
    assert results.page().notes == ["1 query · like gainful"]
    assert results.counts["unjudged_at_10"] == 0
    assert "unjudged" not in repr(gainful.check(file))
    as_qrels = gainful.evaluate({"1": {"b": 1}}, {"1": ["a", "b", "c", "d"]}, "RR")
    assert as_qrels.counts["unjudged_at_10"] == 0.75


def test_odd_things_of_many_runs_are_one_line():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {name: {"1": ["a"]} for name in "abcd"} | {"e": {"1": ["a"], "2": ["a"]}}
    (line,) = gainful.evaluate(qrels, measures="RR", runs=runs).page().notes
    assert list_facts(line, "all") == ["2", "4", "5", "1"]
    del runs["e"]
    (line,) = gainful.evaluate(qrels, measures="RR", runs=runs).page().notes
    assert list_facts(line, "all") == ["2", "all", "1"]


def test_the_whole_convention_is_there_in_python_too():
    results = gainful.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "nDCG@10")
    assert "discount" not in results.to_text()
    assert "discount 1/log2(i+1)" in results.to_text(verbose=True)
    assert "discount 1/log2(i+1)" in results.to_markdown(verbose=True)


def test_a_bound_that_overlaps_another_is_not_called_settled():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"sure": {"1": ["a", "b"]}, "open": {"1": ["x", "y"]}, "none": {"1": ["b"]}}
    answer = gainful.unjudged(qrels, None, "P@1", runs=runs).page().answer
    expected = ["sure", "P@1", "1.000"]
    assert list_facts(answer, *runs, "but")[:4] == [*expected, "but"]
    sure = {name: runs[name] for name in ("sure", "none")}
    answer = gainful.unjudged(qrels, None, "P@1", runs=sure).page().answer
    assert list_facts(answer, *runs, "but") == expected
    alone = gainful.unjudged(qrels, runs["open"], "P@2").page().answer
    assert list_facts(alone) == ["P@2", "0.000", "0.000", "1.000", "2"]


def test_the_answer_of_why_names_the_largest_cause():
    answer = gainful.why(QRELS, POOR, "nDCG", like="trec_eval", unlike="sklearn").page().answer
    assert list_facts(answer, "trec_eval", "sklearn") == ["nDCG", "0.6309", "trec_eval", "sklearn"]
    graded = {"1": {"a": 3, "b": 2, "c": 3, "d": 0}}
    why = gainful.why(graded, {"1": list("abcd")}, "nDCG", like="trec_eval", unlike="lightgbm")
    assert why.page().answer.endswith(f". The only cause: {why.causes[0].cause.title}.")


def test_ranges_are_rounded_as_a_person_would():
    assert format_range([1, 1, 1]) == "1"
    assert format_range([23.6, 28.4]) == "24–28"
    assert format_range([0.0, 0.4]) == "0–0.4"


def test_causes_that_work_against_each_other_are_said_to():
    """None of them is most of a difference that others take back."""
    qrels, sessions = EXAMPLES / "sessions-qrels.txt", EXAMPLES / "sessions.csv"
    why = gainful.why(qrels, sessions, "nsDCG@3", like="jk2008", unlike="kanoulas2011")
    signs = {effect.effect > 0 for effect in why.causes}
    assert signs == {True, False}
    numbers = [float(fact) for fact in list_facts(why.page().answer) if fact[0] in "+-"]
    assert {number > 0 for number in numbers} == signs
