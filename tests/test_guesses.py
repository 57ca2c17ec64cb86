"""What people type before they have read anything: it works, or the answer names the right spelling.

A table of guesses, by users of ranx, ir_measures, pytrec_eval, scikit-learn, pandas and notebooks:
what is typed, and what it must give (by hand) or say.
"""

from __future__ import annotations

import json
import pickle
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import refuses
from written_files import write_lines

import gainful
from gainful.errors import NoColumn

QRELS = {"q1": {"a": 3, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.7, "c": 0.6}}
BETTER = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"c": 0.7, "x": 0.6}}

# By hand: q1 has its documents in the wrong order, (1 + 3/log2 3) / (3 + 1/log2 3) = 0.7967; q2 has the
# only one at rank 2, 1/log2 3 = 0.6309. AP is (1, 1/2), RR too.
NDCG = (0.796707 + 0.630930) / 2
MEANS = {"nDCG@10": NDCG, "AP": 0.75, "RR": 0.75}


class Says:
    """What is answered has these words."""

    def __init__(self, *words: str) -> None:
        self.words = words


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What stands in the notebook already."""
    monkeypatch.chdir(tmp_path)
    rag = [
        {"query": "q1", "retrieved": ["b", "a"], "relevant": ["a", "b"]},
        {"query": "q2", "retrieved": ["x", "c"], "relevant": ["c"]},
    ]
    write_lines(tmp_path / "rag.jsonl", *rag)
    (tmp_path / "qrels.txt").write_text("q1 0 a 3\nq1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "run.txt").write_text(
        "q1 Q0 b 1 0.9 x\nq1 Q0 a 2 0.8 x\nq2 Q0 x 1 0.7 x\nq2 Q0 c 2 0.6 x\n"
    )
    return {
        "gainful": gainful,
        "Path": Path,
        "json": json,
        "pickle": pickle,
        "np": np,
        "pd": pd,
        "pl": pl,
        "pa": pa,
        "SimpleNamespace": SimpleNamespace,
        "qrels": QRELS,
        "run": RUN,
        "better": BETTER,
        "rag": rag,
        "results": gainful.evaluate(QRELS, RUN, ["nDCG@10", "AP", "RR"]),
        "runs": gainful.evaluate(
            QRELS, runs={"a": RUN, "b": BETTER}, measures=["nDCG@10", "AP", "RR"]
        ),
        "mean": lambda *inputs, **options: gainful.evaluate(*inputs, **options).mean,
        "Hit": lambda doc, score: SimpleNamespace(id=doc, score=score),
    }


RESULTS = [
    ('results["nDCG@10"]', NDCG),
    ('results["RR"]', 0.75),
    ('"AP" in results', True),
    ('"MAP" in results', True),
    ('"P@5" in results', False),
    ("len(results)", 3),
    ("list(results)", ["nDCG@10", "AP", "RR"]),
    ("dict(results)", MEANS),
    ("list(results.mean.items())[1]", ("AP", 0.75)),
    ("dict(results.items())", MEANS),
    ("results.mean()", Says("no brackets", "results.mean")),
    ('results.mean["AP"]', 0.75),
    ("results.per_query.columns", ["query", "nDCG@10", "AP", "RR"]),
    ('results.per_query["RR"].to_list()', [1.0, 0.5]),
    ('results.to_pandas()["RR"].tolist()', [1.0, 0.5]),
    ('results.to_polars()["RR"].to_list()', [1.0, 0.5]),
    ('results.to_dict()["mean"]', MEANS),
    ('json.loads(results.to_json())["runs"][0]["mean"]', MEANS),
    (r'"\\toprule" in results.to_latex()', True),
    ('"nDCG@10" in results.to_markdown().splitlines()[0]', True),
    ('results.to_csv().splitlines()[0].split(",")[1:]', ["nDCG@10", "AP", "RR"]),
    ("results.to_flat()", {"ndcg_at_10": NDCG, "ap": 0.75, "rr": 0.75}),
    ('results.worst(1)["query"].to_list()', ["q2"]),
    ('results == gainful.evaluate(qrels, run, ["nDCG@10", "AP", "RR"])', True),
    ('results == gainful.evaluate(qrels, better, ["nDCG@10", "AP", "RR"])', False),
    ("pickle.loads(pickle.dumps(results)) == results", True),
    ('"nDCG@10" in str(results) and "0.7138" in str(results)', True),
    ('"<table" in results._repr_html_()', True),
    ('results.save("values.csv") or Path("values.csv").read_text().split(",")[0]', "run"),
    ('type(results.plot()).__module__.split(".")[0]', "altair"),
    ('results["nDCG@5"]', Says("nDCG@5", "nDCG@10")),
    ('results["ndcg"]', Says("nDCG@10")),
    ("results.df", Says(".to_polars()")),
    ("results.to_frame()", Says("to_polars")),
    ("results.mena", Says("mean")),
    ('results["ndcg@10"]', NDCG),
    ('results["nDCG@5"]', Says("did you mean nDCG@10?", "known: nDCG@10, AP, RR")),
    ("results.export()", Says('.save("results.csv")')),
    ("results.scores", Says("did you mean .mean?")),
    ("results.winner", Says(".summary()")),
    ("results.describe()", Says(".summary()")),
    ("results.head()", Says(".to_polars().head()")),
    ('results.sort_values("AP")', Says(".worst(10)")),
    ("results.std()", Says("gainful.stats.mean_intervals(results)")),
    ("results.interval", Says("gainful.stats.mean_intervals(results)")),
    ("results.ttest(results)", Says("gainful.compare(results, other)")),
    ("results.to_excel()", Says(".to_csv()")),
    ("results.zebra", Says("there is")),
    ('gainful.like("trec_eval").gian', Says("did you mean .gain?")),
    ("(gainful.nDCG @ 10).cutof", Says("'Measure' has no attribute 'cutof'", "there is")),
    ("(gainful.nDCG @ 10).nam", Says("did you mean .name?")),
    (
        'gainful.sessions.evaluate({}, by="system")',
        Says("group"),
    ),
    ("gainful.sessions.evalute", Says("did you mean gainful.sessions.evaluate?")),
    ("gainful.stats.kendal", Says("did you mean gainful.stats.kendall_tau?")),
    ("gainful.figures.diferences", Says("did you mean gainful.figures.differences?")),
    ("gainful.compare(qrels, run, better).p_value", Says("did you mean .frame", "its p")),
    ("gainful.evaluate(qrels, [run, better]).ndcg", Says('results[run]["nDCG@10"]')),
    ("gainful.evaluate(qrels, [run, better]).mean()", Says("no brackets", "results.mean")),
    ('gainful.CONVENTIONS["sklaern"]', Says("did you mean sklearn?")),
    ('gainful.MEASURES["nDGC"]', Says("did you mean nDCG?")),
    ("gainful.errors.BadValu", Says("did you mean gainful.errors.BadValue?")),
    ("gainful.testing.assert_quality", Says("assert_ranking_quality")),
    ("[name for name in dir(gainful.stats) if name not in gainful.stats.__all__]", []),
    ("[name for name in dir(gainful.errors) if name not in gainful.errors.__all__]", []),
    ("gainful.vectors.zzz", Says("there is add, average")),
]

SEVERAL_RUNS = [
    ('gainful.evaluate(qrels, {"a": run, "b": better}, "AP")["b"]["AP"]', 1.0),
    ('gainful.evaluate(qrels, runs={"a": run, "b": better}, measures="AP")["a"]["AP"]', 0.75),
    ("list(runs)", ["a", "b"]),
    ('[name for name in runs if runs[name]["RR"] == 1]', ["b"]),
    ('"0.7138" in str(runs) and "1.0000" in str(runs)', True),
    ('type(runs.plot()).__module__.split(".")[0]', "altair"),
    ('gainful.compare(qrels, {"a": run, "b": better}, "RR").pairs[0].difference', 0.25),
    ("sorted(gainful.compare(runs).systems)", ["a", "b"]),
    ("sorted(runs.compare().systems)", ["a", "b"]),
    ("len(set(gainful.compare([results, results]).systems))", 2),
    ("len(results.compare(results).systems)", 2),
    ('list(gainful.evaluate(qrels, [run, better], "RR"))', ["run 1", "run 2"]),
    ('runs["c"]', Says("a", "b")),
]

KEYWORDS = [
    ('mean(qrels=qrels, run=run, measures="AP")', {"AP": 0.75}),
    ('mean("qrels.txt", "run.txt", "AP")', {"AP": 0.75}),
    ('mean(qrels, run, metrics="AP")', Says("metrics", "did you mean measures")),
    ('mean(qrels, run, metric="AP")', Says("metric", "did you mean measures")),
    ("mean(judgments=qrels, run=run)", Says("qrels")),
    ('mean(qrels, run, "nDCG", k=10)', Says("'k'", "did you mean cutoff")),
    ('mean(qrels, run, "RR", cutoff=1)', {"RR": 0.5}),
    ('mean(qrels, run, "RR", top_k=1)', Says("did you mean cutoff")),
    ('gainful.evaluate(run, qrels, "RR").notes[0]', Says("swapped", "qrels, run")),
    ('mean("nowhere.txt", run)', Says("nowhere.txt", "no such file")),
    ('mean(qrels, run, "nDCG@10", like="scikit-learn")', {"nDCG@10": NDCG}),
    ('mean(qrels, run, like="skleran")', Says("sklearn")),
    ('mean(qrels, run, "nDGC@10")', Says("nDCG@10")),
    ("mean(qrels, run, better)", Says("a run", "{name: run, …}")),
    ("mean(qrels, run, [run, better])", Says("a run", "{name: run, …}")),
    ('mean(qrels, run, "run.txt")', Says("a run", "{name: run, …}")),
    ('mean(qrels, run, pd.DataFrame({"query": ["q1"]}))', Says("a run", "{name: run, …}")),
    ('gainful.gate(qrels, run, {"RR": 0.7}).passed', True),
    (
        'gainful.why(qrels, run, like="trec_eval") == gainful.why(qrels, run, unlike="trec_eval")',
        True,
    ),
    ("gainful.why(qrels, run)", Says("unlike", "trec_eval")),
    ("gainful.testing.assert_ranking_quality('rag.jsonl', floors={'R@2': 0.9}).passed", True),
]

# What other tools call measures. By hand: of q1 both documents stand on top, of q2 the second one is relevant.
MEASURES = [
    ("ndcg@10", NDCG),
    ("NDCG@10", NDCG),
    ("ndcg_cut_10", NDCG),
    ("ndcg", NDCG),
    ("map", 0.75),
    ("MAP@100", 0.75),
    ("mrr", 0.75),
    ("MRR@10", 0.75),
    ("recip_rank", 0.75),
    ("P_5", (2 / 5 + 1 / 5) / 2),
    ("precision@5", (2 / 5 + 1 / 5) / 2),
    ("Recall@1", (1 / 2 + 0) / 2),
    ("recall@20", 1.0),
    ("hit_rate@1", 0.5),
    ("HR@1", 0.5),
    ("HitRate@10", 1.0),
    ("Success@1", 0.5),
    ("Accuracy@1", Says("Success@k")),
    ("average_precision", 0.75),
    ("reciprocal_rank", 0.75),
    ("r-precision", (2 / 2 + 0 / 1) / 2),
    ("ndcg_burges@10", Says("nDCG(gain=exp)@10")),
    ("F1@2", (1 + 2 / 3) / 2),
    ("f1@2", (1 + 2 / 3) / 2),
    ("R_cap@1", (1 + 0) / 2),
    ("nDCG10", Says("nDCG@10")),
    ("ndcg_at_10", NDCG),  # as to_flat() has them
    ("map_at_2", 0.75),
    ("recall_at_1", (1 / 2 + 0) / 2),
    ("p_at_5", (2 / 5 + 1 / 5) / 2),
    ("ndcg_at_k", Says("nDCG@10")),
    ("nDCG@10 AP", Says("nDCG@10, AP")),
    ("AUC", 0.0),
    ("Novelty@10", Says("interactions=", "--interactions FILE")),
    ("Coverage@10", Says("items=", "--items FILE")),
]

SHAPES = [
    ('mean(qrels, {"q1": ["b", "a"], "q2": ["x", "c"]}, "RR")', {"RR": 0.75}),
    ('mean({"q1": ["a", "b"], "q2": ["c"]}, run, "RR")', {"RR": 0.75}),
    ('mean({"q1": {"a", "b"}, "q2": {"c"}}, run, "RR")', {"RR": 0.75}),
    (
        'mean(qrels, {"q1": [("b", 0.9), ("a", 0.8)], "q2": [("x", 2), ("c", 1)]}, "RR")',
        {"RR": 0.75},
    ),
    (
        'mean(qrels, [("q1", "b", 0.9), ("q1", "a", 0.8), ("q2", "x", 2), ("q2", "c", 1)], "RR")',
        {"RR": 0.75},
    ),
    (
        'mean(qrels, [{"query": "q1", "doc": "a", "score": 1}, {"query": "q2", "doc": "c", "score": 1}], "RR")',
        {"RR": 1.0},
    ),
    ('mean({"q1": [("a", 3), ("b", 1)], "q2": [("c", 1)]}, run, "nDCG@10")', {"nDCG@10": NDCG}),
    ('mean([("q1", "a", 3), ("q1", "b", 1), ("q2", "c", 1)], run, "nDCG@10")', {"nDCG@10": NDCG}),
    ('mean([{"query": "q1", "doc": "b", "grade": 1}], run, "RR")', {"RR": 1.0}),
    ('mean([["a", "b"], ["c"]], [["b", "a"], ["x", "c"]], "RR")', {"RR": 0.75}),
    ('mean(rag, measures="RR")', {"RR": 0.75}),
    ('mean(pd.DataFrame(rag), measures="RR")', {"RR": 0.75}),
    ('mean("rag.jsonl", measures="RR")', {"RR": 0.75}),
    (
        'mean([{"user_input": "q", "retrieved_context_ids": ["x", "a"], "reference_context_ids": ["a"]}], measures="RR")',
        {"RR": 0.5},
    ),
    (
        'mean(qrels, {"q1": [Hit("b", 0.9), Hit("a", 0.8)], "q2": [Hit("x", 2), Hit("c", 1)]}, "RR")',
        {"RR": 0.75},
    ),
    ('mean(pd.DataFrame({"user": ["q1", "q2"], "item": ["b", "c"]}), run, "RR")', {"RR": 0.75}),
    (
        'mean(pd.DataFrame({"u": ["q1", "q2"], "i": ["b", "c"]}), run, "RR", columns={"query": "u", "doc": "i"})',
        {"RR": 0.75},
    ),
    (
        'gainful.evaluate(pd.DataFrame({"u": ["q1"], "i": ["b"]}), run, columns={"query": "u", "doc": "i"}).notes[-1]',
        Says("no column of grades", "among u, i"),
    ),
    (
        'gainful.evaluate(pl.LazyFrame({"u": ["q1"], "i": ["b"]}), run, columns={"query": "u", "doc": "i"}).notes[-1]',
        Says("no column of grades", "among u, i"),
    ),
    (
        'mean(qrels, pl.LazyFrame({"u": ["q1"], "i": ["b"]}), columns={"query": "u", "doc": "i"})',
        Says("no column for the score", "there are u, i"),
    ),
    (
        'mean(qrels, [{"u": "q1", "i": 1.5, "score": 1}], columns={"query": "u", "doc": "i"})',
        Says("column 'i' holds"),
    ),
    (
        'mean(pl.DataFrame({"query": ["q1"], "doc": ["a"], "label": [0], "rel": [1]}), run)',
        Says("'rel' or 'label' can be the grades", "columns="),
    ),
    (
        'mean(pl.DataFrame({"query": ["q1"], "doc": ["b"], "label": [0], "rel": [1]}), run, "RR", columns={"grade": "rel"})',
        {"RR": 1.0},
    ),
    (
        'mean(pa.table({"qid": ["q1", "q2"], "docno": ["b", "c"], "rel": [1, 1]}), run, "RR")',
        {"RR": 0.75},
    ),
    ('mean(pl.DataFrame({"a": [1], "b": [2]}), run)', Says("there are a, b", "query", "columns=")),
    ('mean(qrels, [["b", "a"], ["x", "c"]])', Says("by name", "lists in one order")),
    (
        'mean({"user_input": ["?", "??"], "retrieved_context_ids": [["x", "a"], ["b"]], "reference_context_ids": [["a"], ["b"]]}, measures="RR")',
        {"RR": 0.75},
    ),
    (
        'mean({"query": "q", "retrieved": ["x", "a"], "relevant": ["a"]}, measures="RR")',
        {"RR": 0.5},
    ),
    ('mean({"retrieved": ["x", "a"], "relevant": ["a"]}, measures="RR")', {"RR": 0.5}),
    (
        'mean([{"retrieved": ["x", "a"], "relevant": ["a"]}, {"retrieved": ["b"], "relevant": ["b"]}], measures="RR")',
        {"RR": 0.75},
    ),
    (
        'mean({"retrieved": [["x", "a"], ["b"]], "relevant": [["a"], ["b"]]}, measures="RR")',
        {"RR": 0.75},
    ),
    ('mean([{"retrieved": ["a"], "relevant": ["a"], "query": None}])', Says("no 'query'")),
    ('mean({"query": ["q1", "q2"], "doc": ["a", "c"], "grade": [1, 1]}, run, "RR")', {"RR": 0.5}),
    ('mean({"user": pd.Series(["q1", "q2"]), "item": ["a", "c"]}, run, "RR")', {"RR": 0.5}),
    (
        'mean({"u": ["q1", "q2"], "i": ["a", "c"]}, run, "RR", columns={"query": "u", "doc": "i"})',
        {"RR": 0.5},
    ),
    ('mean(qrels, {"query": ["q1", "q2"], "docs": [["x", "b"], ["c"]]}, "RR")', {"RR": 0.75}),
    ('mean(qrels, {"retrieved": [["x", "b"], ["c"]], "qid": ["q1", "q2"]}, "RR")', {"RR": 0.75}),
    ('mean(qrels, {"query": ["q1", "q2"], "doc": ["a"]})', Says("query 2, doc 1")),
    (
        'mean([{"user_input": "?", "retrieved_contexts": ["text"], "reference": "text"}])',
        Says("texts", "retrieved_context_ids"),
    ),
    ("mean(qrels, results=run)", Says("results", "did you mean run")),
    ("mean(qrels)", Says("a run", "runs={name: run}", "that hold both")),
    ("gainful.Run(run)", Says("evaluate", "dicts")),
    # scikit-learn's y_true and y_score
    ("mean([[1, 0], [0, 1]], [[1, 2], [3, 4]])", Says("documents", "gainful.ndcg(grades, scores)")),
    ("mean([[1, 0], [0, 1]], [[2, 2], [3, 4]])", Says("documents", "gainful.ndcg(grades, scores)")),
    ("mean([[1, 0, 2]], [[1, 3, 2]])", Says("a row", "gainful.ndcg(grades, scores)")),
    ("mean([[1, 0, 2, 0]], [[1, 3, 2, 4]])", Says("gainful.ndcg(grades, scores)")),
    ("mean([[1, 0], [0, 1]], [[0.5, 0.2], [0.3, 0.4]])", Says("gainful.ndcg(grades, scores)")),
    ("mean(np.eye(2), np.ones((2, 2)))", Says("gainful.ndcg(grades, scores)")),
    ("mean([1, 0, 1], [0.2, 0.4, 0.1])", Says("gainful.ndcg(grades, scores)")),
    ('mean([[11, 12], [13, 14]], [[12, 9], [9, 13]], "RR")', {"RR": 0.75}),  # ids, as no grades
    ('mean([[1], [2]], [[1, 3], [3, 2]], "RR")', {"RR": 0.75}),
]

# 3 2 3 0 1 2: 6.8611 of 7.1410 (docs/cumulated-gain.md); its first three 5.7619 of 5.8928.
ARRAYS = [
    ("gainful.ndcg([3, 2, 3, 0, 1, 2])", 0.960808),
    ("gainful.ndcg([3, 2, 3, 0, 1, 2], k=3)", 0.977781),
    ("gainful.ndcg(np.array([3, 2, 3]), scores=[3, 2, 1])", 0.977781),
    ("gainful.ndcg(pa.array([[3, 2, 3], [0, 0]])).tolist()", [0.977781, 0.0]),
    ("gainful.ndcg([0, 1, 0, 1], scores=[2, 1, 1, 2], group=[2, 2]).tolist()", [0.630930, 1.0]),
    ("gainful.ndcg([0, 1, 0, 1], scores=[2, 1, 1, 2], qid=[7, 7, 8, 8]).tolist()", [0.630930, 1.0]),
    (
        "gainful.ndcg([[0, 1], [1, 9]], mask=[[True, True], [True, False]]).tolist()",
        [0.630930, 1.0],
    ),
    ('gainful.compute("RR", [0, 1])', 0.5),
    ('"0.9608" in str(gainful.explain([3, 2, 3, 0, 1, 2]))', True),
    ('"0.9778" in str(gainful.explain("3 2 3"))', True),
    ("gainful.ndcg([3, 2, 3], [3, 2, 1])", 0.977781),
    ("gainful.ndcg([3, 2, 3], 5)", Says("k=")),
    ("gainful.ndcg(grades=[3, 2, 3])", 0.977781),
    ("gainful.ndcg(y_true=[3, 2, 3], y_score=[3, 2, 1])", Says("y_true", "did you mean grades")),
    ("gainful.ndcg(relevance=[3, 2, 3])", Says("relevance", "did you mean grades")),
    ('gainful.compute("RR", y_true=[0, 1])', Says("y_true", "did you mean grades")),
    ('gainful.compute(measure="RR", grades=[0, 1])', 0.5),
    ("gainful.dcg(labels=[3, 2, 3])", Says("labels", "did you mean grades")),
    ("gainful.ndcg([3, 2, 3], y_score=[3, 2, 1])", Says("y_score", "did you mean scores")),
]

NAMES = [
    ('str(gainful.parse("nDCG@10"))', "nDCG@10"),
    ("str(gainful.nDCG(k=10))", "nDCG@10"),
    ("gainful.nDCG(10)", Says("nDCG @ 10")),
    ('gainful.Measure("nDCG@10")', Says("gainful.parse('nDCG@10')")),
    ("str(gainful.nDCG @ 10)", "nDCG@10"),
    ('mean(qrels, run, [gainful.nDCG @ 10, gainful.AP])["AP"]', 0.75),
    ('"nDCG" in gainful.MEASURES and "sklearn" in gainful.CONVENTIONS', True),
    (
        "{name for name in dir(gainful) if name[0] != '_'} >= {'evaluate', 'compare', 'sessions'}",
        True,
    ),
    ("'TYPE_CHECKING' in dir(gainful) or 'read' in dir(gainful)", False),
    ("gainful.ndcg_score", Says("gainful.ndcg")),
    ("gainful.ndcg_at_k", Says("gainful.ndcg", "k=10")),
    ("gainful.mrr", Says("gainful.RR")),
    ("gainful.ap", Says("gainful.AP")),
    ("gainful.precision([3, 0, 1], k=2)", 0.5),
    ("gainful.recall_at_k", Says("gainful.recall(grades, k=10)")),
    ("gainful.sDCG", Says("gainful.sdcg", "sDCG")),
    ("gainful.eval", Says("did you mean gainful.evaluate?")),
    ("gainful.measures()", Says("gainful.MEASURES")),
    ("gainful.conventions()", Says("gainful.CONVENTIONS")),
    ("gainful.read_qrels", Says("gainful.evaluate")),
    ("gainful.calc_aggregate", Says("gainful.ir_measures.calc_aggregate")),
    ("gainful.RelevanceEvaluator", Says("gainful.pytrec_eval.RelevanceEvaluator")),
    ("gainful.Success", Says('gainful.parse("Success")')),
    ("gainful.RBP", Says('gainful.parse("RBP")')),
    ("gainful.compare_runs", Says("gainful.compare")),
    ("gainful.evaluate_sessions", Says("gainful.sessions.evaluate")),
    ("gainful.eval(qrels, run)", Says("gainful.evaluate")),
    ("gainful.evalute", Says("gainful.evaluate")),
    (
        'gainful.figures.dots(gainful.sessions.evaluate([{"session": "s", "query": 1, "rank": 1, "doc": "a", "grade": 1}], measures="sDCG@10"))',
        Says("qrels", "sDCG@10", "sessions, last"),
    ),
    ("results.numeric_queries", False),
    ("gainful.compare(qrels, [run, better]).evidence.resampling.alpha", 0.05),
    ("gainful.fit_model", Says("removed", "statsmodels")),
    ("gainful.stats.settle", Says("removed", "gainful.unjudged")),
    ("gainful.sessions.sweep_against", Says("removed", "gainful.stats.correlate")),
    ("gainful.compare(qrels, [run, better], model=True)", Says("removed", "statsmodels")),
    (
        'gainful.compare(qrels, [run, better], standardise="uniform")',
        Says("normal", "only it is left"),
    ),
]

CHECKS = [
    ('gainful.check("qrels.txt", "run.txt").ok', True),
    ('gainful.check(["qrels.txt", Path("run.txt")]).ok', True),
    ("gainful.check(qrels, run).ok", True),
    ("gainful.check([qrels, run]).ok", True),
    ('gainful.check("qrels.txt", run)', Says("qrels.txt + run (together)", "2 queries in common")),
    ('gainful.check(qrels, {"a": run, "b": better})', Says("judgments + a", "judgments + b")),
    ('gainful.check({"qrels": qrels, "new": run})', Says("qrels + new", "2 queries in common")),
    ("gainful.check(qrels, run, better)", Says("judgments + run 2")),
    ("gainful.check(rag)", Says("2 queries in common")),
    ('gainful.check(pd.DataFrame({"qid": ["q1"], "docno": ["a"], "rel": [2]}))', Says("2 (1×)")),
    (
        'gainful.check(qrels, pl.DataFrame({"query": ["q1"] * 2, "doc": ["a"] * 2, "score": [1, 2]}))',
        Says("1 thing is wrong", "1 document more than once"),
    ),
    ('gainful.check({"q1": {"a": "x"}}, run).ok', False),
    ('gainful.check({"q1": {"a": "x"}}, run)', Says("grade 'x' is not a finite number")),
    (
        'gainful.check(pl.DataFrame({"query": ["q1"], "doc": ["a"], "rank": [1]}))',
        Says("run, in memory"),
    ),
    ("gainful.check()", Says("files", "at least one")),
    ("gainful.check(5)", Says("a dict by query")),
]

COMMANDS = [  # what is typed after `gainful`, and words of the answer
    ("explain 3 2 3", "0.9778"),
    ("explain '3 2 3'", "0.9778"),
    ("explain 3,2,3", "0.9778"),
    ("explain '[3, 2, 3]'", "0.9778"),
    ("ndcg 3 2 3", "explain"),
    ("help", "gainful eval"),
    ("completion bash", "complete"),
    ("eval qrels.txt run.txt -m ndcg@10", "0.7138"),
    ("eval qrels.txt run.txt -m ndcg,map", "0.7138"),
    ("eval qrels.txt run.txt -m nDCG@10 AP", "-m AP"),
    ("eval qrels.txt run.txt --metric AP", "did you mean -m"),
    ("eval qrels.txt run.txt --json", "--format json"),
    ("eval run.txt qrels.txt", "swapped"),
    ("eval rag.jsonl -m RR", "0.75"),
    ("gate rag.jsonl --floor RR=0.5", "passed"),
    ("explain 3 2 3 --k 2", "-k"),
    ("why qrels.txt run.txt", "--unlike trec_eval"),
    # Commands of other names: the line that does it.
    ("qrels.txt run.txt", "gainful eval qrels.txt run.txt"),
    ("evaluate qrels.txt run.txt", "gainful eval QRELS RUN"),
    ("score qrels.txt run.txt", "gainful eval QRELS RUN"),
    ("leaderboard qrels.txt run.txt", "gainful eval QRELS RUN"),
    ("power qrels.txt run.txt", "gainful plan"),
    ("sample-size qrels.txt run.txt", "gainful plan"),
    ("plot qrels.txt run.txt", "gainful figure"),
    ("chart qrels.txt run.txt", "gainful figure"),
    ("correlation qrels.txt run.txt", "gainful correlate"),
    ("version", "gainful --version"),
    ("update", "pip"),
    ("abtest log.csv", "gainful compare --sessions LOG --by bucket"),
    ("what 0.5", "gainful which"),
    ("fuse a.run b.run", "does not create"),
    ("rerank a.run", "does not create"),
    ("ttest qrels.txt run.txt", "gainful compare"),
    ("diff qrels.txt run.txt", "gainful compare"),
    ("significance qrels.txt run.txt", "gainful compare"),
    ("bootstrap qrels.txt run.txt", "--interval 95"),
    ("ci qrels.txt run.txt", "--interval 95"),
    ("list", "gainful measures"),
    ("metrics", "gainful measures"),
    ("docs", "gainful help"),
    ("demo", "gainful explore"),
    ("dashboard log.csv", "gainful explore"),
    ("validate qrels.txt", "gainful check"),
    ("lint qrels.txt", "gainful check"),
    ("kappa qrels.txt qrels.txt", "gainful judges"),
    ("agreement qrels.txt qrels.txt", "gainful judges"),
    ("html qrels.txt run.txt", "gainful report"),
    ("log log.csv", "gainful sessions"),
    ("trec-eval qrels.txt run.txt", "gainful trec_eval"),
    ("evl qrels.txt run.txt", "did you mean eval?"),
    ("comapre qrels.txt run.txt", "did you mean compare?"),
    ("reprot qrels.txt run.txt", "did you mean report?"),
    ("zebra", "gainful --help lists them"),
    # Options of other names.
    ("eval qrels.txt run.txt --ci", "--interval"),
    ("eval qrels.txt run.txt --bootstrap", "--interval"),
    ("eval qrels.txt run.txt --confidence 95", "--interval"),
    ("eval qrels.txt run.txt --permutations 9", "--resamples"),
    ("eval qrels.txt run.txt --iterations 9", "--resamples"),
    ("eval qrels.txt run.txt --per-topic", "--per-query"),
    ("eval qrels.txt run.txt --all", "--per-query"),
    ("eval qrels.txt run.txt --qrels q.txt", "QRELS comes first"),
    ("eval --qrels qrels.txt --run run.txt", "QRELS comes first"),
    ("eval qrels.txt --runs run.txt", "runs follow QRELS"),
    ("eval qrels.txt run.txt --sep ,", "the separator is detected"),
    ("eval qrels.txt run.txt --delimiter ,", "the separator is detected"),
    ("eval qrels.txt run.txt --sort AP", "-o values.csv"),
    ("eval qrels.txt run.txt --digits 6", "--format csv"),
    ("eval qrels.txt run.txt --precision 6", "--format csv"),
    ("eval qrels.txt run.txt --baseline run.txt", "gainful compare QRELS RUN RUN"),
    ("eval qrels.txt run.txt --test t", "gainful compare QRELS RUN RUN"),
    ("eval qrels.txt run.txt --out x.csv", "-o FILE"),
    ("eval qrels.txt run.txt --threads 4", "all cores"),
    ("eval qrels.txt run.txt --topk 10", "-m nDCG@10"),
    ("eval qrels.txt run.txt --top-k 10", "-m nDCG@10"),
    ("eval qrels.txt run.txt --formt json", "--format"),
    ("eval qrels.txt run.txt --no-header", "a header is detected"),
    ("eval qrels.txt run.txt --zebra", "known:"),
    ("compare qrels.txt run.txt run.txt --paired", "paired by query anyway"),
    ("compare qrels.txt run.txt run.txt --ci", "intervals of differences"),
    ("compare qrels.txt run.txt run.txt --iterations 9", "--resamples"),
    ("compare qrels.txt run.txt run.txt --random-state 9", "--seed"),
    ("compare qrels.txt run.txt run.txt --correction holm", "--correct"),
    ("gate qrels.txt run.txt --min RR=0.5", "--floor"),
    ("gate qrels.txt run.txt --threshold RR=0.5", "--floor"),
    ("gate qrels.txt run.txt --fail-under RR=0.5", "--floor"),
    ("eval qrels.txt run.txt --min RR=0.5", "gainful gate QRELS RUN --floor"),
    ("why qrels.txt run.txt --like trec_eval", "gainful and trec_eval agree"),
]


def is_close(value: object, expected: object) -> bool:
    """Equal, numbers to the digits in which they are written here."""
    if isinstance(expected, (bool, str)) or (
        isinstance(expected, list) and not is_numeric(expected)
    ):
        return value == expected
    return value == pytest.approx(expected, abs=1e-6)


def is_numeric(values: list) -> bool:
    return all(isinstance(value, (int, float)) for value in values)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [*RESULTS, *SEVERAL_RUNS, *KEYWORDS, *SHAPES, *ARRAYS, *NAMES, *CHECKS],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_typed_in_python_works_or_is_answered(typed, expected, names):
    if not isinstance(expected, Says):
        assert is_close(eval(typed, names), expected)  # noqa: S307
        return
    answer = str(answer_to(typed, names))
    assert [word for word in expected.words if word not in answer] == [], answer


def answer_to(typed: str, names: dict) -> object:
    """What it says: as a value, or as an error of ours or of Python's."""
    try:
        return eval(typed, names)  # noqa: S307
    except (gainful.errors.GainfulError, AttributeError, LookupError, TypeError) as error:
        return error


@pytest.mark.parametrize(("name", "expected"), MEASURES, ids=[name for name, _ in MEASURES])
def test_measures_by_the_names_that_other_tools_have(name, expected, names):
    if isinstance(expected, Says):
        test_what_is_typed_in_python_works_or_is_answered(
            f"mean(qrels, run, {name!r})", expected, names
        )
    else:
        assert gainful.evaluate(QRELS, RUN, name)[name] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("typed", "expected"), COMMANDS, ids=[typed for typed, _ in COMMANDS])
@pytest.mark.usefixtures("names")
def test_what_is_typed_in_a_shell_works_or_is_answered(typed, expected, run_gainful):
    outcome = run_gainful(*shlex.split(typed), status=None)
    assert expected in outcome.answer
    assert "Traceback" not in outcome.err


def test_there_are_many_guesses():
    tables = (RESULTS, SEVERAL_RUNS, KEYWORDS, MEASURES, SHAPES, ARRAYS, NAMES, COMMANDS)
    assert sum(map(len, tables)) >= 300


def test_a_table_without_a_header_takes_numbers_and_no_names(tmp_path):
    """RR is 1/2 with the grades, 1 where each judged document counts as 1."""
    qrels, run = tmp_path / "q.csv", tmp_path / "r.csv"
    qrels.write_text("1,a,1\n1,b,0\n")
    run.write_text("query,url,score\n1,b,0.5\n1,a,0.4\n")
    columns = {"doc": "url"}  # which the run alone has
    assert gainful.evaluate(qrels, run, "RR", columns=columns)["RR"] == 0.5
    assert gainful.evaluate(qrels, run, "RR", columns={**columns, "grade": None})["RR"] == 1
    sessions = tmp_path / "s.csv"
    sessions.write_text("s,1,1,a\ns,1,2,b\n")
    numbers = {"session": "1", "query": "2", "rank": "3", "doc": "4"}
    results = gainful.sessions.evaluate(sessions, {"s": {"a": 1}}, "sDCG@5", columns=numbers)
    assert results["sDCG@5"] == 1
    with refuses(NoColumn, "s.csv"):
        gainful.sessions.evaluate(
            sessions, {"s": {"a": 1}}, "sDCG@5", columns={**numbers, "topic": "nope"}
        )
