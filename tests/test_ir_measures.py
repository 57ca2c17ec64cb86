"""`gainful.ir_measures` in place of ir_measures: the same calls, the same numbers."""

import random
from importlib import import_module
from shutil import which

import ir_measures as theirs
import pytest
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from strategies import qrels_and_runs, subtopic_qrels_and_runs

import gainful.ir_measures as ours
from gainful.ir_measures import measures

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

    with refuses(gainful.errors.BadInput, "judgments, row 3", "'a'", "'1'"):
        ours.calc_aggregate([ours.StRecall @ 5], [*qrels, qrels[0]], run)
    with refuses(gainful.errors.BadInput, "judgments['1']['a']", "'x'"):
        ours.calc_aggregate([ours.StRecall @ 5], [ours.Qrel("1", "a", "x")], run)


def test_judgments_and_runs_as_ir_measures_takes_them(tmp_path):
    import pandas as pd

    qrels = [ours.Qrel("1", "a", 2), ours.Qrel("1", "b", 0)]
    run = [ours.ScoredDoc("1", "b", 0.9), ours.ScoredDoc("1", "a", 0.5)]
    (tmp_path / "q").write_text("1 0 a 2\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 b 1 0.9 x\n1 Q0 a 2 0.5 x\n")
    assert list(ours.read_trec_qrels(tmp_path / "q")) == qrels
    assert list(ours.read_trec_run(tmp_path / "r")) == run
    asked = [ours.nDCG @ 10, ours.RR, ours.SDCG(max_grade=2) @ 3]
    for judged in (qrels, tmp_path / "q", {"1": {"a": 2, "b": 0}}):
        values = ours.evaluator(asked, judged).calc(run)
        assert values.aggregated[ours.RR] == 0.5
        assert [metric.query_id for metric in values.per_query] == ["1"] * 3
    assert ours.calc(asked, qrels, run) == values
    frames = (
        pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [2, 0]}),
        pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], "score": [0.9, 0.5]}),
    )
    assert ours.calc_aggregate([ours.RR], *frames) == {ours.RR: 0.5}
    assert [str(m) for m in ours.parse_trec_measure("P.5,10")] == ["P@5", "P@10"]
    assert str(measures.Judged @ 5) == "Judged@5"  # from where they are there
    with refuses(AttributeError, "nDCG"):
        ours.nDGC  # noqa: B018


def test_measures_are_called_as_there():
    import gainful

    assert ours.nDCG(dcg="exp-log2") @ 3 == ours.parse_measure("nDCG(dcg='exp-log2')@3")
    assert ours.nDCG(judged_only=True) @ 3 == gainful.parse("nDCG(judged_only=True)@3")
    assert ours.INST(T=2, min_rel=0, max_rel=3) == gainful.parse("INST(T=2, max_grade=3)")
    listed = ours.nDCG(gains={0: 0, 1: 3}, cutoff=3)
    assert listed == gainful.parse("nDCG(gains={0:0,1:3})@3")
    assert listed == gainful.parse("nDCG(gain={0:0,1:3,else:g})@3")
    assert {gainful.nDCG @ 10: 1}[ours.nDCG @ 10] == 1
    assert ours.MRR == ours.RR != "RR"
    assert ours.Recall @ 5 == ours.R @ 5
    assert ours.IPrec(rel=2, recall=0.4) == ours.parse_measure("IPrec(rel=2, recall=0.1)@0.4")
    assert ours.NumRet(rel=1) == ours.NumRelRet != ours.NumRet(rel=2)
    assert ours.SetF(beta=1.0) == ours.SetF(rel=1) == ours.SetF
    assert repr(ours.P(rel=2) @ 5) == "P(rel=2)@5"
    for run in ({}, [], {"other": {"x": 1}}):
        assert ours.calc_aggregate([ours.RR], {"1": {"a": 1}}, run) == {ours.RR: 0.0}
        assert list(ours.iter_calc([ours.RR], {"1": {"a": 1}}, run)) == [("1", ours.RR, 0.0)]


def test_all_names_of_ir_measures_measures_can_be_imported():
    names = {name for name in theirs.__all__ if isinstance(getattr(theirs, name), theirs.Measure)}
    assert {"MAP", "NDCG", "SDCG", "Accuracy", "NERR10", "α_nDCG"} < names
    assert names <= set(ours.__all__)
    assert all(isinstance(getattr(ours, name), ours.Measure) for name in names)
    taken = {}
    exec("from gainful.ir_measures import *", taken)  # noqa: S102  (what users write)
    assert taken["MAP"] == ours.AP
    assert taken["define"] is ours.define


@pytest.mark.parametrize(
    "name",
    ["map", "P_5", "P.5,10", "P", "ndcg_cut", "recip_rank", "official", "set", "all_trec",
     "set_F.1.0,0.5,2.4", "set_F", "iprec_at_recall", "iprec_at_recall.0.25", "success"],
)  # fmt: skip
def test_trec_evals_names_are_read_as_there(name):
    expected = [str(measure).replace(".0)", ")") for measure in theirs.parse_trec_measure(name)]
    renamed = {"NumRet(rel=1)": "NumRelRet", "SetP(relative=True)": "SetRelP"}
    expected = [renamed.get(text, text.removesuffix(".0")) for text in expected]
    assert [str(measure) for measure in ours.parse_trec_measure(name)] == expected


@pytest.mark.parametrize("name", ["MeanAgg", "SumAgg"])
def test_aggregators_are_those_of_ir_measures(name):
    mine, known = getattr(ours, name)(), getattr(theirs, name)()
    for value in (0.5, 2, 0.25):
        assert mine.result() == pytest.approx(known.result(), nan_ok=True)
        mine.add(value)
        known.add(value)
    assert mine.result() == known.result()


def test_names_of_older_versions_are_there():
    public = {name for name in theirs.__all__ if not name.startswith("_")}
    elsewhere = {"ParamInfo", "calc_ctxt", "lazylibs"}
    assert {name for name in public if not hasattr(ours, name)} == elsewhere
    assert [measure.name for measure in ours.convert_trec_name("map")] == ["AP"]


QRELS_TEXT = "\n1 0 a 2\n1 0 b 0\n\n2 x c -1\n"
RUN_TEXT = "1 Q0 b 1 0.9 x\n\n1 Q0 a 2 0.5 x\n"


def test_trec_lines_are_read_from_texts_and_open_files(tmp_path):
    (tmp_path / "q").write_text(QRELS_TEXT)
    expected = list(map(tuple, theirs.read_trec_qrels(QRELS_TEXT)))
    assert [tuple(row) for row in ours.read_trec_qrels(QRELS_TEXT)] == expected
    with (tmp_path / "q").open() as file:
        assert [tuple(row) for row in ours.read_trec_qrels(file)] == expected
    expected = list(map(tuple, theirs.read_trec_run(RUN_TEXT)))
    assert [tuple(row) for row in ours.read_trec_run(RUN_TEXT)] == expected


@pytest.mark.parametrize(
    ("read", "text", "about"),
    [
        (ours.read_trec_qrels, "1 0 a\n", ("text:1", "'1 0 a'")),
        (ours.read_trec_qrels, "1 0 a 1\n1 0 b x\n", ("text:2", "'x'")),
        (ours.read_trec_run, "1 Q0 a 1 high x\n", ("text:1", "'high'")),
        (ours.parse_trec_measure, "mapp", ("mapp", "map")),
    ],
)
def test_what_is_wrong_in_a_text_is_named(read, text, about):
    with refuses(ValueError, about):
        list(read(text))


# What no other test names: measures of the C/W/L framework, pairs, tables of gains, rounding.
RARE = [
    "NERR8(max_rel=3)@5", "NERR9(max_rel=3)@5", "NERR10(max_rel=3)", "NERR10(p=0.5, max_rel=2)",
    "NERR11(T=2.0, max_rel=3)", "Accuracy", "Accuracy(rel=2)@3", "nDCG(gains={0:1,1:4})",
    "nDCG(gains={2:7})@3", "NumRet(rel=2)", "NumQ", "NumRel", "SDCG(max_rel=3)@4",
    *(["ERR@3", "nDCG(dcg='exp-log2')@3"] if which("perl") else []),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_rare_measures_and_missing_queries_have_the_numbers_of_ir_measures(seed):
    chance, queries = random.Random(seed), ["1", "2", "10"]  # noqa: S311
    qrels = {
        query: {doc: chance.choice([-1, 0, 0, 1, 2, 3, 4]) for doc in chance.sample("abcdefgh", 6)}
        for query in queries
    }
    run = {
        query: {doc: -float(place) for place, doc in enumerate(chance.sample("abcdefghxyz", 7))}
        for query in chance.sample(queries, seed % 3 + 1)
    }
    for name in RARE:
        measure, mine = theirs.parse_measure(name), ours.parse_measure(name)
        expected = {row.query_id: row.value for row in theirs.iter_calc([measure], qrels, run)}
        computed = {row.query_id: row.value for row in mine.iter_calc(qrels, run)}
        assert computed == pytest.approx(expected, abs=1e-9), name
        mean = theirs.calc_aggregate([measure], qrels, run)[measure]
        assert mine.calc_aggregate(qrels, run) == pytest.approx(mean, abs=1e-9, nan_ok=True), name


def test_rounding_is_that_of_gdeval_where_ir_measures_runs_it():
    import gainful

    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    exact = (1 / 2) * (1 / 16) + (1 / 3) * (3 / 16) * (15 / 16)
    assert round(exact, 5) != exact
    assert (ours.ERR @ 3).calc_aggregate(qrels, run) == round(exact, 5)
    assert gainful.evaluate(qrels, run, "ERR@3", like="ir_measures").mean["ERR@3"] == round(
        exact, 5
    )
    assert ours.ERR.calc_aggregate(qrels, run) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("missing", ["run", "judgments", "both"])
def test_nothing_given_is_nothing_counted(missing):
    qrels = [] if missing in ("judgments", "both") else [ours.Qrel("1", "a", 1)]
    run = [] if missing in ("run", "both") else [ours.ScoredDoc("1", "a", 1.0)]
    for name in ("P@5", "NumRet", "Accuracy"):
        known = theirs.parse_measure(name)
        values = [row.value for row in theirs.iter_calc([known], qrels, run)]
        mine = ours.parse_measure(name)
        assert [row.value for row in mine.iter_calc(qrels, run)] == values
        expected = theirs.calc_aggregate([known], qrels, run)[known]
        assert mine.calc_aggregate(qrels, run) == pytest.approx(expected, nan_ok=True)


def test_a_measure_is_asked_for_its_mean_and_its_values():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"x": 2.0, "b": 1.0}}
    assert (ours.P @ 1).calc_aggregate(qrels, run) == 0.5
    mean, values = (ours.P @ 1).calc(qrels, run)
    assert (mean, [row.value for row in values]) == (0.5, [1.0, 0.0])
    assert (ours.P @ 1).evaluator(qrels).calc_aggregate(run) == {ours.P @ 1: 0.5}


def _share_of_relevant(qrels, run):
    rows = run.merge(qrels, "left", on=["query_id", "doc_id"])
    return (rows["relevance"] > 0).sum() / len(rows)


def _share_by_query(qrels, run):
    for query, rows in run.merge(qrels, "left", on=["query_id", "doc_id"]).groupby("query_id"):
        yield query, (rows["relevance"] > 0).mean()


@examples(15)
@given(data=qrels_and_runs(extra=False, tied=False), cut=st.integers(1, 4))
def test_measures_defined_by_a_function_have_the_numbers_of_ir_measures(data, cut):
    qrels, run = data
    for define, function in (("define_byquery", _share_of_relevant), ("define", _share_by_query)):
        known = getattr(theirs, define)(function, "Share") @ cut
        mine = getattr(ours, define)(function, "Share") @ cut
        expected = {row.query_id: row.value for row in known.iter_calc(qrels, run)}
        assert {row.query_id: row.value for row in mine.iter_calc(qrels, run)} == expected
        assert mine.calc_aggregate(qrels, run) == pytest.approx(known.calc_aggregate(qrels, run))


def test_defined_measures_beside_others_and_columns_of_their_own():
    import pandas as pd

    qrels, run = [ours.Qrel("1", "a", 1)], iter([ours.ScoredDoc("1", "a", 1.0)])
    share = ours.define_byquery(_share_of_relevant)
    assert repr(share @ 3) == "_share_of_relevant@3"
    assert ours.calc_aggregate([share, ours.RR], qrels, run) == {share: 1.0, ours.RR: 1.0}
    length = ours.define_byquery(
        lambda qrels, run: len(run.iloc[0]["answer"]) / len(qrels.iloc[0]["gold"]),
        run_inputs=["query_id", "answer"],
        qrel_inputs=["query_id", "gold"],
        support_cutoff=False,
    )
    gold = pd.DataFrame({"query_id": ["1"], "gold": ["abcd"]})
    answers = pd.DataFrame({"query_id": ["1"], "answer": ["ab"]})
    assert length.calc_aggregate(gold, answers) == 0.5
    assert ours.DefaultPipeline.run_inputs([length]) == ["query_id", "answer"]
    assert set(ours.qrel_inputs([length, ours.P @ 5])) == {
        *("query_id", "gold", "doc_id", "relevance")
    }
    with refuses(ValueError, "k"):
        length @ 3


@pytest.mark.parametrize("seed", range(8))
def test_the_tools_that_ir_measures_calls_have_their_own_settings(seed):
    """Ties, and scores that tie in 32 bits only, which pytrec_eval alone has."""
    chance, scores = random.Random(seed), [0.0, 1.0, 1.0 + 1e-9, 2.0]  # noqa: S311
    grades = [-1, 0, 0, 1, 2, 3, 4]
    qrels = {query: {doc: chance.choice(grades) for doc in "abcdefgz"} for query in "12"}
    run = {"1": {doc: chance.choice(scores) for doc in chance.sample("abcdefgh", 7)}}
    for tool, name in [
        ("pytrec_eval", "AP@3"), ("cwl_eval", "RBP(rel=1)"), ("judged", "Judged@3"),
        ("msmarco", "RR@3"), ("accuracy", "Accuracy(rel=3)"),
    ]:  # fmt: skip
        known = getattr(theirs, tool)
        measure = theirs.parse_measure(name)
        expected = {row.query_id: row.value for row in known.iter_calc([measure], qrels, run)}
        provider = getattr(ours, tool)
        mine = ours.parse_measure(name)
        assert provider.supports(name)
        computed = {row.query_id: row.value for row in provider.iter_calc([mine], qrels, run)}
        assert computed == pytest.approx(expected, abs=1e-9), tool
    assert not ours.gdeval.supports("nDCG@3")
    assert ours.gdeval.supports(ours.nDCG(dcg="exp-log2") @ 3)
    assert ours.runtime.is_available()


def test_ir_measures_takes_gainful_as_one_of_its_tools():
    """PyTerrier asks ir_measures' own pipeline, which knows only measures of its own class."""
    provider = ours.provider()
    names = ["nDCG@10", "AP(rel=2)", "P@5", "NumRet(rel=1)", "SetP(relative=True)", "IPrec@0.5"]
    measures = [theirs.parse_measure(name) for name in names]
    assert all(provider.supports(measure) for measure in measures)
    assert not provider.supports(theirs.define_byquery(_share_of_relevant, "Share"))
    qrels = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
    run = {"1": {"c": 3.0, "a": 2.0, "x": 1.0}}
    expected = theirs.calc_aggregate(measures, qrels, run)
    pipeline = theirs.providers.FallbackProvider([provider])
    assert pipeline.calc_aggregate(measures, qrels, run) == pytest.approx(expected)
    rows = [theirs.Qrel("1", "a", 2), theirs.Qrel("1", "b", 1)]
    scored = [theirs.ScoredDoc("1", "b", 1.0)]
    assert provider.calc_aggregate(measures[:1], iter(rows), iter(scored)) == pytest.approx(
        theirs.calc_aggregate(measures[:1], rows, scored)
    )
    walk = provider.calc_aggregate([theirs.RBP(rel=1)], qrels, run)  # 0.2 * 0.8, and 0
    assert list(walk.values()) == pytest.approx([0.08])
    ours.provider(register=True)
    try:
        assert theirs.providers.registry["gainful"].NAME == "gainful"
        assert theirs.DefaultPipeline.providers[0].NAME == "gainful"
    finally:
        del theirs.providers.registry["gainful"]
        del theirs.DefaultPipeline.providers[0]


def test_judgments_and_runs_are_converted_as_there():
    import pandas as pd

    rows = [("1", "a", 1), ("1", "b", 0), ("2", "a", 2)]
    nested = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
    for kind, number in (("Qrel", "relevance"), ("ScoredDoc", "score")):
        name = "QrelsConverter" if kind == "Qrel" else "RunConverter"
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", number])
        for make in (
            lambda module, kind=kind: [getattr(module, kind)(*row) for row in rows],
            lambda module, kind=kind: iter([getattr(module, kind)(*row) for row in rows]),
            lambda _, frame=frame: frame,
            lambda _: nested,
        ):
            mine, known = getattr(ours.util, name), getattr(theirs.util, name)
            assert mine(make(ours)).as_dict_of_dict() == known(make(theirs)).as_dict_of_dict()
            assert [tuple(row) for row in mine(make(ours)).as_namedtuple_iter()] == [
                tuple(row) for row in known(make(theirs)).as_namedtuple_iter()
            ]
            pd.testing.assert_frame_equal(
                mine(make(ours)).as_pd_dataframe(), known(make(theirs)).as_pd_dataframe()
            )
        for wrong in (frame.drop(columns="doc_id"), object(), [1, 2]):
            with pytest.raises(ValueError, match="unknown") as refused:
                known(wrong).as_dict_of_dict()
            with pytest.raises(ValueError, match="unknown") as mine_refused:
                mine(wrong).as_dict_of_dict()
            assert str(mine_refused.value) == str(refused.value)
    assert [row.doc_id for row in ours.util.RunConverter(nested).as_sorteddict()["1"]] == ["a", "b"]


CWL_EVAL = {  # what ir_measures 0.4.3 with cwl_eval 1.0.12 gave of 0 2 3 0 0 3 0 0 0 2, and of 0
    "P@3": [(0.6666666667, 2, 1, 3, 3), (0, 0, 1, 3, 3)],
    "RR": [(0.5, 1, 1, 2, 2), (0, 0, 1, 0, 1000)],
    "AP": [(0.5166666667, 1.8787878788, 1, 3.6363636364, 3.6363636364), (0, 0, 1, 1, 1)],
    "RBP(rel=1)": [(0.3803795456, 1.901897728, 1, 5, 5), (0, 0, 1, 5, 5)],
    "BPM(max_rel=3)@5": [(0.5555555556, 1.6666666667, 1, 3, 3), (0, 0, 1, 5, 5)],
    "SDCG(max_rel=3)@5": [
        (0.3122376125, 0.9206198357, 1, 2.9484591189, 2.9484591189),
        (0, 0, 1, 2.9484591189, 2.9484591189),
    ],
    "NERR8(max_rel=3)@4": [(0.4285714286, 1, 1, 2.3333333333, 2.3333333333), (0, 0, 1, 4, 4)],
    "INST(T=2,max_rel=3)": [
        (0.2945591414, 1.0336206747, 1, 3.5039298419, 3.5091014605),
        (0, 0, 1, 4.5093503339, 4.5252230978),
    ],
}


@pytest.mark.parametrize("name", CWL_EVAL)
def test_cwl_eval_says_what_a_searcher_is_expected_to_gain_and_spend(name):
    grades = (0, 2, 3, 0, 0, 3, 0, 0, 0, 2)
    qrels = {"1": {f"d{rank}": g for rank, g in enumerate(grades)}, "2": {"a": 0, "b": 3}}
    run = {"1": {f"d{rank}": -float(rank) for rank in range(10)}, "2": {"a": 1.0}}
    qrels["3"] = {"a": 1}  # the run lacks it
    metrics = [*ours.cwl_eval.iter_calc([name], qrels, run)]
    for metric, expected in zip(metrics, CWL_EVAL[name], strict=False):
        assert isinstance(metric, ours.CwlMetric)
        assert metric[2:] == pytest.approx(expected, abs=1e-9)
    assert metrics[2] == ours.Metric("3", ours.parse_measure(name), 0.0)
    by_default = next(ours.iter_calc([name], qrels, run))
    assert isinstance(by_default, ours.Metric) == (name in ("P@3", "RR", "AP"))


def test_rbp_of_a_patient_searcher_ends_at_the_thousandth_document_as_in_cwl_eval():
    value = ours.calc_aggregate([ours.RBP(p=0.999)], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    assert list(value.values()) == pytest.approx([0.001 / (1 - 0.999**1000)])


def test_measures_that_cwl_eval_has_not_are_refused_by_it_and_not_by_others():
    for measure in (ours.Bpref, ours.RBP @ 5):
        with refuses(ValueError, "measure"):
            ours.cwl_eval.calc_aggregate([measure], {"1": {"a": 1}}, {"1": {"a": 1.0}})
        assert isinstance(
            next(ours.iter_calc([measure], {"1": {"a": 1}}, {"1": {"a": 1.0}})), ours.Metric
        )


def test_modules_and_classes_are_where_code_for_ir_measures_looks_for_them():
    accuracy = import_module("gainful.ir_measures.measures.accuracy")
    assert accuracy.Accuracy == ours.measures.Accuracy == ours.Accuracy
    own = {"FallbackProvider", "define", "define_byquery", "register"}
    for name in {*theirs.providers.__all__} - own:
        assert hasattr(ours.providers, name), name
    provider = ours.providers.PytrecEvalProvider()
    assert isinstance(provider, ours.Provider)
    assert isinstance(ours.pytrec_eval, ours.providers.PytrecEvalProvider)
    assert provider.calc_aggregate([ours.RR], {"1": {"a": 1}}, {"1": ["b", "a"]}) == {ours.RR: 0.5}
    with refuses(AttributeError, "NoProvider"):
        _ = ours.providers.NoProvider
