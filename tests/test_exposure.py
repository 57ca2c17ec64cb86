"""Coverage, Gini and novelty: by hand, against plain loops, and what cannot be asked."""

from itertools import product
from math import log2

import hypothesis.strategies as st
import polars as pl
import pytest
from facts import find_notes
from hypothesis import given
from refusals import refuses

import gainful
from gainful.errors import BadInput, BadValue, CannotCompare, NoColumn, WrongType
from gainful.measure.groups import build_group_table

CATALOGUE = [f"i{number}" for number in range(6)]
lists = st.dictionaries(
    st.sampled_from(["u1", "u2", "u3", "u4"]),
    st.lists(st.sampled_from(CATALOGUE), min_size=1, max_size=6, unique=True),
    min_size=1,
)
pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(CATALOGUE)), min_size=1)


@given(lists, pairs, st.integers(1, 4))
def test_values_are_those_of_plain_loops(run, seen, k):
    qrels = {user: {CATALOGUE[0]: 1} for user in run}
    names = [f"Coverage@{k}", f"Gini@{k}", f"Novelty@{k}"]
    interactions = pl.DataFrame(seen, schema=["user", "item"], orient="row")
    results = gainful.evaluate(qrels, run, names, items=CATALOGUE, interactions=interactions)
    shown = [item for items in run.values() for item in items[:k]]
    counts = [shown.count(item) for item in CATALOGUE]
    spread = sum(abs(a - b) for a, b in product(counts, counts))
    assert results[names[0]] == len({*shown}) / 6
    assert results[names[1]] == pytest.approx(spread / (2 * 6 * sum(counts)))  # mean difference
    users = {user for user, _ in seen}
    for user, items in run.items():
        known = [max(1, len({u for u, item in seen if item == shown})) for shown in items[:k]]
        bits = [log2(len(users) / count) for count in known]
        assert results.values_by_query()[user][names[2]] == pytest.approx(sum(bits) / len(bits))
        assert results.values_by_query()[user][names[0]] is None


QRELS, RUN = {"1": {"a": 1}}, {"1": ["a", "b"]}


def test_files_of_items_and_of_interactions(tmp_path, run_gainful):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n")
    (tmp_path / "items.txt").write_text("a\nb\n\nc\nd\n")
    (tmp_path / "items.csv").write_text("item,price\na,1\nb,2\nc,3\nd,4\n")
    (tmp_path / "seen.csv").write_text("user,item\nx,a\ny,a\nx,a\n")
    words = ("eval", "qrels.txt", "run.txt", "-m", "Coverage@2", "-m", "Novelty@2", "-m", "P@1")
    for items in ("items.txt", "items.csv"):
        options = ("--items", items, "--interactions", "seen.csv", "--format", "csv")
        text = run_gainful(*words, *options, folder=tmp_path).out
        assert text.splitlines() == ["run,Coverage@2,Novelty@2,P@1", "run,0.5,0.5,1.0"]


def test_runs_are_compared_by_novelty_and_not_by_coverage():
    seen = pl.DataFrame({"user": ["x", "y"], "item": ["a", "a"]})
    options = {"items": ["a", "b"], "interactions": seen}
    queries = {str(query): {"a": 1} for query in range(8)}
    runs = {"first": {q: ["a", "b"] for q in queries}, "second": {q: ["b", "a"] for q in queries}}
    results = gainful.evaluate(queries, runs, ["Novelty@1", "Coverage@1"], **options)
    for inputs in ((results,), (queries, runs)):
        beside = {"interactions": seen} if len(inputs) == 2 else {}
        compared = gainful.compare(*inputs, measures="Novelty@1", resamples=999, **beside)
        assert compared.pairs[0].difference == 1.0  # a is known to all, b to nobody
    with refuses(BadValue, "interactions"):
        gainful.compare(results, measures="Novelty@1", interactions=seen)
    with refuses(BadValue, "measure"):
        gainful.compare(results, measures="Coverage@1")
    with refuses(BadValue, "measure"):
        gainful.compare(queries, runs, "Coverage@1")


@pytest.mark.parametrize(
    ("measure", "options", "error", "about"),
    [
        ("Coverage@2", {}, BadValue, "measure"),
        ("Novelty@2", {"items": ["a"]}, BadValue, "measure"),
        ("RR", {"items": ["a"]}, BadValue, "items"),
        ("Coverage@2", {"items": ["a"], "interactions": [1]}, BadValue, "interactions"),
        ("Coverage", {"items": ["a"]}, BadValue, "k"),
        ("Coverage@2", {"items": []}, BadInput, "items"),
        ("Coverage@2", {"items": 3}, WrongType, "items"),
        ("Gini@2", {"items": ["z"]}, BadInput, "items"),
        ("Novelty@2", {"interactions": pl.DataFrame({"user": [1]})}, NoColumn, "interactions"),
        ("Novelty@2", {"interactions": [1]}, WrongType, "interactions"),
    ],
)
def test_what_they_need_is_asked_for(measure, options, error, about):
    with refuses(error, about):
        gainful.evaluate(QRELS, RUN, measure, **options)


def test_a_group_has_no_coverage_of_its_own_and_items_outside_are_counted():
    queries = {str(query): {"a": 1} for query in range(4)}
    run = {query: ["a", "b"] for query in queries}
    results = gainful.evaluate(
        queries, run, ["Coverage@2", "RR"], items=["a", "z"], group=lambda query: int(query) % 2
    )
    assert results["Coverage@2"] == 0.5
    assert {group["mean"]["Coverage@2"] for group in results.groups()} == {None}
    cells = {row[1]: row[3] for row in build_group_table([results]).rows}
    assert cells == {"0": "–", "1": "–", "all": "0.5000"}
    assert [note for note in results.notes if "Coverage@2" in note and "1 item" in note]


def test_one_number_of_a_whole_run_has_its_value_but_no_interval():
    queries = {str(query): {"a": 1} for query in range(6)}
    run = {query: ["b", "a"][int(query) % 2 :] for query in queries}
    options = {"measures": ["Coverage@2", "RR"], "items": ["a", "z"]}
    results = gainful.evaluate(queries, run, **options)
    intervals = gainful.stats.mean_intervals(results)
    coverage = intervals.intervals["Coverage@2"]
    assert (coverage.mean, coverage.low, coverage.loo_low) == (results["Coverage@2"], None, None)
    assert len(find_notes(intervals.notes, "Coverage@2")) == 1
    with refuses(BadInput, "run"):  # and no value for each query, to go along with
        gainful.stats.correlate(results, "RR", resamples=99)


@pytest.mark.parametrize("measure", ["Coverage@2", "Gini@2", "Novelty@2"])
def test_what_is_of_items_is_refused_where_judged_rankings_are_asked_for(measure):
    with refuses(BadValue, "measure"):
        gainful.unjudged(QRELS, RUN, measure)
    with refuses(BadValue, "measure"):
        gainful.reproduce(QRELS, RUN, RUN, measure)
    with refuses(CannotCompare, measure):
        gainful.why(QRELS, RUN, measure, unlike="trec_eval")


def test_runs_are_ordered_by_one_number_each_which_no_baseline_keeps(tmp_path):
    judged = {str(query): {"a": 1} for query in range(4)}
    runs = {
        name: {query: [*docs] for query in judged}
        for name, docs in (("one", "a"), ("two", "ba"), ("three", "bca"))
    }
    items = {"items": ["a", "b", "c"]}
    order = gainful.order(judged, runs, ["Coverage@3", "RR"], **items)
    assert order.places("Coverage@3") == {"three": 1, "two": 2, "one": 3}
    assert order.agreement[0].tau == -1
    baseline = tmp_path / "base.json"
    floors = {"Coverage@3": 0.3, "RR": 0.5}
    assert gainful.gate(judged, runs["one"], floors=floors, save_to=baseline, **items).passed
    drop = {"max_drop": {"RR": 0.1}, "baseline": baseline}
    assert gainful.gate(judged, runs["one"], floors=floors, **drop, **items).passed
    with refuses(BadValue, "measure"):
        gainful.gate(judged, runs["one"], **drop | {"max_drop": {"Coverage@3": 0.1}}, **items)
    with refuses(BadValue, "measures"):
        gainful.gate(judged, runs["one"], floors={"Coverage@3": 0.3}, save_to=baseline, **items)


def test_explain_and_a_catalogue_of_other_ids_are_refused():
    with refuses(BadValue, "measure"):
        gainful.explain([3, 2], measure="Novelty@2")
    with refuses(BadInput, "items"):
        gainful.evaluate(QRELS, RUN, "Coverage@2", items=["zz"])
