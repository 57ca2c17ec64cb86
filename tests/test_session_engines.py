"""The same sessions, in frames of every make and in files, give the same values."""

from __future__ import annotations

import polars as pl
import pytest
from engines import FRAME_MAKERS

import gainful

STUDY = gainful.sessions.simulate_study(3)
MEASURES = [
    "nsDCG@10",
    "sDCG(duplicates=first)@5",
    "sRBP",
    "IR",
    "Session(of='nDCG@10', over=best)",
]


@pytest.mark.parametrize("make", FRAME_MAKERS)
def test_frames_of_every_make(make):
    expected = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, MEASURES)
    framed, judged = FRAME_MAKERS[make](STUDY.sessions.frame), FRAME_MAKERS[make](STUDY.qrels.frame)
    results = gainful.sessions.evaluate(framed, judged, MEASURES)
    by_name = dict(zip(expected.ids, range(len(expected.ids)), strict=True))
    assert sorted(results.ids) == sorted(expected.ids)
    for name, values in results.values.items():
        theirs = [expected.values[name][by_name[session]] for session in results.ids]
        assert values.tolist() == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_files_of_every_kind(suffix, tmp_path):
    path = tmp_path / f"sessions.{suffix}"
    frame = STUDY.sessions.frame
    if suffix == "parquet":
        frame.write_parquet(path)
    elif suffix == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="," if suffix == "csv" else "\t")
    expected = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, MEASURES)
    results = gainful.sessions.evaluate(path, STUDY.qrels, MEASURES)
    assert results.mean == pytest.approx(expected.mean, abs=1e-12)


def test_rows_may_come_in_any_order():
    shuffled = STUDY.sessions.frame.sample(fraction=1.0, shuffle=True, seed=5)
    expected = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, MEASURES)
    results = gainful.sessions.evaluate(shuffled, STUDY.qrels, MEASURES)
    assert results.mean == pytest.approx(expected.mean, abs=1e-12)
    assert isinstance(results.per_session, pl.DataFrame)
