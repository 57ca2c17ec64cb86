"""The tools themselves, installed, must agree under their own `like=` on random data."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, strategies as st
from profiles import examples
from sklearn.metrics import ndcg_score
from strategies import qrels_and_runs

import gainful
from gainful.measure.language import expand

TEXTS = {"runid", "relstring"}
NAMES = sorted(set(pytrec_eval.supported_measures) - TEXTS)


@given(qrels_and_runs())
def test_pytrec_eval_agrees_on_every_measure_it_has_query_by_query(data):
    judgments, run = data
    theirs = pytrec_eval.RelevanceEvaluator(judgments, NAMES).evaluate(run)
    ours = gainful.evaluate(judgments, run, NAMES, like="pytrec_eval").values_by_query()
    assert ours.keys() == theirs.keys()
    for query, values in theirs.items():
        for name, value in values.items():
            assert ours[query][name] == pytest.approx(value, abs=1e-9), (query, name)


@given(qrels_and_runs())
def test_pytrec_eval_agrees_on_relevance_levels_and_judged_documents_only(data):
    judgments, run = data
    names = [name for name in NAMES if name not in ("gm_map", "gm_bpref")]
    peer = pytrec_eval.RelevanceEvaluator(
        judgments, names, relevance_level=2, judged_docs_only_flag=True
    )
    theirs = peer.evaluate(run)
    ours = gainful.evaluate(
        judgments, run, names, like="pytrec_eval", rel=2, unjudged="remove", negative="remove"
    ).values_by_query()
    for query, values in theirs.items():
        for name, value in values.items():
            if np.isfinite(value):
                assert ours[query][name] == pytest.approx(value, abs=1e-9), (query, name)


IR_MEASURES = [
    *("nDCG", "nDCG@3", "AP", "AP@3", "P@3", "P(rel=2)@3", "R@3", "RR", "RR(rel=2)", "Rprec"),
    *("Bpref", "infAP", "IPrec@0.1", "IPrec@0.5", "Success@3", "SetP", "SetR", "SetF", "SetAP"),
    *("NumRet", "NumRel", "NumRet(rel=1)", "NumQ", "AP(rel=2)", "SetP(rel=2)", "SetF(beta=0.5)"),
]
JUDGED_ONLY = ["nDCG(judged_only=True)@3", "AP(judged_only=True)", "P(judged_only=True)@3"]


@pytest.mark.parametrize("names", [IR_MEASURES, JUDGED_ONLY], ids=["all", "judged only"])
@given(qrels_and_runs(extra=False))
def test_ir_measures_agrees_query_by_query(names, data):
    judgments, run = data
    measures = {ir_measures.parse_measure(name): name for name in names}
    theirs = {
        (value.query_id, measures[value.measure]): value.value
        for value in ir_measures.iter_calc(list(measures), judgments, run)
    }
    ours = gainful.evaluate(judgments, run, names, like="ir_measures").values_by_query()
    assert theirs
    for (query, name), value in theirs.items():
        if query not in run and name in ("NumQ", "NumRel"):
            continue  # 0 there, although the query is one and has relevant documents
        assert ours[query][next(iter(expand(name)))] == pytest.approx(value, abs=1e-9), (
            query,
            name,
        )


BROWSING = [
    *("ERR@3", "ERR@10", "Judged@3", "Judged@20", "Compat", "Compat(p=0.8)", "BPM(max_rel=4)@3"),
    *("BPM(T=2.0, max_rel=4)@10", "SDCG(max_rel=4)@3", "SDCG(max_rel=3)@10", "INST(max_rel=4)"),
    *("INST(T=3.0, max_rel=4)", "INSQ(max_rel=4)", "INSQ(T=2.0, max_rel=4)", "RBP(p=0.5, rel=1)"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tied", [False, True])
@examples(40)  # ir_measures starts perl each time
@given(st.data())
def test_ir_measures_agrees_on_the_searchers_who_stop(tied, data):
    """One tool, three ways to break ties; what Compat does with them is none of ours."""
    pytest.importorskip("cwl")
    drawn = data.draw(qrels_and_runs(grades=st.integers(0, 4), extra=False, tied=tied))
    judgments, run = ({q.replace("q", "7"): d for q, d in side.items()} for side in drawn)
    names = BROWSING
    if tied:
        names = [name for name in (*BROWSING, "RR@3", "RR@10") if not name.startswith("Compat")]
        run = {q: {d: float(round(s)) for d, s in r.items()} for q, r in run.items()}  # 32 = 64 bit
    measures = {ir_measures.parse_measure(name): name for name in names}
    values = gainful.evaluate(judgments, run, names, like="ir_measures").values_by_query()
    theirs = list(ir_measures.iter_calc(list(measures), judgments, run))
    assert len(theirs) == len(names) * len(judgments)
    for value in theirs:
        name = measures[value.measure]
        printed = 0.6e-5 if name.startswith("ERR") else 1e-9  # gdeval.pl prints five decimals
        computed = values[value.query_id][next(iter(expand(name)))]
        assert computed == pytest.approx(value.value, abs=printed), name


@given(qrels_and_runs(grades=st.integers(0, 4), extra=False))
def test_scikit_learn_agrees_query_by_query(data):
    judgments, run = data
    ours = gainful.evaluate(judgments, run, ["nDCG", "nDCG@3"], like="sklearn").values_by_query()
    for query, ranking in run.items():
        if len(ranking) > 1:  # scikit-learn refuses a single document
            grades = [[judgments[query].get(doc, 0) for doc in ranking]]
            scores = [list(ranking.values())]
            assert ours[query]["nDCG"] == pytest.approx(ndcg_score(grades, scores), abs=1e-9)
            assert ours[query]["nDCG@3"] == pytest.approx(ndcg_score(grades, scores, k=3), abs=1e-9)


@pytest.mark.filterwarnings("ignore")
@given(qrels_and_runs(grades=st.integers(0, 4), extra=False, tied=False))
def test_ranx_agrees_query_by_query_where_nothing_is_tied(ranx, data):
    judgments, run = data
    judgments = {query: judgments[query] for query in run}
    names = {"ndcg": "nDCG", "ndcg@3": "nDCG@3", "map": "AP", "mrr": "RR", "precision@3": "P@3"}
    names |= {"recall@3": "R@3", "hit_rate@3": "Success@3"}
    theirs = ranx.evaluate(ranx.Qrels(judgments), ranx.Run(run), list(names), return_mean=False)
    by_query = gainful.evaluate(judgments, run, list(names.values()), like="ranx").values_by_query()
    order = sorted(run)  # ranx sorts queries
    for name, ours in names.items():
        values = [by_query[query][ours] for query in order]
        assert values == pytest.approx(list(np.atleast_1d(theirs[name])), abs=1e-9), name


@given(qrels_and_runs(extra=False))
def test_beir_agrees_as_it_calls_pytrec_eval(data):
    """BEIR's package needs torch; what its evaluation does with pytrec_eval is done here."""
    judgments, given_ = data
    run = given_
    cuts = (1, 3, 10)
    asked = {
        f"{name}.{','.join(map(str, cuts))}" for name in ("ndcg_cut", "map_cut", "recall", "P")
    }
    run = {query: {doc: s for doc, s in r.items() if doc != query} for query, r in run.items()}
    scores = pytrec_eval.RelevanceEvaluator(judgments, asked).evaluate(run)
    ours = gainful.evaluate(judgments, given_, sorted(asked), like="beir").mean
    for name, value in ours.items():
        theirs = sum(of_query[name] for of_query in scores.values()) / len(scores)
        assert round(value, 5) == pytest.approx(round(theirs, 5), abs=1.1e-5), name
