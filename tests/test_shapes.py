"""Judgments and runs in the shapes that people hold them in; every value by hand.

Two queries. Of the first the relevant document a stands second, below b; of the second c stands
first. RR is (1/2 + 1) / 2 = 0.75, P@1 (0 + 1) / 2 = 0.5.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from attrs import define, field
from engines import FRAME_MAKERS
from facts import find_notes
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import SUFFIXES, write_file, write_lines, write_table

import gainful
from gainful import sessions, testing
from gainful.errors import (
    BadInput,
    BadShape,
    BadValue,
    Duplicated,
    GainfulError,
    NoColumn,
    NothingInCommon,
    UnknownName,
    WrongType,
)
from gainful.read.inputs import as_qrels, as_run
from gainful.read.search_results import ResultPaths, read_results
from gainful.read.session_inputs import as_sessions
from gainful.read.shapes import holds_runs

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUN = {"1": {"b": 0.9, "a": 0.5}, "2": {"c": 0.7}}
MEASURES = ["RR", "P@1"]
VALUES = {"RR": 0.75, "P@1": 0.5}


NAMES = st.sampled_from(["query", "doc", "score", "grade", "retrieved", "relevant", "id", "1", "a"])
SCALARS = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 10**20), st.floats(), st.binary(max_size=2)), NAMES
)
KEYS = st.one_of(NAMES, st.integers(0, 2), st.none(), st.tuples(st.integers(0, 1)))
ANYTHING = st.recursive(
    st.lists(SCALARS, max_size=3),
    lambda inner: st.one_of(
        st.lists(inner | SCALARS, max_size=4),
        st.lists(inner | SCALARS, max_size=3).map(tuple),
        st.dictionaries(KEYS, inner | SCALARS, max_size=4),
    ),
    max_leaves=12,
)


class Row(NamedTuple):
    user: str
    item: str
    score: float


@define
class Node:
    """As LlamaIndex has it."""

    node_id: str


@define
class NodeWithScore:
    node: Node
    score: float | None = None

    @property
    def node_id(self) -> str:
        return self.node.node_id


@define
class HaystackDocument:
    id: str
    score: float | None = None
    meta: dict = field(factory=dict)


@define
class LangChainDocument:
    page_content: str
    id: str | None = None
    metadata: dict = field(factory=dict)


@define
class RetrievalEvalResult:
    """As LlamaIndex returns it."""

    query: str
    expected_ids: list[str]
    retrieved_ids: list[str]


def hay(doc: str, score: float | None = None) -> HaystackDocument:
    return HaystackDocument(doc, score)


def lang(doc: str) -> LangChainDocument:
    return LangChainDocument("text of " + doc, id=doc)


def meta(doc: str) -> LangChainDocument:
    return LangChainDocument("text of " + doc, metadata={"id": doc})


RUNS = {
    "pairs": {"1": [("b", 0.9), ("a", 0.5)], "2": [("c", 0.7)]},
    "pairs in any order": {"1": [("a", 0.5), ("b", 0.9)], "2": [("c", 0.7), ("z", 0.1)]},
    "pairs as lists": {"1": [["b", 0.9], ["a", 0.5]], "2": [["c", 0.7]]},
    "records in a dict": {"1": [{"id": "b", "score": 0.9}, {"id": "a", "score": 0.5}], "2": [{"id": "c"}]},
    "hits of a search engine": {"1": [{"_id": "b", "_score": 9.0}, {"_id": "a", "_score": 5}], "2": [{"_id": "c", "_score": 1}]},
    "records": [{"query": "1", "doc": "b", "score": 0.9}, {"query": "1", "doc": "a", "score": 0.5}, {"query": "2", "doc": "c", "score": 1}],
    "records with ranks": [{"qid": "1", "docno": "a", "rank": 2}, {"qid": "1", "docno": "b", "rank": 1}, {"qid": "2", "docno": "c", "rank": 1}],
    "named tuples": [Row("1", "b", 0.9), Row("1", "a", 0.5), Row("2", "c", 0.7)],
    "tuples": [("1", "b", 0.9), ("1", "a", 0.5), ("2", "c", 0.7)],
    "rows of lists": [["1", "b", 0.9], ["1", "a", 0.5], ["2", "c", 0.7]],
    "tuples with whole scores": [("1", "b", 9), ("1", "a", 5), ("2", "c", 7)],
    "LlamaIndex": {"1": [NodeWithScore(Node("b"), 0.9), NodeWithScore(Node("a"), 0.5)], "2": [NodeWithScore(Node("c"))]},
    "Haystack": {"1": [hay("b", 0.9), hay("a", 0.5)], "2": [hay("c", 0.7)]},
    "Haystack without scores": {"1": [hay("b"), hay("a")], "2": [hay("c")]},
    "LangChain": {"1": [lang("b"), lang("a")], "2": [lang("c")]},
    "LangChain with metadata": {"1": [meta("b"), meta("a")], "2": [meta("c")]},
    "LangChain with scores": {"1": [(lang("b"), 0.9), (lang("a"), 0.5)], "2": [(lang("c"), 0.7)]},
    "columns of lists": {"1": pl.Series(["b", "a"]), "2": pa.array(["c"])},
    "arrays": {"1": np.array(["b", "a"]), "2": pd.Series(["c"])},
    "a wide frame": pl.DataFrame({"query": ["1", "2"], "doc_ids": [["b", "a"], ["c"]]}),
    "a wide frame with scores": pl.DataFrame({"query": ["1", "2"], "docs": [["a", "b"], ["c"]], "scores": [[0.5, 0.9], [0.7]]}),
    "a wide pandas frame": pd.DataFrame({"query": ["1", "2"], "retrieved": [["b", "a"], ["c"]]}),
    "a wide pandas frame of arrays": pd.DataFrame({"query": ["1", "2"], "retrieved": [np.array(["b", "a"]), np.array(["c"])]}),
    "a wide Arrow table": pa.table({"query": ["1", "2"], "doc": [["b", "a"], ["c"]]}),
    "a wide lazy frame": pl.LazyFrame({"query": ["1", "2"], "docs": [["b", "a"], ["c"]]}),
    "RAG dicts": [{"question": "1", "retrieved": ["b", "a"]}, {"question": "2", "retrieved": {"c": 0.7}}],
    "ragas": [{"user_input": "1", "retrieved_context_ids": ["b", "a"]}, {"user_input": "2", "retrieved_context_ids": ["c"]}],
}  # fmt: skip


@pytest.mark.parametrize("shape", RUNS)
def test_a_run_in_any_shape_has_the_values_worked_out_by_hand(shape):
    assert gainful.evaluate(QRELS, RUNS[shape], MEASURES).mean == VALUES


def test_a_relation_of_lists_is_a_run_too():
    relation = duckdb.sql("SELECT '1' AS query, ['b', 'a'] AS docs UNION ALL SELECT '2', ['c']")
    assert gainful.evaluate(QRELS, relation, MEASURES).mean == VALUES


ALL_QRELS = {
    "pairs": {"1": [("a", 1), ("b", 0)], "2": [("c", 1)]},
    "records": [{"query": "1", "doc": "a", "grade": 1}, {"query": "2", "doc": "c", "grade": 1}],
    "tuples": [("1", "a", 1), ("1", "b", 0), ("2", "c", 1)],
    "tuples without grades": [("1", "a"), ("2", "c")],
    "documents": {"1": [lang("a")], "2": [hay("c")]},
    "a wide frame": pl.DataFrame({"query": ["1", "2"], "relevant": [["a"], ["c"]]}),
    "a wide frame with grades": pl.DataFrame({"query": ["1", "2"], "docs": [["a", "b"], ["c"]], "grades": [[1, 0], [2]]}),
    "RAG dicts": [{"id": 1, "relevant": ["a"]}, {"id": 2, "relevant": {"c": 1}}],
    "a frame without grades": pd.DataFrame({"user_id": ["1", "2"], "item_id": ["a", "c"]}),
}  # fmt: skip


@pytest.mark.parametrize("shape", ALL_QRELS)
def test_judgments_in_any_shape_have_the_values_worked_out_by_hand(shape):
    assert gainful.evaluate(ALL_QRELS[shape], RUN, MEASURES).mean == VALUES


BOTH = {
    "RAG dicts": [
        {"question": "x", "retrieved": ["b", "a"], "relevant": ["a"]},
        {"question": "y", "retrieved": ["c"], "relevant": ["c"]},
    ],
    "ragas": [
        {"user_input": "x", "retrieved_context_ids": ["b", "a"], "reference_context_ids": ["a"]},
        {"user_input": "y", "retrieved_context_ids": ["c"], "reference_context_ids": ["c"]},
    ],
    "RAG dicts by query": {
        "x": {"retrieved": ["b", "a"], "relevant": ["a"]},
        "y": {"id": 7, "retrieved": {"c": 0.5}, "relevant": {"c": 2}},
    },
    "LlamaIndex": [
        RetrievalEvalResult("x", ["a"], ["b", "a"]),
        RetrievalEvalResult("y", ["c"], ["c"]),
    ],
    "a frame": pd.DataFrame(
        {"question": ["x", "y"], "retrieved": [["b", "a"], ["c"]], "relevant": [["a"], ["c"]]}
    ),
}


@pytest.mark.parametrize("shape", BOTH)
def test_what_tells_both_needs_no_run_beside_it(shape):
    results = gainful.evaluate(BOTH[shape], measures=MEASURES)
    assert results.mean == VALUES
    assert list(results.queries) == ["x", "y"]
    verdict = testing.assert_ranking_quality(BOTH[shape], floors={"RR": 0.75})
    assert verdict.passed


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ([["a"], ["c"]], [["b", "a"], ["c"]]),
        ([{"a": 1}, {"c": 1}], [[("b", 2.0), ("a", 1.0)], ["c"]]),
        ([[5], [7]], np.array([[4, 5, 6, 8], [7, 1, 2, 3]])),
        (pa.array([["a"], ["c"]]), pa.array([["b", "a"], ["c"]])),
        ([["a"], ["c"]], {"ids": [["b", "a"], ["c"]], "documents": None, "distances": [[0.1, 0.2], [0.3]]}),
    ],
    ids=["lists", "pairs", "numbers", "Arrow", "a batch of answers"],
)  # fmt: skip
def test_lists_in_query_order_go_with_judgments_in_that_order(qrels, run):
    results = gainful.evaluate(qrels, run, MEASURES)
    assert (results.mean, list(results.queries)) == (VALUES, ["0", "1"])


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({"relevant": 1}, {"retrieved": 0.9, "relevant": 0.5}),  # as records call their parts
        ([str(UUID(int=1))], [{"uuid": UUID(int=2)}, {"uuid": UUID(int=1)}]),
    ],
)
def test_odd_ids_of_documents(qrels, run):
    assert gainful.evaluate({"q": qrels}, {"q": run}, "RR").mean == {"RR": 0.5}


def es_answer(docs):
    hits = [
        {"_index": "i", "_id": doc, "_score": score, "_source": {"t": 1}}
        for doc, score in docs.items()
    ]
    return {"took": 1, "timed_out": False, "hits": {"total": {"value": 2}, "hits": hits}}


def solr_answer(docs):
    results = [{"id": doc, "score": score} for doc, score in docs.items()]
    return {
        "responseHeader": {"status": 0, "params": {"q": "x"}},
        "response": {"numFound": 2, "docs": results},
    }


@pytest.mark.parametrize(
    ("qrels", "run", "about"),
    [
        ([["a"], ["c"]], [["a"]], ("run", "1", "2")),
        (QRELS, [["a"], ["c"]], "run"),
        ([["a"], ["c"]], RUN, "run"),
        (QRELS, ["a", "b"], "run"),
        (QRELS, [hay("a"), hay("b")], "run"),
        (QRELS, [("a", 0.9), ("b", 0.5)], "run[0]"),
        ([("a", 3), ("b", 1)], RUN, "judgments[0]"),
        (QRELS, [("q", "a"), ("q", "b")], "run[0]"),
        (QRELS, [[1, 2, 3], [4, 5, 6]], "run"),
        (QRELS, [("q", "x", "y", "z")], "run[0]"),
        (QRELS, [0.5, 0.7], "run"),
        (QRELS, [], "run"),
        (QRELS, [{"q": "1", "thing": "a"}], "run[0]"),
        (QRELS, [{"query": "1", "thing": "a", "score": 1}], "run"),
        (QRELS, [("1", "a", 0.5), ("1", "b")], ("run[1]", "'1'", "'b'")),
        (QRELS, [("1", "a", 0.5), ("1", "b", "x")], ("run[1]", "'x'")),
        (QRELS, {"1": [("a", "b")]}, ("run['1']['a']", "'b'")),
        (QRELS, {"1": [hay("a"), object()]}, "run['1']"),
        (QRELS, {"1": [("a", 0.5), "b"]}, "run['1']"),
        (QRELS, [{"question": "1", "retrieved": ["a"]}, {"question": "1", "retrieved": ["a"]}], "run[1]"),
        (QRELS, [{"text": "1", "retrieved": ["a"]}], ("run[0]", "'query'")),
        ([{"question": "1", "relevant": ["a", "a"]}], RUN, "judgments[0]"),
        (QRELS, pl.DataFrame({"query": ["1"], "docs": [["a", "b"]], "scores": [[0.5]]}), "run, row 0"),
        (pl.DataFrame({"query": ["1"], "text": ["a"]}), RUN, ("judgments", "doc_id")),
        (QRELS, pd.DataFrame({"x": [1], "y": [2]}), ("run", "query_id")),
        (pl.DataFrame({"query": ["1"], "doc": ["a"], "rank": [1]}), RUN, "judgments"),
        ([["a"]], [["a", "a"]], "run"),
        ([["a"], ["c"]], {"responses": [es_answer({"b": 1}), {"error": {"type": "gone"}, "status": 404}]}, "run[1]"),

        (QRELS, {"retrieved": None, 0: []}, "run['retrieved']"),
        (QRELS, 7, "run"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused_with_what_it_could_be(qrels, run, about):
    with refuses(WrongType if isinstance(run, int) else BadInput, about):
        gainful.evaluate(qrels, run, "RR")


def answer(ask) -> str:
    """What is said against it, if anything is."""
    try:
        ask()
    except GainfulError as error:
        return str(error)
    return ""


def test_several_runs_where_one_is_due_are_refused():
    with refuses(BadInput, "run"):
        gainful.gate(QRELS, [RUN, RUN], floors={"RR": 0.5})


@pytest.mark.parametrize("kind", [gainful.Run, gainful.Qrels])
def test_values_that_need_frames_say_the_way(kind):
    with pytest.raises(WrongType) as refused:
        kind(RUN)
    assert "gainful.evaluate" in str(refused.value)


@given(ANYTHING, ANYTHING)
def test_whatever_is_nested_in_whatever_is_evaluated_or_refused_in_a_line(qrels, run):
    for both in ((qrels, {"1": ["a"]}), ({"1": ["a"]}, run), (qrels, run)):
        assert "\n" not in answer(lambda both=both: gainful.gate(*both, floors={"RR": 0}))


@given(ANYTHING, ANYTHING, st.sampled_from(["scores", "judged", "group", "qid", "mask"]))
def test_arrays_of_whatever_are_measured_or_refused_in_a_line(grades, other, name):
    for numbers in (grades, [3, 2, 3]):
        assert "\n" not in answer(lambda numbers=numbers: gainful.ndcg(numbers, **{name: other}))


def test_scores_that_rise_down_every_list_may_be_distances_and_that_is_said():
    """L2 distances: a is nearest, and would be last by score."""
    rising = {"1": [(lang("a"), 0.1), (lang("b"), 0.4)], "2": [(lang("c"), 0.2)]}
    results = gainful.evaluate(QRELS, rising, "P@1")
    assert results.mean == {"P@1": 0.5}
    assert "distances" in results.notes[0]
    assert not gainful.evaluate(QRELS, RUNS["pairs"], "P@1").notes


def test_a_list_with_scores_for_some_documents_counts_in_its_order_and_that_is_said():
    """As a reranker returns it, whose other results come after: a is second, c is first."""
    first = [{"id": "b", "score": 0.1}, {"id": "a", "score": 0.9}, {"id": "z", "score": None}]
    by_query = {"1": first, "2": [{"id": "c", "score": 0.5}]}
    records = [{"query": query, "retrieved": docs} for query, docs in by_query.items()]
    for run in (by_query, records):
        results = gainful.evaluate(QRELS, run, "RR")
        assert results["RR"] == 0.75
        assert find_notes(results.notes, 1, "scores", "order")


@pytest.mark.parametrize("make", ["a file", *FRAME_MAKERS])
def test_judgments_without_grades_count_as_grade_1_and_say_so(tmp_path, make):
    path = write_file(tmp_path / "interactions.csv", "user,item,when,zzz\n1,a,2024,x\n2,c,2025,y\n")
    judged = path if make == "a file" else FRAME_MAKERS[make](pl.read_csv(path))
    results = gainful.evaluate(judged, RUN, [*MEASURES, "DCG"])
    discounted = (1 / np.log2(3) + 1) / 2  # gains of 1 at ranks 2 and 1
    assert results.mean == VALUES | {"DCG": pytest.approx(discounted)}
    assert find_notes(results.notes[:1], "user", "item", "when", "zzz", "grade", 1)


UNCHECKED = ("json", "Spark", "record batches")  # json alone may be a run; batches come once


@pytest.mark.parametrize("make", [*SUFFIXES, "records", "columns", "texts", *FRAME_MAKERS])
def test_numbers_that_may_be_grades_are_not_left_out(tmp_path, make):
    """b is useless and stands first, a second: RR is 1/2, and would be 1 if both had grade 1."""
    frame = pl.DataFrame({"qid": ["1", "1"], "docid": ["b", "a"], "y_true": [0, 3]})

    def judge():  # some frames can be read only once
        if make in SUFFIXES:
            return write_table(tmp_path / f"q.{make}", frame)
        texts = frame.select(pl.all().cast(pl.String))
        values = {"records": frame.to_dicts(), "columns": frame.to_dict(as_series=False)}
        values["texts"] = FRAME_MAKERS["pandas of objects"](texts)
        return values[make] if make in values else FRAME_MAKERS[make](frame)

    with pytest.raises(BadInput) as failure:
        gainful.evaluate(judge(), RUN, "RR")
    ways = ('columns={"grade": "y_true"}', "--columns grade=y_true", 'columns={"grade": None}')
    assert [word for word in ("'y_true'", *ways) if word not in str(failure.value)] == []
    assert make in UNCHECKED or not gainful.check(judge()).ok
    for column, value in (("y_true", 0.5), (None, 1.0)):
        results = gainful.evaluate(judge(), RUN, "RR", columns={"grade": column})
        assert (results.mean, results.notes) == ({"RR": value}, [])
        if make not in UNCHECKED:
            assert gainful.check(judge(), columns={"grade": column}).ok


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint64])
def test_fractions_behind_whole_numbers_in_a_column_of_objects(kind):
    """Polars takes the kind of the first of NumPy's numbers and cut the others: 0.9 was 0."""
    numbers = pd.Series([kind(0), 0.2, 0.9], dtype=object)
    frame = pd.DataFrame({"query": "1", "doc": ["c", "a", "b"], "score": numbers})
    assert gainful.evaluate({"1": {"b": 1}}, frame, "RR").mean == {"RR": 1.0}
    grades = frame.rename(columns={"score": "grade"})
    assert gainful.evaluate(grades, {"1": ["b"]}, "DCG@1").mean == {"DCG@1": 0.9}


@pytest.mark.parametrize(
    "name",
    [
        *("time", "timestamp", "judgedAt", "Publish date", "fold", "split_2", "assessor_id"),
        *("Unnamed: 0", "__index_level_0__", "", "docno", "iteration"),
    ],
)
def test_numbers_whose_name_says_that_they_are_no_grades_stay_out(name):
    judged = pl.DataFrame({"qid": ["1", "2"], "docid": ["a", "c"], name: [0, 3]})
    ids = {"query": "qid", "doc": "docid"}
    assert gainful.evaluate(judged, RUN, "RR", columns=ids).mean == {"RR": 0.75}


def test_ids_by_another_name_are_no_grades():
    judged, ids = pl.DataFrame({"u": [1, 2], "i": [7, 8]}), {"query": "u", "doc": "i"}
    for frame in (judged, judged.lazy(), pd.DataFrame({"u": [1, 2], "i": [7, 8]})):
        run = {"1": {"6": 2.0, "7": 1.0}, "2": {"8": 1.0}}
        assert gainful.evaluate(frame, run, "RR", columns=ids).mean == {"RR": 0.75}


def test_an_array_in_pandas_may_be_empty_but_not_missing():
    lists = [np.array(["b", "a"], dtype=object), np.array([], dtype=object)]
    frame = pd.DataFrame({"query": ["1", "2"], "retrieved": lists})  # as pandas reads Parquet
    assert gainful.evaluate({"1": {"a": 1}, "2": {"c": 1}}, frame, "RR").mean == {"RR": 0.25}
    frame["retrieved"] = [lists[0], None]
    with refuses(BadInput, "run, row 1", "None is not a list of documents"):
        gainful.evaluate({"1": {"a": 1}, "2": {"c": 1}}, frame, "RR")


@pytest.mark.parametrize(
    "name", ["rating_0_3", "grades", "2024", "prediction", "note", "Rel. (0-3)"]
)
def test_numbers_whose_name_says_nothing_may_be_grades(name):
    judged = pl.DataFrame({"qid": ["1", "2"], "docid": ["a", "c"], name: ["1", " 3"]})
    with refuses(BadInput, "judgments"):
        gainful.evaluate(judged, RUN, "RR")
    with refuses(BadInput, "judgments"):
        gainful.evaluate(judged.with_columns(more=1), RUN, "RR")


def test_grades_of_judgments_can_be_passed_over():
    judged = pl.DataFrame({"query": ["1", "2"], "doc": ["a", "c"], "Grade": [0, 0]})
    assert gainful.evaluate(judged, RUN, "RR", columns={"grade": None}).mean == {"RR": 0.75}
    shown = [{"session": "s", "query": 1, "rank": 1, "doc": "a", "grade": 1}]
    with refuses(BadValue, "columns['grade']"):
        sessions.evaluate(shown, columns={"grade": None})


def test_judgments_and_run_the_wrong_way_round_are_recognised():
    graded = {"1": {"a": 3, "b": 0}, "2": {"c": 1}}
    for qrels, run in (
        (RUN, graded),
        ({"1": {"a": 12, "b": 30}, "2": {"c": 17}}, graded),  # whole numbers, as BM25 may give
        (pl.DataFrame(RUNS["records"]), [(q, d, g) for q in graded for d, g in graded[q].items()]),
    ):
        assert "swapped" in gainful.evaluate(qrels, run, "RR").notes[0]
    for qrels, run in ((graded, RUN), ({"1": {"a": 0.5}}, RUN), (graded, {"1": {"a": 2, "b": 1}})):
        assert not any("swapped" in note for note in gainful.evaluate(qrels, run, "RR").notes)
    many = {"1": {str(number): number for number in range(30)}}
    results = gainful.evaluate(many, {"1": {"3": 1, "4": 2}}, "RR")
    assert "many values" in results.notes[0]


COLUMNS = {"query": "user", "doc": "thing", "score": "confidence", "grade": "stars"}
MAPPED_QRELS = pl.DataFrame({"user": ["1", "1", "2"], "thing": ["a", "b", "c"], "stars": [1, 0, 1]})
MAPPED_RUN = pl.DataFrame(
    {
        "user": ["1", "1", "2"],
        "thing": ["b", "a", "c"],
        "confidence": [0.9, 0.5, 0.7],
        "query_id": ["x", "y", "z"],  # would be taken for the query
        "score": [0.1, 0.2, 0.3],  # and this for the score
    }
)


@pytest.mark.parametrize("kind", ["polars", "pandas", "Arrow", "lazy polars", "DuckDB", "Spark"])
def test_lists_of_turns_are_named_for_their_conversation(kind):
    lists = {"retrieved": [["b", "a"], ["c"]], "relevant": [["a"], ["c"]]}
    turns = pl.DataFrame({"conversation": ["x", "x"], "turn": [1, 2], **lists})
    frame = FRAME_MAKERS[kind](turns)
    for values in ((frame,), (frame, frame)):
        results = gainful.evaluate(*values, measures=MEASURES)
        assert results.mean == VALUES
        assert results.per_query.rows()[1][0] == "x_2"


@pytest.mark.parametrize(
    "kind", ["polars", "lazy polars", "DuckDB", "records", "columns", "json", "jsonl"]
)
def test_a_list_of_an_unknown_name_is_told_with_the_columns_that_name_it(tmp_path, kind):
    judged = pl.DataFrame({"query": ["1", "2"], "gold": [["a"], ["c"]]})
    columns = partial(pl.DataFrame.to_dict, as_series=False)
    makers = {**FRAME_MAKERS, "records": pl.DataFrame.to_dicts, "columns": columns}
    write = {"json": pl.DataFrame.write_json, "jsonl": pl.DataFrame.write_ndjson}
    path = tmp_path / f"qrels.{kind}"
    value = makers[kind](judged) if kind in makers else write[kind](judged, path) or path
    with refuses(NoColumn, ("judgments", path.name)[kind in write], "relevant=gold"):
        gainful.evaluate(value, RUN, "RR")
    run = {"1": ["a"], "2": ["b"]}
    assert gainful.evaluate(value, run, "RR", columns={"relevant": "gold"})["RR"] == 0.5


ONE_INPUT = ["polars", "pandas", "Arrow", "records", "json", "jsonl"]


def _make_lists(kind, folder, **lists):
    """Lists of two queries as a frame, records or a file."""
    frame = pl.DataFrame({"id": ["1", "2"], **lists})
    write = {"json": pl.DataFrame.write_json, "jsonl": pl.DataFrame.write_ndjson}
    if kind in write:
        write[kind](frame, folder / f"both.{kind}")
        return folder / f"both.{kind}"
    return frame.to_dicts() if kind == "records" else FRAME_MAKERS[kind](frame)


def _name_input(value, otherwise="judgments"):
    return value.name if isinstance(value, Path) else otherwise


@pytest.mark.parametrize("kind", ONE_INPUT)
def test_a_list_of_answers_beside_documents_is_named_as_what_is_relevant(tmp_path, kind):
    value = _make_lists(kind, tmp_path, docs=[["b", "a"], ["c"]], answers=[["a"], ["c"]])
    for runs in ((), (value,)):
        with refuses(NoColumn, _name_input(value), "--columns relevant=answers"):
            gainful.evaluate(value, *runs, measures=MEASURES)
        columns = {"relevant": "answers"}
        results = gainful.evaluate(value, *runs, measures=MEASURES, columns=columns)
        assert results.mean == VALUES
    assert not isinstance(value, list) or gainful.check(value, RUN).ok


@pytest.mark.parametrize("kind", ONE_INPUT)
def test_records_with_an_unknown_list_are_told_alike_as_frames_and_lists(tmp_path, kind):
    value = _make_lists(kind, tmp_path, retrieved_ids=[["b", "a"], ["c"]], gold_ids=[["a"], ["c"]])
    with refuses(NoColumn, _name_input(value), "--columns relevant=gold_ids"):
        gainful.evaluate(value, measures=MEASURES)


@pytest.mark.parametrize("kind", ONE_INPUT)
@pytest.mark.parametrize("names", [("docs", "answers"), ("relevant", "tags")])
def test_beside_a_run_judgments_may_have_lists_of_other_names(tmp_path, kind, names):
    value = _make_lists(kind, tmp_path, **{key: [["a"], ["c"]] for key in names})
    assert gainful.evaluate(value, RUN, MEASURES).mean == VALUES


@pytest.mark.parametrize("kind", ONE_INPUT)
def test_one_list_is_not_both_judgments_and_run(tmp_path, kind):
    value = _make_lists(kind, tmp_path, docs=[["b", "a"], ["c"]])
    with refuses(BadInput, _name_input(value, "run"), "relevant=NAME"):
        gainful.evaluate(value, value, MEASURES)
    graded = _make_lists(kind, tmp_path, docs=[["b", "a"], ["c"]], grades=[[0, 1], [1]])
    assert gainful.evaluate(graded, graded, MEASURES).mean == VALUES  # two lists are


@pytest.mark.parametrize(
    "text", ["query,doc,score\n1,a,2\n1,b,1\n", '{"1": {"a": 2, "b": 1}}', "1 a 1\n"]
)
def test_one_column_of_numbers_is_not_both_grades_and_scores(tmp_path, text):
    path = write_file(tmp_path / "one", text)
    with refuses(BadInput, str(path), "relevant=NAME"):
        gainful.evaluate(path, path, MEASURES)
    assert gainful.evaluate({"1": {"a": 2}}, {"1": {"a": 2}}, "RR")["RR"] == 1  # the ideal run


@pytest.mark.parametrize(
    ("run", "place"),
    [
        ({"1": {"": 0.5}}, "run['1']"),
        ({"": {"a": 0.5}}, "run['']"),
        ({"1": ["a", ""]}, "run['1']"),
        ({"1": [("a", 1.0), ("", 0.5)]}, "run['1']"),
        ({"1": ["a", "a", ""]}, "run['1']"),
        ([{"query": "1", "retrieved": ["a", ""]}], "run[0]['1']"),
        ([{"query": "", "retrieved": ["a"]}], "run[0]"),
        (pl.DataFrame({"query": ["1"], "retrieved": [["a", ""]]}), "run, row 0['1']"),
        (pl.DataFrame({"query": [""], "retrieved": [["a"]]}), "run, row 0"),
    ],
)
def test_no_id_is_empty(run, place):
    with refuses(BadInput, place):
        gainful.evaluate({"1": {"a": 1}}, run, "RR")


@pytest.mark.parametrize("number", ["null", "Infinity", "-Infinity"])
def test_json_by_query_with_a_bad_number_is_no_unknown_json(tmp_path, number):
    path = write_file(tmp_path / "run.json", f'{{"1": {{"a": {number}}}}}')
    with refuses(BadInput, "run.json['1']['a']") as refused:
        as_run(path)
    assert "keys" not in str(refused.value)


def test_ids_that_are_floats_are_called_so():
    with refuses(BadInput, "run", "floats", "texts"):
        gainful.evaluate({"1": {"a": 1}}, {1.0: {"a": 0.5}}, "RR")
    with refuses(BadInput, "run", "floats", "numbers"):
        gainful.evaluate({"1": {"a": 1}}, {1.5: {"a": 0.5}, 2: {"a": 0.5}}, "RR")


@pytest.mark.parametrize("kind", ["polars", "pandas", "Arrow", "parquet"])
def test_texts_of_scores_may_be_encoded_by_a_dictionary(tmp_path, kind):
    frame = pl.DataFrame({"query": "1", "doc": ["b", "a"], "score": ["0.9", "0.5"]})
    encoded = frame.cast({"score": pl.Categorical})
    path = tmp_path / "run.parquet"
    encoded.write_parquet(path)
    run = path if kind == "parquet" else FRAME_MAKERS[kind](encoded)
    assert gainful.evaluate({"1": {"a": 1}}, run, "RR")["RR"] == 0.5


@pytest.mark.parametrize("kind", ["polars", "pandas", "Arrow", "lazy polars", "DuckDB", "records"])
def test_columns_may_have_names_of_their_own(kind):
    make = FRAME_MAKERS.get(kind, pl.DataFrame.to_dicts)
    results = gainful.evaluate(make(MAPPED_QRELS), make(MAPPED_RUN), MEASURES, columns=COLUMNS)
    assert results.mean == VALUES


def test_columns_of_judgments_and_run_may_differ():
    several = COLUMNS | {"doc": ["thing", "article"]}
    qrels = MAPPED_QRELS.rename({"thing": "article"})
    assert gainful.evaluate(qrels, MAPPED_RUN, MEASURES, columns=several).mean == VALUES
    usual = MAPPED_QRELS.rename({"user": "query", "thing": "doc", "stars": "grade"})
    assert gainful.evaluate(usual, MAPPED_RUN, MEASURES, columns=COLUMNS).mean == VALUES


@pytest.mark.parametrize(
    ("columns", "error", "about"),
    [
        ({"query": "usr"}, NoColumn, ("judgments", "'usr'")),
        ({"qry": "user"}, UnknownName, ("qry", "query")),
        ({"query": 5}, WrongType, "columns['query']"),
        ({"query": ""}, WrongType, "columns['query']"),
        ("user", WrongType, "columns"),
        ({"query": "user", "doc": "user"}, BadValue, "columns"),
        ({"query": None}, WrongType, "columns['query']"),
        ({"run.grade": "x"}, UnknownName, "run.grade"),
        ({"qrels.score": "x"}, UnknownName, "qrels.score"),
        ({"rum.doc": "x"}, UnknownName, "rum.doc"),
        ({"run.": "x"}, UnknownName, "run."),
    ],
)
def test_columns_that_are_not_there_or_no_columns(columns, error, about):
    with refuses(error, about):
        gainful.evaluate(MAPPED_QRELS, RUN, "RR", columns=columns)


SHOP_QRELS = {"Suche": ["x", "x", "y"], "Sku": ["a", "z", "c"], "grade": [1, 0, 1]}
SHOP_RUN = {"Phrase": ["x", "x", "y"], "Seite": ["b", "a", "c"], "Platz": [1, 2, 1]}


def write_csv(path, columns):
    pl.DataFrame(columns).write_csv(path)
    return path


@pytest.mark.parametrize(
    "columns",
    [
        "qrels.query=Suche,qrels.doc=Sku,run.query=Phrase,run.doc=Seite,run.rank=Platz",
        "query=Suche,qrels.doc=Sku,run.query=Phrase,run.doc=Seite,rank=Platz",
        "query=Suche,run.query=Phrase,doc=Sku,run.doc=Seite,run.rank=Platz,qrels.grade=grade",
    ],
)
def test_judgments_and_run_have_columns_of_their_own(tmp_path, run_gainful, columns):
    """RR is 1/2 for x and 1 for y."""
    given = dict(pair.split("=") for pair in columns.split(","))
    frames = pl.DataFrame(SHOP_QRELS), pl.DataFrame(SHOP_RUN)
    files = write_csv(tmp_path / "qrels.csv", SHOP_QRELS), write_csv(tmp_path / "run.csv", SHOP_RUN)
    for qrels, run in (frames, files, (frames[0].lazy(), frames[1].lazy())):
        assert gainful.evaluate(qrels, run, "RR", columns=given)["RR"] == 0.75
    assert "0.75" in run_gainful("eval", *files, "--columns", columns, "-m", "RR").out
    kinds = [finding.kind for finding in gainful.check(*files, columns=given).findings]
    assert kinds == ["judgments, csv", "run, csv", "together"]


@pytest.mark.parametrize("run", [{"query": ["x"], "sku": ["a"], "score": [1.0]}, {"x": ["a"]}])
def test_a_column_that_one_table_has_is_looked_for_in_both(run):
    run = pl.DataFrame(run) if "sku" in run else run
    qrels = pl.DataFrame({"query": ["x"], "sku": ["a"], "mark": [1]})
    columns = {"doc": "sku", "grade": "mark"}
    assert gainful.evaluate(qrels, run, "RR", columns=columns)["RR"] == 1


@pytest.mark.parametrize(
    "columns",
    [
        {"doc": "skuu"},  # neither has it, though both have a usual name
        {"doc": "doc", "grade": "mark"},
        {"doc": "doc", "score": "points"},
        {"run.doc": "skuu"},
        {"qrels.doc": "skuu"},
    ],
)
def test_a_column_that_no_table_has_is_refused(tmp_path, run_gainful, columns):
    qrels = write_csv(tmp_path / "qrels.csv", {"query": ["x"], "doc": ["a"], "rel": [1]})
    run = write_csv(tmp_path / "run.csv", {"query": ["x"], "doc": ["a"], "rank": [1]})
    with pytest.raises(NoColumn):
        gainful.evaluate(qrels, run, "RR", columns=columns)
    words = ",".join(f"{role}={name}" for role, name in columns.items())
    message = run_gainful("eval", qrels, run, "--columns", words, status=2).err
    assert len(message.splitlines()) == 1
    assert run_gainful("check", qrels, run, "--columns", words, status=None).status > 0


@pytest.mark.parametrize("key", ["id", "question"])
@pytest.mark.parametrize("suffix", ["", ".jsonl", ".json"])
def test_a_record_without_a_query_among_others_is_refused(tmp_path, key, suffix):
    bare = {"retrieved": ["b", "a"], "relevant": ["a"]}
    records = [{key: "1", **bare}, bare]
    write = {"": lambda each: each, ".jsonl": lambda each: "\n".join(map(json.dumps, each))}

    def make(each):
        text = write.get(suffix, json.dumps)(each)
        return write_file(tmp_path / f"rag{suffix}", text) if suffix else text

    places = {"": ("judgments[0]", "judgments[1]"), ".jsonl": ("rag.jsonl:1", "rag.jsonl:2")}
    first, second = places.get(suffix, ("rag.json[0]", "rag.json[1]"))
    for own, place in ((records, second), (records[::-1], first)):
        with refuses(BadInput, place, "query"):
            gainful.evaluate(make(own), measures="RR")
    assert gainful.evaluate(make([bare, bare]), measures="RR")["RR"] == 0.5


OWN_FIELDS = [  # what was retrieved, what is relevant, and the query, which need not be told
    ("contexts", "ground_truths", "question"),
    ("hits", "gold", "frage"),
    ("treffer", "richtig", "query"),
    ("retrieved", "target_docs", "prompt"),
]


@pytest.mark.parametrize("fields", OWN_FIELDS)
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_fields_of_rag_files_with_other_names_are_answered(tmp_path, run_gainful, fields, form):
    retrieved, relevant, query = fields
    records = [
        {query: "x", retrieved: ["b", "a"], relevant: ["a"]},
        {query: "y", retrieved: ["c"], relevant: ["c"]},
    ]
    path = write_file(
        tmp_path / f"answers.{form}",
        "\n".join(map(json.dumps, records)) if form == "jsonl" else json.dumps(records),
    )
    for command in (["eval"], ["gate", "--floor", "RR=0.5"]):
        message = run_gainful(command[0], path, *command[1:], status=2).err
        words = message.split("--columns ")[1].split()[0]
        own = [f"retrieved={retrieved}"] if retrieved != "retrieved" else []  # a known name
        assert {*words.split(",")} == {*own, f"relevant={relevant}"}
        run_gainful(command[0], path, *command[1:], "--columns", words)
    for unnamed in (path, records):
        with pytest.raises(NoColumn):
            gainful.evaluate(unnamed, measures="RR")
    columns = dict(pair.split("=") for pair in words.split(","))
    assert gainful.evaluate(path, measures="RR", columns=columns)["RR"] == 0.75
    for both in (records, pl.DataFrame(records), pd.DataFrame(records)):
        results = gainful.evaluate(both, measures=MEASURES, columns={"query": query, **columns})
        assert results.mean == VALUES


def test_columns_of_judgments_beside_sessions_are_theirs_alone():
    log = pl.DataFrame({"session": ["s"], "query": [1], "rank": [1], "doc": ["a"]})
    qrels = pl.DataFrame({"q": ["s"], "sku": ["a"], "grade": [1]})
    columns = {"qrels.query": "q", "qrels.doc": "sku"}
    assert gainful.sessions.evaluate(log, qrels, "sDCG@5", columns=columns)["sDCG@5"] == 1
    for wrong in ({**columns, "run.doc": "x"}, {"run.doc": "x"}):
        with pytest.raises(BadValue):
            gainful.sessions.evaluate(
                log, qrels if "qrels.doc" in wrong else {"s": {"a": 1}}, "sDCG@5", columns=wrong
            )


@pytest.fixture
def mapped_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    MAPPED_QRELS.write_csv("q.csv")
    MAPPED_RUN.write_csv("r.tsv", separator="\t")
    MAPPED_RUN.with_columns(confidence=1 - MAPPED_RUN["confidence"]).write_parquet("s.parquet")
    MAPPED_RUN.write_csv("t.csv")
    return ["--columns", "query=user,doc=thing", "--columns", "score=confidence,grade=stars"]


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "q.csv", "r.tsv"),
        ("gate", "q.csv", "r.tsv", "--floor", "RR=0.7"),
        ("compare", "q.csv", "r.tsv", "s.parquet"),
        ("unjudged", "q.csv", "r.tsv"),
        ("order", "q.csv", "r.tsv", "s.parquet", "t.csv"),
        ("why", "q.csv", "r.tsv", "--unlike", "sklearn"),
        ("check", "q.csv", "r.tsv"),
        ("report", "q.csv", "r.tsv", "-o", "report.html"),
        ("figure", "curves", "q.csv", "r.tsv", "--data"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_takes_columns(run_gainful, mapped_files, words):
    run_gainful(*words, *mapped_files)
    run_gainful(*words, status=1 if words[0] == "check" else 2)


def test_commands_with_columns_print_the_values_worked_out_by_hand(run_gainful, mapped_files):
    printed = run_gainful("eval", "q.csv", "r.tsv", "-m", "RR", "-m", "P@1", *mapped_files).out
    assert printed == "run\tRR\tP@1\nr\t0.75\t0.5\n"
    assert "query=user" in run_gainful("eval", "q.csv", "r.tsv", "--columns", "user", status=2).err


SESSIONS = pl.DataFrame(
    {"visit": ["s", "s"], "step": [1, 2], "url": ["x", "a"], "query": ["soup", "soup recipe"]}
)
SESSION_COLUMNS = {"session": "visit", "query": "step", "doc": "url", "text": "query"}


def test_columns_of_sessions_may_have_names_of_their_own(run_gainful, tmp_path):
    """The grade 3 of the second query, at rank 1: 3 / (1 + log4(2)) = 2."""
    path = tmp_path / "log.csv"
    SESSIONS.write_csv(path)
    (tmp_path / "qrels.txt").write_text("s 0 a 3\n")
    for shape in (SESSIONS, SESSIONS.to_pandas(), SESSIONS.to_dicts(), path):
        results = sessions.evaluate(
            shape, {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10", columns=SESSION_COLUMNS
        )
        assert results.mean == {"sDCG(b=2, bq=4)@10": 2.0}
    words = ("--columns", ",".join(f"{role}={name}" for role, name in SESSION_COLUMNS.items()))
    printed = run_gainful(
        *("sessions", path, "--qrels", tmp_path / "qrels.txt", "-m", "sDCG(b=2, bq=4)@10", *words)
    )
    assert "2.0" in printed.out
    run_gainful("check", path, *words)


def test_what_holds_several_runs_and_what_is_one():
    several = [
        {"a": RUN, "b": RUN},
        {"a": "a.txt", "b": "b.txt"},
        {"a": pl.DataFrame(RUNS["records"])},
        {"a": {"1": ["b", "a"]}},
        {"a": {"1": [("b", 0.5)]}},
        {"a": RUNS["tuples"]},
        {"a": RUNS["records"]},
        {"a": [["b", "a"], ["c"]]},
        [RUN, RUN],
        ["a.txt", "b.txt"],
        [pl.DataFrame(RUNS["records"])],
    ]
    assert [holds_runs(value) for value in several] == [True] * len(several)
    single = [*RUNS.values(), *BOTH.values(), RUN, {"1": ["b", "a"]}, [["b", "a"], ["c"]], "a.txt"]
    assert [holds_runs(value) for value in single] == [False] * len(single)


FLAT_GRADES = [0, 1, 1, 0, 2]
FLAT_SCORES = [0.2, 0.9, 0.3, 0.8, 0.1]
# First group: 1, 0. Second: 0, 1, 2, whose ideal is 2, 1, 0.
GROUP_VALUES = [1.0, (1 / np.log2(3) + 2 / 2) / (2 + 1 / np.log2(3))]


@pytest.mark.parametrize(
    "groups",
    [
        {"group": [2, 3]},
        {"group": np.array([2, 3])},
        {"qid": [7, 7, 3, 3, 3]},
        {"qid": ["b", "b", "a", "a", "a"]},
        {"qid": pd.Series([7, 7, 3, 3, 3])},
    ],
)
def test_flat_arrays_are_cut_into_groups(groups):
    values = gainful.ndcg(FLAT_GRADES, FLAT_SCORES, **groups)
    assert values.tolist() == pytest.approx(GROUP_VALUES)
    assert gainful.ndcg(FLAT_GRADES, scores=FLAT_SCORES, k=1, **groups).tolist() == [1.0, 0.0]
    precisions = gainful.compute("AP", [1, 0, 0, 1, 1], **groups)
    assert precisions.tolist() == pytest.approx([1, (1 / 2 + 2 / 3) / 2])
    curves = gainful.cg_curve([1, 0, 1, 0, 2], **groups)
    assert [curve.tolist() for curve in curves] == [[1, 1], [1, 1, 3]]


def test_groups_whose_rows_are_scattered_come_in_the_order_of_their_first_rows():
    grades, scores = [0, 1, 0, 1, 2], [0.2, 0.3, 0.8, 0.9, 0.1]
    values = gainful.ndcg(grades, scores, qid=["b", "a", "a", "b", "a"])
    assert values.tolist() == pytest.approx(GROUP_VALUES)


PADDED, MASK = [[3, 2, np.nan], [1, 0, 2]], [[True, True, False], [True, True, True]]


@pytest.mark.parametrize(
    ("grades", "options", "error", "about"),
    [
        (FLAT_GRADES, {"group": [2, 2]}, BadValue, "group"),
        (FLAT_GRADES, {"group": [7, 7, 3, 3, 3]}, BadValue, "group"),
        (FLAT_GRADES, {"group": [1, 1, 1, 1, 1]}, BadValue, "group"),
        (FLAT_GRADES, {"group": [2.5, 2.5]}, BadValue, "group"),
        (FLAT_GRADES, {"qid": [1, 2]}, BadValue, "qid"),
        (FLAT_GRADES, {"group": [2, 3], "qid": [1, 1, 2, 2, 2]}, BadValue, "qid"),
        (FLAT_GRADES, {"group": [2, 3], "mask": [1, 1, 1, 1, 0]}, BadValue, "mask"),
        (FLAT_GRADES, {"group": [2, 3], "scores": [1, 2]}, BadValue, "scores"),
        (PADDED, {}, BadValue, "grades[0][2]"),
        (PADDED, {"mask": [1, 1, 0]}, BadShape, "mask"),
        (PADDED, {"mask": [[2, 1, 0], [1, 1, 1]]}, WrongType, "mask"),
        ([[1, 2], [3]], {"mask": [[1, 1], [1]]}, BadShape, "grades"),
        ([3, 2, 3], {"scores": 5}, WrongType, "scores"),  # meant as a cutoff
        ("323", {}, WrongType, "grades"),
    ],
)
def test_arrays_that_do_not_fit(grades, options, error, about):
    with refuses(error, about):
        gainful.ndcg(grades, **options)


def test_padding_is_left_out_by_a_mask():
    """3, 2 is in order; 1, 0, 2 is as the second group above, with 1 first."""
    second = (1 + 2 / 2) / (2 + 1 / np.log2(3))
    for padded in (PADDED, np.ma.array(np.nan_to_num(PADDED), mask=np.isnan(PADDED))):
        assert gainful.ndcg(padded, mask=MASK).tolist() == pytest.approx([1.0, second])
    assert gainful.ndcg(PADDED, mask=[[1, 1, 0], [1, 1, 1]])[0] == 1.0
    scores = [[0.1, 0.9, np.nan], [3, 2, 1]]
    first = (2 + 3 / np.log2(3)) / (3 + 2 / np.log2(3))
    assert gainful.ndcg(PADDED, scores, mask=MASK).tolist() == pytest.approx([first, second])
    assert gainful.ndcg([[np.nan], [1.0]], mask=[[0], [1]]).tolist() == [0.0, 1.0]


def test_typed_grades_are_read():
    for text in ("3 2 3", "3,2,3", "[3, 2, 3]", "(3 2 3)"):
        assert gainful.ndcg(text) == gainful.ndcg([3, 2, 3])
        assert gainful.explain(text).value == gainful.ndcg([3, 2, 3])


def test_commands_read_grades_however_they_are_quoted(run_gainful):
    plain = run_gainful("explain", "3", "2", "3").out
    for words in (("3 2 3",), ("3,2,3",), ("[3,2,3]",), ("[3,", "2,", "3]")):
        assert run_gainful("explain", *words).out == plain


def test_arrow_lists_are_rankings():
    for lists in (pa.array([[3, 2], [1]]), pa.chunked_array([[[3, 2]], [[1]]])):
        assert gainful.cg(lists).tolist() == [5, 1]


@define
class Tensor:
    """A tensor that NumPy cannot read before it is detached, on the CPU and of a kind it has."""

    numbers: list[float]
    device: str = "cuda:0"
    dtype: str = "torch.bfloat16"
    wants_grad: bool = True

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise TypeError("Got unsupported ScalarType BFloat16")

    def __len__(self) -> int:
        return len(self.numbers)

    def detach(self) -> Tensor:
        return Tensor(self.numbers, self.device, self.dtype, wants_grad=False)

    def cpu(self) -> Tensor:
        if self.device == "meta":
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return Tensor(self.numbers, "cpu", self.dtype, self.wants_grad)

    def float(self) -> Tensor:
        return Tensor(self.numbers, self.device, "torch.float32", self.wants_grad)

    def numpy(self) -> np.ndarray:
        if self.wants_grad or self.device != "cpu" or self.dtype == "torch.bfloat16":
            raise RuntimeError("Can't call numpy() on such a tensor")
        return np.array(self.numbers, dtype=np.float32)


def test_tensors_are_taken_to_the_cpu_or_refused_in_a_line():
    assert gainful.cg(Tensor([3, 2])) == 5
    assert gainful.cg([Tensor([3, 2]), Tensor([1])]).tolist() == [5, 1]
    assert gainful.ndcg(Tensor([0, 1]), Tensor([1, 2])) == 1
    with refuses(WrongType, "grades") as caught:
        gainful.cg(Tensor([3], device="meta"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda: gainful.evaluate(QRELS, RUN, metrics="RR"), "measures"),
        (lambda: gainful.evaluate(judgments=QRELS, run=RUN), "qrels"),
        (lambda: gainful.evaluate(ground_truth=QRELS, predictions=RUN), "qrels"),
        (lambda: gainful.compare(QRELS, {"a": RUN, "b": RUN}, metric="RR"), "measures"),
        (lambda: gainful.why(QRELS, RUN, metric="RR", unlike="sklearn"), "measure"),
        (lambda: gainful.gate(QRELS, RUN, floor={"RR": 1}), "floors"),
        (lambda: gainful.explain([3], top_k=1), "k"),
        (lambda: gainful.ndcg([3], y_score=[1]), "scores"),
        (lambda: sessions.evaluate(SESSIONS, metrics="sDCG"), "measures"),
        (lambda: testing.assert_ranking_quality(QRELS, RUN, metrics="RR"), "measures"),
    ],
)  # fmt: skip
def test_names_of_other_tools_are_answered(ask, meant):
    with pytest.raises(UnknownName) as refused:
        ask()
    assert f"did you mean {meant}" in str(refused.value)


@pytest.mark.parametrize("shape", ["records", "rows of lists", "RAG dicts", "ragas"])
def test_lists_in_a_json_file_are_read_as_in_memory(tmp_path, shape):
    path = write_file(tmp_path / "run.json", json.dumps(RUNS[shape], indent=1))
    assert gainful.evaluate(QRELS, path, MEASURES).mean == VALUES
    (tmp_path / "q.json").write_text('[["a"], ["c"]]')
    path.write_text('[["b", "a"], ["c"]]')
    assert gainful.evaluate(tmp_path / "q.json", path, MEASURES).mean == VALUES


@pytest.mark.parametrize("shape", ["RAG dicts", "ragas"])
def test_files_that_tell_both_need_no_run_beside_them(run_gainful, tmp_path, shape):
    lines, whole = tmp_path / "rag.jsonl", tmp_path / "rag.json"
    lines.write_text("\n".join(map(json.dumps, BOTH[shape])))
    whole.write_text(json.dumps(BOTH[shape], indent=1))
    frame, parquet, arrow = pl.DataFrame(BOTH[shape]), tmp_path / "p.parquet", tmp_path / "a.arrow"
    frame.write_parquet(parquet)
    frame.write_ipc(arrow)
    for path in (lines, whole, parquet, arrow):
        assert gainful.evaluate(path, measures=MEASURES).mean == VALUES
        assert testing.assert_ranking_quality(path, floors={"RR": 0.75}).passed
        assert run_gainful("eval", path, "-m", "RR").out.endswith("\t0.75\n")
        run_gainful("gate", path, "--floor", "RR=0.75")
        run_gainful("check", path)
        findings = gainful.check(path).findings
        assert [each.kind.partition(",")[0] for each in findings] == [
            "judgments",
            "run",
            "together",
        ]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_queries_that_were_numbers_in_a_frame_join_it_again(make):
    users = make({"user": [7, 8], "item": ["a", "c"]})
    run = make({"user": [7, 7, 8], "item": ["b", "a", "c"], "score": [0.9, 0.5, 0.7]})
    results = gainful.evaluate(users, run, "RR")
    assert results.per_query.rows() == [(7, 0.5), (8, 1.0)]
    assert results.to_pandas()["query"].tolist() == [7, 8]
    assert list(results.queries) == ["7", "8"]


ANSWERS = {
    "Elasticsearch": es_answer,
    "Solr": solr_answer,
    "Pinecone": lambda docs: {"matches": [{"id": doc, "score": score, "values": []} for doc, score in docs.items()], "namespace": ""},
    "Qdrant": lambda docs: {"result": {"points": [{"id": doc, "score": score} for doc, score in docs.items()]}, "status": "ok"},
    "Qdrant's client": lambda docs: {"points": [{"id": doc, "score": score} for doc, score in docs.items()]},
    "Algolia": lambda docs: {"hits": [{"objectID": doc} for doc in docs], "nbHits": 2},
    "Chroma": lambda docs: {"ids": [[*docs]], "documents": [["…" for _ in docs]], "distances": [[1 - score for score in docs.values()]]},
    "Weaviate": lambda docs: {"data": {"Get": {"Page": [{"title": "x", "_additional": {"id": doc, "distance": 1 - score}} for doc, score in docs.items()]}}},
    "Typesense": lambda docs: {"found": 2, "hits": [{"document": {"id": doc}, "text_match": score} for doc, score in docs.items()]},
    "Vespa": lambda docs: {"root": {"id": "top", "children": [{"id": doc, "relevance": score} for doc, score in docs.items()]}},
}  # fmt: skip
ANSWERED = {"1": {"b": 0.9, "a": 0.5}, "2": {"c": 0.4}}


@pytest.mark.parametrize("engine", ANSWERS)
def test_what_search_engines_answer_is_a_run(tmp_path, engine):
    """RR is 1/2 and 1; one answer alone is of no query."""
    answers = {query: ANSWERS[engine](docs) for query, docs in ANSWERED.items()}
    whole = write_file(tmp_path / "run.json", json.dumps(answers))
    records = [{"query": query, "retrieved": answer} for query, answer in answers.items()]
    for run in (answers, whole, write_lines(tmp_path / "run.jsonl", *records)):
        assert gainful.evaluate(QRELS, run, "RR")["RR"] == 0.75
    in_order = [*answers.values()]
    for run in (in_order, {"took": 2, "responses": in_order}):
        assert gainful.evaluate([["a"], ["c"]], run, "RR")["RR"] == 0.75
    alone = write_file(tmp_path / "alone.json", json.dumps(answers["1"]))
    for run in (answers["1"], alone):
        with pytest.raises(BadInput) as refused:
            gainful.evaluate(QRELS, run, "RR")
        assert not isinstance(refused.value, NothingInCommon)
        problems = [line for part in gainful.check(QRELS, run).findings for line in part.problems]
        assert refused.value.problem in problems[0]
    in_order = gainful.check(alone)
    assert in_order.ok == (engine == "Chroma")  # whose answers can be to several searches
    assert not in_order.ok or "no names" in in_order.findings[0].notes[-1]


@pytest.mark.parametrize(
    "hit",
    [
        {"id": "a", "document": {"id": "b"}},
        {"document": {"id": "a"}, "node": {"id": "b"}},
        {"document": {"text": "…"}, "node": {"id_": "a"}},
        {"document": "a", "metadata": {"id": "b"}},
    ],
)
def test_one_place_says_where_the_id_of_a_document_is(hit):
    assert gainful.evaluate({"1": {"a": 1}}, {"1": [hit]}, "RR")["RR"] == 1
    assert read_results([hit], ResultPaths()) == ["a"]


UNREAD = {  # an answer without one list of results, and what the message names
    "collections": (
        {"data": {"Get": {"Page": [{"_additional": {"id": "a"}}], "Item": []}}},
        "Page",
    ),
    "Weaviate": ({"data": {"Get": {"Page": None}}, "errors": [{"message": "late"}]}, "late"),
    "Typesense": ({"code": 404, "message": "Not found"}, "Not found"),
    "groups": ({"found": 1, "grouped_hits": [{"group_key": ["x"], "hits": []}]}, "grouped"),
    "Elasticsearch": ({"error": {"reason": "gone"}, "status": 404}, "gone"),
    "null": ({"hits": None, "took": 3}, "null"),
    "only null": ({"hits": None}, "null"),
    "Qdrant": ({"result": None, "status": {"error": "no such"}, "time": 0.1}, "no such"),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_answers_without_one_list_of_results_are_refused_with_their_query(tmp_path, kind):
    answer, named = UNREAD[kind]
    sound = {"hits": [{"document": {"id": "a"}}]}
    by_query, by_line = tmp_path / "run.json", tmp_path / "run.jsonl"
    by_response = tmp_path / "responses.jsonl"
    for answers in ({"x": answer, "y": sound}, {"y": sound, "x": answer}):
        lines = [{"query": query, "retrieved": each} for query, each in answers.items()]
        by_line.write_text("\n".join(map(json.dumps, lines)))
        beside = [{"query": "y", "response": sound}, {"query": "x", "response": answer}]
        by_response.write_text("\n".join(map(json.dumps, beside)))
        by_query.write_text(json.dumps(answers))
        for run in (by_query, by_line, by_response):
            with pytest.raises(BadInput) as refused:
                gainful.evaluate({"x": {"a": 1}, "y": {"a": 1}}, run, "RR")
            assert "'x'" in refused.value.where
            assert named in refused.value.problem


def test_answers_to_several_searches_are_told_apart_from_runs(tmp_path):
    """Of a search with filter_path there are only hits; one that failed is named by its place."""
    answers = [{"hits": {"hits": [{"_id": "a"}, {"_id": "b"}]}}] * 2
    path = write_file(tmp_path / "run.json", json.dumps({"responses": answers}))
    assert gainful.evaluate([["b"], ["a"]], path, "RR")["RR"] == 0.75
    answers[1] = {"error": {"reason": "gone"}, "status": 404}
    path.write_text(json.dumps({"responses": answers}), encoding="utf-8")
    with refuses(BadInput, "run.json[1]", "gone"):
        gainful.evaluate([["b"], ["a"]], path, "RR")


@pytest.mark.parametrize(
    ("key", "empty"),
    [
        ("results", {"hits": []}),
        ("responses", {"hits": []}),
        ("responses", {"hits": {"hits": []}}),
    ],
)
def test_searches_that_found_nothing_are_queries(key, empty):
    assert gainful.evaluate([["b"]], {key: [empty]}, "RR")["RR"] == 0
    other = {"hits": [{"id": "a"}]} if empty["hits"] == [] else es_answer({"a": 1})
    assert gainful.evaluate([["b"], ["a"]], {key: [empty, other]}, "RR")["RR"] == 0.5


def test_an_answer_of_solr_is_not_one_to_two_queries(tmp_path):
    answer = {"responseHeader": {"status": 0}, "response": {"numFound": 1, "docs": [{"id": "a"}]}}
    path = write_file(tmp_path / "solr.json", json.dumps(answer))
    with refuses(BadInput, "solr.json", "one search"):
        gainful.evaluate({"1": {"a": 1}}, path, "RR")


@pytest.mark.parametrize(
    ("listed", "name"), [("objects", "uuid"), ("points", "id"), ("matches", "id")]
)
def test_what_clients_of_vector_stores_return_is_a_run(listed, name):
    answers = {
        query: SimpleNamespace(**{listed: [SimpleNamespace(**{name: doc}) for doc in docs]})
        for query, docs in ANSWERED.items()
    }
    assert gainful.evaluate({"1": {"a": 1}, "2": {"c": 1}}, answers, "RR")["RR"] == 0.75


@pytest.mark.parametrize("column", ["query", "doc", "sku"])
@pytest.mark.parametrize("value", [["c"], {"id": "c"}])
@pytest.mark.parametrize("texts", ["c", "[c"])  # lines of JSON are read in two ways
def test_a_list_among_ids_is_no_id(column, value, texts, tmp_path):
    columns = {"doc": "sku"} if column == "sku" else None
    doc = "sku" if column == "sku" else "doc"
    rows = [{"query": texts, doc: texts, "grade": 1}, {"query": "2", doc: "b", "grade": 1}]
    rows[1][column] = value
    lines = write_lines(tmp_path / "t.jsonl", *rows)
    with refuses(BadInput, "t.jsonl:2"):
        as_qrels(lines, columns=columns)
    with refuses(BadInput, "judgments[1]"):
        as_qrels(rows, columns=columns)
    sound = [{**row, column: "x"} for row in rows]
    assert len(as_qrels(write_lines(tmp_path / "t.jsonl", *sound), columns=columns).frame) == 2


def test_a_list_among_ids_of_sessions_is_no_id(tmp_path):
    rows = [
        {"session": "s", "query": 1, "rank": rank, "doc": doc}
        for rank, doc in ((1, "a"), (2, ["b"]))
    ]
    with refuses(BadInput, "t.jsonl:2"):
        as_sessions(write_lines(tmp_path / "t.jsonl", *rows))
    with refuses(BadInput, "sessions, row 1"):
        as_sessions(rows)


def test_a_list_is_no_query_of_a_record_with_lists(tmp_path):
    rows = [{"query": query, "retrieved": ["a"]} for query in ("1", ["2"])]
    with refuses(BadInput, "t.jsonl:2"):
        as_run(write_lines(tmp_path / "t.jsonl", *rows))


def test_fields_of_lists_without_known_names_are_told_by_check_too(tmp_path):
    path = write_file(
        tmp_path / "rag.jsonl", '{"question": "x", "contexts": [{"ref": "a"}], "gold": ["a"]}\n'
    )
    (finding,) = gainful.check(path).findings
    assert "retrieved=contexts,relevant=gold,doc=ref" in finding.problems[0]


ASKED = {  # how the answers to several searches name the query of each
    "Typesense": lambda query: {"request_params": {"q": query, "collection_name": "docs"}},
    "Algolia": lambda query: {"query": query, "index": "docs"},
    "Meilisearch": lambda query: {"query": query, "indexUid": "docs"},
}


@pytest.mark.parametrize("engine", ASKED)
def test_answers_to_several_searches_name_their_queries(tmp_path, engine):
    """RR is 1/2 and 1, whatever the order of the judgments."""
    make = ANSWERS["Algolia" if engine == "Meilisearch" else engine]
    answers = {"results": [{**make(docs), **ASKED[engine](q)} for q, docs in ANSWERED.items()]}
    path = tmp_path / "run.json"
    for indent in (None, 1):
        path.write_text(json.dumps(answers, indent=indent))
        for run in (path, answers):
            assert gainful.evaluate({"2": {"c": 1}, "1": {"a": 1}}, run, "RR")["RR"] == 0.75
    nameless = {"results": [make(docs) for docs in ANSWERED.values()]}
    path.write_text(json.dumps(nameless))
    for run in (path, nameless):
        assert gainful.evaluate([["a"], ["c"]], run, "RR")["RR"] == 0.75
        with pytest.raises(BadInput) as refused:
            gainful.evaluate({"2": {"c": 1}, "1": {"a": 1}}, run, "RR")
        assert "no names" in refused.value.problem


def test_judgments_of_the_workbench_may_be_empty(tmp_path):
    path = write_file(
        tmp_path / "workbench.json", json.dumps({"name": "ESCI Judgments", "judgmentRatings": []})
    )
    with pytest.raises(BadInput) as refused:
        gainful.evaluate(path, RUN, "RR")
    assert "ESCI" not in refused.value.problem
    assert not gainful.check(path).ok


FOREIGN = [  # of a package, LangSmith, MLflow, Langfuse, Jaeger, a map, rows
    {"name": "x", "version": "1", "dependencies": {"a": "^1"}},
    {"id": "r1", "run_type": "retriever", "inputs": {"query": "x"}, "outputs": {"documents": []}},
    {"info": {"trace_id": "t1", "state": "OK"}, "data": {"spans": []}},
    {"data": [{"id": "o1", "type": "RETRIEVER"}], "meta": {"page": 1, "totalItems": 1}},
    {"data": [{"traceID": "t1", "spans": [{"spanID": "s1"}]}]},
    {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {}}]},
    *([dict.fromkeys(keys, grade) for grade in (1, 2, 3)] for keys in (["foo"], ["foo", "bar"])),
    [dict.fromkeys(("foo", "bar", "baz"), grade) for grade in (1, 2, 3)],
]


@pytest.mark.parametrize("value", FOREIGN)
def test_json_of_something_else_is_called_so_with_its_keys(tmp_path, run_gainful, value):
    path = write_file(tmp_path / "foreign.json", json.dumps(value, indent=1))
    keys = ", ".join(value if isinstance(value, dict) else value[0])
    for qrels, run in ((path, RUN), (QRELS, path)):
        with pytest.raises(BadInput) as refused:
            gainful.evaluate(qrels, run, "RR")
        assert keys in refused.value.problem
    assert keys in run_gainful("check", path, status=1).out


FAILURES = {  # of Elasticsearch, Weaviate, Typesense
    "no such index [p]": {"error": {"type": "x", "reason": "no such index [p]"}, "status": 404},
    "no such class": {"data": {"Get": {"A": None}}, "errors": [{"message": "no such class"}]},
    "Not found": {"message": "Not found"},
}


@pytest.mark.parametrize("words", FAILURES)
def test_an_answer_that_says_why_it_failed_is_called_so(tmp_path, words):
    path = write_file(tmp_path / "answer.json", json.dumps(FAILURES[words]))
    with refuses(BadInput, path.name, words):
        gainful.evaluate({"1": {"a": 1}}, path, "RR")


ANSWERS_BY_ENGINE = {
    "Azure": {"@odata.context": "c", "value": [{"@search.score": 1.2, "id": "a"}, {"id": "b"}]},
    "Coveo": {"totalCount": 2, "results": [{"uniqueId": "a", "raw": {}}, {"uniqueId": "b"}]},
    "Kendra": {"ResultItems": [{"Id": "1", "DocumentId": "a"}, {"Id": "2", "DocumentId": "b"}]},
    "MongoDB": [{"_id": {"$oid": "a"}, "score": 0.9}, {"_id": {"$oid": "b"}, "score": 0.5}],
    "OpenAI": {"object": "page", "data": [{"file_id": "a", "score": 0.9}, {"file_id": "b"}]},
    "Redis": {"total_results": 2, "results": [{"id": "a", "extra": {}}, {"id": "b"}]},
    "Vertex": {"results": [{"id": "a", "document": {"id": "a"}}, {"id": "b"}], "totalSize": 2},
}


@pytest.mark.parametrize("engine", ANSWERS_BY_ENGINE)
@pytest.mark.parametrize("indent", [None, 1])
def test_answers_of_engines_by_query_are_runs(tmp_path, engine, indent):
    answers = {"leek": ANSWERS_BY_ENGINE[engine], "soup": ANSWERS_BY_ENGINE[engine]}
    path = write_file(tmp_path / "run.json", json.dumps(answers, indent=indent))
    results = gainful.evaluate({"leek": {"b": 1}, "soup": {"a": 1}}, path, "RR")
    assert results.per_query["RR"].to_list() == [0.5, 1.0]


def test_ids_of_answers_by_query_may_be_named(tmp_path):
    hit = {"content": {"text": "x"}, "location": {"s3Location": {"uri": "s3://b/a"}}}
    path = write_file(tmp_path / "run.json", json.dumps({"leek": {"retrievalResults": [hit]}}))
    with refuses(BadInput, "run.json['leek']", "has no id"):
        gainful.evaluate({"leek": {"s3://b/a": 1}}, path, "RR")
    with refuses(BadInput, "run.json['leek']['retrievalResults']", "not a known format"):
        as_qrels(path)
    columns = {"run.doc": "location.s3Location.uri"}
    results = gainful.evaluate({"leek": {"s3://b/a": 1}}, path, "RR", columns=columns)
    assert results["RR"] == 1.0
    answers = [{"retrievalResults": hits, "nextToken": ""} for hits in ([hit], [])]  # in order
    results = gainful.evaluate([["s3://b/a"], ["x"]], answers, "RR", columns=columns)
    assert results["RR"] == 0.5


def test_what_is_wrong_with_one_query_is_told_with_that_query():
    with refuses(BadInput, "run['y']", "None"):
        gainful.evaluate({"x": ["a"]}, {"x": {"retrieved": ["a"]}, "y": {"retrieved": None}})
    with refuses(Duplicated, "judgments['x']"):
        gainful.evaluate({"x": {"relevant": ["a", "a"]}}, {"x": ["a"]})


@pytest.mark.parametrize("query", [pd.Series(["x"]), ["x"], float("nan")])
def test_a_column_or_nan_is_no_query(query):
    with refuses(BadInput, "judgments[0]", "is not a query"):
        gainful.evaluate([{"query": query, "relevant": ["a"]}], {"x": ["a"]})


def test_answers_may_come_after_a_list_without_results():
    answers = {"x": [], "y": {"hits": [{"id": "a"}], "took": 3}}
    assert gainful.evaluate({"x": ["a"], "y": ["a"]}, answers, "RR")["RR"] == 0.5


@pytest.mark.parametrize(
    "answer",
    [
        {"matches": [{"id": "a"}], "namespace": ""},
        {"data": {"Get": {"Page": [{"id": "a"}]}}},
        {"response": {"docs": [{"id": "a"}]}},
        {"results": [{"id": "a"}], "facets": {"b": {}}},
        {"results": [{"id": "a"}], "meta": {"page": 1}},
    ],
)
def test_one_answer_is_of_no_query_whether_run_or_judgments(answer):
    for qrels, run in ([{"x": ["a"]}, answer], [answer, {"x": ["a"]}]):
        with refuses(BadInput, "judgments" if qrels is answer else "run", "which query"):
            gainful.evaluate(qrels, run)


@pytest.mark.parametrize("indent", [None, 1])
def test_records_by_query_hold_judgments_and_a_run(tmp_path, run_gainful, indent):
    record = {"retrieved": ["b", "a"], "relevant": ["a"]}
    path = write_file(tmp_path / "both.json", json.dumps({"1": record, "2": record}, indent=indent))
    assert json.loads(run_gainful("eval", path, "-m", "RR", "--format", "json").out)
    assert [finding.kind for finding in gainful.check(path).findings[:2]] == [
        "judgments, json",
        "run, json",
    ]


@pytest.mark.parametrize("field", ["properties", "context"])
def test_events_that_hold_a_list_within_are_no_queries(tmp_path, field):
    event = {"event": "search", "user_id": "u", field: {"query": "x", "results": ["a"]}}
    path = write_lines(tmp_path / "events.jsonl", event, event)
    for read in (gainful.sessions.evaluate, lambda run: gainful.evaluate({"x": {"a": 1}}, run)):
        with refuses(NoColumn, path.name, "not a known log"):
            read(path)


@pytest.mark.parametrize("score", ["NaN", "null", '"x"'])
def test_one_bad_value_makes_no_json_unknown(tmp_path, score):
    path = write_file(tmp_path / "r.json", f'{{"q": {{"a": 0.5}}, "q2": {{"c": {score}}}}}')
    with refuses(BadInput, "r.json['q2']['c']") as refused:
        gainful.evaluate(QRELS, path, "RR")
    assert "not a known format" not in str(refused.value)


def test_ids_within_documents_are_named_by_their_path(tmp_path, run_gainful):
    """RR is 1/2 and 1; LangChain's documents have no id but a source."""
    rankings = [["b", "a"], ["c"]]
    records = [
        {
            "query": query,
            "retrieved": [{"page_content": "…", "metadata": {"source": doc}} for doc in docs],
            "relevant": [docs[-1]],
        }
        for query, docs in zip("xy", rankings, strict=True)
    ]
    path = write_file(tmp_path / "answers.jsonl", "\n".join(map(json.dumps, records)))
    assert "--columns doc=metadata.source" not in run_gainful("eval", path, status=2).out
    by_query = {record["query"]: record for record in records}
    for both in (path, records, by_query, pl.DataFrame(records), pd.DataFrame(records)):
        with pytest.raises(BadInput) as refused:
            gainful.evaluate(both, measures="RR")
        assert "doc=metadata.source" in refused.value.expected
        columns = {"doc": "metadata.source"}
        assert gainful.evaluate(both, measures="RR", columns=columns)["RR"] == 0.75
        with pytest.raises(NoColumn):
            gainful.evaluate(both, measures="RR", columns={"doc": "metadata.nope"})
    qrels = {"x": ["a"], "y": ["c"]}
    assert gainful.evaluate(qrels, path, "RR", columns={"run.doc": "metadata.source"})["RR"] == 0.75


def test_ids_within_documents_of_plain_lists_are_named_by_their_path():
    """RR is 1/2: of a list by query, of one in query order, and of an answer of Bedrock."""
    documents = [{"location": {"uri": doc}} for doc in "ba"]
    columns = {"doc": "location.uri"}
    for qrels, run in (
        ({"1": {"a": 1}}, {"1": documents}),
        ([["a"]], [documents]),
        ([["a"]], [{"retrievalResults": documents}]),
    ):
        assert gainful.evaluate(qrels, run, "RR", columns=columns)["RR"] == 0.5
        with pytest.raises(BadInput) as refused:
            gainful.evaluate(qrels, run, "RR")
        assert "doc=location.uri" in refused.value.expected
        with pytest.raises(NoColumn) as refused:
            gainful.evaluate(qrels, run, "RR", columns={"doc": "location.url"})
        assert "at 'location.url': it has location.uri" in refused.value.problem
    with pytest.raises(NoColumn):  # no document is an object, in which it could stand
        gainful.evaluate({"1": {"a": 1}}, {"1": ["b", "a"]}, "RR", columns=columns)


def test_a_list_of_an_api_and_what_it_says_of_it_are_no_two_queries():
    with refuses(BadInput, "run", "features, meta"):
        gainful.evaluate({"x": ["a"]}, {"features": [{"id": "a"}], "meta": {"page": 1}})


def test_ids_within_documents_of_other_fields_are_named_with_these(tmp_path):
    """RR is 1/2, once the lists and the place of ids are told as the message says."""
    docs = [{"page": {"number": 1, "ref": doc}, "text": "…"} for doc in "ba"]
    record = {"question": "q", "contexts": docs, "gold": ["a"]}
    path = write_file(tmp_path / "answers.jsonl", json.dumps(record))
    columns = {"retrieved": "contexts", "relevant": "gold", "doc": "page.ref"}
    for both in (path, [record]):
        with pytest.raises(NoColumn) as refused:
            gainful.evaluate(both, measures="RR")
        assert "retrieved=contexts,relevant=gold,doc=page.ref" in refused.value.expected
        assert gainful.evaluate(both, measures="RR", columns=columns)["RR"] == 0.5
    with pytest.raises(BadInput) as refused:
        gainful.evaluate(path, measures="RR", columns={**columns, "doc": "nope"})
    assert "nope" in str(refused.value)


@pytest.mark.parametrize("text", ['"a b c d"', "12", "null", "true"])
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_json_that_holds_nothing_is_called_json(tmp_path, run_gainful, text, suffix):
    path = write_file(tmp_path / f"bare{suffix}", text)
    checked = run_gainful("check", path, status=1).out
    assert f"{suffix[1:]})" in checked
    assert "not an object" in checked
    assert "not an object" in run_gainful("eval", path, path, status=2).err
    assert "JSON" in run_gainful("sessions", path, status=2).err


@pytest.mark.parametrize(
    "text",
    ["1 Q0 a 1 0.9 bm25", "1 a 0.9", "query,doc,score\n1,a,0.9", "query\tdoc\trank\n1\ta\t1"],
)
def test_a_text_that_is_only_named_json_is_read_as_what_it_is(tmp_path, text):
    path = write_file(tmp_path / "run.json", f"{text}\n")
    assert gainful.evaluate({"1": {"a": 1}}, path, "RR")["RR"] == 1.0


def test_sessions_that_are_only_named_json_are_read_as_what_they_are(tmp_path):
    interaction = "<query>x</query><results><result rank='1'><docno>a</docno></result></results>"
    for text in (
        f"<s><session num='s'><interaction num='1'>{interaction}</interaction></session></s>",
        "session,query,rank,doc\ns,1,1,a\n",
    ):
        path = write_file(tmp_path / "log.json", text)
        assert as_sessions(path).frame["doc"].to_list() == ["a"]


@pytest.mark.parametrize("orient", ["columns", "index", "table", "split", "records", "list"])
def test_what_pandas_writes_as_json(tmp_path, orient):
    frame = pd.DataFrame(
        {"query": ["1", "1", "2"], "doc": ["b", "a", "c"], "score": [0.9, 0.5, 0.4]}
    )
    path = tmp_path / "run.json"
    path.write_text(
        json.dumps(frame.to_dict(orient)) if orient == "list" else frame.to_json(orient=orient)
    )
    assert gainful.evaluate({"1": {"a": 1}, "2": {"c": 1}}, path, "RR")["RR"] == 0.75


SEARCHED = {"hits": {"total": {"value": 2}, "hits": [{"_id": "b", "_score": 2}, {"_id": "a"}]}}
RESPONSES = [
    {"query": "q", **SEARCHED},
    {"query": "q", "hits": SEARCHED["hits"]["hits"]},
    {"query": "q", "took": 3, "response": SEARCHED},
]


@pytest.mark.parametrize("record", RESPONSES)
@pytest.mark.parametrize(
    "write", [lambda record: f"{json.dumps(record)}\n", lambda r: json.dumps([r])]
)
def test_lines_with_a_query_and_its_search_response_are_a_run(tmp_path, record, write):
    path = write_file(tmp_path / "run.jsonl", write(record))
    qrels = {"q": {"a": 1}}
    assert gainful.evaluate(qrels, path, "RR")["RR"] == 0.5
    assert gainful.evaluate(qrels, [record], "RR")["RR"] == 0.5
    assert gainful.check(path).ok


def test_a_file_with_both_that_is_named_as_judgments_only_is_noted(tmp_path):
    both, other = tmp_path / "both.jsonl", tmp_path / "other.jsonl"
    for path in (both, other):
        path.write_text('{"query": "1", "retrieved": ["a", "b"], "relevant": ["a"]}\n')
    assert "both.jsonl" in gainful.evaluate(both, other, "RR").notes[0]
    assert gainful.evaluate(both, both, "RR").notes == []
    results = gainful.evaluate(both, runs=[both, other], measures="RR")
    assert [run.notes for run in results.values()] == [[], []]


def test_judgments_without_anything_relevant_are_noted():
    (note,) = gainful.evaluate({"1": {"a": -1}}, {"1": ["a"]}, "RR").notes
    assert "relevant" in note


@pytest.mark.parametrize("separator", ["\t", " "])
def test_a_line_that_lacks_one_of_three_fields_is_named(tmp_path, separator):
    path = write_file(tmp_path / "short.tsv", "q1 d1 1\nq1 d2\nq2 d3 2\n".replace(" ", separator))
    with pytest.raises(BadInput) as refused:
        gainful.evaluate(path, RUN, "RR")
    assert refused.value.where.endswith(":2")


def test_check_lists_mistakes_line_by_line_and_each_document_of_a_list(tmp_path):
    rows = [{"query": "1", "doc": "a", "score": "x"}, {"query": "1", "doc": "b", "score": 1}]
    path = tmp_path / "run.jsonl"
    path.write_text(
        "\n".join([json.dumps(rows[0]), "foo", json.dumps(rows[1]), "", '{"query": 2}'])
    )
    (finding,) = gainful.check(path).findings
    assert [line.split(":")[0].strip() for line in finding.problems[1:]] == [
        "line 1",
        "line 2",
        "line 5",
    ]
    with refuses(BadInput, f"{path}:1"):
        gainful.evaluate({"1": {"a": 1}}, path, "RR")
    lists = {
        "1": [{"id": "a"}, {"x": "b"}, {"id": "c", "score": "y"}, 5, {"z": 1}],
        "2": {"a": "x", "b": 1, "c": None},
        "3": ["a", None, 1.5],
    }
    records = [{"query": query, "retrieved": docs} for query, docs in lists.items()]
    path.write_text("\n".join(map(json.dumps, records)))
    # In a record a document without a number is not told; in a dict that is a mistake.
    for run, count in ((path, 7), (lists, 8)):
        (finding,) = gainful.check({"1": {"a": 1}}, run).findings[1:2]
        assert len(finding.problems) == 1 + count


def test_responses_that_elasticsearch_wraps_are_answers_by_query():
    """RR is 1/2 and 1. A response of its client has the dict in `body`, and is no dict itself."""
    wrapper = type("ObjectApiResponse", (), {"__module__": "elastic_transport._response"})

    def wrap(body):
        response = wrapper()
        response.body = body
        return response

    answers = {query: wrap(es_answer(docs)) for query, docs in ANSWERED.items()}
    assert gainful.evaluate(QRELS, answers, "RR")["RR"] == 0.75
    assert gainful.evaluate([["a"], ["c"]], [*answers.values()], "RR")["RR"] == 0.75
    several = {
        name: wrap({"responses": [answer.body for answer in answers.values()]}) for name in "xy"
    }
    compared = gainful.evaluate([["a"], ["c"]], several, "RR")
    assert [results["RR"] for results in compared.values()] == [0.75, 0.75]


def test_lists_of_documents_under_a_name_are_answers_by_query():
    """As a retriever of Haystack returns {"documents": [Document, …]}; RR is 1/2 and 1."""
    answers = {
        query: {"documents": [SimpleNamespace(id=doc, score=score) for doc, score in docs.items()]}
        for query, docs in ANSWERED.items()
    }
    assert gainful.evaluate(QRELS, answers, "RR")["RR"] == 0.75


def test_two_results_in_a_list_are_no_pair(tmp_path):
    """As Milvus returns the results of one query, in a list of lists."""
    hits = [{"id": doc, "distance": 0.5} for doc in "ab"]
    path = write_file(tmp_path / "run.json", json.dumps({"1": [hits], "2": [hits]}))
    with refuses(BadInput, "run.json['1']", "is not a document id"):
        gainful.evaluate(QRELS, path, "RR")


@pytest.mark.parametrize("answer", [ANSWERS["Solr"], ANSWERS["Vespa"], es_answer])
def test_responses_in_lines_lack_their_queries(tmp_path, answer):
    path = write_lines(tmp_path / "run.jsonl", answer({"a": 1}), answer({"b": 1}))
    with refuses(BadInput, "run.jsonl", "search response without its query"):
        gainful.evaluate(QRELS, path, "RR")


def test_fields_of_objects_may_be_columns(tmp_path):
    rows = [{"q": {"id": query}, "hit": {"ref": doc, "s": 1}} for query, doc in ("1b", "2c")]
    columns = {"run.query": "q.id", "run.doc": "hit.ref", "run.score": "hit.s"}
    for run in (pl.DataFrame(rows), write_lines(tmp_path / "run.jsonl", *rows)):
        assert gainful.evaluate(QRELS, run, "RR", columns=columns)["RR"] == 0.5


def test_columns_of_recbole_name_their_types(tmp_path):
    path = tmp_path / "ratings.inter"
    path.write_text("user_id:token\titem_id:token\trating:float\n1\ta\t5\n2\tc\t3\n", "utf-8")
    assert as_qrels(path).to_dict() == {"1": {"a": 5}, "2": {"c": 3}}


def test_queries_that_are_read_as_names_of_runs_are_called_so():
    """As a pipeline of Haystack returns {"retriever": {"documents": [Document, …]}}."""
    runs = {query: {"retriever": {"documents": [{"id": "a"}]}} for query in QRELS}
    with refuses(BadInput, "1", "'1' was read as the name of a run"):
        gainful.evaluate(QRELS, runs, "RR")


def test_a_column_without_a_name_is_shown():
    """As the index of pandas is written into CSV."""
    frame = pl.DataFrame({"": [0], "query": ["1"], "doc": ["a"]})
    assert "among '', query, doc" in as_qrels(frame).notes[0]


def test_options_that_messages_propose_can_be_pasted():
    """A blank in a name is quoted for the shell; a number is proposed as it was written."""
    frame = pl.DataFrame({"query": ["1"], "doc": ["a"], "Judge 1": [2], "Judge 2": [1]})
    with pytest.raises(BadInput) as refused:
        as_qrels(frame)
    assert "--columns 'grade=Judge 1'" in refused.value.expected
    with pytest.raises(BadInput) as refused:
        as_run(pl.DataFrame({"query": ["1"], "doc": ["a"], "score": ["7,25"]}))
    assert "write 7.25" in refused.value.problem


@pytest.mark.parametrize("mark", ["|", "::"])
def test_a_mark_that_separates_no_fields_is_named(tmp_path, mark):
    path = tmp_path / "run.txt"
    path.write_text(mark.join(("1", "a", "3", "4\n")), encoding="utf-8")
    with refuses(BadInput, "run.txt:1", f"blanks or tabs separate fields, not '{mark}'"):
        as_run(path)


def test_a_ranking_of_four_fields_may_be_read_by_numbers(tmp_path):
    """As ColBERT writes query, document, rank and score; RR is 1/2 and 1."""
    path = tmp_path / "ranking.tsv"
    path.write_text("1\tb\t1\t9.5\n1\ta\t2\t8\n2\tc\t1\t7\n", encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        as_run(path)
    option = "run.query=1,run.doc=2,run.rank=3"
    assert f"--columns {option}" in refused.value.expected
    columns = dict(pair.split("=") for pair in option.split(","))
    assert gainful.evaluate(QRELS, path, "RR", columns=columns)["RR"] == 0.75


def test_the_query_of_a_record_with_lists_may_be_a_field_of_an_object(tmp_path):
    """As Pyserini and RankLLM write requests, whose candidates have a `doc` beside their `docid`."""

    def make(doc):
        return {"docid": doc, "doc": {"contents": "…"}}

    requests = [
        {"query": {"text": "…", "qid": query}, "candidates": [make(doc) for doc in docs]}
        for query, docs in ANSWERED.items()
    ]
    path = write_lines(tmp_path / "requests.jsonl", *requests)
    columns = {"query": "query.qid", "retrieved": "candidates"}
    assert gainful.evaluate(QRELS, path, "RR", columns=columns)["RR"] == 0.75
    with pytest.raises(BadInput):
        gainful.evaluate(QRELS, path, "RR", columns=columns | {"query": "query.no"})


def test_a_score_that_is_a_text_is_called_one():
    with refuses(BadInput, "run['1']['a']", "score '8.5' is a text"):
        gainful.evaluate(QRELS, {"1": [{"id": "a", "score": "8.5"}]}, "RR")


def test_fields_of_a_line_without_header_are_proposed_only_for_lines_of_trec(tmp_path):
    """As Amazon's ratings are: user, item, rating, time."""
    path = tmp_path / "ratings.csv"
    path.write_text("A1,B1,5.0,1204502400\nA1,B2,3.0,1204502400\n", encoding="utf-8")
    with pytest.raises(NoColumn) as refused:
        as_qrels(path)
    assert "doc=3" not in refused.value.expected
