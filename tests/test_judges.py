"""Judges compared: kappa and alpha equal the peers', bias and order by hand, bad input in a line."""

import json

import hypothesis.strategies as st
import krippendorff
import numpy as np
import pytest
from facts import find_notes
from hypothesis import given
from refusals import refuses
from sklearn.metrics import cohen_kappa_score
from written_files import write_qrels

import gainful
from gainful.errors import BadInput, BadValue, WrongType

SKLEARN_WEIGHTS = {"none": None, "linear": "linear", "quadratic": "quadratic"}
FEW = {"resamples": 99}
grades = st.integers(0, 3)


def as_qrels(column, documents=4):
    """{query: {doc: grade}}, some documents a query; None where it was not judged."""
    qrels = {}
    for at, grade in enumerate(column):
        if grade is not None and not np.isnan(grade):
            qrels.setdefault(f"q{at // documents}", {})[f"d{at}"] = float(grade)
    return qrels


@given(
    st.lists(st.tuples(grades, grades), min_size=2, max_size=60),
    st.sampled_from([*SKLEARN_WEIGHTS]),
)
def test_kappa_is_scikit_learns(pairs, weights):
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) < 2:
        return  # neither has a kappa
    result = gainful.compare_judges([as_qrels(first), as_qrels(second)], weights=weights, **FEW)
    expected = cohen_kappa_score(first, second, weights=SKLEARN_WEIGHTS[weights])
    assert result.pairs[0].kappa.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert result.pairs[0].same.value == pytest.approx(np.mean(np.equal(first, second)))
    assert result.pairs[0].bias.value == pytest.approx(np.mean(np.subtract(second, first)))


@given(
    st.integers(0, 10_000), st.integers(2, 4), st.sampled_from(["nominal", "ordinal", "interval"])
)
def test_alpha_is_that_of_the_krippendorff_package(seed, judges, level):
    random = np.random.default_rng(seed)
    table = random.integers(0, 4, (judges, 40)).astype(float)
    table[:, ::3] = table[0, ::3]  # some agreement
    table[:, 1:][random.random((judges, 39)) < 0.2] = np.nan
    result = gainful.compare_judges([as_qrels(row) for row in table], level=level, **FEW)
    expected = krippendorff.alpha(table, level_of_measurement=level)
    assert result.alpha.value == pytest.approx(expected, abs=1e-12)


PEOPLE = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 2, "e": 0}}
MODEL = {"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 1, "d": 2, "e": 0}}


def test_bias_counts_and_queries_by_hand():
    result = gainful.compare_judges({"people": PEOPLE, "model": MODEL}, **FEW)
    (pair,) = result.pairs
    assert (pair.judges, pair.queries, pair.documents) == (("people", "model"), 2, 6)
    assert pair.counts == ((1, 2, 0), (0, 1, 0), (0, 0, 2))  # rows: people's grade
    assert pair.bias.value == pytest.approx(2 / 6)
    assert pair.bias_by_grade == {0.0: pytest.approx(2 / 3), 1.0: 0.0, 2.0: 0.0}
    assert [(item.query, item.difference) for item in result.disagreements] == [
        ("1", pytest.approx(1 / 3)),
        ("2", pytest.approx(1 / 3)),
    ]


def test_judges_that_turn_the_order_of_runs_flip_significant_differences():
    queries = [f"q{at}" for at in range(12)]
    left = {query: {"x": 1, "y": 0} for query in queries}
    right = {query: {"x": 0, "y": 1} for query in queries}
    runs = {
        "xy": {query: ["x", "y"] for query in queries},
        "yx": {query: ["y", "x"] for query in queries},
        "none": {query: ["z"] for query in queries},
    }
    result = gainful.compare_judges({"left": left, "right": right}, runs, "RR", resamples=999)
    assert result.order.means["left"] == {"xy": 1.0, "yx": 0.5, "none": 0.0}
    assert result.order.agreement[0].discordant == 1
    assert result.order.agreement[0].tau == pytest.approx(1 / 3)
    assert result.flips == 1
    assert gainful.compare_judges([left, left], runs, "RR", resamples=999).flips == 0


def test_two_runs_have_means_and_no_tau():
    runs = {"ab": {"1": ["a", "b"], "2": ["d"]}, "ba": {"1": ["b", "a"], "2": ["e"]}}
    result = gainful.compare_judges({"people": PEOPLE, "model": MODEL}, runs, "RR", **FEW)
    assert result.order.means["people"] == {"ab": 1.0, "ba": 0.25}
    assert find_notes(result.notes, 2, "tau", 3)
    *_, means = (section for section in result.page().sections if section.table)
    assert means.table.columns == ("run", "people", "model")


def test_where_judges_agree_no_query_is_one_of_disagreement():
    for judges, number in (([PEOPLE, MODEL], 2), ([PEOPLE, PEOPLE], 0)):
        sections = gainful.compare_judges(judges, **FEW).page().sections
        listed = [part for part in sections if part.table and part.table.columns[0] == "query"]
        assert sum(len(part.table.rows) for part in listed) == number


def test_intervals_hold_the_estimate_and_one_query_has_none():
    random = np.random.default_rng(3)
    first = random.integers(0, 4, 400)
    second = np.clip(first + random.integers(-1, 2, 400), 0, 3)
    pair = gainful.compare_judges([as_qrels(first), as_qrels(second)], resamples=999).pairs[0]
    for estimate in (pair.kappa, pair.same, pair.bias):
        assert estimate.low < estimate.value < estimate.high
    alone = gainful.compare_judges([{"1": PEOPLE["1"]}, {"1": MODEL["1"]}]).pairs[0]
    assert alone.kappa.value is not None
    assert alone.kappa.low is None


def test_judges_who_give_one_grade_have_no_kappa():
    ones = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    result = gainful.compare_judges([ones, ones], **FEW)
    assert result.pairs[0].kappa.value is None
    assert result.alpha.value is None
    assert result.pairs[0].same.value == 1.0


def test_three_judges_on_the_command_line(tmp_path, run_gainful):
    judges = {"a": PEOPLE, "b": MODEL, "c": MODEL}
    files = [write_qrels(tmp_path / f"{name}.txt", qrels) for name, qrels in judges.items()]
    answer = json.loads(run_gainful("judges", *files, "--resamples", "99", "--format", "json").out)
    assert [pair["judges"] for pair in answer["pairs"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert answer["pairs"][2]["kappa"]["value"] == 1.0


@pytest.mark.parametrize(
    ("judges", "options", "error", "about"),
    [
        ("q.txt", {}, WrongType, "judges"),
        ([PEOPLE], {}, BadValue, "judges"),
        ([PEOPLE, {"9": {"a": 1}}], {}, BadInput, "judge 2"),
        ([PEOPLE, MODEL], {"weights": "cubic"}, BadValue, "weights"),
        ([PEOPLE, MODEL], {"level": "ratio"}, BadValue, "level"),
        ([PEOPLE, MODEL], {"runs": [{"1": ["a"]}]}, BadValue, "the number of runs"),
        ([PEOPLE, MODEL], {"runs": [{"1": ["a"]}] * 2, "measure": "P"}, BadValue, "measure"),
        ([{"1": {"a": 1e300}}] * 2, {}, BadInput, "judge 1 and judge 2"),
        ([{"1": {str(n): n for n in range(60)}}] * 2, {}, BadInput, "judge 1 and judge 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(judges, options, error, about):
    with refuses(error, about):
        gainful.compare_judges(judges, **options)


def test_a_judge_who_gives_fewer_grades_is_named():
    binary = {
        query: {doc: min(grade, 1) for doc, grade in docs.items()} for query, docs in PEOPLE.items()
    }
    (note,) = gainful.compare_judges({"people": PEOPLE, "binary": binary}, **FEW).notes
    assert "binary" in note
    assert "2" in note


def test_two_of_three_judges_without_a_common_document_are_noted():
    halves = [{"1": {"a": 2, "b": 0}}, {"2": {"a": 0, "d": 2}}]
    both = halves[0] | halves[1]
    result = gainful.compare_judges([*halves, both], **FEW)
    assert [pair.judges for pair in result.pairs] == [
        ("judge 1", "judge 3"),
        ("judge 2", "judge 3"),
    ]
    assert result.alpha.value == 1
    assert any("judge 1 and judge 2" in note for note in result.notes)
    assert len(result.page().sections) == 2  # pairs, and the grades of the first
