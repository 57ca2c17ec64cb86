"""Lengths of sessions, last queries against those before them, and reformulations; by hand."""

from math import isnan, log

import polars as pl
import pytest
from refusals import refuses

import gainful
from gainful import SessionResults
from gainful.errors import BadValue, UnknownName

# The session of golden/sessions.json (s), one that fails and then succeeds (t), one query (u),
# and one that finds nothing at all (v).
LISTS = {
    ("s", "x"): ["abc", "db", "def"],
    ("t", "x"): ["a", "d"],
    ("u", "y"): ["b"],
    ("v", "y"): ["a", "c"],
}
GRADES = {"d": 3, "e": 2, "b": 1, "g": 1}
W3 = 1 / (1 + log(3, 4))  # what is left of a third query's gain
TEXTS = {("s", 2): "second try", ("s", 3): "third try"}


last_queries, lengths = SessionResults.last_queries, SessionResults.lengths
reformulations = SessionResults.reformulations


def session_rows(*, texts):
    rows = []
    for (session, system), queries in LISTS.items():
        for position, docs in enumerate(queries, start=1):
            for rank, doc in enumerate(docs, start=1):
                row = {"session": session, "query": position, "rank": rank, "doc": doc}
                text = TEXTS.get((session, position), "first try")
                rows.append(row | {"system": system} | ({"text": text} if texts else {}))
    return pl.DataFrame(rows)


def evaluate_sessions(measures="sDCG@3", *, texts=False, **settings):
    qrels = {session: GRADES for session, _ in LISTS}
    return gainful.sessions.evaluate(session_rows(texts=texts), qrels, measures, **settings)


def mean_vector(analysis, which, **keys):
    rows = analysis.vectors.filter(pl.col("which") == which)
    for name, value in keys.items():
        rows = rows.filter(pl.col(name) == value)
    assert rows["rank"].to_list() == [1, 2, 3]
    assert rows["n"].n_unique() == 1
    return rows["mean"].to_list(), rows["n"][0]


def test_lengths_count_sessions_by_their_queries():
    assert lengths(evaluate_sessions(), "system") == [
        {"system": "x", "sessions": 2, "queries": 5, "mean": 2.5, "by_queries": {1: 0, 2: 1, 3: 1}},
        {"system": "y", "sessions": 2, "queries": 3, "mean": 1.5, "by_queries": {1: 1, 2: 1, 3: 0}},
    ]


def test_lengths_of_the_simulated_study_are_table_2_of_the_paper():
    study = gainful.sessions.simulate_study(5)
    first, two = lengths(gainful.sessions.evaluate(study.sessions, study.qrels), "system")
    assert [*first["by_queries"].values()] == [28, 7, 10, 4, 5, 4, 1, 1, 0, 0, 0]
    assert [*two["by_queries"].values()] == [21, 7, 9, 11, 2, 4, 2, 2, 0, 1, 1]
    assert (round(first["mean"], 2), round(two["mean"], 2)) == (2.53, 3.18)
    (every,) = lengths(gainful.sessions.evaluate(study.sessions, study.qrels))
    assert (every["sessions"], every["queries"]) == (120, 343)


@pytest.mark.parametrize(
    ("which", "options", "first", "others", "number"),
    [
        ("last", {}, (3 * W3 + 2) / 2, (4 * W3 + 2) / 2, 2),
        # the others pooled, or within their session first
        ("non_last", {}, 2 / 3, (0.5 + 7 / 3) / 3, 3),
        ("non_last", {"non_last": "within"}, 1 / 2, (0.5 + 7 / 3) / 4, 2),
        ("best", {}, (2 + 2) / 2, (7 / 3 + 2) / 2, 2),  # with the discount of its position
    ],
)
def test_queries_of_the_golden_session(which, options, first, others, number):
    table = last_queries(evaluate_sessions(), by="system", **options)
    mean, n = mean_vector(table, which, system="x")
    assert (mean, n) == (pytest.approx([first, others, others]), number)


def test_the_sentence_about_last_queries_has_the_means_of_the_table():
    results = evaluate_sessions()
    for options, before in (({}, (0.5 + 7 / 3) / 3), ({"non_last": "within"}, (0.5 + 7 / 3) / 4)):
        answer = results.page("last", ["system"], **options).answer
        assert f"({(4 * W3 + 2) / 2:.3f} and {before:.3f} on average)" in answer


def test_a_curve_is_that_of_the_first_measure_that_has_one():
    results = evaluate_sessions(["sRBP", "sDCG@3"])
    for curve in (results.curve, results.vectors):
        assert curve().equals(curve("sDCG@3"))
    with refuses(BadValue, "measure", "sDCG or nsDCG"):
        evaluate_sessions("sRBP").curve()


def test_in_how_many_sessions_the_last_query_is_the_best():
    x, y = last_queries(evaluate_sessions(), by="system").shares.rows(named=True)
    assert x == {
        "system": "x",
        "sessions": 2,
        "one_query": 0,
        "gained_nothing": 0,
        "last_is_best": 1,  # t; in s the second query (7/3) beats the third (4·W3 = 2.23)
        "share": 0.5,
        "share_of_several": 0.5,
    }
    assert (y["one_query"], y["gained_nothing"], y["last_is_best"]) == (1, 1, 1)
    assert (y["share"], y["share_of_several"]) == (1.0, None)


def test_sessions_of_one_query_have_no_query_before_the_last():
    frame = session_rows(texts=False).filter(pl.col("session") == "u")
    table = last_queries(gainful.sessions.evaluate(frame, {"u": GRADES}, "sDCG@3"))
    rows = table.vectors.filter(pl.col("which") == "non_last")
    assert rows["mean"].to_list() == [None] * 3
    assert rows["n"].to_list() == [0] * 3
    assert table.shares["one_query"].to_list() == [1]


def test_the_last_rank_of_the_vectors_adds_up_to_the_measure():
    study = gainful.sessions.simulate_study(3)
    results = gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")
    table = last_queries(results).vectors.filter(pl.col("rank") == 10)
    parts = dict(zip(table["which"], (table["mean"] * table["n"]), strict=True))
    assert (parts["last"] + parts["non_last"]) / 120 == pytest.approx(results.mean["sDCG@10"])
    assert parts["best"] >= parts["last"]


def test_reformulations_split_new_gain_from_repeated_gain():
    table = reformulations(evaluate_sessions(texts=True))
    rows = table.queries.filter(pl.col("session") == "s")
    assert rows["new"].to_list() == pytest.approx([0.5, 2.0, W3])
    assert rows["repeated"].to_list() == pytest.approx([0, 1 / 3, 3 * W3])
    assert rows["gain"].to_list() == pytest.approx([0.5, 7 / 3, 4 * W3])
    assert rows["change"].to_list()[0] is None
    assert rows["change"].to_list()[1:] == pytest.approx([7 / 3 - 0.5, 4 * W3 - 7 / 3])
    assert rows["before"].to_list() == [None, "first try", "second try"]
    assert rows["text"].to_list() == ["first try", "second try", "third try"]


def test_which_reformulation_of_a_session_helped_most_and_least():
    table = reformulations(evaluate_sessions()).sessions
    assert table["session"].to_list() == ["s", "t", "v"]  # u was never reformulated
    assert table["most"].to_list() == [2, 2, 2]
    assert table["least"].to_list() == [3, 2, 2]
    assert table["most_change"].to_list() == pytest.approx([11 / 6, 2, 0])
    assert table["least_change"].to_list() == pytest.approx([4 * W3 - 7 / 3, 2, 0])


def test_the_best_and_the_worst_reformulations_over_all_sessions_and_per_system():
    table = reformulations(evaluate_sessions())
    assert table.most(2).select("session", "query").rows() == [("t", 2), ("s", 2)]
    assert table.least(1).select("session", "query").rows() == [("s", 3)]
    assert table.least(1, "system").select("system", "session", "query").rows() == [
        ("x", "s", 3),
        ("y", "v", 2),
    ]
    assert "text" not in table.queries.columns


def test_what_is_new_depends_on_the_depth():
    """b stands at rank 2 of the first query: a searcher who looks at one result has not seen it."""
    frame = pl.DataFrame({"session": ["s"] * 3, "query": [1, 1, 2], "doc": ["a", "b", "b"]})
    for x, expected in ((1, [0, 2 / 3]), (2, [0.5, 0])):
        results = gainful.sessions.evaluate(frame, {"s": {"b": 1}}, f"sDCG@{x}")
        assert reformulations(results).queries["new"].to_list() == pytest.approx(expected)


def test_repeated_documents_earn_nothing_more_when_only_the_first_time_counts():
    table = reformulations(evaluate_sessions("sDCG(duplicates=first)@3")).queries
    assert table["repeated"].to_list() == [0.0] * 8
    assert table.filter(pl.col("session") == "s")["gain"].to_list() == pytest.approx([0.5, 2.0, W3])


def test_gains_of_reformulations_add_up_to_the_measure():
    study = gainful.sessions.simulate_study(4)
    results = gainful.sessions.evaluate(study.sessions, study.qrels, "nsDCG@10")
    table = reformulations(results).queries
    direct = gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")
    assert table["gain"].sum() / 120 == pytest.approx(direct.mean["sDCG@10"])
    assert table["repeated"].sum() > 0
    assert (table["new"] + table["repeated"]).to_list() == pytest.approx(table["gain"].to_list())


def test_what_cannot_be_asked_for():
    results = evaluate_sessions(["sDCG@3", "nsDCG@3"])
    with refuses(BadValue, "non_last"):
        last_queries(results, non_last="some")
    with refuses(UnknownName, "sDCG@4"):
        last_queries(results, "sDCG@4")
    with refuses(UnknownName, "sytem", "system"):
        lengths(results, "sytem")
    with refuses(UnknownName, "sytem"):
        reformulations(results).most(by="sytem")
    with refuses(BadValue, "n"):
        reformulations(results).least(0)
    assert last_queries(results, "nsDCG@3").measure == "nsDCG@3"


@pytest.mark.parametrize("average", ["ratios", "vectors"])
def test_a_growing_mean_of_sessions_that_are_all_left_out_is_no_number(average):
    shown = pl.DataFrame({"session": ["s", "t"], "query": [1, 1], "doc": ["a", "a"]})
    results = gainful.sessions.evaluate(
        shown,
        {"s": {"a": 0}, "t": {"a": 0}},
        "nsDCG@2",
        hold="growing",
        empty="skip",
        average=average,
    )
    assert isnan(results.mean["nsDCG@2"])
