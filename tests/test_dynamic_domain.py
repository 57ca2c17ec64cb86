"""TREC Dynamic Domain 2017: ratings of passages, summed over subtopics as the track's scorers do."""

from math import log, log2

import pytest
from example_files import SHARED_DATA
from facts import find_notes, list_facts
from refusals import refuses

from gainful import why
from gainful.errors import BadInput
from gainful.read.inputs import as_qrels
from gainful.sessions import evaluate

DATA = SHARED_DATA / "trec_dd"

QRELS = (
    "T1\tT1.1\ta\t11\t2\n"
    "T1\tT1.1\ta\t12\t3\n"
    "T1\tT1.2\ta\t13\t1\n"
    "T1\tT1.2\tb\t14\t0\n"
    "T1\tT1.2\tc\t15\t4\n"
)
RUN = (
    "T1\t0\tx\t9\t0\nT1\t0\ta\t5\t1\tT1.1:2|T1.1:3|T1.2:1\nT1\t1\ta\t9\t1\tT1.1:2\nT1\t1\tb\t8\t1\n"
)


def write(folder, qrels=QRELS, run=RUN):
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(run)
    return folder / "run", folder / "qrels"


def test_the_tracks_sample_scores_what_its_scorers_say():
    if not DATA.exists():
        pytest.skip("a topic of TREC Dynamic Domain (needs ../shared/data)")
    names = ["sDCG@1", "nsDCG@1", "CT", "ACT"]
    results = evaluate(DATA / "run.txt", DATA / "qrels.txt", names, like="trec_dd_2017")
    printed = [13.762618413, 0.189834642, 0.466666667, 0.433333333]
    assert [results.mean[name] for name in names] == pytest.approx(printed, abs=5e-10)


def test_five_fields_are_ratings_of_passages_summed_by_subtopic(tmp_path):
    write(tmp_path)
    qrels = as_qrels(tmp_path / "qrels")
    assert qrels.subtopics.rows() == [
        (0, "T1.1", 5.0),
        (0, "T1.2", 1.0),
        (1, "T1.2", 1.0),  # a rating of 0 counts as 1
        (2, "T1.2", 4.0),
    ]
    assert qrels.frame.rows() == [("T1", "a", 5.0), ("T1", "b", 1.0), ("T1", "c", 4.0)]
    assert qrels.locate(2) == f"{tmp_path}/qrels:5"
    assert ["1", "0", "1"] in [list_facts(note)[1:] for note in qrels.notes]


def test_sdcg_sums_over_subtopics_and_counts_each_document_once(tmp_path):
    run, qrels = write(tmp_path)
    results = evaluate(run, qrels, ["sDCG@2", "nsDCG@2"], like="trec_dd_2017")
    second = 1 / 2  # of rank 2
    earned = 6 * second + 1 * second / (1 + log(2, 4))  # a at rank 2; b at rank 2 of the second
    places = sorted(
        1 / (1 + log2(rank)) / (1 + log(query, 4)) for query in (1, 2) for rank in range(1, 6)
    )[::-1]
    best = 6 * places[0] + 4 * places[1] + 1 * places[2]
    assert results.mean["sDCG@2"] == pytest.approx(earned)
    assert results.mean["nsDCG@2"] == pytest.approx(earned / best)


def test_without_the_tracks_convention_the_highest_subtopic_counts(tmp_path):
    run, qrels = write(tmp_path)
    highest = evaluate(run, qrels, "sDCG@5", duplicates="first")
    assert highest.mean["sDCG@5"] == pytest.approx(5 / 2 + 1 / 2 / 1.5)
    summed = evaluate(run, qrels, "sDCG@5", duplicates="first", subtopic_grades="sum")
    assert summed.mean["sDCG@5"] == pytest.approx(6 / 2 + 1 / 2 / 1.5)


def test_why_tells_what_the_sum_makes(tmp_path):
    run, qrels = write(tmp_path, run="T1\t0\tx\t9\t0\nT1\t0\ta\t5\t1\n")
    reasons = why(qrels, run, "sDCG(at=results)@5", like="jk2008", unlike="trec_dd_2017")
    effects = {effect.cause.name: effect.effect for effect in reasons.causes}
    assert effects["subtopic_grades"] == pytest.approx(6 / 2 - 5 / 2)


def test_results_are_ranked_by_their_scores(tmp_path):
    run, qrels = write(tmp_path, run="T1\t0\tx\t5\t0\nT1\t0\ta\t9\t1\nT1\t0\tc\t9\t1\n")
    results = evaluate(run, qrels, "sDCG@1", like="trec_dd_2017")
    assert results.mean["sDCG@1"] == pytest.approx(6 + 4 / 2)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("T1\tT1.2\tc\t15\t2\n", ("'15'", "'c'")),
        ("T1\tT1.2\tc\t16\thigh\n", ("grade 'high'",)),
        ("T1\tT1.2\tc\t2\n", ("4 fields", "topic subtopic document passage rating")),
    ],
)
def test_ratings_that_cannot_be_are_told_with_their_line(tmp_path, line, named):
    _, qrels = write(tmp_path, QRELS + line)
    with refuses(BadInput, "qrels:6", *named):
        as_qrels(qrels)


def test_check_reports_ratings_of_passages(tmp_path, run_gainful):
    run, qrels = write(tmp_path)
    out = run_gainful("check", run, qrels).out
    assert "passages" in out
    qrels.write_text(QRELS + "T1\tT1.2\tc\t15\t2\n")
    outcome = run_gainful("check", run, qrels, status=1)
    assert find_notes(outcome.out.splitlines(), "line", "6", "'15'")


def test_five_fields_that_are_no_ratings_stay_a_mistake(tmp_path):
    (tmp_path / "q").write_text("1 Q0 a 1 9.5\n1 Q0 b 2 9.0\n")
    with refuses(BadInput, "q:1"):
        as_qrels(tmp_path / "q")
