"""Lists of documents in the cells of tables and in Series of pandas: whose they are, what counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from refusals import refuses

import gainful
from gainful.errors import BadInput, Duplicated

RELEVANT = {"1": {"a": 1}, "2": {"c": 1}}


@pytest.mark.parametrize("names", [["u1", "u2", "u3"], [7, 9, 11], [7.0, 9.0, 11.0]])
@pytest.mark.parametrize("scored", [False, True], ids=["lists", "dicts"])
def test_the_index_of_a_series_of_rankings_names_the_queries(names, scored):
    judged = pd.Series([["a"], ["b"], ["c"]], index=names)
    found = [{"c": 0.5}, {"b": 0.5}, {"a": 0.5}] if scored else [["c"], ["b"], ["a"]]
    run = pd.Series(found, index=names[::-1])
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
