"""`gainful.ir_measures` in place of ir_measures: the same calls, the same numbers."""

from __future__ import annotations

import ir_measures as theirs
import pytest
from hypothesis import given, strategies as st
from profiles import examples
from strategies import qrels_and_runs, subtopic_qrels_and_runs

import gainful.ir_measures as ours

NAMES = ["nDCG@10", "AP(rel=2)", "P(rel=2)@5", "RR", "R@3", "nDCG(dcg='log2')@3", "Bpref", "SetF"]


@given(qrels_and_runs(extra=False))
def test_the_same_calls_give_the_same_numbers(data):
    qrels, run = data
    asked = [theirs.parse_measure(name) for name in NAMES]
    mine = [ours.parse_measure(name) for name in NAMES]
    means = ours.calc_aggregate(mine, qrels, run)
    expected = theirs.calc_aggregate(asked, qrels, run)
    assert list(means.values()) == pytest.approx([expected[m] for m in asked], abs=1e-9)
    values = {(v.query_id, str(v.measure)): v.value for v in ours.iter_calc(mine, qrels, run)}
    names = dict(zip(asked, mine, strict=True))
    for value in theirs.iter_calc(asked, qrels, run):
        key = value.query_id, str(names[value.measure])
        assert values[key] == pytest.approx(value.value, abs=1e-9)


SUBTOPICS = [
    "alpha_DCG@5", "alpha_DCG(alpha=0.3)@1", "alpha_nDCG@20", "alpha_nDCG(alpha=0.9, rel=2)@10",
    "ERR_IA@20", "ERR_IA@1", "nERR_IA(rel=2)@5", "NRBP", "NRBP(alpha=0.2, beta=0.8)", "AP_IA",
    "MAP_IA(rel=2)", "P_IA(rel=2)@5", "StRecall@3", "nNRBP(beta=0.9)", "nNRBP(rel=3, alpha=0.7)",
]  # fmt: skip


@pytest.mark.parametrize("engine", ["tuples", "frames"])
@examples(40)
@given(data=subtopic_qrels_and_runs())
def test_the_same_numbers_for_subtopics_ties_included(engine, data):
    rows, run = data
    if engine == "tuples":
        qrels = [theirs.Qrel(query, doc, grade, row) for query, row, doc, grade in rows]
    else:
        import pandas as pd

        qrels = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    mine = {name: ours.parse_measure(name) for name in [*SUBTOPICS, "AP", "P(rel=2)@5"]}
    values = {
        (metric.query_id, metric.measure): metric.value
        for metric in ours.iter_calc(mine.values(), qrels, run)
    }
    means = ours.calc_aggregate(mine.values(), qrels, run)
    for name, measure in mine.items():
        asked = theirs.parse_measure(name)  # one by one: together, only the first gets the run
        known = {metric.query_id: metric.value for metric in theirs.iter_calc([asked], qrels, run)}
        known = {query: value for query, value in known.items() if value == value}  # noqa: PLR0124
        for query, value in known.items():
            assert values[query, measure] == pytest.approx(value, abs=1e-9), name
        expected = theirs.calc_aggregate([asked], qrels, run)[asked]
        if expected == expected:  # noqa: PLR0124  (nNRBP is no number where nothing is relevant)
            assert means[measure] == pytest.approx(expected, abs=1e-9), name


@examples(40)
@given(data=subtopic_qrels_and_runs(tied=False), name=st.sampled_from(SUBTOPICS))
def test_the_same_by_the_name_of_the_convention(data, name):
    import polars as pl

    import gainful

    rows, run = data
    frame = pl.DataFrame(rows, schema=["query", "subtopic", "doc", "grade"], orient="row")
    values = gainful.evaluate(frame, run, name, like="ir_measures").values_by_query()
    qrels = [theirs.Qrel(query, doc, grade, row) for query, row, doc, grade in rows]
    for metric in theirs.iter_calc([theirs.parse_measure(name)], qrels, run):
        if metric.value == metric.value:
            assert values[metric.query_id][name] == pytest.approx(metric.value, abs=1e-9)


def test_subtopics_as_ir_measures_takes_them(tmp_path):
    (tmp_path / "q").write_text("1 x a 1\n1 y a 1\n1 z b 1\n")
    qrels = list(ours.read_trec_qrels(tmp_path / "q"))
    assert qrels == [ours.Qrel("1", "a", 1, "x"), ours.Qrel("1", "a", 1, "y"), ours.Qrel("1", "b", 1, "z")]  # fmt: skip
    run = [ours.ScoredDoc("1", "a", 1.0)]
    for judged in (qrels, iter(qrels), tmp_path / "q"):
        values = ours.calc([ours.StRecall @ 5, ours.AP, ours.α_nDCG @ 5], judged, iter(run))
        assert values.aggregated[ours.StRecall @ 5] == pytest.approx(2 / 3)
        assert values.aggregated[ours.AP] == 1 / 2
        assert [metric.query_id for metric in values.per_query] == ["1"] * 3
    assert ours.calc_aggregate([ours.StRecall @ 5], {"1": {"a": 1}}, run) == {ours.StRecall @ 5: 1}
    assert ours.calc_aggregate([ours.StRecall @ 5], qrels, []) == {ours.StRecall @ 5: 0}
    import gainful

    with pytest.raises(
        gainful.errors.BadInput, match="judgments, row 3: document 'a' of query '1'"
    ):
        ours.calc_aggregate([ours.StRecall @ 5], [*qrels, qrels[0]], run)
    with pytest.raises(gainful.errors.BadInput, match=r"judgments\['1'\]\['a'\]: grade 'x' is not"):
        ours.calc_aggregate([ours.StRecall @ 5], [ours.Qrel("1", "a", "x")], run)


def test_judgments_and_runs_as_ir_measures_takes_them(tmp_path):
    qrels = [ours.Qrel("1", "a", 2), ours.Qrel("1", "b", 0)]
    run = [ours.ScoredDoc("1", "b", 0.9), ours.ScoredDoc("1", "a", 0.5)]
    (tmp_path / "q").write_text("1 0 a 2\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 b 1 0.9 x\n1 Q0 a 2 0.5 x\n")
    assert list(ours.read_trec_qrels(tmp_path / "q")) == qrels
    assert list(ours.read_trec_run(tmp_path / "r")) == run
    measures = [ours.nDCG @ 10, ours.RR, ours.SDCG(max_grade=2) @ 3]
    for judged in (qrels, tmp_path / "q", {"1": {"a": 2, "b": 0}}):
        values = ours.evaluator(measures, judged).calc(run)
        assert values.aggregated[ours.RR] == 0.5
        assert [metric.query_id for metric in values.per_query] == ["1"] * 3
    assert ours.calc(measures, qrels, run) == values
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
        gainful.errors.BadInput,
        match="there is no column for the score; there are query_id, doc_id",
    ):
        gainful.evaluate(qrels, run[["query_id", "doc_id"]], "RR")
    with pytest.raises(gainful.errors.BadInput, match="run, row 1: there is no doc"):
        gainful.evaluate(
            qrels, pd.DataFrame({"query": ["1", "1"], "doc": ["a", None], "score": [1, 2]}), "RR"
        )
    with pytest.raises(gainful.errors.BadInput, match="column 'doc' holds"):
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
