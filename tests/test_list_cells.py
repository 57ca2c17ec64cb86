"""Lists of documents in the cells of tables and in Series of pandas: whose they are, what counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines import FRAME_MAKERS
from facts import find_notes
from refusals import refuses

import gainful
from gainful.errors import BadInput, Duplicated, NoColumn

RELEVANT = {"1": {"a": 1}, "2": {"c": 1}}


@pytest.mark.parametrize("names", [["u1", "u2", "u3"], [7, 9, 11], [7.0, 9.0, 11.0]])
@pytest.mark.parametrize("scored", [False, True], ids=["lists", "dicts"])
def test_the_index_of_a_series_of_rankings_names_the_queries(names, scored):
    judged = pd.Series([["a"], ["b"], ["c"]], index=names)
    rankings = [{"c": 0.5}, {"b": 0.5}, {"a": 0.5}] if scored else [["c"], ["b"], ["a"]]
    run = pd.Series(rankings, index=names[::-1])
    assert gainful.evaluate(judged, run, "RR").mean == {"RR": 1.0}
    assert gainful.evaluate(judged, run[run.index != names[2]], "RR").mean == {"RR": 2 / 3}


def test_runs_may_be_series_of_rankings():
    judged = pd.Series([["a"], ["b"]], index=["u1", "u2"])
    runs = {"x": judged, "y": judged.iloc[::-1]}
    assert gainful.compare(judged, runs, "RR").means["RR"].tolist() == [1.0, 1.0]


def test_a_series_without_names_is_in_query_order():
    judged, run = pd.Series([["a"], ["b"]]), pd.Series([["a"], ["a", "b"]])
    assert gainful.evaluate(judged, run, "RR").mean == {"RR": 0.75}
    with refuses(
        BadInput, "run"
    ):  # the numbers of one say which queries are meant, of the other nothing
        gainful.evaluate(judged, run.iloc[::-1], "RR")


def test_each_query_of_a_series_has_one_name():
    judged = pd.Series([["a"], ["b"]], index=["u1", "u2"])
    with refuses(Duplicated, "run", "u1"):
        gainful.evaluate(judged, judged.set_axis(["u1", "u1"]), "RR")
    with refuses(BadInput, "run", "index"):
        gainful.evaluate(judged, judged.set_axis(["u1", None]), "RR")


@pytest.mark.parametrize(
    ("cells", "at", "culprit"),
    [
        ([[np.nan, "a"], ["c"]], 0, "nan"),
        ([["a"], ["c", None]], 1, "None"),
        ([["a"], [pd.NA, "c"]], 1, "None"),
        ([["a"], ["c", pd.NaT]], 1, "None"),
        ([["a", 1.5], ["c"]], 0, "1.5"),
        ([["a"], [float("inf")]], 1, "inf"),
        ([["a", ["b"]], ["c"]], 0, "['b']"),
        ([[1, 2], [1.5, True]], 1, "1.5"),
        ([["a"], ["c", True]], 1, "True"),
    ],
)
def test_what_is_no_document_in_a_cell_of_pandas_is_refused(cells, at, culprit):
    frame = pd.DataFrame({"user": ["1", "2"], "items": cells})
    with refuses(BadInput, f"run, row {at}['{at + 1}']", culprit):
        gainful.evaluate(RELEVANT, frame, "RR")
    with refuses(BadInput, f"judgments, row {at}['{at + 1}']", culprit):
        gainful.evaluate(frame, RELEVANT, "RR")


def test_cells_of_pandas_may_have_scores_with_the_documents():
    cells = [[("a", 0.1), ("b", 0.5)], [("c", 0.2)]]
    run = pd.DataFrame({"user": ["1", "2"], "items": cells})
    assert gainful.evaluate(RELEVANT, run, "RR").mean == {"RR": 0.75}


@pytest.mark.parametrize("make", [set, frozenset])
def test_sets_in_cells_are_judgments_and_no_ranking(make):
    table = pd.DataFrame({"user": ["1", "1", "2"], "item": ["a", "b", "c"]})
    sets = table.groupby("user")["item"].apply(make).reset_index()
    run = {"1": ["a", "b"], "2": ["c"]}
    assert gainful.evaluate(sets, run, "AP").mean == {"AP": 1.0}
    with refuses(BadInput, "run, row 0", "set"):
        gainful.evaluate(RELEVANT, sets, "AP")


@pytest.mark.parametrize("name", ["rank", "Ranks", "position", "mine"])
@pytest.mark.parametrize("make", ["pandas", "polars", "DuckDB", "jsonl"])
def test_ranks_beside_documents_are_their_order(tmp_path, make, name):
    """By hand: a, the second in the list, is of rank 1, and c and d share the first rank."""
    frame = pl.DataFrame({"user": ["1", "2"], "items": [["b", "a"], ["c", "d"]]})
    frame = frame.with_columns(pl.Series(name, [[2, 1], [1, 1]]))
    run = tmp_path / "run.jsonl"
    if make == "jsonl":
        frame.write_ndjson(run)
    else:
        run = FRAME_MAKERS[make](frame)
    columns = {"rank": "mine"} if name == "mine" else None
    results = gainful.evaluate(RELEVANT, run, ["RR", "NumRet"], columns=columns)
    long = frame.explode("items", name).rename({name: "rank", "items": "item"})
    assert results.mean == gainful.evaluate(RELEVANT, long, ["RR", "NumRet"]).mean
    assert results.mean["RR"] in (1.0, 0.75)  # as the tie of c and d is broken
    assert not find_notes(results.notes, "distances")


@pytest.mark.parametrize("name", ["predictions", "sims", "similarities", "score"])
def test_scores_beside_documents_have_singular_and_plural_names(name):
    run = pd.DataFrame({"user": ["1", "2"], "items": [["b", "a"], ["c", "d"]]})
    run[name] = [[0.2, 0.8], [0.5, 0.4]]
    assert gainful.evaluate(RELEVANT, run, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("name", ["ratings", "rating", "labels", "Relevances"])
def test_grades_beside_documents_have_singular_and_plural_names(name):
    judged = pl.DataFrame({"user": ["1"], "items": [["a", "b"]], name: [[5, 1]]})
    assert gainful.evaluate(judged, {"1": ["a"]}, "DCG").mean == {"DCG": 5.0}


def test_texts_beside_documents_are_no_numbers_whatever_they_are_called():
    run = pl.DataFrame({"user": ["1"], "items": [["b", "a"]], "predictions": [["yes", "no"]]})
    assert gainful.evaluate(RELEVANT, run, "NumRet").mean == {"NumRet": 2.0}


@pytest.mark.parametrize(
    ("name", "numbers", "place", "words"),
    [
        ("ranks", [1], "run, row 0", ("1 rank", "2 documents")),
        ("rank", ["x", "y"], "run, row 0['1']['b']", ("rank 'x'",)),
    ],
)
def test_ranks_that_do_not_fit_are_refused(name, numbers, place, words):
    run = pl.DataFrame({"user": ["1"], "items": [["b", "a"]], name: [numbers]})
    with refuses(BadInput, place, *words):
        gainful.evaluate(RELEVANT, run, "RR")


@pytest.mark.parametrize("suffix", ["frame", "jsonl"])
@pytest.mark.parametrize("docs", ["items", "both"])
@pytest.mark.parametrize("role", ["grade", "score", "rank", "subtopic"])
def test_a_named_column_that_lists_cannot_use_is_refused(tmp_path, role, docs, suffix):
    """In tables, and in records as of RAG pipelines."""
    is_run = role in ("score", "rank")
    lists = ("retrieved" if is_run else "relevant") if docs == "both" else docs
    table = pl.DataFrame({"query": ["1", "2"], lists: [["a", "b"], ["c"]], "mine": [5, 3]})
    path = tmp_path / "table.jsonl"
    table.write_ndjson(path)
    own = table if suffix == "frame" else path
    other = {"1": ["a"], "2": ["c"]}
    inputs = (other, own) if is_run else (own, other)
    place = "run" if is_run else "judgments"
    if suffix == "jsonl":
        place = "table.jsonl:1" if docs == "both" else "table.jsonl"
    with refuses(BadInput, place, "'mine'", "list"):
        gainful.evaluate(*inputs, "RR", columns={role: "mine"})


@pytest.mark.parametrize("suffix", ["frame", "jsonl"])
@pytest.mark.parametrize("lists", ["items", "retrieved"])
def test_named_columns_count_before_others_with_usual_names(tmp_path, lists, suffix):
    run = pl.DataFrame(
        {
            "id": [8, 9],
            "user": ["1", "2"],
            lists: [["x"], ["y"]],
            "mine": [["b", "a"], ["d", "c"]],
            "scores": [[1.0], [1.0]],
            "sure": [[0.2, 0.8], [0.2, 0.8]],
        }
    )
    path = tmp_path / "run.jsonl"
    run.write_ndjson(path)
    columns = {"query": "user", "doc": "mine", "score": "sure"}
    own = run if suffix == "frame" else path
    assert gainful.evaluate(RELEVANT, own, "RR", columns=columns).mean == {"RR": 1.0}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_whole_numbers_that_became_fractions_name_queries_beside_lists_too(make):
    lists = {"items": [["b", "a"], ["c"]]}
    run = make({"user": [1.0, 2.0], **lists})
    assert gainful.evaluate(RELEVANT, run, "RR").mean == {"RR": 0.75}
    with refuses(BadInput, "run, row 1", "nan"):
        gainful.evaluate(RELEVANT, make({"user": [1.0, np.nan], **lists}), "RR")
    with refuses(BadInput, "run, row 0", "1.5"):
        gainful.evaluate(RELEVANT, make({"user": [1.5, 2.0], **lists}), "RR")


@pytest.mark.parametrize("name", ["user", "customer"])
def test_an_index_with_the_name_of_a_query_is_a_column(name):
    table = pd.DataFrame({name: ["1", "1", "2"], "item": ["b", "a", "c"], "score": [2.0, 1.0, 1.0]})
    columns = {"run.query": "customer"} if name == "customer" else None
    for run in (
        table.set_index(name),
        table.set_index([name, "item"]),
        table.groupby(name)[["item", "score"]].agg(list),
    ):
        assert gainful.evaluate(RELEVANT, run, "RR", columns=columns).mean == {"RR": 0.75}


def test_an_index_is_no_query_beside_a_column_of_queries():
    run = pd.DataFrame({"query": ["1", "2"], "doc": ["a", "x"], "score": [1.0, 1.0]})
    run.index = pd.Index(["2", "1"], name="query_id")
    assert gainful.evaluate(RELEVANT, run, "RR").mean == {"RR": 0.5}


@pytest.mark.parametrize(
    ("name", "suffix"), [("items", "jsonl"), ("items", "parquet"), ("recommendations", "parquet")]
)
def test_texts_where_lists_are_due_are_named(tmp_path, name, suffix):
    table = pl.DataFrame({"user": ["1", "2"], name: ["['a', 'b']", "['c']"]})
    path = tmp_path / f"run.{suffix}"
    (table.write_ndjson if suffix == "jsonl" else table.write_parquet)(path)
    for run, place in ((table, "run"), (path, path.name)):
        with refuses(NoColumn, place, name, "texts", "lists"):
            gainful.evaluate(RELEVANT, run, "RR")
