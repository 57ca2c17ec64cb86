"""Judgments for subtopics: where they are read from, what is refused, what is kept of them."""

import numpy as np
import polars as pl
import pytest
from facts import list_facts
from refusals import refuses
from written_files import write_file

import gainful
from gainful.match import frames
from gainful.read.inputs import as_qrels
from gainful.read.qrels_and_run import Run

LINES = "1 x a 1\n1 y b 1\n1 y a 3\n2 x a 0\n"
FRAME = [("1", "a", 3.0), ("1", "b", 1.0), ("2", "a", 0.0)]
SUBTOPIC_ROWS = [(0, "x", 1.0), (1, "y", 1.0), (0, "y", 3.0), (2, "x", 0.0)]
RUN = "1 Q0 a 1 0.9 r\n1 Q0 b 2 0.8 r\n2 Q0 a 1 0.5 r\n"


def subtopic_frame(name):
    rows = [line.split() for line in LINES.splitlines()]
    columns = ["query_id", name, "doc_id", "relevance"]
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.col("relevance").cast(pl.Int64)
    )


def test_the_second_column_of_trec_judgments_is_the_subtopic(tmp_path):
    for text in (LINES, LINES.replace(" ", "\t"), LINES.replace(" ", "  ")):
        qrels = as_qrels(write_file(tmp_path / "qrels", text))
        assert qrels.frame.rows() == FRAME
        assert qrels.subtopics.rows() == SUBTOPIC_ROWS
        assert qrels.locate(2) == f"{tmp_path}/qrels:4"


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "Subtopic-ID", "intent", "aspect"])
def test_a_column_of_a_table_may_be_the_subtopic(tmp_path, name):
    frame = subtopic_frame(name)
    frame.write_csv(tmp_path / "q.csv")
    frame.write_parquet(tmp_path / "q.parquet")
    for given in (frame, frame.to_pandas(), tmp_path / "q.csv", tmp_path / "q.parquet"):
        qrels = as_qrels(given)
        assert qrels.frame.rows() == FRAME
        assert qrels.subtopics.rows() == SUBTOPIC_ROWS


def test_one_and_the_same_subtopic_is_none(tmp_path):
    for column in ("0", "Q0"):
        text = f"1 {column} a 1\n1 {column} b 0\n"
        assert as_qrels(write_file(tmp_path / "q", text)).subtopics is None
    constant = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "grade": [1, 0], "aspect": 0})
    assert as_qrels(constant).subtopics is None


TABLE = "query,subtopic,doc,grade\n1,x,a,1\n{}\n1,z,c,1\n"


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("1 x a 1\n1 y a 1\n1 x a 2\n", ("q:3", "'a'", "'1'", "'x'", "1 and 2")),
        ("1 0 a 1\n1 0 a 2\n", ("q:2", "'a'", "'1'", "1 and 2")),
        ("1 x a 1\n1 y a inf\n", ("q:2", "grade 'inf'")),
        ("1 x a 1\n1 a 1\n", ("q:2", "'1 a 1'", "3 fields")),
        (TABLE.format("1,,b,1"), ("q.csv:3", "subtopic")),
        (TABLE.format("1,y,b,nan"), ("q.csv:3", "grade 'nan'")),
        (TABLE.format("1,x,a,2"), ("q.csv:3", "'a'", "'1'", "'x'", "twice")),
    ],
)
def test_what_cannot_be_is_told_with_its_line(tmp_path, text, about):
    with refuses(gainful.errors.BadInput, about) as refused:
        as_qrels(write_file(tmp_path / about[0].partition(":")[0], text))
    assert "\n" not in str(refused.value)


def test_a_grade_of_a_frame_that_is_not_finite_is_refused():
    grades = pl.Series("relevance", [1.0, float("nan"), 1.0, 1.0])
    for odd in (grades, pl.Series("subtopic", ["x", None, "y", "y"])):
        with refuses(gainful.errors.BadInput, "judgments, row 1"):
            as_qrels(subtopic_frame("subtopic").with_columns(odd))


def test_check_says_how_many_subtopics_there_are(tmp_path, run_gainful):
    path = write_file(tmp_path / "q", LINES)
    facts = [list_facts(line) for line in run_gainful("check", path).out.splitlines()]
    assert ["3", "2", "1", "2"] in facts  # judged documents of queries, from 1 to 2 each
    assert ["4", "3", "2", "1", "2", "1"] in facts  # judgments for subtopics; one for several
    printed = run_gainful("check", write_file(path, LINES + "2 x a 1\n"), status=1).out
    facts = [list_facts(line) for line in printed.splitlines()]
    assert ["'a'", "'2'", "4", "5"] in facts
    assert "subtopic" not in run_gainful("check", write_file(path, "1 0 a 1\n1 0 b 1\n")).out


def test_trec_eval_stops_at_a_document_that_is_judged_twice_as_it_always_did(tmp_path, run_gainful):
    qrels, run = write_file(tmp_path / "q", LINES), write_file(tmp_path / "r", RUN)
    printed = run_gainful("trec_eval", "-m", "map", qrels, run, status=4)
    assert "'1'" in printed.err
    assert "'a'" in printed.err
    rounds = write_file(tmp_path / "rounds", "1 0.5 a 1\n1 1 b 0\n2 2 a 1\n")  # as TREC-COVID's
    printed = run_gainful("trec_eval", "-m", "map", rounds, run)
    assert printed.out == "map                   \tall\t1.0000\n"


def match_subtopics():
    qrels = as_qrels(subtopic_frame("subtopic"))
    rows = [("2", "a", 1.0), ("1", "z", 3.0), ("1", "b", 2.0), ("1", "a", 1.0)]
    run = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
    return frames.match_frames(qrels, Run(run))


def subtopics_by_doc(matched):
    """{(query, grade of the document): [(subtopic, grade)]}, whatever the numbers are."""
    subtopics = matched.subtopics
    entries: dict[object, list[object]] = {}
    for doc, subtopic, grade in zip(
        subtopics.doc.tolist(), subtopics.subtopic.tolist(), subtopics.grade.tolist(), strict=True
    ):
        key = matched.queries[matched.pool_query[doc]], float(matched.pool_grade[doc])
        entries.setdefault(key, []).append((subtopic, grade))
    return entries


def test_every_retrieved_document_knows_its_place_in_the_pool():
    matched = match_subtopics()
    everything = {("1", 3.0): [(0, 1.0), (1, 3.0)], ("1", 1.0): [(1, 1.0)], ("2", 0.0): [(0, 0.0)]}
    assert subtopics_by_doc(matched) == everything
    first, second = (matched.select_queries(np.arange(2) == at) for at in (0, 1))
    for part, query in ((first, "1"), (second, "2")):
        expected = {key: entry for key, entry in everything.items() if key[0] == query}
        assert subtopics_by_doc(part) == expected
    for part in (matched, first, second, matched.cut(2), matched.cut(1)):
        assert part.pool_query[part.pool_index].tolist() == part.query.tolist()
        assert part.pool_grade[part.pool_index].tolist() == part.grade.tolist()
    assert len(matched.cut(2).pool_index) == 2  # a of query 1 stands at rank 3


@pytest.mark.parametrize("unjudged", ["zero", "remove"])
@pytest.mark.parametrize("negative", ["zero", "remove"])
def test_places_stay_right_when_rankings_are_closed_up(unjudged, negative):
    from gainful.measure.ranked_run import rank_run

    frame = subtopic_frame("subtopic").with_columns(relevance=pl.Series([-1, 1, -2, 2]))
    run = pl.DataFrame({"query": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
    matched = frames.match_frames(as_qrels(frame), Run(run))
    view = rank_run(matched, gainful.Convention(unjudged=unjudged, negative=negative))
    assert view.pool_grade[view.pool_index].tolist() == view.grade.tolist()
    assert view.pool_query[view.pool_index].tolist() == view.query.tolist()
    gone = negative == "remove"
    assert len(view.subtopics.doc) == 4 - 2 * gone
    assert view.subtopics.doc.max() == len(view.pool_query) - 1
    assert view.select_queries(np.array([True, False])).rank.tolist() == ([1] if gone else [1, 2])


def test_a_run_of_which_nothing_is_left_scores_nothing():
    judged = {"q": {"a": 1}}
    run = pl.DataFrame({"query": ["q"], "doc": ["q"], "score": [1.0]})
    assert gainful.evaluate(judged, run, "AP", namesake="remove").mean == {"AP": 0.0}


@pytest.mark.parametrize("measure", ["nDCG@2", "alpha_nDCG@2"])
def test_queries_of_a_dict_may_be_numbers_as_for_any_judgments(measure):
    by_text, by_number = {"1": {"b": 2.0, "a": 1.0}}, {1: {"b": 2.0, "a": 1.0}}
    results = [
        gainful.evaluate(subtopic_frame("subtopic"), run, measure) for run in (by_text, by_number)
    ]
    assert results[0].mean == results[1].mean
    assert results[1].mean[measure] > 0
