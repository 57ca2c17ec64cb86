"""Ratings of search teams: the files of `ratings/`, each in the shape that its tool writes.

Shapes are those of opensearch-project/search-relevance (judgment.json, ImportJudgments.json), o19s/quepid (its
export views and caseCSVSvc.js), SeaseLtd/rated-ranking-evaluator (ratings_example.json, Engine.java) and the
documentation of Elasticsearch's `_rank_eval`. In all of them "star wars" has 11 rated 3 and 12 rated 0, and
the ranking is 12, 14, 11: nDCG is (3 / log2 4) / 3 = 0.5.
"""

import json

import pandas as pd
import pytest
from example_files import TESTS
from facts import find_notes
from written_files import write_file

import gainful
from gainful.errors import BadInput, Duplicated, Swapped

RATINGS = TESTS / "ratings"
JUDGMENTS = {path.stem: json.loads(path.read_text("utf-8")) for path in RATINGS.glob("*.json")}
RESPONSE, WORKBENCH = JUDGMENTS["rank_eval-response"], JUDGMENTS["workbench"]
BASIC, DETAILED, SNAPSHOT = (  # of a snapshot the rating is a field of documents, and no judgment
    (RATINGS / f"quepid-{name}.csv").read_bytes().decode()
    for name in ("basic", "detailed", "snapshot")
)


@pytest.mark.parametrize("name", sorted(JUDGMENTS))
@pytest.mark.parametrize("indent", [None, 2])
def test_json_of_each_tool_is_read_as_judgments(tmp_path, name, indent):
    (tmp_path / "ratings.json").write_text(json.dumps(JUDGMENTS[name], indent=indent))
    (tmp_path / "response.json").write_text(json.dumps(RESPONSE))
    (tmp_path / "snapshot.csv").write_text(SNAPSHOT)
    for run in ("response.json", "snapshot.csv"):
        results = gainful.evaluate(tmp_path / "ratings.json", tmp_path / run, ["nDCG", "P_3"])
        assert results.mean == pytest.approx({"nDCG": 0.5, "P_3": 1 / 3})
    assert gainful.evaluate(JUDGMENTS[name], RESPONSE, "nDCG")["nDCG"] == pytest.approx(0.5)


@pytest.mark.parametrize("indent", [None, 2])
def test_the_bare_list_of_the_workbench_is_read_too(tmp_path, indent):
    path = write_file(
        tmp_path / "list.json", json.dumps(WORKBENCH["judgmentRatings"], indent=indent)
    )
    assert gainful.evaluate(path, RESPONSE, "nDCG")["nDCG"] == pytest.approx(0.5)


@pytest.mark.parametrize("ratings", [BASIC, DETAILED])
@pytest.mark.parametrize("run", [DETAILED, SNAPSHOT])
def test_csv_of_quepid_is_judgments_a_run_or_both(tmp_path, ratings, run):
    (tmp_path / "ratings.csv").write_text(ratings, newline="")
    (tmp_path / "run.csv").write_text(run, newline="")
    results = gainful.evaluate(tmp_path / "ratings.csv", tmp_path / "run.csv", "nDCG")
    assert results["nDCG"] == pytest.approx(0.5)
    assert results.queries == ["star wars"]  # the other one has no ratings


def test_files_with_ratings_and_rankings_need_no_run(tmp_path):
    (tmp_path / "response.json").write_text(json.dumps(RESPONSE))
    (tmp_path / "case.csv").write_text(DETAILED, newline="")
    for name in ("response.json", "case.csv"):
        assert gainful.evaluate(tmp_path / name, measures="nDCG")["nDCG"] == pytest.approx(0.5)
        kinds = [finding.kind for finding in gainful.check(tmp_path / name).findings]
        assert kinds == ["judgments, ratings", "run, ratings", "together"]
    assert gainful.evaluate(RESPONSE, measures="P_1")["P_1"] == 0


def test_a_query_that_found_nothing_counts_as_zero(tmp_path):
    (tmp_path / "case.csv").write_text(DETAILED, newline="")
    judged = {"star wars": {"11": 3}, "metal frame": {"5": 1}}
    results = gainful.evaluate(judged, tmp_path / "case.csv", "RR")
    assert results["RR"] == pytest.approx((1 / 3 + 0) / 2)


def test_a_query_may_come_twice_with_the_same_ratings_only():
    first = {"query": "steel", "ratings": {"11": 1}}
    twice = {"queries": [first, first]}
    assert gainful.evaluate(twice, {"steel": ["11"]}, "P_1")["P_1"] == 1
    with pytest.raises(Duplicated):
        gainful.evaluate(
            {"queries": [first, {"query": "steel", "ratings": {"12": 1}}]}, {"steel": ["11"]}
        )


@pytest.mark.parametrize("doc", ["docId", "_id", "doc_id", "product_id"])
@pytest.mark.parametrize("grade", ["rating", "gain", "relevance"])
def test_documents_and_ratings_are_called_as_in_any_answer(doc, grade):
    """So "star wars" has 11 rated 3 and 12 rated 0, in a tool's file and in lists."""
    rated = [{doc: "11", grade: 3}, {doc: "12", grade: 0}]
    for judged in ({"queries": [{"query": "star wars", "ratings": rated}]}, {"star wars": rated}):
        assert gainful.evaluate(judged, RESPONSE, "nDCG")["nDCG"] == pytest.approx(0.5)


ONE = {"_id": "1", "rating": 1}
PLACEHOLDERS = {"placeholders": {"$query": "a"}, "relevant_documents": {"1": 1}}


def test_what_was_left_out_is_counted(tmp_path, run_gainful):
    queries = [{"query": "a", "ratings": {"1": 1, "2": None}}, {"query": "b", "ratings": {}}]
    (tmp_path / "ratings.json").write_text(json.dumps({"queries": queries}))
    (tmp_path / "run.json").write_text('{"a": {"1": 1}}')
    notes = run_gainful("eval", tmp_path / "ratings.json", tmp_path / "run.json").err
    assert "1 document has" in notes
    assert "1 query has" in notes


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"queries": [{"ratings": {"1": 1}, "query": None}]}, BadInput),
        ({"queries": [{"query": "a", "ratings": 3}, {"query": "b", "ratings": {}}]}, BadInput),
        ({"queries": [{"query": "a", "ratings": {"1": "good"}}]}, BadInput),
        ({"queries": [{"query": "a", "ratings": [{"rating": 3}]}]}, BadInput),
        ({"queries": [{"query": "a", "ratings": {}}]}, BadInput),
        ({"queries": {"a": {"ratings": 1}}, "more": {"b": 1}}, BadInput),
        ({"requests": [{"id": "a", "ratings": [ONE, {"_id": "1", "rating": 2}]}]}, Duplicated),
        ({"judgmentRatings": [{"query": "a", "ratings": []}, 3]}, BadInput),
        ({"metric_score": 1, "details": {"a": [{"hits": []}]}}, BadInput),
        ({"metric_score": 1, "details": {"a": {"hits": [{"hit": None, "rating": 1}]}}}, BadInput),
        ({"query_placeholder": [], "queries": [PLACEHOLDERS]}, BadInput),
    ],
)
def test_what_is_wrong_is_a_line(tmp_path, run_gainful, value, error):
    path = write_file(tmp_path / "ratings.json", json.dumps(value))
    with pytest.raises(error):
        gainful.evaluate(path, {"a": ["1"]})
    message = run_gainful("eval", path, "-", status=2).err
    assert len(message.splitlines()) == 1


def test_a_response_without_a_hit_and_a_stray_carriage_return_are_checked(tmp_path):
    path = tmp_path / "empty.json"
    path.write_text(
        json.dumps({"metric_score": 0, "details": {"a": {"hits": []}, "b": {"hits": []}}})
    )
    assert [finding.kind for finding in gainful.check(path).findings][1:2] == ["run, ratings"]
    path = write_file(tmp_path / "stray.csv", b"query,doc\rid,rating\nx,a,1\n")
    assert not gainful.check(path).ok


def test_searches_that_failed_are_told():
    """The response of Elasticsearch's RankEvalResponseTests, whose second search has an error."""
    hits = [("123", 5), ("456", None)]
    answer = {
        "metric_score": 0.123,
        "details": {
            "coffee_query": {
                "metric_score": 0.1,
                "unrated_docs": [{"_index": "index", "_id": "456"}],
                "hits": [
                    {"hit": {"_index": "index", "_id": doc, "_score": 1.0}, "rating": rating}
                    for doc, rating in hits
                ],
            }
        },
        "failures": {"beer_query": {"error": {"type": "parsing_exception", "line": 0, "col": 0}}},
    }
    results = gainful.evaluate({"coffee_query": {"123": 5}, "beer_query": {"7": 1}}, answer, "P_1")
    assert results["P_1"] == 0.5
    assert find_notes(results.notes, "beer_query", "failed")
    assert gainful.evaluate(answer, measures="RR")["RR"] == 1


def test_ratings_are_no_run_and_a_snapshot_no_judgments(tmp_path):
    (tmp_path / "ratings.csv").write_text(BASIC)
    (tmp_path / "snapshot.csv").write_text(SNAPSHOT, newline="")
    for qrels, run in [(BASIC, WORKBENCH), (SNAPSHOT, RESPONSE), (BASIC, BASIC)]:
        path = write_file(tmp_path / "qrels.csv", qrels)
        other = write_file(tmp_path / "run.csv", run if isinstance(run, str) else json.dumps(run))
        with pytest.raises(Swapped):
            gainful.evaluate(path, other)


QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.5}, "q2": {"c": 0.3, "d": 0.6}}


def as_series(by_query):
    return pd.Series(
        {(query, doc): value for query, docs in by_query.items() for doc, value in docs.items()}
    )


def test_objects_of_ranx_are_read():
    import ranx

    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    expected = gainful.evaluate(QRELS, RUN, "nDCG").mean
    assert gainful.evaluate(qrels, run, "nDCG").mean == expected
    several = gainful.evaluate(qrels, [ranx.Run(RUN), run], "nDCG")
    assert list(several) == ["run", "bm25"]
    assert gainful.evaluate(qrels, {"mine": run}, "nDCG")["mine"].mean == expected


def test_a_series_by_query_and_document_is_read():
    expected = gainful.evaluate(QRELS, RUN, "nDCG").mean
    qrels, run = as_series(QRELS), as_series(RUN)
    assert gainful.evaluate(qrels, run, "nDCG").mean == expected
    named = run.rename_axis(["qid", "docno"])
    assert gainful.evaluate(qrels, named.swaplevel(), "nDCG").mean == expected
    assert list(gainful.evaluate(qrels, [run, named], "nDCG")) == ["run 1", "run 2"]


LETOR = {
    "LETOR 4": "2 qid:q1 1:0.5 2:0.3 #docid = a inc = 1 prob = 0.1\n0 qid:q1 1:0.1 2:0.9 #docid = b\n1 qid:q2 2:0.2 #docid = c\n",
    "Quepid": "2 qid:q1 # a star wars\n0 qid:q1 # b star wars\n\n1 qid:q2 # c x\n",
}


@pytest.mark.parametrize("name", LETOR)
def test_files_to_learn_from_are_judgments(tmp_path, name):
    path = write_file(tmp_path / "train.txt", LETOR[name])
    assert gainful.evaluate(path, RUN, "nDCG").mean == gainful.evaluate(QRELS, RUN, "nDCG").mean
    with pytest.raises(Swapped):
        gainful.evaluate(QRELS, path)
    path.write_text("2 qid:q1 1:0.5\n")
    with pytest.raises(BadInput):
        gainful.evaluate(path, RUN)
