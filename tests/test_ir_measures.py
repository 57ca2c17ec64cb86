"""`gainful.ir_measures` in place of ir_measures: the same calls, the same numbers."""

from __future__ import annotations

import ir_measures as theirs
import pytest
from hypothesis import given
from strategies import collections

import gainful.ir_measures as ours

NAMES = ["nDCG@10", "AP(rel=2)", "P(rel=2)@5", "RR", "R@3", "nDCG(dcg='log2')@3", "Bpref", "SetF"]


@given(collections(extra=False))
def test_the_same_calls_give_the_same_numbers(data):
    qrels, run = data
    asked = [theirs.parse_measure(name) for name in NAMES]
    mine = [ours.parse_measure(name) for name in NAMES]
    found = ours.calc_aggregate(mine, qrels, run)
    expected = theirs.calc_aggregate(asked, qrels, run)
    assert list(found.values()) == pytest.approx([expected[m] for m in asked], abs=1e-9)
    values = {(v.query_id, str(v.measure)): v.value for v in ours.iter_calc(mine, qrels, run)}
    names = dict(zip(asked, mine, strict=True))
    for value in theirs.iter_calc(asked, qrels, run):
        key = value.query_id, str(names[value.measure])
        assert values[key] == pytest.approx(value.value, abs=1e-9)


def test_judgments_and_runs_as_ir_measures_takes_them(tmp_path):
    qrels = [ours.Qrel("1", "a", 2), ours.Qrel("1", "b", 0)]
    run = [ours.ScoredDoc("1", "b", 0.9), ours.ScoredDoc("1", "a", 0.5)]
    (tmp_path / "q").write_text("1 0 a 2\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 b 1 0.9 x\n1 Q0 a 2 0.5 x\n")
    assert list(ours.read_trec_qrels(tmp_path / "q")) == qrels
    assert list(ours.read_trec_run(tmp_path / "r")) == run
    measures = [ours.nDCG @ 10, ours.RR, ours.SDCG(max_grade=2) @ 3]
    for judged in (qrels, tmp_path / "q", {"1": {"a": 2, "b": 0}}):
        found = ours.evaluator(measures, judged).calc(run)
        assert found.aggregated[ours.RR] == 0.5
        assert [metric.query_id for metric in found.per_query] == ["1"] * 3
    assert ours.calc(measures, qrels, run) == found
    assert [str(m) for m in ours.parse_trec_measure("P.5,10")] == ["P@5", "P@10"]
    with pytest.raises(AttributeError, match="did you mean nDCG?"):
        ours.nDGC  # noqa: B018


def test_frames_of_other_makes():
    import pandas as pd
    import polars as pl

    import gainful

    qrels = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [2, 0]})
    run = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], "score": [0.9, 0.5]})
    assert ours.calc_aggregate([ours.RR], qrels, run) == {ours.RR: 0.5}
    lazy = pl.LazyFrame({"query": [1, 1], "doc": ["b", "a"], "score": [0.9, 0.5]})
    assert gainful.evaluate(qrels, lazy, "RR").mean == {"RR": 0.5}

    class Arrow:
        def __arrow_c_stream__(self, requested_schema=None):
            return pl.DataFrame({"query": ["1"], "doc": ["a"], "score": [1.0]}).__arrow_c_stream__(
                requested_schema
            )

    assert gainful.evaluate(qrels, Arrow(), "RR").mean == {"RR": 1.0}
    with pytest.raises(
        gainful.BadInput, match="there is no column for the score; there are query_id, doc_id"
    ):
        gainful.evaluate(qrels, run[["query_id", "doc_id"]], "RR")
    with pytest.raises(gainful.BadInput, match="run, row 1: there is no doc"):
        gainful.evaluate(
            qrels, pd.DataFrame({"query": ["1", "1"], "doc": ["a", None], "score": [1, 2]}), "RR"
        )
    with pytest.raises(gainful.BadInput, match="column 'doc' holds"):
        gainful.evaluate(qrels, pd.DataFrame({"query": ["1"], "doc": [["a"]], "score": [1]}), "RR")


def test_measures_are_called_as_there():
    import gainful

    assert ours.nDCG(dcg="exp-log2") @ 3 == gainful.parse("nDCG(dcg='exp-log2')@3")
    assert ours.nDCG(judged_only=True) @ 3 == gainful.parse("nDCG(judged_only=True)@3")
    assert ours.INST(T=1, min_rel=0, max_rel=4) == gainful.parse("INST(T=1, max_grade=4)")
    assert ours.nDCG(gains={0: 0, 1: 3}, cutoff=3) == gainful.parse("nDCG(gain={0:0,1:3})@3")
    assert ours.MRR == ours.RR
    assert ours.Recall @ 5 == ours.R @ 5
    assert "nDCG" in ours.__all__
    for run in ({}, [], {"other": {"x": 1}}):
        assert ours.calc_aggregate([ours.RR], {"1": {"a": 1}}, run) == {ours.RR: 0.0}
        assert list(ours.iter_calc([ours.RR], {"1": {"a": 1}}, run)) == []
