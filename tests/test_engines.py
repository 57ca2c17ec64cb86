"""One body over all engines: whatever the data lives in, the values are the same."""

import os
import re
import signal
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines import FRAME_MAKERS, IDS, NO_IDS, get_spark
from facts import find_notes
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from strategies import EVERY, qrels_and_runs, to_frame

import gainful
import gainful.spark
from gainful.errors import BadInput
from gainful.match import parts
from gainful.read import engines, spill

STAYS = ["lazy polars", "DuckDB", "Spark"]
UNORDERED = ["DuckDB", "Spark"]
# Each convention brings something that an engine has to do: 32 bit, namesakes, queries that only
# the run has, queries that it lacks, documents taken out, averages over ties.
CONVENTIONS = {
    "gainful": (EVERY, {}),
    "pytrec_eval": (EVERY, {}),
    "trec_eval_j": (EVERY, {"missing": "zero"}),
    "beir": (["nDCG@3", "AP", "R@2"], {"fractional": "keep"}),
    "sklearn": (["nDCG@5", "nDCG"], {"negative": "zero"}),
    "catboost": (["nDCG@5", "DCG@2"], {}),
    "trectools": (["nDCG", "AP", "RR"], {}),
}


def random_qrels_and_run(seed):
    """Judgments and a run with ties, gaps, odd ids and odd grades."""
    random = np.random.default_rng(seed)
    docs = [f"d{n}" for n in range(25)] + ["ä", "Z", "d10", "~", "3", "00", "a b", "日本", "<b>"]
    qrels, run = {}, {}
    for n in range(60):
        query = str(n)
        if n % 10 != 9:  # the others only the run has
            chosen_docs = random.choice(docs, random.integers(1, 15), replace=False)
            qrels[query] = {str(d): float(random.integers(-1, 4)) for d in chosen_docs}
        if n % 7 != 6 or n % 10 == 9:  # the others it lacks
            chosen_docs = random.choice(docs, random.integers(1, 20), replace=False)
            steps = random.choice([1.0, 0.25, 1e-9])
            run[query] = {str(d): float(random.integers(-4, 5) * steps) for d in chosen_docs}
    return qrels, run


def assert_same_results(results, expected):
    assert sorted(results.queries) == sorted(expected.queries)
    expected_values = expected.values_by_query()
    for query, values in results.values_by_query().items():
        for name, value in values.items():
            theirs = expected_values[query][name]
            close = theirs is None or pytest.approx(theirs, abs=1e-12)
            assert value is None if theirs is None else value == close, (query, name)
    assert results.mean == pytest.approx(expected.mean, abs=1e-12, nan_ok=True)
    for count in ("queries", "missing", "extra", "retrieved", "judged", "duplicates"):
        assert results.counts[count] == expected.counts[count], count
    assert results.counts["unjudged_at_10"] == pytest.approx(expected.counts["unjudged_at_10"])


@pytest.mark.parametrize(
    ("make", "like"),
    [  # in parts, every convention: see below
        (make, like)
        for make in FRAME_MAKERS
        for like in CONVENTIONS
        if like == "gainful" or make not in STAYS
    ],
)
def test_every_engine_gives_the_values_of_dicts(make, like):
    judgments, run = random_qrels_and_run(7)
    measures, settings = CONVENTIONS[like]
    asked = {"measures": measures, "like": like, **settings}
    expected = gainful.evaluate(judgments, run, **asked)
    framed = FRAME_MAKERS[make](to_frame(run, "score"))
    assert_same_results(gainful.evaluate(judgments, framed, **asked), expected)


@pytest.mark.parametrize("make", FRAME_MAKERS)
def test_every_engine_takes_judgments_too_and_files_beside_them(make, tmp_path):
    judgments, run = random_qrels_and_run(8)
    expected = gainful.evaluate(judgments, run, ["nDCG@10", "AP"])
    judged, ranked = to_frame(judgments, "grade"), to_frame(run, "score")
    path, other = tmp_path / "run.parquet", tmp_path / "judgments.csv"
    ranked.write_parquet(path)
    judged.write_csv(other)
    renamed = judged.rename({"query": "qid", "doc": "docno", "grade": "relevance"})
    for given_ in ((FRAME_MAKERS[make](renamed), path), (other, FRAME_MAKERS[make](ranked))):
        assert_same_results(gainful.evaluate(*given_, ["nDCG@10", "AP"]), expected)


@pytest.mark.parametrize(
    ("make", "ties"),
    [
        *(("lazy polars", ties) for ties in ("best", "worst", "doc_ascending", "mean_rank")),
        *(("DuckDB", ties) for ties in ("best", "worst", "doc_ascending", "mean_rank")),
        *((make, "average") for make in STAYS),  # on workers each takes a second
        *(("lazy polars", ties) for ties in ("input", "reversed")),  # which has an order of rows
    ],
)
def test_ties_come_out_of_the_count(make, ties):
    judgments, run = random_qrels_and_run(9)
    measures = EVERY if ties in ("input", "reversed") else "nDCG@4"
    expected = gainful.evaluate(judgments, run, measures, ties=ties)
    framed = FRAME_MAKERS[make](to_frame(run, "score"))
    assert_same_results(gainful.evaluate(judgments, framed, measures, ties=ties), expected)


@contextmanager
def many_parts():
    """A few rows at a time come, are held, and make a part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "_ROWS_PER_BATCH", 4)
        patch.setattr(spill, "_MAX_HELD", 5)
        patch.setattr(spill, "_MAX_KEPT", 0)
        patch.setattr(parts, "_MAX_ROWS", 3)
        yield


def assert_identical(results, expected):
    """To the last digit of every query, and all that is counted and said."""
    assert sorted(results.queries) == sorted(expected.queries)
    assert results.notes == expected.notes
    assert results.counts == expected.counts
    assert results.values_by_query() == expected.values_by_query()


@pytest.mark.parametrize("make", ["pandas", "lazy polars", "DuckDB"])
@examples(30)
@given(data=qrels_and_runs())
def test_random_collections(make, data):
    judgments, run = data
    frame = to_frame(run, "score")
    for like in ("gainful", "pytrec_eval"):
        measures = ["nDCG@3", "AP", "Bpref", "RBP", "P@2", "ERR@3"]
        expected = gainful.evaluate(judgments, run, measures, like=like)
        assert_same_results(
            gainful.evaluate(judgments, FRAME_MAKERS[make](frame), measures, like=like), expected
        )
        in_memory = gainful.evaluate(judgments, frame, measures, like=like)
        with many_parts():
            framed = FRAME_MAKERS[make](frame)
            assert_identical(gainful.evaluate(judgments, framed, measures, like=like), in_memory)


@pytest.mark.parametrize("like", CONVENTIONS)
@pytest.mark.parametrize("make", STAYS)
def test_many_parts_are_as_one_in_memory(make, like):
    """Rows of all queries are mixed, documents stand twice, and some are named like their query."""
    judgments, run = random_qrels_and_run(14)
    judgments["0"] = {}
    run |= {"name": {"name": 1.0}, "12": {"12": 1.0, "d1": 0.5}}
    frame = to_frame(run, "score").sample(fraction=1.0, shuffle=True, seed=3)
    frame = pl.concat([frame, frame.head(20)])
    measures, settings = CONVENTIONS[like]
    # G and YAAP are infinite where one is hit twice
    measures = [name for name in measures if name not in {"G", "YAAP"}]
    asked = {"measures": measures, "like": like, "duplicates": "count", **settings}
    expected = gainful.evaluate(judgments, frame, **asked)
    with many_parts():
        results = gainful.evaluate(judgments, FRAME_MAKERS[make](frame), **asked)
    assert_identical(results, expected)
    orders = [
        [query for query in each.queries if query in judgments] for each in (results, expected)
    ]
    assert orders[0] == orders[1]


def test_subtopics_of_many_parts_are_as_in_memory():
    random = np.random.default_rng(5)
    rows = {
        (str(random.integers(9)), f"d{random.integers(9)}", str(random.integers(4)))
        for _ in range(150)
    }
    judged = pl.DataFrame(sorted(rows), schema=["query", "doc", "subtopic"], orient="row")
    judged = judged.with_columns(grade=1.0).sample(fraction=1.0, shuffle=True, seed=1)
    _, run = random_qrels_and_run(15)
    frame = to_frame(run, "score")
    measures = ["alpha_nDCG@5", "ERR_IA@5", "nDCG@5"]
    expected = gainful.evaluate(judged, frame, measures)
    with many_parts():
        assert_identical(gainful.evaluate(judged, frame.lazy(), measures), expected)


@pytest.mark.parametrize("settings", [{"ties": "reversed"}, {"duplicates": "last"}])
def test_rows_of_many_parts_keep_their_order(settings):
    judgments, run = random_qrels_and_run(16)
    frame = pl.concat([to_frame(run, "score"), to_frame(run, "score").with_columns(score=0.5)])
    asked = {"measures": EVERY, "duplicates": "count", **settings}
    expected = gainful.evaluate(judgments, frame, **asked)
    with many_parts():
        assert_identical(gainful.evaluate(judgments, frame.lazy(), **asked), expected)


@pytest.mark.parametrize("make", STAYS)
def test_duplicates_of_all_parts_are_counted_in_the_message(make):
    judgments, run = random_qrels_and_run(17)
    frame = pl.concat([to_frame(run, "score")] * 2)
    with many_parts(), pytest.raises(gainful.errors.Duplicated) as refused:
        gainful.evaluate(judgments, FRAME_MAKERS[make](frame), "RR")
    assert f"and {len(frame) // 2 - 1} more" in refused.value.problem


@pytest.mark.parametrize("make", ["lazy polars", "DuckDB"])
def test_a_query_of_too_many_rows_is_named(make, monkeypatch):
    monkeypatch.setattr(spill, "MAX_OWNER_ROWS", 9)
    run = {"1": {"a": 1.0}, "long": {f"d{n}": float(n) for n in range(10)}}
    with many_parts(), pytest.raises(BadInput) as refused:
        gainful.evaluate({"1": {"a": 1}}, FRAME_MAKERS[make](to_frame(run, "score")), "RR")
    assert (refused.value.where, "'long'" in refused.value.problem) == ("run", True)


def test_duckdb_needs_no_pyarrow(monkeypatch):
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    judgments, run = random_qrels_and_run(18)
    frame = to_frame(run, "score")
    expected = gainful.evaluate(judgments, frame, EVERY)
    assert_identical(gainful.evaluate(judgments, FRAME_MAKERS["DuckDB"](frame), EVERY), expected)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("make", ["lazy polars", "DuckDB"])
def test_a_full_disk_is_told_with_its_folder(make, monkeypatch):
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Path("/dev/full").open("r+b", 0))  # noqa: SIM115
    run = FRAME_MAKERS[make](to_frame({"1": {"a": 2.0, "b": 1.0}}, "score"))
    log = FRAME_MAKERS[make](LOG.with_columns(time=pl.lit("2026-01-01")).rename({"query": "text"}))
    for evaluate, rows in ((gainful.evaluate, run), (gainful.sessions.evaluate, log)):
        with many_parts(), pytest.raises(BadInput) as refused:
            evaluate({"1": {"a": 1}}, rows) if rows is run else evaluate(rows, {"a": {"x": 1}})
        assert refused.value.where == tempfile.gettempdir()
        assert "TMPDIR" in refused.value.expected


@pytest.mark.parametrize("make", STAYS)
def test_what_is_no_number_there_is_read_as_in_memory(make):
    """Ids that are whole floats, scores that are texts."""
    frame = pl.DataFrame({"query": [1.0, 1.0], "doc": ["a", "b"], "score": ["2.5", "10"]})
    assert gainful.evaluate({"1": {"a": 1}}, frame, "RR").mean == {"RR": 0.5}
    results = gainful.evaluate({"1": {"a": 1}}, FRAME_MAKERS[make](frame), "RR")
    assert results.mean == {"RR": 0.5}


@pytest.mark.parametrize("make", UNORDERED)
def test_rows_without_an_order_cannot_break_ties_by_it(make):
    judged = {"1": {"a": 1, "b": 0}}
    tied = FRAME_MAKERS[make](to_frame({"1": {"a": 0.5, "b": 0.5}}, "score"))
    with refuses(gainful.errors.Tied, "'1'"):
        gainful.evaluate(judged, tied, "nDCG@10", ties="input")
    plain = FRAME_MAKERS[make](to_frame({"1": {"a": 0.5, "b": 0.6}}, "score"))
    assert gainful.evaluate(judged, plain, "RR", ties="input").mean == {"RR": 0.5}


DUPLICATED = pl.DataFrame(
    {"query": ["1", "1", "1"], "doc": ["a", "b", "a"], "score": [0.9, 0.8, 0.7]}
)


@pytest.mark.parametrize("make", FRAME_MAKERS)
def test_duplicates_are_refused_or_counted_alike(make):
    judged = {"1": {"a": 1, "b": 1}}
    with refuses(gainful.errors.BadInput, "run", "'a'", "'1'"):
        gainful.evaluate(judged, FRAME_MAKERS[make](DUPLICATED), "P@3")
    results = gainful.evaluate(judged, FRAME_MAKERS[make](DUPLICATED), "P@3", duplicates="count")
    assert results.mean == {"P@3": 1.0}
    assert results.counts["duplicates"] == 1


@pytest.mark.parametrize("make", FRAME_MAKERS)
def test_the_last_of_two_wants_an_order(make):
    judged = {"1": {"a": 1}}
    first = gainful.evaluate(judged, FRAME_MAKERS[make](DUPLICATED), "RR", duplicates="first")
    assert first.mean == {"RR": 1.0}
    if make in UNORDERED:
        with refuses(gainful.errors.BadInput, "run"):
            gainful.evaluate(judged, FRAME_MAKERS[make](DUPLICATED), "RR", duplicates="last")
    else:
        results = gainful.evaluate(judged, FRAME_MAKERS[make](DUPLICATED), "RR", duplicates="last")
        assert results.mean == {"RR": 0.5}


@pytest.mark.parametrize("make", STAYS)
def test_whole_numbers_are_ids_and_ranks_can_stand_for_scores(make):
    frame = pl.DataFrame({"user_id": [1, 1, 2], "item_id": [10, 11, 10], "rank": [2, 1, 1]})
    results = gainful.evaluate({"1": {"10": 1}, "2": {"10": 1}}, FRAME_MAKERS[make](frame), "RR")
    assert results.values_by_query() == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}


def make_bad_frame(**columns):
    all_columns = {"query": ["1", "1"], "doc": ["a", "b"], "score": [0.5, 0.25]} | columns
    return pl.DataFrame(
        {name: values for name, values in all_columns.items() if values is not None}
    )


BAD = {  # and what the refusal names
    "no column": (make_bad_frame(score=None, s=[1.0, 2.0]), ("score", "query, doc, s")),
    "no doc column": (make_bad_frame(doc=None), ("document", "query, score")),
    "null query": (make_bad_frame(query=["1", None]), ("query",)),
    "null doc": (make_bad_frame(doc=["a", None]), ("doc",)),
    "empty doc": (make_bad_frame(doc=["a", ""]), ("doc",)),
    "null score": (make_bad_frame(score=[0.5, None]), ("score",)),
    "infinite score": (make_bad_frame(score=[0.5, float("inf")]), ("finite",)),
    "NaN": (make_bad_frame(score=[0.5, float("nan")]), ("score",)),
    "ids that are flags": (make_bad_frame(doc=[True, False]), ("holds",)),
    "ids that are lists": (make_bad_frame(doc=[["a"], ["b"]]), ("doc",)),
    "no rows": (make_bad_frame().head(0), ("no results",)),
    "grades": (make_bad_frame(score=None, grade=[1, 2]), ("swapped",)),
    "other queries": (make_bad_frame(query=["8", "9"]), ("common",)),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("make", ["pandas", "polars", *STAYS])
def test_bad_frames_are_told_in_one_line(make, case):
    frame, named = BAD[case]
    with pytest.raises(gainful.errors.BadInput) as raised:
        gainful.evaluate({"1": {"a": 1}}, FRAME_MAKERS[make](frame), "nDCG@10")
    assert [word for word in named if word not in str(raised.value)] == []
    assert "\n" not in str(raised.value)


WRONG_VALUES = st.sampled_from(
    [
        *({"query": None}, {"query": ""}, {"doc": None}, {"doc": ""}, {"score": None}),
        *({"score": float("nan")}, {"score": float("inf")}, {"doc": "a"}, {"query": "9"}),
    ]
)
WRONG_RUNS = st.lists(st.tuples(st.integers(0, 11), WRONG_VALUES), min_size=1, max_size=2)


@pytest.mark.parametrize("make", STAYS)
def test_any_mistakes_in_a_run_are_those_of_memory(make):
    """What is wrong with a run is the same everywhere, but for the place."""

    @examples(3 if make == "Spark" else 25)
    @given(mistakes=WRONG_RUNS, duplicates=st.sampled_from(["error", "first", "count"]))
    def check(mistakes, duplicates):
        rows = [
            {"query": f"{query}", "doc": doc, "score": float(number)}
            for query in range(3)
            for number, doc in enumerate("abcd")
        ]
        for number, mistake in mistakes:
            rows[number] |= mistake
        schema = {"query": pl.String, "doc": pl.String, "score": pl.Float64}
        frame = pl.DataFrame(rows, schema=schema)
        expected = [ask(frame, duplicates)]
        if make == "Spark":  # its rows have no order, so the last mistake may come first
            expected.append(ask(frame.reverse(), duplicates))
        with many_parts():
            assert ask(FRAME_MAKERS[make](frame), duplicates) in expected

    check()


def ask(run, duplicates):
    """The value of each query, or what is wrong."""
    try:
        judged = {"0": {"a": 1}, "2": {"b": 2}}
        results = gainful.evaluate(judged, run, ["nDCG@3", "AP"], duplicates=duplicates)
    except BadInput as mistake:
        places = r": run, row \d+(, run, row \d+)*"  # of which frames without an order have none
        return type(mistake), re.sub(places, "", mistake.problem), mistake.expected
    return results.values_by_query(), results.counts


@pytest.mark.parametrize("make", STAYS)
def test_why_brings_a_run_here(make):
    judged, run = {"1": {"a": 3, "b": 1, "c": 2}}, to_frame({"1": {"b": 2.0, "a": 1.0}}, "score")
    reasons = gainful.why(
        judged, FRAME_MAKERS[make](run), "nDCG@2", like="trec_eval", unlike="quepid_cut"
    )
    linear = (1 + 3 / np.log2(3)) / (3 + 2 / np.log2(3))
    exponential = (1 + 7 / np.log2(3)) / (7 + 3 / np.log2(3))
    assert reasons.means == pytest.approx((linear, exponential))
    assert find_notes(reasons.notes[:1], "memory")


@pytest.mark.parametrize("make", STAYS)
def test_subtopics_are_known_wherever_the_run_is(make):
    rows = [("1", "a", "x", 1), ("1", "b", "x", 1), ("1", "c", "y", 1), ("2", "a", "z", 1)]
    judged = pl.DataFrame(rows, schema=["query", "doc", "subtopic", "grade"], orient="row")
    run = to_frame({"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"x": 2.0, "a": 1.0}}, "score")
    measures = ["alpha_nDCG@3", "ERR_IA@3", "StRecall@2", "nDCG@3"]
    expected = gainful.evaluate(judged, run, measures)
    assert_same_results(
        gainful.evaluate(FRAME_MAKERS[make](judged), FRAME_MAKERS[make](run), measures), expected
    )
    assert expected.values_by_query()["1"]["StRecall@2"] == 0.5


@pytest.mark.parametrize("make", ["pandas", "polars", "lazy polars", "DuckDB"])
@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_type_have_the_values_of_plain_ones(kind, make):
    """Of queries and of documents; judgments name them as texts."""
    rows = {"query": [0, 0, 1, 1], "doc": [0, 1, 1, 0], "score": [0.9, 0.8, 0.9, 0.8]}
    plain = pl.DataFrame(rows)
    own = plain.with_columns(query=IDS[kind][plain["query"]], doc=IDS[kind][plain["doc"]])
    first, second = IDS[kind].cast(pl.String)
    measures = ["nDCG@10", "RR"]
    expected = gainful.evaluate({"0": {"1": 1}, "1": {"0": 3, "1": 2}}, plain, measures)
    qrels = {first: {second: 1}, second: {first: 3, second: 2}}
    results = gainful.evaluate(qrels, FRAME_MAKERS[make](own), measures)
    theirs = expected.values_by_query()
    assert results.values_by_query() == {first: theirs["0"], second: theirs["1"]}


@pytest.mark.parametrize("make", ["pandas", "polars", "lazy polars", "DuckDB"])
@pytest.mark.parametrize("kind", NO_IDS)
def test_what_is_no_id_is_refused_everywhere(kind, make):
    own = pl.DataFrame({"query": NO_IDS[kind], "doc": ["a", "b"], "score": [0.9, 0.8]})
    with refuses(gainful.errors.BadInput, "run", "'query'"):
        gainful.evaluate({"1": {"a": 1}}, FRAME_MAKERS[make](own))
    log = own.select(session="query", query=1, rank=pl.Series([1, 2]), doc="doc")
    with refuses(gainful.errors.BadInput, "sessions", "'session'"):
        gainful.sessions.evaluate(FRAME_MAKERS[make](log), {"1": {"a": 1}})


@pytest.mark.parametrize("make", ["pandas", "polars", *STAYS])
def test_numbers_and_texts_as_ids_are_told_apart(make):
    judged = FRAME_MAKERS[make](pl.DataFrame({"query": ["1"], "doc": [7], "grade": [1]}))
    run = pl.DataFrame({"query": ["1"], "doc": ["7"], "score": [0.5]})
    results = gainful.evaluate(judged, FRAME_MAKERS[make](run), "RR")
    assert results.mean == {"RR": 1.0}
    (note,) = results.notes
    assert find_notes([note], "doc", "texts", "numbers")
    padded = run.with_columns(doc=pl.lit("07"))
    with refuses(gainful.errors.BadInput, "run"):
        gainful.evaluate(judged, FRAME_MAKERS[make](padded), "RR")


@pytest.mark.parametrize(
    "numbered", [{1: {10: 1.0}, 2: {12: 1.0}}, {"1": {10: 1.0}, "2": {"12": 1.0}}]
)
def test_numbers_in_dicts_meet_the_ids_of_frames(numbered):
    judged = pl.DataFrame({"qid": [1, 2], "docno": [10, 12], "rel": [2, 1]})
    assert gainful.evaluate(judged, numbered, "nDCG").mean == {"nDCG": 1.0}
    with refuses(BadInput, "run"):  # dicts of two kinds, even if some meet
        gainful.evaluate({"1": {"10": 1}, "2": {"12": 1}}, {"1": {10: 1.0}, "2": {"12": 1.0}}, "AP")


def test_columns_that_nobody_needs_are_not_looked_at_and_ids_come_before_texts():
    odd = pd.DataFrame({"qid": [1], "docno": ["a"], "score": [1.0], "other": [object()]})
    odd = pd.concat([odd, odd[["other"]]], axis=1)
    columns = {"qid": ["1"], "query": ["soup"], "docid": [3], "docno": ["a"], "score": [1.0]}
    for frame in (odd, pd.DataFrame(columns)):  # PyTerrier's frames have both
        assert gainful.evaluate({"1": {"a": 1}}, frame, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("make", STAYS)
def test_judgments_without_a_column_say_what_there_is(make):
    odd = FRAME_MAKERS[make](pl.DataFrame({"query": ["1"], "zzz": ["a"], "grade": [1]}))
    with refuses(gainful.errors.BadInput, "judgments"):
        gainful.evaluate(odd, {"1": {"a": 1.0}}, "RR")


def test_a_plan_that_runs_python_and_fails_is_quoted():
    def fails(_):
        raise ZeroDivisionError("no")

    lazy = to_frame({"1": {"a": 1.0}}, "score").lazy().map_batches(fails)
    with refuses(gainful.errors.BadInput, "run") as raised:
        gainful.evaluate({"1": {"a": 1}}, lazy, "RR")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("make", STAYS)
def test_one_bad_row_among_many_is_shown(make):
    frame = make_bad_frame(doc=["a", None])
    with pytest.raises(gainful.errors.BadInput) as refused:
        gainful.evaluate({"1": {"a": 1}}, FRAME_MAKERS[make](frame), "nDCG@10")
    assert any(place in str(refused.value) for place in ("row 1", "query '1', document null"))


def test_an_engine_that_fails_is_quoted():
    import duckdb

    broken = duckdb.sql("SELECT '1' AS query, 'a' AS doc, CAST('x' || 1 AS DOUBLE) AS score")
    with refuses(gainful.errors.BadInput, "run"):
        gainful.evaluate({"1": {"a": 1}}, broken, "nDCG@10")
    with refuses(gainful.errors.BadInput, "run"):
        gainful.evaluate({"1": {"a": 1}}, pl.scan_parquet("nowhere.parquet"), "nDCG@10")


class TestSpark:
    """Values that stay in Spark, and a session that has stopped."""

    @pytest.mark.parametrize("like", ["pytrec_eval", "beir", "sklearn"])
    def test_values_per_query_can_stay_a_spark_frame(self, like):
        judgments, run = random_qrels_and_run(11)
        measures, settings = CONVENTIONS[like]
        entries = {measure: gainful.parse(measure).entry for measure in measures}
        measures = [
            name for name, e in entries.items() if not (e.needs_subtopics or e.needs_scores)
        ]
        asked = {"measures": measures, "like": like, **settings}
        expected = gainful.evaluate(judgments, run, **asked)
        frame = gainful.spark.per_query(
            FRAME_MAKERS["Spark"](to_frame(judgments, "grade")),
            FRAME_MAKERS["Spark"](to_frame(run, "score")),
            **asked,
        )
        assert type(frame).__module__.startswith("pyspark")
        rows = {row["query"]: row.asDict() for row in frame.collect()}
        assert sorted(rows) == sorted(expected.queries)
        for query, values in expected.values_by_query().items():
            for name, value in values.items():
                theirs = rows[query][name]
                if value is None:
                    assert theirs is None
                else:
                    assert theirs == pytest.approx(value, abs=1e-12), (query, name)

    def test_measures_of_ones_own_reach_the_workers(self):
        def Last(matched, *, rel=1):
            ranks = matched.rank * matched.relevant(rel)
            return [ranks[matched.query == q].max(initial=0) for q in range(matched.size)]

        gainful.register(Last)
        framed = FRAME_MAKERS["Spark"](to_frame({"1": {"a": 0.5, "b": 0.7}}, "score"))
        frame = gainful.spark.per_query({"1": {"a": 2}}, framed, "Last")
        assert [row.asDict() for row in frame.collect()] == [{"query": "1", "Last": 2.0}]

    @pytest.mark.parametrize(("duplicates", "expected"), [("first", 0.5), ("count", 1.0)])
    def test_a_document_that_stands_twice_counts_as_in_evaluate(self, duplicates, expected):
        rows = [("1", "a", 0.9), ("1", "a", 0.8), ("1", "b", 0.7)]
        frame = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
        judged = {"1": {"a": 1}}
        assert gainful.evaluate(judged, frame, "P@2", duplicates=duplicates)["P@2"] == expected
        framed = FRAME_MAKERS["Spark"](frame)
        values = gainful.spark.per_query(judged, framed, "P@2", duplicates=duplicates, flat=True)
        assert [row.asDict() for row in values.collect()] == [{"query": "1", "p_at_2": expected}]

    def test_whether_anything_was_hit_is_asked_of_the_whole_run(self):
        """Nothing is relevant to the others: recommenders leaves them out, unless none has a hit."""
        others = {str(number): {"x": 0} for number in range(2, 9)}
        judged = {"1": {"a": 1}} | others
        run = {"1": {"a": 1.0}} | {query: {"b": 1.0} for query in others}
        asked = {"measures": "nDCG@5", "like": "recommenders_raw", "ties": "best"}
        expected = gainful.evaluate(judged, run, **asked).values_by_query()
        assert {query: expected[query]["nDCG@5"] for query in ("1", "2")} == {"1": 1.0, "2": None}
        framed = FRAME_MAKERS["Spark"](to_frame(run, "score"))
        rows = gainful.spark.per_query(judged, framed, **asked).collect()
        assert {row["query"]: {"nDCG@5": row["nDCG@5"]} for row in rows} == expected

    def test_queries_that_were_judged_without_a_document_count(self):
        framed = FRAME_MAKERS["Spark"](to_frame({"1": {"a": 0.5}}, "score"))
        judged = {"1": {"a": 1}, "3": {}}
        expected = gainful.evaluate(judged, {"1": {"a": 0.5}}, "RR").values_by_query()
        rows = gainful.spark.per_query(judged, framed, "RR").collect()
        assert {row["query"]: {"RR": row["RR"]} for row in rows} == expected

    def test_subtopics_are_folded_as_in_evaluate(self):
        rows = [("1", "a", "x", 1), ("1", "a", "y", 2)]
        judged = pl.DataFrame(rows, schema=["query", "doc", "subtopic", "grade"], orient="row")
        framed = FRAME_MAKERS["Spark"](to_frame({"1": {"b": 0.7, "a": 0.5}}, "score"))
        values = gainful.spark.per_query(FRAME_MAKERS["Spark"](judged), framed, "DCG@2")
        assert values.collect()[0]["DCG@2"] == pytest.approx(2 / np.log2(3))

    @pytest.mark.parametrize(
        ("judged", "run", "settings", "named"),
        [
            ({"1": {"a": 1}}, {"2": {"a": 0.5}}, {}, ("common",)),
            ({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 0.5}}, {"missing": "error"}, ("'2'",)),
            ({"1": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 0.5}}, {"extra": "error"}, ("'2'",)),
            ({"1": {"a": -1, "b": 1}}, {"1": {"a": 0.5}}, {"negative": "error"}, ("-1", "0")),
            ({"1": {"a": 0.5}}, {"1": {"a": 0.5}}, {"fractional": "error"}, ("whole",)),
            ({"1": {"a": 1}}, {"1": {"a": 0.5}}, {"ties": "input"}, ("order", "rows")),
            ({"1": {"a": 1}}, {"1": {"a": 0.5}}, {"measures": "alpha_nDCG@5"}, ("alpha_nDCG",)),
            # judgments in Spark: ids of two kinds that never meet, and what may be grades
            ({"query": ["1"], "doc": [7], "grade": [1]}, {"1": {"07": 1.0}}, {}, ("doc",)),
            ({"query": ["1"], "doc": ["a"], "y_true": [3]}, {"1": {"a": 1.0}}, {}, ("'y_true'",)),
            (
                {"query": ["1", "1"], "doc": ["a", "a"], "grade": [1, 2]},
                *({"1": {"a": 0.5}}, {}, ("twice",)),
            ),
            ({"query": ["1"], "doc": [None], "grade": [1]}, {"1": {"a": 0.5}}, {}, ("doc",)),
            (
                {"query": ["1"], "doc": ["a"], "score": [1.0], "rank": [1]},
                *({"1": {"a": 0.5}}, {}, ("swapped",)),
            ),
        ],
    )
    def test_what_is_refused_is_refused_at_once(self, judged, run, settings, named):
        if "doc" in judged:
            null_docs = {"doc": pl.String} if judged["doc"] == [None] else {}
            frame = pl.DataFrame(judged, schema_overrides=null_docs)
            judged = FRAME_MAKERS["Spark"](frame)
        framed = FRAME_MAKERS["Spark"](to_frame(run, "score"))
        with pytest.raises((BadInput, gainful.errors.BadValue)) as refused:
            gainful.spark.per_query(judged, framed, **{"measures": "nDCG@10"} | settings)
        assert [word for word in named if word not in str(refused.value)] == []

    def test_other_runs_are_sent_to_evaluate(self):
        with refuses(gainful.errors.WrongType, "run"):
            gainful.spark.per_query({"1": {"a": 1}}, {"1": {"a": 1.0}}, "RR")

    def test_a_stopped_session_is_said_to_have_stopped(self):
        """The next test gets a new session, of the same Java machine."""
        frame = get_spark().createDataFrame([("1", "a", 0.5)], ["query", "doc", "score"])
        get_spark().stop()
        get_spark.cache_clear()
        for call in (gainful.evaluate, gainful.spark.per_query):
            with refuses(gainful.errors.BadInput, "run", "stopped"):
                call({"1": {"a": 1}}, frame, "RR")


@pytest.mark.parametrize(
    ("make", "name"),
    [
        *(
            (make, name)
            for make in ("pandas", "polars", "lazy polars", "Arrow", "DuckDB")
            for name in ("^s.*$", "^.*$", "*", "a.b", "gainful_run", "own_2a")
        ),
        ("Spark", "^s.*$"),  # each takes seconds
    ],
)
def test_names_of_columns_are_literal(make, name):
    """The second document is the best by the usual column, the last by the one that is named."""
    columns = {"query": ["1", "1"], "doc": ["a", "b"], "score": [1.0, 2.0], name: [5.0, 1.0]}
    run = FRAME_MAKERS[make](pl.DataFrame(columns))
    assert gainful.evaluate({"1": {"b": 1}}, run, "RR").mean == {"RR": 1.0}
    graded = pl.DataFrame({"query": ["1"], "doc": ["b"], "grade": [0], name: [1]})
    mapped = {"score": name, "grade": name}
    results = gainful.evaluate(FRAME_MAKERS[make](graded), run, "RR", columns=mapped)
    assert results.mean == {"RR": 0.5}


@pytest.mark.parametrize("name", ["^s.*$", "^.*$", "*"])
def test_names_of_columns_are_literal_in_the_first_column_of_a_file(tmp_path, name):
    path = tmp_path / "run.csv"
    path.write_text(f"{name},doc,score\n1,a,1\n\n1,b,2\n", encoding="utf-8")
    results = gainful.evaluate({"1": {"b": 1}}, path, "RR", columns={"query": name})
    assert results.mean == {"RR": 1.0}


def end_early(monkeypatch):
    """Let a query of polars end as a signal ends it, after its first rows."""
    whole = pl.LazyFrame.sink_batches

    def stop(native, take, **options):
        whole(native.head(1), take, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.LazyFrame, "sink_batches", stop)


LOG = pl.DataFrame({"session": ["a", "b"], "query": [1, 1], "rank": [1, 1], "doc": ["x", "x"]})


@pytest.mark.parametrize("qrels", [None, {"a": {"x": 1}, "b": {"x": 1}}])
def test_a_stream_that_a_signal_ends_is_no_result(monkeypatch, qrels):
    log = LOG.with_columns(clicked=pl.lit(value=True)).lazy()
    assert gainful.sessions.summarise(log, qrels, "sDCG@5").mean == {"sDCG@5": 1.0}
    end_early(monkeypatch)
    expected = {
        signal.SIG_IGN: (BadInput, "SIGINT"),
        signal.default_int_handler: (KeyboardInterrupt, ""),
    }
    usual = signal.getsignal(signal.SIGINT)
    try:
        for handler, (error, word) in expected.items():
            signal.signal(signal.SIGINT, handler)
            with pytest.raises(error) as stopped:
                gainful.sessions.summarise(log, qrels, "sDCG@5")
            assert word in str(stopped.value)
    finally:
        signal.signal(signal.SIGINT, usual)


def test_a_stream_that_nobody_wants_any_more_ends(monkeypatch):
    monkeypatch.setattr(engines, "_ROWS_PER_BATCH", 1)
    before = threading.active_count()
    stream = engines.POLARS.stream(pl.LazyFrame({"a": range(100)}))
    next(stream), next(stream)
    stream.close()
    deadline = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before  # others, of other libraries, may have ended too


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that are forked")
def test_a_forked_process_says_that_polars_lost_its_threads(run_python):
    code = """
import os, signal, gainful, polars as pl
run = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "score": [2.0, 1.0]})
PARENT
def ask(run):
    if (child := os.fork()) == 0:
        signal.alarm(30)
        try:
            print(gainful.evaluate({"1": {"b": 1}}, run, "AP").mean["AP"], flush=True)
        except gainful.errors.GainfulError as error:
            print(str(error).splitlines() == [str(error)] and "spawn" in str(error), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
ask(run), ask({"1": {"a": 2, "b": 1}}), ask({"1": ["a", "b"]})
"""
    for parent, answer in {
        "": "0.5",  # in which the child begins the threads itself
        "run.join(run, on='doc')": "True",
        "gainful.evaluate({'1': {'b': 1}}, run, 'AP')": "True",
    }.items():
        assert run_python(code.replace("PARENT", parent)).split() == [answer, "0.5", "0.5"]


def test_a_spark_worker_that_dies_is_named():
    """Not only the call that failed for it, which says nothing."""

    def die(batches):
        os._exit(9)
        yield from batches

    run = FRAME_MAKERS["Spark"](pl.DataFrame({"query": ["1"], "doc": ["a"], "score": [1.0]}))
    with refuses(BadInput, "run", "Python", "worker", "crashed"):
        gainful.evaluate({"1": {"a": 1}}, run.mapInArrow(die, run.schema), "AP")
