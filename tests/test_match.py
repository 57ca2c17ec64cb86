"""Matching: ranks are right by brute force, and all engines say the same."""

import numpy as np
import polars as pl
import pytest
from facts import list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from strategies import EVERY, qrels_and_runs, to_frame

import gainful
from gainful.match import dicts, frames
from gainful.match.ties import TIE_POLICIES
from gainful.measure.catalogue import MEASURES
from gainful.read.qrels_and_run import NestedDict, Qrels, Run


def _exact_measures(ties):
    """Which of several subtopics is worth most no order by grade can tell."""
    by_grade = ties in ("best", "worst")
    return [
        name for name in EVERY if not (by_grade and MEASURES[name.split("@")[0]].needs_subtopics)
    ]


def hits(matched):
    """The judged retrieved documents in an order that no engine has to keep."""
    names = [matched.queries[row] for row in matched.query.tolist()]
    columns = (matched.grade, matched.first, matched.last, matched.by_id, matched.by_input)
    return sorted(zip(names, *(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("bits", [64, 32])
@given(qrels_and_runs())
def test_ranks_and_tie_blocks_by_brute_force(bits, data):
    judgments, run = data
    as_precise = (lambda x: float(np.float32(x))) if bits == 32 else float
    expected = []
    for query, judged in judgments.items():
        ranking = {doc: as_precise(score) for doc, score in run.get(query, {}).items()}
        docs = list(ranking)
        for doc in judged.keys() & ranking.keys():
            above = sum(score > ranking[doc] for score in ranking.values())
            tied = [other for other in docs if ranking[other] == ranking[doc]]
            expected.append((
                query, judged[doc], above + 1, above + len(tied),
                above + 1 + sum(other.encode() > doc.encode() for other in tied),
                above + 1 + tied.index(doc),
            ))  # fmt: skip
    by_dict = dicts.match_dicts(NestedDict(judgments, "j"), NestedDict(run, "r"), score_bits=bits)
    assert hits(by_dict) == sorted(expected)
    columns = Qrels(to_frame(judgments, "grade")), Run(to_frame(run, "score"))
    by_frame = frames.match_frames(*columns, score_bits=bits)
    assert hits(by_frame) == sorted(expected)
    same = ("queries", "judged", "in_run", "retrieved", "pool_query", "pool_grade", "tied_count")
    for name in same:
        assert np.array_equal(getattr(by_dict, name), getattr(by_frame, name)), name


@given(qrels_and_runs(), st.randoms(use_true_random=False))
def test_interleaved_queries_are_sorted_out(data, random):
    judgments, run = data
    rows = to_frame(run, "score").rows()
    random.shuffle(rows)
    shuffled = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
    same = gainful.evaluate(judgments, shuffled, EVERY).values_by_query()
    ours = gainful.evaluate(judgments, run, EVERY).values_by_query()
    assert {query: same[query] for query in ours} == ours


@pytest.mark.parametrize("engine", ["dict", "frame", "trec", "csv", "parquet", "dict and file"])
@examples(25)
@given(data=qrels_and_runs(), ties=st.sampled_from([*TIE_POLICIES]))
def test_every_engine_gives_the_same_numbers(tmp_path_factory, engine, ties, data):
    judgments, run = data
    folder = tmp_path_factory.mktemp("engine")
    judged, ranked = to_frame(judgments, "grade"), to_frame(run, "score")
    given_ = {
        "dict": (judgments, run),
        "frame": (judged, ranked),
        "trec": (folder / "qrels", folder / "run"),
        "csv": (folder / "qrels.csv", folder / "run.csv"),
        "parquet": (folder / "qrels.parquet", folder / "run.parquet"),
        "dict and file": (folder / "qrels", run),
    }[engine]
    if engine in ("trec", "dict and file"):
        lines = [f"{q} 0 {d} {g:g}\n" for q, d, g in judged.iter_rows()]
        (folder / "qrels").write_text("".join(lines))
        lines = [f"{q.replace(' ', '_')} Q0 {d} 0 {s!r} r\n" for q, d, s in ranked.iter_rows()]
        (folder / "run").write_text("".join(lines))
    elif engine != "dict":
        judged.write_csv(folder / "qrels.csv")
        ranked.write_csv(folder / "run.csv")
        judged.write_parquet(folder / "qrels.parquet")
        ranked.write_parquet(folder / "run.parquet")
    linear = ties in ("average", "mean_rank")
    names = [
        name for name in _exact_measures(ties) if MEASURES[name.split("@")[0]].linear or not linear
    ]
    results = gainful.evaluate(*given_, names, ties=ties)
    expected = gainful.evaluate(judgments, run, names, ties=ties)
    assert {**results.counts} == {**expected.counts}
    for name in names:
        assert results.values[name] == pytest.approx(expected.values[name], abs=1e-12), name


@pytest.mark.parametrize("ties", ["average", "best", "worst"])
@given(data=qrels_and_runs(grades=st.integers(0, 3), extra=False))
def test_ties_of_a_run_are_those_of_arrays(ties, data):
    judgments, run = data
    values = gainful.evaluate(judgments, run, ["nDCG@3", "DCG"], ties=ties).values_by_query()
    for query, ranking in run.items():
        grades = [judgments[query].get(doc, 0) for doc in ranking]
        options = {"scores": list(ranking.values()), "ties": ties}
        dcg = gainful.dcg(grades, **options)
        ndcg = gainful.ndcg(grades, judged=list(judgments[query].values()), k=3, **options)
        assert values[query]["DCG"] == pytest.approx(dcg, abs=1e-12)
        assert values[query]["nDCG@3"] == pytest.approx(ndcg, abs=1e-12)


@given(qrels_and_runs())
def test_taking_unjudged_documents_out_is_never_having_retrieved_them(data):
    judgments, run = data
    only = {
        query: {doc: s for doc, s in ranking.items() if judgments.get(query, {}).get(doc, -1) >= 0}
        for query, ranking in run.items()
    }
    pool = {q: {doc: g for doc, g in inner.items() if g >= 0} for q, inner in judgments.items()}
    names = [name for name in EVERY if not name.startswith("infAP")]
    taken = gainful.evaluate(judgments, run, names, unjudged="remove", negative="remove")
    never = gainful.evaluate(pool, only, names)
    assert _has_close_values(taken, never)


def _has_close_values(first, second):
    return all(
        first.values[name] == pytest.approx(second.values[name], abs=1e-12) for name in first.values
    )


@given(qrels_and_runs())
def test_taking_negative_grades_out_closes_the_ranks_up(data):
    judgments, run = data
    only = {
        query: {doc: s for doc, s in ranking.items() if judgments.get(query, {}).get(doc, 0) >= 0}
        for query, ranking in run.items()
    }
    pool = {q: {doc: g for doc, g in inner.items() if g >= 0} for q, inner in judgments.items()}
    for ties in ("doc_descending", "input", "best"):
        names = _exact_measures(ties)
        taken = gainful.evaluate(judgments, run, names, negative="remove", ties=ties)
        assert _has_close_values(taken, gainful.evaluate(pool, only, names, ties=ties))


DUPLICATED = pl.DataFrame({"query": ["1"] * 4, "doc": [*"abac"], "score": [4.0, 3.0, 2.0, 1.0]})


def test_a_document_that_stands_twice_is_an_error_or_counted():
    judged = {"1": {"a": 1, "c": 1}}
    with refuses(gainful.errors.BadInput, "run", "'a'", "'1'"):
        gainful.evaluate(judged, DUPLICATED, "AP")
    last = gainful.evaluate(judged, DUPLICATED, ["AP", "NumRet"], duplicates="last")
    assert last.mean == {"AP": pytest.approx((1 / 2 + 2 / 3) / 2), "NumRet": 3}
    assert last.counts["duplicates"] == 1
    first = gainful.evaluate(judged, DUPLICATED, ["AP", "NumRet"], duplicates="first")
    assert first.mean == {"AP": pytest.approx((1 + 2 / 3) / 2), "NumRet": 3}
    assert first.counts["duplicates"] == 1
    count = gainful.evaluate(judged, DUPLICATED, "nDCG", duplicates="count")
    assert count.mean["nDCG"] == pytest.approx((1 + 1 / 2 + 1 / np.log2(5)) / (1 + 1 / np.log2(3)))
    (note,) = count.notes
    assert list_facts(note, "duplicates=count") == ["nDCG", "1", "1", "duplicates=count"]
    assert "above 1" in repr(count)
    assert "above 1" in count._repr_html_()


def test_the_first_of_two_is_the_one_that_scores_best_wherever_it_stands():
    rows = {"query": ["1"] * 3, "doc": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]}
    for frame in (pl.DataFrame(rows), pl.DataFrame(rows)[[2, 1, 0]]):
        assert gainful.evaluate({"1": {"a": 1}}, frame, "RR", duplicates="first")["RR"] == 1


def test_lists_may_repeat_a_document_too():
    with refuses(gainful.errors.BadInput, "run"):
        gainful.evaluate({"1": {"a": 1}}, {"1": ["a", "b", "a"]}, "AP")
    results = gainful.evaluate({"1": {"b": 1}}, {"1": ["a", "b", "a"]}, "RR", duplicates="last")
    assert results.mean == {"RR": 1.0}


def test_hashes_that_collide_do_not_make_a_match(monkeypatch):
    monkeypatch.setattr(
        frames, "pair_hash", lambda: pl.lit(7, pl.UInt64).repeat_by(1).first().over("query")
    )
    monkeypatch.setattr(
        frames,
        "find_duplicates",
        lambda *_: pl.DataFrame(schema={"query": pl.String, "doc": pl.String}),
    )
    results = gainful.evaluate(
        {"1": {"a": 1}},
        pl.DataFrame({"query": ["1", "1"], "doc": ["b", "a"], "score": [2, 1]}),
        "RR",
    )
    assert results.mean == {"RR": 0.5}
