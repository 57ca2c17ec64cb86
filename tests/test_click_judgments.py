"""Judgments out of clicks: the gain of a document for each time it was seen, and what is left out."""

from inspect import signature
from math import log2
from pathlib import Path

import polars as pl
import pytest
from facts import list_facts
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import read_qrels, write_file

import gainful
from gainful.errors import BadInput, BadValue
from gainful.match.click_judgments import ClickJudgments
from gainful.sessions import judge_by_clicks

FEW = {"least_impressions": 1, "least_users": 1}


def make_log(*lists, text="soup"):
    """A session for each list of documents, of which those in capitals are clicked."""
    rows = [
        (f"s{number}", f"u{number % 3}", text, rank, doc.lower(), doc.isupper())
        for number, docs in enumerate(lists)
        for rank, doc in enumerate(docs, 1)
    ]
    names = ["session", "searcher", "text", "rank", "doc", "clicked"]
    return pl.DataFrame(rows, names, orient="row").with_columns(query=pl.lit(1))


def test_the_grade_is_the_share_of_impressions_that_were_clicked():
    judged = judge_by_clicks(make_log("Ab", "ab", "bA", "Abc"), **FEW)
    assert judged.frame.rows() == [
        ("soup", "a", 0.75, 3, 4, 3),  # by users 0, 1, 2 and 0 again
        ("soup", "b", 0.0, 0, 4, 3),
        ("soup", "c", 0.0, 0, 1, 1),
    ]
    assert gainful.evaluate(judged.qrels, {"soup": ["b", "a"]}, "DCG@1").mean == {"DCG@1": 0}


def test_clicks_at_ranks_that_few_look_at_weigh_more():
    judged = judge_by_clicks(make_log("aB", "Ab", "ab", "ab"), propensity=[1, 0.5], **FEW)
    assert dict(judged.frame.select("doc", "grade").iter_rows()) == {"a": 0.25, "b": 0.5}


def test_what_nobody_looked_at_was_not_seen():
    log = make_log("Abc", "abc").with_columns(scanned=pl.lit(2.0))
    judged = judge_by_clicks(log, **FEW)
    assert judged.frame["doc"].to_list() == ["a", "b"]
    weighted = judge_by_clicks(log, propensity=[1, 1, 0.1], **FEW)  # which stand for that
    assert weighted.frame["doc"].to_list() == ["a", "b", "c"]


def test_grades_by_thresholds():
    clicks = {"a": 1, "c": 2, "d": 10, "e": 30}  # of 100: 0.02, 0.1 and 0.3 are documented
    lists = [
        "".join(doc.upper() if at < clicks[doc] else doc for doc in clicks) for at in range(100)
    ]
    judged = judge_by_clicks(make_log(*lists), grades="0-3")
    assert dict(judged.frame.select("doc", "grade").iter_rows()) == {"a": 0, "c": 1, "d": 2, "e": 3}


def test_queries_that_few_asked_are_left_out_and_counted():
    often = make_log(*["Ab"] * 12)
    seldom = make_log("Ab", text="stew").with_columns(session=pl.lit("other"))
    alone = make_log(*["Ab"] * 12, text="broth").with_columns(
        pl.format("b{}", "session").alias("session"), searcher=pl.lit("u")
    )
    judged = judge_by_clicks(pl.concat([often, seldom, alone]))
    assert judged.frame["query"].unique().to_list() == ["soup"]
    assert [list_facts(note)[:2] for note in judged.notes if "left out" in note] == [["2", "3"]]
    with pytest.raises(BadInput):
        judge_by_clicks(seldom)


CHARACTERS = st.characters(exclude_categories=["Cc", "Cs"])
IDS = st.text(CHARACTERS, min_size=1, max_size=6).filter(
    lambda text: text == " ".join(text.split())
)
ODD = st.sampled_from(["#1", 'say "a"', "a,b", "a;b", "7", "null", "NA", "leek soup", "-", "'"])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
@given(pairs=st.lists(st.tuples(IDS | ODD, IDS | ODD), min_size=1, max_size=5, unique=True))
def test_what_is_written_is_read_again(suffix, pairs, tmp_path_factory):
    rows = [(query, doc, at / 3, at, 3, 2) for at, (query, doc) in enumerate(pairs)]
    names = ["query", "doc", "grade", "clicks", "impressions", "users"]
    judged = ClickJudgments(pl.DataFrame(rows, names, orient="row"))
    path = tmp_path_factory.getbasetemp() / f"qrels{suffix}"
    judged.write_qrels(path)
    assert sorted(read_qrels(path).frame.rows()) == sorted(judged.qrels.frame.rows())


def test_trec_needs_queries_without_blanks(tmp_path):
    judged = judge_by_clicks(make_log("Ab", "ab"), **FEW)
    path = tmp_path / "qrels.txt"
    judged.write_qrels(path)
    assert path.read_text(encoding="utf-8") == "soup 0 a 0.5\nsoup 0 b 0\n"
    assert read_qrels(path).frame.rows() == [("soup", "a", 0.5), ("soup", "b", 0.0)]
    judged.write_qrels(tmp_path / "qrels.tsv")  # texts between tabs need no quotes
    assert '"' not in (tmp_path / "qrels.tsv").read_text(encoding="utf-8")
    blank = judge_by_clicks(make_log("Ab", text="leek soup"), **FEW)
    for file in ("q.txt", "q.xlsx"):
        with pytest.raises(BadValue):
            blank.write_qrels(tmp_path / file)
    with pytest.raises(BadValue) as refused:
        judge_by_clicks(make_log("Ab", text="#1"), **FEW).write_qrels(tmp_path / "q.txt")
    assert "begins with #" in refused.value.allowed  # as comments do
    assert not (tmp_path / "q.txt").exists()


@pytest.mark.parametrize(
    ("log", "options", "error"),
    [
        (make_log("Ab"), {"grades": "0-5"}, BadValue),
        (make_log("Ab"), {"least_users": 0}, BadValue),
        (make_log("Ab"), {"gain_from": "bought"}, gainful.errors.UnknownName),
        (make_log("Ab").drop("text"), {}, BadInput),
    ],
)
def test_what_cannot_be_asked_for(log, options, error):
    with pytest.raises(error):
        judge_by_clicks(log, **FEW | options)


def test_the_command_writes_what_eval_reads(tmp_path, run_gainful):
    log, path = tmp_path / "log.csv", tmp_path / "qrels.csv"
    make_log(*["aBc"] * 11).write_csv(log)
    outcome = run_gainful("sessions", log, "--write-qrels", path, "--grades", "0-3")
    assert outcome.out.splitlines()[1] == f"{path}\t3\t1\t1"
    run = write_file(tmp_path / "run.csv", "query,doc,score\nsoup,a,2\nsoup,b,1\n")
    assert run_gainful("eval", path, run, "-m", "RR").out.split()[-1] == "0.5"
    assert run_gainful("sessions", log, "--grades", "0-3", status=2).out == ""
    assert run_gainful("sessions", log, "--write-qrels", log, status=2).out == ""
    assert Path(log).read_text(encoding="utf-8").startswith("session")
    lines = run_gainful("sessions", "--help").out
    assert "[10]" in lines  # as the function has it
    assert signature(judge_by_clicks).parameters["least_impressions"].default == 10


@pytest.mark.parametrize("column", ["query", "text"])
@pytest.mark.parametrize("engine", ["file", "lazy"])
def test_a_log_is_evaluated_by_the_judgments_out_of_its_clicks(tmp_path, column, engine):
    """Two of four searchers click b, which stands second: a gains nothing, b a half."""
    rows = [
        row
        for user in range(4)
        for row in (
            (user, 10, "leek soup", "shown", "a", 1),
            (user, 10, "leek soup", "shown", "b", 2),
            *([(user, 20, "leek soup", "clicked", "b", 2)] if user % 2 else []),
        )
    ]
    log = pl.DataFrame(rows, ["user", "time", "query", "event", "doc", "rank"], orient="row")
    path, judged = tmp_path / "log.csv", tmp_path / "judged.csv"
    log.write_csv(path)
    judge_by_clicks(path, **FEW).write_qrels(judged)
    sessions = path if engine == "file" else log.lazy()
    with refuses(BadInput, "log.csv" if engine == "file" else "sessions", "topic=text"):
        gainful.sessions.evaluate(sessions, judged, "sDCG@2")
    results = gainful.sessions.evaluate(sessions, judged, "sDCG@2", columns={"topic": column})
    assert results.mean["sDCG@2"] == 0.5 / (1 + log2(2))  # of the second rank
