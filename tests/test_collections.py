"""Runs on several collections: values are those of each alone, means by hand, gaps are said."""

import json
from shutil import copy

import numpy as np
import pytest
from example_files import EXAMPLES
from refusals import refuses
from scipy import stats as scipys

import gainful
from gainful.errors import BadInput, GainfulError


@pytest.fixture
def folder(tmp_path):
    """Three layouts: files side by side, a folder of runs, BEIR's with a prediction of MTEB."""
    for name in ("qrels", "bm25", "dense"):
        for place, source in (("news", "news/"), ("recipes", "")):
            where = tmp_path / place / ("runs" if place == "recipes" and name != "qrels" else "")
            where.mkdir(parents=True, exist_ok=True)
            copy(EXAMPLES / f"{source}{name}.txt", where)
    (tmp_path / "tiny" / "qrels").mkdir(parents=True)
    (tmp_path / "tiny" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    (tmp_path / "tiny" / "corpus.jsonl").write_text('{"_id": "a", "text": "…"}\n')
    (tmp_path / "tiny" / "bm25_predictions.json").write_text('{"1": {"b": 0.5, "a": 0.25}}')
    return tmp_path


def test_values_are_those_of_each_collection_and_means_by_hand(folder):
    results = gainful.evaluate_collections(folder, ["AP", "nDCG@3"])
    assert results.collections == ["news", "recipes", "tiny"]
    assert results.runs == ["bm25", "dense"]
    alone = gainful.evaluate(folder / "news" / "qrels.txt", folder / "news" / "dense.txt", "AP")
    assert results.values["AP"]["dense"]["news"] == alone["AP"]
    row = list(results.values["AP"]["bm25"].values())
    assert row[-1] == 0.5  # the only relevant document at rank 2
    average = results.mean["AP"]["bm25"]
    low, high = scipys.t.interval(0.95, 2, np.mean(row), scipys.sem(row))
    assert average.mean == pytest.approx(np.mean(row))
    assert (average.low, average.high) == pytest.approx((max(low, 0), min(high, 1)))


def test_a_run_that_is_missing_somewhere_has_no_mean_and_that_is_said(folder, run_gainful):
    results = gainful.evaluate_collections(folder, "AP")
    assert results.values["AP"]["dense"]["tiny"] is None
    assert results.mean["AP"]["dense"].mean is None
    assert [note for note in results.notes if "dense" in note and "tiny" in note]
    text = run_gainful("eval", "--collections", folder, "-m", "AP", "--format", "json").out
    assert json.loads(text)["mean"]["AP"]["dense"]["mean"] is None
    assert run_gainful("eval", "--collections", folder, "-m", "AP", "--format", "csv").err


def test_what_cannot_be_read_stops_it_unless_it_is_to_keep_going(folder):
    (folder / "tiny" / "dense.json").write_text("{")
    (folder / "empty").mkdir()
    with pytest.raises(GainfulError):
        gainful.evaluate_collections(folder, "AP")
    results = gainful.evaluate_collections(folder, "AP", keep_going=True)
    assert results.collections == ["news", "recipes", "tiny"]
    assert (len(results.notes), results.unread) == (2, ("empty", "tiny"))


@pytest.mark.parametrize(
    ("make", "about"),
    [
        (lambda folder: folder / "nowhere", "nowhere"),
        (lambda folder: folder / "news" / "qrels.txt", "qrels.txt"),
        (lambda folder: folder / "tiny" / "qrels", "qrels"),
    ],
)
def test_what_is_no_folder_of_folders_is_refused(folder, make, about):
    with refuses(BadInput, about):
        gainful.evaluate_collections(make(folder))


def test_two_files_of_judgments_are_not_guessed_between(folder):
    copy(folder / "news" / "qrels.txt", folder / "news" / "old-qrels.txt")
    with refuses(BadInput, "news"):
        gainful.evaluate_collections(folder)


def test_two_runs_that_differ_behind_a_dot_are_two_and_two_of_one_name_are_refused(folder):
    copy(folder / "news" / "bm25.txt", folder / "news" / "bm25.v2.txt")
    results = gainful.evaluate_collections(folder, "AP")
    assert results.runs == ["bm25", "bm25.v2", "dense"]
    copy(folder / "news" / "bm25.txt", folder / "news" / "bm25.run")
    with refuses(BadInput, "news"):
        gainful.evaluate_collections(folder, "AP")


def test_equal_values_have_a_mean_and_no_interval(tmp_path):
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        for name in ("qrels", "bm25"):
            copy(EXAMPLES / f"{name}.txt", tmp_path / place)
    mean = gainful.evaluate_collections(tmp_path, "AP").mean["AP"]["bm25"]
    assert mean.mean is not None
    assert (mean.low, mean.high) == (None, None)


@pytest.mark.parametrize("broken", ["bm25_predictions.json", "qrels/test.tsv"])
def test_means_are_over_the_collections_of_which_all_could_be_read(folder, broken):
    (folder / "tiny" / broken).write_text("{")
    copy(folder / "news" / "bm25.txt", folder / "news" / "third.txt")
    results = gainful.evaluate_collections(folder, "AP", keep_going=True)
    assert results.values["AP"]["bm25"]["tiny"] is None
    for run in ("bm25", "dense"):
        row = results.values["AP"][run]
        expected = (row["news"] + row["recipes"]) / 2
        assert results.mean["AP"][run].mean == pytest.approx(expected)
    assert results.mean["AP"]["third"].mean is None
    assert len(results.notes) == 2  # what is left out, and that third is not in recipes


def test_a_run_of_nothing_but_an_unreadable_collection_is_named(folder):
    (folder / "tiny" / "only_here.txt").write_text("1 Q0 a 1 0.5 x\n", "utf-8")
    for path in (folder / "tiny" / "qrels").iterdir():
        path.write_text("garbage\n", "utf-8")
    results = gainful.evaluate_collections(folder, "AP", keep_going=True)
    assert any("only_here" in note for note in results.notes)
